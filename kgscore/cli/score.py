"""`kgscore score`: pairs of reports to scores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import (
    EmptyCandidate,
    Jobs,
    Metrics,
    Modules,
    Profile,
    ReaderName,
    finish,
    names,
    progress,
    say,
)
from kgscore.cli._gate import BELOW, Gate
from kgscore.records import complaint, is_lines, read_text

REMEMBERED = 2_000  # texts whose reading is kept: a reference that several systems are scored against is read once

if TYPE_CHECKING:
    from kgscore.batch import Settings
    from kgscore.results.outcome import Outcome


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
    signature: Annotated[
        bool, typer.Option("--signature", help="Also say what produced the scores, as one line to paste; alone, print only that.")
    ] = False,
    engine: Annotated[str, typer.Option("--engine", metavar="E", help="local (processes), or dask (a cluster).")] = "local",
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler: address or file; local starts one of --jobs.")
    ] = "local",
    shards: Annotated[str | None, typer.Option("--shards", metavar="URL", help="Folder to keep what the workers write.")] = None,
    partition: Annotated[int, typer.Option("--partition", metavar="N", min=1, help="Pairs that a worker takes (dask).")] = 2_000,
    empty_candidate: EmptyCandidate = "score",
    reader: ReaderName = "default",
) -> None:
    """Score pairs of reports: one JSON line a pair, in input order.

    A line holds id, status (scored, empty or failed), scores (null where there is none) and reason. A candidate that is blank,
    refuses or holds no finding has missed everything; with --empty-candidate skip it is empty. With --out, the same
    command on the same input goes on where an interrupted run stopped. --reference and --candidate take one report each as
    text, or files of reports (id and report; FHIR) that are joined by id. With --engine dask, PAIRS may be a pattern or a folder,
    and it and --shards any URL that fsspec knows. --signature writes its line to standard error, and with no pairs at all to
    standard output.
    """
    wanted = names(metrics)
    if signature and pairs is None and reference is None and candidate is None:
        print(_signature(profile, wanted, module, reader))
        return
    if (pairs is None) == (reference is None and candidate is None) or (reference is None) != (candidate is None):
        raise typer.BadParameter("give PAIRS, or both --reference and --candidate")
    from kgscore.batch import Settings, score_source
    from kgscore.results.outcome import Tally

    _check_engine(engine, cluster, pairs, out, shards)
    settings = Settings(profile, wanted, tuple(module or ()), REMEMBERED, empty_candidate, reader)
    gate = Gate.of(fail_under or [], settings)
    if signature:
        say(_signature(profile, wanted, module, reader))
    if pairs is None and ("-" in (str(reference), str(candidate)) or is_lines(str(reference)) != is_lines(str(candidate))):
        raise typer.BadParameter("give --reference and --candidate two text files, or two files of reports")
    if pairs is None and not is_lines(str(reference)):
        _two_files(str(reference), str(candidate), settings, out, gate)
        return
    tally = Tally()
    source, other = (str(reference), str(candidate)) if pairs is None else (pairs, None)
    with ExitStack() as stack:
        tell = stack.enter_context(progress("pairs"))
        if engine == "dask":
            outcomes = _on_cluster(stack, source, settings, (cluster, jobs), (out, shards, graph, partition), tell)
        else:
            outcomes = score_source(source, settings, jobs, candidate=other, out=out, graph=graph, progress=tell)
        for outcome in outcomes:
            tally.see(outcome)
            gate.see(outcome)
            print(outcome.as_json())
            if outcome.reason:
                say(complaint(outcome.where, outcome.id, outcome.reason))
    say(str(tally))
    sys.stdout.flush()
    if not gate.passed(say):
        raise typer.Exit(BELOW)
    finish(tally.failed)


def _signature(profile: str, metrics: tuple[str, ...], modules: list[str] | None, reader: str) -> str:
    from kgscore.engine import Scorer
    from kgscore.signature import signature_line

    scorer = Scorer(profile=profile, metrics=metrics, modules=modules or (), reader=reader)
    return signature_line(scorer.signature, scorer.metrics)


def _check_engine(engine: str, cluster: str, pairs: str | None, out: Path | None, shards: str | None) -> None:
    if engine not in ("local", "dask"):
        raise typer.BadParameter(f"'{engine}' is none; it is local or dask", param_hint="--engine")
    if engine == "local" and (shards is not None or cluster != "local"):
        raise typer.BadParameter("--cluster and --shards are for --engine dask", param_hint="--engine")
    if engine == "dask" and (pairs is None or pairs == "-"):
        raise typer.BadParameter("it needs PAIRS in files: a path, a pattern, a folder or a URL", param_hint="--engine")
    if engine == "dask" and out is None and shards is None:
        raise typer.BadParameter("it needs --out, --shards or both", param_hint="--engine")


def _on_cluster(
    stack: ExitStack, source: str, settings: Settings, where: tuple[str, int],
    target: tuple[Path | None, str | None, bool, int], tell: Callable[[int], None],
) -> Iterator[Outcome]:
    from kgscore.scale.cluster import cluster_client
    from kgscore.scale.run import Target, score_on_cluster

    client = stack.enter_context(cluster_client(*where))
    return score_on_cluster(source, settings, client, Target(*target), progress=tell, say=say)


def _two_files(reference: str, candidate: str, settings: Settings, out: Path | None, gate: Gate) -> None:
    from kgscore.batch import score_records
    from kgscore.records import Record

    if out is not None:
        raise typer.BadParameter("--out needs PAIRS", param_hint="--out")
    fields = {"reference": read_text(reference), "candidate": read_text(candidate)}
    record = Record(candidate, candidate, fields)
    for case in score_records([record], settings):
        print(case.outcome.as_json())
        gate.see(case.outcome)
        if case.result.reason:
            say(complaint(record.where, record.id, case.result.reason))
        sys.stdout.flush()
        if not gate.passed(say):
            raise typer.Exit(BELOW)
        finish(int(case.result.status == "failed"))
