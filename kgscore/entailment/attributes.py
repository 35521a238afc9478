"""Compares the qualities of two findings: the same, silent, or in conflict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from kgscore.entailment.wording import COUNT
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.model import WORDING, Detail, Finding
from kgscore.ontology.files import table
from kgscore.ontology.index import Index, shared
from kgscore.quantities import Quantity, change_by, distance, quantities, quantity
from kgscore.resources import resource


class Fit(NamedTuple):
    """How a finding fits another: it has the `same` qualities, is `silent` about one, or in `conflict`, and why."""

    kind: Literal["same", "silent", "conflict"]
    why: str = ""


# Qualities that the reader attaches to the core but that need not be matched.
_LEFT_OUT = frozenset(
    ("position_descriptor", "direction", "previous", "restriction", "state", "distribution_place", "quantity",
     "nature", "distribution", "normalcy", "phase", "extension", "component_involved", WORDING)
)  # fmt: skip
# The size that a word of degree may mean for a lesion, in millimetres: it can only support, never exclude.
_EXTENT = {1: Quantity("length", 0.0, 20.0), 3: Quantity("length", 40.0, float("inf"))}
_MIDDLE = 2
HIGH = 3
_DEGREE = "severity_descriptor"
# The prefix of an uncertain reading of a finding ("opacity, possibly pneumonia").
POSSIBLE = "possible "
# Two measurements of one thing differ by less than this share.
TOLERANCE = 0.1
SAME, SILENT = Fit("same"), Fit("silent")
# The file that maps measurements to degrees.
DEGREES = "degrees.txt"


class Attributes:
    """Compares qualities by the ontology: opposites, classes of descriptors, degrees and measurements."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = class_expressions_of(index)
        self._borderline, self._devices = index.marked("borderline"), index.of_kind("devices")
        roles = enumerate(("little", "middling", "great"), 1)
        self._degrees = {value: degree for degree, role in roles for value in index.flagged(role)}
        rows = table(resource("mappings", DEGREES))
        self._scales = [(name, kind, tuple(map(float, numbers.split()))) for name, kind, numbers in rows]

    def fit(self, said: Finding, wanted: Finding, around: Iterable[Finding] = ()) -> Fit:
        """Return how a stated finding fits a wanted one; `around` are findings that describe it ("with calcification")."""
        also = frozenset().union(*(part for other in around for part in self.unfold(other)))
        shown = (self._shown(said, detail, also) for detail in _compared_details(said, wanted) if detail.value not in also)
        fits = [self._change(said, wanted), self._conflict_with_class(said, wanted), *shown]
        if said.place != wanted.place and COUNT in wanted.categories:
            fits.append(SILENT)  # two here are not five there
        return next((fit for fit in fits if fit.kind == "conflict"), SILENT if SILENT in fits else SAME)

    def _shown(self, said: Finding, detail: Detail, also: frozenset[str]) -> Fit:
        """Return how a detail fits a finding, given the descriptors that separate findings `also` state for it."""
        fit, opposed = self._detail(said, detail), self._opposites(detail.value) & also
        if fit is SILENT and opposed:
            return _conflict(said, self.index.label(min(opposed)), detail.text)
        return fit

    def _change(self, said: Finding, wanted: Finding) -> Fit:
        told = said.change or change_by(said.details, TOLERANCE)
        if wanted.change is None or told == wanted.change:
            return SAME
        if told is not None:
            return _conflict(said, told, wanted.change)
        apart = next((d for d in said.details if wanted.change in self._opposites(d.value)), None)
        return SILENT if apart is None else _conflict(said, apart.text, wanted.change)  # an unstable fracture is not a stable one

    def _opposites(self, value: str) -> frozenset[str]:
        return self.index.opposites.get(value, frozenset())

    def _conflict_with_class(self, said: Finding, wanted: Finding) -> Fit:
        """Return whether a detail of a finding excludes a descriptor of the wanted class (closed, an open fracture)."""
        shown = self.unfold(replace(wanted, details=())).shown - self.unfold(said).shown
        apart = next((d for d in said.details if self._opposites(d.value) & shown), None)
        return SAME if apart is None else _conflict(said, apart.text, wanted.label)

    def degrees(self, finding: Finding) -> list[int]:
        """Return the degrees of the details of a finding: 1 to 3."""
        return [self._degrees[detail.value] for detail in finding.details if detail.value in self._degrees]

    def _detail(self, said: Finding, detail: Detail) -> Fit:
        """Return how a detail fits a finding: by the first comparison that applies to it."""
        return next((fit for fit in self._comparisons(said, detail) if fit is not None), SILENT)

    def _comparisons(self, said: Finding, detail: Detail) -> Iterator[Fit | None]:
        yield self._position(said, detail)
        if detail.category in _LEFT_OUT and not self._concerns_device(said, detail):
            yield self._conflict_with_detail(said, detail) or SAME
        shown = self.unfold(said).shown | self._descriptors_of_nature(said)
        inferred = detail.category == "inference"
        if inferred and _is_more_certain(detail, said):
            yield SILENT
        if detail.value in shown or self._includes(said, detail):
            yield SAME
        if inferred and (nature := self._opposite_nature(said, detail)):
            yield Fit("conflict", f"{said.label} is taken for {self.index.label(nature)}, not for {detail.text}")
        yield _compare_measurements(said, detail)
        yield self._degree(said, detail)
        yield _compare_sides(said, detail)
        if detail.category == "position" and any(distance(d) and d.text.endswith(detail.value) for d in said.details):
            yield SAME
        yield self._conflict_with_detail(said, detail)
        yield self._conflict_with_implied(said, detail, shown)

    def _includes(self, said: Finding, detail: Detail) -> bool:
        """Whether a finding has a detail or a narrower one, or is itself of an inferred class."""
        own = (said.concept,) if detail.category == "inference" else ()
        return detail.value in said.values() or any(self.index.is_a(value, detail.value) for value in (*said.values(), *own))

    def _conflict_with_detail(self, said: Finding, detail: Detail) -> Fit | None:
        """Return the conflict with a detail of a finding, unless the finding has both ("focal" and "diffuse")."""
        opposed = self._opposites(detail.value)
        if self._is_broken(said, detail):
            opposed |= self.index.flagged("sound")
        apart = next((one for one in said.details if one.value in opposed), None)
        return None if apart is None or detail.value in said.values() else _conflict(said, apart.text, detail.text)

    def _conflict_with_implied(self, said: Finding, detail: Detail, shown: frozenset[str]) -> Fit | None:
        """Return the conflict with a descriptor that the class of a finding implies."""
        sound = self.index.flagged("sound")
        opposed = self._opposites(detail.value) & shown
        if detail.value in sound:
            opposed |= {value for value in shown if self._opposites(value) & sound}
        return Fit("conflict", f"{said.label} is {self.index.label(min(opposed))}, not {detail.text}") if opposed else None

    def _descriptors_of_nature(self, said: Finding) -> frozenset[str]:
        """Return the descriptors of the likely nature of a finding, or of its category ("BI-RADS 4")."""
        index = self.index
        named = [d for d in said.details if d.category in ("nature", "inference") and not d.text.startswith(POSSIBLE)]
        told = [d.value for d in named if d.value in index.concepts and index.concepts[d.value].kind == "findings"]
        likely = told if sum(d.category == "inference" for d in named) <= 1 else ()
        return frozenset().union(*(index.shown(index.ancestors[value]) for value in likely))

    def _opposite_nature(self, said: Finding, wanted: Detail) -> str | None:
        """Return the malignancy that a lesion is or is taken for, if the wanted lesion is not malignant; or the reverse."""
        index, malignancy = self.index, self.index.role("any_malignancy")
        if any(d.text.startswith(POSSIBLE) for d in (wanted, *said.details) if d.category == wanted.category):
            return None
        lesions = index.flagged("lesions") | index.flagged("lumps")
        if index.is_a(wanted.value, malignancy):
            benign = all(index.is_any(name, lesions) and not index.is_a(name, malignancy) for name in said.alternatives)
            return next(iter(said.alternatives), None) if benign else None
        taken = (said.concept, *said.alternatives) if index.is_any(wanted.value, lesions) else ()
        return next((name for name in taken if index.is_a(name, malignancy) and not index.is_a(wanted.value, name)), None)

    def _is_broken(self, said: Finding, detail: Detail) -> bool:
        """Whether a detail states that a device is broken ("disconnected", "fractured")."""
        sound = self.index.flagged("sound")
        return self._concerns_device(said, detail) or not self._opposites(detail.value).isdisjoint(sound)

    def _position(self, said: Finding, detail: Detail) -> Fit | None:
        """Compare whether a device is well placed with where it ends; None for any other detail."""
        right, wrong = self.index.flagged("well_placed"), self.index.flagged("misplaced")
        if detail.value not in right | wrong or said.concept not in self._devices:
            return None
        told = said.values()
        misplaced = bool(told & wrong) or self.is_misplaced(said)
        if misplaced == (detail.value in wrong):
            return SAME
        placed = misplaced or told & right or said.change == "stable"
        return _conflict(said, "where it is", detail.text) if placed else SILENT

    def _ends(self, device: Finding) -> tuple[str, ...]:
        return device.tip or (() if device.sites == self.index.default_sites(device.concept) else device.sites)

    def is_misplaced(self, device: Finding) -> bool:
        """Whether a device ends where none of its kind should ("tracheal tube in the right main bronchus")."""
        return self.index.is_astray(device.concept, self._ends(device))

    def _concerns_device(self, said: Finding, detail: Detail) -> bool:
        return detail.category == "nature" and said.concept in self._devices

    def _degree(self, said: Finding, detail: Detail) -> Fit | None:
        wanted = self._degrees.get(detail.value)
        if wanted is None:
            return None
        extent = _EXTENT.get(wanted)
        if extent and any(size.overlaps(extent) for size in quantities(said.details)):
            return SAME
        told = [(d, self._degrees[d.value]) for d in said.details if d.value in self._degrees] or self._degrees_by_measure(said)
        if not told:
            borderline = said.concept in self._borderline and wanted > 1
            return _conflict(said, said.text, detail.text) if borderline else SILENT
        degrees = [degree for _, degree in told]
        least, most = min(degrees), max(degrees)
        # A range ("small to moderate") is exact; a single word also matches its neighbours.
        if least <= wanted <= most or (least == most and _MIDDLE in (most, wanted)):
            return SAME
        return _conflict(said, told[0][0].text, detail.text)

    def _degrees_by_measure(self, said: Finding) -> list[tuple[Detail, int]]:
        """Return the degrees that follow from the measurements of a finding (a stenosis of 80 % is a severe one)."""
        found: list[tuple[Detail, int]] = []
        for kind, least in ((kind, least) for name, kind, least in self._scales if self.index.is_a(said.concept, name)):
            sizes = [(d, size) for d in said.details for size in quantities((d,), kind)]
            found += [(d, 1 + sum(end >= one for one in least)) for d, size in sizes for end in (size.low, size.high)]
        return found


