"""The network in numpy: from what is seen of sentences to scores of decisions.

Weights are multiples of 2^-12 (2^-7 in the table of vectors) and whatever enters a product is rounded to multiples of 2^-12, so
that every sum of products is exact in 64 bits whatever its order: decisions are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgscore.reading.structure.columns import COLUMNS, Columns, Ints, Seen
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
class Encoded:
    """Sentences as the network has taken them in: what each task makes of each item, the running sum of what lies between, the
    status that each item heads a statement with (0: none), and how many heads stand before each position."""

    seen: Sequence[Seen]
    projected: Reals
    running: Reals
    status: Ints
    heads: Ints


class Network:
    """Runs a trained network on sentences."""

    def __init__(self, weights: Weights, columns: Columns) -> None:
        self.columns = columns
        arrays = {
            name: array.astype(np.float64) / GRID for name, array in weights.arrays.items() if array.dtype == np.dtype("<i2")
        }
        self.arrays = arrays
        self.table = weights.arrays["table"]
        self.rows = [
            {int(one): first + number for number, one in enumerate(weights.arrays[f"codes.{which}"], start=1)}
            for which, first in enumerate(weights.arrays["first"].tolist())
        ]
        self.first = weights.arrays["first"].tolist()
        self.sections = sections()

    def encode(self, seen: Sequence[Seen]) -> Encoded:
        """Take in some sentences."""
        arrays = self.arrays
        longest = max(len(one) for one in seen)
        vectors = np.zeros((len(seen), longest, EMBEDDING))
        for number, one in enumerate(seen):
            vectors[number, : len(one)] = self._vectors(one)
        vectors = _rounded(_normed(vectors, arrays["norm.weight"], arrays["norm.bias"]))
        memory = self._remembered(vectors, np.array([len(one) for one in seen]))
        taken = np.concatenate([memory, vectors], axis=2)
        projected = taken @ arrays["project.weight"] + arrays["project.bias"]
        passed = _rounded(np.maximum(projected[:, :, self.sections[f"{LINK.name}.between"]], 0.0))
        running = np.concatenate([np.zeros((len(seen), 1, LINK.width)), passed.cumsum(axis=1)], axis=1)
        hidden = _rounded(np.maximum(projected[:, :, self.sections["item"]], 0.0))
        status: Ints = (hidden @ arrays["item.weight"] + arrays["item.bias"]).argmax(axis=2)
        for number, one in enumerate(seen):
            status[number, len(one) :] = 0
        heads = np.concatenate([np.zeros((len(seen), 1), np.int64), (status > 0).cumsum(axis=1)], axis=1)
        return Encoded(seen, projected, running, status, heads)

    def pairs(self, task: Task, encoded: Encoded, pairs: Pairs) -> Ints:
        """Return the answer of a task for each pair."""
        arrays, name, projected = self.arrays, task.name, encoded.projected
        where, one, other = pairs.sentence, pairs.one, pairs.other
        hidden = projected[where, one, self.sections[f"{name}.one"]] + projected[where, other, self.sections[f"{name}.other"]]
        if task.between:
            low, high = np.minimum(one, other), np.maximum(one, other)
            passed = np.maximum(high - low - 1, 1)
            hidden += (encoded.running[where, high] - encoded.running[where, np.minimum(low + 1, high)]) / np.sqrt(passed)[
                :, None
            ]
            hidden += arrays[f"{name}.status one"][encoded.status[where, one]]
            hidden += arrays[f"{name}.status other"][encoded.status[where, other]]
            hidden += arrays[f"{name}.heads"][_heads(encoded, pairs)]
        hidden += arrays[f"{name}.distance"][distance(one, other)]
        hidden += arrays[f"{name}.fit"][self._fits(encoded.seen, pairs)]
        hidden += _counted(encoded.seen, pairs) @ arrays[f"{name}.counts"]
        return self._answer(name, hidden)

    def apart(self, encoded: Encoded, where: Ints, head: Ints, one: Ints, other: Ints) -> Ints:
        """Return for each head with two others whether these belong to different statements (1)."""
        arrays, name, projected = self.arrays, APART.name, encoded.projected
        hidden = projected[where, head, self.sections[f"{name}.head"]] + projected[where, one, self.sections[f"{name}.one"]]
        hidden += projected[where, other, self.sections[f"{name}.other"]]
        hidden += arrays[f"{name}.distance"][distance(one, other)]
        hidden += arrays[f"{name}.distance one"][distance(head, one)] + arrays[f"{name}.distance other"][distance(head, other)]
        hidden += _counted(encoded.seen, Pairs(where, one, other)) @ arrays[f"{name}.counts"]
        return self._answer(name, hidden)

    def _answer(self, name: str, hidden: Reals) -> Ints:
        hidden = _rounded(np.maximum(hidden, 0.0))
        answers: Ints = (hidden @ self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"]).argmax(axis=1)
        return answers

    def _vectors(self, seen: Seen) -> Reals:
        rows = [
            [known.get(one, first) for one, known, first in zip(codes, self.rows, self.first, strict=True)]
            for codes in seen.codes.tolist()
        ]
        picked = self.table[np.array(rows, np.intp).reshape(-1, len(COLUMNS))]
        vectors: Reals = picked.sum(axis=1, dtype=np.int64) / TABLE_GRID
        return vectors

    def _fits(self, seen: Sequence[Seen], pairs: Pairs) -> list[int]:
        fit = self.columns.fit
        return [
            fit(seen[where].ids[one], seen[where].ids[other])
            for where, one, other in zip(pairs.sentence.tolist(), pairs.one.tolist(), pairs.other.tolist(), strict=True)
        ]

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


def _heads(encoded: Encoded, pairs: Pairs) -> Ints:
    out = np.zeros(len(pairs.one), np.int64)
    for where in dict.fromkeys(pairs.sentence.tolist()):
        own = pairs.sentence == where
        out[own] = heads_between(encoded.heads[where], pairs.one[own], pairs.other[own])
    return out


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


def _counted(seen: Sequence[Seen], pairs: Pairs) -> Reals:
    out = [
        between(seen[int(where)], pairs.one[pairs.sentence == where], pairs.other[pairs.sentence == where])
        for where in dict.fromkeys(pairs.sentence.tolist())
    ]
    return np.concatenate(out).astype(np.float64)
