"""Rewrite triplets: does a rewording score above a reversal? A tie is wrong, and so is a pair without a score.

File form: JSON lines with `original`, `synonym`, `antonym`, and `modality` where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import BASELINES, Contest, Floats, Grid, means
from kgscore.bench._text import may_list, records
from kgscore.results.statistics import Sampling

VERSIONS = ("synonym", "antonym")
COLUMNS = ("accuracy", "ties")


def run(
    path: str | Path, *, profile: str = "default", reader: str = "default",
    metrics: Sequence[str] = ("radsem",), baselines: Sequence[str] = BASELINES,
    settings: Mapping[str, Any] | None = None, sampling: Sampling | None = None, show: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return the accuracy of each contender and how often it gives both texts one score, with intervals by case; the accuracy of
    the first metric by modality too."""
    if show:
        may_list(path)
    contest = Contest(profile, metrics, baselines, settings, reader)
    rows = list(records(path, "original", *VERSIONS))
    found = contest.run((row["original"], row[version]) for row in rows for version in VERSIONS)
    figures: dict[str, Any] = {"contenders": list(contest.names)}
    for name in contest.names:
        values = found.values[name].reshape(len(rows), 2)
        figures[name] = {
            **_figures(found.ranks(name).reshape(len(rows), 2), values, sampling),
            "means": means({version: values[:, at] for at, version in enumerate(VERSIONS)}, sampling, label="means"),
        }
    first = contest.names[0]
    ranks, values = (table.reshape(len(rows), 2) for table in (found.ranks(first), found.values[first]))
    modalities = np.asarray([row.get("modality", "") for row in rows])
    for modality in sorted(set(modalities.tolist()) - {""}):
        here = modalities == modality
        figures[f"modality: {modality}"] = _figures(ranks[here], values[here], sampling)
    figures["signatures"] = contest.signatures()
    if show:
        _print([(row, pair) for row, pair, (one, other) in zip(rows, values, ranks, strict=True) if not one > other])
    return figures


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the table of the paper."""
    rows = {name: figures[name] for name in figures["contenders"]}
    return [Grid("Triplets: does a rewording score above a reversal?", COLUMNS, rows)]


def _figures(ranks: Floats, values: Floats, sampling: Sampling | None) -> dict[str, Any]:
    there = np.isfinite(values).all(axis=1)
    columns = {
        "accuracy": ((ranks[:, 0] > ranks[:, 1]) & there).astype(np.float64),
        "ties": ((ranks[:, 0] == ranks[:, 1]) & there).astype(np.float64),
    }
    return {"cases": len(ranks), **means(columns, sampling, label="triplets"), "without a score": int((~there).sum())}


def _print(wrong: Sequence[tuple[Mapping[str, Any], Floats]]) -> None:
    for row, pair in wrong:
        print(row.get("id"), row.get("modality"), pair.tolist())
        for name in ("original", *VERSIONS):
            print(f"  {name[0].upper()} {row[name]}")
