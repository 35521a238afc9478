"""Training batches, and augmented sentences: joined with another one, with words exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kgscore.lab.training.samples import Asked, Samples
from kgscore.reading.structure.columns import COLUMNS, COUNTED, LEXICAL, Ints

_TAG, _FORM, _KIND = COLUMNS.index("tag"), COLUMNS.index("form"), COLUMNS.index("kind")
# A sentence with so many items is not extended.
_LONG = 28
# Marks the absence of another sample.
NONE = -1
# How often a word is exchanged for any other of its kind, rather than for one of its class.
_OF_KIND = 0.4


@dataclass(frozen=True, slots=True)
class Batch:
    """Concatenated sentences: the number of items of each, table rows and status of each item, the number of items of each
    counted kind before it (and after the last), and the questions of each task at positions of the batch."""

    lengths: Ints
    rows: Ints
    status: Ints
    counts: Ints
    asked: Mapping[str, Asked]


class Batches:
    """Makes batches of samples. `rows` gives the rows of the vector table for all items, `join` the share of sentences
    that are joined with another one, `swap` the share of items that are exchanged for others of their kind."""

    def __init__(self, samples: Samples, rows: Ints, *, join: float, swap: float) -> None:
        self.samples = samples
        self.rows = rows
        self.join, self.swap = join, swap
        codes, able = samples.codes, np.flatnonzero(samples.swapped)
        self._pools = [_pools(codes[:, (first, _FORM)], able) for first in (_TAG, _KIND)]

    def epoch(self, size: int, random: Generator) -> Iterator[Batch]:
        """Yield variants of all samples once, in batches of a size, grouped by similar length."""
        lengths = np.diff(self.samples.first)
        joined = (random.random(len(lengths)) < self.join) & (lengths < _LONG)
        others = np.where(joined, random.integers(len(lengths), size=len(lengths)), NONE)
        order = np.argsort(lengths + np.where(joined, lengths[others], 0) + 4 * random.random(len(lengths)), kind="stable")
        batches = [order[at : at + size] for at in range(0, len(order), size)]
        for number in random.permutation(len(batches)):
            yield self.of(batches[number], others[batches[number]], random)

    def of(self, numbers: Ints, others: Ints, random: Generator) -> Batch:
        """Return a batch of some samples, each joined with another one (or `NONE`), words exchanged."""
        samples, joined = self.samples, others != NONE
        lengths = np.diff(samples.first)
        own = lengths[numbers] - (joined & samples.stops[numbers])
        more = np.where(joined, lengths[others], 0)
        # For each sentence: its own items without the full stop, the semicolon, and the items of the other one.
        starts = np.stack([samples.first[numbers], np.full(len(numbers), samples.first[-1]), samples.first[others]], axis=1)
        counts = np.stack([own, joined.astype(np.int64), more], axis=1)
        items = _concatenated_ranges(starts.reshape(-1), counts.reshape(-1))
        begin = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
        ones, seconds = begin[:-1], (begin[:-1] + own + 1)[joined]
        kept = [_select_questions(samples.asked[name], numbers, ones, own) for name in samples.asked]
        added = [_select_questions(samples.asked[name], others[joined], seconds, more[joined]) for name in samples.asked]
        asked = {name: _concatenate(one, other) for name, one, other in zip(samples.asked, kept, added, strict=True)}
        status, skipped = samples.status[items], samples.skipped[items]
        strangers = [_cross_pairs(status, skipped, *ends) for ends in zip(ones[joined], seconds, begin[1:][joined], strict=True)]
        if strangers:
            pairs = np.concatenate(strangers)
            no = np.zeros(len(pairs), np.int64)
            asked["link"] = _concatenate(asked["link"], Asked(no, pairs, no, no))
        counted = np.zeros((len(items) + 1, len(COUNTED)), np.float32)
        of = samples.counted[items]
        counted[np.flatnonzero(of >= 0) + 1, of[of >= 0]] = 1
        return Batch(np.diff(begin), self._rows(items, random), status, counted.cumsum(axis=0), asked)

    def _rows(self, items: Ints, random: Generator) -> Ints:
        """Return the rows of some items, with some exchanged for others of their class or kind."""
        rows = self.rows[items]
        swapped = np.flatnonzero(self.samples.swapped[items] & (random.random(len(items)) < self.swap))
        widely = random.random(len(swapped)) < _OF_KIND
        for at, pool in ((swapped[~widely], self._pools[0]), (swapped[widely], self._pools[1])):
            rows[at, : len(LEXICAL)] = self.rows[pool(items[at], random), : len(LEXICAL)]
        return rows


def _pools(keys: Ints, able: Ints) -> Callable[[Ints, Generator], Ints]:
    """Return a function that draws, for each of some items, another exchangeable one with the same key."""
    _, own = np.unique(keys[able], axis=0, return_inverse=True)
    of = np.zeros(len(keys), np.int64)
    of[able] = own.reshape(-1)
    order = able[np.argsort(of[able], kind="stable")]
    counts = np.bincount(of[able], minlength=1)
    firsts = np.cumsum(counts) - counts

    def drawn(items: Ints, random: Generator) -> Ints:
        key = of[items]
        found: Ints = order[firsts[key] + (random.random(len(items)) * counts[key]).astype(np.int64)] if len(items) else items
        return found

    return drawn


def _concatenated_ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the numbers in ranges that begin at `starts`, concatenated."""
    ends = np.cumsum(counts)
    found: Ints = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
    return found


def _select_questions(asked: Asked, numbers: Ints, begin: Ints, limits: Ints) -> Asked:
    """Return the questions of some samples whose items start at `begin`, limited to their first `limits` items."""
    counts = asked.first[numbers + 1] - asked.first[numbers]
    rows = _concatenated_ranges(asked.first[numbers], counts)
    at = asked.at[rows]
    kept = (at < np.repeat(limits, counts)[:, None]).all(axis=1)
    at = (at + np.repeat(begin, counts)[:, None])[kept]
    return Asked(begin, at, asked.fit[rows][kept], asked.answer[rows][kept])


def _concatenate(one: Asked, other: Asked) -> Asked:
    at, fit, answer = (np.concatenate(pair) for pair in ((one.at, other.at), (one.fit, other.fit), (one.answer, other.answer)))
    return Asked(one.first, at, fit, answer)


def _cross_pairs(status: Ints, skipped: np.ndarray, one: int, other: int, end: int) -> Ints:
    """Return the pairs of heads of one sentence with items of the other, from `other` to `end` after a semicolon."""
    spans = np.arange(one, other - 1), np.arange(other, end)
    found = []
    for own, others in (spans, spans[::-1]):
        heads, items = own[status[own] > 0], others[~skipped[others]]
        found.append(np.stack([np.repeat(heads, len(items)), np.tile(items, len(heads))], axis=1))
    return np.concatenate(found)
