"""Heat maps of benchmarks: a row for each metric or baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.metrics import MetricInfo
from kgscore.studies.bench._contest import info_of
from kgscore.studies.peers import PeerInfo

_COEFFICIENTS = ("kendall", "spearman", "pearson")


@dataclass(frozen=True, slots=True)
class Heat:
    """What a heat map shows: cells by row and column, NaN where there is none, and the ends of its scale."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float]]
    low: float
    high: float = 1.0


def heat(name: str, figures: Mapping[str, Any]) -> Heat:
    """Return the heat map of a benchmark's figures: mean scores where there are any, else coefficients of agreement with people.

    Mean scores are given as shares of the way from the worst score to the best of the row, so that metrics of any range and
    direction can stand in one picture.

    Raises:
        InputError: no metric and no baseline was run.
    """
    rows = list(figures["contenders"])
    if not rows:
        raise InputError(f"benchmark '{name}': has no scores to draw; name some with --metrics or --peers")
    if "means" not in figures.get(rows[0], {}):
        return _agreement(name, rows, figures)
    columns = [column for column in figures[rows[0]]["means"] if column != "intervals"]
    shares = [_shares({column: figures[row]["means"].get(column) for column in columns}, info_of(row)) for row in rows]
    cells = [[share.get(column, np.nan) for column in columns] for share in shares]
    return Heat(f"{name}: mean scores, worst 0, best of the row 1", rows, columns, cells, 0.0)


def _agreement(name: str, rows: Sequence[str], figures: Mapping[str, Any]) -> Heat:
    blocks = {human: figures[human] for human in figures["columns"]} if "columns" in figures else {"": figures}
    places = [(human, one) for human, block in blocks.items() for one in _COEFFICIENTS if one in block[rows[0]]]
    values = [[blocks[human][row][one] for human, one in places] for row in rows]
    cells = [[np.nan if value is None else value for value in line] for line in values]
    return Heat(f"{name}: agreement with people", rows, [f"{human} {one}".strip() for human, one in places], cells, -1.0)


def _shares(row: Mapping[str, float | None], info: MetricInfo | PeerInfo) -> dict[str, float]:
    """Return scores as shares of the way from the worst score (of the metric, or of the row where that has no bound) to the best
    of the row."""
    sign = 1.0 if info.higher_is_better else -1.0
    given = {name: sign * value for name, value in row.items() if value is not None}
    bound = info.low if info.higher_is_better else info.high
    worst = min(given.values(), default=0.0) if bound is None else sign * bound
    best = max(given.values(), default=0.0)
    return {name: (value - worst) / (best - worst) if best > worst else 1.0 for name, value in given.items()}
