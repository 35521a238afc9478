"""`kgscore sql`, `tables` and `export`: what a run folder holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from kgscore.cli._common import RunFolder, ready, say, sink
from kgscore.cli.query import show_table

Query = Annotated[str, typer.Argument(metavar="QUERY", help="The query; '-' reads it from standard input.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many rows.")]
Format = Literal["nquads", "turtle", "trig"]
Rows = Literal["jsonl", "csv", "table"]
Timeout = Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Give up after so long.")]


def sql(
    run: RunFolder,
    statement: Query,
    attach: Annotated[
        list[str] | None, typer.Option("--with", metavar="NAME=RUN", help="Attach a further run folder; may be repeated.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="A .parquet, .arrow, .csv, .jsonl.")] = None,
    format: Annotated[Rows, typer.Option("--format", help="table is for people.")] = "jsonl",
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many rows.")] = None,
    timeout: Timeout = 30.0,
) -> None:
    """Ask the tables of a run in SQL (DuckDB), read-only: one JSON line a row (the first 10,000, in a file all of them).

    `kgscore tables RUN` lists tables and views. With --with NAME=RUN, NAME.TABLE is the other run's, and every.TABLE holds the
    rows of all runs with a column folder.
    """
    from kgscore.results.sql import ask
    from kgscore.results.tables import kind_of, write_table

    most = limit if limit is not None else None if output else 10_000
    kind = kind_of(output) if output else format
    answer = ask(run, _text(statement), attached=_named(attach or []), limit=most, seconds=timeout)
    if kind == "table":
        show_table(answer.table.column_names, (row.values() for row in answer.rows()))
    else:
        with sink(output) as stream:
            write_table(answer, stream, kind)
    if output is not None:
        say(f"{output}: {answer.table.num_rows:,} rows")
    _more(answer.more, most or 0)


def tables(
    run: RunFolder,
    add: Annotated[Path | None, typer.Option("--add", metavar="FILE", help="A table to put beside the run.")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Its name: tables.NAME; else the file's.")] = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="FOLDER", help="Write every table and view as Parquet.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Make the run folder of such files.")] = None,
) -> None:
    """List the tables and views of a run, what a row of each is, and its columns; or take tables in and out as files."""
    from kgscore.results.side import side_tables, store_file
    from kgscore.results.tables import described, from_parquet, to_parquet

    if add is not None:
        known = name or add.stem.replace("-", "_").replace(".", "_")
        say(f"tables.{known}: {store_file(run, known, add):,} rows")
    elif to is not None:
        say(f"{to}: {len(to_parquet(run, to))} files")
    elif source is not None:
        from_parquet(source, run)
        say(f"{run}: {len(described(run))} tables and views")
    else:
        for info in described(run):
            columns = ", ".join(f"{column} {kind}" for column, kind in info.columns)
            count = "" if info.rows is None else f"  {info.rows:,} rows"
            print(f"{info.name}  ({info.kind}){count}\n    {info.comment}\n    {columns}")
        for known in side_tables(run):
            print(f"tables.{known}  (beside the run)")


def export(
    run: RunFolder,
    format: Annotated[Format, typer.Option("--format", help="N-Quads for bulk loading.")] = "nquads",
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write here, not to standard output.")] = None,
) -> None:
    """Export the graph of a run for another store. `graph report` takes out one report."""
    from kgscore.graph.store import export as write

    ready(run)
    with sink(output) as stream:
        write(run, stream, format)


def _named(pairs: list[str]) -> dict[str, Path]:
    for pair in pairs:
        if "=" not in pair:
            raise typer.BadParameter(f"'{pair}': give NAME=RUN", param_hint="--with")
    return {name: Path(path) for name, _, path in (pair.partition("=") for pair in pairs)}


def _text(query: str) -> str:
    return sys.stdin.read() if query == "-" else query


def _more(more: bool, limit: int) -> None:
    if more:
        say(f"only the first {limit:,} rows; --limit gives more")
