"""RadSEM (3.4): abnormal-focused weighted F1 over capacity-constrained matched credit.

Range 0 to 1, higher is better. If there is nothing to score on either side, the result is `empty`, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt

from kgscore.errors import ProfileError
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.model import Contribution, Finding, Link, Score, clash_outcome
from kgscore.ontology.index import Index
from kgscore.profile import Profile

ABNORMAL, NORMAL = "abnormal", "normal"
_LAMBDA = 0.25


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


def _unit_weight(finding: Finding) -> float:
    return 1.0


class Radsem:
    """RadSEM. `weight` gives the weight of a finding, 1 as published; findings of weight 0 are excluded.

    A class that holds only findings without a concept would give them its whole share of the mixture, whatever their weights:
    with `joined`, they are counted in the other class instead.
    """

    name = "radsem"

    def __init__(
        self, options: Options | None = None, weight: Callable[[Finding], float] = _unit_weight, *, joined: bool = False
    ) -> None:
        self.options = options or Options()
        self.weight = weight
        self.joined = joined

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
        """Yield the share in the mixture and the class, for each class present."""
        found = []
        lost = pair.unmatched()
        into = self._class_by_polarity(pair)
        for name, alpha in ((ABNORMAL, self.options.abnormal), (NORMAL, self.options.normal)):
            share = self._class(pair, name, into, *lost)
            if share.links or share.missed or share.invented:
                found.append((alpha, share))
        total = fsum(alpha for alpha, _ in found)
        for alpha, share in found if total else ():
            yield alpha / total, share

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
        left, right = pair.reference.findings, pair.candidate.findings
        weight = self.weight

        def counted(positions: Sequence[int], findings: Sequence[Finding]) -> list[tuple[int, float]]:
            return [(i, w) for i in positions if into[findings[i].asserts] == name and (w := weight(findings[i])) > 0]

        links = [(k, w) for k in pair.links if into[left[k.reference].asserts] == name and (w := weight(left[k.reference])) > 0]
        charge = self.options.denial
        refuting, refuted = _cross_denials(pair, missed, invented) if charge else ({}, {})
        gained, lacking = counted(invented, right), counted(missed, left)
        if name == ABNORMAL:
            gained += [(j, w * charge) for j, i in refuting.items() if (w := weight(left[i])) > 0]
            lacking += [(i, w * charge) for i, j in refuted.items() if (w := weight(right[j])) > 0]
        return ClassShare(name, links, lacking, gained)

    def score(self, pair: Matched) -> Score:
        """Return the RadSEM score of a matched pair; `parts` holds M, the unmatched counts and F1 of each class."""
        parts: dict[str, float] = {}
        value, present = 0.0, False
        for alpha, share in self.classes(pair):
            present = True
            value += alpha * share.f1
            missed, invented = share.lost
            parts |= {
                f"{share.name}_matched": share.credit,
                f"{share.name}_unmatched_reference": float(missed),
                f"{share.name}_unmatched_candidate": float(invented),
                f"{share.name}_f1": share.f1,
            }
        if not present:
            return Score(self.name, "empty", None, "neither report holds a finding that counts", parts)
        return Score(self.name, "scored", value, "", parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return every credit and cost; they add up to the score and to 1 minus the score. A denial that counts in both classes
        is one contribution."""
        found: dict[object, Contribution] = {}
        for alpha, share in self.classes(pair):
            for key, piece in _class_contributions(pair, alpha, share):
                known = found.get(key)
                found[key] = replace(known, cost=known.cost + piece.cost) if known else piece
        return list(found.values())


def _cross_denials(pair: Matched, missed: Sequence[int], invented: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the unmatched denials of unmatched assertions of the other report, each with that assertion: those of the candidate,
    and those of the reference."""
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
