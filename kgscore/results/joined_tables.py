"""Tables added to a run (`RUN/tables.duckdb`) for joins in SQL: answers of SPARQL, ratings, the user's tables."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pyarrow as pa

from kgscore.errors import InputError, RunError
from kgscore.private_files import OWNER_ONLY
from kgscore.results.files import NO_EXTENSIONS, as_run_error, closed_in, database_of, table_names

SIDE_FILE = "tables.duckdb"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv",
            ".jsonl": "read_json", ".ndjson": "read_json", ".json": "read_json"}  # fmt: skip


def side_database(folder: Path) -> Path:
    """Return the path of the tables added to a run; the file need not exist."""
    return folder / SIDE_FILE


def store_table(folder: Path, name: str, table: pa.Table) -> None:
    """Add an Arrow table to a run: `kgscore sql` finds it as `tables.NAME`. The run itself is not changed.

    Raises:
        RunError: the folder contains no run, the name is invalid, or the table cannot be written.
    """
    if not NAME.match(name):
        raise RunError(f"'{name}': not a valid table name; use letters, digits and _")
    database_of(folder)
    with as_run_error(folder), OWNER_ONLY, duckdb.connect(str(side_database(folder)), config=NO_EXTENSIONS) as connection:
        connection.register("given", table)
        connection.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM given')


def store_file(folder: Path, name: str, file: Path) -> int:
    """Add a Parquet, CSV, TSV or JSON lines file to a run, like `store_table`; return its number of rows.

    Raises:
        InputError: the file cannot be read.
        RunError: the folder contains no run, the name is invalid, or the table cannot be written.
    """
    table = read_table(file)
    store_table(folder, name, table)
    return int(table.num_rows)


def read_table(file: Path) -> pa.Table:
    """Return the rows of a Parquet, CSV, TSV or JSON lines file.

    Raises:
        InputError: it cannot be read.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"{file}: unknown file type; use .parquet, .csv, .tsv or .jsonl")
    if not file.is_file():
        raise InputError(f"{file}: cannot be read (no such file); check the path")
    try:
        with duckdb.connect(config=NO_EXTENSIONS) as connection:
            return getattr(connection, reader)(str(file)).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__}); check that its content matches its suffix") from None


def side_tables(folder: Path) -> list[str]:
    """Return the names of the tables added to a run."""
    if not side_database(folder).is_file():
        return []
    with as_run_error(folder), closed_in(side_database(folder)) as connection:
        return table_names(connection)
