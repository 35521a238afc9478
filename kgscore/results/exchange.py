"""Import and export of tables: an answer as Parquet, Arrow, CSV or JSON lines; a whole run as Parquet files and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from kgscore.errors import InputError, RunError, unwritable
from kgscore.escaping import cell
from kgscore.private_files import OWNER_ONLY, whole
from kgscore.results.database import RunDatabase
from kgscore.results.files import FILE, reading
from kgscore.results.layout import TABLES
from kgscore.results.sql import Frame, ask, values_of
from kgscore.results.tabular import write_rows

KINDS = ("jsonl", "csv", "parquet", "arrow")
_SUFFIXES: Mapping[str, str] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table or view of a run: its name, columns with their types, number of rows (None for a view) and the meaning of a row."""

    name: str
    kind: str
    columns: tuple[tuple[str, str], ...]
    rows: int | None
    comment: str


def describe_tables(folder: Path) -> list[TableInfo]:
    """Return the tables and views of a run folder, views first.

    Raises:
        RunError: the folder contains no run, or cannot be opened.
    """
    with reading(folder) as connection:
        columns: dict[str, list[tuple[str, str]]] = {}
        listed = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY 1, column_index"
        for table, column, kind in connection.execute(listed).fetchall():
            columns.setdefault(table, []).append((column, kind))
        views = connection.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()
        tables = connection.execute("SELECT table_name, comment, estimated_size FROM duckdb_tables() ORDER BY 1").fetchall()
    return [TableInfo(name, "view", tuple(columns[name]), None, said or "") for name, said in views] + [
        TableInfo(name, "table", tuple(columns[name]), rows, said or "") for name, said, rows in tables if name != "layout"
    ]


def table_kind(path: Path) -> str:
    """Return the format of a table file by its suffix.

    Raises:
        InputError: the suffix is unknown.
    """
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path}: unknown file type; use {', '.join(sorted(_SUFFIXES))}")
    return kind


def write_table(answer: Frame, output: IO[bytes], kind: str) -> None:
    """Write an answer as `jsonl`, `csv` (nested values as JSON), `parquet` or `arrow` (Arrow IPC)."""
    if kind == "parquet":
        pyarrow.parquet.write_table(answer.arrow, output)
    elif kind == "arrow":
        pyarrow.feather.write_feather(answer.arrow, output, compression="uncompressed")
    elif kind == "csv":
        pyarrow.csv.write_csv(_flatten(answer.arrow), output)
    else:
        write_rows(answer.rows(), kind, output)


def _flatten(table: pa.Table) -> pa.Table:
    """Return the table for a spreadsheet: lists, maps and structures as JSON text, unsupported dates as
    text, and formulas escaped."""
    names = [cell(name) for name in table.column_names]
    columns = [_flatten_column(column) for column in table.columns]
    return pa.Table.from_arrays(columns, names=names)


def _flatten_column(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type):
        return column
    values = values_of(column)
    if pa.types.is_nested(column.type):
        values = [None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in values]
    elif not any(isinstance(value, str) for value in values):
        return column
    return pa.array(map(cell, values), pa.string())


def to_parquet(folder: Path, target: Path) -> list[Path]:
    """Write every table and view of a run folder as `TARGET/NAME.parquet`; return the files.

    Raises:
        RunError: the folder contains no run, or the files cannot be written.
    """
    files = []
    try:
        with OWNER_ONLY:
            target.mkdir(parents=True, exist_ok=True)
        for info in describe_tables(folder):
            file = target / f"{info.name}.parquet"
            with whole(file) as stream:
                pyarrow.parquet.write_table(ask(folder, f"SELECT * FROM {info.name}").arrow, stream)
            files.append(file)
    except OSError as error:
        raise unwritable(target, error) from None
    return files


def from_parquet(source: Path, folder: Path) -> None:
    """Create a run folder from the files written by `to_parquet`. Views are created anew; the graph is not included.

    Raises:
        InputError: a file is missing or does not belong to a run.
        RunError: the folder already contains a run, or cannot be written.
    """
    if (folder / FILE).exists():
        raise RunError(f"{folder}: already contains a run; choose another folder")
    if not (source / "cases.parquet").is_file():
        raise InputError(f"{source}: has no cases.parquet; give a folder written with --to")
    # Tables that an earlier version lacked are missing.
    files = {name: source / f"{name}.parquet" for name in TABLES}
    try:
        tables = {name: pyarrow.parquet.read_table(path) for name, path in files.items() if path.is_file()}
    except pa.ArrowException as error:
        raise InputError(f"{source}: contains an invalid Parquet file ({type(error).__name__})") from None
    with RunDatabase(folder) as database:
        database.load(tables)

