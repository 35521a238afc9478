"""`kgscore published`: the public benchmarks, from a download to the figures as its paper reports them."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Failures, columns_of, names, output_stream, progress, say, show, write_json
from kgscore.cli._options import ENGINE, FEW, ColumnNames, Engine, Jobs, LinesOrTable, Metrics, Peers, Resampling, Scale
from kgscore.config import PLAIN

if TYPE_CHECKING:
    from kgscore.lab.published.base import Request

_SETS = "rexval, radevalx, rexerr, refisco, rate-eval, preferences, iu-xray, bioscope"


def published(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"The set: {_SETS}.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Your download: its folder, or the file.")],
    metrics: Metrics = PLAIN,
    baselines: Peers = "",
    engine: Engine = ENGINE,
    columns: ColumnNames = None,
    scale: Scale = "1:5",
    whole: Annotated[bool, typer.Option("--whole-studies", help="Resample whole studies for intervals.")] = False,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the pairs for `kgscore score` here (JSONL), and stop.")
    ] = None,
    jobs: Jobs = 1,
    how: Resampling = FEW,
    format: LinesOrTable = "table",
) -> None:
    """Run a public benchmark on your own download and print its figures, as reported in its paper.

    kgscore includes none of these sets. Unusable records are named and skipped. docs/published.md describes the files, and
    which parts of their format were checked.
    """
    from kgscore.lab import published as programs
    from kgscore.lab.published.base import Request, signed_peers
    from kgscore.lab.published.preferences import scale_of

    settings = engine.settings(names(metrics), remember=64)
    others = signed_peers(names(baselines) if baselines else ())
    request = Request(path, settings, jobs, how.sampling(), columns_of(columns).given, scale_of(scale), whole, others)
    if pairs is not None:
        _write(name, request, pairs)
        return
    with progress("texts") as tell:
        found = programs.run(name, replace(request, tell=tell))
    failures = Failures()
    for problem in found.problems:
        failures.add(problem)
    if format == "jsonl":
        for row in found.figures:
            write_json({"set": name, **asdict(row)})
    else:
        from kgscore.lab.tables import figures

        say(f"{name}: {programs.PROGRAMS[name]}")
        for grid in figures(found.figures, how.level):
            show(grid)
    sys.stdout.flush()
    for note in found.notes:
        say(note)
    failures.finish()


def _write(name: str, request: Request, out: Path) -> None:
    from kgscore.lab import published as programs

    rows = list(programs.pairs(name, request))  # before a file is created
    failures = Failures()
    with output_stream(None if str(out) == "-" else out) as stream:
        for row in failures.left(rows):
            write_json(row, stream)
    say(f"{len(rows) - failures.count} pairs")
    failures.finish()
