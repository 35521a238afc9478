"""Rows of a table by column, read from and written to DuckDB; as an Arrow table if pyarrow is installed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from kgscore.errors import MissingExtraError
from kgscore.private_files import temporary_folder

if TYPE_CHECKING:
    import pyarrow as pa

# Types read as text, since Python or JSON cannot represent all of their values (a date at infinity, a map by lists).
_AS_TEXT = re.compile(
    r"\b(?:DATE|TIME|TIMESTAMP\w*|DECIMAL|U?HUGEINT|BLOB|BIT|UUID|INTERVAL|ENUM|UNION|VARIANT|BIGNUM)\b|MAP\([^,]*[\[(]"
)
_WHOLE = re.compile(r"U?HUGEINT|DECIMAL\(\d+,0\)")  # sums of whole numbers
_FROM_TEXT: Mapping[str, Callable[[str], Any]] = {
    "DATE": date.fromisoformat, "TIMESTAMP": datetime.fromisoformat, "TIMESTAMP WITH TIME ZONE": datetime.fromisoformat,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by column: the names and SQL types of the columns, and their cells as JSON values (a date is text)."""

    names: Sequence[str]
    types: Sequence[str]
    cells: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, relation: duckdb.DuckDBPyRelation) -> Rows:
        """Return the rows of a relation; sums of whole numbers are BIGINT where they fit."""
        types = [str(kind) for kind in relation.types]
        asked = (f"CAST(#{at} AS VARCHAR)" if _AS_TEXT.search(kind) else f"#{at}" for at, kind in enumerate(types, 1))
        rows = relation.project(", ".join(f"{one} AS c{at}" for at, one in enumerate(asked))).fetchall()
        cells: list[Sequence[Any]] = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in types]
        for at, kind in enumerate(types):
            if _WHOLE.fullmatch(kind) and (whole := _whole_numbers(cells[at])) is not None:
                types[at], cells[at] = "BIGINT", whole
        return cls(_unique_names(relation.columns), types, cells)

    @classmethod
    def from_values(cls, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Rows:
        """Return rows of values of Python; a column of mixed types becomes text."""
        cells = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
        types = [_infer_type(column) for column in cells]
        for at, kind in enumerate(types):
            if kind == "VARCHAR":
                cells[at] = [None if cell is None else str(cell) for cell in cells[at]]
        return cls(names, types, cells)

    def __len__(self) -> int:
        return len(self.cells[0]) if self.cells else 0

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        return self.values(self.names.index(name))

    def values(self, at: int) -> list[Any]:
        """Return the values of the column at a position, all as text if Python cannot represent one of them."""
        kind, cells = self.types[at], self.cells[at]
        make = _FROM_TEXT.get(kind, Decimal if kind.startswith("DECIMAL") else str)
        try:
            return [make(cell) if isinstance(cell, str) else cell for cell in cells]
        except (ValueError, ArithmeticError):
            return list(cells)

    def dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        columns = [self.values(at) for at in range(len(self.names))]
        return [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]

    def slice(self, stop: int, start: int = 0) -> Rows:
        """Return the rows from `start` up to but not including `stop`."""
        return replace(self, cells=[column[start:stop] for column in self.cells])

    def relation(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """Return the rows as a relation of a connection."""
        return connection.sql(self._select(), params=[self._as_json_text()])

    def load(self, connection: duckdb.DuckDBPyConnection, into: str) -> None:
        """Execute a statement that takes rows (`INSERT INTO … BY NAME`, `CREATE TABLE … AS`)."""
        connection.execute(f"{into} {self._select()}", [self._as_json_text()]).fetchall()

    def write_parquet(self, path: Path) -> None:
        """Write the rows as a Parquet file."""
        with duckdb.connect() as connection:
            self.relation(connection).write_parquet(str(path), compression="zstd")

    @property
    def arrow(self) -> pa.Table:
        """The rows as an Arrow table.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtraError("Arrow tables need pyarrow; install it with: pip install 'kgscore[arrow]'") from None
        with duckdb.connect() as connection:
            return self.relation(connection).to_arrow_table()

    def _select(self) -> str:
        columns = (
            f"unnest((v->{at}){'::VARCHAR[]' if _AS_TEXT.search(kind) else ''}::{kind}[]) AS {quote_name(name)}"
            for at, (name, kind) in enumerate(zip(self.names, self.types, strict=True))
        )
        return f"SELECT {', '.join(columns)} FROM (SELECT ?::JSON AS v)"

    def _as_json_text(self) -> str:
        return json.dumps(self.cells, ensure_ascii=False, default=str)


def _whole_numbers(cells: Sequence[Any]) -> list[int | None] | None:
    """Return cells as whole numbers; None if one of them is no BIGINT."""
    whole = [None if cell is None else int(cell) for cell in cells]
    return whole if all(cell is None or -(2**63) <= cell < 2**63 for cell in whole) else None


def _infer_type(values: Iterable[Any]) -> str:
    there = [value for value in values if value is not None]
    kinds = frozenset(map(type, there))
    if kinds and kinds <= {list, tuple}:
        return f"{_infer_type(chain.from_iterable(there))}[]"
    if kinds and kinds <= {int, float}:
        return "DOUBLE" if float in kinds else "BIGINT"
    return "BOOLEAN" if kinds == {bool} else "VARCHAR"


def concatenate(parts: Sequence[Rows]) -> Rows:
    """Return the rows of several parts of one table, concatenated."""
    columns = zip(*(one.cells for one in parts), strict=True)
    return replace(parts[0], cells=[list(chain.from_iterable(column)) for column in columns])


def quote_name(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def parquet_bytes(rows: Rows) -> bytes:
    """Return rows as a Parquet file."""
    with temporary_folder() as folder:
        rows.write_parquet(folder / "rows.parquet")
        return (folder / "rows.parquet").read_bytes()


def _unique_names(names: Sequence[str]) -> list[str]:
    """Return names of columns, made unique.

    >>> _unique_names(["n", "x", "n"])
    ['n', 'x', 'n_1']
    """
    counts = (names[:at].count(name) for at, name in enumerate(names))
    return [f"{name}_{count}" if count else name for name, count in zip(names, counts, strict=True)]
