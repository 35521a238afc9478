"""`kgscore report`: export a run as one HTML file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import columns_of, complain, names, output_stream, progress, say
from kgscore.cli._options import (
    ENGINE,
    ColumnNames,
    EmptyCandidate,
    Engine,
    Jobs,
    Metrics,
    NoBaselines,
    RecordTimeout,
    RunNumber,
    output_to,
)
from kgscore.config import PLAIN, RECORD_TIMEOUT
from kgscore.private_files import temporary_folder

if TYPE_CHECKING:
    from kgscore.runs.batch import Settings
    from kgscore.runs.input import Source


def report(
    sources: Annotated[
        list[str], typer.Argument(metavar="RUN|PAIRS [RUN]", help="A run, or a file of pairs ('-': JSON lines); or two runs.")
    ],
    output: Annotated[Path, output_to("FILE", "The HTML file.")] = Path("report.html"),
    run: RunNumber = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title; default: the name of the input.")] = "",
    columns: ColumnNames = None, metrics: Metrics = PLAIN, engine: Engine = ENGINE,
    jobs: Jobs = 1, empty_candidate: EmptyCandidate = "score", record_timeout: RecordTimeout = RECORD_TIMEOUT,
    no_baselines: NoBaselines = False,
) -> None:
    """Write a run as one HTML file: summary, every case with its verdicts, proofs, costs and corrections.

    The file needs no network and opens from a mail attachment. It holds the reports: protect it accordingly. A file
    of pairs is scored first, with --metrics, --profile, --module and --reader; a RUN is shown as it was scored. Two
    runs are compared: what the second does better and worse than the first."""
    if len(sources) > 1:
        if len(sources) > 2:
            raise typer.BadParameter("one run, one file of pairs, or two runs", param_hint="RUN")
        _write_contrast(sources[0], sources[1], output, title)
        return
    from kgscore.runs.input import Source

    source, folder = sources[0], Path(sources[0])
    if folder.is_dir():
        _write(folder, run, output, title or folder.resolve().name, baselines=not no_baselines)
        return
    with temporary_folder() as place:
        settings = engine.settings(names(metrics), empty_candidate=empty_candidate, timeout=record_timeout)
        scored = _scored(Source(source, columns=columns_of(columns)), place / "run", settings, jobs)
        name = "standard input" if source == "-" else folder.name
        _write(scored, run, output, title or name, baselines=not no_baselines)


def _scored(source: Source, folder: Path, settings: Settings, jobs: int) -> Path:
    from kgscore.io.records import complaint
    from kgscore.results.outcome import Means
    from kgscore.runs.batch import score_source

    found = Means()
    with progress("pairs") as tell:
        for outcome in score_source(source, settings, jobs, out=folder, progress=tell):
            found.see(outcome)
            if outcome.reason:
                complain(complaint(outcome.where, outcome.id, outcome.reason))
    say(str(found))
    return folder


def _write(folder: Path, run: int | None, output: Path, title: str, *, baselines: bool) -> None:
    from kgscore.report.html import CHUNK, write_html
    from kgscore.report.overview import columns
    from kgscore.results.scores import RunName
    from kgscore.runs.case_index import Casebook, chunks
    from kgscore.runs.zeros import zeros_of

    book = Casebook(folder, run)
    zeros = zeros_of(RunName(folder, book.info.run, title)) if baselines else ()
    lines = book.lines()
    with _text(output) as stream:
        write_html(
            stream, run=book.info, overview=book.overview(lines, zeros), columns=columns(lines, book.info.metrics),
            chunks=chunks(book.views(), CHUNK), texts=book.texts(), title=title, note=book.note, plots=book.plots(),
        )  # fmt: skip
    say(f"{output}: {len(lines):,} cases, {output.stat().st_size / 1e6:.1f} MB")


def _write_contrast(one: str, other: str, output: Path, title: str) -> None:
    from kgscore.report.html import CHUNK, write_contrast
    from kgscore.report.overview import columns
    from kgscore.results.scores import parse_run_name
    from kgscore.runs.case_index import Casebook, chunks, contrast_of, pairs_of_views

    first, second = parse_run_name(one), parse_run_name(other)
    books = Casebook(first.folder, first.run), Casebook(second.folder, second.run)
    held = columns(books[0].lines(), books[0].info.metrics), columns(books[1].lines(), books[1].info.metrics)
    found, shared, figures = contrast_of(books, held, (Path(first.name).name, Path(second.name).name))
    with _text(output) as stream:
        write_contrast(
            stream, runs=[book.info for book in books], found=found, metrics=figures, columns=shared,
            chunks=chunks(pairs_of_views(books, shared["at"]), CHUNK), title=title or f"{found.b} against {found.a}",
        )  # fmt: skip
    say(f"{output}: {found.pairs:,} pairs, {output.stat().st_size / 1e6:.1f} MB")


@contextmanager
def _text(output: Path) -> Iterator[IO[str]]:
    """Yield an owner-only text stream that becomes the file once it is completely written."""
    with output_stream(output) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()
