"""Helpers shared by the commands: output lines, messages, exit codes, progress."""

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
from kgscore.cli._options import Form, Work, split_names
from kgscore.config import PLAIN
from kgscore.errors import InputError, ProfileError, write_error
from kgscore.escaping import EscapingByteStream, unwrap
from kgscore.io.columns import Columns
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, complaint, is_lines, read_records, read_text
from kgscore.private_files import atomic_file
from kgscore.results.tabular import json_line, write_rows

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kgscore.engine import Scorer
    from kgscore.report.grid import Grid
    from kgscore.results.scores import Scores
    from kgscore.runs.input import Source

FAILED_RECORDS, BELOW = 3, 4  # exit codes
NAMED = 3  # records with the same reason that are named individually; the rest are counted
_NUMBER = re.compile(r"\d[\d,.]*")  # the part in which messages of one kind differ
_T = TypeVar("_T")


@dataclass(slots=True)
class Failures:
    """Counts failed records and names them on standard error; for lines with a reason, only the first few of each reason."""

    count: int = 0
    reasons: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, problem: object) -> None:
        """Report a record that failed."""
        self.count += 1
        complain(problem)

    def see(self, where: str, id: str | None, reason: str, status: str) -> None:
        """Add a record: if it has a reason, name it if it is among the first with that reason (a scored record only without -q),
        and count it if it failed."""
        self.count += status == "failed"
        if not reason:
            return
        kind = (_NUMBER.sub("N", reason), status == "scored")
        self.reasons[kind] += 1
        if self.reasons[kind] <= NAMED:
            (say if status == "scored" else complain)(complaint(where, id, reason))

    def rest(self) -> None:
        """Report how many more records there were with each reason."""
        for (reason, scored), count in self.reasons.items():
            if count > NAMED:
                (say if scored else complain)(f"{count - NAMED:,} more: {reason}")
        self.reasons.clear()

    def left(self, records: Iterable[_T | BadRecord]) -> Iterator[_T]:
        """Yield usable records; report the others as failed."""
        for record in records:
            if isinstance(record, BadRecord):
                self.add(record)
            else:
                yield record

    def finish(self) -> None:
        """End the command: exit code 0, or 3 if any record failed."""
        sys.stdout.flush()
        self.rest()
        if self.count:
            complain(f"{self.count} failed record{'s' if self.count > 1 else ''}; see the reasons above")
            raise typer.Exit(FAILED_RECORDS)


def write_json(line: Mapping[str, Any], stream: IO[bytes] | None = None) -> None:
    """Print one JSON line to standard output, or write it to a stream."""
    if stream is None:
        print(json_line(line))
    else:
        stream.write(f"{json_line(line)}\n".encode())


def say(message: str) -> None:
    """Print one line to standard error, unless -q is set."""
    if not QUIET.get():
        print(message, file=sys.stderr)


def complain(problem: object) -> None:
    """Print one error line to standard error, even with -q."""
    print(problem, file=sys.stderr)


def pair_source(
    pairs: str | None, reference: str | None, candidate: str | None, lines: tuple[str, str] | None = None,
    columns: Iterable[str] | None = None,
) -> Source:
    """Return the source of the pairs: one file of pairs, two reports or files of reports, or two line-aligned files. Raises
    typer.BadParameter if none or more than one of these is given."""
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


def directions(metrics: Iterable[str]) -> dict[str, bool]:
    """Return, for each known metric, whether higher is better."""
    from kgscore import metrics as registry

    found = {}
    for name in metrics:
        with suppress(ProfileError):
            found[name] = registry.metric(name).higher_is_better
    return found


def scores_of(run: str) -> Scores:
    """Return the scores of a run given as `FOLDER` or `FOLDER@N`. Raises RunError if the run does not exist, or it cannot be
    read."""
    from kgscore.results.scores import load_scores, parse_run_name

    return load_scores(parse_run_name(run))


def columns_of(given: Iterable[str] | None) -> Columns:
    """Return the column mapping given by --columns. Raises typer.BadParameter if the option is not of the form OURS=THEIRS."""
    try:
        return Columns.parse(",".join(given or ()), say)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--columns") from None


def figures(
    grids: Grid | Sequence[Grid], rows: Sequence[Mapping[str, Any]], form: Form = "table", output: Path | None = None
) -> None:
    """Print figures as tables for people, or the underlying rows in full precision."""
    from kgscore.report.grid import Grid

    several = [grids] if isinstance(grids, Grid) else list(grids)
    if form == "table" and output is None:
        for grid in several:
            show(grid)
        return
    from kgscore.report.text import to_plain

    ways: Mapping[str, Callable[[Grid], str]] = {"table": to_plain, "markdown": Grid.markdown, "latex": Grid.latex}
    with output_stream(output) as stream:
        if form in ways:
            stream.write("\n".join(map(ways[form], several)).encode())
        else:
            write_rows(rows, form, stream)


