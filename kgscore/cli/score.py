"""`kgscore score` and `assemble`: score pairs of reports, and assemble shards into a run folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import BELOW, Failures, complain, directions, names, pair_source, progress, say, show
from kgscore.cli._equip import QUIET
from kgscore.cli._language import estimate, usage_reporter, with_model
from kgscore.cli._options import (
    ENGINE,
    Candidate,
    ColumnNames,
    DryRun,
    EmptyCandidate,
    Engine,
    Jobs,
    Metrics,
    Pairs,
    Peers,
    RecordTimeout,
    Reference,
    output_to,
    split_names,
)
from kgscore.config import HEADLINE, PLAIN, RECORD_TIMEOUT
from kgscore.io.streams import is_file

if TYPE_CHECKING:
    from kgscore.results.outcome import Means
    from kgscore.runs.batch import Settings

REMEMBERED = 2_000  # cached readings: a reference scored against several systems is read once


@dataclass(frozen=True, slots=True)
class Place:
    """Options for where pairs are scored."""

    engine: Annotated[str, typer.Option(metavar="E", help="local (processes), or dask (a cluster).")] = "local"
    cluster: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Dask scheduler: address or file; local starts one of --jobs.")
    ] = "local"
    shards: Annotated[str | None, typer.Option(metavar="URL", help="Folder for the files that the workers write.")] = None
    partition: Annotated[int, typer.Option(metavar="N", min=1, help="Pairs per partition (dask).")] = 2_000

    def check(self, source: str | None, output: Path | None, using: Engine, columns: object) -> None:
        """Raise typer.BadParameter if an option does not go with the engine, or the engine is unknown."""
        wrong = {
            "local": {"--cluster and --shards are for --engine dask": self.shards is not None or self.cluster != "local"},
            "dask": {
                "it needs PAIRS in files: a path, a pattern, a folder or a URL": source in (None, "-"),
                "it needs --output, --shards or both": output is None and self.shards is None,
                "--columns is for one machine; rename the columns in the files": bool(columns),
                "language models run from one machine: --engine local": not isinstance(using.reader, str),
            },
        }.get(self.engine, {f"unknown engine '{self.engine}'; choose local or dask": True})
        if message := next((message for message, applies in wrong.items() if applies), None):
            raise typer.BadParameter(message, param_hint="--engine")


@with_model
def score(
    pairs: Pairs = None, reference: Reference = None, candidate: Candidate = None,
    lines: Annotated[tuple[str, str] | None, typer.Option(metavar="REFS HYPS", help="Two line-aligned text files.")] = None,
    columns: ColumnNames = None, metrics: Metrics = f"{HEADLINE},{PLAIN}",
    metric: Annotated[
        list[str] | None, typer.Option(metavar="FILE.py:NAME", help="Also compute a metric of your own; repeatable.")
    ] = None,
    peers: Peers = "", using: Engine = ENGINE,
    output: Annotated[Path | None, output_to("RUN", "Run folder for full results.")] = None,
    jobs: Jobs = 1, empty_candidate: EmptyCandidate = "score", record_timeout: RecordTimeout = RECORD_TIMEOUT,
    fail_under: Annotated[
        list[str] | None, typer.Option(metavar="M=X", help="Exit code 4 if the mean of metric M is worse than X.")
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph/--no-graph", help="Build the graph of the run now; default: on the first query.")
    ] = False,
    signature: Annotated[bool, typer.Option("--signature", help="Only print the signature of the scores, as one line.")] = False,
    place: Place = Place(), dry_run: DryRun = False,
) -> None:
    """Score pairs of reports: one JSON line a pair, in input order; at the end, the mean of each metric.

    A line holds id, status (scored, empty or failed), scores (null if there is none) and reason. A candidate that is blank,
    is a refusal, has no finding or is not understood counts as all missed; with --empty-candidate skip it is empty. With
    --output, running the same command on the same input resumes an interrupted run. --reference and --candidate take one report
    each as text, or files of reports (id and report; FHIR) that are joined by id. The summary on standard error has a line per
    metric with pairs, mean, interval and coverage, and the signature to cite with the figures. With --engine dask, PAIRS may be
    a pattern or a folder, and it and --shards any URL supported by fsspec."""
    from kgscore.metrics import load_metric_files, peer_metric_infos
    from kgscore.results.outcome import Means
    from kgscore.runs.batch import score_source, scorer_for

    wanted = (*names(metrics), *load_metric_files(metric or ()), *peer_metric_infos(split_names(peers)))
    settings = using.settings(wanted, remember=REMEMBERED, empty_candidate=empty_candidate, timeout=record_timeout)
    if signature:
        print(_signature(settings))
        return
    place.check(pairs, output, using, columns)
    given = None if place.engine == "dask" else pair_source(pairs, reference, candidate, lines, columns)
    if dry_run:
        estimate(using.reader, scorer_for(settings), given.records() if given else ())
        return
    gate = Gate.of(fail_under or [], settings)
    found, failures = Means(), Failures()
    with ExitStack() as stack:
        known = given.records() if given is not None and all(map(is_file, given.files)) else ()
        tell = stack.enter_context(progress("pairs", usage_reporter(using.reader, known)))
        if given is None:
            from kgscore.runs.dask import Target, cluster_client, score_on_cluster

            client = stack.enter_context(cluster_client(place.cluster, jobs))
            target = Target(output, place.shards, graph, place.partition)
            outcomes = score_on_cluster(str(pairs), settings, client, target, say=say)
        else:
            outcomes = score_source(given, settings, jobs, out=output, graph=graph)
        for outcome in outcomes:
            found.see(outcome)
            print(outcome.as_json())
            failures.see(outcome.where, outcome.id, outcome.reason, outcome.status)
            tell(found.pairs)
    sys.stdout.flush()
    failures.rest()
    say(str(found))
    _print_summary(found, settings)
    if not gate.passed(found):
        raise typer.Exit(BELOW)
    failures.finish()


def assemble(
    shards: Annotated[str, typer.Argument(metavar="SHARDS", help="The folder or URL given to kgscore score --shards.")],
    output: Annotated[Path, output_to("RUN", "The run folder to create.")],
) -> None:
    """Assemble a run folder from the shards that a cluster wrote (`kgscore score --engine dask --shards`).

    The result equals the folder from `kgscore score --output`. An interrupted command resumes where it stopped."""
    from kgscore.results.outcome import Means
    from kgscore.runs.dask import assemble as assembled

    found = Means()
    with progress("pairs") as tell:
        for outcome in assembled(shards, output):
            found.see(outcome)
            tell(found.pairs)
    say(str(found))
    Failures(found.counts["failed"]).finish()


def _print_summary(found: Means, settings: Settings) -> None:
    if QUIET.get() or not any(found.values.values()):
        return
    from kgscore.report.terminal import means

    show(means(found, directions(found.values)), stream=sys.stderr)
    say(_signature(settings))


def _signature(settings: Settings) -> str:
    from kgscore.runs.batch import scorer_for
    from kgscore.signature import signature_line

    scorer = scorer_for(settings)
    return signature_line(scorer.signature, scorer.metrics)


@dataclass(frozen=True, slots=True)
class Gate:
    """Thresholds for the means of metrics, over the pairs with a score (candidates that say nothing have one)."""

    wanted: Mapping[str, float]
    higher: Mapping[str, bool]

    @classmethod
    def of(cls, options: Iterable[str], settings: Settings) -> Gate:
        """Return the gate for options such as `radot=0.6`. Raises typer.BadParameter if an option has no metric or no number, or
        its metric is not computed; ProfileError if a metric is unknown."""
        from kgscore import metrics

        computed = {one.name: one for one in metrics.resolved(settings.metrics)}
        wanted: dict[str, float] = {}
        for option in options:
            name, given, text = option.rpartition("=")
            if not given:
                wrong = f"'{option}': name the metric, as in {next(iter(computed))}={option} (there are {', '.join(computed)})"
                raise typer.BadParameter(wrong, param_hint="--fail-under")
            try:
                wanted[name] = float(text)
            except ValueError:
                raise typer.BadParameter(f"'{option}': give METRIC=NUMBER", param_hint="--fail-under") from None
            if name not in computed:
                raise typer.BadParameter(f"'{name}' is not computed; name it in --metrics", param_hint="--fail-under")
        return cls(wanted, {name: computed[name].higher_is_better for name in wanted})

    def passed(self, found: Means) -> bool:
        """Report each mean against its threshold, and return whether all pass. Without scored pairs, a threshold fails."""
        fine = True
        for name, limit in self.wanted.items():
            values = found.values.get(name, ())
            count = ", ".join((f"{len(values)} scored", f"{found.pairs - len(values)} not", *found.lost))
            if not values:
                complain(f"{name}: no pair has a score ({count}); FAILED")
                fine = False
                continue
            mean = fsum(values) / len(values)
            reached = mean >= limit if self.higher[name] else mean <= limit
            must = "at least" if self.higher[name] else "at most"
            complain(f"{name}: mean {mean:.4f}, must be {must} {limit:g} ({count}); {'passed' if reached else 'FAILED'}")
            fine = fine and reached
        return fine
