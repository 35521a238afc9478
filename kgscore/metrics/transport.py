"""Entropic optimal transport in the log domain: balanced, partial and unbalanced (RadOT-Eval IV-A, IV-D).

Every function takes a cost matrix (rows × columns), the masses of rows and of columns (positive, each summing to 1) and a
positive entropy, and returns the plan: non-negative masses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Masses = tuple[Matrix, Matrix]
TOLERANCE = 1e-9
ROUNDS = 20_000
# The largest ratio of cost to entropy at which the scalings themselves stay far from the limits of a float.
SAFE = 100.0


def balanced_plan(cost: Matrix, masses: Masses, entropy: float) -> Matrix:
    """Return the plan with both marginals kept that minimises cost − entropy × its entropy (Sinkhorn).

    >>> cost, even = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.5, 0.5])
    >>> balanced_plan(cost, (even, even), 0.1).round(3).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    return _sinkhorn(cost, masses, entropy, 1.0)


def unbalanced_plan(cost: Matrix, masses: Masses, entropy: float, penalty: float) -> Matrix:
    """Return the plan whose marginals may deviate from the masses at `penalty` (above 0) × their Kullback–Leibler divergence."""
    return _sinkhorn(cost, masses, entropy, penalty / (penalty + entropy))


def _sinkhorn(cost: Matrix, masses: Masses, entropy: float, damping: float) -> Matrix:
    """Alternate both scalings (damped if marginals are soft) until they converge; in the log domain if necessary."""
    kernel = -cost / entropy
    if kernel.min() < -SAFE:
        return _sinkhorn_in_logs(kernel, masses, damping)
    rows, columns = masses
    kernel = np.exp(kernel)
    turned = kernel.T.copy()
    left, before, right = np.ones(cost.shape[0]), np.ones(cost.shape[0]), np.ones(cost.shape[1])
    last = 0  # the scaling that was furthest from convergence: while it changes, the others need no check
    for _ in range(ROUNDS):
        left, before = before, left
        np.divide(rows, np.dot(kernel, right, out=left), out=left)
        if damping != 1.0:
            np.power(left, damping, out=left)
        np.divide(columns, np.dot(turned, left, out=right), out=right)
        if damping != 1.0:
            np.power(right, damping, out=right)
        if abs(left.item(last) / before.item(last) - 1.0) < TOLERANCE:
            moved = np.abs(left / before - 1.0)
            last = int(moved.argmax())
            if moved.item(last) < TOLERANCE:
                break
    return kernel * left[:, None] * right[None, :]


def _sinkhorn_in_logs(kernel: Matrix, masses: Masses, damping: float) -> Matrix:
    rows, columns = map(np.log, masses)
    left, right = np.zeros(kernel.shape[0]), np.zeros(kernel.shape[1])
    for _ in range(ROUNDS):
        before = left
        left = damping * (rows - _log_sum(kernel + right[None, :], 1))
        right = damping * (columns - _log_sum(kernel + left[:, None], 0))
        if np.abs(left - before).max() < TOLERANCE:
            break
    return np.exp(kernel + left[:, None] + right[None, :])


def partial_plan(cost: Matrix, masses: Masses, entropy: float, mass: float) -> Matrix:
    """Return the plan that moves exactly `mass` (above 0, at most 1) with no row or column above its own mass.

    Dykstra's algorithm over three Kullback–Leibler projections (Benamou and others 2015).
    """
    rows, columns = map(np.log, masses)
    total = np.log(mass)
    plan = -cost / entropy
    plan = plan + total - _log_sum(plan.ravel(), 0)
    projections: tuple[Callable[[Matrix], Matrix], ...] = (
        lambda held: held + np.minimum(0.0, rows - _log_sum(held, 1))[:, None],
        lambda held: held + np.minimum(0.0, columns - _log_sum(held, 0))[None, :],
        lambda held: held + total - _log_sum(held.ravel(), 0),
    )
    kept = [np.zeros_like(plan) for _ in projections]
    for _ in range(ROUNDS):
        before = plan
        for step, project in enumerate(projections):
            held = plan + kept[step]
            plan = project(held)
            kept[step] = held - plan
        if np.max(np.abs(np.exp(plan) - np.exp(before))) < TOLERANCE * 1e-2:
            break
    return np.exp(plan)


def _log_sum(values: Matrix, axis: int) -> Matrix:
    """Return log Σ exp along an axis, without overflow."""
    top = np.max(values, axis=axis, keepdims=True)
    return np.asarray(np.squeeze(top, axis) + np.log(np.sum(np.exp(values - top), axis=axis)))
