"""`kgscore sql`, `tables` and `query`: query a run folder and its graph."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgscore.cli._common import complain, figures, make_graph_ready, output_stream, say, write_json
from kgscore.cli._options import Form, Output, RunFolder
from kgscore.errors import KgscoreError, QueryError
from kgscore.io.records import read_text

if TYPE_CHECKING:
    from kgscore.graph.queries import Answer, Cell
    from kgscore.report.grid import Grid

Timeout = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit.")]
Memory = Annotated[float, typer.Option(metavar="GB", min=0.3, help="Memory limit.")]
_SHELL = "SQL over {}; end a query with ;. .tables lists the tables, .quit (or Ctrl-D) ends."
Format = Literal["jsonl", "table", "csv", "json", "markdown", "latex", "arrow", "ntriples", "turtle"]
_GB = 1_000_000_000
_TRIPLES = ("ntriples", "turtle")


def sql(
    run: RunFolder,
    statement: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="The query, or a .sql file; '-': standard input; without it, a shell.")
    ] = None,
    attach: Annotated[
        list[str] | None, typer.Option("--with", metavar="NAME=RUN", help="Attach a further run folder; repeatable.")
    ] = None,
    output: Output = None,
    format: Annotated[Form | None, typer.Option(help="table is for people; default: jsonl, or by the name of the file.")] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Maximum number of rows.")] = None,
    timeout: Timeout = 30.0, memory: Memory = 4.0,
) -> None:
    """Query the tables of a run in SQL (DuckDB), read-only: one JSON line a row (the first 10,000; all rows when writing a file).

    `kgscore tables RUN` lists tables and views. With --with NAME=RUN, NAME.TABLE is the other run's, and every.TABLE has the
    rows of all runs with a column folder. A file may end in .parquet, .arrow, .csv or .jsonl. Without a query, queries are
    read line by line and answered with tables."""
    others = _parse_named_files(attach or [])
    if statement is None and sys.stdin.isatty():
        _shell(run, others, limit or 100, timeout, int(memory * _GB))
        return
    from kgscore.limited_process import ask_once
    from kgscore.results.exchange import table_kind, write_table
    from kgscore.results.sql import SqlTask

    most, room = limit or (None if output else 10_000), int(memory * _GB)
    answer = ask_once(SqlTask(run, _text(statement), most, timeout, room, others), room)
    if format in (None, "jsonl", "csv", "arrow"):
        with output_stream(output) as stream:
            write_table(answer, stream, format or (table_kind(output) if output else "jsonl"))
    else:
        rows = answer.rows()
        figures(rows_grid(answer.columns, rows), rows, format, output)
    if output is not None:
        say(f"{output}: {len(answer):,} rows")
    if answer.more:
        say(f"only the first {most:,} rows; --limit gives more")


def _shell(run: Path, others: dict[str, Path], limit: int, timeout: float, memory: int) -> None:
    from kgscore.limited_process import LimitedProcess
    from kgscore.results.exchange import describe_tables
    from kgscore.results.sql import SqlTask

    with suppress(ImportError):
        import readline  # noqa: F401  # arrow keys and history, where available
    describe_tables(run)  # report an invalid folder before the first query
    say(_SHELL.format(run))
    held, process = "", LimitedProcess(memory)
    while True:
        try:
            held += input("   ...> " if held else "sql> ") + "\n"
        except EOFError:
            print()
            break
        if held.strip() in (".quit", ".exit"):
            break
        try:
            if held.strip() == ".tables":
                print("\n".join(info.name for info in describe_tables(run)))
            elif held.rstrip().endswith(";"):
                answer = process.ask(SqlTask(run, held, limit, timeout, memory, others))
                figures(rows_grid(answer.columns, answer.rows()), [])
            elif held.strip():
                continue
        except KgscoreError as error:
            complain(error)
        held = ""
    process.end()


def tables(
    run: RunFolder,
    add: Annotated[Path | None, typer.Option(metavar="FILE", help="A table to add to the run.")] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Its name (tables.NAME); default: the file's.")] = None,
    to: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write every table and view as Parquet.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Create a run folder from such files.")] = None,
) -> None:
    """List the tables and views of a run, with their rows and columns; or import and export tables as files."""
    from kgscore.results.exchange import describe_tables, from_parquet, to_parquet
    from kgscore.results.joined_tables import side_tables, store_file

    if add is not None:
        known = name or add.stem.replace("-", "_").replace(".", "_")
        say(f"tables.{known}: {store_file(run, known, add):,} rows")
    elif to is not None:
        say(f"{to}: {len(to_parquet(run, to))} files")
    elif source is not None:
        from_parquet(source, run)
        say(f"{run}: {len(describe_tables(run))} tables and views")
    else:
        for info in describe_tables(run):
            columns = ", ".join(f"{column} {kind}" for column, kind in info.columns)
            count = "" if info.rows is None else f"  {info.rows:,} rows"
            print(f"{info.name}  ({info.kind}){count}\n    {info.comment}\n    {columns}")
        for known in side_tables(run):
            print(f"tables.{known}  (beside the run)")


def _parse_named_files(pairs: list[str]) -> dict[str, Path]:
    for pair in (pair for pair in pairs if "=" not in pair):
        raise typer.BadParameter(f"'{pair}': give NAME=RUN", param_hint="--with")
    return {name: Path(path) for name, _, path in (pair.partition("=") for pair in pairs)}


def _text(query: str | None) -> str:
    if query is None or query == "-":
        return sys.stdin.read()
    return read_text(query) if query.lower().endswith(".sql") else query


def query(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run folder, or the URL of a SPARQL 1.1 endpoint.")] = None,
    sparql: Annotated[
        str | None,
        typer.Argument(metavar="QUERY", help="Name of a shipped query, a file, or a query; '-' reads it from standard input."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter of the query; repeatable.")
    ] = None,
    format: Annotated[Format | None, typer.Option(help="Default: jsonl for rows, ntriples for triples.")] = None,
    output: Output = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of rows.")] = 10_000,
    timeout: Timeout = 30.0, memory: Memory = 4.0,
    to_table: Annotated[
        str | None, typer.Option(metavar="NAME", help="Add the rows to the run: tables.NAME in `kgscore sql`.")
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="QUERY is a SPARQL update: change the graph.")] = False,
    service: Annotated[bool, typer.Option("--service", help="Let the query contact other servers (SERVICE, LOAD).")] = False,
    names: Annotated[bool, typer.Option("--list", help="List the shipped queries and their parameters.")] = False,
    shown: Annotated[str | None, typer.Option("--show", metavar="NAME", help="Print a shipped query.")] = None,
) -> None:
    """Query the graph of a run in SPARQL, or by the name of a shipped query.

    Rows are printed as JSON lines, CONSTRUCT and DESCRIBE as N-Triples, unless --format is given. The graph is not changed and
    no other server is contacted unless you ask for it. The prefixes kgs, kgr, fma, nif, prov, rdf, rdfs, owl, skos and xsd are
    predefined. Parameters are bound as data. The first query builds the graph from the results."""
    if names or shown is not None:
        _catalogue(shown, format)
        return
    if run is None or sparql is None:
        raise typer.BadParameter("give RUN and QUERY, or --list")
    from kgscore.graph.catalogue import bind, find, parameters_of, parse
    from kgscore.graph.hints import unknown_terms
    from kgscore.graph.queries import blank_out
    from kgscore.graph.queries import query as ask
    from kgscore.graph.queries import update as change

    wanted = parse(sys.stdin.read()) if sparql == "-" else find(sparql)
    text = bind(wanted, parameters_of(param or []), run)
    make_graph_ready(run, None if update else text)
    if update:
        change(run, text, seconds=timeout, service=service)
        return
    answer = ask(run, text, limit=limit, seconds=timeout, service=service, memory=int(memory * _GB))
    if to_table is None:
        _print(answer, format, output)
    else:
        _store(answer, Path(run), to_table)
    for hint in unknown_terms(blank_out(text)):
        say(hint)
    if answer.more:
        say(f"only the first {limit:,} rows; --limit gives more")


def _store(answer: Answer, folder: Path, name: str) -> None:
    from kgscore.results.joined_tables import store_table
    from kgscore.results.rows import Rows

    if answer.triples is not None:
        raise QueryError("the query gives triples; --to-table takes rows (SELECT)")
    columns, rows = _table(answer)
    store_table(folder, name, Rows.from_values(columns, rows))
    say(f"tables.{name}: {len(rows):,} rows")


def _catalogue(shown: str | None, format: Format | None) -> None:
    from kgscore.graph.catalogue import find, shipped_queries

    if shown is not None:
        print(find(shown).text, end="")
        return
    for query in shipped_queries():
        parameters = [f"{p.name}: {p.type}{'' if p.default is None else f' = {p.default}'}" for p in query.parameters]
        if format in ("json", "jsonl"):
            write_json({"name": query.name, "title": query.title, "about": query.about, "parameters": parameters})
        else:
            print(f"{query.name:26}{query.title}")
            if parameters:
                print(f"{'':26}{'; '.join(parameters)}")


def _print(answer: Answer, format: Format | None, output: Path | None) -> None:
    if answer.triples is not None:
        if format not in (None, *_TRIPLES):
            raise QueryError(f"the query gives triples; --format is one of {', '.join(_TRIPLES)} for them")
        from kgscore.graph.store import turtle

        with output_stream(output) as stream:
            if format == "turtle":
                turtle(answer.triples, stream)
            else:
                stream.write("".join(f"{triple}\n" for triple in answer.triples).encode("utf-8"))
        return
    if format == "ntriples" or format == "turtle":
        raise QueryError(f"the query gives rows, not triples; {format} is for CONSTRUCT and DESCRIBE")
    columns, values = _table(answer)
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    figures(rows_grid(columns, rows), rows, format or "jsonl", output)


def _table(answer: Answer) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    return (answer.columns, answer.rows) if answer.truth is None else (("boolean",), ((answer.truth,),))


def rows_grid(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> Grid:
    """Return rows as a text table."""
    from kgscore.report.grid import Column, Grid

    figures = [name for name in columns if rows and all(isinstance(row[name], (int, float, NoneType)) for row in rows)]
    named = tuple(Column(name, words=name not in figures) for name in columns)
    return Grid("", named, [[_display_value(row[name]) for name in columns] for row in rows])


def _display_value(value: object) -> str:
    """Return a value for display: numbers to three digits, known IRIs by prefix."""
    from kgscore.graph.vocabulary import shorten

    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(_display_value, value))
    return shorten(value) if isinstance(value, str) else "" if value is None else str(value)
