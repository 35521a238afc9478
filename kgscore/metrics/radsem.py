"""RadSEM (3.4): abnormal-focused weighted F1 over capacity-constrained matched credit.

Range 0 to 1, higher is better. If there is nothing to score on either side, the result is `empty`, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import TypeVar

from kgscore.errors import ProfileError
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.model import Contribution, Finding, Link, Score, clash_outcome
from kgscore.ontology.index import Index
from kgscore.profile import Profile

ABNORMAL, NORMAL = "abnormal", "normal"
_LAMBDA = 0.25
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Options:
    """The weights of the two classes in the mixture, renormalised over the classes present.

    `denial`: the weight, among the abnormal findings, of denying a finding that the other report asserts, as an error about
    that finding, in addition to being an unmatched normal statement; 0 as published.
    """

    abnormal: float = 0.9
    normal: float = 0.1
    denial: float = 1.0


@dataclass(frozen=True, slots=True)
class ClassShare:
    """One class of a pair: its links with their credit, the weights of the missed and invented findings, and its F1."""

    name: str
    links: Sequence[tuple[Link, float]]
    missed: Sequence[tuple[int, float]]
    invented: Sequence[tuple[int, float]]

    @property
    def credit(self) -> float:
        """M: the matched credit."""
        return fsum(link.flow * weight for link, weight in self.links)

    @property
    def lost(self) -> tuple[float, float]:
        """U: the unmatched weight on the reference side and on the candidate side."""
        return fsum(weight for _, weight in self.missed), fsum(weight for _, weight in self.invented)

    @property
    def f1(self) -> float:
        """F1 of the class (RadSEM 3.4)."""
        return class_f1(self.credit, *self.lost, [link.relation.weight for link, _ in self.links])


class Radsem:
    """RadSEM. `weight` gives the weight of a finding, 1 as published; findings of weight 0 are excluded.

    A class that holds only findings without a concept would give them its whole share of the mixture, whatever their weights:
    with `joined`, they are counted in the other class instead.
    """

    name = "radsem"

    def __init__(
        self, options: Options = Options(), weight: Callable[[Finding], float] = lambda _: 1.0, *, joined: bool = False
    ) -> None:
        self.options, self.weight, self.joined = options, weight, joined

    @classmethod
    def build(cls, profile: Profile, index: Index) -> Radsem:
        """Return the metric under a profile.

        Raises:
            ProfileError: a class has a negative share.
        """
        found: Options = options(cls.name, profile)
        if min(found.abnormal, found.normal) < 0 or found.abnormal + found.normal <= 0:
            where = f"profile '{profile.name}': metrics: {cls.name}"
            raise ProfileError(f"{where}: 'abnormal' and 'normal' must be 0 or more, and one of them above 0")
        return cls(found, weighting_of(profile, index).finding, joined=profile.unlinked_weight < 1.0)

    def classes(self, pair: Matched) -> Iterator[tuple[float, ClassShare]]:
        """Return the share in the mixture and the class, for each class present."""
        lost, into = pair.unmatched(), self._class_by_polarity(pair)
        alphas = {ABNORMAL: self.options.abnormal, NORMAL: self.options.normal}
        shares = [self._class(pair, name, into, *lost) for name in alphas]
        found = [(alphas[share.name], share) for share in shares if share.links or share.missed or share.invented]
        total = fsum(alpha for alpha, _ in found)
        return ((alpha / total, share) for alpha, share in found if total)

    def _class_by_polarity(self, pair: Matched) -> Mapping[bool, str]:
        """Return the class of assertions and the class of denials."""
        into = {True: ABNORMAL, False: NORMAL}
        if self.joined:
            both = (*pair.reference.findings, *pair.candidate.findings)
            known = {finding.asserts for finding in both if finding.concept is not None and self.weight(finding) > 0}
            if len(known) == 1:
                into[not next(iter(known))] = into[next(iter(known))]
        return into

    def _class(
        self, pair: Matched, name: str, into: Mapping[bool, str], missed: Sequence[int], invented: Sequence[int]
    ) -> ClassShare:
        left, right, charge = pair.reference.findings, pair.candidate.findings, self.options.denial
        refuting, refuted = _cross_denials(pair, missed, invented) if charge and name == ABNORMAL else ({}, {})
        links = [(k, left[k.reference], 1.0) for k in pair.links if into[left[k.reference].asserts] == name]
        lacking = [(i, left[i], 1.0) for i in missed if into[left[i].asserts] == name]
        lacking += [(i, right[j], charge) for i, j in refuted.items()]
        gained = [(j, right[j], 1.0) for j in invented if into[right[j].asserts] == name]
        gained += [(j, left[i], charge) for j, i in refuting.items()]
        return ClassShare(name, self._weighed(links), self._weighed(lacking), self._weighed(gained))

    def _weighed(self, rows: Iterable[tuple[_T, Finding, float]]) -> list[tuple[_T, float]]:
        """Return the items whose finding has a weight, with that weight times a factor."""
        return [(what, weight * factor) for what, finding, factor in rows if (weight := self.weight(finding)) > 0]

    def score(self, pair: Matched) -> Score:
        """Return the RadSEM score of a matched pair; `parts` holds M, the unmatched counts and F1 of each class."""
        classes = list(self.classes(pair))
        if not classes:
            return Score(self.name, "empty", None, "neither report holds a finding that counts")
        parts: dict[str, float] = {}
        for _, share in classes:
            figures = {"matched": share.credit, "unmatched_reference": share.lost[0], "unmatched_candidate": share.lost[1]}
            parts |= {f"{share.name}_{name}": value for name, value in (*figures.items(), ("f1", share.f1))}
        return Score(self.name, "scored", fsum(alpha * share.f1 for alpha, share in classes), "", parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return every credit and cost; they add up to the score and to 1 minus it. A denial in both classes is one item."""
        found: dict[object, Contribution] = {}
        for key, piece in (row for alpha, share in self.classes(pair) for row in _class_contributions(pair, alpha, share)):
            found[key] = replace(found[key], cost=found[key].cost + piece.cost) if key in found else piece
        return list(found.values())


