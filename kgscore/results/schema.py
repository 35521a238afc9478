"""Frozen dataclasses as tables with their fields as columns: the SQL that creates the table, the values as rows, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from kgscore.results.rows import Rows

Json = NewType("Json", str)


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a column in SQL, and how a value is put into a cell and taken out, where it is not the cell."""

    sql: str
    put: Callable[[Any], Any] | None = None
    take: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """A field stored as several columns: their types by name, the encoding, and the decoding."""

    columns: Mapping[str, Any]
    cells: Callable[[Any], Sequence[Any]]
    value: Callable[..., Any]


_PLAIN: Mapping[Any, Kind] = {
    str: Kind("VARCHAR"), int: Kind("INTEGER"), float: Kind("DOUBLE"), bool: Kind("BOOLEAN"), Json: Kind("JSON"),
    datetime: Kind("TIMESTAMP"),
}  # fmt: skip


def column_kind(hint: Any) -> Kind:
    """Return the kind of column for an annotation.

    >>> column_kind(tuple[str, ...] | None).sql
    'VARCHAR[]'
    """
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint):
        return _struct_kind(hint)
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return column_kind(next(one for one in of if one is not NoneType))
    if origin is Literal:
        return _PLAIN[type(of[0])]
    if origin is not None and issubclass(origin, Mapping):
        sides = [column_kind(one) for one in of]
        return Kind(f"MAP({sides[0].sql}, {sides[1].sql})", dict, dict)
    item = column_kind(of[0])
    put, take = item.put, item.take
    if origin is frozenset:
        return Kind(f"{item.sql}[]", sorted, frozenset)
    assert origin is tuple
    return Kind(
        f"{item.sql}[]", None if put is None else lambda values: list(map(put, values)),
        tuple if take is None else lambda cells: tuple(map(take, cells)),
    )  # fmt: skip


def _struct_kind(hint: Any) -> Kind:
    inner = {name: column_kind(one) for name, one in get_type_hints(hint).items()}
    sql = ", ".join(f"{name} {one.sql}" for name, one in inner.items())
    return Kind(
        f"STRUCT({sql})", lambda value: {name: getattr(value, name) for name in inner},  # `asdict` would copy it
        lambda cell: hint(**cell),
    )  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table: its name, the dataclass of a row, the columns in front of its fields with their types, the fields whose
    columns have another name, those stored as several columns, and those not stored."""

    name: str
    row: type
    front: Mapping[str, Any]
    called: Mapping[str, str] = field(default_factory=dict)
    split: Mapping[str, Split] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> Mapping[str, Kind]:
        """The kind of each column, in order."""
        hints, found = get_type_hints(self.row), dict(self.front)
        for name in self.fields:
            found |= self.split[name].columns if name in self.split else {self.called.get(name, name): hints[name]}
        return {name: column_kind(hint) for name, hint in found.items()}

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the stored fields."""
        return tuple(one.name for one in fields(self.row) if one.name not in self.without)

    def sql(self, *, temporary: bool = False) -> str:
        """Return the statement that creates the table if it is missing; a `temporary` one is dropped with its connection."""
        columns = ", ".join(f'"{name}" {kind.sql}{" NOT NULL" * (name == "run")}' for name, kind in self.columns.items())
        return f"CREATE {'TEMP ' * temporary}TABLE IF NOT EXISTS {self.name} ({columns});"

    def batch(self, front: Mapping[str, Sequence[Any]], rows: Sequence[Any]) -> Rows:
        """Return the rows of values; `front` holds the columns in front."""
        cells = dict(front)
        for name in self.fields:
            column = list(map(attrgetter(name), rows))
            if name in self.split:
                split = self.split[name]
                cells.update(zip(split.columns, zip(*map(split.cells, column), strict=True), strict=True))
            else:
                cells[self.called.get(name, name)] = column
        # JSON is loaded as text: as JSON, it would become a string of JSON.
        types = ["VARCHAR" if kind.sql == "JSON" else kind.sql for kind in self.columns.values()]
        return Rows(list(self.columns), types, [_each(kind.put, cells[name]) for name, kind in self.columns.items()])

    def values(self, rows: Rows) -> list[Any]:
        """Return rows as values; a column that an earlier version did not have has the field's default."""
        there = set(rows.names)
        given: dict[str, Iterable[Any]] = {}
        for name in self.fields:
            if name in self.split:
                split = self.split[name]
                columns = [self._decode_column(rows, column) for column in split.columns]
                given[name] = (split.value(*cells) for cells in zip(*columns, strict=True))
            elif (column := self.called.get(name, name)) in there:
                given[name] = self._decode_column(rows, column)
        return [self.row(**dict(zip(given, cells, strict=True))) for cells in zip(*given.values(), strict=True)]

    def _decode_column(self, rows: Rows, column: str) -> list[Any]:
        return _each(self.columns[column].take, rows.column(column))


def _each(make: Callable[[Any], Any] | None, cells: Sequence[Any]) -> list[Any]:
    return list(cells) if make is None else [None if cell is None else make(cell) for cell in cells]
