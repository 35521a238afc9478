"""Agreement with people: how metrics and peers rank candidate reports that people rated, and what people say of the errors that
the verdict names: how many are right, how many it lacks, and how far people agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.lab.bench._ask import CONTEST, Ask, Figures, benchmark
from kgscore.lab.bench._contest import BASELINES, Contest, Grid, coefficients, share
from kgscore.lab.correlation import MEASURES, correlate
from kgscore.lab.ratings import ADDED, Feedback, read_feedback, read_ratings, signed_ratings
from kgscore.model import TIERS
from kgscore.results.resampling import mean_interval
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


_SHARES = ("named are right", "errors are named")


_PARTS: Sequence[Callable[[Feedback], str]] = (
    lambda one: f"kind: {one.kind}" if one.agree is not None else "",
    lambda one: f"tier: {TIERS[one.tier]}" if one.tier else "",
    lambda one: f"reader: {one.by or 'without a name'}",
)


def _grids(figures: Figures) -> list[Grid]:
    people = Grid("Two people on the same errors", ("agreement", "kappa"), figures["people"])
    verdict = Grid("The verdict's errors according to people", _SHARES, figures["verdict"])
    return [verdict, *([people] if people.rows else [])]


@benchmark("sampling", grids=_grids)
def feedback(ask: Ask) -> dict[str, Any]:
    """Return, of all readers and of each, the share of judged errors that are right (`named are right`) and the share of all
    errors, those added too, that the verdict named (`errors are named`), by kind and tier too; and of every two readers, on the
    errors that both judged, the share on which they agree and Cohen's kappa; with intervals, cases drawn with replacement.

    File form: lines of feedback (docs/pages.md).
    """
    lines = read_feedback(ask.path)
    parts = {"all": lines}
    for key in _PARTS:
        parts |= {name: [one for one in lines if key(one) == name] for name in sorted({*map(key, lines)} - {""})}
    verdict = {name: row for name, part in parts.items() if (row := _verdict(part, ask.sampling))["judged"] or row[_SHARES[1]]}
    return {"verdict": verdict, "people": dict(_people(lines, ask.sampling))}


def _verdict(lines: Sequence[Feedback], sampling: Sampling) -> dict[str, Any]:
    judged = [one for one in lines if one.agree is not None]
    right = [one for one in lines if one.agree or one.kind == ADDED]
    asked = ((judged, [bool(one.agree) for one in judged]), (right, [one.kind != ADDED for one in right]))
    found: dict[str, Any] = {"cases": len({one.id for one in lines}), "judged": len(judged), "intervals": {}}
    for name, (of, values) in zip(_SHARES, asked, strict=True):
        found[name] = share(sum(values), len(values))
        ends = mean_interval(
            np.asarray(values, dtype=np.float64), clusters=[one.id for one in of], level=sampling.level,
            resamples=sampling.resamples, seed=sampling.seed, label=name,
        )  # fmt: skip
        if ends:
            found["intervals"][name] = [round(end, 3) for end in ends]
    return found


def _people(lines: Sequence[Feedback], sampling: Sampling) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the agreement of every two readers on the errors that both judged."""
    said: dict[str, dict[tuple[str, str, int], float]] = defaultdict(dict)
    for one in lines:
        if one.agree is not None:
            said[one.by][one.id, one.kind, one.number] = float(one.agree)
    for a, b in combinations(sorted(said), 2):
        both = sorted(said[a].keys() & said[b].keys())
        if both:
            mine, theirs = (np.asarray([said[by][key] for key in both]) for by in (a, b))
            measured = correlate(
                mine, theirs, metric=a, human=b, clusters=[id for id, _, _ in both], sampling=sampling,
                measures=("agreement", "kappa"),
            )  # fmt: skip
            yield f"{a or '–'} and {b or '–'}", {"cases": len({id for id, _, _ in both}), **coefficients(measured)}
