"""Metrics of kgscore and baselines of others on the same pairs, with bootstrap intervals by case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore import peers
from kgscore.bench._text import REMEMBERED
from kgscore.engine import Scorer
from kgscore.metrics import MetricInfo, metric
from kgscore.model import PairResult
from kgscore.peers import PeerInfo
from kgscore.results.resampling import draws, generator, percentile
from kgscore.results.statistics import Sampling

Floats = NDArray[np.float64]
Figures = Mapping[str, Mapping[str, Any]]
BASELINES = ("overlap",)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of figures to print: a row for each contender, its figures in `columns`."""

    title: str
    columns: Sequence[str]
    rows: Figures


def info_of(name: str) -> MetricInfo | PeerInfo:
    """Return range and direction of a metric or a baseline."""
    return peers.peer(name) if name in peers.names() else metric(name)


class Contest:
    """Scores pairs by metrics of kgscore and by baselines, all under their names."""

    def __init__(
        self, profile: str, metrics: Sequence[str], baselines: Sequence[str] = BASELINES,
        settings: Mapping[str, Mapping[str, Any]] | None = None, reader: str = "default",
    ) -> None:  # fmt: skip
        self.scorer = Scorer(profile, metrics, remember=REMEMBERED, reader=reader)
        self.peers = peers.build(baselines, settings)
        self.names = (*self.scorer.metrics, *self.peers)

    def run(self, pairs: Iterable[tuple[str, str]]) -> Scores:
        """Score every (reference, candidate)."""
        given = list(pairs)
        results = [self.scorer.score(reference=reference, candidate=candidate) for reference, candidate in given]
        values = {name: _array(result.scores[name].value for result in results) for name in self.scorer.metrics}
        values |= {name: _array(peers.scores(name, made, given)) for name, made in self.peers.items()}
        return Scores({name: info_of(name) for name in self.names}, values, results)

    def signatures(self) -> dict[str, str]:
        """Return what makes the scores of the baselines: library, version, settings."""
        return {name: peers.signature(name) for name in self.peers}


@dataclass(frozen=True, slots=True)
class Scores:
    """The values of every contender for a list of pairs, NaN where there is none, and kgscore's own results."""

    infos: Mapping[str, MetricInfo | PeerInfo]
    values: Mapping[str, Floats]
    results: Sequence[PairResult]

    def upward(self, name: str) -> Floats:
        """Return the values turned so that higher is better; NaN stays."""
        return self.values[name] if self.infos[name].higher_is_better else -self.values[name]

    def ranks(self, name: str) -> Floats:
        """Return places from 0 up, higher is better; a pair without a score ranks below all others."""
        values = self.upward(name)
        filled = np.where(np.isnan(values), -np.inf, values)
        return np.unique(filled, return_inverse=True)[1].reshape(values.shape).astype(np.float64)

    def worst(self, name: str) -> float | None:
        """Return the worst score that there can be, None where the metric has no bound there."""
        info = self.infos[name]
        return info.low if info.higher_is_better else info.high


def _array(values: Iterable[float | None]) -> Floats:
    return np.asarray([np.nan if value is None else value for value in values], dtype=np.float64)


def mean(values: Floats) -> float | None:
    """Return the mean of the values that are there, rounded; None for none."""
    there = values[np.isfinite(values)]
    return round(float(there.mean()), 3) if len(there) else None


def means(columns: Mapping[str, Floats], sampling: Sampling | None = None, *, label: str = "") -> dict[str, Any]:
    """Return the mean of each column over the cases, and under `intervals` its percentile bootstrap interval: cases are drawn
    with replacement, the same for all columns. A case that has no value (NaN) is left out of its column."""
    how = sampling or Sampling()
    cases = len(next(iter(columns.values())))
    found: dict[str, Any] = {name: mean(values) for name, values in columns.items()}
    if cases < 2:
        return {**found, "intervals": {}}
    estimates: dict[str, list[Floats]] = {name: [] for name in columns}
    for rows in draws(cases, how.resamples, generator(how.seed, label)):
        for name, values in columns.items():
            estimates[name].append(_means(values, rows))
    ends = {name: interval(np.concatenate(blocks), how.level) for name, blocks in estimates.items()}
    return {**found, "intervals": {name: both for name, both in ends.items() if both}}


def _means(values: Floats, rows: NDArray[np.int32]) -> Floats:
    there = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(there, values, 0.0)[rows].sum(axis=1) / there[rows].sum(axis=1))


def interval(estimates: Floats, level: float) -> list[float] | None:
    """Return the rounded percentile interval of the estimates that are defined; None for fewer than two."""
    there = estimates[np.isfinite(estimates)]
    return [round(end, 3) for end in percentile(there, level)] if len(there) > 1 else None
