"""Agreement of scores with human ratings: rank and linear correlation with bootstrap intervals, and preference accuracy.

Everything is computed from weights: a bootstrap resample is the number of times each unit was drawn, so that a resample costs
one product with the matrix of signs, and nothing is sorted again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgscore.results.resampling import Floats, blocks, generator, percentile
from kgscore.results.statistics import Sampling

MEASURES = ("kendall", "spearman", "pearson", "preference")
_BLOCK = 2048  # columns of the matrix of signs held at a time
_CELLS = 8_000_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """One measure of agreement of a metric with a column of human ratings, over the `pairs` that have both.

    `measure` is kendall (τ_b), spearman, pearson (−1 to 1) or preference (0 to 1: the share of comparable pairs of reports that
    the metric orders as people do; a tie of the metric counts a half), or of categories agreement (0 to 1) or Cohen's kappa.
    `value` is None if undefined; `low` and `high` are the percentile bootstrap interval. `unscored` have a rating and no
    score, `unrated` the reverse. `compared` counts the pairs of pairs behind a preference.
    """

    metric: str
    human: str
    measure: str
    pairs: int
    unscored: int
    unrated: int
    value: float | None
    low: float | None
    high: float | None
    compared: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A `measure` of a `metric` in a `task`, over all cases or those `of` one kind.

    `value` is None if undefined; `low` and `high` bound its bootstrap interval. `cases` is the sample size, including
    `unscored` cases without a score.
    """

    task: str
    of: str
    metric: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    cases: int
    unscored: int = 0


