"""Figures that several benchmarks share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kgscore.errors import InputError, did_you_mean
from kgscore.records import PAIR_FIELDS, Record, read_records, read_rows
from kgscore.results.correlation import kendall

REMEMBERED = 10_000  # texts whose readings a benchmark keeps: each is read once, whatever is asked of it
UNREAD = "unread"
_Row = TypeVar("_Row")


def spread(rows: Sequence[_Row], sample: int) -> Sequence[_Row]:
    """Return so many of the rows, evenly spread over all of them; all rows for 0, or where there are no more.

    >>> spread("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    if not 0 < sample < len(rows):
        return rows
    return [rows[place * len(rows) // sample] for place in range(sample)]


def may_list(path: str | Path) -> None:
    """Refuse to list cases of a file in a folder named `unread`: such a half measures only while nobody has seen its cases.

    Raises:
        InputError: the file lies in such a folder, at any depth.
    """
    if UNREAD in Path(path).absolute().parts or UNREAD in Path(path).resolve().parts:
        raise InputError(f"{path}: lies in a folder named '{UNREAD}', of which no case is shown; list misses of a 'read' half")


def records(path: str | Path, *needed: str) -> list[dict[str, Any]]:
    """Return the records of a JSON lines, CSV or Parquet file, all of which have a text in each of the fields `needed`.

    Raises:
        InputError: the file or one of its rows cannot be read, or a field is missing; the message quotes no text.
    """
    found = []
    for where, row in read_rows(str(path)):
        if isinstance(row, str):
            raise InputError(f"{where}: {row}")
        for field in needed:
            if not isinstance(row.get(field), str):
                hint = did_you_mean(field, [name for name in row if name not in needed])
                raise InputError(f"{where}: no text in '{field}'; {hint or 'the benchmark needs ' + ', '.join(needed)}")
        found.append(dict(row))
    if not found:
        raise InputError(f"{path}: holds no records; give JSON lines of the form that docs/benchmarks.md describes")
    return found


def crossed(path: str) -> Iterator[Record]:
    """Yield the pairs of a file, then each reference with the candidate of the next one, the one after that, and so on."""
    pairs = [record for record in read_records(path, PAIR_FIELDS) if isinstance(record, Record)]
    for shift in range(len(pairs)):
        for one, other in zip(pairs, pairs[shift:] + pairs[:shift], strict=True):
            fields = {"reference": one.fields["reference"], "candidate": other.fields["candidate"]}
            yield Record(one.where, f"{one.id}+{other.id}", fields)


def kendall_b(scores: list[float]) -> float:
    """Return Kendall's tau-b between the expected order (falling) and the scores, ties corrected."""
    places = np.unique(scores, return_inverse=True)[1].astype(float)  # a pair without a score is infinitely low
    found = float(kendall(-np.arange(len(scores), dtype=float), places)[0])
    return 0.0 if math.isnan(found) else found

