"""Agreement with people: how do metrics and baselines rank candidate reports that people rated?

File form: JSON lines, CSV or Parquet with `id`, `reference`, `candidate` and columns of human figures (error counts, grades); or
the figures in a file of their own, by `id`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import BASELINES, Contest, Floats, Grid, Scores
from kgscore.bench._text import records
from kgscore.errors import InputError
from kgscore.results.correlation import MEASURES, Correlation, correlate
from kgscore.results.ratings import read_ratings
from kgscore.results.statistics import Sampling

RESAMPLES = 2_000


def run(
    path: str | Path, *, profile: str = "default", metrics: Sequence[str] = ("radsem",), baselines: Sequence[str] = BASELINES,
    settings: Mapping[str, Any] | None = None, sampling: Sampling | None = None, columns: Sequence[str] = (),
    lower: Sequence[str] = (), group: str | None = None, human: str | Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return Kendall's τ_b, Spearman, Pearson and the accuracy of preferences of each contender with each column of figures, with
    bootstrap intervals. Scores and figures are turned so that higher is better (`lower` names columns in which less is better).

    `group` names the column of the study: preferences are then compared within it only, and the bootstrap draws whole studies.
    `human` is the file of the figures where it is another one.

    Raises:
        InputError: there are no such columns, or an id comes twice.
    """
    rows = records(path, "reference", "candidate")
    ratings = read_ratings(Path(human or path), columns)
    humans = [name for name in ratings.columns if name != group]
    for name in [*lower, *([group] if group else [])]:
        if name not in ratings.texts:
            raise InputError(f"{ratings.file}: has no column '{name}'; it has {', '.join(ratings.texts)}")
    ids = [str(row.get("id")) for row in rows]
    if len(set(ids)) < len(ids):
        raise InputError(f"{path}: an id comes twice; give every pair an id of its own")
    contest = Contest(profile, metrics, baselines, settings)
    found = contest.run((row["reference"], row["candidate"]) for row in rows)
    groups = None if group is None else [ratings.texts[group].get(id, id) for id in ids]
    figures: dict[str, Any] = {"contenders": list(contest.names), "columns": humans}
    for column in humans:
        sign = -1.0 if column in lower else 1.0
        rated = np.asarray([sign * ratings.columns[column].get(id, math.nan) for id in ids])
        figures[column] = {name: _row(found, name, column, rated, groups, sampling) for name in contest.names}
    return {**figures, "signatures": contest.signatures()}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return a table for each column of figures."""
    return [Grid(f"Agreement with '{human}'", MEASURES, figures[human]) for human in figures["columns"]]


def _row(
    found: Scores, name: str, human: str, rated: Floats, groups: Sequence[str] | None, sampling: Sampling | None
) -> dict[str, Any]:
    how = sampling or Sampling(resamples=RESAMPLES)
    rows: Sequence[Correlation] = correlate(
        found.upward(name), rated, metric=name, human=human, groups=groups, sampling=replace(how, cluster=None)
    )
    return {
        "cases": rows[0].pairs,
        **{row.measure: None if row.value is None else round(row.value, 3) for row in rows},
        "intervals": {
            row.measure: [round(row.low, 3), round(row.high, 3)] for row in rows if row.low is not None and row.high is not None
        },
        "without a score": rows[0].unscored,
    }
