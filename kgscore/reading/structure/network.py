"""The network in numpy: computes scores of decisions from the features of sentences.

Weights are multiples of 2^-8 (2^-7 in the table of vectors), and all factors of products are rounded to multiples of 2^-8: every
sum of products is exact in 32 bits in any order, as long as it is below 256, which none approaches. The hyperbolic tangent is a
table. So decisions are the same on every machine.

Products are split into parts so small that OpenBLAS does not distribute them among threads: its threads busy-wait, which on a
loaded machine costs several times the products themselves. This needs no process-wide setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kgscore.caches import MemoizedDict
from kgscore.linking.lexicon import FINDING, QUALITY
from kgscore.reading.structure.columns import COUNTED, LEXICAL, Columns, Ints, Seen
from kgscore.reading.structure.shapes import APART, EMBEDDING, LINK, MEMORY, PAIRS, between, distance, heads_between, sections
from kgscore.reading.structure.values import STATUSES
from kgscore.reading.structure.weights import Weights

Reals = NDArray[np.float32]
Doubles = NDArray[np.float64]
_Array = TypeVar("_Array", Reals, Doubles)

GRID = 2.0**8
TABLE_GRID = 2.0**7
# The hyperbolic tangent of multiples of 2^-7 from -8 to below 8.
_STEPS = 2.0**7
_TANH = (np.rint(np.tanh(np.arange(-8 * _STEPS, 8 * _STEPS) / _STEPS) * GRID) / GRID).astype(np.float32)
TASKS = {task.name: task for task in (*PAIRS, APART)}
# Maximum number of multiplications that OpenBLAS does in one thread: of two matrices, of a vector and a matrix.
_MATRICES, _VECTOR, _COLUMNS = 2**18, 9_000, 128


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences: for each member the vector of each item, its projection for the tasks that use all items, and the
    running sum of the items in between; the status of the statement that each item heads (0: none), and the number of heads
    and of items of each counted kind before each position."""

    seen: Sequence[Seen]
    vectors: Reals
    projected: Reals
    running: Reals
    status: Ints
    heads: Ints
    counts: Ints