def _cross_denials(pair: Matched, missed: Sequence[int], invented: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the unmatched denials of the candidate, and of the reference, with the unmatched assertion that each denies."""
    left, right, lacking, gained = pair.reference.findings, pair.candidate.findings, set(missed), set(invented)
    refuting: dict[int, int] = {}
    refuted: dict[int, int] = {}
    for clash in pair.contradictions:
        i, j = clash.reference, clash.candidate
        if i in lacking and j in gained and left[i].asserts != right[j].asserts:
            if left[i].asserts:
                refuting.setdefault(j, i)
            else:
                refuted.setdefault(i, j)
    return refuting, refuted


def _class_contributions(pair: Matched, alpha: float, share: ClassShare) -> Iterator[tuple[object, Contribution]]:
    """Yield the contributions of a class, each with the link or the unmatched finding that it concerns."""
    left, right = pair.reference.findings, pair.candidate.findings
    missed, invented = share.lost
    whole = 2.0 * share.credit + missed + invented
    lack = fsum(1.0 - link.relation.weight for link, _ in share.links)
    for link, weight in share.links:
        if missed + invented:
            credit, cost = alpha * 2.0 * link.flow * weight / whole, 0.0
        else:
            credit = alpha * share.f1 / len(share.links)
            cost = alpha * (1.0 - share.f1) * (1.0 - link.relation.weight) / lack if lack else 0.0
        kind = "correct" if link.relation.weight >= 1.0 else "minor"
        yield (link.reference, link.candidate), contribution(
            kind, left[link.reference].text, left[link.reference], right[link.candidate],
            credit=credit, cost=cost, because=link.relation.proof,
        )
    clash = {("r", k.reference): k for k in pair.contradictions} | {("c", k.candidate): k for k in pair.contradictions}
    for side, kind, lost, findings in (("r", "missed", share.missed, left), ("c", "invented", share.invented, right)):
        for at, weight in lost:
            hit = clash.get((side, at))
            became = clash_outcome(left[hit.reference], right[hit.candidate]) if hit else kind
            one, other = (findings[at], None) if side == "r" else (None, findings[at])
            yield (side, at), contribution(
                became, findings[at].text, one, other, cost=alpha * weight / whole, because=hit.relation.proof if hit else ()
            )


def class_f1(credit: float, missed: float, invented: float, weights: Sequence[float]) -> float:
    """Return F1 of one class: 2M / (2M + U_ref + U_gen), with the no-unmatched rule and its partial adjustment.

    >>> class_f1(4.0, 2, 0, [1.0] * 4)
    0.8
    >>> round(class_f1(1 / 6, 0, 0, [1 / 6]), 6)
    0.791667
    """
    if missed + invented == 0:
        if not weights or min(weights) >= 1.0:
            return 1.0
        mean = fsum(weights) / len(weights)
        return min(1.0, max(0.0, 1.0 - _LAMBDA / sqrt(len(weights)) * (1.0 - mean)))
    return 2.0 * credit / (2.0 * credit + missed + invented)


INFO = MetricInfo(
    "radsem", Radsem.build, 0.0, 1.0, True, "RadSEM, arXiv:2606.17062, section 3.4",
    "abnormal-focused F1 over matched credit",
    good_for="agreement with the paper; every statement counts, the normal ones too",
    blind_to="which of two errors is clinically worse, unless the profile weighs severity", options=Options,
)
