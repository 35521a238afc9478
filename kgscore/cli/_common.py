"""What the commands share: lines out, messages, exit codes, progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from kgscore.errors import InputError, unwritable
from kgscore.records import BadRecord, Record, complaint, is_lines, read_records, read_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kgscore.engine import Scorer

FAILED_RECORDS = 3
REPORTS_OR_PAIRS = (("report",), ("reference", "candidate"))

Profile = Annotated[str, typer.Option("--profile", metavar="P", help="Profile: the name of a shipped one, or a .yaml file.")]
Metrics = Annotated[str, typer.Option("--metrics", metavar="M,…", help="Metrics, separated by commas, or all.")]
Modules = Annotated[
    list[str] | None, typer.Option("--module", metavar="PATH", help="An ontology module of your own: folder or .ttl; repeatable.")
]
ReaderName = Annotated[
    str, typer.Option("--reader", metavar="R", help="What reads the reports: default, parser, or a model file for the parser.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes; the output is the same for any N.")]
EmptyCandidate = Annotated[
    str,
    typer.Option("--empty-candidate", metavar="W", help="A candidate that says nothing: score it (all is missed), or skip it."),
]
NAMED_RUN = "A run folder (its last run), or FOLDER@N for run N of it."
NamedRun = Annotated[str, typer.Argument(metavar="RUN", help=NAMED_RUN)]
NamedRuns = Annotated[list[str], typer.Argument(metavar="RUN…", help=NAMED_RUN)]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


def put(line: Mapping[str, Any]) -> None:
    """Print one JSON line on standard output."""
    print(json.dumps(line, ensure_ascii=False, allow_nan=False, default=str))


def say(message: str) -> None:
    """Print one line on standard error."""
    print(message, file=sys.stderr)


def show(renderable: RenderableType, width: int | None = None) -> None:
    """Print something readable on standard output: in colour on a terminal, plain text (of a width) elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False).print(renderable)
    else:
        from kgscore.report.text import WIDTH, to_plain

        print(to_plain(renderable, width or WIDTH), end="")


def scorer(
    profile: str, metrics: Iterable[str] = ("radsem",), modules: Iterable[str] | None = None, reader: str = "default"
) -> Scorer:
    """Return a scorer; the engine is loaded here and not before."""
    from kgscore.batch import Settings, scorer_for

    return scorer_for(Settings(profile, tuple(metrics), tuple(modules or ()), reader=reader))


def names(metrics: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list.

    Raises:
        typer.BadParameter: there is none.
    """
    found = tuple(dict.fromkeys(name.strip() for name in metrics.split(",") if name.strip()))
    if not found:
        raise typer.BadParameter("name at least one metric", param_hint="--metrics")
    return found


def each(source: str, fields: tuple[str, ...], answer: Callable[[Record], Mapping[str, Any]]) -> None:
    """Print the answer to every record of a file; name the bad ones, and end with exit code 3 if there were any."""
    finish(_answer_all(read_records(source, fields), answer))


def each_report(sources: Iterable[str], answer: Callable[[Record], Mapping[str, Any]]) -> None:
    """As `each`, for reports: files of lines with `id` and `report`, or text files of one report each."""
    finish(_answer_all(reports(sources), answer))


def reports(sources: Iterable[str], *choices: tuple[str, ...]) -> Iterator[Record | BadRecord]:
    """Yield the records of files of lines with `id` and `report` (or the fields of one of the `choices`), and of text files of
    one report each."""
    for source in sources:
        yield from read_records(source, *(choices or (("report",),))) if is_lines(source) else [_text_record(source)]


def _text_record(source: str) -> Record | BadRecord:
    """Return the report in a text file as a record; its id is the path."""
    try:
        return Record(source, source, {"report": read_text(source)})
    except InputError as error:
        return BadRecord(source, source, str(error).removeprefix(f"{source}: "))


def note_unread(record: Record, report: str, findings: int) -> None:
    """Say on standard error that a report gave nothing, and why that may be."""
    if not report.strip():
        say(complaint(record.where, record.id, "the report is empty; nothing to read"))
    elif findings == 0:
        say(complaint(record.where, record.id, "no finding was read; kgscore reads English findings: check the text"))


def finish(failed: int) -> None:
    """End the command: exit code 0, or 3 if records failed."""
    sys.stdout.flush()
    if failed:
        say(f"{failed} failed record{'s' if failed > 1 else ''}; the lines above say why")
        raise typer.Exit(FAILED_RECORDS)


def _answer_all(records: Iterable[Record | BadRecord], answer: Callable[[Record], Mapping[str, Any]]) -> int:
    failed = 0
    for record in records:
        if isinstance(record, BadRecord):
            failed += 1
            say(str(record))
            put({"id": record.id, "status": "failed", "reason": record.reason})
        else:
            put(answer(record))
    return failed


@contextmanager
def sink(output: Path | None) -> Iterator[IO[bytes]]:
    """Give a file to write to, or standard output."""
    if output is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with output.open("wb") as stream:
            yield stream
    except OSError as error:
        raise unwritable(output, error) from None


def ready(source: str | Path) -> None:
    """Make the graph of a run folder if it is not there yet, and show how far that is; an endpoint is ready."""
    from kgscore.graph.queries import make_ready

    with progress("cases in the graph") as tell:
        make_ready(str(source) if isinstance(source, str) else source, tell)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many are done, on a terminal's standard error and nowhere else."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    began = shown = time.monotonic()

    def tell(done: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > 0.2:
            shown = now
            sys.stderr.write(f"\r{done:,} {what}, {done / (now - began):,.0f} a second ")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        sys.stderr.write("\r\x1b[K")
