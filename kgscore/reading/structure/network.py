"""The network in numpy: from what is seen of sentences to scores of decisions.

Weights are multiples of 2^-12 (2^-7 in the table of vectors) and whatever enters a product is rounded to multiples of 2^-12, so
that every sum of products is exact in 64 bits whatever its order: decisions are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kgscore.kept import Remembered
from kgscore.reading.structure.columns import COLUMNS, COUNTED, LEXICAL, Columns, Ints, Seen
from kgscore.reading.structure.shapes import (
    APART,
    EMBEDDING,
    LINK,
    MEMORY,
    PAIRS,
    Task,
    between,
    distance,
    heads_between,
    sections,
)
from kgscore.reading.structure.values import STATUSES
from kgscore.reading.structure.weights import Weights

Reals = NDArray[np.float64]

GRID = 2.0**12
TABLE_GRID = 2.0**7
TASKS = {task.name: task for task in PAIRS}


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of items of some sentences: the sentence of each, and the positions of its two items."""

    sentence: Ints
    one: Ints
    other: Ints


@dataclass(frozen=True, slots=True)
class Taken:
    """Sentences as one member has taken them in: the vector of each item, what the tasks that look at all items make of it, and
    the running sum of what lies between."""

    vectors: Reals
    projected: Reals
    running: Reals


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences as the network has taken them in, by each member, with the status that each item heads a statement with (0:
    none), and how many heads and how many items of each counted kind stand before each position."""

    seen: Sequence[Seen]
    taken: Sequence[Taken]
    status: Ints
    heads: Ints
    counts: Ints


@dataclass(frozen=True, slots=True)
class Between:
    """What is known of pairs of items whoever looks at them: bins of distance, fit, heads between, and counts of kinds."""

    distance: Ints
    fit: list[int]
    heads: Ints | None
    counts: Reals


class Network:
    """Runs a trained network on sentences: a few members, trained on the same text, that decide by the sum of their scores."""

    def __init__(self, weights: Weights, columns: Columns) -> None:
        self.columns = columns
        self.rows = [
            {int(one): first + number for number, one in enumerate(weights.arrays[f"codes.{which}"], start=1)}
            for which, first in enumerate(weights.arrays["first"].tolist())
        ]
        self.first = weights.arrays["first"].tolist()
        self._of_forms = Remembered[tuple[int, ...], list[int]](partial(self._found, column=0))
        own = {name.partition("/")[0] for name in weights.arrays if "/" in name}
        self.members = [Member(weights.arrays, f"{number}/") for number in sorted(own)]

    def encode(self, seen: Sequence[Seen]) -> Encoded:
        """Take in some sentences."""
        longest = max(len(one) for one in seen)
        rows = [self._rows(one) for one in seen]
        lengths = np.array([len(one) for one in seen])
        taken = [member.take(rows, lengths) for member in self.members]
        scores = _summed(member.items(one) for member, one in zip(self.members, taken, strict=True))
        status: Ints = scores.argmax(axis=2)
        status[np.arange(longest) >= lengths[:, None]] = 0
        for number in np.flatnonzero(~status.any(axis=1)).tolist():
            _tell_one(status[number], scores[number], seen[number])
        heads = np.concatenate([np.zeros((len(seen), 1), np.int64), (status > 0).cumsum(axis=1)], axis=1)
        counts = np.zeros((len(seen), longest + 1, len(COUNTED)), np.int64)
        for number, one in enumerate(seen):
            counts[number, : len(one) + 1] = one.counts
        return Encoded(seen, taken, status, heads, counts)

    def pairs(self, task: Task, encoded: Encoded, pairs: Pairs) -> Ints:
        """Return the answer of a task for each pair."""
        where = pairs.sentence, pairs.one, pairs.other
        known = Between(
            distance(pairs.one, pairs.other), self._fits(encoded.seen, pairs),
            heads_between(encoded.heads, *where) if task.between else None, between(encoded.counts, *where).astype(np.float64),
        )  # fmt: skip
        scores = (m.pairs(task, one, encoded.status, pairs, known) for m, one in zip(self.members, encoded.taken, strict=True))
        answers: Ints = _summed(scores).argmax(axis=1)
        return answers

    def apart(self, encoded: Encoded, where: Ints, head: Ints, one: Ints, other: Ints) -> Ints:
        """Return for each head with two others whether these belong to different statements (1)."""
        counts = between(encoded.counts, where, one, other).astype(np.float64)
        triples = where, head, one, other
        scores = (m.apart(taken, *triples, counts) for m, taken in zip(self.members, encoded.taken, strict=True))
        answers: Ints = _summed(scores).argmax(axis=1)
        return answers

    def _rows(self, seen: Seen) -> Ints:
        """Return the rows of the table of vectors for the codes of each item."""
        form = len(LEXICAL)
        rows = [self._of_forms[tuple(codes[:form])] + self._found(codes[form:], form) for codes in seen.codes.tolist()]
        return np.array(rows, np.intp).reshape(-1, len(COLUMNS))

    def _found(self, codes: Sequence[int], column: int) -> list[int]:
        """Return the rows of codes of some columns, from one on."""
        return [known.get(one, first) for one, known, first in zip(codes, self.rows[column:], self.first[column:], strict=False)]

    def _fits(self, seen: Sequence[Seen], pairs: Pairs) -> list[int]:
        fit = self.columns.fit
        return [
            fit(seen[where].ids[one], seen[where].ids[other])
            for where, one, other in zip(pairs.sentence.tolist(), pairs.one.tolist(), pairs.other.tolist(), strict=True)
        ]


class Member:
    """One member of a network."""

    def __init__(self, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        self.table = own.pop("table")
        self.arrays = {name: array.astype(np.float64) / GRID for name, array in own.items()}
        self.sections = sections()
        # What is asked of every item stands first; the rest is asked of few.
        self.often = self.sections[f"{LINK.name}.between"].stop

    def take(self, rows: Sequence[Ints], lengths: Ints) -> Taken:
        """Take in some sentences, each of which is given by its rows of the table of vectors."""
        arrays, often = self.arrays, self.often
        vectors = np.zeros((len(rows), int(lengths.max()), EMBEDDING))
        summed = self.table[np.concatenate(rows)].sum(axis=1, dtype=np.int64)
        vectors[np.arange(vectors.shape[1]) < lengths[:, None]] = summed / TABLE_GRID
        vectors = _rounded(_normed(vectors, arrays["norm.weight"], arrays["norm.bias"]))
        taken = np.concatenate([self._remembered(vectors, lengths), vectors], axis=2)
        projected = taken @ arrays["project.weight"][:, :often] + arrays["project.bias"][:often]
        passed = _rounded(np.maximum(projected[:, :, self.sections[f"{LINK.name}.between"]], 0.0))
        running = np.concatenate([np.zeros((len(rows), 1, LINK.width)), passed.cumsum(axis=1)], axis=1)
        return Taken(taken, projected, running)

    def items(self, taken: Taken) -> Reals:
        """Return the score of each status for each item."""
        hidden = _rounded(np.maximum(taken.projected[:, :, self.sections["item"]], 0.0))
        scores: Reals = hidden @ self.arrays["item.weight"] + self.arrays["item.bias"]
        return scores

    def pairs(self, task: Task, taken: Taken, status: Ints, pairs: Pairs, known: Between) -> Reals:
        """Return the score of each answer of a task for each pair."""
        arrays, name = self.arrays, task.name
        where, one, other = pairs.sentence, pairs.one, pairs.other
        hidden = self._made(taken, f"{name}.one", where, one) + self._made(taken, f"{name}.other", where, other)
        if known.heads is not None:
            low, high = np.minimum(one, other), np.maximum(one, other)
            passed = np.maximum(high - low - 1, 1)
            hidden += (taken.running[where, high] - taken.running[where, np.minimum(low + 1, high)]) / np.sqrt(passed)[:, None]
            hidden += arrays[f"{name}.status one"][status[where, one]] + arrays[f"{name}.status other"][status[where, other]]
            hidden += arrays[f"{name}.heads"][known.heads]
        hidden += arrays[f"{name}.distance"][known.distance]
        hidden += arrays[f"{name}.fit"][known.fit]
        hidden += known.counts @ arrays[f"{name}.counts"]
        return self._scores(name, hidden)

    def apart(self, taken: Taken, where: Ints, head: Ints, one: Ints, other: Ints, counts: Reals) -> Reals:
        """Return the scores of belonging to one statement and to different ones, for each head with two others."""
        arrays, name = self.arrays, APART.name
        hidden = self._made(taken, f"{name}.head", where, head) + self._made(taken, f"{name}.one", where, one)
        hidden += self._made(taken, f"{name}.other", where, other)
        hidden += arrays[f"{name}.distance"][distance(one, other)]
        hidden += arrays[f"{name}.distance one"][distance(head, one)] + arrays[f"{name}.distance other"][distance(head, other)]
        hidden += counts @ arrays[f"{name}.counts"]
        return self._scores(name, hidden)

    def _made(self, taken: Taken, part: str, where: Ints, at: Ints) -> Reals:
        """Return what a part of a task makes of some items."""
        section = self.sections[part]
        made: Reals
        if section.stop <= self.often:
            made = taken.projected[where, at, section]
        else:
            made = taken.vectors[where, at] @ self.arrays["project.weight"][:, section] + self.arrays["project.bias"][section]
        return made

    def _scores(self, name: str, hidden: Reals) -> Reals:
        scores: Reals = _rounded(np.maximum(hidden, 0.0)) @ self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"]
        return scores

    def _remembered(self, vectors: Reals, lengths: Ints) -> Reals:
        """Return what the memory holds at each item, read forwards and backwards (an LSTM of one layer)."""
        count, longest, _ = vectors.shape
        at = np.arange(longest)
        backwards = np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
        rows = np.arange(count)[:, None]
        arrays = self.arrays
        inputs = np.stack([vectors, vectors[rows, backwards]])
        gates = inputs.reshape(2, count * longest, -1) @ arrays["memory.input"] + arrays["memory.bias"][:, None]
        gates = np.ascontiguousarray(gates.reshape(2, count, longest, -1).transpose(2, 0, 1, 3))
        recurrent = arrays["memory.recurrent"]
        out = np.zeros((longest, 2, count, MEMORY))
        hidden, cell = np.zeros((2, count, MEMORY)), np.zeros((2, count, MEMORY))
        for step in range(longest):
            gate = gates[step] + hidden @ recurrent
            # The logistic function by tanh: the three gates first, then what is to be kept.
            turned = np.tanh(gate)
            opened = turned[:, :, : 3 * MEMORY] * 0.5 + 0.5
            cell = opened[:, :, MEMORY : 2 * MEMORY] * cell + opened[:, :, :MEMORY] * turned[:, :, 3 * MEMORY :]
            hidden = _rounded(opened[:, :, 2 * MEMORY :] * np.tanh(cell))
            out[step] = hidden
        forwards, behind = out[:, 0].transpose(1, 0, 2), out[:, 1].transpose(1, 0, 2)
        return np.concatenate([forwards, behind[rows, backwards]], axis=2)


def _tell_one(status: Ints, scores: Reals, seen: Seen) -> None:
    """Give a sentence that names findings, but has no head, the finding that comes nearest to being one; without a finding, a
    direction ("lung volumes are lower"), or a quality that is denied. It says nothing in a remark ("findings discussed with")."""
    for kinds in (("F",), ("up", "down", "lost", "signalword"), ("Q",) if "neg" in seen.kinds else ()):
        able = [at for at, kind in enumerate(seen.kinds) if kind in kinds]
        if able:
            told = scores[able, 1:].max(axis=1) - scores[able, 0]
            best = able[int(told.argmax())]
            status[best] = 1 + (STATUSES.index("none") if "drop" in seen.kinds else scores[best, 1:].argmax())
            return


def _summed(scores: Iterable[Reals]) -> Reals:
    first, *rest = scores
    for one in rest:
        first = first + one
    return first


def _rounded(values: Reals) -> Reals:
    rounded: Reals = np.rint(values * GRID)
    rounded /= GRID
    return rounded


def _normed(values: Reals, weight: Reals, bias: Reals) -> Reals:
    """Return vectors of mean 0 and variance 1, scaled and moved."""
    values = values - _rounded(values.mean(axis=2, keepdims=True))
    spread = np.sqrt((values * values).mean(axis=2, keepdims=True) + 1e-5)
    normed: Reals = values / spread * weight + bias
    return normed
