"""Tables in and out of files: an answer as Parquet, Arrow, CSV or JSON lines; a whole run as Parquet files and back."""

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
    """A table or view of a run: its name, columns with their types, number of rows (None for a view) and what a row is."""

    name: str
    kind: str
    columns: tuple[tuple[str, str], ...]
    rows: int | None
    comment: str


def described(folder: Path) -> list[TableInfo]:
    """Return the tables and views of a run folder, views first.

    Raises:
        RunError: the folder holds no run, or it cannot be opened.
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
    """Return the kind of table file that a name says.

    Raises:
        InputError: it says none.
    """
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path}: of no known kind; name it {', '.join(sorted(_SUFFIXES))}")
    return kind


def write_table(answer: Frame, output: IO[bytes], kind: str) -> None:
    """Write an answer as `jsonl`, `csv` (nested values as JSON), `parquet` or `arrow` (Arrow IPC)."""
    if kind == "parquet":
        pyarrow.parquet.write_table(answer.arrow, output)
    elif kind == "arrow":
        pyarrow.feather.write_feather(answer.arrow, output, compression="uncompressed")
    elif kind == "csv":
        pyarrow.csv.write_csv(_flat(answer.arrow), output)
    else:
        write_rows(answer.rows(), kind, output)


def _flat(table: pa.Table) -> pa.Table:
    """Return the table as a spreadsheet may have it: lists, maps and structures as JSON text, a date that it has no form for as
    text, and no formulas."""
    names = [cell(name) for name in table.column_names]
    columns = [_flat_column(column) for column in table.columns]
    return pa.Table.from_arrays(columns, names=names)


def _flat_column(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
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
        RunError: the folder holds no run, or the files cannot be written.
    """
    files = []
    try:
        with OWNER_ONLY:
            target.mkdir(parents=True, exist_ok=True)
        for info in described(folder):
            file = target / f"{info.name}.parquet"
            with whole(file) as stream:
                pyarrow.parquet.write_table(ask(folder, f"SELECT * FROM {info.name}").arrow, stream)
            files.append(file)
    except OSError as error:
        raise unwritable(target, error) from None
    return files


def from_parquet(source: Path, folder: Path) -> None:
    """Make a run folder of the files that `to_parquet` wrote. Views are made anew; the graph is not part of it.

    Raises:
        InputError: a file is missing or is none of a run.
        RunError: the folder holds a run already, or it cannot be written.
    """
    if (folder / FILE).exists():
        raise RunError(f"{folder}: holds a run already; choose another folder")
    if not (source / "cases.parquet").is_file():
        raise InputError(f"{source}: lacks cases.parquet; give a folder of --to")
    # What an earlier kgscore did not have is not there.
    files = {name: source / f"{name}.parquet" for name in TABLES}
    try:
        tables = {name: pyarrow.parquet.read_table(path) for name, path in files.items() if path.is_file()}
    except pa.ArrowException as error:
        raise InputError(f"{source}: holds a file that is no Parquet ({type(error).__name__})") from None
    with RunDatabase(folder) as database:
        database.load(tables)

