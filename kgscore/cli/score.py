"""`kgscore score`: pairs of reports to scores."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Jobs, Metrics, Modules, Profile, finish, names, progress, say
from kgscore.cli._gate import BELOW, Gate
from kgscore.records import complaint, is_lines, read_text

if TYPE_CHECKING:
    from kgscore.batch import Settings


def score(
    pairs: Annotated[
        str | None, typer.Argument(metavar="PAIRS", help="JSONL, CSV or Parquet with id, reference, candidate; '-': JSON lines.")
    ] = None,
    reference: Annotated[Path | None, typer.Option(metavar="FILE", help="One reference report, or a file of them.")] = None,
    candidate: Annotated[Path | None, typer.Option(metavar="FILE", help="One candidate report, or a file of them.")] = None,
    metrics: Metrics = "radsem",
    profile: Profile = "default",
    module: Modules = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="Run folder for everything behind the scores.")] = None,
    jobs: Jobs = 1,
    graph: Annotated[
        bool, typer.Option("--graph/--no-graph", help="Make the graph of the run too; if not, the first query makes it.")
    ] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option("--fail-under", metavar="[M=]X", help="Exit code 4 if the mean of M is worse than X.")
    ] = None,
) -> None:
    """Score pairs of reports: one JSON line a pair, in input order.

    A line holds id, status (scored, empty or failed), scores (null where there is none) and reason. With --out, the same
    command on the same input goes on where an interrupted run stopped. --reference and --candidate take one report each as
    text, or files of reports (id and report; FHIR) that are joined by id.
    """
    wanted = names(metrics)
    if (pairs is None) == (reference is None and candidate is None) or (reference is None) != (candidate is None):
        raise typer.BadParameter("give PAIRS, or both --reference and --candidate")
    from kgscore.batch import Settings, score_source

    settings = Settings(profile, wanted, tuple(module or ()))
    gate = Gate.of(fail_under or [], settings)
    if pairs is None and ("-" in (str(reference), str(candidate)) or is_lines(str(reference)) != is_lines(str(candidate))):
        raise typer.BadParameter("give --reference and --candidate two text files, or two files of reports")
    if pairs is None and not is_lines(str(reference)):
        _two_files(str(reference), str(candidate), settings, out, gate)
        return
    counts: Counter[str] = Counter()
    source, other = (str(reference), str(candidate)) if pairs is None else (pairs, None)
    with progress("pairs") as tell:
        for outcome in score_source(source, settings, jobs, candidate=other, out=out, graph=graph, progress=tell):
            counts[outcome.status] += 1
            gate.see(outcome.scores)
            print(outcome.as_json())
            if outcome.status != "scored":
                say(complaint(outcome.where, outcome.id, outcome.reason))
    say(f"{counts.total()} pairs: {counts['scored']} scored, {counts['empty']} empty, {counts['failed']} failed")
    sys.stdout.flush()
    if not gate.passed(say):
        raise typer.Exit(BELOW)
    finish(counts["failed"])


def _two_files(reference: str, candidate: str, settings: Settings, out: Path | None, gate: Gate) -> None:
    from kgscore.batch import score_records
    from kgscore.records import Record

    if out is not None:
        raise typer.BadParameter("--out needs PAIRS", param_hint="--out")
    fields = {"reference": read_text(reference), "candidate": read_text(candidate)}
    record = Record(candidate, candidate, fields)
    for case in score_records([record], settings):
        print(case.outcome.as_json())
        gate.see(case.outcome.scores)
        if case.result.status != "scored":
            say(complaint(record.where, record.id, case.result.reason))
        sys.stdout.flush()
        if not gate.passed(say):
            raise typer.Exit(BELOW)
        finish(int(case.result.status == "failed"))
