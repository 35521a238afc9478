"""Measurements as numbers, for comparing two findings that were both measured.

A measured detail has the quantity as its category ("length", "volume", "density" in HU, "suv", "velocity", "percent" …) and
as its value a canonical text in the base unit of that quantity (`mappings/reading/units.txt`): "5 mm", "21 x 18 mm",
"3-5 mm", "3 and 5 mm", "<5 mm", ">=2 cm/s", "-20 HU", "60-70%". Only the base unit occurs, so numbers compare directly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kgscore.model import Change, Detail

_NUMBER = r"-?\d+(?:\.\d+)?"
_CANONICAL = re.compile(rf"(<=|>=|<|>)?({_NUMBER})((?:(?: x |-| and ){_NUMBER}){{0,3}}) ?([^\d\s<>=.-]\S*)")
# Values that do not describe the present state, or that count from another origin.
_OTHERWISE = ("previous", "distance", "comparison", "nature", "inference")


class Quantity(NamedTuple):
    """A measured quantity, with the least and greatest measured value, in the base unit of the quantity.

    Both are equal if one value was given, and equal the largest extent for a size in two or three directions ("21 x 18 mm"
    is 21). A bound leaves one end open: "<5 mm" is 0 to 5, ">6 mm" is 6 to infinity."""

    quantity: str
    low: float
    high: float

    def overlaps(self, other: Quantity, share: float = 0.0) -> bool:
        """Return whether two measurements may describe the same thing: same quantity, and ranges that overlap when widened by
        a `share` of its own ends (0.1: 18 mm and 20 mm match).

        >>> five = Quantity("length", 5, 5)
        >>> five.overlaps(Quantity("length", 3, 5)), five.overlaps(Quantity("length", 30, 30))
        (True, False)
        """
        if self.quantity != other.quantity:
            return False
        return _widen(self.low, -share) <= _widen(other.high, share) and _widen(other.low, -share) <= _widen(self.high, share)


def quantity(detail: Detail) -> Quantity | None:
    """Return a measured detail as numbers; None for a detail that is not a measurement of the finding's present state.

    >>> quantity(Detail("length", "21 x 18 mm", "21 x 18 mm")), quantity(Detail("length", "<5 mm", "smaller than 5 mm"))
    (Quantity(quantity='length', low=21.0, high=21.0), Quantity(quantity='length', low=0.0, high=5.0))
    """
    return None if detail.category in _OTHERWISE else _numbers(detail.category, detail.value)


def quantities(details: Iterable[Detail], kind: str | None = None) -> list[Quantity]:
    """Return the measured details as numbers; those of one quantity only, if its name is given."""
    return [one for one in map(quantity, details) if one is not None and kind in (None, one.quantity)]


def distance(detail: Detail) -> Quantity | None:
    """Return a distance from a landmark as numbers; None for a detail that is not a distance.

    >>> distance(Detail("distance", "20 mm", "20 mm above the carina"))
    Quantity(quantity='distance', low=20.0, high=20.0)
    """
    return _numbers(detail.category, detail.value) if detail.category == "distance" else None


def change_by(details: Iterable[Detail], share: float) -> Change | None:
    """Return the change between a present and an earlier length, if they differ by more than a share of the earlier one.

    >>> change_by([Detail("length", "14 mm", "14 mm"), Detail("previous", "8 mm", "previously 8 mm")], 0.1)
    'increased'
    """
    told = list(details)
    now = next((found for one in told if one.category == "length" and (found := quantity(one)) is not None), None)
    earlier = next((found for one in told if one.category == "previous" and (found := _numbers("length", one.value))), None)
    if now is None or earlier is None or {one.value[-2:] for one in told if one.category in ("length", "previous")} != {"mm"}:
        return None
    if now.low > _widen(earlier.high, share):
        return "increased"
    return "decreased" if now.high < _widen(earlier.low, -share) else None


@lru_cache(maxsize=10_000)
def _numbers(category: str, value: str) -> Quantity | None:
    found = _CANONICAL.fullmatch(value)
    if found is None:
        return None
    bound, first, more = found[1], found[2], found[3]
    numbers = [float(first), *(float(text) for text in re.findall(rf"(?:x |and |-)({_NUMBER})", more))]
    low, high = min(numbers), max(numbers)
    if " x " in more:
        low = high
    if bound in ("<", "<="):
        low = min(0.0, high) if high >= 0 else -math.inf
    elif bound:
        high = math.inf
    return Quantity(category, low, high)


def _widen(number: float, share: float) -> float:
    return number + abs(number) * share if math.isfinite(number) else number
