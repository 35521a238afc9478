"""The command line. Data goes to standard output, messages to standard error.

Exit codes: 0 success, 1 kgscore error, 2 usage, 3 finished with failed records, 4 a mean worse than --fail-under.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import IO, Annotated, Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from kgscore import __version__
from kgscore.cli._equip import StoppedError, UnreadError, equip, settings_for, upgrade_arguments
from kgscore.errors import KgscoreError
from kgscore.escaping import EscapingStream

# The entry-point group through which packages add commands; an entry named `GROUP.NAME` is a command of a group.
_BROUGHT = ""
# The commands by group, in the order of the help: each as module and function, or `app` if it has subcommands. Entries
# after None are omitted from the short first screen.
_GROUPS: Mapping[str, Mapping[str, str | None]] = {
    "Score": {
        "score": "score.score", "summary": "statistics.summary", "compare": "statistics.compare",
        "correlate": _BROUGHT, "also": None,
        "demo": "explain.demo", "correct": "correct.correct", "judge": "correct.judge", "radsem": "radsem.app",
        "assemble": "score.assemble",
    },
    "Look": {"explain": "explain.explain", "report": "report.report", "serve": "serve.serve", "plot": "plot.app"},
    "Ask": {
        "read": "statements.read", "relate": "statements.relate", "entails": "statements.entails", "labels": "labels.labels",
        "sql": "ask.sql", "query": "ask.query", "also": None,
        "consistency": "statements.consistency", "tables": "ask.tables", "graph": "graph.app",
    },
    "Ontology": {"ontology": "ontology.app", "metrics": "metrics.metrics", "profile": "metrics.profile"},
    "Train": {
        "train": _BROUGHT, "fit": _BROUGHT, "also": None, "annotate": _BROUGHT, "evaluate": _BROUGHT, "llm": "llm.app",
        "vectors": _BROUGHT,
    },
    "Studies": {"bench": _BROUGHT, "also": None, "published": _BROUGHT, "perturb": _BROUGHT},
}  # fmt: skip
_COMMANDS = {name: place for group in _GROUPS.values() for name, place in group.items() if place is not None}
_CONFIGURED = tuple(name for group in ("Score", "Look", "Ask") for name, place in _GROUPS[group].items() if place is not None)
_WIDEST = max(map(len, _COMMANDS))
_EPILOG = """Start with: kgscore demo. Every command has --help.

\b
Exit codes: 0 success, 1 kgscore error, 2 usage, 3 finished with failed records,
4 a mean worse than --fail-under.

\b
Environment: KGSCORE_CACHE (folder of the compiled ontologies), KGSCORE_CONFIG
(settings instead of the nearest kgscore.toml; empty for none), KGSCORE_TOKEN
(for `serve`), KGSCORE_DEBUG=1 (traceback of an internal error), NO_COLOR,
COLUMNS (width of tables).
"""
_LESS = "use fewer --jobs or split the input (with --output, scored pairs are saved: run the same command again)"


class _Commands(Mapping[str, Any]):
    """The commands by name; each is imported when first used, since most calls need only one."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            found = _load_command(name)
            holder = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            if isinstance(found, typer.Typer):
                for inner in (known for known in _plugin_commands() if known.startswith(f"{name}.")):
                    found.command(name=inner.partition(".")[2])(_plugin_commands()[inner].load())
                for command in found.registered_commands:
                    assert command.callback is not None
                    command.callback = equip(inspect.unwrap(command.callback))
                holder.add_typer(found, name=name)
            else:
                holder.command(name)(equip(found))
            self._loaded[name] = get_group(holder).commands[name]
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from (name for name, place in _COMMANDS.items() if place or name in _plugin_commands())
        yield from (name for name in _plugin_commands() if name not in _COMMANDS and "." not in name)

    def __len__(self) -> int:
        return len(list(iter(self)))


@cache
def _plugin_commands() -> Mapping[str, EntryPoint]:
    """Return the commands added by installed packages, including the laboratory, by name."""
    return {point.name: point for point in entry_points(group="kgscore.commands")}


