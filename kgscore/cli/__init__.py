"""The command line. Data goes to standard output, messages to standard error.

Exit codes: 0 fine, 1 kgscore error, 2 usage, 3 finished with failed records, 4 worse than --fail-under asks for.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from kgscore import __version__
from kgscore.errors import KgscoreError

# The commands, in the order of the help, each as module and function, or `app` where it has commands of its own.
_COMMANDS = {
    "score": "score.score",
    "assemble": "assemble.assemble",
    "read": "statements.read",
    "relate": "statements.relate",
    "entails": "statements.entails",
    "consistency": "statements.consistency",
    "labels": "labels.labels",
    "explain": "explain.explain",
    "correct": "correct.correct",
    "report": "report.report",
    "serve": "serve.serve",
    "query": "query.query",
    "sql": "runs.sql",
    "tables": "runs.tables",
    "export": "runs.export",
    "summary": "statistics.summary",
    "compare": "statistics.compare",
    "correlate": "statistics.correlate",
    "graph": "graph.app",
    "ontology": "ontology.app",
    "metrics": "metrics.metrics",
    "profile": "metrics.profile",
    "plot": "plot.app",
    "radsem": "radsem.app",
    "coverage": "coverage.coverage",
    "demo": "demo.demo",
    "bench": "bench.bench",
    "perturb": "perturb.perturb",
    "published": "published.published",
    "fit": "fit.app",
    "train": "train.train",
    "evaluate": "train.evaluate",
}


class _Commands(Mapping[str, Any]):
    """The commands by name, each loaded when it is first asked for: most calls need one."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            module, _, attribute = _COMMANDS[name].partition(".")
            found = getattr(import_module(f"kgscore.cli.{module}"), attribute)
            holder = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            if isinstance(found, typer.Typer):
                holder.add_typer(found, name=name)
            else:
                holder.command(name)(found)
            self._loaded[name] = get_group(holder).commands[name]
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Root(TyperGroup):
    """The command line, without the commands that are not asked for."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands()  # type: ignore[assignment]


app = typer.Typer(
    name="kgscore",
    cls=_Root,
    help="Score radiology reports with an ontology-backed knowledge graph. '-' is standard input everywhere.",
    epilog="Exit codes: 0 fine, 1 kgscore error, 2 usage, 3 finished with failed records, 4 below --fail-under.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
