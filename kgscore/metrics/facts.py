"""Reports as sets of typed entities and relations (HeadCT-ONE 3.2): of the words, or of the findings read from them.

From findings, different wordings give the same set: "cardiomegaly" and "the heart is enlarged" are one observation at one
place, with the sides, details, changes and hedges as descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import itemgetter
from typing import NamedTuple

from kgscore.caches import MemoizedDict
from kgscore.matching.axes import axes_of
from kgscore.matching.relation import depth_coefficient
from kgscore.model import Entity, Finding, Reading
from kgscore.ontology.index import Index, shared

# How many comparisons are cached.
_REMEMBERED = 500_000


class Fact(NamedTuple):
    """An entity: its HeadCT-ONE type and concept, with the side of a place and the category of a descriptor."""

    type: str
    concept: str
    side: str = ""
    category: str = ""


class Tie(NamedTuple):
    """A relation between two entities."""

    source: Fact
    target: Fact
    type: str


class Place(NamedTuple):
    """Words of a report, with their offsets."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FactGraph:
    """The entities and relations of one report with their first words; `unlinked`: those only of findings without a concept."""

    facts: dict[Fact, Place] = field(default_factory=dict)
    ties: dict[Tie, Place] = field(default_factory=dict)
    unlinked: set[Fact | Tie] = field(default_factory=set)


def facts_of_words(reading: Reading, index: Index, apart: Callable[[Fact], tuple[Fact, Fact] | None]) -> FactGraph:
    """Return the entities and relations of the words, with device and procedure folded into observations (as published).

    A place takes the side of the finding around it, since the published anatomy has left and right structures; a bilateral
    finding gives two places. `apart` splits a compound into a finding and a place: the published ontology has no compounds.
    """
    graph = FactGraph()
    keys: list[tuple[Fact, ...]] = []
    for entity in reading.entities:
        said = Place(entity.text, entity.start, entity.end)
        fact = Fact(_FOLDED.get(entity.type, entity.type), entity.concept)
        pieces = apart(fact)
        if pieces:
            fact = pieces[0]
            for side in _sides(entity, pieces[1].concept, reading.findings, index):
                place = pieces[1]._replace(side=side)
                graph.facts.setdefault(place, said)
                graph.ties.setdefault(Tie(fact, place, "located_at"), said)
        sides = _sides(entity, entity.concept, reading.findings, index) if entity.type == "anatomy" else ("",)
        keys.append(tuple(fact._replace(side=side) for side in sides))
        for key in keys[-1]:
            graph.facts.setdefault(key, said)
    for tie in reading.relations:
        for source, target in product(keys[tie.source], keys[tie.target]):
            graph.ties.setdefault(Tie(source, target, tie.type), graph.facts[source])
    return graph


def _sides(entity: Entity, place: str, findings: Sequence[Finding], index: Index) -> tuple[str, ...]:
    """Return the sides that findings around a place give it, at the place or, if it is paired, at all; "" if there are none."""
    around = [f for f in findings if f.start <= entity.start and entity.end <= f.end]
    there = [f for f in around or findings if f.side and (place in f.sites or place in f.tip)]
    concept = index.concepts.get(place)
    if not there and concept is not None and concept.flags & {"paired", "sided"}:
        there = around
    return tuple(sorted({f.side for f in there if f.side})) or ("",)


_FOLDED = {"device_present": "observation_present", "device_absent": "observation_absent", "procedure": "observation_present"}


@shared
def compounds_of(index: Index) -> dict[str, tuple[str, str]]:
    """Return the nearest class that defines each compound concept, and the place (haemorrhage of the subdural space)."""
    best: dict[str, tuple[int, bool, str, str]] = {}
    for genus, places in index.definitions.items():
        for site, defined in places:
            if defined != genus and index.is_a(defined, genus):
                found = (index.distance(defined, genus), site not in index.sites_implied(defined), genus, site)
                # For one class, prefer a place that the concept itself implies, then the first one that the definition names.
                best[defined] = min(best.get(defined, found), found, key=itemgetter(0, 1, 2))
    return {defined: (genus, site) for defined, (_, _, genus, site) in best.items()}


