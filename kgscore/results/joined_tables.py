"""Tables put beside a run (`RUN/tables.duckdb`): answers of SPARQL, ratings, a table of the user's, for SQL to join."""

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


def side_of(folder: Path) -> Path:
    """Return where the tables beside a run are; the file need not be there."""
    return folder / SIDE_FILE


def store_table(folder: Path, name: str, table: pa.Table) -> None:
    """Put an Arrow table beside a run: `kgscore sql` finds it as `tables.NAME`. The run itself is not touched.

    Raises:
        RunError: the folder holds no run, the name cannot be used, or the table cannot be written.
    """
    if not NAME.match(name):
        raise RunError(f"'{name}': cannot name a table; use letters, digits and _")
    database_of(folder)
    with as_run_error(folder), OWNER_ONLY, duckdb.connect(str(side_of(folder)), config=NO_EXTENSIONS) as connection:
        connection.register("given", table)
        connection.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM given')


def store_file(folder: Path, name: str, file: Path) -> int:
    """Put a Parquet, CSV, TSV or JSON lines file beside a run, as `store_table` does; return its number of rows.

    Raises:
        InputError: the file cannot be read.
        RunError: the folder holds no run, the name cannot be used, or the table cannot be written.
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
        raise InputError(f"{file}: of no known kind; name it .parquet, .csv, .tsv or .jsonl")
    if not file.is_file():
        raise InputError(f"{file}: cannot be read (no such file); check the path")
    try:
        with duckdb.connect(config=NO_EXTENSIONS) as connection:
            return getattr(connection, reader)(str(file)).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__}); check that it is what its name says") from None


def side_tables(folder: Path) -> list[str]:
    """Return the names of the tables beside a run."""
    if not side_of(folder).is_file():
        return []
    with as_run_error(folder), closed_in(side_of(folder)) as connection:
        return table_names(connection)
