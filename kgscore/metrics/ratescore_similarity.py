"""Similarity of RaTEScore entities by the ontology: Lin's measure over the closure, with place, side and details.

Lin (1998): 2·IC(c) / (IC(a) + IC(b)), c the most informative common ancestor. The information content of a class depends on the
number of its descendants (Seco and others, 2004): IC = 1 − ln(classes below, itself included) / ln(all), 1 for a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log

from kgscore.caches import BoundedDict, MemoizedDict, Numbering
from kgscore.matching.details import compare_details, conflicting
from kgscore.metrics.ratescore_entities import RateEntity
from kgscore.model import Finding
from kgscore.ontology.index import Index

# How many comparisons are cached.
_REMEMBERED = 500_000
Both = tuple[Sequence[Finding], Sequence[Finding]]  # of the reference and of the candidate


@dataclass(frozen=True, slots=True)
class Likeness:
    """The reductions of similarity by place, side and details (`likeness` in `mappings/ratescore.yaml`, which documents each)."""

    place: float
    unsaid: float
    opposite: float
    somewhere: float
    detail: float
    partial: float
    none: float
    conflict: float


class Lin:
    """Lin's measure over findings (is-a, including definitions at a place) and over structures (is-a and part-of)."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._content = information(index)
        self._findings = MemoizedDict(self._compare, _REMEMBERED)
        self._structures = MemoizedDict(self._site_similarity, _REMEMBERED)
        self._ranked = MemoizedDict(self._sort_by_content, _REMEMBERED)

    def findings(self, one: str, sites: tuple[str, ...], other: str, places: tuple[str, ...]) -> float:
        """Return the similarity of two finding classes at their sites, 0 to 1; that of opposites (enlarged, small) is 0."""
        return 1.0 if one == other else self._findings[one, sites, other, places]

    def structures(self, one: str, other: str) -> float:
        """Return the similarity of two structures, 0 to 1: a part is similar to the whole, the more so the smaller the whole."""
        return 1.0 if one == other else self._structures[one, other]

    def _compare(self, placed: tuple[str, tuple[str, ...], str, tuple[str, ...]]) -> float:
        one, sites, other, places = placed
        if self.index.opposed(one, other):
            return 0.0
        return self._lin(self._classes(one, sites), self._classes(other, places))

    def _site_similarity(self, pair: tuple[str, str]) -> float:
        return self._lin(*(self.index.within.get(name, frozenset((name,))) for name in pair))

    def _classes(self, concept: str, sites: tuple[str, ...]) -> frozenset[str]:
        return self.index.derived(concept, sites) if concept in self.index.ancestors else frozenset((concept,))
    def _lin(self, mine: frozenset[str], theirs: frozenset[str]) -> float:
        ranked, others = self._ranked[mine], self._ranked[theirs]
        whole = (ranked[0][0] if ranked else 0.0) + (others[0][0] if others else 0.0)
        if not whole:
            return 0.0
        return 2.0 * next((content for content, name in ranked if name in theirs), 0.0) / whole

    def _sort_by_content(self, classes: frozenset[str]) -> list[tuple[float, str]]:
        """Return classes with their information content, the most informative first."""
        return sorted(((self._content.get(n, 1.0), n) for n in classes), reverse=True)


def information(index: Index) -> Mapping[str, float]:
    """Return the information content of every class and structure, 0 to 1, by the number of its descendants."""
    below: Counter[str] = Counter()
    places = {name for name, concept in index.concepts.items() if concept.kind == "anatomy"}
    for name in index.concepts:
        below.update(index.within.get(name, frozenset((name,))) if name in places else index.ancestors.get(name, ()))
    sizes = (log(max(2, len(index.concepts) - len(places))), log(max(2, len(places))))
    return {name: max(0.0, 1.0 - log(count) / sizes[name in places]) for name, count in below.items()}


