"""Compares the qualities of two findings: the same, silent, or in conflict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from kgscore.entailment.counts import COUNT
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.model import Detail, Finding
from kgscore.ontology.files import table
from kgscore.ontology.index import Index
from kgscore.quantities import Quantity, change_by, distance, quantity
from kgscore.resources import resource


class Fit(NamedTuple):
    """How a finding fits another: it has the `same` qualities, is `silent` about one, or in `conflict`; and why."""

    kind: Literal["same", "silent", "conflict"]
    why: str = ""


# Qualities that the reader attaches to the core but that need not be matched.
_LEFT_OUT = frozenset(
    ("position_descriptor", "direction", "previous", "restriction", "state", "distribution_place", "quantity",
     "nature", "distribution", "normalcy", "phase", "extension", "component_involved")
)  # fmt: skip
# The size that a word of degree may mean for a lesion, in millimetres: it can only support, never exclude.
_EXTENT = {1: Quantity("length", 0.0, 20.0), 3: Quantity("length", 40.0, float("inf"))}
_MIDDLE = 2
HIGH = 3
# Beside a change, such a word may be the degree of the change ("slightly smaller"): it is not compared.
_DEGREE = "severity_descriptor"
# The prefix of an uncertain reading of a finding ("opacity, possibly pneumonia").
POSSIBLE = "possible "
# Two measurements of one thing differ by less than this share.
TOLERANCE = 0.1
SAME = Fit("same")
# The file that maps measurements to degrees.
DEGREES = "degrees.txt"


class Attributes:
    """Compares qualities by the ontology: opposites, classes of descriptors, degrees and measurements."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = class_expressions_of(index)
        self._borderline = index.marked("borderline")
        self._degrees = {
            value: degree
            for degree, role in ((1, "little"), (_MIDDLE, "middling"), (3, "great"))
            for value in index.flagged(role)
        }
        rows = table(resource("mappings", DEGREES))
        self._measured = [(name, kind, tuple(map(float, numbers.split()))) for name, kind, numbers in rows]

    def fit(self, said: Finding, wanted: Finding, around: Iterable[Finding] = ()) -> Fit:
        """Return how a stated finding fits a wanted one: a conflict takes precedence, then silence. `around` are separate
        findings that describe it ("a nodule, with calcification")."""
        asked = [detail for detail in wanted.details if wanted.change is None or detail.category != _DEGREE]
        also = frozenset().union(*(part for other in around for part in self.unfold(other)))
        offered = _offered(said)
        if len(offered) > 1 and offered == _offered(wanted):
            asked = [detail for detail in asked if detail.category != "inference"]  # "pneumonia or aspiration"
        elsewhere = (said.sites, said.side) != (wanted.sites, wanted.side)
        counts = [detail for detail in asked if detail.category == COUNT and elsewhere]  # two here are not five there
        asked = [detail for detail in asked if detail not in counts]
        shown = (self._shown(said, detail, also) for detail in asked if detail.value not in also)
        apart = (_unsaid(said, one) for one in counts)
        fits = [self._change(said, wanted), self._against_class(said, wanted), *apart, *shown]
        for kind in ("conflict", "silent"):
            for fit in fits:
                if fit.kind == kind:
                    return fit
        return SAME

    def _shown(self, said: Finding, detail: Detail, also: frozenset[str]) -> Fit:
        """Return how a detail fits a finding, given the descriptors that separate findings `also` state for it."""
        fit, opposed = self._detail(said, detail), self.index.opposites.get(detail.value, frozenset()) & also
        if fit.kind == "silent" and opposed:
            return _excluded(said, self.index.label(min(opposed)), detail.text)
        return fit

    def _change(self, said: Finding, wanted: Finding) -> Fit:
        told = said.change or change_by(said.details, TOLERANCE)
        if wanted.change is None or told == wanted.change:
            return SAME
        if told is None and (apart := next((d for d in said.details if wanted.change in self._opposites(d.value)), None)):
            return _excluded(said, apart.text, wanted.change)  # an unstable fracture is not a stable one
        if told is None:
            return Fit("silent", f"nothing is said of a change of {said.label}")
        return _excluded(said, told, wanted.change)

    def _opposites(self, value: str) -> frozenset[str]:
        return self.index.opposites.get(value, frozenset())

    def _against_class(self, said: Finding, wanted: Finding) -> Fit:
        """Return whether a detail of a finding excludes a descriptor of the wanted class (closed, an open fracture)."""
        shown = self.unfold(replace(wanted, details=())).shown - self.unfold(said).shown
        apart = next((d for d in said.details if self._opposites(d.value) & shown), None)
        return SAME if apart is None else _excluded(said, apart.text, wanted.label)

    def degree(self, detail: Detail) -> int | None:
        """Return the degree of a detail: 1 to 3, or None."""
        return self._degrees.get(detail.value)

    def _detail(self, said: Finding, detail: Detail) -> Fit:
        if (found := self._position(said, detail)) is not None:
            return found
        if detail.category in _LEFT_OUT and not self._of_device(said, detail):
            other = self._opposed(said, detail)
            return SAME if other is None else _excluded(said, other.text, detail.text)
        shown = self.unfold(said).shown | self._shown_by_nature(said)
        if detail.category == "inference" and _surer(detail, said):
            return Fit("silent", f"{said.label} is not said to be {detail.text} for sure")
        if detail.value in shown or any(self.index.is_a(d.value, detail.value) or d.value == detail.value for d in said.details):
            return SAME
        if detail.category == "inference" and self.index.is_a(said.concept or "", detail.value):
            return SAME
        if detail.category == "inference" and (nature := self._other_nature(said, detail)):
            return Fit("conflict", f"{said.label} is taken for {self.index.label(nature)}, not for {detail.text}")
        if (measured := distance(detail)) is not None:
            return self._distance(said, detail, measured)
        if (measured := quantity(detail)) is not None:
            return self._measure(said, detail, measured)
        if detail.value in self._degrees:
            return self._degree(said, detail)
        if detail.category == "comparison":
            return self._compared(said, detail)
        if detail.category == "position" and any(distance(d) and d.text.endswith(detail.value) for d in said.details):
            return SAME
        if (other := self._opposed(said, detail)) is not None:
            return _excluded(said, other.text, detail.text)
        opposed = self._opposites(detail.value)
        if detail.value in self.index.flagged("sound"):
            opposed |= {value for value in shown if self._opposites(value) & self.index.flagged("sound")}
        if opposed & shown:
            return Fit("conflict", f"{said.label} is {self.index.label(min(opposed & shown))}, not {detail.text}")
        return _unsaid(said, detail)

    def _opposed(self, said: Finding, detail: Detail) -> Detail | None:
        """Return the detail of a finding that excludes another, unless the finding has that one too ("focal" and "diffuse")."""
        opposed = self.index.opposites.get(detail.value, frozenset())
        if self._broken(said, detail):
            opposed |= self.index.flagged("sound")
        if any(one.value == detail.value for one in said.details):
            return None
        return next((one for one in said.details if one.value in opposed), None)

    def _shown_by_nature(self, said: Finding) -> frozenset[str]:
        """Return the descriptors of the likely nature of a finding, or of its category ("BI-RADS 4")."""
        index = self.index
        named = [d for d in said.details if d.category in ("nature", "inference") and not d.text.startswith(POSSIBLE)]
        told = [d.value for d in named if d.value in index.concepts and index.concepts[d.value].kind == "findings"]
        likely = told if sum(d.category == "inference" for d in named) <= 1 else ()
        return frozenset().union(*(index.shown(index.ancestors[value]) for value in likely))

    def _other_nature(self, said: Finding, wanted: Detail) -> str | None:
        """Return the malignancy that a lesion is or is taken for, if the wanted lesion is not malignant; or the reverse."""
        index, malignancy = self.index, self.index.role("any_malignancy")
        offered = [wanted, *(d for d in said.details if d.category == wanted.category)]
        if any(detail.text.startswith(POSSIBLE) for detail in offered):
            return None
        lesions = index.flagged("lesions") | index.flagged("lumps")
        if index.is_a(wanted.value, malignancy):
            benign = all(index.is_any(name, lesions) and not index.is_a(name, malignancy) for name in said.alternatives)
            return said.alternatives[0] if said.alternatives and benign else None
        taken = [name for name in (said.concept or "", *said.alternatives) if not index.is_a(wanted.value, name)]
        return next((n for n in taken if index.is_a(n, malignancy)), None) if index.is_any(wanted.value, lesions) else None

    def _broken(self, said: Finding, detail: Detail) -> bool:
        """Whether a detail states that a device is broken ("disconnected", "fractured")."""
        sound = self.index.flagged("sound")
        return self._of_device(said, detail) or not self.index.opposites.get(detail.value, frozenset()).isdisjoint(sound)

    def _position(self, said: Finding, detail: Detail) -> Fit | None:
        """Compare whether a device is well placed with where it ends; None for any other detail."""
        right, wrong = self.index.flagged("well_placed"), self.index.flagged("misplaced")
        concept = self.index.concepts.get(said.concept or "")
        if detail.value not in right | wrong or concept is None or concept.kind != "devices":
            return None
        told = {one.value for one in said.details}
        misplaced = bool(told & wrong) or self.ends_wrong(said)
        if misplaced == (detail.value in wrong) and (misplaced or told & right or self._ends(said)):
            return SAME
        if misplaced or (detail.value in wrong and (told & right or said.change == "stable")):
            return _excluded(said, "where it is", detail.text)
        return SAME if detail.value in right else _unsaid(said, detail)

    def _ends(self, device: Finding) -> tuple[str, ...]:
        return device.tip or (() if device.sites == self.index.soft_sites.get(device.concept or "", ()) else device.sites)

    def ends_wrong(self, device: Finding) -> bool:
        """Whether a device ends where none of its kind should ("tracheal tube in the right main bronchus")."""
        index = self.index
        usual = index.tips.get(device.concept or "", ())
        ends = self._ends(device)
        near = any(index.inside(one, place) or index.inside(place, one) for one in ends for place in usual)
        return bool(usual) and bool(ends) and not near

    def _of_device(self, said: Finding, detail: Detail) -> bool:
        concept = self.index.concepts.get(said.concept or "")
        return detail.category == "nature" and concept is not None and concept.kind == "devices"

    def _measure(self, said: Finding, detail: Detail, wanted: Quantity) -> Fit:
        """Compare measurements of one quantity; lengths are equal within a tenth of the longest one stated."""
        measured = [(d, found) for d in said.details if (found := quantity(d)) is not None and found.quantity == wanted.quantity]
        return _nearest(said, detail, wanted, measured)

    def _distance(self, said: Finding, detail: Detail, wanted: Quantity) -> Fit:
        """Compare distances from one point ("2 cm above the carina")."""
        point = detail.text.removeprefix(detail.value)
        measured = [
            (d, found)
            for d in said.details
            if (found := distance(d)) is not None and d.text.removeprefix(d.value) == point
        ]
        return _nearest(said, detail, wanted, measured)

    def _compared(self, said: Finding, detail: Detail) -> Fit:
        """Compare which of two sides has more ("larger on the left")."""
        for other in said.details:
            if other.category == detail.category and other.value != detail.value:
                return _excluded(said, other.text, detail.text)
        return _unsaid(said, detail)

    def _degree(self, said: Finding, detail: Detail) -> Fit:
        wanted = self._degrees[detail.value]
        extent = _EXTENT.get(wanted)
        if extent and any(found.overlaps(extent) for d in said.details if (found := quantity(d)) is not None):
            return SAME
        told = [(d, self._degrees[d.value]) for d in said.details if d.value in self._degrees] or self._told_by_measure(said)
        if not told:
            borderline = said.concept in self._borderline and wanted > 1
            return _excluded(said, said.text, detail.text) if borderline else _unsaid(said, detail)
        least, most = min(degree for _, degree in told), max(degree for _, degree in told)
        # A range ("small to moderate") is exact; a single word also matches its neighbours.
        if least <= wanted <= most or (least == most and _MIDDLE in (most, wanted)):
            return SAME
        return _excluded(said, told[0][0].text, detail.text)


    def _told_by_measure(self, said: Finding) -> list[tuple[Detail, int]]:
        """Return the degrees that follow from the measurements of a finding (a stenosis of 80 % is a severe one)."""
        found: list[tuple[Detail, int]] = []
        for name, kind, from_ in self._measured if said.concept else ():
            for detail in said.details if self.index.is_a(said.concept or "", name) else ():
                measured = quantity(detail) if detail.category == kind else None
                if measured is not None:
                    found += [(detail, 1 + sum(end >= least for least in from_)) for end in (measured.low, measured.high)]
        return found


