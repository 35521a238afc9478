"""HeadCT-ONE (3.4): weighted F1 over the set of entities and the set of relations of a report.

Range 0 to 1, higher is better. As published (profile `headct-one-published`): entities of the words, exact matches, the mean of
both F1 even if a set is empty. In the ontology form (default): entities of findings, credit through subsumption, the mean over
the sets present. Items of weight 0 in the profile are excluded; if nothing on either side has a weight, the score is 1, but in
the ontology form 0 for a candidate that says nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TypeVar

from kgscore.errors import ProfileError
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.facts import Compounds, Fact, FactGraph, Likeness, Place, Tie, facts_of_findings, facts_of_words
from kgscore.model import Contribution, Reading, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile

_Key = TypeVar("_Key", Fact, Tie)


@dataclass(frozen=True, slots=True)
class Options:
    """`entities`: of the "words" (published) or of the "findings". `partial`: credit for broader and narrower concepts.
    `average`: over the parts "present", or over "both" (published: identical reports without relations score 0.5).
    `kin`: with `partial`, two subclasses of a class that the profile names under `subtree` are similar through it."""

    entities: str = "findings"
    partial: bool = True
    average: str = "present"
    kin: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One of the two sets: weights and highest similarity by key on each side. F1 = (TP_ref + TP_cand) / (W_ref + W_cand)."""

    name: str
    reference: Sequence[tuple[Fact | Tie, float, float, Place]]
    candidate: Sequence[tuple[Fact | Tie, float, float, Place]]

    @property
    def whole(self) -> float:
        """The total weight of both sides."""
        return fsum(weight for _, weight, _, _ in (*self.reference, *self.candidate))

    @property
    def f1(self) -> float:
        """Weighted F1; 0 if the total weight is 0."""
        whole = self.whole
        return fsum(w * like for _, w, like, _ in (*self.reference, *self.candidate)) / whole if whole else 0.0


