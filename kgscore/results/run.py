"""Run folders for notebooks: tables and statistics as Arrow, pandas or polars, whichever is asked for; none is required."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kgscore.errors import InputError
from kgscore.results.files import database_of
from kgscore.results.side import store_table
from kgscore.results.sql import ask

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, slots=True)
class Frame:
    """A table: `arrow` as it is, `pandas()` and `polars()` if these are installed, `rows()` as dictionaries."""

    arrow: pa.Table

    def pandas(self) -> pandas.DataFrame:
        """Return a pandas data frame.

        Raises:
            InputError: pandas is not installed.
        """
        try:
            return self.arrow.to_pandas(maps_as_pydicts="strict")
        except ImportError:
            raise InputError("pandas is not installed; install it, or use .arrow, .polars() or .rows()") from None

    def polars(self) -> polars.DataFrame:
        """Return a polars data frame.

        Raises:
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
        found: list[dict[str, Any]] = self.arrow.to_pylist(maps_as_pydicts="strict")
        return found

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first rows, escaped."""
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.arrow.column_names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>"
            for row in self.arrow.slice(0, 20).to_pylist(maps_as_pydicts="strict")
        )
        return f"<table><tr>{head}</tr>{body}</table><p>{len(self)} rows</p>"


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read-only but for the tables put beside it. `attached` names further run folders for `sql`.

    Raises:
        RunError: the folder holds no run.
    """

    folder: Path
    attached: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))
        database_of(self.folder)

    def sql(self, query: str) -> Frame:
        """Return the answer to an SQL query (docs/results.md lists the tables).

        Raises:
            QueryError: the query is wrong, writes or reaches outside.
        """
        return Frame(ask(self.folder, query, attached={name: Path(path) for name, path in self.attached.items()}).table)

    def table(self, name: str) -> Frame:
        """Return a whole table or view.

        Raises:
            QueryError: there is none of that name.
        """
        return self.sql('SELECT * FROM "' + name.replace('"', '""') + '"')

    def put(self, name: str, table: Any) -> None:
        """Put a table beside the run (`tables.NAME` in SQL): an Arrow table, or a pandas or polars data frame.

        Raises:
            InputError: it is none of these.
            RunError: the name cannot be used, or the table cannot be written.
        """
        if not isinstance(table, pa.Table):
            try:
                table = pa.table(table)
            except (TypeError, ValueError, pa.ArrowException):
                raise InputError(f"a {type(table).__name__} is no table; give an Arrow table or a data frame") from None
        store_table(self.folder, name, table)
