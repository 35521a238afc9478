"""`kgscore summary`, `compare` and `correlate`: what runs come to, which is better, and whether people agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import NAMED_RUN, NamedRun, NamedRuns, finish, put, say, show
from kgscore.errors import ProfileError

Json = Annotated[bool, typer.Option("--json", help="One JSON line a row, in full precision.")]
Level = Annotated[float, typer.Option("--level", metavar="L", min=0.5, max=0.999, help="Level of the intervals.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the resampling.")]
Cluster = Annotated[str | None, typer.Option("--cluster", metavar="COLUMN", help="Draw rows of equal value together (patient).")]
Scale = Annotated[str, typer.Option("--scale", metavar="A:B", help="Preferences: numbers for 'A clearly better' and 'B'.")]
Resamples = Annotated[int, typer.Option("--resamples", metavar="N", min=100, help="How many resamples.")]


def summary(
    runs: NamedRuns,
    by: Annotated[list[str] | None, typer.Option("--by", metavar="COLUMN", help="Group by a column of the input.")] = None,
    level: Level = 0.95,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Summarise runs: every metric with how many pairs were scored, empty or failed, and mean, interval, median and spread.

    The interval is of the mean (BCa bootstrap). Pairs without a score are counted and are never a number. Below each table stands
    its coverage: records scored, candidates that say nothing (they have missed everything), words that no concept covers.
    """
    from kgscore.report.tables import summaries
    from kgscore.results.coverage import coverage
    from kgscore.results.scores import load_scores, named
    from kgscore.results.statistics import Sampling, summarise

    how = Sampling(level, resamples, seed, cluster)
    loaded = [load_scores(named(run)) for run in runs]
    rows = [row for scores in loaded for row in summarise(scores, by=by or (), sampling=how)]
    if json:
        _put(rows)
    else:
        show(summaries(rows, level, [coverage(scores) for scores in loaded]))


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN_A RUN_B…", help=NAMED_RUN)],
    metric: Annotated[str | None, typer.Option("--metric", metavar="M", help="Only this metric.")] = None,
    moved: Annotated[int, typer.Option("--moved", metavar="N", min=0, help="How many pairs and findings that moved.")] = 10,
    level: Level = 0.95,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Compare runs of the same pairs: difference with interval, permutation test, effect size, wins, and what moved most.

    Pairs are joined by id; those without a score in both are counted and left out. With three runs or more, every two are
    compared, and p is corrected after Holm over the comparisons of a metric. Where runs differ in coverage by 5 points or more
    (records scored, candidates that say nothing, words that no concept covers), a line says so.
    """
    from kgscore.report.tables import comparisons
    from kgscore.report.tables import moved as told
    from kgscore.results.comparison import compare as compared
    from kgscore.results.comparison import moved_cases, moved_findings
    from kgscore.results.scores import load_scores, named
    from kgscore.results.statistics import Sampling

    if len(runs) < 2:
        raise typer.BadParameter("name at least two runs", param_hint="RUN")
    loaded = [load_scores(named(run)) for run in runs]
    known = [name for name in loaded[0].metrics if all(name in one.metrics for one in loaded)]
    if metric is not None and metric not in known:
        raise typer.BadParameter(f"not in all runs: {metric}; in all are {', '.join(known) or 'none'}", param_hint="--metric")
    rows, paired = compared(loaded, higher_is_better=_directions(known), sampling=Sampling(level, resamples, seed, cluster))
    rows = [row for row in rows if metric in (None, row.metric)]
    for note in dict.fromkeys(note for pairs in paired for note in pairs.notes()):
        say(note)
    first = metric or rows[0].metric
    cases = moved_cases(paired[0], first, moved) if moved else []
    findings = moved_findings(paired[0], first, moved) if moved else []
    covered = {one.run: one for pairs in paired for one in pairs.coverage()}
    if json:
        _put(rows, kind="comparison")
        _put(list(covered.values()), kind="coverage")
        _put(cases, kind="moved_case")
        _put(findings, kind="moved_finding")
        return
    show(comparisons(rows, level, list(covered.values())))
    show(told(first, cases, findings))


def correlate(
    run: NamedRun,
    human: Annotated[
        Path, typer.Option("--human", metavar="FILE", help="A table: id and figures; or better, worse; or a download.")
    ],
    layout: Annotated[
        str, typer.Option("--layout", metavar="L", help="How a download is laid out: rexval, radevalx, refisco, preferences …")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="C", help="Only this column; or OURS=NAME, what one of a layout is called; repeatable."),
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option("--lower-is-better", metavar="C", help="A column where less is better (errors).")
    ] = None,
    group: Annotated[str | None, typer.Option("--group", metavar="C", help="The study: prefer within one only.")] = None,
    scale: Scale = "1:5",
    level: Level = 0.95,
    resamples: Resamples = 2_000,
    seed: Seed = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Correlate the scores of a run with figures of people: Kendall τ_b, Spearman, Pearson, and accuracy of preferences.

    Metrics and columns are turned so that higher is better. Of a file with the columns better and worse (ids), the accuracy of
    these preferences is told. A published set is recognised by its files, or named with --layout; its error counts are turned.
    Ids must be those that `kgscore published NAME DOWNLOAD --pairs FILE` gives the pairs.
    """
    from kgscore.report.tables import correlations
    from kgscore.results.coverage import coverage
    from kgscore.results.ratings import correlate_run, read_ratings
    from kgscore.results.scores import load_scores, named
    from kgscore.results.statistics import Sampling

    scores = load_scores(named(run))
    called = dict(one.partition("=")[::2] for one in column or () if "=" in one)
    ratings = read_ratings(human, [one for one in column or () if "=" not in one], layout, called, scale)
    for problem in ratings.problems:
        say(problem)
    rows = correlate_run(
        scores, ratings, higher_is_better=_directions(scores.metrics), lower_is_better=lower or (),
        group=group, sampling=Sampling(level, resamples, seed, cluster),
    )  # fmt: skip
    if json:
        _put(rows)
    else:
        show(correlations(rows, level, coverage(scores)))
    finish(len(ratings.problems))


def _directions(metrics: Iterable[str]) -> dict[str, bool]:
    """Return whether higher is better, of each metric that is installed."""
    from kgscore import metrics as registry

    found = {}
    for name in metrics:
        with suppress(ProfileError):  # of a package that is no longer there: taken as higher is better
            found[name] = registry.metric(name).higher_is_better
    return found


def _put(rows: Sequence[object], kind: str = "") -> None:
    for row in rows:
        put({"kind": kind, **asdict(row)} if kind else asdict(row))  # type: ignore[call-overload]
