"""Summaries of runs: for every metric, the pairs scored, empty and failed, and the mean of the scored pairs with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgscore.results.resampling import mean_interval
from kgscore.results.scores import Scores

ALL = "all"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of intervals and tests: the level of an interval, the number of resamples, the seed, and the column of the input
    whose equal values are resampled together (`patient`), if any."""

    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over one group of a run's pairs. Figures are of the scored pairs, None if there are too few.

    `low` and `high` are the BCa bootstrap interval of the mean; `by` is the grouping column, "" for all pairs. `silent`
    counts the candidates that say nothing, `not_understood` those in which nothing is understood; `unlinked` is the share of the
    candidates' words that no concept covers (0 to 1)."""

    run: str
    metric: str
    by: str
    group: str
    pairs: int
    scored: int
    empty: int
    failed: int
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    sd: float | None
    min: float | None
    max: float | None
    silent: int
    not_understood: int
    unlinked: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the mean; None if there are too few pairs."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def summarise(scores: Scores, *, by: Sequence[str] = (), sampling: Sampling | None = None) -> list[Summary]:
    """Return the summary of every metric over all pairs, and over each value of each column in `by`.

    A pair that is empty or failed is counted, never averaged. A candidate that says nothing has the score of one that
    missed everything.

    Raises:
        RunError: the input lacks a column.
    """
    how = sampling or Sampling()
    clusters = None if how.cluster is None else np.asarray(scores.column(how.cluster))
    found = []
    for column, group, mine in _groups(scores, by):
        words = int(scores.words[mine].sum())
        silent, strange = int(scores.silent[mine].sum()), int(scores.not_understood[mine].sum())
        unlinked = int(scores.unlinked[mine].sum()) / words if words else None
        for metric in scores.metrics:
            status = scores.status[metric][mine]
            there = mine & (scores.status[metric] == "scored")
            values = scores.values[metric][there]
            drawn = None if clusters is None else list(clusters[there])
            label = f"{metric}|{column}|{group}"
            ends = mean_interval(values, clusters=drawn, level=how.level, resamples=how.resamples, seed=how.seed, label=label)
            scored, empty, failed = (int((status == one).sum()) for one in ("scored", "empty", "failed"))
            low, high = ends or (None, None)
            measures = (np.mean, np.median, np.min, np.max)
            mean, median, least, most = (float(measure(values)) if len(values) else None for measure in measures)
            sd = float(values.std(ddof=1)) if len(values) > 1 else None
            found.append(Summary(
                scores.name.name, metric, column, group, int(mine.sum()), scored, empty, failed, mean, low, high, median,
                sd, least, most, silent, strange, unlinked,
            ))  # fmt: skip
    return found


def _groups(scores: Scores, by: Sequence[str]) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    yield "", ALL, np.ones(len(scores.ids), dtype=np.bool_)
    for column in by:
        values = np.asarray(scores.column(column))
        for value in sorted(set(values.tolist())):
            yield column, value, values == value
