"""`kgscore published`: the public benchmarks, from a download to the figures as its paper reports them."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import (
    PLAIN,
    ColumnNames,
    Jobs,
    LinesOrTable,
    Metrics,
    Modules,
    Peers,
    Profile,
    ReaderName,
    columns_of,
    complain,
    finish,
    names,
    progress,
    put,
    say,
    show,
    sink,
)
from kgscore.cli.statistics import Level, Resamples, Scale, Seed
from kgscore.records import BadRecord

if TYPE_CHECKING:
    from kgscore.studies.published.base import Request

_SETS = "rexval, radevalx, rexerr, refisco, rate-eval, preferences, iu-xray, bioscope"


def published(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"The set: {_SETS}.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Your download: its folder, or the file.")],
    metrics: Metrics = PLAIN,
    baselines: Peers = "",
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
    columns: ColumnNames = None,
    scale: Scale = "1:5",
    whole: Annotated[bool, typer.Option("--whole-studies", help="Draw the cases of a study together in intervals.")] = False,
    pairs: Annotated[
        Path | None, typer.Option("--pairs", metavar="FILE", help="Write the pairs for `kgscore score` here (JSONL), and stop.")
    ] = None,
    jobs: Jobs = 1,
    level: Level = 0.95,
    resamples: Resamples = 2_000,
    seed: Seed = 0,
    format: LinesOrTable = "table",
) -> None:
    """Run a public benchmark on your own download and print its figures, as its paper reports them.

    kgscore brings none of these sets. What cannot be used is named and left out. docs/published.md says what the files look
    like, and which parts of that were checked.
    """
    from kgscore.results.statistics import Sampling
    from kgscore.runs.batch import Settings
    from kgscore.studies import published as programs
    from kgscore.studies.published.base import Request, peers_turned
    from kgscore.studies.published.preferences import scale_of

    settings = Settings(profile, names(metrics), tuple(module or ()), remember=64, reader=reader)
    sampling, others = Sampling(level, resamples, seed), peers_turned(names(baselines) if baselines else ())
    request = Request(path, settings, jobs, sampling, columns_of(columns).given, scale_of(scale), whole, others)
    if pairs is not None:
        _write(name, request, pairs)
        return
    with progress("texts") as tell:
        found = programs.run(name, replace(request, tell=tell))
    for problem in found.problems:
        complain(problem)
    if format == "jsonl":
        for row in found.figures:
            put({"set": name, **asdict(row)})
    else:
        from kgscore.report.figures import figures

        say(f"{name}: {programs.PROGRAMS[name].title}")
        show(figures(found.figures, level))
    sys.stdout.flush()
    for note in found.notes:
        say(note)
    finish(len(found.problems))


def _write(name: str, request: Request, out: Path) -> None:
    from kgscore.studies import published as programs

    rows = list(programs.pairs(name, request))  # before a file is made
    bad = [row for row in rows if isinstance(row, BadRecord)]
    with sink(None if str(out) == "-" else out) as stream:
        for row in rows:
            if not isinstance(row, BadRecord):
                stream.write(dumps(row, ensure_ascii=False).encode() + b"\n")
    for row in bad:
        complain(row)
    say(f"{len(rows) - len(bad)} pairs")
    finish(len(bad))