class OntologySimilarity:
    """Similarity of entities by the ontology: concepts by Lin's measure, reduced by differences in place, side and details."""

    def __init__(self, index: Index, likeness: Likeness) -> None:
        self.lin = Lin(index)
        self.likeness = likeness
        self._nearness = MemoizedDict(self._mean_site_similarity, _REMEMBERED)
        self._number_of: Numbering[tuple[object, ...]] = Numbering(_REMEMBERED)
        self._known: dict[tuple[int, int], float] = BoundedDict(_REMEMBERED)

    def table(self, left: Sequence[RateEntity], right: Sequence[RateEntity], findings: Both) -> list[list[float]]:
        """Return the similarity of each entity of the left to each of the right, 0 to 1."""
        sides = [
            [(e, *self._numbered(said[e.finding] if e.finding >= 0 else None)) for e in side]
            for side, said in zip((left, right), findings, strict=True)
        ]
        return [[self._entity_similarity(a, b, (one, other), (x, y)) for b, other, y in sides[1]] for a, one, x in sides[0]]

    def _numbered(self, f: Finding | None) -> tuple[Finding | None, int]:
        """Return a finding with a number for the content that determines its similarity, 0 for none."""
        if f is None:
            return None, 0
        words = () if f.concept else (f.label.lower(), f.words)
        return f, self._number_of((f.concept, f.sites, f.tip, f.side, f.asserts, f.details, f.change, f.certainty, words))

    def _entity_similarity(
        self, a: RateEntity, b: RateEntity, findings: tuple[Finding | None, Finding | None], numbers: tuple[int, int]
    ) -> float:
        if a.type == b.type == "anatomy":
            return self.lin.structures(a.concept, b.concept) * self._sides(a.side, b.side)
        if "anatomy" in (a.type, b.type):
            return 0.0
        one, other = findings
        if one is None or other is None:
            return self.lin.findings(a.concept, (), b.concept, ())
        if numbers not in self._known:
            self._known[numbers] = self._findings(one, other)
        return self._known[numbers]

    def _findings(self, a: Finding, b: Finding) -> float:
        if a.concept is None or b.concept is None:
            core = _words(a, b) if a.concept is b.concept else 0.0
        else:
            core = self.lin.findings(a.concept, a.sites, b.concept, b.sites)
        if not core:
            return 0.0
        like = self.likeness
        place = self._places(a.tip or a.sites, b.tip or b.sites) * self._sides(a.side, b.side)
        core *= 1.0 - like.place * (1.0 - place)
        if a.asserts and b.asserts:
            core *= 1.0 - like.detail * (1.0 - self._details(a, b))
        return core

    def _places(self, one: tuple[str, ...], other: tuple[str, ...]) -> float:
        if one == other:
            return 1.0
        return self._nearness[one, other] if one and other else self.likeness.somewhere

    def _mean_site_similarity(self, sites: tuple[tuple[str, ...], tuple[str, ...]]) -> float:
        """Return the mean, over the sites of both, of the similarity to the nearest site of the other."""
        one, other = sites
        best = [max(self.lin.structures(a, b) for b in other) for a in one]
        best += [max(self.lin.structures(a, b) for a in one) for b in other]
        return fsum(best) / len(best)

    def _sides(self, one: str | None, other: str | None) -> float:
        if (one or "") == (other or ""):
            return 1.0
        return self.likeness.opposite if one and other else self.likeness.unsaid

    def _details(self, a: Finding, b: Finding) -> float:
        said = {"equivalent": 1.0, "partial": self.likeness.partial, "none": self.likeness.none}[compare_details(a, b)]
        if a.change != b.change:
            said *= self.likeness.none
        return said * self.likeness.conflict ** min(2, len(conflicting(a, b)))


def _words(a: Finding, b: Finding) -> float:
    """Return the share of common words of two findings that no concept covers."""
    if a.label.lower() == b.label.lower():
        return 1.0
    whole = len(a.words) + len(b.words)
    return 2.0 * len(a.words & b.words) / whole if whole else 0.0
