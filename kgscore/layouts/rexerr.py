"""ReXErr: reports and sentences with errors that were put in, each with its categories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.layouts.tables import LONGEST, Table, cell, number, tables_in
from kgscore.records import BadRecord, clean

LAYOUT = "rexerr"
_CUT = re.compile(r"[,;|\n]")
_NONE = ("none", "nan", "no error")
_SAID = {"true": 1, "yes": 1, "false": 0, "no": 0}


@dataclass(frozen=True, slots=True)
class Injected:
    """A text before and after errors were put in. Of a `report`, `kinds` are the categories of all its errors; of a `sentence`
    (with the whole report around it, before and after), those of this one, and none where it was left as it was."""

    where: str
    id: str
    study: str
    level: str
    original: str
    changed: str
    kinds: tuple[str, ...]


def read_errors(source: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Injected | BadRecord]:
    """Yield every report and sentence of the files given, or what is wrong with a row. A table with a column that says whether
    an error is present is one of sentences.

    A sentence is put back into the report that its study's sentences make, so that additions and omissions are texts to
    score too. Rows marked as neither with nor without an error are left out.

    Raises:
        InputError: a column is missing, or a file as a whole cannot be read.
    """
    seen: set[str] = set()
    for table in tables_in(source, LAYOUT, columns):
        yield from _sentences(table) if table.has("present") else _reports(table, seen)


def _reports(table: Table, seen: set[str]) -> Iterator[Injected | BadRecord]:
    """Yield the reports of a table. Their ids are those of the studies, numbered where a study comes again."""
    bad: list[BadRecord] = []
    original, changed, kinds = (table.column(name) for name in ("original", "changed", "kinds"))
    for where, row in table.good(bad):
        before, after, said = cell(row, original), cell(row, changed), _kinds(cell(row, kinds))
        study = _study(table, row)
        id = f"report {study or len(seen) + 1}"
        id = f"{id} ({len(seen) + 1})" if id in seen else id
        seen.add(id)
        wrong = "" if said else f"field '{kinds}' names no error"
        if not before or not after:
            wrong = f"field '{changed if before else original}' is empty; leave the row out"
        yield BadRecord(where, id, wrong) if wrong else Injected(where, id, study, "report", before, after, said)
    yield from bad


_Row = tuple[str, str, str, int | None, str]


def _sentences(table: Table) -> Iterator[Injected | BadRecord]:
    bad: list[BadRecord] = []
    original, changed, present = (table.column(name) for name in ("original", "changed", "present"))
    kinds = table.has("kinds")
    table.column("study")
    reports: dict[str, list[_Row]] = {}
    for where, row in table.good(bad):
        study, said = _study(table, row), cell(row, present).lower()
        flag = _SAID.get(said, number(said))
        if flag not in (0, 1, 2):
            bad.append(BadRecord(where, study, f"field '{present}' must be 0, 1, or 2 for neither"))
        reports.setdefault(study, []).append(
            (where, cell(row, original), cell(row, changed), int(flag) if flag in (0, 1, 2) else None, cell(row, kinds))
        )
    for study, rows in reports.items():
        yield from _in_context(study, rows)
    yield from bad


def _in_context(study: str, rows: Sequence[_Row]) -> Iterator[Injected]:
    """Yield each sentence of a study inside the report that its sentences make."""
    before = [original for _, original, _, _, _ in rows]
    for place, (where, original, changed, present, kinds) in enumerate(rows):
        if present not in (0, 1) or (present == 0 and original == changed):
            continue
        after = [*before[:place], changed, *before[place + 1 :]]
        whole, erred = (" ".join(part for part in parts if part) for parts in (before, after))
        told = (_kinds(kinds) or ("error",)) if present else ()
        yield Injected(where, f"sentence {study} {place + 1}", study, "sentence", whole, erred, told)


def _study(table: Table, row: Mapping[str, Any]) -> str:
    return cell(row, table.has("study"))


def _kinds(said: str) -> tuple[str, ...]:
    """Return the categories in a cell: one, several with commas between, or a list as Python or JSON writes it.

    >>> _kinds("['Change Location', 'Add Typo']")
    ('change location', 'add typo')
    """
    parts = (" ".join(part.strip(" []'\"()").replace("_", " ").lower().split()) for part in _CUT.split(clean(said)))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= LONGEST and part not in _NONE))
