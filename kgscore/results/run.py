"""Run folders for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from kgscore.results.files import database_of
from kgscore.results.joined_tables import store_table
from kgscore.results.rows import quote_name
from kgscore.results.sql import Frame, ask

_MEANS = "SELECT run, metric, count(*) AS pairs, count(value) AS scored, avg(value) AS mean FROM scores GROUP BY ALL ORDER BY ALL"


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read-only except for added tables. `attached` names further run folders for `sql`.

    Raises:
        RunError: the folder contains no run.
    """

    folder: Path
    attached: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))
        database_of(self.folder)

    def sql(self, query: str) -> Frame:
        """Return the answer to an SQL query (docs/results.md lists the tables).

        Raises:
            QueryError: the query is invalid, writes, or accesses anything else.
        """
        return ask(self.folder, query, attached={name: Path(path) for name, path in self.attached.items()})

    def table(self, name: str) -> Frame:
        """Return a whole table or view.

        Raises:
            QueryError: it does not exist.
        """
        return self.sql(f"SELECT * FROM {quote_name(name)}")

    def _repr_html_(self) -> str:
        """Return the HTML shown in a notebook: the means of the metrics of each run."""
        found = self.sql(_MEANS)
        return f"<p><b>{escape(self.folder.name)}</b></p>{found._repr_html_()}"

    def put(self, name: str, table: Any) -> None:
        """Add a table to the run (`tables.NAME` in SQL): an Arrow table, or a pandas or polars data frame.

        Raises:
            InputError: it has another type.
            RunError: the name is invalid, or the table cannot be written.
        """
        store_table(self.folder, name, table)
