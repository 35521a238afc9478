"""Report variants (HeadCT-ONE table 2): a rewording against reports with errors of one kind.

File form: JSON lines with `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kgscore.studies.bench._ask import CONTEST, Ask, benchmark
from kgscore.studies.bench._contest import BASELINES, Contest, Grid, means, rows_of, shares

ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")
_VERSIONS = ("rephrased", *ERRORS)
KINDS = tuple(name.removesuffix("_error") for name in ERRORS)


@benchmark(*CONTEST, "show", metrics=("radsem", "headct_one"), baselines=BASELINES)
def run(ask: Ask) -> dict[str, Any]:
    """Return by contender: the mean score of the rewording, the mean gap to each kind of error, and the share of wins (the
    rewording better than the error), with intervals by case. A gap is positive where the rewording is better, for scores of
    either direction. A pair without a score counts as the worst score where that is known, else it is left out; it is never a
    win, and `without a score` counts the rewordings that have none."""
    contest = Contest(ask)
    found = contest.table([(row["report"], row[version]) for version in _VERSIONS] for row in ask.records("report", *_VERSIONS))

    def each(name: str) -> dict[str, Any]:
        values = dict(zip(_VERSIONS, found.values[name].T, strict=True))
        sign, worst = 1.0 if found.infos[name].higher_is_better else -1.0, found.worst(name)
        known = {v: column if worst is None else np.where(np.isnan(column), worst, column) for v, column in values.items()}
        columns = {"rephrased": known["rephrased"]}
        for kind, error in zip(KINDS, ERRORS, strict=True):
            columns[f"rephrased - {kind}"] = sign * (known["rephrased"] - known[error])
            columns[f"wins over {kind}"] = sign * (values["rephrased"] - values[error]) > 0
        if ask.show:
            print(name, {version: column.round(3).tolist() for version, column in values.items()})
        return {
            **shares(columns, ask.sampling, label="variants"),
            "without a score": int(np.isnan(values["rephrased"]).sum()),
            "means": means(known, ask.sampling, label="means"),
        }

    return contest.figures(each)


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the table of the paper (gaps), and the wins."""
    rows = rows_of(figures)
    gaps = ("rephrased", *(f"rephrased - {kind}" for kind in KINDS))
    wins = Grid("Share of cases in which the rewording scores better", [f"wins over {kind}" for kind in KINDS], rows)
    return [Grid("Variants: score of a rewording, and gaps to errors", gaps, rows), wins]
