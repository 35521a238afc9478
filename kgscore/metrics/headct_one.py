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
from typing import NamedTuple, TypeVar

from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, check_choices
from kgscore.metrics.facts import Fact, FactGraph, Likeness, Place, Tie, compounds_of, facts_of_findings, facts_of_words
from kgscore.model import Contribution, Reading, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile

_Key = TypeVar("_Key", Fact, Tie)
_KNOWN = {"entities": ("findings", "words"), "average": ("present", "both")}


@dataclass(frozen=True, slots=True)
class Options:
    """`entities`: of the "words" (published) or of the "findings". `partial`: credit for broader and narrower concepts.
    `average`: over the parts "present", or over "both" (published: identical reports without relations score 0.5).
    `kin`: with `partial`, two subclasses of a class that the profile names under `subtree` are similar through it."""

    entities: str = "findings"
    partial: bool = True
    average: str = "present"
    kin: bool = False


class Item(NamedTuple):
    """An entity or relation on one side, with its weight, its highest similarity to one of the other side, and its words."""

    side: str
    what: Fact | Tie
    weight: float
    like: float
    said: Place


class Part(NamedTuple):
    """One of the two sets, of both sides. F1 = (TP_ref + TP_cand) / (W_ref + W_cand)."""

    name: str
    items: Sequence[Item]

    def whole(self, *sides: str) -> float:
        """Return the total weight of the sides, by default of both."""
        return fsum(item.weight for item in self.items if not sides or item.side in sides)

    @property
    def f1(self) -> float:
        """Weighted F1; 0 if the total weight is 0."""
        whole = self.whole()
        return fsum(item.weight * item.like for item in self.items) / whole if whole else 0.0


class HeadctOne:
    """HeadCT-ONE under a profile."""

    name = "headct_one"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.index = index
        self.options: Options = options(self.name, profile)
        check_choices(self.options, _KNOWN, f"profile '{profile.name}': metrics: {self.name}")
        self.weighting = weighting_of(profile, index)
        named = [key.rpartition("/")[2] for key, weight in profile.weights.subtree.items() if weight > 0]
        self.likeness = Likeness(index, profile.depth_decay, named if self.options.kin else ())
        self.published = self.options.entities == "words"

    def score(self, pair: Matched) -> Score:
        """Return the mean of the entity and the relation F1; `parts` holds both, with the weights on each side."""
        found = self._parts(pair)
        counted = [part for part in found if part.whole() or self.options.average == "both"]
        parts: dict[str, float] = {}
        for part in found:
            parts[f"{part.name}_f1"] = part.f1
            parts |= {f"{part.name}_{side}_weight": part.whole(side) for side in ("reference", "candidate")}
        if any(part.whole() for part in found):
            return Score(self.name, "scored", fsum(part.f1 for part in counted) / len(counted), "", parts)
        if pair.silent and not self.published:
            return Score(self.name, "scored", 0.0, "the candidate says nothing", parts)
        return Score(self.name, "scored", 1.0, "nothing on either side has a weight in this profile", parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return the credit and cost of every entity and relation; they add up to the score and to 1 minus the score."""
        found = self._parts(pair)
        counted = [part for part in found if part.whole()]
        if not counted:
            lost = not score.value
            return [Contribution("missed" if lost else "correct", score.reason, None, None, float(not lost), float(lost))]
        shares = len(found) if self.options.average == "both" else len(counted)
        pieces = [piece for part in counted for piece in self._pieces(part, 1.0 / (shares * part.whole()))]
        if shares > len(counted):
            (empty,) = (part for part in found if not part.whole())
            what = f"no {empty.name} on either side has a weight; as published, that part counts as 0"
            pieces.append(Contribution("missed", what, None, None, cost=1.0 / shares))
        return pieces

    def _pieces(self, part: Part, share: float) -> Iterator[Contribution]:
        for side, what, weight, like, (text, start, end) in (item for item in part.items if item.weight):
            kind, one, other = ("missed", (start, end), None) if side == "reference" else ("invented", None, (start, end))
            name = "correct" if like == 1.0 else "minor" if like else kind
            gain, loss = share * weight * like, share * weight * (1.0 - like)
            yield Contribution(name, f"{self._words(what)}: “{text}”", one, other, gain, loss)  # type: ignore[arg-type]

    def _parts(self, pair: Matched) -> tuple[Part, Part]:
        left, right = self._graph(pair.reference), self._graph(pair.candidate)
        (left_facts, left_ties), (right_facts, right_ties) = self._weights(left), self._weights(right)
        return (
            self._part("entity", (left.facts, right.facts), (left_facts, right_facts), self.likeness.facts),
            self._part("relation", (left.ties, right.ties), (left_ties, right_ties), self.likeness.ties),
        )

    def _graph(self, reading: Reading) -> FactGraph:
        if self.published:
            return facts_of_words(reading, self.index, self._split_compound)
        return facts_of_findings(reading.findings, self.index)

    def _split_compound(self, fact: Fact) -> tuple[Fact, Fact] | None:
        """Return the finding and the place of a compound; None if the profile weighs the finding otherwise."""
        parts = compounds_of(self.index).get(fact.concept) if fact.type.startswith("observation") else None
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
        said: tuple[Mapping[_Key, Place], Mapping[_Key, Place]],
        weights: tuple[Mapping[_Key, float], Mapping[_Key, float]],
        likeness: Callable[[_Key, _Key], float],
    ) -> Part:
        weighty = [[key for key, weight in own.items() if weight > 0 and self.options.partial] for own in weights]
        # As published, a key on both sides has its weight in the reference.
        return Part(name, [
            Item(side, key, weights[0].get(key, weights[own][key]),
                 1.0 if key in said[other] else max((likeness(key, one) for one in weighty[other]), default=0.0), words)
            for side, own, other in (("reference", 0, 1), ("candidate", 1, 0))
            for key, words in said[own].items()
        ])  # fmt: skip

    def _words(self, key: Fact | Tie) -> str:
        type = key.type.replace("_", " ")
        ends = (key,) if isinstance(key, Fact) else (key.source, key.target)
        names = [f"{end.side + ' ' if end.side else ''}{self.index.label(end.concept)}" for end in ends]
        return f"{type} {names[0]}" if len(names) == 1 else f"{names[0]} {type} {names[1]}"


INFO = MetricInfo(
    "headct_one", HeadctOne, 0.0, 1.0, True, "HeadCT-ONE, arXiv:2410.09300, section 3.4",
    "weighted F1 over normalised entities and relations", options=Options,
    good_for="head CT, and agreement with the paper; entities rather than findings",
    blind_to="how often a thing is said, and to which of two like observations a detail belongs",
)
