"""`kgscore summary`, `compare` and `correlate`: summarise runs, compare them, and correlate scores with human ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import directions, figures, say, scores_of, show
from kgscore.cli._options import MANY, NAMED_RUN, Cluster, Format, NamedRuns, NoBaselines, Output, Resampling

if TYPE_CHECKING:
    from kgscore.results.scores import RunName, Scores
    from kgscore.results.statistics import Sampling


def summary(
    runs: NamedRuns,
    by: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Group by a column of the input.")] = None,
    how: Resampling = MANY, cluster: Cluster = None, no_baselines: NoBaselines = False, format: Format = "table",
    output: Output = None,
) -> None:
    """Summarise runs: for every metric, the pairs scored, empty or failed, and mean, interval, median and spread.

    The interval is for the mean (BCa bootstrap). Pairs without a score are counted, never averaged. If clinical was computed,
    actionable errors per report, triage and the error profile follow, then the coverage of each run: records scored, candidates
    that say nothing or are not understood (counted as all missed), and unlinked words. Last come the baselines on the same
    references: a normal report, another patient's report, and the mean on the scale from there to 1."""
    from kgscore.report.terminal import summaries, zeros
    from kgscore.results.coverage import coverage
    from kgscore.results.statistics import summarise
    from kgscore.results.zeros import rows_with_baselines
    from kgscore.runs.zeros import zeros_of

    sampling, loaded = how.sampling(cluster), list(map(scores_of, runs))
    rows = [row for scores in loaded for row in summarise(scores, by=by or (), sampling=sampling)]
    systems = list(filter(None, (_system(scores.name, sampling) for scores in loaded)))
    based = [] if no_baselines else rows_with_baselines(rows, [(scores.name.name, zeros_of(scores.name)) for scores in loaded])
    plain = _plain_rows(rows) if no_baselines else list(based)
    if format in ("json", "jsonl"):
        plain += _plain_rows(systems, "system")
    figures([summaries(rows, how.level, [*map(coverage, loaded)]), *zeros(based)], plain, format, output)
    if format == "table" and output is None:
        _print_systems(systems)


def _print_systems(systems: Sequence[dict[str, Any]]) -> None:
    """Print the summaries of the clinical verdicts of runs, each under its name if there are several."""
    from kgscore.report.terminal import system_table

    for found in systems:
        if len(systems) > 1:
            say(found["run"])
        show(system_table(found))


def _system(name: RunName, how: Sampling) -> dict[str, Any]:
    """Return the summary of a run's clinical verdicts; empty if clinical was not computed."""
    import numpy as np

    from kgscore.clinical.system import profile_of
    from kgscore.results.cases import load_run, load_verdicts
    from kgscore.results.resampling import mean_interval

    cases = load_verdicts(load_run(name.folder, name.run))
    if not cases:
        return {}
    found = profile_of(cases)
    counts = np.asarray(found.pop("of_reports"), dtype=np.float64)
    ends = mean_interval(counts, level=how.level, resamples=how.resamples, seed=how.seed, label="actionable errors")
    return {"run": name.name, "interval": list(ends) if ends else None, **found}


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN_A RUN_B…", help=NAMED_RUN)],
    metric: Annotated[str | None, typer.Option(metavar="M", help="Only this metric.")] = None,
    moved: Annotated[int, typer.Option(metavar="N", min=0, help="Number of changed pairs and findings to show.")] = 10,
    how: Resampling = MANY, cluster: Cluster = None, format: Format = "table", output: Output = None,
) -> None:
    """Compare runs of the same pairs: difference with interval, permutation test, effect size, wins, and the largest changes.

    Pairs are joined by id; those without a score in both are counted and excluded. With three or more runs, every two are
    compared, and p is corrected after Holm over the comparisons of a metric. If runs differ in coverage by 5 points or more
    (records scored, candidates that say nothing or are not understood, unlinked words), a warning is printed."""
    from kgscore.report.terminal import comparisons
    from kgscore.report.terminal import largest_changes as told
    from kgscore.results.comparison import changed_cases, changed_findings
    from kgscore.results.comparison import compare as compared

    if len(runs) < 2:
        raise typer.BadParameter("name at least two runs", param_hint="RUN")
    loaded = list(map(scores_of, runs))
    known = _common_metrics(loaded, metric)
    rows, paired = compared(loaded, higher_is_better=directions(known), sampling=how.sampling(cluster))
    rows = [row for row in rows if metric in (None, row.metric)]
    for note in dict.fromkeys(chain.from_iterable(pairs.notes() for pairs in paired)):
        say(note)
    first = metric or rows[0].metric
    cases = changed_cases(paired[0], first, moved) if moved else []
    findings = changed_findings(paired[0], first, moved) if moved else []
    covered = [*{one.run: one for pairs in paired for one in pairs.coverage()}.values()]
    plain = _plain_rows(rows, "comparison")
    if format in ("json", "jsonl"):
        plain += [*_plain_rows(covered, "coverage"), *_plain_rows(cases, "moved_case"), *_plain_rows(findings, "moved_finding")]
    figures([comparisons(rows, how.level, covered), *told(first, cases, findings)], plain, format, output)


def _common_metrics(loaded: Sequence[Scores], metric: str | None) -> list[str]:
    known = [name for name in loaded[0].metrics if all(name in one.metrics for one in loaded)]
    if metric is not None and metric not in known:
        raise typer.BadParameter(f"not in all runs: {metric}; common: {', '.join(known) or 'none'}", param_hint="--metric")
    return known


def _plain_rows(rows: Sequence[object], kind: str = "") -> list[dict[str, Any]]:
    plain = (row if isinstance(row, dict) else asdict(row) for row in rows)  # type: ignore[call-overload]
    return [{"kind": kind, **row} if kind else row for row in plain]
