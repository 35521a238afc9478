"""`kgscore sql` and `export`: what a run folder holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from kgscore.cli._common import RunFolder, put, say
from kgscore.errors import RunError

Query = Annotated[str, typer.Argument(metavar="QUERY", help="The query; '-' reads it from standard input.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many rows.")]
Format = Literal["nquads", "turtle", "trig"]
Timeout = Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Give up after so long.")]


def sql(run: RunFolder, statement: Query, limit: Limit = 10_000, timeout: Timeout = 30.0) -> None:
    """Ask the tables of a run in SQL (DuckDB), read-only: one JSON line a row.

    Tables: runs, cases, findings, entities, entity_relations, unlinked, pairs, contradictions, unmatched, scores, corrections,
    failures.
    """
    from kgscore.results.database import query as ask

    columns, rows, more = ask(run, _text(statement), limit=limit, seconds=timeout)
    for row in rows:
        put(dict(zip(columns, row, strict=True)))
    _more(more, limit)


def export(
    run: RunFolder,
    format: Annotated[Format, typer.Option("--format", help="N-Quads and TriG keep the graphs.")] = "nquads",
    graph: Annotated[str | None, typer.Option("--graph", metavar="IRI", help="Only the graph of that name.")] = None,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write here, not to standard output.")] = None,
) -> None:
    """Export the graph of a run for another store."""
    from kgscore.graph.store import export as write

    if output is None:
        sys.stdout.flush()
        write(run, sys.stdout.buffer, format, graph)
        return
    try:
        with output.open("wb") as stream:
            write(run, stream, format, graph)
    except OSError as error:
        raise RunError(f"{output}: cannot be written ({error.strerror or type(error).__name__}); choose another path") from None


def _text(query: str) -> str:
    return sys.stdin.read() if query == "-" else query


def _more(more: bool, limit: int) -> None:
    if more:
        say(f"only the first {limit:,} rows; --limit gives more")