class Network:
    """Runs a trained network on sentences: an ensemble of a few members, trained on the same text, whose scores are summed.
    The first axis of every array of weights is that of the members, which are run together."""

    def __init__(self, weights: Weights, columns: Columns) -> None:
        self.columns = columns
        self.rows = [
            {int(one): first + number for number, one in enumerate(weights.arrays[f"codes.{which}"], start=1)}
            for which, first in enumerate(weights.arrays["first"].tolist())
        ]
        self.first = weights.arrays["first"].tolist()
        own: dict[str, dict[str, np.ndarray]] = {}
        for name, array in weights.arrays.items():
            member, slash, part = name.partition("/")
            if slash:
                own.setdefault(member, {})[part] = array
        members = [own[member] for member in sorted(own)]
        self.table = np.concatenate([one.pop("table") for one in members], axis=1)
        self.arrays = {name: np.stack([one[name] for one in members]).astype(np.float32) / GRID for name in members[0]}
        self._of_forms = MemoizedDict[tuple[int, ...], NDArray[np.int32]](self._form)
        self.members = len(members)
        self.sections = sections()
        # The projections computed for every item come first; the others are computed for few.
        self.often = self.sections[f"{LINK.name}.between"].stop

    def encode(self, seen: Sequence[Seen]) -> Encoded:
        """Encode some sentences."""
        arrays, lengths = self.arrays, np.array([len(one) for one in seen])
        longest = int(lengths.max())
        inside = np.arange(longest) < lengths[:, None]
        vectors = np.zeros((self.members, len(seen), longest, EMBEDDING), np.float32)
        vectors[:, inside] = _normed(self._items(seen) / TABLE_GRID, arrays["norm.weight"], arrays["norm.bias"])
        vectors = np.concatenate([self._remembered(vectors, lengths), vectors], axis=3)
        weight, bias = arrays["project.weight"][..., : self.often], arrays["project.bias"][:, None, : self.often]
        projected = np.zeros((self.members, len(seen), longest, self.often), np.float32)
        projected[:, inside] = _product(vectors[:, inside], weight) + bias
        passed = _rounded(np.maximum(projected[..., self.sections[f"{LINK.name}.between"]], 0.0))
        running = np.concatenate([np.zeros((self.members, len(seen), 1, LINK.width), np.float32), passed.cumsum(axis=2)], axis=2)
        hidden = _rounded(np.maximum(projected[..., self.sections["item"]], 0.0))
        scores = (_product(hidden, arrays["item.weight"][:, None]) + arrays["item.bias"][:, None, None]).sum(axis=0)
        status: Ints = scores.argmax(axis=2)
        status[~inside] = 0
        for number in np.flatnonzero(~status.any(axis=1)).tolist():
            _tell_one(status[number], scores[number], seen[number])
        heads = np.concatenate([np.zeros((len(seen), 1), np.int64), (status > 0).cumsum(axis=1)], axis=1)
        counts = np.zeros((len(seen), longest + 1, len(COUNTED)), np.int64)
        for number, one in enumerate(seen):
            counts[number, : len(one) + 1] = one.counts
        return Encoded(seen, vectors, projected, running, status, heads, counts)

    def answers(self, name: str, encoded: Encoded, rows: Ints) -> Ints:
        """Return the answer of a task for each row: the number of a sentence, and the positions of two or three of its items."""
        arrays, status, (where, *items) = self.arrays, encoded.status, rows.T
        one, other = items[-2:]
        hidden = self._made(encoded, f"{name}.one", where, one) + self._made(encoded, f"{name}.other", where, other)
        if TASKS[name].between:
            low, high = np.minimum(one, other), np.maximum(one, other)
            passed = np.maximum(high - low - 1, 1)
            between_them = encoded.running[:, where, high] - encoded.running[:, where, np.minimum(low + 1, high)]
            hidden += between_them / np.sqrt(passed).astype(np.float32)[:, None]
            hidden += arrays[f"{name}.status one"][:, status[where, one]]
            hidden += arrays[f"{name}.status other"][:, status[where, other]]
            hidden += arrays[f"{name}.heads"][:, heads_between(encoded.heads, where, one, other)]
        hidden += arrays[f"{name}.distance"][:, distance(one, other)]
        if len(items) > 2:
            hidden += self._made(encoded, f"{name}.head", where, items[0])
            hidden += arrays[f"{name}.distance one"][:, distance(items[0], one)]
            hidden += arrays[f"{name}.distance other"][:, distance(items[0], other)]
        else:
            ids = [encoded.seen[number].ids for number in where]
            hidden += arrays[f"{name}.fit"][:, [self.columns.fit(of[a], of[b]) for of, a, b in zip(ids, one, other, strict=True)]]
        hidden += _product(between(encoded.counts, where, one, other).astype(np.float32), arrays[f"{name}.counts"])
        hidden = _rounded(np.maximum(hidden, 0.0))
        scores = _product(hidden, arrays[f"{name}.weight"]) + arrays[f"{name}.bias"][:, None]
        answers: Ints = scores.sum(axis=0).argmax(axis=1)
        return answers

    def _items(self, seen: Sequence[Seen]) -> NDArray[np.int64]:
        """Return for each member the sum of the vectors of all codes of each item of all sentences."""
        form = len(LEXICAL)
        codes = [row for one in seen for row in one.codes.tolist()]
        around = np.array([self._found(row[form:], form) for row in codes], np.intp)
        summed = np.stack([self._of_forms[tuple(row[:form])] for row in codes]) + self.table[around].sum(axis=1, dtype=np.int32)
        vectors: NDArray[np.int64] = summed.reshape(len(codes), self.members, EMBEDDING).transpose(1, 0, 2)
        return vectors

    def _form(self, codes: tuple[int, ...]) -> NDArray[np.int32]:
        """Return the sum of the vectors of the features of an item itself, for all members."""
        summed: NDArray[np.int32] = self.table[self._found(codes, 0)].sum(axis=0, dtype=np.int32)
        return summed

    def _found(self, codes: Sequence[int], column: int) -> list[int]:
        """Return the rows of codes, starting at a column."""
        return [known.get(one, first) for one, known, first in zip(codes, self.rows[column:], self.first[column:], strict=False)]

    def _made(self, encoded: Encoded, part: str, where: Ints, at: Ints) -> Reals:
        """Return the projection of some items for a part of a task."""
        section = self.sections[part]
        made: Reals
        if section.stop <= self.often:
            made = encoded.projected[..., section][:, where, at]
        else:
            weight, bias = self.arrays["project.weight"][..., section], self.arrays["project.bias"][:, None, section]
            made = _product(encoded.vectors[:, where, at], weight) + bias
        return made

    def _remembered(self, vectors: Reals, lengths: Ints) -> Reals:
        """Return the hidden state at each item, forwards and backwards (an LSTM of one layer)."""
        members, count, longest, width = vectors.shape
        at = np.arange(longest)
        backwards = np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
        rows = np.arange(count)[:, None]
        arrays = self.arrays
        inputs = np.stack([vectors, vectors[:, rows, backwards]], axis=1).reshape(members, 2, count * longest, width)
        gates = _product(inputs, arrays["memory.input"]) + arrays["memory.bias"][:, :, None]
        gates = np.ascontiguousarray(gates.reshape(members * 2, count, longest, -1).transpose(2, 0, 1, 3))
        recurrent = arrays["memory.recurrent"].reshape(members * 2, MEMORY, -1)
        out = np.zeros((longest, members * 2, count, MEMORY), np.float32)
        hidden, cell = np.zeros((2, members * 2, count, MEMORY), np.float32)
        for step in range(longest):
            # Sentences in the order of their lengths end one after the other.
            going = slice(int((lengths > step).argmax()), None)
            # The logistic function by tanh: the three gates first, then the cell input.
            turned = _tanh(gates[step, :, going] + _product(hidden[:, going], recurrent))
            opened = turned[:, :, : 3 * MEMORY] * 0.5 + 0.5
            kept, new = opened[:, :, MEMORY : 2 * MEMORY] * cell[:, going], opened[:, :, :MEMORY] * turned[:, :, 3 * MEMORY :]
            cell[:, going] = _rounded(kept + new)
            hidden[:, going] = _rounded(opened[:, :, 2 * MEMORY :] * _tanh(cell[:, going]))
            out[step, :, going] = hidden[:, going]
        both = out.reshape(longest, members, 2, count, MEMORY).transpose(1, 2, 3, 0, 4)
        return np.concatenate([both[:, 0], both[:, 1][:, rows, backwards]], axis=3)


