"""Metrics of kgscore and peers on the same pairs, with bootstrap intervals by case, tables and heat maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.clinical.context import Context
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.lab import peers
from kgscore.lab.bench._ask import REMEMBERED, Ask, Figures
from kgscore.lab.correlation import Correlation
from kgscore.lab.peers import PeerInfo
from kgscore.lab.published.base import intervals
from kgscore.metrics import MetricInfo, metric
from kgscore.model import PairResult
from kgscore.results.statistics import Sampling

Floats = NDArray[np.float64]
Column = Floats | Sequence[float]
BASELINES = ("overlap",)
_COEFFICIENTS = ("kendall", "spearman", "pearson")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of figures to print: a row for each contender, its figures in `columns`."""

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Figures]


def _metric_info(name: str) -> MetricInfo | PeerInfo:
    return peers.peer(name) if name in peers.names() else metric(name)


class Contest:
    """Scores pairs by metrics of kgscore and by peers, under their names; without `metrics`, by the `usual` ones."""

    def __init__(self, ask: Ask, usual: Sequence[str] = ()) -> None:
        self.scorer = Scorer(ask.profile, ask.metrics or usual, remember=REMEMBERED, reader=ask.reader)
        self.peers = peers.build(ask.baselines, ask.settings)
        self.names = (*self.scorer.metrics, *self.peers)

    def run(self, pairs: Iterable[tuple[str, str]], contexts: Sequence[Context] = ()) -> dict[str, Scores]:
        """Score every (reference, candidate), each with the patient's context if given."""
        given = list(pairs)
        results = [
            self.scorer.score(reference=reference, candidate=candidate, context=context)
            for (reference, candidate), context in zip(given, contexts or [Context()] * len(given), strict=True)
        ]
        values = {name: _float_array(result.scores[name].value for result in results) for name in self.scorer.metrics}
        values |= {name: _float_array(peers.scores(name, made, given)) for name, made in self.peers.items()}
        return {name: Scores(name, _metric_info(name), found, results) for name, found in values.items()}

    def table(self, rows: Iterable[Iterable[tuple[str, str]]], contexts: Sequence[Context] = ()) -> dict[str, Scores]:
        """Score the pairs of every row, the same number in each; the results have one row per row."""
        given = [tuple(row) for row in rows]
        found = self.run((pair for row in given for pair in row), [one for one in contexts for _ in given[0]])
        return {name: replace(one, values=one.values.reshape(len(given), -1)) for name, one in found.items()}

    def against(self, rows: Iterable[Mapping[str, str]], reference: str, texts: Sequence[str]) -> dict[str, Scores]:
        """Score some texts of each row against one of them, by field."""
        return self.table([(row[reference], row[text]) for text in texts] for row in rows)

    def named(self) -> dict[str, Any]:
        """Return the contenders, and the origin of the peers' scores: library, version, settings."""
        return {"contenders": list(self.names), "signatures": {name: peers.signature(name) for name in self.peers}}

    def figures(self, found: Mapping[str, Scores], each: Callable[[Scores], Figures]) -> dict[str, Any]:
        """Return the figures of each contender, with their descriptions."""
        return {**self.named(), **{name: each(one) for name, one in found.items()}}


def tables(*given: tuple[str, Sequence[str]]) -> Callable[[Figures], list[Grid]]:
    """Return a function that makes tables of the contenders' figures, with given titles and columns; empty without contenders."""

    def grids(figures: Figures) -> list[Grid]:
        rows = {name: figures[name] for name in figures["contenders"]}
        return [Grid(title, columns, rows) for title, columns in given if rows]

    return grids


def figures_by_group(figures: Figures) -> dict[str, Any]:
    """Return the figures of all cases and of each group ("modality: CT") by name."""
    return {"all": figures, **{name: row for name, row in figures.items() if ": " in name}}


@dataclass(frozen=True, slots=True)
class Scores:
    """The values of a contender for pairs, NaN if there is none, and kgscore's own results in the order of the pairs."""

    name: str
    info: MetricInfo | PeerInfo
    values: Floats
    results: Sequence[PairResult] = ()

    @property
    def sign(self) -> float:
        """1 if higher is better, else -1."""
        return 1.0 if self.info.higher_is_better else -1.0

    @property
    def signed_values(self) -> Floats:
        """The values signed so that higher is better; NaN is unchanged."""
        return self.sign * self.values

    @property
    def ranks(self) -> Floats:
        """Ranks from 0 up, higher is better; a pair without a score ranks below all others."""
        filled = np.where(np.isnan(self.values), -np.inf, self.signed_values)
        return np.unique(filled, return_inverse=True)[1].reshape(filled.shape).astype(np.float64)

    @property
    def worst(self) -> float | None:
        """The worst possible score, None if unbounded."""
        return self.info.low if self.info.higher_is_better else self.info.high


