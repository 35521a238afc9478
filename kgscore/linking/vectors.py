"""Vectors of wordings, learnt from the wordings of the ontology: finds those near in meaning though not in spelling.

The vector of a wording is the sum of those of its words, in any order; that of an unseen word is the mean of those of its
letter groups. All are integers, small enough that every machine gives the same products.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgscore.reading.structure.weights import read_weights
from kgscore.resources import resource

VECTORS = "vectors"  # the kind of a file of vectors
LENGTH = 4096  # norm of a vector: products of two are below 2 to the 24, up to which floats of 32 bits are exact
_GROUPS = (3, 4, 5)  # letters of a group
_AT_ONCE = 8192  # wordings per batch


def letter_groups(word: str, rows: int) -> list[int]:
    """Return the rows of the letter groups of a word, with its start and end marked, in a table of `rows` rows."""
    marked = f"<{word}>"
    return [
        zlib.crc32(marked[at : at + size].encode()) % rows
        for size in _GROUPS
        for at in range(max(1, len(marked) - size + 1))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Vectors:
    """The contents of a file of vectors: the rows of known words, their table and that of letter groups; `hash` identifies it."""

    rows: Mapping[str, int]
    words: np.ndarray
    groups: np.ndarray
    hash: str

    @classmethod
    def load(cls, path: Path | None = None) -> Vectors:
        """Return the vectors of a file, by default those shipped with kgscore.

        Raises:
            InputError: the file cannot be read, or holds no vectors.
        """
        found = read_weights(path or resource("models", "words.vectors"), VECTORS, _check)
        names = _names(found.arrays)
        rows = {name: row for row, name in enumerate(names)}
        return cls(rows, found.arrays["words"], found.arrays["groups"], found.hash)

    def of(self, wordings: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the vectors of wordings, one per row, each given by the normal forms of its words; integers, of norm
        `LENGTH`. That of a wording without words is zero."""
        known: dict[str, int] = {}
        for wording in wordings:
            for word in wording:
                known.setdefault(word, len(known))
        out = np.zeros((len(wordings), self.words.shape[1]), np.float32)
        table = np.stack([self._word(word) for word in known]) if known else out[:0].astype(np.int32)
        for start in range(0, len(wordings), _AT_ONCE):
            said = [at for at, wording in enumerate(wordings[start : start + _AT_ONCE], start) if wording]
            if said:
                firsts = np.cumsum([0, *(len(wordings[at]) for at in said[:-1])])
                rows = table[[known[word] for at in said for word in wordings[at]]]
                sums = np.add.reduceat(rows, firsts).astype(np.float64)
                lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
                out[said] = np.trunc(sums * LENGTH / np.maximum(lengths, 1.0))
        return out

    def _word(self, word: str) -> np.ndarray:
        row = self.rows.get(word)
        if row is not None:
            known: np.ndarray = self.words[row].astype(np.int32)
            return known
        groups = self.groups[letter_groups(word, len(self.groups))].astype(np.int32)
        mean: np.ndarray = np.rint(groups.sum(axis=0) / len(groups)).astype(np.int32)
        return mean


def _names(arrays: Mapping[str, np.ndarray]) -> list[str]:
    return arrays["names"].tobytes().decode().split("\n")


def _check(arrays: Mapping[str, np.ndarray]) -> None:
    """Check that the arrays have a row for each name and for each letter group, all of one length, in bytes."""
    words, groups = arrays["words"], arrays["groups"]
    fits = words.ndim == groups.ndim == 2 and len(words) == len(_names(arrays)) and len(groups) > 0
    if not fits or words.shape[1] != groups.shape[1] or words.dtype != np.int8 or groups.dtype != np.int8:
        raise ValueError("arrays of other shapes")


def likeness(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of one with each row of the other, -1 to 1."""
    cosines: np.ndarray = (one @ other.T) / np.float32(LENGTH * LENGTH)
    return cosines
