"""Differences between two findings taken to be the same: degree, location, comparison, certainty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kgscore.matching.axes import sides_meet
from kgscore.matching.details import compare_details, conflicting
from kgscore.matching.relatedness import Relatedness
from kgscore.model import Finding

# The categories of ReXVal; RadEvalX adds two for uncertainty.
FALSE, OMITTED, LOCATION, DEGREE, COMPARISON, NO_COMPARISON, UNCERTAIN, CERTAIN = range(1, 9)
UP, DOWN = ("increased", "new"), ("decreased", "resolved")


def in_certainty(a: Finding, b: Finding) -> tuple[int, str]:
    """Return the category of a difference in certainty between a finding of the reference and one of the candidate, and why."""
    return UNCERTAIN if a.certainty == "definite" else CERTAIN, f"{a.certainty}, not {b.certainty}"


class Comparison:
    """Compares findings of a reference (`left`) with those of a candidate (`right`), by position.

    `known` holds the positions of findings on each side that are only reported as known; `degrees` ranks sizes and severities.
    """

    def __init__(
        self,
        kinship: Relatedness,
        degrees: Mapping[str, int],
        left: Sequence[Finding],
        right: Sequence[Finding],
        known: tuple[Collection[int], Collection[int]],
        *,
        exact: bool,
    ) -> None:
        self.kinship, self.index, self.axes = kinship, kinship.index, kinship.relator.axes
        self._degrees, self.left, self.right, self.known, self.exact = degrees, left, right, known, exact

    def compared(self, i: int, j: int) -> tuple[set[int], list[str]]:
        """Return the categories in which two linked findings differ, and why."""
        a, b = self.left[i], self.right[j]
        if not a.asserts:
            return set(), []
        found = [*self._in_details(a, b), *self._in_change(i, j)]
        hedged = a.certainty != b.certainty and "definite" in (a.certainty, b.certainty)
        if hedged and (found or self.exact):  # ReXVal has no category for it
            found.append(in_certainty(a, b))
        if self.exact and not found and compare_details(a, b) != "equivalent":
            found.append((DEGREE, "details left out or added"))
        return {category for category, _ in found}, [why for _, why in found]

    def _in_details(self, a: Finding, b: Finding) -> Iterator[tuple[int, str]]:
        """Yield the differences in details, degree and location."""
        apart = conflicting(a, b)
        for one, other in apart:
            yield (LOCATION if self._is_device(a) else DEGREE), f"{one.text}, not {other.text}"
        grades = self._degree(a), self._degree(b)
        if not apart and all(grades) and not grades[0] & grades[1]:
            yield DEGREE, "of another degree"
        if self._elsewhere(a, b):
            yield LOCATION, f"{self.place(a)}, not {self.place(b)}"

    def _in_change(self, i: int, j: int) -> Iterator[tuple[int, str]]:
        """Yield the changes that only one of two findings states; what is reported as known states none."""
        a, b = self.left[i], self.right[j]
        then = None if i in self.known[0] else a.change
        now = None if j in self.known[1] and (i in self.known[0] or a.change == b.change) else b.change
        if then == now or a.change == b.change:
            return
        if now is not None and not (then in UP and now in UP):
            yield COMPARISON, f"“{now}” is not in the reference"
        if then is not None:
            yield NO_COMPARISON, f"“{then}” is left out"

    def _elsewhere(self, a: Finding, b: Finding) -> bool:
        """Whether two findings, linked because their concept implies one location, name two different locations of one kind."""
        if self._is_device(a):
            return bool(a.tip and b.tip) and not any(self._meet(tip, end) for tip in a.tip for end in b.tip)
        if not a.sites or not b.sites or self.axes.sites(a.sites, b.sites) is not None:
            return False
        return all(any(self.kinship.alike(site, place) for place in b.sites) for site in a.sites)

    def _meet(self, tip: str, end: str) -> bool:
        """Whether two places of a tip may be the same: equal, one inside the other, or overlapping directly."""
        return self.index.either_inside(tip, end) or end in self.index.overlaps.get(tip, ())

    def _is_device(self, finding: Finding) -> bool:
        return finding.concept in self.index.of_kind("devices")

    def one_place(self, a: Finding, b: Finding) -> bool:
        return sides_meet(a, b) and self.axes.sites(a.sites, b.sites) is not None

    def places_said(self, a: Finding, b: Finding) -> bool:
        """Whether both reports state a location: sides that differ, or sites other than the default of the finding's concept."""
        index = self.index
        if a.side and b.side and a.side != b.side:
            return True
        if self._is_device(a):
            return bool(a.tip and b.tip)
        regions = [any(self.kinship.is_region(site) for site in f.sites) for f in (a, b)]
        if regions[0] != regions[1]:
            return False
        if a.concept != b.concept and {a.concept, b.concept} & index.defined:
            return True
        return all(set(f.sites) != set(index.default_sites(f.concept)) for f in (a, b))

    def place(self, finding: Finding) -> str:
        index = self.index
        sites = ", ".join(index.label(site) for site in finding.tip or finding.sites) or "no site"
        return f"{finding.side} {sites}" if finding.side else sites

    def _degree(self, finding: Finding) -> frozenset[int]:
        """Return the degrees of a finding, on one scale for size and severity ("small" and "mild": the same)."""
        return frozenset(self._degrees[d.value] for d in finding.details if d.value in self._degrees)
