"""The command line. Data goes to standard output, messages to standard error.

Exit codes: 0 fine, 1 kgscore error, 2 usage, 3 finished with failed records, 4 worse than --fail-under asks for.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from typing import Annotated

import typer

from kgscore import __version__
from kgscore.cli import (
    bench,
    correct,
    coverage,
    demo,
    explain,
    fit,
    graph,
    labels,
    metrics,
    ontology,
    plot,
    published,
    query,
    radsem,
    report,
    runs,
    score,
    serve,
    statements,
    statistics,
)
from kgscore.errors import KgscoreError

app = typer.Typer(
    name="kgscore",
    help="Score radiology reports with an ontology-backed knowledge graph. '-' is standard input everywhere.",
    epilog="Exit codes: 0 fine, 1 kgscore error, 2 usage, 3 finished with failed records, 4 below --fail-under.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(score.score)
app.command()(statements.read)
app.command()(statements.relate)
app.command()(statements.entails)
app.command()(statements.consistency)
app.command()(labels.labels)
app.command()(explain.explain)
app.command()(correct.correct)
app.command()(report.report)
app.command()(serve.serve)
app.command()(query.query)
app.command()(runs.sql)
app.command()(runs.tables)
app.command()(runs.export)
app.command()(statistics.summary)
app.command()(statistics.compare)
app.command()(statistics.correlate)
app.add_typer(graph.app, name="graph")
app.add_typer(ontology.app, name="ontology")
app.command()(metrics.metrics)
app.add_typer(metrics.profile, name="profile")
app.add_typer(plot.app, name="plot")
app.add_typer(radsem.app, name="radsem")
app.command()(coverage.coverage)
app.command()(demo.demo)
app.command()(bench.bench)
app.command()(published.published)
app.add_typer(fit.app, name="fit")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kgscore {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """Score radiology reports with an ontology-backed knowledge graph. '-' is standard input everywhere."""


def main(args: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        app(args)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0 if done.code is None else 1
    except KgscoreError as error:
        print(f"kgscore: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read standard output has gone (`… | head`): say nothing, and let the interpreter close in peace.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("kgscore: interrupted; with --out, the same command goes on from here", file=sys.stderr)
        return 130
    except Exception as error:
        if os.environ.get("KGSCORE_DEBUG"):
            traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        print(f"kgscore: internal error ({type(error).__name__} at {where}); KGSCORE_DEBUG=1 shows more", file=sys.stderr)
        return 1
    return 0
