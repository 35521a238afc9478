"""What one finding shows against what another is said to show: the same, silent, or in conflict."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from kgscore.matching.unfold import unfolding_of
from kgscore.model import Detail, Finding
from kgscore.ontology.index import Index


class Fit(NamedTuple):
    """How a finding fits what is asked of it: it says the `same`, is `silent` about some quality, or in `conflict`; and why."""

    kind: Literal["same", "silent", "conflict"]
    why: str = ""


# Qualities of which a thing has one value at a time; of all others (shape, distribution …) several may hold.
_SINGLE = frozenset(("size_descriptor", "severity_descriptor", "length", "volume", "percent", "angle", "value"))
# Qualities that the reader keeps beside the core without their being asked for.
_LEFT_OUT = frozenset(
    ("position_descriptor", "direction", "previous", "comparison", "restriction", "state", "distribution_place", "quantity",
     "inference", "nature", "distribution", "normalcy", "phase", "distance", "extension", "component_involved")
)  # fmt: skip
# The orders of degree: neighbours are not told apart, and nothing is in conflict with a word of the other scale.
_DEGREES = {
    "trace": 0, "minimal": 0, "very_small": 0, "small": 1, "mild": 1, "medium": 2, "moderate": 2, "large": 3, "severe": 3,
    "very_large": 3,
}  # fmt: skip
_DEGREE = ("size_descriptor", "severity_descriptor")
_UPS, _DOWNS = ("increased", "new"), ("decreased", "resolved")
# Two measurements of one thing differ by less than this share.
_TOLERANCE = 0.15


# What a word of size may mean of a lesion, in millimetres; it only ever supports, it never excludes.
_SIZES = {0: (0.0, 10.0), 1: (0.0, 20.0), 3: (40.0, 1e9)}


def _longest(length: str) -> float:
    """Return the longest diameter of a length detail ("19 x 22 mm", "2-3 mm") in millimetres; 0 where it has none."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", length)]
    return max(numbers, default=0.0)


def _alike(one: str, other: str) -> bool:
    """Whether two lengths may be of one thing: their longest diameters are alike."""
    a, b = sorted((_longest(one), _longest(other)))
    return b - a <= _TOLERANCE * b


class Qualities:
    """Compares qualities by the ontology: opposites, classes of descriptors, degrees and measurements."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = unfolding_of(index)

    def fit(self, said: Finding, wanted: Finding) -> Fit:
        """Return how what is said fits what is wanted: a conflict counts first, then silence."""
        fits = [self._change(said, wanted), *(self._detail(said, detail) for detail in wanted.details)]
        for kind in ("conflict", "silent"):
            for fit in fits:
                if fit.kind == kind:
                    return fit
        return Fit("same")

    def _change(self, said: Finding, wanted: Finding) -> Fit:
        if wanted.change is None or said.change == wanted.change:
            return Fit("same")
        if said.change is None:
            return Fit("silent", f"nothing is said of a change of {said.label}")
        return Fit("conflict", f"{said.label}: {said.change} and {wanted.change} exclude each other")

    def _detail(self, said: Finding, detail: Detail) -> Fit:
        if detail.category in _LEFT_OUT:
            return Fit("same")
        shown = self.unfold(said).shown
        if detail.value in shown or any(self.index.is_a(d.value, detail.value) or d.value == detail.value for d in said.details):
            return Fit("same")
        if detail.category == "length" and any(_alike(d.value, detail.value) for d in said.details if d.category == "length"):
            return Fit("same")
        if detail.category in _DEGREE:
            return self._degree(said, detail)
        for other in said.details:
            if other.category == detail.category and self._exclude(other, detail):
                return Fit("conflict", f"{said.label}: {other.text} and {detail.text} exclude each other")
        opposed = self.index.opposites.get(detail.value, frozenset())
        if opposed & shown:
            return Fit("conflict", f"{said.label} is {self.index.label(min(opposed & shown))}, not {detail.text}")
        return Fit("silent", f"{detail.text} is not said of {said.label}")

    def _degree(self, said: Finding, detail: Detail) -> Fit:
        wanted = _DEGREES.get(detail.value)
        sizes = [length for d in said.details if d.category == "length" and (length := _longest(d.value))]
        if sizes and wanted in _SIZES:
            least, most = _SIZES[wanted]
            if least <= max(sizes) <= most:
                return Fit("same")
        told = [(d, _DEGREES[d.value]) for d in said.details if d.category in _DEGREE and d.value in _DEGREES]
        if wanted is None or not told:
            return Fit("silent", f"{detail.text} is not said of {said.label}")
        for _, degree in told:
            if abs(degree - wanted) <= (1 if 2 in (degree, wanted) or 0 in (degree, wanted) else 0):
                return Fit("same")
        return Fit("conflict", f"{said.label}: {told[0][0].text} and {detail.text} exclude each other")

    def _exclude(self, one: Detail, other: Detail) -> bool:
        return one.category in _SINGLE or one.value in self.index.opposites.get(other.value, frozenset())