def _tell_one(status: Ints, scores: Reals, seen: Seen) -> None:
    """Give a sentence with findings but no head the most probable finding as its head; without a finding, a direction ("lung
    volumes are lower"), or a quality that is negated. In a remark its status is none ("findings discussed with")."""
    for kinds in ((FINDING,), ("up", "down", "lost", "signalword"), (QUALITY,) if "neg" in seen.kinds else ()):
        able = [at for at, kind in enumerate(seen.kinds) if kind in kinds]
        if able:
            told = scores[able, 1:].max(axis=1) - scores[able, 0]
            best = able[int(told.argmax())]
            status[best] = 1 + (STATUSES.index("none") if "drop" in seen.kinds else scores[best, 1:].argmax())
            return


def _product(one: Reals, other: Reals) -> Reals:
    """Return the matrix product over the last two axes, in parts that OpenBLAS computes in one thread."""
    (rows, inner), columns = one.shape[-2:], other.shape[-1]
    made: Reals
    if rows > 1 and rows * inner * columns <= _MATRICES:
        made = one @ other
        return made
    width = _COLUMNS if rows > 1 else _VECTOR // inner
    height = _MATRICES // (inner * width)
    made = np.empty((*np.broadcast_shapes(one.shape[:-2], other.shape[:-2]), rows, columns), np.float32)
    for top in range(0, rows, height):
        for left in range(0, columns, width):
            part = np.s_[..., top : top + height, left : left + width]
            np.matmul(one[..., top : top + height, :], other[..., left : left + width], out=made[part])
    return made


def _tanh(values: Reals) -> Reals:
    turned: Reals = _TANH.take(np.rint(values * _STEPS).astype(np.int32) + len(_TANH) // 2, mode="clip")
    return turned


def _rounded(values: _Array) -> _Array:
    rounded = values * GRID
    np.rint(rounded, out=rounded)
    rounded /= GRID
    return rounded


def _normed(values: Doubles, weight: Reals, bias: Reals) -> Doubles:
    """Return vectors of mean 0 and variance 1, scaled and shifted by the weights of each member, rounded."""
    values = values - _rounded(values.mean(axis=2, keepdims=True))
    spread = np.sqrt((values * values).mean(axis=2, keepdims=True) + 1e-5)
    return _rounded(values / spread * weight[:, None] + bias[:, None])
