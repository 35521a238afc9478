"""Training samples: concatenated sentences in the network's form, with the correct answers; their batches, where sentences are
joined with others and words exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from kgscore.lab.training.align import Aligned, decided
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING
from kgscore.reading.structure.columns import COLUMNS, COUNTED, LEXICAL, Columns, Ints, Seen
from kgscore.reading.structure.decisions import Decisions
from kgscore.reading.structure.model import joinable, linkable, partable, sidable, turnable
from kgscore.reading.structure.values import STATUSES

Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
# Kinds whose items may be exchanged: findings, structures and descriptors.
_SWAPPED = (FINDING, ANATOMY, DESCRIPTOR)
_SEMICOLON = COUNTED.index("semi")


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one task: `at` holds the positions of two items (for "apart": a head and two items), `fit` their
    compatibility, and `answer` the correct answer; those of sentence `n` are the rows from `first[n]` to `first[n + 1]`."""

    first: Ints
    at: Ints
    fit: Ints
    answer: Ints


@dataclass(frozen=True, slots=True)
class Samples:
    """Concatenated sentences; the items of sentence `n` are those from `first[n]` to `first[n + 1]`, followed by
    a semicolon that belongs to no sentence.

    For each item: its codes (`COLUMNS`), its counted kind (or -1), its status (0: no head), whether it is never
    part of a statement (`skipped`), and whether it may be exchanged (`swapped`). `stops` tells which sentences end in a stop.
    """

    first: Ints
    codes: Ints
    counted: Ints
    status: Ints
    skipped: Bools
    swapped: Bools
    stops: Bools
    asked: Mapping[str, Asked]

    def __len__(self) -> int:
        return len(self.first) - 1


def make_samples(sentences: Sequence[Aligned], columns: Columns) -> Samples:
    """Return sentences with their gold structure as samples."""
    seen = [columns.see(one.sentence) for one in sentences]
    gold = [decided(one.structure) for one in sentences]
    kinds = [kind for one in seen for kind in one.kinds]
    numbers = {kind: number for number, kind in enumerate(COUNTED)}
    codes = np.concatenate([*(one.codes for one in seen), np.zeros((1, len(COLUMNS)), np.int64)])
    if "semi" in kinds:
        codes[-1] = codes[kinds.index("semi")]
    status = [_status(found, len(one)) for found, one in zip(gold, seen, strict=True)]
    return Samples(
        _firsts([len(one) for one in seen]),
        codes,
        np.array([*(numbers.get(kind, -1) for kind in kinds), _SEMICOLON], np.int64),
        np.concatenate([*status, np.zeros(1, np.int64)]),
        np.concatenate([*(one.skipped for one in seen), np.ones(1, bool)]),
        np.array([*(kind in _SWAPPED for kind in kinds), False], bool),
        np.array([_ends_in_stop(one, own) for one, own in zip(seen, status, strict=True)], bool),
        _questions(gold, seen, columns),
    )


def _ends_in_stop(seen: Seen, status: Ints) -> bool:
    return len(seen) > 1 and seen.kinds[-1] == "stop" and not status[-1]


def _status(gold: Decisions, count: int) -> Ints:
    status = np.zeros(count, np.int64)
    for head, name in gold.head.items():
        status[head] = STATUSES.index(name) + 1
    return status


def _questions(gold: Sequence[Decisions], seen: Sequence[Seen], columns: Columns) -> dict[str, Asked]:
    rows: dict[str, list[tuple[int, ...]]] = {}
    counts: dict[str, list[int]] = {}
    for decisions, one in zip(gold, seen, strict=True):
        for name, found in _rows(decisions, one):
            own = [(*row[:-1], columns.fit(one.ids[row[-3]], one.ids[row[-2]]), row[-1]) for row in found]
            rows.setdefault(name, []).extend(own)
            counts.setdefault(name, []).append(len(own))
    tables = {name: np.array(found, np.int64).reshape(-1, 5 if name == "apart" else 4) for name, found in rows.items()}
    return {name: Asked(_firsts(counts[name]), table[:, :-2], table[:, -2], table[:, -1]) for name, table in tables.items()}


def _rows(gold: Decisions, seen: Seen) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    """Yield each task with its questions and correct answers."""
    status = {head: STATUSES.index(name) + 1 for head, name in gold.head.items()}
    turned = {pair: STATUSES.index(name) + 1 for pair, name in gold.turned.items()}
    yield "link", [(*pair, gold.link.get(pair, 0)) for pair in linkable(gold, seen)]
    yield "join", [(*pair, int(pair in gold.join)) for pair in sorted(joinable(gold))]
    yield "side", [(*pair, int(pair in gold.side)) for pair in sorted(sidable(gold, seen))]
    yield "turned", [(*pair, turned.get(pair, status[pair[0]])) for pair in sorted(turnable(gold))]
    yield "apart", [(*triple, int(triple in gold.apart)) for triple in sorted(partable(gold))]


def _firsts(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(counts, np.int64))]).astype(np.int64)


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