def kendall(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Return Kendall's τ_b under each row of weights (how often each entry counts); NaN if x or y does not vary."""
    w = np.ones((1, len(x))) if weights is None else weights
    agreed = np.zeros(len(w))
    for start in range(0, len(x), _BLOCK):
        said, wanted = _comparable_counts(x, y, None, slice(start, start + _BLOCK))
        agreed += np.einsum("rj,rj->r", w.astype(np.float32) @ (said * wanted), w[:, start : start + _BLOCK])
    total = w.sum(axis=1)
    apart = [total**2 - (_weight_by_value(values, w) ** 2).sum(axis=1) for values in (x, y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(agreed / np.sqrt(apart[0] * apart[1]))


def pearson(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Return Pearson's r under each row of weights; NaN if x or y does not vary."""
    w = np.ones((1, len(x))) if weights is None else weights
    return _weighted_correlation(np.broadcast_to(x - x.mean(), w.shape), np.broadcast_to(y - y.mean(), w.shape), w)


def spearman(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Return Spearman's ρ under each row of weights: Pearson's r of midranks; NaN if x or y does not vary."""
    w = np.ones((1, len(x))) if weights is None else weights
    return _weighted_correlation(_ranks(x, w), _ranks(y, w), w)


def _weighted_correlation(x: Floats, y: Floats, w: Floats) -> Floats:
    total = w.sum(axis=1, keepdims=True)
    off_x, off_y = (values - (w * values).sum(axis=1, keepdims=True) / total for values in (x, y))
    within = (w * off_x**2).sum(axis=1), (w * off_y**2).sum(axis=1)
    flat = np.minimum(*within) <= 1e-18 * np.maximum(1.0, np.maximum(*within))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.nan, (w * off_x * off_y).sum(axis=1) / np.sqrt(within[0] * within[1]))


def _weight_by_value(values: Floats, w: Floats) -> Floats:
    """Return the weight of each distinct value, in rising order, under each row of weights."""
    distinct, at = np.unique(values, return_inverse=True)
    order = np.argsort(at, kind="stable")
    starts = np.searchsorted(at[order], np.arange(len(distinct)))
    return np.asarray(np.add.reduceat(w[:, order], starts, axis=1))


def _ranks(values: Floats, w: Floats) -> Floats:
    groups = _weight_by_value(values, w)
    middle = np.cumsum(groups, axis=1) - groups + (groups + 1) / 2
    return np.asarray(middle[:, np.unique(values, return_inverse=True)[1]])


def preference(x: Floats, y: Floats, weights: Floats | None = None, groups: NDArray[np.int64] | None = None) -> Floats:
    """Return the share of pairs with different y (within a group) that x orders in the same way, a tie of x counting a half;
    NaN if there is none."""
    w = np.ones((1, len(x))) if weights is None else weights
    right, all_ = np.zeros(len(w)), np.zeros(len(w))
    for start in range(0, len(x), _BLOCK):
        said, wanted = _comparable_counts(x, y, groups, slice(start, start + _BLOCK))
        light, here = w.astype(np.float32), w[:, start : start + _BLOCK]
        right += np.einsum("rj,rj->r", light @ (np.abs(wanted) + said * wanted), here) / 2
        all_ += np.einsum("rj,rj->r", light @ np.abs(wanted), here)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(right / all_)


def agreement(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Return the share of entries on which x and y are equal, under each row of weights."""
    w = np.ones((1, len(x))) if weights is None else weights
    return np.asarray((w @ (x == y)) / w.sum(axis=1))


def kappa(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Return Cohen's kappa of two raters' categories, 1 at most, 0 for agreement by chance; NaN where both give one category."""
    w = np.ones((1, len(x))) if weights is None else weights
    total = w.sum(axis=1)
    chance = sum(((w @ (x == one)) * (w @ (y == one)) for one in np.union1d(x, y)), np.zeros(len(w))) / total**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance < 1, (agreement(x, y, w) - chance) / (1 - chance), np.nan)


def _comparable_counts(
    x: Floats, y: Floats, groups: NDArray[np.int64] | None, columns: slice
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    said = np.sign(x[:, None] - x[None, columns]).astype(np.float32)
    wanted = np.sign(y[:, None] - y[None, columns]).astype(np.float32)
    if groups is not None:
        wanted[groups[:, None] != groups[None, columns]] = 0
    return said, wanted


def correlate(
    x: Floats, y: Floats, *, metric: str, human: str, groups: Sequence[str] | None = None, clusters: Sequence[str] | None = None,
    sampling: Sampling | None = None, measures: Sequence[str] = MEASURES,
) -> list[Correlation]:
    """Return measures of agreement of scores `x` with human ratings `y`, where higher is better in both; NaN is missing.

    With `groups`, preferences are compared inside a group only (candidates for one study). With `clusters`, the bootstrap draws
    whole clusters; without clusters, whole groups are drawn.
    """
    how = sampling or Sampling()
    there = np.isfinite(x) & np.isfinite(y)
    unscored, unrated = int((np.isfinite(y) & ~np.isfinite(x)).sum()), int((np.isfinite(x) & ~np.isfinite(y)).sum())
    one, other = x[there], y[there]
    inside = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1][there].astype(np.int64)
    units = np.unique(np.asarray(clusters), return_inverse=True)[1][there] if clusters is not None else inside
    compared = _count_comparable(other, inside)
    known: dict[str, Callable[[Floats | None], Floats]] = {
        "kendall": lambda w: kendall(one, other, w),
        "spearman": lambda w: spearman(one, other, w),
        "pearson": lambda w: pearson(one, other, w),
        "preference": lambda w: preference(one, other, w, inside),
        "agreement": lambda w: agreement(one, other, w),
        "kappa": lambda w: kappa(one, other, w),
    }
    found = []
    for name in measures:
        measure = known[name]
        value = float(measure(None)[0]) if len(one) > 1 else np.nan
        ends = _interval(measure, len(one), units, how, f"{metric}|{human}|{name}") if np.isfinite(value) else (None, None)
        found.append(
            Correlation(
                metric, human, name, len(one), unscored, unrated, value if np.isfinite(value) else None, *ends,
                compared if name == "preference" else None,
            )
        )  # fmt: skip
    return found


def _count_comparable(y: Floats, groups: NDArray[np.int64] | None) -> int:
    """Return how many pairs of entries people order (within a group)."""

    def pairs(values: Floats) -> int:
        counts = np.unique(values, return_counts=True)[1].astype(np.int64)
        return int((len(values) * (len(values) - 1) - (counts * (counts - 1)).sum()) // 2)

    return pairs(y) if groups is None else sum(pairs(y[groups == group]) for group in np.unique(groups))


def _interval(
    measure: Callable[[Floats | None], Floats], count: int, units: NDArray[np.int64] | None, how: Sampling, label: str
) -> tuple[float | None, float | None]:
    random = generator(how.seed, label)
    estimates = np.concatenate([measure(weights) for weights in _weights(count, units, how.resamples, random)])
    estimates = estimates[np.isfinite(estimates)]
    return percentile(estimates, how.level) if len(estimates) > 1 else (None, None)


def _weights(count: int, units: NDArray[np.int64] | None, resamples: int, random: np.random.Generator) -> Iterator[Floats]:
    """Yield blocks of resamples as the number of times each entry was drawn, one resample a row."""
    at = np.arange(count) if units is None else np.unique(units, return_inverse=True)[1]
    drawn = int(at.max()) + 1 if count else 0
    for rows in blocks(resamples, count, _CELLS):
        yield random.multinomial(drawn, np.full(drawn, 1 / drawn), size=rows).astype(np.float64)[:, at]


def preferences(
    scores: dict[str, float], choices: Sequence[tuple[str, str]], *, metric: str, sampling: Sampling | None = None
) -> Correlation:
    """Return how often a metric agrees with human choices given as (better id, worse id), where higher scores are
    better. A tie counts a half; choices with an id that has no score are counted as `unscored`."""
    how = sampling or Sampling()
    known = [(scores[better], scores[worse]) for better, worse in choices if better in scores and worse in scores]
    right = np.asarray([(np.sign(better - worse) + 1) / 2 for better, worse in known])
    if not len(right):
        return Correlation(metric, "preference", "preference", 0, len(choices), 0, None, None, None, 0)
    random = generator(how.seed, f"{metric}|preference")
    estimates = np.concatenate(
        [right[random.integers(0, len(right), size=(rows, len(right)))].mean(axis=1)
         for rows in blocks(how.resamples, len(right), _CELLS)]
    )  # fmt: skip
    low, high = percentile(estimates, how.level)
    unscored = len(choices) - len(right)
    return Correlation(metric, "preference", "preference", len(right), unscored, 0, float(right.mean()), low, high, len(right))
