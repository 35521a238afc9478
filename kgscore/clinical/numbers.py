"""Numbers of normal or unnamed structures in a report ("nuchal translucency 1.6 mm"): no finding contains them, but they can be
wrong, which matters across a threshold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from kgscore.clinical.settings import Settings, across
from kgscore.model import Finding
from kgscore.quantities import quantity
from kgscore.verdict import Error

_UNITS = {"mm": 1.0, "cm": 10.0, "%": 1.0, "percent": 1.0, "ml": 1.0, "cm/s": 1.0, "hu": 1.0, "": 1.0}
_NUMBER = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)\s*(mm|cm/s|cm|%|percent|ml|hu)?(?![\w/])(?!\.\d)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,}", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;:](?=\s)|\n")
_LITTLE = frozenset(("the", "and", "with", "for", "from", "which", "are", "was", "has", "its", "measures", "measuring", "about"))
# A word is identified by its first letters; this share of the words before a number must match.
_STEM, _SHARED = 5, 0.6
# How many words before a number name it.
_NAMING = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """A number outside all findings: the stems of the words before it in its clause (`called`), its value in millimetres or its
    own unit, and its words; `name` are the words before it."""

    called: frozenset[str]
    name: str
    unit: str
    value: float
    start: int
    end: int
    text: str


def measured(text: str, findings: Sequence[Finding]) -> Iterator[Measured]:
    """Yield the numbers of a text that no finding contains and that have a name."""
    spans = [(f.start, f.end) for f in findings if any(quantity(d) or d.category == "distance" for d in f.details)]
    for found in _NUMBER.finditer(text):
        unit = (found[2] or "").lower()
        inside = any(start <= found.start() and found.end() <= end for start, end in spans)
        if inside or (not unit and "." not in found[1]):
            continue
        before = _CLAUSE.split(text[: found.start()])[-1]
        if called := _stems(before):
            kind = "mm" if unit in ("mm", "cm") else unit
            name, value = _name(before), float(found[1]) * _UNITS[unit]
            yield Measured(called, name, kind, value, found.start(), found.end(), found[0].strip())


def _stems(before: str) -> frozenset[str]:
    return frozenset(word.lower()[:_STEM] for word in _WORD.findall(before) if word.lower() not in _LITTLE)


def _name(before: str) -> str:
    """Return the last words before a number, without leading articles and other short words.

    >>> _name("a channel and a single muscle thickness of ")
    'single muscle thickness of'
    """
    words = before.split()[-_NAMING:]
    while len(words) > 1 and len(words[0]) < _STEM - 1:
        words = words[1:]
    return " ".join(words)


@cache
def _name_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def wrong_numbers(
    ours: Sequence[Measured], theirs: Sequence[Measured], settings: Settings
) -> Iterator[tuple[Measured, int, Error]]:
    """Yield the numbers of a reference that differ in the candidate, with the tier of the error: routine, or that of the
    threshold between them."""
    free = list(theirs)
    for one in ours:
        same = [other for other in free if other.unit == one.unit and _same_name(one, other)]
        if not same:
            continue
        other = min(same, key=lambda other: (abs(other.value - one.value), other.start))
        free.remove(other)
        if other.value != one.value:
            yield one, *_error(one, other, settings)


def _same_name(one: Measured, other: Measured) -> bool:
    return len(one.called & other.called) >= _SHARED * len(one.called | other.called)


def _error(one: Measured, other: Measured, settings: Settings) -> tuple[int, Error]:
    low, high = sorted((one.value, other.value))
    why = f"{other.text}, not {one.text}"
    called = " ".join(sorted(one.called))
    for row in settings.numbers:
        crossed, which = across(row, low, high)
        if crossed and all(_name_pattern(rf"\b(?:{pattern})").search(called) for pattern in row.called):
            return row.tier, Error("size", True, settings.size_share(low, high, crossed), f"{why}{which}")
    return 1, Error("size", high >= 2 * low, settings.size_share(low, high, 0), why)
