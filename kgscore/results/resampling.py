"""Resampling, seeded and vectorised: bootstrap intervals of means, paired permutation tests, corrections for multiple tests.

Everything can be resampled by clusters (all the pairs of one patient together): the units are then the clusters.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_CELLS = 200_000  # values drawn at a time, to fit the processor's cache
_DRAWS = 20_000_000  # limit of values drawn for one interval; beyond it, fewer resamples are made
_LEAST = 1_000
_TIES = 1e-12


def generator(seed: int, label: str) -> np.random.Generator:
    """Return the random generator for one figure, independent of other figures."""
    return np.random.default_rng([seed, zlib.crc32(label.encode())])


def units_of(values: Floats, clusters: Sequence[object] | None) -> tuple[Floats, Floats]:
    """Return the sum and the count of values of each resampling unit: each value by itself, or each cluster."""
    if clusters is None:
        return values, np.ones(len(values))
    _, unit = np.unique(np.asarray([str(one) for one in clusters]), return_inverse=True)
    return np.bincount(unit, weights=values).astype(np.float64), np.bincount(unit).astype(np.float64)


def draws(units: int, resamples: int, random: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield blocks of resamples, one a row: the units drawn with replacement."""
    for rows in blocks(min(resamples, max(_LEAST, _DRAWS // max(units, 1))), units):
        yield random.integers(0, units, size=(rows, units), dtype=np.int32)


def blocks(resamples: int, units: int, cells: int = _CELLS) -> Iterator[int]:
    """Yield the number of resamples to draw at a time, bounded by the number of cells."""
    block = max(1, cells // max(units, 1))
    for start in range(0, resamples, block):
        yield min(block, resamples - start)


def mean_interval(
    values: Floats, *, clusters: Sequence[object] | None = None, level: float = 0.95, resamples: int = 10_000, seed: int = 0,
    label: str = "",
) -> tuple[float, float] | None:
    """Return the BCa bootstrap interval of a mean (Efron and Tibshirani 1993, chapter 14); None for fewer than two units."""
    sums, counts = units_of(values, clusters)
    if len(sums) < 2:
        return None
    random = generator(seed, label)
    plain = clusters is None
    means = np.concatenate(
        [sums[rows].mean(axis=1) if plain else sums[rows].sum(axis=1) / counts[rows].sum(axis=1)
         for rows in draws(len(sums), resamples, random)]
    )  # fmt: skip
    left_out = (sums.sum() - sums) / (counts.sum() - counts)
    return bca(means, float(sums.sum() / counts.sum()), left_out, level)


def bca(estimates: Floats, observed: float, left_out: Floats, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval from bootstrap and jackknife estimates."""
    normal = NormalDist()
    share = float(((estimates < observed - _TIES).sum() + (np.abs(estimates - observed) <= _TIES).sum() / 2) / len(estimates))
    off = left_out.mean() - left_out
    spread = float((off**2).sum())
    if not 0 < share < 1 or spread <= _TIES**2:
        return percentile(estimates, level)
    bias, acceleration = normal.inv_cdf(share), float((off**3).sum() / (6 * spread**1.5))
    limits = (bias + normal.inv_cdf(tail) for tail in ((1 - level) / 2, (1 + level) / 2))
    ends = [normal.cdf(bias + z / (1 - acceleration * z)) for z in limits]
    low, high = np.quantile(estimates, ends)
    return float(low), float(high)


def percentile(estimates: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval of bootstrap estimates."""
    low, high = np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def permutation_p(
    differences: Floats, *, clusters: Sequence[object] | None = None, resamples: int = 10_000, seed: int = 0, label: str = ""
) -> float:
    """Return the two-sided p of a paired permutation test of a mean difference of 0: the signs of the units are flipped.

    All flips are counted if there are at most `resamples`; else p is (1 + as far or farther) / (1 + resamples)
    (Phipson and Smyth 2010), never 0.
    """
    sums, counts = units_of(differences, clusters)
    total = float(counts.sum())
    units = len(sums)
    if units == 0:
        return 1.0
    observed = abs(float(sums.sum())) / total
    exact = units < 63 and 2**units <= resamples
    flips: Iterable[Floats] = _flips(sums, resamples, generator(seed, label))
    if exact:
        flips = [((np.arange(2**units)[:, None] >> np.arange(units) & 1) * 2.0 - 1.0) @ sums]
    far = done = 0
    for found in flips:
        far += int((np.abs(found) / total >= observed - _TIES).sum())
        done += len(found)
    return far / done if exact else (1 + far) / (1 + done)


def _flips(sums: Floats, resamples: int, random: np.random.Generator) -> Iterator[Floats]:
    """Yield blocks of sums under random flips of signs. Units are grouped by eight: their 256 sums are indexed by one byte."""
    groups = (len(sums) + 7) // 8
    eights = np.zeros(groups * 8)
    eights[: len(sums)] = sums
    signs = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) * 2.0 - 1.0
    table = (eights.reshape(groups, 8) @ signs.T).ravel()
    first = np.arange(groups, dtype=np.int64) * 256
    for rows in blocks(resamples, groups):
        bits = np.frombuffer(random.bytes(rows * groups), np.uint8).reshape(rows, groups)
        yield table[first + bits].sum(axis=1)


def holm_correction(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple tests (Holm 1979), which keeps the chance of any false positive below the level.

    >>> [round(p, 3) for p in holm_correction([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    stepped = (min(1.0, (len(values) - rank) * values[i]) for rank, i in enumerate(order))
    found = dict(zip(order, accumulate(stepped, max), strict=True))
    return [found[i] for i in range(len(values))]
