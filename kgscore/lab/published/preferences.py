"""Preferences: do metrics prefer the same of two candidates for one reference as people, by strength of the preference?

A row gives a reference, two candidates and a preference, in words (`a`, `b`, `tie`) or on a scale from "A is clearly better" to
"B is clearly better", whose middle is a tie. Several readers are several columns (`rater_1` …) or several rows of one id;
they are averaged. A metric is right if it orders the candidates as people do; a tie of the metric counts a half."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.io.records import BadRecord, Record
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import SCALE, Found, Request, agreement, scores_of, share
from kgscore.lab.published.downloads import LONGEST, RatedPair, Table, any_number, map_usable, split_errors, tables_in

LAYOUT = "preferences"
_VOTES = {
    **dict.fromkeys(("a", "first", "candidate a", "report a", "left", "a better", "a is better"), 1.0),
    **dict.fromkeys(("b", "second", "candidate b", "report b", "right", "b better", "b is better"), -1.0),
    **dict.fromkeys(("tie", "equal", "same", "neither", "both", "no preference", "draw"), 0.0),
}
_TEXTS = ("reference", "first", "second")
_STEPS = ((0.25, "slight"), (0.75, "clear"), (1.0, "strong"))


@dataclass(frozen=True, slots=True)
class Preference:
    """The preference of people: `value` is 1 if all find A clearly better, -1 if all find B clearly better, 0 a tie.

    `strength` is given in the file, or is slight (up to 0.25), clear (up to 0.75) or strong by the value; "" for a tie.
    """

    where: str
    id: str
    reference: str
    first: str
    second: str
    value: float
    strength: str
    readers: int

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the two candidates as separate pairs."""
        return f"{self.id} a", f"{self.id} b"

    @property
    def choice(self) -> tuple[str, str] | None:
        """The ids of the better and the worse one; None for a tie."""
        return None if self.value == 0 else self.ids if self.value > 0 else self.ids[::-1]


def scale_of(text: str) -> tuple[float, float]:
    """Return the ends of a scale given as `A:B`: the numbers for "A is clearly better" and "B is clearly better".

    >>> scale_of("1:5")
    (1.0, 5.0)
    """
    first, colon, second = text.partition(":")
    ends = any_number(first), any_number(second)
    if not colon or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
        raise InputError(f"scale '{text}': give two different numbers, for 'A is clearly better' and 'B is clearly better' (1:5)")
    return ends[0], ends[1]


def read_preferences(
    source: str | Path, columns: Mapping[str, str] | None = None, scale: tuple[float, float] = SCALE
) -> Iterator[Preference | BadRecord]:
    """Yield every preference of a file (or of the files in a folder), or the error of a row. `scale` gives the numbers for
    "A is clearly better" and "B is clearly better"."""
    tables = tables_in(source, LAYOUT, columns)
    for table in tables:
        yield from _preferences(table, scale, f"{table.path.stem} " if len(tables) > 1 else "")


def rated(
    source: str | Path, columns: Mapping[str, str] | None = None, scale: tuple[float, float] = SCALE
) -> Iterator[RatedPair | BadRecord]:
    """Yield both candidates of each preference as pairs of their own, rated with the value from that candidate's side."""
    for one in read_preferences(source, columns, scale):
        if isinstance(one, BadRecord):
            yield one
        else:
            for id, text, value in zip(one.ids, (one.first, one.second), (one.value, -one.value), strict=True):
                yield RatedPair(one.where, id, one.id, one.reference, text, {"preference": value})


def _preferences(table: Table, scale: tuple[float, float], prefix: str) -> Iterator[Preference | BadRecord]:
    """Yield the preferences of a table; `prefix` distinguishes its ids from those of other tables."""
    raters = table.numbered("preference")
    rows, bad = split_errors(table.rows(*_TEXTS, numbered=True, also=raters))
    first: dict[str, Record] = {}
    votes: dict[str, list[float]] = {}
    words: dict[str, set[str]] = {}
    for row in rows:
        record = row.record(_TEXTS, {})
        if isinstance(record, BadRecord):
            bad.append(record)
            continue
        known = first.setdefault(record.id, record)
        found = [_value(said, scale) for name in raters if (said := row.text(name))]
        if known.fields != record.fields:
            bad.append(BadRecord(row.where, record.id, f"the id was used before, at {known.where}, with other reports"))
        elif None in found or not found:
            wrong = f"'{raters[0]}' is neither a, b nor tie, nor a number from {scale[0]:g} to {scale[1]:g}"
            bad.append(BadRecord(row.where, record.id, f"{wrong}; give another --scale A:B"))
        else:
            votes.setdefault(record.id, []).extend(one for one in found if one is not None)
            how = row.text("strength").lower()
            words.setdefault(record.id, set()).add(how if len(how) <= LONGEST else "")
    for id, given in votes.items():
        value, one = fsum(given) / len(given), first[id]
        reference, a, b = (one.fields[text] for text in _TEXTS)
        yield Preference(one.where, prefix + id, reference, a, b, value, _strength(value, words[id]), len(given))
    yield from bad


def _strength(value: float, said: Set[str]) -> str:
    given = next(iter(said)) if len(said) == 1 else ""
    return "" if value == 0 else given or next(name for step, name in _STEPS if abs(value) <= step)


def _value(said: str, scale: tuple[float, float]) -> float | None:
    """Return a vote from 1 (A) to -1 (B), None if it is invalid."""
    words = " ".join(said.lower().replace("_", " ").split())
    if words in _VOTES:
        return _VOTES[words]
    number = any_number(said)
    low, high = sorted(scale)
    if number is None or not low <= number <= high:
        return None
    return 1 - 2 * (number - scale[0]) / (scale[1] - scale[0])


def run(name: str, request: Request) -> Found:
    """Return the accuracy of every metric, of all preferences and by strength, its ties, and the correlation with the values."""
    found, bad = split_errors(read_preferences(request.source, request.columns, request.scale))
    values = scores_of([(one.reference, text) for one in found for text in (one.first, one.second)], request)
    wanted = np.asarray([one.value for one in found])
    strengths = [one.strength for one in found]
    figures: list[Figure] = []
    for metric, scores in values.items():
        difference = scores.reshape(-1, 2)[:, 0] - scores.reshape(-1, 2)[:, 1]
        scored = np.isfinite(difference)
        hits = np.where(scored, (np.sign(np.nan_to_num(difference)) * np.sign(wanted) + 1) / 2, 0.0)
        for of in ("all", *dict.fromkeys(one for one in strengths if one)):
            mine = (wanted != 0) & np.asarray([of in ("all", one) for one in strengths])
            if mine.any():
                missing = int((mine & ~scored).sum())
                figures.append(share("preferences", of, metric, "accuracy", hits[mine], request, unscored=missing))
        mine = (wanted != 0) & scored
        figures.append(share("preferences", "all", metric, "ties", difference[mine] == 0, request))
        figures += agreement("difference of scores", "preference", metric, difference, wanted, request)
    ties = int((wanted == 0).sum())
    told = f"{ties} preference{'s are ties' if ties > 1 else ' is a tie'} of the readers and excluded from accuracy"
    return Found(figures, bad, [told] if ties else [])


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield both candidates of each preference as pairs of their own, with the value from that candidate's side."""
    return map_usable(rated(request.source, request.columns, request.scale), RatedPair.as_row)
