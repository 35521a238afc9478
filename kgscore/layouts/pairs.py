"""Pairs of reports with what people thought of them, read from tables in the layouts that they are downloaded in.

Ratings are scores (`human`, higher is better) or error counts (lower is better): `total`, `significant`, `insignificant`,
`category_1` and so on, `severity`, `max_severity`. Counts of several readers are averaged. Nothing here fits: whatever compares
metrics with people can read its pairs from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from kgscore.errors import InputError
from kgscore.layouts.downloads import radevalx, rexval
from kgscore.layouts.refisco import refisco
from kgscore.layouts.tables import (
    TEXTS,
    RatedPair,
    Table,
    any_number,
    cell,
    check_names,
    checked,
    files_of,
    layout_named,
    number,
)
from kgscore.records import BadRecord


def read_pairs(
    source: str | Path, layout: str = "csv", columns: Mapping[str, str] | None = None
) -> Iterator[RatedPair | BadRecord]:
    """Yield every pair of a table, or what is wrong with it. `source` is a file, or the folder of a download; `columns` says
    what a column is called where the layout does not know it.

    Raises:
        InputError: the layout is unknown, a file or a column is missing, or a file as a whole cannot be read.
    """
    known = layout_named(layout)
    readers: Mapping[str, Callable[[Mapping[str, Table]], Iterable[RatedPair | BadRecord]]] = {
        "rexval": rexval, "radevalx": radevalx, "refisco": refisco, "rate-eval": _rate_eval, "csv": _own,
    }  # fmt: skip
    if layout not in readers:
        raise InputError(f"layout {layout}: holds no ratings of single reports; those that do: {', '.join(readers)}")
    check_names(known, columns or {})
    tables = {role: Table(path, known, columns or {}) for role, path in files_of(source, layout).items()}
    for name, called in (columns or {}).items():
        if not any(called in table.header for table in tables.values()):
            raise InputError(f"{source}: layout {layout}: no column '{called}', which was named for '{name}'")
    yield from readers[layout](tables)


def _own(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a table of one's own: id, reference, candidate, study, and human or total and significant."""
    table, bad = tables["table"], list[BadRecord]()
    names = {name: table.column(name) for name in ("id", *TEXTS)}
    rated = {name: there for name in ("human", "total", "significant") if (there := table.has(name))}
    if "human" not in rated and "total" not in rated:
        raise InputError(f"{table.path}: lacks a column of ratings; it needs human, or total and significant")
    study, seen = table.has("study"), dict[str, str]()
    for where, row in table.good(bad):
        ratings: dict[str, float] = {}
        wrong = ""
        for name, there in rated.items():
            value = any_number(row.get(there)) if name == "human" else number(row.get(there))
            if value is None:
                wrong = wrong or f"field '{there}' must be a number{'' if name == 'human' else ' of 0 or more'}"
            else:
                ratings[name] = value
        if not wrong and ratings.get("significant", 0.0) > ratings.get("total", float("inf")):
            wrong = "'significant' must lie between 0 and 'total'"
        if not wrong and "total" in ratings and "significant" in ratings:
            ratings["insignificant"] = ratings["total"] - ratings["significant"]
        given = {name: row[there] for name, there in names.items() if there in row}
        group = "" if study is None or row.get(study) is None else str(row[study])
        pair = checked(where, given, seen, group, ratings)
        yield BadRecord(where, pair.id, wrong) if wrong and isinstance(pair, RatedPair) else pair
    yield from bad


def _rate_eval(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a rated task of RaTE-Eval: a rating, or errors as a share of those possible (1: none)."""
    table, bad = tables["table"], list[BadRecord]()
    names = {name: table.column(name) for name in TEXTS}
    human, errors, possible = (table.has(name) for name in ("human", "errors", "possible"))
    if human is None and (errors is None or possible is None):
        table.column("human")
    id, study, seen = table.has("id"), table.has("study"), dict[str, str]()
    for place, (where, row) in enumerate(table.good(bad), 1):
        given = {name: row[there] for name, there in names.items() if there in row}
        pair = checked(where, {"id": row.get(id, place) if id else place, **given}, seen, cell(row, study), {})
        if isinstance(pair, BadRecord):
            yield pair
            continue
        if human is not None:
            value, wrong = any_number(row.get(human)), f"field '{human}' must be a number"
        else:
            made, most = number(row.get(errors or "")), number(row.get(possible or ""))
            value = 1.0 - made / most if made is not None and most and made <= most else None
            wrong = f"'{errors}' must be a number between 0 and '{possible}', which is above 0"
        yield (
            BadRecord(where, pair.id, wrong)
            if value is None
            else RatedPair(where, pair.id, pair.study, pair.reference, pair.candidate, {"human": value})
        )
    yield from bad
