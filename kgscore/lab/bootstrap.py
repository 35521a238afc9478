"""Percentile bootstrap intervals of several figures at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from kgscore.results.resampling import Floats, draws, generator, percentile
from kgscore.results.statistics import Sampling


def intervals(
    names: Iterable[str], units: int, figures: Callable[[NDArray[np.int32]], Floats], how: Sampling, label: str
) -> dict[str, tuple[float, float]]:
    """Return the interval of each figure defined in at least two resamples. Units are drawn with replacement, the same for all:
    `figures` takes resamples, one per row, and returns a column for each name."""
    if units < 2:
        return {}
    columns = np.concatenate([figures(rows) for rows in draws(units, how.resamples, generator(how.seed, label))]).T
    there = {name: column[np.isfinite(column)] for name, column in zip(names, columns, strict=True)}
    return {name: percentile(known, how.level) for name, known in there.items() if len(known) > 1}