def _float_array(values: Iterable[float | None]) -> Floats:
    return np.asarray([np.nan if value is None else value for value in values], dtype=np.float64)


def nan_mean(values: Floats) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else np.nan


def mean(values: Floats) -> float | None:
    """Return the mean of the values that are not NaN, rounded; None if there are none."""
    found = nan_mean(values)
    return round(found, 3) if np.isfinite(found) else None


def means(columns: Mapping[str, Column], sampling: Sampling | None = None, *, label: str = "") -> dict[str, Any]:
    """Return the mean of each column (NaN excluded), and under `intervals` its bootstrap interval over the cases."""
    how = sampling or Sampling()
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    cases = len(next(iter(arrays.values())))
    there = {name: np.isfinite(values) for name, values in arrays.items()}
    known = {name: np.where(there[name], values, 0.0) for name, values in arrays.items()}

    def resampled(rows: NDArray[np.int32]) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.stack([known[name][rows].sum(axis=1) / there[name][rows].sum(axis=1) for name in arrays], axis=1)

    found = {name: mean(values) for name, values in arrays.items()}
    return {**found, "intervals": rounded_intervals(intervals(arrays, cases, resampled, how, label))}


def rounded_intervals(ends: Mapping[str, tuple[float, float]]) -> dict[str, list[float]]:
    """Return intervals in the form used in files."""
    return {name: [round(end, 3) for end in both] for name, both in ends.items()}


def shares(columns: Mapping[str, Column], sampling: Sampling | None = None, *, label: str = "") -> dict[str, Any]:
    """Return the number of cases, and the means of columns over them."""
    return {"cases": len(next(iter(columns.values()))), **means(columns, sampling, label=label)}


def shares_by_part(
    columns: Mapping[str, Column], parts: Iterable[tuple[str, Sequence[int]]], sampling: Sampling, *, label: str
) -> dict[str, Any]:
    """Return the shares of all cases, and of each part by name; a part is given by the positions of its cases."""
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    figures = shares(arrays, sampling, label=label)
    for name, mine in parts:
        figures[name] = shares({column: values[mine] for column, values in arrays.items()}, sampling, label=label)
    return figures


def share(part: float, whole: float, nothing: float | None = None) -> float | None:
    """Return a share, rounded; `nothing` if the denominator is 0."""
    return round(part / whole, 3) if whole else nothing


def f1(hit: int, found: int, gold: int, nothing: float | None = 1.0) -> dict[str, float | None]:
    """Return F1, precision and recall, rounded; `nothing` is the value if there was nothing to find, or nothing found."""
    parts = {"f1": (2 * hit, found + gold), "precision": (hit, found), "recall": (hit, gold)}
    return {name: share(part, whole, nothing) for name, (part, whole) in parts.items()}


def coefficients(rows: Sequence[Correlation]) -> dict[str, Any]:
    """Return measures of agreement by name, rounded, with their intervals under `intervals`."""
    ends = rounded_intervals({row.measure: (row.low, row.high) for row in rows if row.low is not None and row.high is not None})
    return {**{row.measure: None if row.value is None else round(row.value, 3) for row in rows}, "intervals": ends}


def heat_map_data(name: str, figures: Figures) -> dict[str, Any]:
    """Return the data of `heat_map` for a benchmark's figures, a row for each contender: mean scores if there are any, else
    coefficients of agreement with people; NaN if there is none.

    Mean scores are shares of the range from the worst score (of the metric, or of the row if unbounded) to the
    best of the row, so that metrics of any range and direction can be shown together.
    """
    rows = list(figures["contenders"])
    if not rows:
        raise InputError(f"benchmark '{name}': has no scores to draw; name some with --metrics or --peers")
    if "means" in figures.get(rows[0], {}):
        columns = [column for column in figures[rows[0]]["means"] if column != "intervals"]
        cells = [_shares(Scores(row, _metric_info(row), _float_array(map(figures[row]["means"].get, columns)))) for row in rows]
        title, low = "mean scores, worst 0, best of the row 1", 0.0
    else:
        blocks = {human: figures[human] for human in figures["columns"]} if "columns" in figures else {"": figures}
        places = [(human, one) for human, block in blocks.items() for one in _COEFFICIENTS if one in block[rows[0]]]
        columns = [f"{human} {one}".strip() for human, one in places]
        cells = [_float_array(blocks[human][row][one] for human, one in places) for row in rows]
        title, low = "agreement with people", -1.0
    return {"values": cells, "rows": rows, "columns": columns, "title": f"{name}: {title}", "low": low, "high": 1.0}


def _shares(one: Scores) -> Floats:
    given = one.signed_values
    there = given[np.isfinite(given)]
    worst = one.sign * one.worst if one.worst is not None else min(there, default=0.0)
    best = max(there, default=0.0)
    return (given - worst) / (best - worst) if best > worst else np.where(np.isfinite(given), 1.0, np.nan)
