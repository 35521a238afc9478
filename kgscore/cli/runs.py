"""`kgscore query`, `sql` and `export`: what a run folder holds."""

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


def query(run: RunFolder, sparql: Query, limit: Limit = 10_000, timeout: Timeout = 30.0) -> None:
    """Ask the graph of a run in SPARQL: SELECT and ASK give JSON lines, CONSTRUCT and DESCRIBE N-Triples.

    Nothing can be changed and no other server is asked. The default graph is the union of all graphs; prefixes kgs, kgr,
    fma, rdf, rdfs, owl, skos and xsd are known.
    """
    from kgscore.graph.queries import query as ask

    answer = ask(run, _text(sparql), limit=limit, seconds=timeout)
    if answer.truth is not None:
        put({"boolean": answer.truth})
    for triple in answer.triples or ():
        print(triple)
    for row in answer.rows:
        put(dict(zip(answer.columns, row, strict=True)))
    _more(answer.more, limit)


def sql(run: RunFolder, statement: Query, limit: Limit = 10_000, timeout: Timeout = 30.0) -> None:
    """Ask the tables of a run in SQL (DuckDB), read-only: one JSON line a row.

    Tables: runs, cases, findings, entities, entity_relations, unlinked, pairs, contradictions, unmatched, scores, failures.
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
