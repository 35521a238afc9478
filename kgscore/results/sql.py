"""SQL over run folders: read-only, several runs at once, with the tables added to them; answers are rows, Arrow tables, or data
frames of pandas or polars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from kgscore.errors import InputError, QueryError, RunError, did_you_mean
from kgscore.limited_process import NO_ROOM
from kgscore.notebook_html import ROWS, html_table
from kgscore.results.files import NO_EXTENSIONS, add_missing_tables, as_run_error, check_layout, database_of, first_line
from kgscore.results.joined_tables import NAME, side_database
from kgscore.results.rows import Rows

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

MAIN, EVERY, SIDE = "this", "every", "tables"
_OWNERS = """SELECT column_name, list(table_name ORDER BY table_name) FROM information_schema.columns
  WHERE table_catalog = ? GROUP BY column_name"""
_COLUMN = re.compile(r'column (?:named )?"([^"]+)"', re.IGNORECASE)
_NAMES = re.compile(r'"([^"]+)"')
# DuckDB should reach its own limit before the system refuses memory to the process.
_SHARE = 0.7
_TAKEN = frozenset({MAIN, EVERY, SIDE, "main", "memory", "system", "temp"})


@dataclass(frozen=True, slots=True)
class Frame:
    """A table: `rows()` as dictionaries, `pandas()` if that is installed, `arrow` and `polars()` if pyarrow is; `more` is True
    where a limit cut its rows."""

    table: Rows
    more: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.table.names)

    @property
    def arrow(self) -> pa.Table:
        """The Arrow table.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        return self.table.arrow

    def pandas(self) -> pandas.DataFrame:
        """Return a pandas data frame.

        Raises:
            InputError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("pandas is not installed; install it, or use .arrow, .polars() or .rows()") from None
        return pandas.DataFrame({name: self.table.values(at) for at, name in enumerate(self.columns)})

    def polars(self) -> polars.DataFrame:
        """Return a polars data frame.

        Raises:
            MissingExtraError: pyarrow is not installed.
            InputError: polars is not installed.
        """
        try:
            import polars
        except ImportError:
            raise InputError("polars is not installed; install it, or use .arrow, .pandas() or .rows()") from None
        found = polars.from_arrow(self.arrow)
        assert isinstance(found, polars.DataFrame)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return self.table.dicts()

    def cells(self) -> list[list[Any]]:
        """Return the rows as lists. A column with a value that Python has no form for (a date at infinity) is text."""
        return [list(row) for row in zip(*map(self.table.values, range(len(self.table.names))), strict=True)]

    def __len__(self) -> int:
        return len(self.table)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first rows, escaped."""
        return html_table(self.columns, Frame(self.table.slice(ROWS)).cells(), len(self))


def ask(
    folder: Path, sql: str, *, attached: Mapping[str, Path] | None = None, values: Mapping[str, Any] | None = None,
    limit: int | None = None,
) -> Frame:
    """Answer an SQL query, read-only and without access to anything but the tables of these runs.

    The tables of `folder` have their plain names, those added to it `tables.NAME`. `attached` names further run folders: theirs
    are `NAME.TABLE` (and `NAME_tables.TABLE`), and `every.TABLE` holds the rows of all of them with a column `folder`. `values`
    fill the parameters (`$name`) of the query. At most `limit` rows are returned. Run untrusted queries as an
    `SqlTask`, in a process with limits.

    Raises:
        RunError: a folder cannot be opened, or a name is invalid.
        QueryError: the query is invalid, writes, or accesses anything else.
    """
    with _connect(folder, attached or {}, EVERY in sql.lower(), None) as connection:
        return _fetch(connection, sql, values or {}, limit)


@dataclass(frozen=True, slots=True)
class SqlTask:
    """A query for `ask`, to be run in a process within `seconds`; DuckDB may use most of `memory` bytes."""

    folder: Path
    text: str
    limit: int | None
    seconds: float
    memory: int | None = None
    attached: Mapping[str, Path] = field(default_factory=dict)

    def open_task(self) -> Callable[[], Frame]:
        """Prepare the query."""
        return self._answer

    def _answer(self) -> Frame:
        with _connect(self.folder, self.attached, EVERY in self.text.lower(), self.memory) as connection:
            return _fetch(connection, self.text, {}, self.limit)


