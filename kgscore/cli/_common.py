"""What the commands share: lines out, messages, exit codes, progress."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

import typer

from kgscore.cli._equip import QUIET
from kgscore.cli._options import Form, listed
from kgscore.errors import InputError, ProfileError, unwritable
from kgscore.escaping import EscapingByteStream, raw
from kgscore.io.columns import Columns
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, complaint, is_lines, read_records, read_text
from kgscore.private_files import whole
from kgscore.results.tabular import json_line, write_rows

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kgscore.engine import Scorer
    from kgscore.metrics.base import MetricInfo
    from kgscore.report.grid import Grid
    from kgscore.results.scores import Scores
    from kgscore.runs.batch import Settings
    from kgscore.runs.input import Source

FAILED_RECORDS, BELOW = 3, 4  # exit codes
NAMED = 3  # so many records are named that have one reason, the others are counted
REPORTS_OR_PAIRS = (("report",), PAIR_FIELDS)
_NUMBER = re.compile(r"\d[\d,.]*")  # what records of one kind differ in
_T = TypeVar("_T")


@dataclass(slots=True)
class Failures:
    """How many records failed, each named on standard error; where their lines say why too, the first of each reason."""

    count: int = 0
    reasons: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, problem: object) -> None:
        """Name a record that failed."""
        self.count += 1
        complain(problem)

    def see(self, where: str, id: str | None, reason: str, status: str) -> None:
        """Take a record whose line says what is the matter with it: name it, if it is one of the first of its reason; one that
        is scored not with -q. It counts if it failed."""
        self.count += status == "failed"
        kind = (_NUMBER.sub("N", reason), status == "scored")
        self.reasons[kind] += 1
        if self.reasons[kind] <= NAMED:
            (say if status == "scored" else complain)(complaint(where, id, reason))

    def rest(self) -> None:
        """Say how many more records there were of each reason."""
        for (reason, scored), count in self.reasons.items():
            if count > NAMED:
                (say if scored else complain)(f"{count - NAMED:,} more: {reason}")
        self.reasons.clear()

    def left(self, records: Iterable[_T | BadRecord]) -> Iterator[_T]:
        """Yield what can be used; the others have failed."""
        for record in records:
            if isinstance(record, BadRecord):
                self.add(record)
            else:
                yield record

    def finish(self) -> None:
        """End the command: exit code 0, or 3 if records failed."""
        sys.stdout.flush()
        self.rest()
        if self.count:
            complain(f"{self.count} failed record{'s' if self.count > 1 else ''}; the lines above say why")
            raise typer.Exit(FAILED_RECORDS)


def put(line: Mapping[str, Any], stream: IO[bytes] | None = None) -> None:
    """Print one JSON line on standard output, or write it to a stream."""
    if stream is None:
        print(json_line(line))
    else:
        stream.write(f"{json_line(line)}\n".encode())


def say(message: str) -> None:
    """Print one line on standard error; with -q, nothing."""
    if not QUIET.get():
        print(message, file=sys.stderr)


def complain(problem: object) -> None:
    """Print one line on what is wrong on standard error, with -q as well."""
    print(problem, file=sys.stderr)


def pair_source(
    pairs: str | None, reference: str | None, candidate: str | None, lines: tuple[str, str] | None = None,
    columns: Iterable[str] | None = None,
) -> Source:
    """Return where pairs come from: one file of them, two reports or files of reports, or two files of lines.

    Raises:
        typer.BadParameter: none of these is given, or several are.
    """
    from kgscore.runs.input import Source

    given = (pairs is not None) + (reference is not None or candidate is not None) + (lines is not None)
    if given != 1 or (reference is None) != (candidate is None):
        raise typer.BadParameter("give PAIRS, or both --reference and --candidate, or --lines REFS HYPS")
    named = columns_of(columns)
    if pairs is not None:
        return Source(pairs, columns=named)
    if lines is not None:
        return Source(*lines, how="lines")
    assert reference is not None
    assert candidate is not None
    if "-" in (reference, candidate) or is_lines(reference) != is_lines(candidate):
        raise typer.BadParameter("give --reference and --candidate two text files, or two files of reports")
    return Source(reference, candidate, "ids" if is_lines(reference) else "texts", named)


def beside(peers: str) -> tuple[MetricInfo, ...]:
    """Return the metrics of others that --peers names.

    Raises:
        ProfileError: there is none of a name, or its library is not installed.
    """
    from kgscore.metrics import of_peers

    return of_peers(listed(peers))


def directions(metrics: Iterable[str]) -> dict[str, bool]:
    """Return whether higher is better, of each metric that is known here."""
    from kgscore import metrics as registry

    found = {}
    for name in metrics:
        with suppress(ProfileError):
            found[name] = registry.metric(name).higher_is_better
    return found


def scores_of(run: str) -> Scores:
    """Return the scores of a run by its name, `FOLDER` or `FOLDER@N`.

    Raises:
        RunError: there is no such run, or it cannot be read.
    """
    from kgscore.results.scores import load_scores, run_named

    return load_scores(run_named(run))


def columns_of(given: Iterable[str] | None) -> Columns:
    """Return what --columns says of the columns of a file.

    Raises:
        typer.BadParameter: it is not written OURS=THEIRS.
    """
    try:
        return Columns.parse(",".join(given or ()), say)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--columns") from None


def figures(
    grids: Grid | Sequence[Grid], rows: Sequence[Mapping[str, Any]], form: Form = "table", output: Path | None = None
) -> None:
    """Print figures in a form: tables as people read them, or the rows behind them in full precision."""
    from kgscore.report.grid import Grid

    several = [grids] if isinstance(grids, Grid) else list(grids)
    if form == "table" and output is None:
        for grid in several:
            show(grid)
        return
    with sink(output) as stream:
        if form in ("table", "markdown", "latex"):
            from kgscore.report.text import to_plain

            ways: Mapping[str, Callable[[Grid], str]] = {"table": to_plain, "markdown": Grid.markdown, "latex": Grid.latex}
            stream.write("\n".join(ways[form](grid) for grid in several).encode())
        else:
            write_rows(rows, form, stream)


def show(renderable: RenderableType, width: int | None = None, stream: IO[str] | None = None) -> None:
    """Print something readable on standard output or a stream: in colour on a terminal, plain text (of a width) elsewhere."""
    out = stream or sys.stdout
    if out.isatty():
        from rich.console import Console

        from kgscore.report.text import Harmless

        Console(file=raw(out), highlight=False, markup=False, emoji=False).print(Harmless(renderable))
    else:
        from kgscore.report.text import WIDTH, to_plain

        print(to_plain(renderable, width or WIDTH), end="", file=out)


def names(metrics: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list.

    Raises:
        typer.BadParameter: there is none.
    """
    found = listed(metrics)
    if not found:
        raise typer.BadParameter("name at least one metric", param_hint="--metrics")
    return found


