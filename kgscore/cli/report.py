"""`kgscore report`: a run as one HTML file."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import EmptyCandidate, Jobs, Metrics, Modules, Profile, names, progress, say
from kgscore.errors import InputError

if TYPE_CHECKING:
    from kgscore.batch import Settings

Run = Annotated[int | None, typer.Option("--run", metavar="N", help="Which run of the folder; without it, the last.")]


def report(
    source: Annotated[str, typer.Argument(metavar="RUN|PAIRS", help="A run folder, or a file of pairs ('-': JSON lines).")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file.")] = Path("report.html"),
    run: Run = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Title; without it, the name of the input.")] = "",
    metrics: Metrics = "radsem",
    profile: Profile = "default",
    module: Modules = None,
    jobs: Jobs = 1,
    empty_candidate: EmptyCandidate = "score",
) -> None:
    """Write a run as one HTML file: summary, every case with its verdicts, proofs, costs and corrections.

    The file needs no network and opens from a mail attachment. It holds the reports: protect it as you protect them. A file
    of pairs is scored first, with --metrics, --profile and --module; a RUN is shown as it was scored, with its modules.
    """
    with ExitStack() as stack:
        folder = Path(source)
        name = folder.resolve().name
        if not folder.is_dir():
            scratch = Path(stack.enter_context(TemporaryDirectory(prefix="kgscore-")))
            name = "standard input" if source == "-" else folder.name
            folder = _scored(source, scratch / "run", _settings(profile, metrics, module, empty_candidate), jobs)
        _write(folder, run, output, title or name)


def _settings(profile: str, metrics: str, modules: list[str] | None, empty_candidate: str) -> Settings:
    from kgscore.batch import Settings

    return Settings(profile, names(metrics), tuple(modules or ()), empty_candidate=empty_candidate)


def _scored(source: str, folder: Path, settings: Settings, jobs: int) -> Path:
    from kgscore.batch import score_source
    from kgscore.records import complaint
    from kgscore.results.outcome import Tally

    tally = Tally()
    with progress("pairs") as tell:
        for outcome in score_source(source, settings, jobs, out=folder, progress=tell):
            tally.see(outcome)
            if outcome.reason:
                say(complaint(outcome.where, outcome.id, outcome.reason))
    say(str(tally))
    return folder


def _write(folder: Path, run: int | None, output: Path, title: str) -> None:
    from kgscore.casebook import Casebook, chunks
    from kgscore.report.html import CHUNK, write_html
    from kgscore.report.overview import columns

    book = Casebook(folder, run)
    lines = book.lines()
    overview, plots = book.summary(lines)
    try:
        with NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=output.parent, delete=False) as stream:
            try:
                write_html(
                    stream,
                    run=book.info,
                    overview=overview,
                    columns=columns(lines, book.info.metrics),
                    chunks=chunks(book.views(), CHUNK),
                    texts=book.texts(),
                    title=title,
                    note=book.note,
                    plots=plots,
                )
            except BaseException:
                os.unlink(stream.name)
                raise
        os.chmod(stream.name, 0o600)
        os.replace(stream.name, output)
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        raise InputError(f"{output}: cannot be written ({said}); choose another path") from None
    say(f"{output}: {len(lines):,} cases, {output.stat().st_size / 1e6:.1f} MB")
