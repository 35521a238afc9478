"""Errors in the details of a finding beyond its core: degrees, numbers with clinical thresholds, qualities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.clinical.settings import Settings, across
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.model import Detail, Finding
from kgscore.ontology.alike import alike_of
from kgscore.ontology.index import Index
from kgscore.quantities import quantities, quantity
from kgscore.verdict import Error

_INFERENCE = "inference"
_DISTANCE = "distance"
_FAR = 2
Number = tuple[float, str]  # in the base unit of its quantity, with its words


class Details:
    """Compares the details of two aligned findings."""

    def __init__(self, index: Index, settings: Settings) -> None:
        self.index, self.settings, self.shares = index, settings, settings.shares
        self.unfold = class_expressions_of(index)
        self._alike = alike_of(index).findings

    def errors(self, a: Finding, b: Finding) -> Iterator[Error]:
        """Yield the errors of b's details: those that differ from a's, and those omitted or added."""
        if not a.details and not b.details:
            return
        yield from self._degrees(a, b)
        yield from self._numbers(a, b)
        yield from self._qualities(a, b)
        yield from self._inferences(a, b)
        yield from self._placement(a, b)

    # ---- degrees -------------------------------------------------------------------------------------------------
    def _degrees(self, a: Finding, b: Finding) -> Iterator[Error]:
        mine, theirs = self._degree(a), self._degree(b)
        if mine and theirs:
            steps = min(abs(one - other) for one in mine for other in theirs)
            if steps:
                name = "degree_far" if steps >= _FAR else "degree_step"
                why = f"{self._words(b)}, not {self._words(a)}"
                yield Error("severity", steps >= _FAR, self.shares[name], why)
        elif mine and not quantities(b.details):
            yield Error("specificity", False, self.shares["degree_unsaid"], f"{self._words(a)} is not said")
        elif theirs and not quantities(a.details):
            yield Error("severity", False, self.shares["degree_added"], f"{self._words(b)} is added")

    def _degree(self, finding: Finding) -> set[int]:
        degrees = self.settings.degrees
        return {degrees[d.value] for d in finding.details if d.value in degrees}

    def _words(self, finding: Finding) -> str:
        return ", ".join(dict.fromkeys(d.text for d in finding.details if d.value in self.settings.degrees))

    # ---- numbers -------------------------------------------------------------------------------------------------
    def _numbers(self, a: Finding, b: Finding) -> Iterator[Error]:
        mine, theirs = _numbers_by_quantity(a), _numbers_by_quantity(b)
        for name, ours in mine.items():
            if name not in theirs:
                if name != _DISTANCE and not theirs and not self._degree(b):
                    yield Error("specificity", False, self.shares["size_unsaid"], f"{ours[0][1]} is not said")
                continue
            errors = [self.size(a, name, one, other) for one, other in _pair_numbers(ours, theirs[name])]
            found = [error for error in errors if error is not None]
            if found:
                yield max(found, key=lambda error: error.share)

    def size(self, finding: Finding, name: str, ours: Number, other: Number) -> Error | None:
        """Return the error of a different number for one quantity: it grows with the ratio, and is major across a threshold."""
        low, high = sorted((ours[0], other[0]))
        if low == high:
            return None
        near = high - low <= self.settings.size_small.get(name, 0.0)
        crossed, which = (0, "") if near else self._thresholds_between(finding, name, low, high)
        share = self.settings.size_share(low, high, crossed)
        far = name != _DISTANCE and high >= 2 * low
        why = f"{other[1]}, not {ours[1]}{which}"
        return Error("device" if name == _DISTANCE else "size", bool(crossed) or far, share, why)

    def crossing(self, a: Finding, b: Finding) -> Error | None:
        """Return the error of a number in one of two normal statements that lies across a threshold from the other."""
        theirs = _numbers_by_quantity(b)
        for name, ours in _numbers_by_quantity(a).items():
            for one, other in _pair_numbers(ours, theirs.get(name, ())):
                error = self.size(a, name, one, other)
                if error is not None and self._thresholds_between(a, name, *sorted((one[0], other[0])))[0]:
                    return error
        return None

    def _thresholds_between(self, finding: Finding, name: str, low: float, high: float) -> tuple[int, str]:
        """Return how many thresholds for a finding lie between two numbers, and which, in words."""
        rows = (row for row in self.settings.thresholds if row.quantity == name and row.concept in self.unfold(finding).classes)
        return next((across(row, low, high) for row in rows), (0, ""))

    # ---- qualities -----------------------------------------------------------------------------------------------
    def _qualities(self, a: Finding, b: Finding) -> Iterator[Error]:
        mine, theirs = self._details_by_category(a), self._details_by_category(b)
        for category in dict.fromkeys((*mine, *theirs)):
            dimension = self.settings.dimension[category]
            ours, others = self._unshown(mine.get(category, ()), b), self._unshown(theirs.get(category, ()), a)
            lacking, more = self._beyond(ours, others), self._beyond(others, ours)
            if lacking and more:
                major = category in self.settings.deciding or self._opposed(lacking, more)
                name = "position" if dimension == "place" else "conflict_major" if major else "conflict"
                yield Error(dimension, major, self.shares[name], f"{more[0].text}, not {lacking[0].text}")
            elif clash := self._excluded(lacking, a, b) or self._excluded(more, b, a):
                yield Error(dimension, True, self.shares["conflict_major"], clash)
            elif lacking and dimension != "place":
                yield Error("specificity", False, self._share("detail_unsaid", lacking), f"{_texts(lacking)} is not said")
            elif more and dimension != "place":
                yield Error(dimension, False, self._share("detail_added", more), f"{_texts(more)} is added")

    def _excluded(self, details: Sequence[Detail], one: Finding, other: Finding) -> str:
        """Return why the concept of the other finding excludes one of these details ("chronic embolism", acute), or ""."""
        shown = self.unfold(other).shown - self.unfold(one).shown - {detail.value for detail in one.details}
        for detail in details:
            if self.index.opposites.get(detail.value, frozenset()) & shown:
                return f"{other.label}: {detail.text} is excluded"
        return ""

    def _unshown(self, details: Iterable[Detail], other: Finding) -> list[Detail]:
        shown = self.unfold(other).shown
        return [d for d in details if d.value not in shown]

    def _beyond(self, details: Sequence[Detail], others: Sequence[Detail]) -> list[Detail]:
        """Return the details without those of which the others hold the same or a narrower one."""
        return [d for d in details if not any(o.value == d.value or self.index.is_a(o.value, d.value) for o in others)]

    def _share(self, name: str, details: Sequence[Detail]) -> float:
        return 1.0 - (1.0 - self.shares[name]) ** len(details)

    def _details_by_category(self, finding: Finding) -> dict[str, list[Detail]]:
        found: dict[str, list[Detail]] = {}
        apart = self._misplaced(finding)
        for detail in finding.details:
            told = detail.value in self.settings.degrees or detail in apart
            if detail.category in self.settings.dimension and not told:
                found.setdefault(detail.category, []).append(detail)
        return found

    def _opposed(self, ones: Sequence[Detail], others: Sequence[Detail]) -> bool:
        opposites = self.index.opposites
        return any(other.value in opposites.get(one.value, frozenset()) for one in ones for other in others)

    def _placement(self, a: Finding, b: Finding) -> Iterator[Error]:
        """Yield the error of a device that only one report calls misplaced (unless both say where it ends), or calls well placed
        where the other says that it ends elsewhere."""
        mine, theirs = self._misplaced(a), self._misplaced(b)
        if bool(mine) != bool(theirs) and not (a.tip and b.tip):
            why = f"{_texts(mine)} is not said" if mine else f"{_texts(theirs)} is added"
            yield Error("device", True, self.shares["tip"], why)
        elif any(self._well_placed(one) and self.index.is_astray(other.concept, other.tip) for one, other in ((a, b), (b, a))):
            yield Error("device", True, self.shares["tip"], f"{a.label}: well placed in one report only")

    def _misplaced(self, finding: Finding) -> list[Detail]:
        if finding.concept not in self.index.of_kind("devices"):
            return []
        return [detail for detail in finding.details if detail.value in self.index.flagged("misplaced")]

    def _well_placed(self, finding: Finding) -> bool:
        return not finding.tip and any(detail.value in self.index.flagged("well_placed") for detail in finding.details)

    def _inferences(self, a: Finding, b: Finding) -> Iterator[Error]:
        lacking, more = self._only_read_by(a, b), self._only_read_by(b, a)
        if conflict := self._read_apart(a, lacking, b, more):
            yield conflict
        elif lacking:
            yield Error("specificity", False, self.shares["inference_unsaid"], f"{lacking[0].text} is not said")
        elif more:
            yield Error("overinterpretation", False, self.shares["inference_added"], f"{more[0].text} is added")

    def read_apart(self, a: Finding, b: Finding) -> bool:
        """Whether two findings are read as, or named, things of different natures (a cyst, a metastasis)."""
        return self._read_apart(a, self._only_read_by(a, b), b, self._only_read_by(b, a)) is not None

    def _read_apart(self, a: Finding, lacking: Sequence[Detail], b: Finding, more: Sequence[Detail]) -> Error | None:
        """Return the error of two readings that exclude each other: `lacking` only of a, `more` only of b; a finding without a
        reading of its own is what it is named, if that says its nature."""
        ours = [(d.value, d.text) for d in lacking] or self._nature(a, more)
        theirs = [(d.value, d.text) for d in more] or self._nature(b, lacking)
        if not (ours and theirs):
            return None
        grave = max(self.index.severity(name) for name, _ in (*ours, *theirs))
        why = f"{theirs[0][1]}, not {ours[0][1]}: another finding"
        return Error("presence", grave > 1, self.shares["conflict_major"], why)

    def _nature(self, finding: Finding, read: Sequence[Detail]) -> list[tuple[str, str]]:
        """Return the concept of a finding and its name if it says the nature, as do the readings of another one that it does not
        include."""
        index, natures = self.index, self.settings.natures
        if finding.concept is None or not read or not index.is_any(finding.concept, natures):
            return []
        others = all(index.is_any(d.value, natures) and not index.either_is_a(d.value, finding.concept) for d in read)
        return [(finding.concept, finding.label)] if others else []

    def _only_read_by(self, one: Finding, other: Finding) -> list[Detail]:
        """Return what a finding is read as, unless its concept says so or the other finding offers it too."""
        read = (d for d in one.details if d.category == _INFERENCE and not self.index.is_a(one.concept, d.value))
        return [d for d in read if not self._offers(other, d.value)]

    def _offers(self, finding: Finding, name: str) -> bool:
        """Whether a finding is of a class, or is read as one that is the same, broader, narrower or how it shows."""
        near = self._alike.get(name, frozenset())
        return self.index.is_a(finding.concept, name) or any(
            self.index.either_is_a(one, name) or one in near for one in readings_of(finding)
        )


def readings_of(finding: Finding) -> tuple[str, ...]:
    """Return the concepts that a finding is read as ("opacity, likely pneumonia")."""
    return (*finding.alternatives, *(detail.value for detail in finding.details if detail.category == _INFERENCE))


def _texts(details: Sequence[Detail]) -> str:
    return ", ".join(d.text for d in details)


def _numbers_by_quantity(finding: Finding) -> dict[str, list[Number]]:
    """Return the numbers of each quantity, with their words; the distance of a finding from a point is a quantity of its own."""
    found: dict[str, list[Number]] = {}
    for detail in finding.details:
        measured = quantity(replace(detail, category="length") if detail.category == _DISTANCE else detail)
        if measured is not None:
            ends = {measured.low, measured.high} if " and " in detail.value else {measured.high}
            numbers = [(n if math.isfinite(n) else measured.low, detail.text) for n in sorted(ends)]
            found.setdefault(detail.category, []).extend(numbers)
    return found


def _pair_numbers(ours: Sequence[Number], theirs: Sequence[Number]) -> Iterator[tuple[Number, Number]]:
    """Yield the numbers of two lists to be compared: equal ones are excluded, the rest paired by smallest difference."""
    shared = {number for number, _ in ours} & {number for number, _ in theirs}
    left, right = ([one for one in side if one[0] not in shared] for side in (ours, theirs))
    while left and right:
        pair = min(((one, other) for one in left for other in right), key=lambda pair: abs(pair[0][0] - pair[1][0]))
        left.remove(pair[0])
        right.remove(pair[1])
        yield pair