def each(
    records: Iterable[Record | BadRecord], work: Callable[[Scorer, Record], Mapping[str, Any]], settings: Settings, jobs: int = 1,
    note: Callable[[Record, Mapping[str, Any]], None] = lambda record, answer: None,
) -> None:
    """Print what the work makes of each record; name the bad ones, and end with exit code 3 if there were any. `note` may say
    more of a record."""
    failures = Failures()
    with progress("records") as tell:
        for done, (record, line) in enumerate(lines_of(records, work, settings, jobs, failures), 1):
            if isinstance(record, Record):
                note(record, line)
            put(line)
            tell(done)
    failures.finish()


def lines_of(
    records: Iterable[Record | BadRecord], work: Callable[[Scorer, Record], Mapping[str, Any]], settings: Settings, jobs: int,
    failures: Failures, lacking: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[tuple[Record | BadRecord, Mapping[str, Any]]]:
    """Yield each record with the line that the work makes of it; a bad one with a line that says so, in which `lacking` stands
    for what there would be. Those whose line has the status `empty` or `failed` are named; they failed if it is that."""
    from kgscore.runs.batch import answered

    for record, made in answered(records, work, settings, jobs):
        line = made or {"id": record.id, "status": "failed", **lacking, "reason": getattr(record, "reason", "")}
        if line.get("status") in ("empty", "failed"):
            failures.see(record.where, record.id, line["reason"], line["status"])
        yield record, line


def reports(sources: Iterable[str], columns: Iterable[str] | None = None) -> Iterator[Record | BadRecord]:
    """Yield every report of files of lines with `id` and `report`, or `reference` and `candidate` (the ids of these then end in
    /reference and /candidate), and of text files of one report each."""
    for record in reports_or_pairs(sources, columns):
        if isinstance(record, BadRecord) or "report" in record.fields:
            yield record
        else:
            yield from (Record(record.where, f"{record.id}/{name}", {"report": text}) for name, text in record.fields.items())


def reports_or_pairs(sources: Iterable[str], columns: Iterable[str] | None = None) -> Iterator[Record | BadRecord]:
    """As `reports`, with the two reports of a pair in one record."""
    named = columns_of(columns)
    for source in sources:
        yield from read_records(source, *REPORTS_OR_PAIRS, columns=named) if is_lines(source) else [_text_record(source)]


def _text_record(source: str) -> Record | BadRecord:
    """Return the report in a text file as a record; its id is the path."""
    try:
        return Record(source, source, {"report": read_text(source)})
    except InputError as error:
        return BadRecord(source, source, str(error).removeprefix(f"{source}: "))


def note_unread(record: Record, report: str, findings: int, what: str = "the report") -> None:
    """Say on standard error that a report gave nothing, and why that may be."""
    if not report.strip():
        say(complaint(record.where, record.id, f"{what} is empty; nothing to read"))
    elif findings == 0:
        say(complaint(record.where, record.id, f"no finding was read in {what}; kgscore reads English findings: check the text"))


@contextmanager
def sink(output: Path | None) -> Iterator[IO[bytes]]:
    """Give a file to write to, which is there when all is written, for its owner only; or standard output."""
    if output is None:
        sys.stdout.flush()
        out = sys.stdout.buffer
        yield cast(IO[bytes], EscapingByteStream(out)) if sys.stdout.isatty() else out
        out.flush()
        return
    try:
        with whole(output) as stream:
            yield stream
    except OSError as error:
        raise unwritable(output, error) from None


def ready(source: str | Path, sparql: str | None = None) -> None:
    """Make the graph of a run folder if it is not there yet, or what a query can see of it, and show how far that is; an endpoint
    is ready."""
    from kgscore.graph.queries import make_ready

    with progress("cases in the graph") as tell:
        make_ready(source, tell, sparql)


@contextmanager
def progress(what: str, more: Callable[[int, float], str] = lambda done, seconds: "") -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many are done, on a terminal's standard error and nowhere else, and what `more` says of so
    many in so many seconds."""
    if QUIET.get() or not sys.stderr.isatty():
        yield lambda done: None
        return
    began = shown = time.monotonic()

    def tell(done: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > 0.2:
            shown = now
            raw(sys.stderr).write(f"\r{done:,} {what}, {done / (now - began):,.0f} a second{more(done, now - began)} ")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        raw(sys.stderr).write("\r\x1b[K")
