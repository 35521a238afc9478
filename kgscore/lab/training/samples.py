"""What the network learns from: sentences as it sees them with the answers that are right, and sentences made of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import numpy as np

from kgscore.lab.training.align import Aligned
from kgscore.reading.structure.columns import COLUMNS, COUNTED, LEXICAL, Columns, Ints, Seen
from kgscore.reading.structure.decisions import Decisions, decided
from kgscore.reading.structure.model import joinable, partable, sidable, turnable
from kgscore.reading.structure.values import STATUSES

_SEMICOLON = COLUMNS.index("kind"), COUNTED.index("semi")
_TAG, _FORM, _KIND = COLUMNS.index("tag"), COLUMNS.index("form"), COLUMNS.index("kind")
# Items that may stand for one another: findings, structures and descriptors.
_SWAPPED = frozenset(("F", "A", "M"))
# A sentence of so many items is not made longer.
_LONG = 28


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence with its right answers: of each item its status (0: no head), and rows (one, other, answer) of each task on
    pairs, (head, one, other, answer) of "apart"; `fits` tells how well two items go together."""

    seen: Seen
    status: Ints
    rows: Mapping[str, Ints]
    fits: Callable[[Ints, Ints], Ints]


def sample(aligned: Aligned, columns: Columns) -> Sample:
    """Return a sentence with its gold structure as sample."""
    seen = columns.see(aligned.sentence)
    gold = decided(aligned.structure)
    status = np.zeros(len(seen), np.int64)
    for head, name in gold.head.items():
        status[head] = STATUSES.index(name) + 1
    fit = np.array([[columns.fit(one, other) for other in seen.ids] for one in seen.ids], np.int64).reshape(len(seen), len(seen))
    rows = {name: np.array(found, np.int64).reshape(-1, 4 if name == "apart" else 3) for name, found in _rows(gold, seen)}
    return Sample(seen, status, rows, partial(_fits, fit))


def _fits(fit: Ints, one: Ints, other: Ints) -> Ints:
    found: Ints = fit[one, other]
    return found


def _rows(gold: Decisions, seen: Seen) -> list[tuple[str, list[tuple[int, ...]]]]:
    others = np.flatnonzero(~seen.skipped).tolist()
    status = {head: STATUSES.index(name) + 1 for head, name in gold.head.items()}
    turned = {pair: STATUSES.index(name) + 1 for pair, name in gold.turned.items()}
    return [
        (
            "link",
            [(head, other, gold.link.get((head, other), 0)) for head in sorted(gold.head) for other in others if head != other],
        ),
        ("join", [(*pair, int(pair in gold.join)) for pair in sorted(joinable(gold))]),
        ("side", [(*pair, int(pair in gold.side)) for pair in sorted(sidable(gold, seen))]),
        ("turned", [(*pair, turned.get(pair, status[pair[0]])) for pair in sorted(turnable(gold))]),
        ("apart", [(*triple, int(triple in gold.apart)) for triple in sorted(partable(gold))]),
    ]


def joined(one: Sample, other: Sample, semicolon: Ints) -> Sample:
    """Return two sentences as one with a semicolon between them (`semicolon` holds its codes), where neither speaks of the other.

    The full stop of the first goes.
    """
    stops = len(one.seen) > 1 and one.seen.kinds[-1] == "stop" and not one.status[-1]
    count = len(one.seen) - stops
    first = count + 1
    seen = _joined_seen(one.seen, other.seen, count, semicolon)
    rows = {}
    for name in one.rows:
        own, added = one.rows[name], other.rows[name]
        own = own[(own[:, :-1] < count).all(axis=1)]
        rows[name] = np.concatenate([own, np.concatenate([added[:, :-1] + first, added[:, -1:]], axis=1)])
    strangers = []
    for heads, others in (
        (np.flatnonzero(one.status[:count]), np.flatnonzero(~seen.skipped[first:]) + first),
        (np.flatnonzero(other.status) + first, np.flatnonzero(~seen.skipped[:count])),
    ):
        pairs = np.stack([np.repeat(heads, len(others)), np.tile(others, len(heads))], axis=1)
        strangers.append(np.concatenate([pairs, np.zeros((len(pairs), 1), np.int64)], axis=1))
    rows["link"] = np.concatenate([rows["link"], *strangers])
    status = np.concatenate([one.status[:count], [0], other.status])

    def fits(left: Ints, right: Ints) -> Ints:
        out = np.zeros(len(left), np.int64)
        before, behind = (left < count) & (right < count), (left >= first) & (right >= first)
        out[before] = one.fits(left[before], right[before])
        out[behind] = other.fits(left[behind] - first, right[behind] - first)
        return out

    return Sample(seen, status, rows, fits)


def _joined_seen(one: Seen, other: Seen, count: int, semicolon: Ints) -> Seen:
    mark = np.zeros((1, len(COUNTED)), np.int64)
    mark[0, _SEMICOLON[1]] = 1
    counts = one.counts[: count + 1]
    no = np.zeros(1, bool)
    return Seen(
        np.concatenate([one.codes[:count], semicolon[None], other.codes]),
        np.concatenate([counts, counts[-1:] + mark, counts[-1:] + mark + other.counts[1:]]),
        [*one.ids[:count], "", *other.ids],
        [*one.kinds[:count], "semi", *other.kinds],
        np.concatenate([one.skipped[:count], ~no, other.skipped]),
        np.concatenate([one.sided[:count], no, other.sided]),
    )


class Variants:
    """Makes variants of samples: joined with another one, and with words exchanged for others of their type."""

    def __init__(self, samples: Sequence[Sample], *, join: float, swap: float) -> None:
        self.samples = samples
        self.join, self.swap = join, swap
        self.semicolon = next(
            (s.seen.codes[s.seen.kinds.index("semi")] for s in samples if "semi" in s.seen.kinds),
            np.zeros(len(COLUMNS), np.int64),
        )
        self.pools: dict[tuple[int, ...], list[Ints]] = {}
        for one in samples:
            for codes, kind in zip(one.seen.codes, one.seen.kinds, strict=True):
                if kind in _SWAPPED:
                    for key in self._keys(codes):
                        self.pools.setdefault(key, []).append(codes[: len(LEXICAL)])

    def _keys(self, codes: Ints) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (int(codes[_TAG]), int(codes[_FORM])), (int(codes[_KIND]), int(codes[_FORM]), 0)

    def of(self, one: Sample, random: Random) -> Sample:
        """Return a variant of a sample, or the sample itself."""
        if random.random() < self.join and len(one.seen) < _LONG:
            one = joined(one, random.choice(self.samples), self.semicolon)
        codes = one.seen.codes.copy()
        for position, kind in enumerate(one.seen.kinds):
            if kind in _SWAPPED and random.random() < self.swap:
                key = self._keys(codes[position])[random.random() < 0.4]
                codes[position, : len(LEXICAL)] = random.choice(self.pools[key])
        return replace(one, seen=replace(one.seen, codes=codes))