def facts_of_findings(findings: Sequence[Finding], index: Index) -> FactGraph:
    """Return the entities and relations of findings: observation, places, descriptors, and alternatives."""
    graph = FactGraph()
    known: set[Fact | Tie] = set()
    for finding in findings:
        into = graph.unlinked if finding.concept is None else known
        said = Place(finding.text, finding.start, finding.end)
        head = Fact(index.observation_type(finding.concept, finding.asserts), finding.concept or f"“{finding.label.lower()}”")
        graph.facts.setdefault(head, said)
        into.add(head)
        for type, fact in _descriptions_of(finding):
            graph.facts.setdefault(fact, said)
            tie = Tie(fact, head, type) if type == "modify" else Tie(head, fact, type)
            graph.ties.setdefault(tie, said)
            into.update((fact, tie))
    graph.unlinked.difference_update(known)
    return graph


def _descriptions_of(finding: Finding) -> Iterator[tuple[str, Fact]]:
    """Yield the entities that describe a finding, with the type of their relation to it."""
    for site in finding.tip or finding.sites:
        yield "located_at", Fact("anatomy", site, finding.side or "")
    for detail in finding.details:
        yield "modify", Fact("descriptor", detail.value, "", detail.category)
    if finding.change:
        yield "modify", Fact("descriptor", finding.change, "", "change_descriptor")
    if finding.certainty != "definite":
        yield "modify", Fact("descriptor", finding.certainty, "", "certainty_descriptor")
    for name in finding.alternatives:
        yield "suggestive_of", Fact("observation_present", name)


class Likeness:
    """Similarity of two facts, 0 to 1: 1 if they are equal, lower the further apart they are in one hierarchy, else 0.

    Two subclasses of a class of `kin` are similar through it.
    """

    def __init__(self, index: Index, decay: float, kin: Collection[str] = ()) -> None:
        self.index, self.decay, self.kin, self.axes = index, decay, frozenset(kin), axes_of(index)
        self._known = MemoizedDict(self._compare, _REMEMBERED)

    def facts(self, one: Fact, other: Fact) -> float:
        """Return the similarity of two entities; 0 for different types."""
        if one == other:
            return 1.0
        return self._known[one, other] if one.type == other.type else 0.0

    def ties(self, one: Tie, other: Tie) -> float:
        """Return the similarity of two relations: the product of the similarities of their ends."""
        if one.type != other.type:
            return 0.0
        found = self.facts(one.source, other.source)
        return found * self.facts(one.target, other.target) if found else 0.0

    def _compare(self, pair: tuple[Fact, Fact]) -> float:
        one, other = pair
        between = self._steps(one.type, one.concept, other.concept)
        if between is None or (one.side and other.side and one.side != other.side):
            return 0.0
        steps = between + (one.side != other.side)
        return depth_coefficient(steps, self.decay) if steps else 1.0

    def _steps(self, type: str, one: str, other: str) -> int | None:
        """Return the steps between two concepts of a type; None if they are unrelated."""
        if one == other:
            return 0
        if type == "anatomy":
            axis = self.axes.sites((one,), (other,))
            return None if axis is None else axis[1]
        for narrow, broad in ((one, other), (other, one)):
            if self.index.is_a(narrow, broad):
                return self.index.distance(narrow, broad)
        return self._steps_through_kin(one, other)

    def _steps_through_kin(self, one: str, other: str) -> int | None:
        """Return the steps between two concepts through their nearest common class that is, or is below, one of `kin`."""
        index = self.index
        common = index.ancestors.get(one, frozenset()) & index.ancestors.get(other, frozenset()) if self.kin else ()
        ways = (index.distance(one, name) + index.distance(other, name) for name in common if index.is_any(name, self.kin))
        return min(ways, default=None)