def _hint(connection: duckdb.DuckDBPyConnection, error: duckdb.Error) -> str:
    """Return a suggestion: the tables with a column, the metric of that name, or the nearest names."""
    wrong = _COLUMN.search(str(error))
    if wrong is None:
        told = (line.strip() for line in str(error).splitlines()[1:])
        return "".join(f"; {line[0].lower()}{line[1:]}" for line in told if line.startswith(("Candidate", "Did you mean")))
    name = wrong[1]
    with suppress(duckdb.Error):
        if connection.execute(f"SELECT 1 FROM {MAIN}.scores WHERE metric = ? LIMIT 1", [name]).fetchone():
            return f"; scores are rows: value … WHERE metric = '{name}'"
        owners = dict(connection.execute(_OWNERS, [MAIN]).fetchall())
        if name in owners:
            return f"; it is a column of {', '.join(owners[name])}"
        near = _NAMES.findall(str(error).partition("Candidate bindings:")[2])
        return f"; {did_you_mean(name, near) or did_you_mean(name, owners) or '`kgscore tables RUN` lists the columns'}"
    return ""


def _fetch(connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, Any], limit: int | None) -> Frame:
    try:
        relation = connection.sql(sql, params=dict(values)) if values else connection.sql(sql)
        if relation is None:
            raise QueryError("the query returns no rows; write a SELECT")
        if limit is None:
            return Frame(Rows.of(relation))
        table = Rows.of(relation.limit(limit + 1))
    except duckdb.OutOfMemoryException:
        raise QueryError(NO_ROOM) from None
    except duckdb.PermissionException:  # its message names folders of the host
        raise QueryError("the query accesses something else; a query can only read the tables of the run") from None
    except duckdb.Error as error:
        raise QueryError(f"the query cannot be answered: {first_line(error)}{_hint(connection, error)}") from None
    return Frame(table.slice(limit), len(table) > limit)


@contextmanager
def _connect(folder: Path, others: Mapping[str, Path], united: bool, memory: int | None) -> Iterator[duckdb.DuckDBPyConnection]:
    for name in others:
        if not NAME.match(name) or name.lower() in _TAKEN or name.lower().endswith(f"_{SIDE}"):
            raise RunError(f"'{name}': not a valid run name; use letters, digits and _ ({', '.join(sorted(_TAKEN))} are taken)")
    runs = {MAIN: folder, **others}
    with duckdb.connect(config=NO_EXTENSIONS) as connection:
        for name, path in runs.items():
            _attach(connection, name, path)
        if united:
            _create_union_views(connection, list(runs))
        connection.execute(f"USE {MAIN}")
        if memory is not None:
            connection.execute(f"SET memory_limit = '{int(memory * _SHARE)}B'; SET temp_directory = ''")
        connection.execute("SET python_enable_replacements = false")  # hide Python variables from queries
        connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        yield connection


def _attach(connection: duckdb.DuckDBPyConnection, name: str, folder: Path) -> None:
    beside = side_database(folder)
    with as_run_error(folder):
        connection.execute(f"ATTACH {_quote_path(database_of(folder))} AS {name} (READ_ONLY)")
        earlier = check_layout(connection, folder, name)
        if earlier and name == MAIN:
            connection.execute(f"USE {MAIN}")
            add_missing_tables(connection)
        if beside.is_file():
            connection.execute(f"ATTACH {_quote_path(beside)} AS {SIDE if name == MAIN else f'{name}_{SIDE}'} (READ_ONLY)")


def _create_union_views(connection: duckdb.DuckDBPyConnection, names: list[str]) -> None:
    """Create `every.TABLE`: the rows of all attached runs, each with the name of its folder."""
    connection.execute(f"ATTACH ':memory:' AS {EVERY}")
    tables = "SELECT table_name FROM information_schema.tables WHERE table_catalog = ? AND table_schema = 'main'"
    for (table,) in connection.execute(tables, [MAIN]).fetchall():
        parts = " UNION ALL BY NAME ".join(f"SELECT '{name}' AS folder, * FROM {name}.main.{table}" for name in names)
        connection.execute(f"CREATE VIEW {EVERY}.main.{table} AS {parts}")


def _quote_path(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