class HeadctOne:
    """HeadCT-ONE under a profile."""

    name = "headct_one"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.index = index
        self.options: Options = options(self.name, profile)
        for option, known in (("entities", ("findings", "words")), ("average", ("present", "both"))):
            if getattr(self.options, option) not in known:
                raise ProfileError(f"profile '{profile.name}': metrics: headct_one: '{option}' is one of {', '.join(known)}")
        self.weighting = weighting_of(profile, index)
        named = [key.rpartition("/")[2] for key, weight in profile.weights.subtree.items() if weight > 0]
        self.likeness = Likeness(index, profile.depth_decay, named if self.options.kin else ())
        self.compounds = Compounds(index)
        self.published = self.options.entities == "words"

    def score(self, pair: Matched) -> Score:
        """Return the mean of the entity and the relation F1; `parts` holds both, with the weights on each side."""
        found = self._parts(pair)
        counted = [part for part in found if part.whole or self.options.average == "both"]
        parts: dict[str, float] = {}
        for part in found:
            parts |= {
                f"{part.name}_f1": part.f1,
                f"{part.name}_reference_weight": fsum(w for _, w, _, _ in part.reference),
                f"{part.name}_candidate_weight": fsum(w for _, w, _, _ in part.candidate),
            }
        if not any(part.whole for part in found):
            if pair.silent and not self.published:
                return Score(self.name, "scored", 0.0, "the candidate says nothing", parts)
            return Score(self.name, "scored", 1.0, "nothing on either side has a weight in this profile", parts)
        return Score(self.name, "scored", fsum(part.f1 for part in counted) / len(counted), "", parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return the credit and cost of every entity and relation; they add up to the score and to 1 minus the score."""
        found = self._parts(pair)
        counted = [part for part in found if part.whole]
        if not counted and not score.value:
            return [Contribution("missed", score.reason, None, None, cost=1.0)]
        if not counted:
            return [Contribution("correct", score.reason, None, None, credit=1.0)]
        shares = len(found) if self.options.average == "both" else len(counted)
        pieces = [piece for part in counted for piece in self._pieces(part, 1.0 / (shares * part.whole))]
        if shares > len(counted):
            (empty,) = (part for part in found if not part.whole)
            what = f"no {empty.name} on either side has a weight; as published, that part counts as 0"
            pieces.append(Contribution("missed", what, None, None, cost=1.0 / shares))
        return pieces

    def _pieces(self, part: Part, share: float) -> Iterator[Contribution]:
        for side, kind in (("reference", "missed"), ("candidate", "invented")):
            for what, weight, like, said in getattr(part, side):
                name = "correct" if like == 1.0 else "minor" if like else kind
                span = (said.start, said.end)
                one, other = (span, None) if side == "reference" else (None, span)
                if weight:
                    gain, loss = share * weight * like, share * weight * (1.0 - like)
                    yield Contribution(name, f"{self._words(what)}: “{said.text}”", one, other, gain, loss)  # type: ignore[arg-type]

    def _parts(self, pair: Matched) -> tuple[Part, Part]:
        left, right = self._graph(pair.reference), self._graph(pair.candidate)
        weights = [self._weights(graph) for graph in (left, right)]
        return (
            self._part("entity", left.facts, right.facts, weights[0][0], weights[1][0], self.likeness.facts),
            self._part("relation", left.ties, right.ties, weights[0][1], weights[1][1], self.likeness.ties),
        )

    def _graph(self, reading: Reading) -> FactGraph:
        if self.published:
            return facts_of_words(reading, self.index, self._split_compound)
        return facts_of_findings(reading.findings, self.index)

    def _split_compound(self, fact: Fact) -> tuple[Fact, Fact] | None:
        """Return the finding and the place of a compound; None if the profile gives the finding another weight than the
        compound."""
        parts = self.compounds.parts(fact.concept) if fact.type.startswith("observation") else None
        if parts is None or self.weighting.entity(parts[0], fact.type) != self.weighting.entity(fact.concept, fact.type):
            return None
        return Fact(fact.type, parts[0]), Fact("anatomy", parts[1])

    def _weights(self, graph: FactGraph) -> tuple[dict[Fact, float], dict[Tie, float]]:
        """Return the weights of entities and relations. A relation has the higher weight of its ends, and 0 if an end is excluded
        by name; as published, an entity in a relation of positive weight has weight 1, whatever its own weight."""
        facts = {fact: self.weighting.entity(fact.concept, fact.type, fact.category) for fact in graph.facts}
        out = {fact for fact in facts if self.weighting.left_out(fact.concept, fact.type, fact.category)}
        ties = {
            tie: 0.0
            if tie.source in out or tie.target in out
            else self.weighting.relation(tie.type) * max(facts[tie.source], facts[tie.target])
            for tie in graph.ties
        }
        if self.published and not self.weighting.plain:
            facts |= {fact: 1.0 for tie, weight in ties.items() if weight > 0 for fact in (tie.source, tie.target)}
        for key in graph.unlinked:
            if isinstance(key, Fact):
                facts[key] *= self.weighting.unlinked
            else:
                ties[key] *= self.weighting.unlinked
        return facts, ties

    def _part(
        self,
        name: str,
        left: Mapping[_Key, Place],
        right: Mapping[_Key, Place],
        left_weights: Mapping[_Key, float],
        right_weights: Mapping[_Key, float],
        likeness: Callable[[_Key, _Key], float],
    ) -> Part:
        def by_kind(places: Mapping[_Key, Place], weights: Mapping[_Key, float]) -> dict[object, list[_Key]]:
            found: dict[object, list[_Key]] = {}
            for key in places if self.options.partial else ():
                if weights[key] > 0:
                    found.setdefault(_kind(key), []).append(key)
            return found

        def best_likeness(key: _Key, others: Mapping[_Key, Place], alike: Mapping[object, Sequence[_Key]]) -> float:
            if key in others:
                return 1.0
            return max((likeness(key, other) for other in alike.get(_kind(key), ())), default=0.0)

        # As published, a key on both sides has its weight in the reference.
        counted = {key: left_weights.get(key, weight) for key, weight in right_weights.items()}
        theirs, ours = by_kind(right, right_weights), by_kind(left, left_weights)
        return Part(
            name,
            [(key, left_weights[key], best_likeness(key, right, theirs), said) for key, said in left.items()],
            [(key, counted[key], best_likeness(key, left, ours), said) for key, said in right.items()],
        )

    def _words(self, key: Fact | Tie) -> str:
        type = key.type.replace("_", " ")
        ends = (key,) if isinstance(key, Fact) else (key.source, key.target)
        names = [f"{end.side + ' ' if end.side else ''}{self.index.label(end.concept)}" for end in ends]
        return f"{type} {names[0]}" if len(names) == 1 else f"{names[0]} {type} {names[1]}"


def _kind(key: Fact | Tie) -> object:
    """Return what two facts must have in common to be similar at all."""
    return key.type if isinstance(key, Fact) else (key.type, key.source.type, key.target.type)


INFO = MetricInfo(
    "headct_one", HeadctOne, 0.0, 1.0, True, "HeadCT-ONE, arXiv:2410.09300, section 3.4",
    "weighted F1 over normalised entities and relations", options=Options,
    good_for="head CT, and agreement with the paper; entities rather than findings",
    blind_to="how often a thing is said, and to which of two like observations a detail belongs",
)
