"""Training samples: concatenated sentences in the network's form, with the correct answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgscore.lab.training.align import Aligned
from kgscore.lab.training.decided import decided
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING
from kgscore.reading.structure.columns import COLUMNS, COUNTED, Columns, Ints, Seen
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
