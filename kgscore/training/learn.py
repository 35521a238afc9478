"""Linear models over hashed features: softmax regression by Adagrad in fixed batches, averaged, then rounded to small integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgscore.reading.structure.hashing import Slots

_BATCH = 128
Weights = NDArray[np.float32]


def fit(
    slots: Slots, labels: NDArray[np.int64], classes: int, size: int, *, epochs: int = 8, rate: float = 0.12, decay: float = 2e-6,
    rare: int = 2, seed: int = 7, start: Weights | None = None,
) -> Weights:
    """Return the weights, a row for each of `size` slots and a column a class; features of fewer than `rare` rows weigh nothing."""
    counts = np.bincount(slots.ravel(), minlength=size)
    kept = counts >= rare
    kept[0] = False
    dense = np.zeros(size, np.int32)
    dense[kept] = np.arange(1, int(kept.sum()) + 1, dtype=np.int32)
    weights = np.zeros((int(kept.sum()) + 1, classes), np.float32)
    if start is not None:
        weights[1:] = start[kept]
    squares = np.full((len(weights), 1), 1e-3, np.float32)
    total = np.zeros_like(weights)
    random = np.random.default_rng(seed)
    order = random.permutation(len(labels))
    batches = [_batch(dense[slots[rows]], labels[rows]) for rows in np.array_split(order, max(1, len(order) // _BATCH))]
    for epoch in range(epochs):
        step = np.float32(rate)
        for number in random.permutation(len(batches)):
            unique, inverse, rows, starts, wanted = batches[number]
            own = weights[unique]
            scores = own[inverse].sum(axis=1)
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=1, keepdims=True)
            scores[np.arange(len(wanted)), wanted] -= 1
            gradient = np.add.reduceat(scores[rows], starts, axis=0)
            gradient += decay * len(wanted) * own
            squares[unique] += (gradient * gradient).mean(axis=1, keepdims=True) 
            own -= step * gradient / np.sqrt(squares[unique])
            weights[unique] = own
            weights[0] = 0
        if epoch >= epochs // 2:
            total += weights
    total /= epochs - epochs // 2
    out = np.zeros((size, classes), np.float32)
    out[kept] = total[1:]
    return out


def _batch(slots: Slots, labels: NDArray[np.int64]):
    flat = slots.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    unique = ordered[starts]
    inverse = np.searchsorted(unique, slots).astype(np.int32)
    return unique, inverse, (order // slots.shape[1]).astype(np.int32), starts, labels


def rounded(weights: Weights, limit: int = 127) -> tuple[NDArray[np.int8], float]:
    """Return weights as small integers, and what one of them is worth."""
    scale = float(np.abs(weights).max()) / limit or 1.0
    return np.round(weights / scale).astype(np.int8), scale