def show(renderable: RenderableType, width: int | None = None, stream: IO[str] | None = None) -> None:
    """Print rich text to standard output or a stream: in colour on a terminal, elsewhere plain text of a given width."""
    out = stream or sys.stdout
    if out.isatty():
        from rich.console import Console

        from kgscore.report.text import Harmless

        Console(file=unwrap(out), highlight=False, markup=False, emoji=False).print(Harmless(renderable))
    else:
        from kgscore.report.text import WIDTH, to_plain

        print(to_plain(renderable, width or WIDTH), end="", file=out)


def names(metrics: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list. Raises typer.BadParameter if the list is empty."""
    if found := split_names(metrics):
        return found
    raise typer.BadParameter("name at least one metric", param_hint="--metrics")


def print_lines(
    records: Iterable[Record | BadRecord], answer: Callable[[Scorer, Record], Mapping[str, Any]], work: Work,
    note: Callable[[Record, Mapping[str, Any]], None] = lambda record, line: None,
) -> None:
    """Print the line that answers each record; name bad records, and end with exit code 3 if there were any. `note` may print
    more about a record."""
    failures = Failures()
    with progress("records") as tell:
        for done, (record, line) in enumerate(lines_of(records, answer, work, failures), 1):
            if isinstance(record, Record):
                note(record, line)
            write_json(line)
            tell(done)
    failures.finish()


def lines_of(
    records: Iterable[Record | BadRecord], answer: Callable[[Scorer, Record], Mapping[str, Any]], work: Work, failures: Failures,
    *, metrics: Iterable[str] = (PLAIN,), lacking: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[tuple[Record | BadRecord, Mapping[str, Any]]]:
    """Yield each record with its line; for a bad record, a line with the reason, in which `lacking` replaces the missing
    result. Records whose status is `empty` or `failed` are named; only `failed` counts as failed."""
    from kgscore.runs.batch import answer_records

    for record, made in answer_records(records, answer, work.settings(metrics), work.jobs):
        line = made or {"id": record.id, "status": "failed", **lacking, "reason": getattr(record, "reason", "")}
        if line.get("status") in ("empty", "failed"):
            failures.see(record.where, record.id, line["reason"], line["status"])
        yield record, line


def reports(sources: Iterable[str], columns: Iterable[str] | None = None) -> Iterator[Record | BadRecord]:
    """Yield every report in files of lines with `id` and `report`, or `reference` and `candidate` (whose ids then end in
    /reference and /candidate), and of text files of one report each."""
    for record in reports_or_pairs(sources, columns):
        if isinstance(record, BadRecord) or "report" in record.fields:
            yield record
        else:
            yield from (Record(record.where, f"{record.id}/{name}", {"report": text}) for name, text in record.fields.items())


def reports_or_pairs(sources: Iterable[str], columns: Iterable[str] | None = None) -> Iterator[Record | BadRecord]:
    """Like `reports`, but a pair is one record with both reports."""
    named = columns_of(columns)
    for source in sources:
        yield from read_records(source, ("report",), PAIR_FIELDS, columns=named) if is_lines(source) else [_text_record(source)]


def _text_record(source: str) -> Record | BadRecord:
    try:
        return Record(source, source, {"report": read_text(source)})
    except InputError as error:
        return BadRecord(source, source, str(error).removeprefix(f"{source}: "))


def note_unread(record: Record, report: str, findings: int, what: str = "the report") -> None:
    """Report on standard error that nothing was read from a report, and the likely cause."""
    if not findings:
        unread = f"no finding was read in {what}; kgscore reads English findings: check the text"
        say(complaint(record.where, record.id, unread if report.strip() else f"{what} is empty; nothing to read"))


@contextmanager
def output_stream(output: Path | None) -> Iterator[IO[bytes]]:
    """Yield an owner-only output file that appears when it is complete; or standard output."""
    if output is None:
        sys.stdout.flush()
        out = sys.stdout.buffer
        yield cast(IO[bytes], EscapingByteStream(out)) if sys.stdout.isatty() else out
        out.flush()
        return
    try:
        with atomic_file(output) as stream:
            yield stream
    except OSError as error:
        raise write_error(output, error) from None


def make_graph_ready(source: str | Path, sparql: str | None = None) -> None:
    """Build the graph of a run folder if needed, or the part that a query uses, and show progress; an endpoint needs nothing."""
    from kgscore.graph.queries import make_ready

    with progress("cases in the graph") as tell:
        make_ready(source, tell, sparql)


@contextmanager
def progress(what: str, more: Callable[[int, float], str] = lambda done, seconds: "") -> Iterator[Callable[[int], None]]:
    """Return a function that shows the number of items done, on a terminal's standard error only; `more` adds text computed
    from the number done and the seconds elapsed."""
    if QUIET.get() or not sys.stderr.isatty():
        yield lambda done: None
        return
    began = shown = time.monotonic()

    def tell(done: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > 0.2:
            shown = now
            unwrap(sys.stderr).write(f"\r{done:,} {what}, {done / (now - began):,.0f} a second{more(done, now - began)} ")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        unwrap(sys.stderr).write("\r\x1b[K")
