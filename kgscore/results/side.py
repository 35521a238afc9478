"""Tables put beside a run (`RUN/tables.duckdb`): answers of SPARQL, ratings, a table of the user's, for SQL to join."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from kgscore.errors import InputError, RunError
from kgscore.results.files import as_run_error, database_of

SIDE_FILE = "tables.duckdb"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv",
            ".jsonl": "read_json", ".ndjson": "read_json", ".json": "read_json"}  # fmt: skip


def side_of(folder: Path) -> Path:
    """Return where the tables beside a run are; the file need not be there."""
    return folder / SIDE_FILE


def store_table(folder: Path, name: str, table: pa.Table, *, replace: bool = True) -> None:
    """Put an Arrow table beside a run: `kgscore sql` finds it as `tables.NAME`. The run itself is not touched.

    Raises:
        RunError: the folder holds no run, the name cannot be used or is taken, or the table cannot be written.
    """
    _check(name)
    with _writing(folder) as connection:
        connection.register("given", table)
        _create(connection, folder, name, "SELECT * FROM given", replace)


def store_file(folder: Path, name: str, file: Path, *, replace: bool = True) -> int:
    """Put a Parquet, CSV, TSV or JSON lines file beside a run, as `store_table` does; return its number of rows.

    Raises:
        InputError: the file cannot be read.
        RunError: the folder holds no run, the name cannot be used or is taken, or the table cannot be written.
    """
    table = read_table(file)
    store_table(folder, name, table, replace=replace)
    return int(table.num_rows)


def read_table(file: Path) -> pa.Table:
    """Return the rows of a Parquet, CSV, TSV or JSON lines file.

    Raises:
        InputError: it cannot be read.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"{file}: of no known kind; name it .parquet, .csv, .tsv or .jsonl")
    if not file.is_file():
        raise InputError(f"{file}: cannot be read (no such file); check the path")
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})
    try:
        return getattr(connection, reader)(str(file)).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__}); check that it is what its name says") from None
    finally:
        connection.close()


def side_tables(folder: Path) -> list[str]:
    """Return the names of the tables beside a run."""
    if not side_of(folder).is_file():
        return []
    with as_run_error(folder):
        connection = duckdb.connect(str(side_of(folder)), read_only=True, config={"enable_external_access": "false"})
        try:
            rows = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY table_name").fetchall()
        finally:
            connection.close()
    return [row[0] for row in rows]


def _check(name: str) -> None:
    if not _NAME.match(name):
        raise RunError(f"'{name}': cannot name a table; use letters, digits and _")


def _create(connection: duckdb.DuckDBPyConnection, folder: Path, name: str, query: str, replace: bool) -> None:
    try:
        connection.execute(f'CREATE {"OR REPLACE " if replace else ""}TABLE "{name}" AS {query}')
    except duckdb.CatalogException:
        raise RunError(f"{folder}: has a table '{name}' already; choose another name, or replace it") from None


@contextmanager
def _writing(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    database_of(folder)
    with as_run_error(folder):
        connection = duckdb.connect(str(side_of(folder)), config={"autoinstall_known_extensions": "false"})
        try:
            yield connection
        finally:
            connection.close()
