"""`kgscore score`: pairs of reports to scores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import (
    HEADLINE,
    PLAIN,
    Candidate,
    ColumnNames,
    EmptyCandidate,
    Jobs,
    Metrics,
    Modules,
    OutputRun,
    Pairs,
    Peers,
    Profile,
    ReaderName,
    Reference,
    beside,
    complain,
    finish,
    lower_is_better,
    names,
    pair_source,
    progress,
    say,
    show,
)
from kgscore.cli._equip import QUIET
from kgscore.cli._gate import BELOW, Gate
from kgscore.cli._language import DryRun, estimate, still, with_model
from kgscore.records import complaint

REMEMBERED = 2_000  # texts whose reading is kept: a reference that several systems are scored against is read once

if TYPE_CHECKING:
    from kgscore.results.outcome import Means, Outcome
    from kgscore.runs.batch import Settings


@with_model
def score(
    pairs: Pairs = None,
    reference: Reference = None,
    candidate: Candidate = None,
    lines: Annotated[
        tuple[str, str] | None,
        typer.Option("--lines", metavar="REFS HYPS", help="Two text files, of which line N of both is a pair."),
    ] = None,
    columns: ColumnNames = None,
    metrics: Metrics = f"{HEADLINE},{PLAIN}",
    metric: Annotated[
        list[str] | None, typer.Option("--metric", metavar="FILE.py:NAME", help="A metric of your own too; repeatable.")
    ] = None,
    peers: Peers = "",
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
    output: OutputRun = None,
    jobs: Jobs = 1,
    empty_candidate: EmptyCandidate = "score",
    fail_under: Annotated[
        list[str] | None, typer.Option("--fail-under", metavar="M=X", help="Exit code 4 if the mean of metric M is worse than X.")
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph/--no-graph", help="Make the graph of the run too; if not, the first query makes it.")
    ] = False,
    signature: Annotated[bool, typer.Option("--signature", help="Only print what would make the scores, as one line.")] = False,
    engine: Annotated[str, typer.Option("--engine", metavar="E", help="local (processes), or dask (a cluster).")] = "local",
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler: address or file; local starts one of --jobs.")
    ] = "local",
    shards: Annotated[str | None, typer.Option("--shards", metavar="URL", help="Folder to keep what the workers write.")] = None,
    partition: Annotated[int, typer.Option("--partition", metavar="N", min=1, help="Pairs that a worker takes (dask).")] = 2_000,
    dry_run: DryRun = False,
) -> None:
    """Score pairs of reports: one JSON line a pair, in input order; at the end, the mean of each metric.

    A line holds id, status (scored, empty or failed), scores (null where there is none) and reason. A candidate that is blank,
    refuses or holds no finding has missed everything; with --empty-candidate skip it is empty. With --output, the same
    command on the same input goes on where an interrupted run stopped. --reference and --candidate take one report each as
    text, or files of reports (id and report; FHIR) that are joined by id. The end, on standard error: a line a metric with
    pairs, mean, interval and coverage, and the signature to paste beside the figures. With --engine dask, PAIRS may be a pattern
    or a folder, and it and --shards any URL that fsspec knows.
    """
    from kgscore.results.outcome import Means
    from kgscore.runs.batch import Settings, score_source, scorer_for

    wanted = (*names(metrics), *(metric or ()), *beside(peers))
    settings = Settings(profile, wanted, tuple(module or ()), REMEMBERED, empty_candidate, reader)
    if signature:
        print(_signature(settings))
        return
    _check_engine(engine, cluster, pairs, output, shards)
    if engine == "dask" and columns:
        raise typer.BadParameter("--columns is for one machine; rename the columns in the files", param_hint="--engine")
    if engine == "dask" and not isinstance(settings.reader, str):
        raise typer.BadParameter("a language model is asked from one machine: --engine local", param_hint="--engine")
    given = None if engine == "dask" else pair_source(pairs, reference, candidate, lines, columns)
    if dry_run:
        estimate(reader, scorer_for(settings), given.records() if given else ())
        return
    gate = Gate.of(fail_under or [], settings)
    found = Means()
    with ExitStack() as stack:
        known = () if given is None or pairs == "-" else given.records()
        tell = stack.enter_context(progress("pairs", still(reader, known)))
        if given is None:
            assert pairs is not None
            outcomes = _on_cluster(stack, pairs, settings, (cluster, jobs), (output, shards, graph, partition), tell)
        else:
            outcomes = score_source(given, settings, jobs, out=output, graph=graph, progress=tell)
        for outcome in outcomes:
            found.see(outcome)
            print(outcome.as_json())
            if outcome.reason:
                complain(complaint(outcome.where, outcome.id, outcome.reason))
    sys.stdout.flush()
    say(str(found.tally))
    _end(found, settings)
    if not gate.passed(found):
        raise typer.Exit(BELOW)
    finish(found.tally.failed)


def _end(found: Means, settings: Settings) -> None:
    """Say what the scores come to, and what made them."""
    if QUIET.get() or not any(found.values.values()):
        return
    from kgscore.report.means import means

    show(means(found, lower_is_better(found.values)), stream=sys.stderr)
    say(_signature(settings))


def _signature(settings: Settings) -> str:
    from kgscore.runs.batch import scorer_for
    from kgscore.signature import signature_line

    scorer = scorer_for(settings)
    return signature_line(scorer.signature, scorer.metrics)


def _check_engine(engine: str, cluster: str, pairs: str | None, out: Path | None, shards: str | None) -> None:
    if engine not in ("local", "dask"):
        raise typer.BadParameter(f"'{engine}' is none; it is local or dask", param_hint="--engine")
    if engine == "local" and (shards is not None or cluster != "local"):
        raise typer.BadParameter("--cluster and --shards are for --engine dask", param_hint="--engine")
    if engine == "dask" and (pairs is None or pairs == "-"):
        raise typer.BadParameter("it needs PAIRS in files: a path, a pattern, a folder or a URL", param_hint="--engine")
    if engine == "dask" and out is None and shards is None:
        raise typer.BadParameter("it needs --output, --shards or both", param_hint="--engine")


def _on_cluster(
    stack: ExitStack, source: str, settings: Settings, where: tuple[str, int],
    target: tuple[Path | None, str | None, bool, int], tell: Callable[[int], None],
) -> Iterator[Outcome]:
    from kgscore.runs.cluster import cluster_client
    from kgscore.runs.spread import Target, score_on_cluster

    client = stack.enter_context(cluster_client(*where))
    return score_on_cluster(source, settings, client, Target(*target), progress=tell, say=say)
