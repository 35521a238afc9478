"""Relatedness of findings beyond agreement: whether one was reported in place of the other.

A correction replaces a line, instead of deleting it and inserting another, if the line stands for the correct one: the same
finding at another place, a sibling, or a normal statement about the structure.
"""

from __future__ import annotations

from kgscore.matching.axes import sides_meet
from kgscore.matching.relation import relator_of
from kgscore.model import Finding, Relation
from kgscore.ontology.index import Index

# The largest distance to a common ancestor; a class with fewer ancestors is too general to make two concepts related.
NEAR = 2
AFAR = 3
# From this severity on, a finding is denied by "nothing acute".
_ACUTE = 3
# A structure inside no more than this many others is a region of the body.
_REGIONS = 4


class Relatedness:
    """Determines the relatedness of pairs of findings."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.relator = relator_of(index)

    def neighbours(self, yes: Finding, no: Finding) -> bool:
        """Whether a denied finding is reported in place of an asserted one ("no consolidation" where there is pneumonia)."""
        index = self.index
        if yes.concept is None or no.concept is None or not sides_meet(yes, no):
            return False
        within = any(index.inside_any(site, no.sites) for site in yes.sites)
        if self._is_sweeping(no) and self._acute(yes):
            return not no.sites or within
        if no.restricted:
            return index.role("ages") not in no.categories and no.concept in index.derived(yes.concept, yes.sites)
        if self.relator.axes.sites(yes.sites, no.sites) is None:
            return False
        return self._is_kind(no, yes) or (within and self._is_unremarkable(no, yes)) or self._is_near(yes, no)

    def _is_kind(self, no: Finding, yes: Finding) -> bool:
        """Whether a denial concerns a kind of an asserted finding with a site."""
        return bool(yes.sites) and yes.concept != self.index.role("any_abnormality") and self.index.is_a(no.concept, yes.concept)

    def _is_unremarkable(self, no: Finding, yes: Finding) -> bool:
        """Whether a structure is called normal as a whole, and the asserted finding is no device."""
        whole = no.status == "normal" and no.concept in self.index.flagged("whole_denied")
        return whole and yes.concept not in self.index.of_kind("devices")

    def related(self, a: Finding, b: Finding) -> Relation | None:
        """Return the relation of two findings that agree, at least in part; otherwise None."""
        relation = self.relator.relate(a, b)
        return relation if relation.relation in ("equivalent", "part_whole") else None

    def covers(self, one: Finding, other: Finding) -> bool:
        """Whether one finding states another in part or in whole, with every length of the other."""
        return other.values("length") <= one.values("length") and self.related(one, other) is not None

    def implies(self, one: Finding, other: Finding) -> bool:
        """Whether a finding implies the other's class by definition (clips at the gallbladder: it was removed), in that organ or
        at its usual place."""
        index = self.index
        implied = {above for name in index.derived(one.concept, one.sites) for above in index.implied.get(name, ())}
        if not any(index.is_a(name, other.concept) for name in implied) or (one.side and other.side not in (None, one.side)):
            return False
        usual = not one.sites or other.sites == index.default_sites(other.concept)
        met = usual or self.relator.axes.sites(one.sites, other.sites) is not None
        return met or any(self.alike(site, place) for site in one.sites for place in other.sites)

    def nearness(self, a: Finding, b: Finding) -> int | None:
        """Return how near two asserted concepts are (0: the same); None if one cannot be mistaken for the other."""
        if a.concept == b.concept:
            return None if a.concept is None else 0
        index = self.index
        for one, other in ((a, b), (b, a)):
            if other.concept in index.derived(one.concept, one.sites):
                return min(AFAR, index.distance(one.concept, other.concept))
        return AFAR + 1 if self._siblings(a, b) else None

    def _siblings(self, a: Finding, b: Finding) -> bool:
        """Whether two kinds of one near class could be mistaken: at one place, or told apart by place (enlarged left atrium)."""
        if not sides_meet(a, b) or not self._is_near(a, b):
            return False
        return self.relator.axes.sites(a.sites, b.sites) is not None or {a.concept, b.concept} <= self.index.defined

    def _is_sweeping(self, no: Finding) -> bool:
        """Whether a denial covers anything acute, or anything at all, without naming a finding."""
        index = self.index
        sweeping = no.concept == index.role("any_abnormality") or index.is_a(no.concept, index.role("all_acute"))
        return sweeping and self.index.label(no.concept or "").endswith("abnormality")

    def _acute(self, finding: Finding) -> bool:
        """Whether a finding is urgent, and not said to be old."""
        old = self.index.flagged("old")
        urgent = self.index.severity(finding.concept) >= _ACUTE
        return urgent and not any(self.index.is_any(d.value, old) for d in finding.details)

    def _is_near(self, a: Finding, b: Finding) -> bool:
        """Whether both concepts have a sufficiently specific common ancestor within a few steps."""
        index = self.index
        shared = index.derived(a.concept, a.sites) & index.ancestors.get(b.concept or "", frozenset())
        specific = (name for name in shared if len(index.ancestors[name]) > AFAR)
        return any(max(index.distance(a.concept, name), index.distance(b.concept, name)) <= NEAR for name in specific)

    def is_region(self, site: str) -> bool:
        """Whether a place is a region of the body, inside hardly any other (the thorax, the upper abdomen)."""
        return len(self.index.within.get(site, ())) <= _REGIONS

    def alike(self, site: str, place: str) -> bool:
        """Whether two structures are parts or kinds of one that is near to both, and not a mere region (two lobes, two ribs)."""
        index = self.index
        shared = index.within.get(site, frozenset()) & index.within.get(place, frozenset())
        organs = (name for name in shared if not self.is_region(name))
        return any(max(index.distance(site, name), index.distance(place, name)) <= NEAR for name in organs)


def same_length(a: Finding, b: Finding) -> bool:
    """Whether two findings have a length in common: then they are one lesion under two names."""
    return bool(a.values("length") & b.values("length"))
