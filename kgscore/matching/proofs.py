"""Proofs of relations in words: the chain of classes or structures between two findings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kgscore.matching.axes import Axis
from kgscore.matching.denials import altered
from kgscore.model import WORDING, Finding
from kgscore.ontology.alike import alike_of
from kgscore.ontology.index import Index

# A longer chain is reduced to its ends.
_LONGEST = 12


class Proofs:
    """Renders axioms of the index as text."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def concept(self, a: Finding, b: Finding, axis: Axis) -> str:
        """Return why the concepts agree."""
        if axis[0] == "equivalent":
            return f"finding: both are {a.label}"
        return f"finding: {self.subsumption(a, b) or f'{a.label} and {b.label}, by their descriptors'}"

    def subsumption(self, one: Finding, other: Finding) -> str:
        """Return why one finding is of the class of the other; empty if neither is."""
        index = self.index
        for narrow, broad in ((one, other), (other, one)):
            if narrow.concept and broad.concept and broad.concept in index.derived(narrow.concept, narrow.sites):
                if narrow.concept == broad.concept:
                    words = [f"“{d.text}”" for d in (*narrow.details, *broad.details) if d.category == WORDING]
                    return f"{' and '.join(words) or narrow.label} is {broad.label}"
                if index.is_a(narrow.concept, broad.concept):
                    return " is a ".join(index.label(c) for c in self._path(narrow.concept, broad.concept))
                place = " and ".join(index.label(s) for s in narrow.sites)
                return f"{narrow.label} in {place} is, by definition, {broad.label}"
        return ""

    def anatomy(self, a: Finding, b: Finding, axis: Axis) -> str:
        """Return why the sites agree; empty if no site is stated."""
        if not a.sites and not b.sites:
            return ""
        if axis[0] == "equivalent":
            return "anatomy: same site"
        if not a.sites or not b.sites:
            return f"anatomy: {self._places(a if a.sites else b)}; the other names no site"
        return f"anatomy: {self.where(a, b) or f'{self._places(a)} against {self._places(b)}'}"

    def where(self, a: Finding, b: Finding) -> str:
        """Return the spatial relation of the sites of two findings, including sides."""
        index = self.index
        for x, y in ((a, b), (b, a)):
            for site, place in product(x.sites, y.sites):
                if site != place and index.inside(site, place):
                    chain = " < ".join(map(index.label, self._path(site, place)))
                    return f"{_sided(index.label(site), x.side)} lies in {_sided(index.label(place), y.side)} ({chain})"
        if a.side != b.side and a.sites and b.sites:
            return f"{self._places(a)} against {self._places(b)}"
        return f"same site: {self._places(a)}" if set(a.sites) == set(b.sites) else ""

    def _places(self, finding: Finding) -> str:
        return _sided(", ".join(self.index.label(site) for site in finding.sites), finding.side)

    def _path(self, narrow: str, broad: str) -> list[str]:
        """Return a chain of parents from one concept up to another, including both."""
        index = self.index
        path = [narrow]
        while path[-1] != broad:
            following = [p for p in index.concepts[path[-1]].parents if index.inside(p, broad) or index.is_a(p, broad)]
            if not following or len(path) > _LONGEST:
                return [narrow, broad]
            path.append(min(following))
        return path


def _sided(label: str, side: str | None) -> str:
    return f"{side} {label}" if side else label


def related_rows(index: Index, concept: str) -> Iterator[tuple[str, str]]:
    """Yield the qualities that a disease alters at any site, and the interchangeable terms of a concept, as (name, labels)."""

    alike = alike_of(index)
    deviations = {dev for name in index.ancestors.get(concept, ()) for dev in altered().get(name, ())}
    others = {*alike.places.get(concept, ()), *alike.named.get(concept, ())}
    for what, names in (("alters", deviations), ("alike", others)):
        yield what, ", ".join(sorted(map(index.label, names)))
