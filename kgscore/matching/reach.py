"""The reach of a finding: what its concepts alone allow it to be related to. Most unrelated pairs are excluded by it."""

from __future__ import annotations

from typing import NamedTuple

from kgscore.matching.denials import altered_of
from kgscore.model import Finding
from kgscore.ontology.alike import alike_of
from kgscore.ontology.index import Index

_NONE: frozenset[str] = frozenset()


class Reach(NamedTuple):
    """The classes that decide whether two findings can be related, regardless of their sides and details.

    `classes` are those of the finding at its sites, `above` those of its concept anywhere; `clashing` are its opposites,
    `implied` follow from it, and `chief` is what its denial means in practice.
    """

    concept: str | None
    asserts: bool
    alternatives: tuple[str, ...]
    classes: frozenset[str]
    above: frozenset[str]
    clashing: frozenset[str]
    implied: frozenset[str]
    chief: frozenset[str]
    absence: bool
    lesion: bool
    bare: bool

    def meets(self, other: Reach, index: Index) -> bool:
        """Return whether a relation is possible: by a class, an alternative, an implication or an opposite."""
        if self.concept is None or other.concept is None:
            return self.concept == other.concept
        if self.concept in other.classes or other.concept in self.classes or self._offers(other, index):
            return True
        # An assertion implies a denied class, but a denial no asserted one.
        mine, theirs = self.asserts >= other.asserts, other.asserts >= self.asserts
        if (mine and other.concept in self.implied) or (theirs and self.concept in other.implied):
            return True
        if self.asserts != other.asserts:
            return False
        return self._agrees(other) if self.asserts else self._is_chief_of(other) or other._is_chief_of(self)

    def _offers(self, other: Reach, index: Index) -> bool:
        """Return whether an alternative of one finding is a class of the other, or includes it."""
        names = (*self.alternatives, *other.alternatives)
        return bool(names) and any(index.either_is_a(n, o) for n in names for o in (self.concept, other.concept, *names))

    def _agrees(self, other: Reach) -> bool:
        """Return whether two assertions may be related, by what they are or as opposites."""
        if self.absence or other.absence or (self.lesion and other.lesion) or (self.bare and other.bare):
            return True
        return not self.clashing.isdisjoint(other.above)

    def _is_chief_of(self, other: Reach) -> bool:
        return not self.chief.isdisjoint(other.classes)


def reach_of(index: Index, finding: Finding, classes: frozenset[str], shown: tuple[str, ...] = ()) -> Reach:
    """Return the reach of a finding of `classes`; `shown` are the classes that its details name ("FDG-avid")."""
    concept = finding.concept
    if concept is None:
        return Reach(None, finding.asserts, (), _NONE, _NONE, _NONE, _NONE, _NONE, False, False, False)
    above = index.ancestors.get(concept, _NONE)
    shows = altered_of(index)
    implied = {other for name in classes for other in (*index.implied.get(name, ()), *shows.get(name, ()))}
    shown_as = alike_of(index).findings
    return Reach(
        concept,
        finding.asserts,
        finding.alternatives,
        classes,
        above,
        _NONE.union(*(index.opposites.get(name, _NONE) for name in above)),
        _NONE.union(
            *(index.derived(name, finding.sites) for name in implied),
            *(index.ancestors.get(name, _NONE) for name in (*shown, index.role("all_acute"))),
            *(shown_as.get(name, _NONE) for name in (concept, finding.genus) if name),
        ),
        index.principal.get(concept, _NONE),
        not above.isdisjoint(index.flagged("absences")),
        not above.isdisjoint(index.flagged("lesions")),
        concept in index.marked("bare") or concept in index.marked("empty"),
    )
