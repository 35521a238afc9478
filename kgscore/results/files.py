"""The files of a run folder: paths, opening, and error messages.

A folder that contains no run of a supported layout, or cannot be opened, raises RunError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import RunError
from kgscore.results.layout import TABLES
from kgscore.results.rows import Rows

LAYOUT = 5
EARLIER = (2, 3, 4)  # layouts of 0.1.0 and later; their missing tables and columns read as empty, their views differ
FILE = "results.duckdb"
# A run database never loads extensions implicitly.
NO_EXTENSIONS: dict[str, Any] = {"autoinstall_known_extensions": "false"}
_DAMAGE = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)


def database_of(folder: Path) -> Path:
    """Return the path of a run folder's database."""
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder}: is not a run folder (no {FILE}); create one with: kgscore score PAIRS --output {folder}")
    return path


def check_layout(connection: duckdb.DuckDBPyConnection, folder: Path, database: str = "") -> bool:
    """Reject a database not created by kgscore, or of an unsupported layout; return whether its layout is an earlier one."""
    try:
        found = connection.execute(f"SELECT max(version) FROM {database and database + '.'}layout").fetchall()[0][0]
    except duckdb.CatalogException:
        raise RunError(f"{folder}: {FILE} is not a kgscore run; choose another folder") from None
    if found not in (*EARLIER, LAYOUT):
        other = f"written with layout {found or '?'}, this kgscore has {LAYOUT}"
        raise RunError(f"{folder}: {other}; score the pairs again into another folder")
    return bool(found != LAYOUT)


def add_missing_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection the tables that an earlier version did not have, without rows, and the views of this version."""
    there = table_names(connection)
    for name, table in TABLES.items():
        if name not in there:
            connection.execute(table.sql(temporary=True))
    views = Path(__file__).with_name("views.sql").read_text(encoding="utf-8").partition("COMMENT ON")[0]
    connection.execute(views.replace("CREATE OR REPLACE VIEW", "CREATE OR REPLACE TEMP VIEW"))


@contextmanager
def open_tables(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the tables of a run folder, without access to other files."""
    path = database_of(folder)
    with as_run_error(folder), open_read_only(path) as connection:
        if check_layout(connection, folder):
            add_missing_tables(connection)
        yield connection


def open_read_only(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection to a database, without access to other files."""
    return duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false", "lock_configuration": "true"})


def table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the tables of a database, sorted."""
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY table_name").fetchall()]


def fetch_rows(connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, Any] | None = None) -> Rows:
    """Return the rows of an answer to a query."""
    return Rows.of(connection.sql(sql, params=dict(values)) if values else connection.sql(sql))


@contextmanager
def as_run_error(folder: Path) -> Iterator[None]:
    """Convert a DuckDB error into one line that names the folder and the remedy."""
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
