"""Report variants (HeadCT-ONE table 2): a rewording against reports with errors of one kind.

File form: JSON lines with `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import BASELINES, Contest, Floats, Grid, means
from kgscore.bench._text import may_list, records
from kgscore.results.statistics import Sampling

ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")
_VERSIONS = ("rephrased", *ERRORS)
KINDS = tuple(name.removesuffix("_error") for name in ERRORS)


def run(
    path: str | Path, *, profile: str = "default", reader: str = "default",
    metrics: Sequence[str] = ("radsem", "headct_one"),
    baselines: Sequence[str] = BASELINES, settings: Mapping[str, Any] | None = None, sampling: Sampling | None = None,
    show: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return by contender: the mean score of the rewording, the mean gap to each kind of error, and the share of wins (the
    rewording better than the error), with intervals by case. A gap is positive where the rewording is better, for scores of
    either direction. A pair without a score counts as the worst score where that is known, else it is left out; it is never a
    win, and `without a score` counts the rewordings that have none."""
    if show:
        may_list(path)
    contest = Contest(profile, metrics, baselines, settings, reader)
    rows = list(records(path, "report", *_VERSIONS))
    found = contest.run((row["report"], row[version]) for row in rows for version in _VERSIONS)
    figures: dict[str, Any] = {"contenders": list(contest.names)}
    for name in contest.names:
        values = {version: found.values[name][at :: len(_VERSIONS)] for at, version in enumerate(_VERSIONS)}
        figures[name] = _figures(values, 1.0 if found.infos[name].higher_is_better else -1.0, found.worst(name), sampling)
        if show:
            print(name, {version: column.round(3).tolist() for version, column in values.items()})
    return {**figures, "signatures": contest.signatures()}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the table of the paper (gaps), and the wins."""
    rows = {name: figures[name] for name in figures["contenders"]}
    gaps = ("rephrased", *(f"rephrased - {kind}" for kind in KINDS))
    wins = Grid("Share of cases in which the rewording scores better", [f"wins over {kind}" for kind in KINDS], rows)
    return [Grid("Variants: score of a rewording, and gaps to errors", gaps, rows), wins]


def _figures(
    values: Mapping[str, Floats], sign: float, worst: float | None, sampling: Sampling | None
) -> dict[str, Any]:
    known = {name: column if worst is None else np.where(np.isnan(column), worst, column) for name, column in values.items()}
    columns = {"rephrased": known["rephrased"]}
    for kind, name in zip(KINDS, ERRORS, strict=True):
        columns[f"rephrased - {kind}"] = sign * (known["rephrased"] - known[name])
        columns[f"wins over {kind}"] = (sign * (values["rephrased"] - values[name]) > 0).astype(np.float64)
    there = values["rephrased"]
    return {
        "cases": len(there),
        "without a score": int(np.isnan(there).sum()),
        **means(columns, sampling, label="variants"),
        "means": means(known, sampling, label="means"),
    }
