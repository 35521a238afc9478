"""Entropic transport: marginals, limits, and agreement with POT where it is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from kgscore.metrics.transport import balanced_plan, partial_plan, unbalanced_plan

SHAPES = [(1, 1), (1, 4), (5, 7), (12, 9)]


def problem(shape: tuple[int, int]) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(shape[0] * 100 + shape[1])
    rows, columns = (random.random(size) + 0.2 for size in shape)
    return random.random(shape), (rows / rows.sum(), columns / columns.sum())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("entropy", [0.2, 0.05, 0.004])
def test_balanced_keeps_both_marginals(shape: tuple[int, int], entropy: float) -> None:
    cost, masses = problem(shape)
    plan = balanced_plan(cost, masses, entropy)
    assert plan.sum(axis=1) == pytest.approx(masses[0], abs=1e-6)
    assert plan.sum(axis=0) == pytest.approx(masses[1], abs=1e-6)
    assert (plan >= 0).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_partial_moves_its_mass_and_no_unit_gives_more_than_it_has(shape: tuple[int, int]) -> None:
    cost, masses = problem(shape)
    plan = partial_plan(cost, masses, 0.1, 0.7)
    assert plan.sum() == pytest.approx(0.7)
    assert (plan.sum(axis=1) <= masses[0] + 1e-6).all()
    assert (plan.sum(axis=0) <= masses[1] + 1e-6).all()


def test_partial_leaves_the_dearest_behind() -> None:
    cost, even = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([0.5, 0.5])
    plan = partial_plan(cost, (even, even), 0.01, 0.5)
    assert plan[0, 0] == pytest.approx(0.5, abs=1e-6)


def test_unbalanced_goes_to_balanced_as_the_penalty_grows() -> None:
    cost, masses = problem((5, 7))
    gaps = [np.abs(unbalanced_plan(cost, masses, 0.2, p) - balanced_plan(cost, masses, 0.2)).max() for p in (0.1, 1.0, 1000.0)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3


def test_scaling_and_logs_give_the_same_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgscore.metrics import transport

    cost, masses = problem((12, 9))
    plain = [balanced_plan(cost, masses, 0.05), unbalanced_plan(cost, masses, 0.05, 0.5)]
    monkeypatch.setattr(transport, "SAFE", 0.0)
    for one, other in zip(plain, [balanced_plan(cost, masses, 0.05), unbalanced_plan(cost, masses, 0.05, 0.5)], strict=True):
        assert one == pytest.approx(other, abs=1e-8)


def test_more_entropy_spreads_the_plan() -> None:
    cost, masses = problem((12, 9))
    peaks = [balanced_plan(cost, masses, entropy).max() for entropy in (0.02, 0.2, 2.0)]
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize("shape", SHAPES[1:])
@pytest.mark.parametrize("entropy", [0.2, 0.05])
def test_the_plans_are_those_of_pot(shape: tuple[int, int], entropy: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ot = pytest.importorskip("ot")
        cost, (rows, columns) = problem(shape)
        known = (
            ot.sinkhorn(rows, columns, cost, entropy, numItermax=20_000, stopThr=1e-12),
            ot.unbalanced.sinkhorn_unbalanced(
                rows, columns, cost, entropy, 0.5, reg_type="entropy", numItermax=20_000, stopThr=1e-12
            ),
            ot.partial.entropic_partial_wasserstein(rows, columns, cost, entropy, m=0.8, numItermax=20_000, stopThr=1e-13),
        )
    masses = (rows, columns)
    assert balanced_plan(cost, masses, entropy) == pytest.approx(known[0], abs=1e-7)
    assert unbalanced_plan(cost, masses, entropy, 0.5) == pytest.approx(known[1], abs=1e-7)
    assert partial_plan(cost, masses, entropy, 0.8) == pytest.approx(known[2], abs=1e-7)