attributes_of = shared(Attributes)


def _compared_details(said: Finding, wanted: Finding) -> list[Detail]:
    """Return the details to compare, without the degree of a change, readings open in both, and the count of another place."""
    offered = said.values("inference")
    left_out = {
        _DEGREE: wanted.change is not None,
        "inference": len(offered) > 1 and offered == wanted.values("inference"),
        COUNT: said.place != wanted.place,
    }
    return [detail for detail in wanted.details if not left_out.get(detail.category)]


def _is_more_certain(inference: Detail, said: Finding) -> bool:
    """Whether a reading is more certain than the finding states it: there it is possible, or one of several readings."""
    offered = [detail for detail in said.details if detail.category == inference.category]
    same = [detail for detail in offered if detail.value == inference.value]
    open_still = len(offered) > 1 or all(detail.text.startswith(POSSIBLE) for detail in same)
    return bool(same) and open_still and not inference.text.startswith(POSSIBLE)


def _compare_measurements(said: Finding, detail: Detail) -> Fit | None:
    """Compare measurements of one quantity, or distances from one point; lengths are equal within a tenth."""
    measure = distance if detail.category == "distance" else quantity
    if (wanted := measure(detail)) is None:
        return None
    kind = (wanted.quantity, _point(detail))
    sizes = [(d, size) for d in said.details if (size := measure(d)) is not None and (size.quantity, _point(d)) == kind]
    if any(size.overlaps(wanted, TOLERANCE) for _, size in sizes):
        return SAME
    return _conflict(said, sizes[0][0].text, detail.text) if sizes else SILENT


def _point(detail: Detail) -> str:
    """Return the words for the point from which a distance is measured; empty for any other detail."""
    return detail.text.removeprefix(detail.value) if detail.category == "distance" else ""


def _compare_sides(said: Finding, detail: Detail) -> Fit | None:
    """Compare which of two sides has more ("larger on the left")."""
    if detail.category != "comparison":
        return None
    other = next((one for one in said.details if one.category == detail.category and one.value != detail.value), None)
    return SILENT if other is None else _conflict(said, other.text, detail.text)


def _conflict(said: Finding, one: str, other: str) -> Fit:
    return Fit("conflict", f"{said.label}: {one} and {other} exclude each other")
