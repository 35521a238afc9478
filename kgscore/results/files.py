"""The files of a run folder: where they are, how they are opened, and what an error of theirs means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from kgscore.errors import RunError

LAYOUT = 2
FILE = "results.duckdb"
_DAMAGE = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)


def database_of(folder: Path) -> Path:
    """Return the path of a run folder's database.

    Raises:
        RunError: the folder holds none.
    """
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder}: is no run folder (no {FILE}); make one with: kgscore score PAIRS --out {folder}")
    return path


def check_layout(connection: duckdb.DuckDBPyConnection, folder: Path, database: str = "") -> None:
    """Refuse tables that another version of kgscore laid out.

    Raises:
        RunError: they are.
    """
    try:
        found = connection.execute(f"SELECT max(version) FROM {database and database + '.'}layout").fetchone()
    except duckdb.CatalogException:
        raise RunError(f"{folder}: {FILE} is not a kgscore run; choose another folder") from None
    if found is None or found[0] != LAYOUT:
        raise RunError(
            f"{folder}: written with layout {found[0] if found else '?'}, this kgscore has {LAYOUT}; score the pairs again into"
            " another folder"
        )


@contextmanager
def reading(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a read-only connection to the tables of a run folder, with no way to any other file.

    Raises:
        RunError: the folder holds no run of this layout, or it cannot be opened.
    """
    path = database_of(folder)
    with as_run_error(folder):
        connection = duckdb.connect(
            str(path), read_only=True, config={"enable_external_access": "false", "lock_configuration": "true"}
        )
        try:
            check_layout(connection, folder)
            yield connection
        finally:
            connection.close()


@contextmanager
def as_run_error(folder: Path) -> Iterator[None]:
    """Turn an error of DuckDB into one line that names the folder and what to do."""
    try:
        yield
    except duckdb.Error as error:
        said = first_line(error)
        if "set lock" in said:
            advice = "another process writes to it; wait for it, or choose another folder"
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
