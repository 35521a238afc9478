"""Import and export of tables: an answer as Parquet, Arrow, CSV or JSON lines; a whole run as Parquet files and back.

A run folder that cannot be opened or written raises RunError, a wrong or missing file InputError, `arrow` without pyarrow
MissingExtraError.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import duckdb

from kgscore.errors import InputError, RunError, write_error
from kgscore.private_files import OWNER_ONLY, atomic_file, temporary_folder
from kgscore.results.database import RunDatabase
from kgscore.results.files import FILE, NO_EXTENSIONS, open_tables, table_names
from kgscore.results.layout import TABLES
from kgscore.results.rows import parquet_bytes
from kgscore.results.sql import Frame, ask
from kgscore.results.tabular import write_csv, write_rows

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
    """Return the tables and views of a run folder, views first."""
    with open_tables(folder) as connection:
        columns: dict[str, list[tuple[str, str]]] = defaultdict(list)
        listed = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY 1, column_index"
        for table, column, kind in connection.execute(listed).fetchall():
            columns[table].append((column, kind))
        views = connection.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()
        tables = connection.execute("SELECT table_name, comment, estimated_size FROM duckdb_tables() ORDER BY 1").fetchall()
    return [TableInfo(name, "view", tuple(columns[name]), None, said or "") for name, said in views] + [
        TableInfo(name, "table", tuple(columns[name]), rows, said or "") for name, said, rows in tables if name != "layout"
    ]


def table_kind(path: Path) -> str:
    """Return the format of a table file by its suffix."""
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path}: unknown file type; use {', '.join(sorted(_SUFFIXES))}")
    return kind


def write_table(answer: Frame, output: IO[bytes], kind: str) -> None:
    """Write an answer as `jsonl`, `csv` (nested values as JSON), `parquet` or `arrow` (Arrow IPC)."""
    if kind == "parquet":
        output.write(parquet_bytes(answer.table))
    elif kind == "arrow":
        table = answer.arrow
        import pyarrow.feather

        pyarrow.feather.write_feather(table, output, compression="uncompressed")
    elif kind == "csv":
        write_csv((map(_flat, row) for row in [answer.columns, *answer.cells()]), output)
    else:
        write_rows(answer.rows(), kind, output)


def _flat(value: Any) -> Any:
    """Return a value for a spreadsheet: lists, maps and structures as JSON text."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else value


def to_parquet(folder: Path, target: Path) -> list[Path]:
    """Write every table and view of a run folder as `TARGET/NAME.parquet`; return the files."""
    files = []
    try:
        with OWNER_ONLY:
            target.mkdir(parents=True, exist_ok=True)
        for info in describe_tables(folder):
            file = target / f"{info.name}.parquet"
            with atomic_file(file) as stream, temporary_folder(target) as place:
                _table_to_parquet(folder, info, place / "rows.parquet")
                with (place / "rows.parquet").open("rb") as made:
                    shutil.copyfileobj(made, stream)
            files.append(file)
    except OSError as error:
        raise write_error(target, error) from None
    return files


def _table_to_parquet(folder: Path, info: TableInfo, file: Path) -> None:
    """Write a table; rows of a view first become those that a query gives, with whole numbers as such."""
    with duckdb.connect(str(folder / FILE), read_only=True, config=NO_EXTENSIONS) as connection:
        if info.kind == "table" and info.name in table_names(connection):
            connection.table(info.name).write_parquet(str(file), compression="zstd")
            return
    ask(folder, f"SELECT * FROM {info.name}").table.write_parquet(file)


def from_parquet(source: Path, folder: Path) -> None:
    """Create a run folder from the files written by `to_parquet`. Views are created anew; the graph is not included."""
    if (folder / FILE).exists():
        raise RunError(f"{folder}: already contains a run; choose another folder")
    if not (source / "cases.parquet").is_file():
        raise InputError(f"{source}: lacks cases.parquet; give a folder of --to")
    # Tables that an earlier kgscore did not have are missing.
    files = {name: file for name in TABLES if (file := source / f"{name}.parquet").is_file()}
    for file in files.values():
        try:
            duckdb.read_parquet(str(file), connection=duckdb.connect())
        except duckdb.Error as error:
            raise InputError(f"{file}: is no Parquet ({type(error).__name__}); export the run again") from None
    with RunDatabase(folder) as database:
        database.load_parquet(files)
