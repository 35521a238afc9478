"""`kgscore sql` and `tables`: what a run folder holds."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import complain, figures, say, sink
from kgscore.cli._options import Form, Output, RunFolder
from kgscore.cli.query import grid_of
from kgscore.errors import KgscoreError
from kgscore.records import read_text

_SHELL = "SQL over {}; a line that ends in ; is a query. .tables lists what there is, .quit (or Ctrl-D) ends."


def sql(
    run: RunFolder,
    statement: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="The query, or a .sql file; '-': standard input; without it, a shell.")
    ] = None,
    attach: Annotated[
        list[str] | None, typer.Option("--with", metavar="NAME=RUN", help="Attach a further run folder; may be repeated.")
    ] = None,
    output: Output = None,
    format: Annotated[
        Form | None, typer.Option(help="table is for people; without it jsonl, or what the file's name says.")
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="At most so many rows.")] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Give up after so long.")] = 30.0,
) -> None:
    """Ask the tables of a run in SQL (DuckDB), read-only: one JSON line a row (the first 10,000, in a file all of them).

    `kgscore tables RUN` lists tables and views. With --with NAME=RUN, NAME.TABLE is the other run's, and every.TABLE holds the
    rows of all runs with a column folder. A file may end in .parquet, .arrow, .csv or .jsonl. Without a query, queries are
    read line by line and answered with tables.
    """
    others = _named(attach or [])
    if statement is None and sys.stdin.isatty():
        _shell(run, others, limit or 100, timeout)
        return
    from kgscore.results.sql import ask
    from kgscore.results.transfer import kind_of, write_table

    most = limit if limit is not None else None if output else 10_000
    answer = ask(run, _text(statement), attached=others, limit=most, seconds=timeout)
    if format in (None, "jsonl", "csv", "arrow"):
        kind = format or (kind_of(output) if output else "jsonl")
        with sink(output) as stream:
            write_table(answer, stream, kind)
    else:
        rows = answer.rows()
        figures(grid_of(answer.table.column_names, [list(row.values()) for row in rows]), rows, format, output)
    if output is not None:
        say(f"{output}: {answer.table.num_rows:,} rows")
    if answer.more:
        say(f"only the first {most:,} rows; --limit gives more")


def _shell(run: Path, others: dict[str, Path], limit: int, timeout: float) -> None:
    """Answer queries line by line until the input ends."""
    from kgscore.results.sql import ask
    from kgscore.results.transfer import described

    with suppress(ImportError):
        import readline  # noqa: F401  # arrow keys and history, where there are such
    described(run)  # a folder that is none is told before the first question
    say(_SHELL.format(run))
    held = ""
    while True:
        try:
            held += input("   ...> " if held else "sql> ") + "\n"
        except EOFError:
            print()
            return
        if held.strip() in (".quit", ".exit"):
            return
        try:
            if held.strip() == ".tables":
                print("\n".join(info.name for info in described(run)))
            elif held.rstrip().endswith(";"):
                answer = ask(run, held, attached=others, limit=limit, seconds=timeout)
                rows = [list(row.values()) for row in answer.rows()]
                figures(grid_of(answer.table.column_names, rows), [])
            elif held.strip():
                continue
        except KgscoreError as error:
            complain(error)
        held = ""


def tables(
    run: RunFolder,
    add: Annotated[Path | None, typer.Option(metavar="FILE", help="A table to put beside the run.")] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Its name: tables.NAME; else the file's.")] = None,
    to: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write every table and view as Parquet.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Make the run folder of such files.")] = None,
) -> None:
    """List the tables and views of a run, what a row of each is, and its columns; or take tables in and out as files."""
    from kgscore.results.side import side_tables, store_file
    from kgscore.results.transfer import described, from_parquet, to_parquet

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


def _named(pairs: list[str]) -> dict[str, Path]:
    for pair in pairs:
        if "=" not in pair:
            raise typer.BadParameter(f"'{pair}': give NAME=RUN", param_hint="--with")
    return {name: Path(path) for name, _, path in (pair.partition("=") for pair in pairs)}


def _text(query: str | None) -> str:
    if query is None or query == "-":
        return sys.stdin.read()
    return read_text(query) if query.lower().endswith(".sql") else query
