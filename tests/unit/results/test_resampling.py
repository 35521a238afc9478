"""Intervals and tests against scipy, and what must hold whatever the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from kgscore.results.resampling import holm_correction, mean_interval, percentile, permutation_p

RANDOM = np.random.default_rng(7)
SKEWED = RANDOM.exponential(size=40)
SHIFTED = RANDOM.normal(0.4, 1.0, size=30)


def test_the_interval_of_a_mean_is_that_of_scipy() -> None:
    random = np.random.default_rng(1)
    theirs = stats.bootstrap((SKEWED,), np.mean, method="BCa", n_resamples=20_000, rng=random).confidence_interval
    low, high = mean_interval(SKEWED, resamples=20_000)
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    assert low < SKEWED.mean() < high
    assert high - SKEWED.mean() > SKEWED.mean() - low  # skewed to the right, and so is its interval


def test_an_interval_is_the_same_each_time_and_only_depends_on_its_own_label() -> None:
    assert mean_interval(SKEWED, label="a") == mean_interval(SKEWED, label="a")
    assert mean_interval(SKEWED, label="a") != mean_interval(SKEWED, label="b")
    assert mean_interval(SKEWED, seed=1) != mean_interval(SKEWED, seed=2)


def test_there_is_no_interval_of_fewer_than_two_units() -> None:
    assert mean_interval(np.array([0.5])) is None
    assert mean_interval(np.array([])) is None
    assert mean_interval(np.array([0.1, 0.2, 0.3]), clusters=["p", "p", "p"]) is None
    assert mean_interval(np.array([0.5, 0.5])) == (0.5, 0.5)


def test_clusters_are_drawn_whole() -> None:
    several, patients = np.repeat(SKEWED, 3), np.repeat(np.arange(40), 3)
    together = mean_interval(several, clusters=patients.tolist())
    assert together == pytest.approx(mean_interval(SKEWED), abs=0.05)
    alone = mean_interval(several)
    assert alone[1] - alone[0] < (together[1] - together[0]) * 0.75  # as if there were three times as many patients


def test_coverage_is_near_its_level() -> None:
    random = np.random.default_rng(3)
    inside = 0
    for trial in range(200):
        low, high = mean_interval(random.exponential(size=30), resamples=1000, label=str(trial))
        inside += low <= 1.0 <= high
    assert 0.88 <= inside / 200 <= 0.98


def test_a_permutation_test_of_few_pairs_counts_all_flips() -> None:
    few = SHIFTED[:9]
    theirs = stats.permutation_test(
        (few, np.zeros(9)), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )  # fmt: skip
    assert permutation_p(few) == pytest.approx(theirs.pvalue)


def test_a_permutation_test_of_many_pairs_is_near_scipy_and_never_zero() -> None:
    theirs = stats.permutation_test(
        (SHIFTED, np.zeros(30)), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=20_000,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert permutation_p(SHIFTED, resamples=20_000) == pytest.approx(theirs.pvalue, abs=0.01)
    assert permutation_p(np.ones(100), resamples=999) == 1 / 1000
    assert permutation_p(np.zeros(100)) == 1.0
    assert permutation_p(np.array([])) == 1.0


def test_flips_are_of_whole_clusters() -> None:
    values = np.array([1.0, 1.0, 1.0, 1.0])
    assert permutation_p(values) == 2 / 16
    assert permutation_p(values, clusters=["a", "a", "b", "b"]) == 2 / 4


def test_p_values_are_uniform_where_nothing_differs() -> None:
    random = np.random.default_rng(5)
    found = [permutation_p(random.normal(size=25), resamples=499, label=str(trial)) for trial in range(300)]
    assert np.mean(np.array(found) <= 0.05) < 0.09
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_holm() -> None:
    assert holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_correction([0.9, 0.8]) == [1.0, 1.0]
    assert holm_correction([]) == []


def test_percentiles() -> None:
    assert percentile(np.arange(101.0), 0.9) == pytest.approx((5.0, 95.0))