def _offered(finding: Finding) -> set[str]:
    """Return the possible readings of a finding."""
    return {detail.value for detail in finding.details if detail.category == "inference"}


def _surer(inference: Detail, said: Finding) -> bool:
    """Whether a reading is more certain than the finding states it: there it is possible, or one of several readings."""
    offered = [detail for detail in said.details if detail.category == inference.category]
    same = [detail for detail in offered if detail.value == inference.value]
    open_still = len(offered) > 1 or all(detail.text.startswith(POSSIBLE) for detail in same)
    return bool(same) and open_still and not inference.text.startswith(POSSIBLE)


def _nearest(said: Finding, detail: Detail, wanted: Quantity, measured: Sequence[tuple[Detail, Quantity]]) -> Fit:
    """Compare a wanted quantity with the measured ones."""
    if any(found.overlaps(wanted, TOLERANCE) for _, found in measured):
        return SAME
    return _excluded(said, measured[0][0].text, detail.text) if measured else _unsaid(said, detail)


def _excluded(said: Finding, one: str, other: str) -> Fit:
    return Fit("conflict", f"{said.label}: {one} and {other} exclude each other")


def _unsaid(said: Finding, detail: Detail) -> Fit:
    return Fit("silent", f"{detail.text} is not said of {said.label}")
