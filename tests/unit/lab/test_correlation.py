"""Agreement with ratings against scipy, and what must hold whatever the numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from kgscore.lab.correlation import correlate, kendall, pearson, preference, preferences, spearman
from kgscore.results.statistics import Sampling

RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=80).round(1)
Y = (X + RANDOM.normal(size=80)).round(0)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(kendall, stats.kendalltau), (spearman, stats.spearmanr), (pearson, stats.pearsonr)]
)
def test_correlations_are_those_of_scipy_also_in_resamples(ours, theirs) -> None:
    assert ours(X, Y)[0] == pytest.approx(theirs(X, Y).statistic)
    drawn = np.random.default_rng(2).integers(0, len(X), size=(5, len(X)))
    weights = np.stack([np.bincount(row, minlength=len(X)) for row in drawn]).astype(float)
    assert ours(X, Y, weights) == pytest.approx([theirs(X[row], Y[row]).statistic for row in drawn])
    assert np.isnan(ours(X, np.ones(len(X)))[0])


def test_the_blocks_of_a_large_matrix_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = kendall(X, Y)[0], preference(X, Y)[0]
    monkeypatch.setattr("kgscore.lab.correlation._BLOCK", 7)
    assert (kendall(X, Y)[0], preference(X, Y)[0]) == whole


def test_preference_counts_pairs_one_by_one() -> None:
    groups = np.arange(80) // 4
    for inside in (None, groups):
        pairs = [
            (i, j) for i, j in itertools.combinations(range(80), 2)
            if Y[i] != Y[j] and (inside is None or inside[i] == inside[j])
        ]  # fmt: skip
        right = [0.5 if X[i] == X[j] else float((X[i] > X[j]) == (Y[i] > Y[j])) for i, j in pairs]
        assert preference(X, Y, groups=inside)[0] == pytest.approx(np.mean(right))
        found = correlate(X, Y, metric="m", human="h", groups=None if inside is None else list(map(str, inside)))[-1]
        assert (found.measure, found.compared) == ("preference", len(pairs))


def test_missing_figures_are_counted_and_left_out() -> None:
    x, y = X.copy(), Y.copy()
    x[:3], y[5:7] = np.nan, np.nan
    there = np.isfinite(x) & np.isfinite(y)
    found = correlate(x, y, metric="m", human="h", sampling=Sampling(resamples=200))[0]
    assert (found.pairs, found.unscored, found.unrated) == (75, 3, 2)
    assert found.value == pytest.approx(stats.kendalltau(x[there], y[there]).statistic)
    assert found.low < found.value < found.high


def test_what_is_not_defined_is_none() -> None:
    for row in correlate(np.ones(5), np.arange(5.0), metric="m", human="h", sampling=Sampling(resamples=100))[:3]:
        assert (row.value, row.low, row.high) == (None, None, None)
    assert correlate(np.array([1.0]), np.array([1.0]), metric="m", human="h")[0].value is None


def test_choices_of_the_better_of_two() -> None:
    scores = {"a": 0.9, "b": 0.5, "c": 0.5}
    found = preferences(scores, [("a", "b"), ("b", "c"), ("c", "a"), ("a", "gone")], metric="m")
    assert (found.value, found.pairs, found.unscored) == (0.5, 3, 1)
    assert preferences({}, [("a", "b")], metric="m").value is None