def _load_command(name: str) -> Any:
    """Return the function or the group of a command; KeyError if it does not exist."""
    if place := _COMMANDS.get(name):
        module, _, attribute = place.partition(".")
        return getattr(import_module(f"kgscore.cli.{module}"), attribute)
    return _plugin_commands()[name].load()


class _Root(TyperGroup):
    """The command-line group, with commands loaded lazily."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands()  # type: ignore[assignment]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands grouped by purpose."""
        there = list(self.commands)
        others = {name: None for name in there if name not in _COMMANDS}
        for title, members in {**_GROUPS, **({"Others": others} if others else {})}.items():
            names = [name for name in members if name == "also" or name in there]
            shown = names[: names.index("also")] if "also" in names else names
            rows = [(f"{name:<{_WIDEST}}", _first_lines(self.commands[name].help or "")) for name in shown]
            if len(shown) < len(names):
                rows.append(("also", ", ".join(names[len(shown) + 1 :])))
            with formatter.section(title):
                formatter.write_dl(rows)


def _first_lines(help: str) -> str:
    return re.split(r"[:(.]", " ".join(help.split()), maxsplit=1)[0].strip()


app = typer.Typer(
    name="kgscore", cls=_Root, epilog=_EPILOG, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None, pretty_exceptions_enable=False,
)  # fmt: skip


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kgscore {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False
) -> None:
    """Score radiology reports with an ontology-backed knowledge graph. '-' is standard input everywhere."""


def main(args: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    _open_streams()
    try:
        return _main(args)
    except BrokenPipeError:  # the reader of standard error has closed too
        _discard_output(sys.stdout, sys.stderr)
        return 141


def _main(args: list[str] | None) -> int:
    # `--jobs` forks this process while it is still single-threaded (`may_fork`).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    # Text from input data is escaped, so that it cannot control the terminal.
    with redirect_stdout(cast(IO[str], EscapingStream(sys.stdout))), redirect_stderr(cast(IO[str], EscapingStream(sys.stderr))):
        return _run(args)


def _run(args: list[str] | None) -> int:
    try:
        given = upgrade_arguments(sys.argv[1:] if args is None else args)
        app(given, prog_name="kgscore", default_map=settings_for(_CONFIGURED) if given[:1] and given[0] in _CONFIGURED else None)
    except SystemExit as done:
        if done.code == 130:
            return _report_interrupt()
        return done.code if isinstance(done.code, int) else 0 if done.code is None else 1
    except (StoppedError, KeyboardInterrupt):
        return _report_interrupt()
    except (UnreadError, BrokenPipeError):
        _discard_output(sys.stdout)  # the reader of standard output has closed it (`… | head`): exit silently
        return 141
    except Exception as error:
        print(f"kgscore: {_message_of(error)}", file=sys.stderr)
        return 1
    return 0


def _message_of(error: Exception) -> str:
    if isinstance(error, KgscoreError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"out of memory; {_LESS}"
    if isinstance(error, OSError):
        _discard_output(sys.stdout)
        where = error.filename or "standard output"
        return f"{where}: cannot be read or written ({(error.strerror or 'unknown').lower()})"
    if os.environ.get("KGSCORE_DEBUG"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    return f"internal error ({type(error).__name__} at {where}); KGSCORE_DEBUG=1 shows more"


def _report_interrupt() -> int:
    print("kgscore: interrupted; a run folder keeps the scored pairs: run the same command again to resume", file=sys.stderr)
    return 130


def _discard_output(*streams: Any) -> None:
    """Redirect a broken stream to the null device, so that the interpreter can flush it on exit."""
    for stream in streams:
        with suppress(OSError, ValueError):  # ValueError: not backed by a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_streams() -> None:
    """Open closed standard streams (`>&-`) so that no file gets their descriptors: input and output fail, messages are lost."""
    for name, mode, flags in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
