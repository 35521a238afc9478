"""Rewrite triplets: does a rewording score above a reversal? A tie is wrong, and so is a pair without a score.

File form: JSON lines with `original`, `synonym`, `antonym`, and `modality` where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kgscore.results.statistics import Sampling
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark, groups
from kgscore.studies.bench._contest import BASELINES, Contest, Floats, Grid, means, rows_of, shares

VERSIONS = ("synonym", "antonym")
COLUMNS = ("accuracy", "ties")


@benchmark(*CONTEST, "show", metrics=("radsem",), baselines=BASELINES)
def run(ask: Ask) -> dict[str, Any]:
    """Return the accuracy of each contender and how often it gives both texts one score, with intervals by case; the accuracy of
    the first metric by modality too."""
    contest = Contest(ask)
    rows = ask.records("original", *VERSIONS)
    found = contest.table([(row["original"], row[version]) for version in VERSIONS] for row in rows)

    def each(name: str) -> dict[str, Any]:
        columns = dict(zip(VERSIONS, found.values[name].T, strict=True))
        figures = _figures(found.ranks(name), found.values[name], ask.sampling)
        return {**figures, "means": means(columns, ask.sampling, label="means")}

    ranks, values = found.ranks(contest.names[0]), found.values[contest.names[0]]
    for row, pair, (one, other) in zip(rows, values, ranks, strict=True) if ask.show else ():
        if not one > other:
            print(row.get("id"), row.get("modality"), pair.tolist())
            for name in ("original", *VERSIONS):
                print(f"  {name[0].upper()} {row[name]}")
    by = {name: _figures(ranks[here], values[here], ask.sampling) for name, here in groups(rows, ("modality",))}
    return contest.figures(each) | by


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the table of the paper."""
    return [Grid("Triplets: does a rewording score above a reversal?", COLUMNS, rows_of(figures))]


def _figures(ranks: Floats, values: Floats, sampling: Sampling) -> dict[str, Any]:
    there = np.isfinite(values).all(axis=1)
    columns = {"accuracy": (ranks[:, 0] > ranks[:, 1]) & there, "ties": (ranks[:, 0] == ranks[:, 1]) & there}
    return {**shares(columns, sampling, label="triplets"), "without a score": int((~there).sum())}
