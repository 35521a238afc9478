"""Features as hashed conjunctions of integer columns, made for all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Slots = NDArray[np.int32]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_LAST = np.uint64(0xD6E8FEB86659FD93)


@lru_cache(maxsize=200_000)
def code(text: str) -> int:
    """Return the integer that stands for a text, the same on every machine."""
    return crc32(text.encode())


class Templates:
    """Conjunctions of named columns ("head.tag item.word"), each with as many columns as it names.

    `slots` gives for every row and template the place of that feature in a table of 2^`bits` weights.
    """

    def __init__(self, lines: Sequence[str], columns: Sequence[str], bits: int) -> None:
        place = {name: number for number, name in enumerate(columns)}
        by_length: dict[int, list[tuple[int, list[int]]]] = {}
        for line in lines:
            names = line.split()
            by_length.setdefault(len(names), []).append((code(line), [place[name] for name in names]))
        self.groups = [
            (np.array([salt for salt, _ in rows], np.uint64), np.array([at for _, at in rows], np.intp).T.copy())
            for _, rows in sorted(by_length.items())
        ]
        self.shift = np.uint64(64 - bits)

    def slots(self, table: Codes) -> Slots:
        """Return the features of the rows of a table of columns."""
        return np.concatenate([fold(salts, [table[:, at] for at in places], self.shift) for salts, places in self.groups], axis=1)


def fold(salt: Codes | np.uint64, columns: Sequence[Codes], shift: np.uint64) -> Slots:
    """Return the hash of columns taken together, as the place in a table of weights; 0 is left for features that are none."""
    mixed = salt * _STEP
    for column in columns:
        mixed = (mixed ^ column) * _STEP
        mixed ^= mixed >> np.uint64(31)
    mixed *= _LAST
    slots: Slots = (mixed >> shift).astype(np.int32)
    return slots


def stacked(columns: Mapping[str, Codes]) -> Codes:
    """Return named columns as one table, in their order."""
    table: Codes = np.stack(list(columns.values()), axis=1)
    return table
