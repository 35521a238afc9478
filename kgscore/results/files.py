"""The files of a run folder: where they are, how they are opened, and what an error of theirs means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import RunError
from kgscore.results.layout import TABLES
from kgscore.results.rows import Rows

LAYOUT = 4
EARLIER = (2, 3)  # of 0.1.0 and later: they lack tables and columns, which are then empty
FILE = "results.duckdb"
# A database of ours loads nothing that it was not told to.
NO_EXTENSIONS: dict[str, Any] = {"autoinstall_known_extensions": "false"}
_DAMAGE = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)


def database_of(folder: Path) -> Path:
    """Return the path of a run folder's database.

    Raises:
        RunError: the folder holds none.
    """
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder}: is no run folder (no {FILE}); make one with: kgscore score PAIRS --output {folder}")
    return path


def check_layout(connection: duckdb.DuckDBPyConnection, folder: Path, database: str = "") -> bool:
    """Refuse tables that kgscore did not lay out, or that it cannot read; return whether an earlier version laid them out.

    Raises:
        RunError: they are.
    """
    try:
        found = connection.execute(f"SELECT max(version) FROM {database and database + '.'}layout").fetchall()[0][0]
    except duckdb.CatalogException:
        raise RunError(f"{folder}: {FILE} is not a kgscore run; choose another folder") from None
    if found not in (*EARLIER, LAYOUT):
        raise RunError(
            f"{folder}: written with layout {found or '?'}, this kgscore has {LAYOUT}; score the pairs again into"
            " another folder"
        )
    return bool(found != LAYOUT)


def complete(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection the tables that an earlier version did not have, without rows."""
    there = table_names(connection)
    for name, table in TABLES.items():
        if name not in there:
            connection.execute(table.sql(temporary=True))


@contextmanager
def reading(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a read-only connection to the tables of a run folder, with no way to any other file.

    Raises:
        RunError: the folder holds no run of this layout, or it cannot be opened.
    """
    path = database_of(folder)
    with as_run_error(folder), closed_in(path) as connection:
        if check_layout(connection, folder):
            complete(connection)
        yield connection


def closed_in(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection to a database, with no way to any other file."""
    return duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false", "lock_configuration": "true"})


def table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the tables of a database, sorted."""
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY table_name").fetchall()]


def fetched(connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, Any] | None = None) -> Rows:
    """Return the rows of an answer to a query."""
    return Rows.of(connection.sql(sql, params=dict(values)) if values else connection.sql(sql))


@contextmanager
def as_run_error(folder: Path) -> Iterator[None]:
    """Turn an error of DuckDB into one line that names the folder and what to do."""
    try:
        yield
    except duckdb.Error as error:
        said = first_line(error)
        if "set lock" in said:
            advice = "another process writes to it; wait for it, or choose another folder"
        elif isinstance(error, duckdb.OutOfMemoryException):
            advice = "free memory or use fewer --jobs, and run the same command again"
        elif "not a valid" in said or isinstance(error, _DAMAGE):
            advice = f"{FILE} is damaged; move the folder away and run again"
        else:
            advice = "check the folder, its permissions and the free space"
        raise RunError(f"{folder}: the results cannot be opened or written ({said}); {advice}") from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return (str(error).splitlines() or [type(error).__name__])[0].split(" See also ")[0].strip()
