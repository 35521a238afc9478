"""The two axes of agreement between findings, concept and anatomy: equivalent or part–whole, and the number of steps."""

from __future__ import annotations

from itertools import product
from typing import Literal

from kgscore.caches import MemoizedDict
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.matching.denials import organ_of
from kgscore.matching.residues import inexact
from kgscore.model import Finding
from kgscore.ontology.alike import alike_of
from kgscore.ontology.index import LEVEL, Index, lists, shared

Axis = tuple[Literal["equivalent", "part_whole"], int]
SAME: Axis = ("equivalent", 0)
_FAR = 9
# The steps between a kind of structure that occurs all over the body and a structure that has it.
_FAR_WHOLE = 2
# The category of details that state a composition.
_MATTER = "composition"
# The category of details that are another class of the finding.
_NATURE = "nature"
# If one finding names no site: a part–whole step of this depth.
_UNSAID: Axis = ("part_whole", 3)


def sides_meet(a: Finding, b: Finding) -> bool:
    """Return whether two findings may be on one side: the same side, or one not stated."""
    return a.side is None or b.side is None or a.side == b.side


class Axes:
    """Compares concepts and sites by the index; results are cached."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = class_expressions_of(index)
        self._alike = alike_of(index).places
        self._anything = index.role("any_abnormality")
        self._bare = index.marked("bare") | index.marked("empty")
        self._showing = index.flagged("showing")
        sites = lists((name, site) for rows in index.definitions.values() for site, name in rows)
        self._defining = {name: frozenset(places) for name, places in sites.items()}
        self._halved = index.flagged("halved")
        self._compared = MemoizedDict(self._compare)
        self._with_implied_sites = MemoizedDict(self._add_implied_sites)

    def concept(self, a: Finding, b: Finding) -> Axis | None:
        """Return how the concepts agree, and the steps between; None if neither subsumes the other. Inexact words are a step."""
        if a.concept == b.concept:
            alike = inexact(self.index, a) == inexact(self.index, b) and self._kinds(a) == self._kinds(b)
            return SAME if alike else ("part_whole", 1)
        # "Abnormality" subsumes everything; between assertions that is no agreement.
        if a.asserts and self._anything in (a.concept, b.concept):
            return None
        mine, theirs = self.unfold(a).classes, self.unfold(b).classes
        above, below = a.concept in theirs, b.concept in mine
        if (above and below) or ((above or below) and (mine ^ theirs) <= self._bare) or self._same_matter(a, b):
            return SAME
        if not (above or below):
            return None
        return self._steps_down(*((b.concept, a.concept) if above else (a.concept, b.concept)))

    def _kinds(self, finding: Finding) -> set[str]:
        """Return the kinds of its own class that the details of a finding name ("a herniated disc, sequestrated")."""
        return {value for value in finding.values(_NATURE) if self.index.is_a(value, finding.concept)}

    def _steps_down(self, narrow: str | None, broad: str | None) -> Axis:
        """Return how a concept agrees with a broader one; what only shows something is what it defines ("cystic hypodensity")."""
        if self.index.is_a(narrow, broad):
            return ("part_whole", self.index.distance(narrow, broad))
        return SAME if narrow in self._showing else ("part_whole", 1)

    def _same_matter(self, a: Finding, b: Finding) -> bool:
        """Whether two bare heads have the same telling details ("a fluid-density area", "a fluid-density focus")."""
        bare = a.concept in self._bare and b.concept in self._bare
        return bare and bool(told := self._telling_details(a)) and told == self._telling_details(b)

    def _telling_details(self, finding: Finding) -> frozenset[str]:
        """Return the composition of a finding, and its other details that define a subclass of some finding."""
        return finding.values(_MATTER) | (finding.values() & self.index.differentiae.keys())

    def anatomy(self, a: Finding, b: Finding) -> Axis | None:
        """Return how the sites and sides agree, including sites that the concepts imply; None if they are disjoint."""
        related = SAME if self._implied_alone(a, b) or self._same_half(a, b) else self._places(a, b)
        if related == _UNSAID and a.concept == b.concept == self._anything and not (a.asserts or b.asserts):
            related = SAME if self._is_examined_region(a.sites or b.sites) else related
        if related is None or a.side == b.side or (a.both and b.both):
            return related
        return ("part_whole", max(1, related[1]))

    def _implied_alone(self, a: Finding, b: Finding) -> bool:
        """Whether one of two findings of a concept names only further sites, by which that is defined ("a fissure of the disc",
        "… of the annulus of the disc")."""
        if a.concept != b.concept or len(a.sites) == len(b.sites):
            return False
        few, many = sorted((set(a.sites), set(b.sites)), key=len)
        return bool(few) and few < many and many - few <= self._defining.get(a.concept or "", frozenset())

    def _same_half(self, a: Finding, b: Finding) -> bool:
        """Whether two findings lie on one side of a structure that its two halves make up, and in that half."""
        if a.side is None or a.side != b.side or not len(a.sites) == len(b.sites) == 1:
            return False
        pairs = ((a.sites, b.sites), (b.sites, a.sites))
        return any(whole in self._halved and self.index.made.get(whole) == half for (whole,), half in pairs)

    def _places(self, a: Finding, b: Finding) -> Axis | None:
        """Return how the sites agree: the stated ones, else with those that the concepts imply, or that are their default."""
        related = self.sites(a.sites, b.sites)
        if related is None and a.concept and b.concept:
            related = self.sites(self._with_implied_sites[a.concept, a.sites], self._with_implied_sites[b.concept, b.sites])
        if related is None and a.asserts == b.asserts and (self.by_default(a) or self.by_default(b)):
            return _UNSAID
        return related

    def _is_examined_region(self, sites: tuple[str, ...]) -> bool:
        """Whether a site is a region that is examined as a whole, to which "normal" by itself refers ("Normal chest")."""
        body, joint = self.index.role("whole_body"), self.index.role("any_joint")
        return len(sites) == 1 and (body in self.index.concepts[sites[0]].parents or self.index.is_a(sites[0], joint))

    def by_default(self, finding: Finding) -> bool:
        """Return whether a finding has only the default site of its kind: no place was stated."""
        default = bool(finding.sites) and finding.sites == self.index.default_sites(finding.concept)
        return default and self.index.sites_implied(finding.concept).isdisjoint(finding.sites)

    def sites(self, one: tuple[str, ...], other: tuple[str, ...]) -> Axis | None:
        """Return how two lists of sites agree; None if a site of one is unrelated to all of the other."""
        return SAME if one == other else self._compared[one, other]

    def meet(self, site: str, place: str) -> bool:
        """Whether one of two sites is in the other, or they overlap."""
        return self._steps(site, place) is not None

    def ends_meet(self, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        """Return whether two stated positions of a device tip are compatible: one lies in the other, or they overlap."""
        index, pairs = self.index, product(one, other)
        return any(index.either_inside(mine, theirs) or theirs in index.overlaps.get(mine, ()) for mine, theirs in pairs)

    def around(self, sites: tuple[str, ...], inner: tuple[str, ...]) -> bool:
        """Return whether all inner sites lie strictly inside the others."""
        return all(self.index.inside_any(site, sites) and site not in sites for site in inner)

    def _add_implied_sites(self, placed: tuple[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the stated sites and those that the concept implies, unless a stated site is inside them already."""
        concept, sites = placed
        own = sorted(self.index.sites_implied(concept))
        return (*sites, *(place for place in own if not any(self.index.inside(site, place) for site in sites)))

    def _compare(self, pair: tuple[tuple[str, ...], tuple[str, ...]]) -> Axis | None:
        one, other = pair
        if not one or not other:
            return _UNSAID
        if set(one) == set(other) or self._organs(one) == self._organs(other):
            return SAME
        if _other_level(one, other):
            return None
        depth = 0 if len(one) == len(other) == 1 else 1
        for mine, theirs in ((one, other), (other, one)):
            for site in mine:
                if (nearest := self._nearest(site, theirs)) is not None:
                    depth = max(depth, nearest)
                elif len(mine) == 1 or not any(self.index.either_inside(one, place) for one, place in product(mine, theirs)):
                    return None  # the rest of a list is only additional if one of it is, contains or lies in one of the other
        return ("part_whole", depth) if depth else SAME

    def _organs(self, sites: tuple[str, ...]) -> set[str]:
        return {organ_of(self.index, site) for site in sites}

    def _nearest(self, site: str, places: tuple[str, ...]) -> int | None:
        return min((steps for place in places if (steps := self._steps(site, place)) is not None), default=None)

    def _steps(self, site: str, place: str) -> int | None:
        """Return the steps between two sites of which one is in the other, or 1 if they overlap; None if they are disjoint."""
        index = self.index
        if site == place or place in self._alike.get(site, ()):
            return 0
        for part, whole in ((site, place), (place, site)):
            for around in (whole, *self._alike.get(whole, ())):
                if index.inside(part, around):
                    return min(_FAR, index.distance(part, around))
        if self._overlap(site, place):
            return 1
        return _FAR_WHOLE if self._occurs_in(site, place) or self._occurs_in(place, site) else None

    def _occurs_in(self, part: str, whole: str) -> bool:
        """Whether a structure occurs all over, and the other is a kind of what it is a part of ("cortical bone", "the femur")."""
        index = self.index
        concept = index.concepts.get(part) if part in index.local else None
        above = index.ancestors.get(whole, frozenset())
        return concept is not None and any(of in above and not index.is_a(part, of) for of in concept.parents)

    def _overlap(self, one: str, other: str) -> bool:
        """Whether one structure is in, or contains, one that the other overlaps."""
        overlaps, either = self.index.overlaps, self.index.either_inside
        pairs = ((one, other), (other, one))
        return any(either(site, near) for place, site in pairs for near in overlaps.get(place, ()))


axes_of = shared(Axes)


def _other_level(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both lists of sites name spinal levels and no level of the one equals, or lies in, one of the other."""
    mine, theirs = ([set(level[0].split("_")) for site in sites if (level := LEVEL.search(site))] for sites in (one, other))
    return bool(mine and theirs) and not any(a <= b or b <= a for a in mine for b in theirs)
