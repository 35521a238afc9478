"""Tables added to a run (`RUN/tables.duckdb`) for joins in SQL: answers of SPARQL, ratings, the user's tables.

A folder without a run, an invalid name, or a table that cannot be written raises RunError; a file or table that cannot be read
raises InputError.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import InputError, RunError
from kgscore.private_files import OWNER_ONLY
from kgscore.results.files import NO_EXTENSIONS, as_run_error, database_of, open_read_only, table_names
from kgscore.results.rows import Rows

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv",
            ".jsonl": "read_json", ".ndjson": "read_json", ".json": "read_json"}  # fmt: skip


def side_database(folder: Path) -> Path:
    """Return the path of the tables added to a run; the file need not exist."""
    return folder / "tables.duckdb"


def store_table(folder: Path, name: str, table: Any) -> None:
    """Add a table to a run, for `kgscore sql` as `tables.NAME`, without changing the run: rows, an Arrow table, or a data frame
    of pandas or polars."""
    if not NAME.match(name):
        raise RunError(f"'{name}': not a valid table name; use letters, digits and _")
    database_of(folder)
    with as_run_error(folder), OWNER_ONLY, duckdb.connect(str(side_database(folder)), config=NO_EXTENSIONS) as connection:
        into = f'CREATE OR REPLACE TABLE "{name}" AS'
        if isinstance(table, Rows):
            table.load(connection, into)
            return
        try:
            connection.register("given", table)
        except (duckdb.InvalidInputException, ImportError):
            remedy = "give an Arrow table or a data frame (of polars, with pyarrow)"
            raise InputError(f"a {type(table).__name__} is not a table; {remedy}") from None
        connection.execute(f"{into} SELECT * FROM given")


def store_file(folder: Path, name: str, file: Path) -> int:
    """Add a Parquet, CSV, TSV or JSON lines file to a run, like `store_table`; return its number of rows."""
    table = read_table(file)
    store_table(folder, name, table)
    return len(table)


def read_table(file: Path) -> Rows:
    """Return the rows of a Parquet, CSV, TSV or JSON lines file."""
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"{file}: unknown file type; use .parquet, .csv, .tsv or .jsonl")
    if not file.is_file():
        raise InputError(f"{file}: cannot be read (no such file); check the path")
    try:
        with duckdb.connect(config=NO_EXTENSIONS) as connection:
            return Rows.of(getattr(connection, reader)(str(file)))
    except duckdb.Error as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__}); check that its content matches its suffix") from None


def side_tables(folder: Path) -> list[str]:
    """Return the names of the tables added to a run."""
    if not side_database(folder).is_file():
        return []
    with as_run_error(folder), open_read_only(side_database(folder)) as connection:
        return table_names(connection)
