"""Agreement with people: how metrics and peers rank candidate reports that people rated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.lab.bench._ask import CONTEST, Ask, benchmark
from kgscore.lab.bench._contest import BASELINES, Contest, Grid, coefficients
from kgscore.lab.correlation import MEASURES, correlate
from kgscore.lab.ratings import read_ratings, signed_ratings
from kgscore.results.statistics import Sampling


@benchmark(
    *CONTEST, "columns", "lower", "group", "human", metrics=("radsem",), baselines=BASELINES, sampling=Sampling(resamples=2_000),
    grids=lambda figures: [
        Grid(f"Agreement with '{human}'", MEASURES, figures[human]) for human in figures["columns"]
    ],
)  # fmt: skip
def correlation(ask: Ask) -> dict[str, Any]:
    """Return Kendall's τ_b, Spearman, Pearson and preference accuracy of each contender with each column of ratings, with
    bootstrap intervals. Scores and ratings are signed so that higher is better (`lower` names columns in which less is better).

    File form: `id`, `reference`, `candidate` and columns of human ratings (error counts, grades); or the ratings, by `id`, in
    the separate file `human`. `group` names the column of the study: preferences are then compared within it only, and the
    bootstrap draws whole studies.

    Raises:
        InputError: a column is missing, or an id is duplicated.
    """
    rows = ask.records("reference", "candidate")
    ratings, group = read_ratings(Path(ask.human or ask.path), ask.columns), ask.group
    humans = [name for name in ratings.columns if name != group]
    for name in [*ask.lower, *([group] if group else [])]:
        if name not in ratings.texts:
            raise InputError(f"{ratings.file}: has no column '{name}'; it has {', '.join(ratings.texts)}")
    ids = [str(row.get("id")) for row in rows]
    if len(set(ids)) < len(ids):
        raise InputError(f"{ask.path}: duplicate id; give every pair its own id")
    contest = Contest(ask)
    found = contest.run((row["reference"], row["candidate"]) for row in rows)
    groups = None if group is None else [ratings.texts[group].get(id, id) for id in ids]
    how = replace(ask.sampling, cluster=None)

    def contender_figures(name: str, human: str) -> dict[str, Any]:
        people = np.asarray(signed_ratings(ratings, human, ids, ask.lower))
        measured = correlate(found[name].signed_values, people, metric=name, human=human, groups=groups, sampling=how)
        return {"cases": measured[0].pairs, **coefficients(measured), "without a score": measured[0].unscored}

    figures = {human: {name: contender_figures(name, human) for name in contest.names} for human in humans}
    return {**contest.named(), "columns": humans, **figures}
