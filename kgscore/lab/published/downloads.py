"""Rated pairs and their tables: files and columns under our names, as defined in `mappings/layouts.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from kgscore.errors import InputError, did_you_mean
from kgscore.io.records import BadRecord, Record, check_row, read_rows
from kgscore.resources import yaml_of

# Ratings where more is better; for all others less is.
HIGHER = ("human", "preference")
TEXTS = ("reference", "candidate")
# A longer name of a column, a category or a code is assumed to be misplaced text, and is not shown.
LONGEST = 60
_TOLD = 40
_LEAST = {"total": " of 0 or more", "significant": " of 0 or more"}
_TRUTHS = {"true": 1, "yes": 1, "false": 0, "no": 0}
# The readers of the rated pairs of a layout, by module and function.
_READERS = {
    "rexval": "counted:rexval", "radevalx": "counted:radevalx", "refisco": "refisco:rated", "rate-eval": "rate_eval:rated",
    "csv": "downloads:own",
}  # fmt: skip
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
Columns = Mapping[str, str]
_T = TypeVar("_T")
_U = TypeVar("_U")


@dataclass(frozen=True, slots=True)
class RatedPair:
    """A pair of reports with its ratings; pairs of one `study` are never split between training and test. `given` holds the
    scores that the download includes for the pair, signed so that higher is better."""

    where: str
    id: str
    study: str
    reference: str
    candidate: str
    ratings: Mapping[str, float]
    given: Mapping[str, float] = field(default_factory=dict)

    def as_row(self) -> dict[str, Any]:
        """Return the pair with its study and ratings as a row."""
        texts = {"id": self.id, "reference": self.reference, "candidate": self.candidate, "study": self.study}
        return texts | dict(self.ratings)


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout: the files by role (empty: one file of any name), the columns, the words for severities, the clinical
    verdict's names of error categories, and which third-party scores are better when lower."""

    name: str
    columns: Mapping[str, Sequence[str]]
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    severities: Mapping[str, int] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lower: Sequence[str] = ()


@cache
def layouts() -> Mapping[str, Layout]:
    """Return the known layouts by name."""
    return {name: Layout(name, **values) for name, values in yaml_of("mappings", "layouts.yaml").items()}


def get_layout(name: str, columns: Columns | None = None) -> Layout:
    """Return a layout."""
    if name not in layouts():
        hint = f"{did_you_mean(name, layouts())} ".lstrip()
        raise InputError(f"layout '{name}': unknown; {hint}known layouts: {', '.join(layouts())}")
    found = layouts()[name]
    for column in columns or {}:
        if column not in found.columns:
            raise InputError(f"layout {name}: '{column}' is not a column of it; its columns: {', '.join(found.columns)}")
    return found


def files_of(source: str | Path, layout: str = "csv") -> Mapping[str, Path]:
    """Return the files of a table, by role."""
    known, path = get_layout(layout), Path(source)
    if not known.files and path.is_dir():
        raise InputError(f"{source}: is a folder; name the file, since layout {layout} does not define it")
    if len(known.files) < 2 and not path.is_dir():
        return dict.fromkeys(known.files or ("table",), path)
    folder = path if path.is_dir() else path.parent
    found = {role: next(filter(Path.is_file, map(folder.joinpath, names)), None) for role, names in known.files.items()}
    for role, file in found.items():
        if file is None:
            name = known.files[role][0]
            raise InputError(f"{source}: layout {layout}: no file '{name}' in the folder; give the folder of the download")
    return {role: file for role, file in found.items() if file is not None}


def recognise_layout(source: str | Path) -> str | None:
    """Return the layout whose files are all in a folder, or whose file has this name; None if there is none."""
    path = Path(source)
    there = {one.name for one in path.iterdir()} if path.is_dir() else {path.name}
    needed = all if path.is_dir() else any
    fits = (name for name, known in layouts().items() if known.files and needed(map(there.intersection, known.files.values())))
    return next(fits, None) if path.exists() else None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, its cells by our names; missing cells are absent."""

    where: str
    cells: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a cell as text with single blanks, "" if there is none."""
        value = self.cells.get(name)
        return "" if value is None else " ".join(str(value).split())

    def number(self, name: str, blank: float | None = None) -> float | None:
        """Return a number of 0 or more, `blank` for an empty cell, None for anything else."""
        if not self.text(name):
            return blank
        found = any_number(self.cells[name])
        return found if found is not None and found >= 0 else None

    def truth(self, name: str) -> float | None:
        """Return 1 or 0 for a truth value, the number for a cell with a number of 0 or more."""
        return _TRUTHS.get(self.text(name).lower(), self.number(name))

    def signed(self, signs: Mapping[str, int]) -> dict[str, float]:
        """Return the numbers in some columns, with signs."""
        values = {name: any_number(self.cells.get(name)) for name in signs}
        return {name: signs[name] * value for name, value in values.items() if value is not None}

    def record(self, texts: Sequence[str], seen: dict[str, str]) -> Record | BadRecord:
        """Return the record of id and texts in the row, or its error."""
        return check_row(self.where, {name: self.cells[name] for name in ("id", *texts) if name in self.cells}, (texts,), seen)

    def pair(self, seen: dict[str, str], study: str, ratings: Mapping[str, float], wrong: str = "") -> RatedPair | BadRecord:
        """Return the pair in the row, or its error, or that of its ratings (`wrong`); the reference replaces a missing study."""
        record = self.record(TEXTS, seen)
        if isinstance(record, BadRecord):
            return record
        if wrong:
            return BadRecord(self.where, record.id, wrong)
        reference, candidate = (record.fields[name] for name in TEXTS)
        return RatedPair(record.where, record.id, study or reference, reference, candidate, ratings)


class Table:
    """The rows of one file, with its columns by our names."""

    def __init__(self, path: Path, layout: Layout, given: Columns) -> None:
        self.path, self.layout, self.given = path, layout, given
        self._rows = list(read_rows(str(path)))
        self.header = list(dict.fromkeys(key for _, row in self._rows if not isinstance(row, str) for key in row))
        if not self.header:
            raise InputError(f"{path}: layout {layout.name}: contains no readable row")

    def has(self, name: str) -> str | None:
        """Return the name of a column in the file, None if there is none."""
        if name in self.given and self.given[name] in self.header:
            return self.given[name]
        spelt = {_plain(column): column for column in reversed(self.header)}
        return next((spelt[_plain(known)] for known in self.layout.columns[name] if _plain(known) in spelt), None)

    def column(self, name: str) -> str:
        """Return the name of a column in the file."""
        found = self.has(name)
        if found is not None:
            return found
        names = ", ".join(f"'{known}'" for known in self.layout.columns[name])
        there = f"there are {', '.join(map(repr, self.header[:_TOLD]))}{' …' if len(self.header) > _TOLD else ''}"
        if max(map(len, self.header)) > LONGEST:
            there = "the first row does not look like the names of columns"
        said = f"no column {names}; {there}; name it with --column {name}=NAME"
        raise InputError(f"{self.path}: layout {self.layout.name}: {said}")

    def rows(self, *needed: str, numbered: bool = False, also: Iterable[str] = ()) -> Iterator[Row | BadRecord]:
        """Yield the rows with the cells of every column of the layout that exists, and of others with the same name; or
        the error of a row. If `numbered`, a row without an id has its position, from 1, as id."""
        columns = {name: self.column(name) for name in needed}
        columns |= {name: there for name in self.layout.columns if name not in columns and (there := self.has(name))}
        columns |= {name: name for name in also}
        for place, (where, row) in enumerate(self._rows, 1):
            if isinstance(row, str):
                yield BadRecord(where, None, row)
            else:
                cells = {name: row[there] for name, there in columns.items() if there in row}
                yield Row(where, {"id": place, **cells} if numbered else cells)

    def numbered(self, name: str) -> list[str]:
        """Return the columns with a numbered name (`rater_1`, `rater_2`); or the one without a number."""
        wanted = {_plain(known) for known in self.layout.columns[name]}
        several = [column for column in self.header if _plain(column).rstrip("0123456789") in wanted]
        one = self.has(name)
        return (several if one is None else [one]) or [self.column(name)]

    def scores(self) -> Mapping[str, int]:
        """Return the columns of numbers that the layout does not define, third-party scores, with -1 if lower is better."""
        known = {_plain(one) for names in (*self.layout.columns.values(), self.given.values()) for one in names}
        lower = [_plain(one) for one in self.layout.lower]
        names = {column: _plain(column) for column in self.header if self._has_numbers(column)}
        new = {column: name for column, name in names.items() if name not in ("", *known) and not name.startswith("unnamed")}
        return {column: -1 if any(one in name for one in lower) else 1 for column, name in new.items()}

    def _has_numbers(self, column: str) -> bool:
        cells = [row.get(column) for _, row in self._rows if not isinstance(row, str)]
        given = [cell for cell in cells if cell not in (None, "")]
        return bool(given) and None not in map(any_number, given)


def tables_of(source: str | Path, layout: str, columns: Columns | None = None) -> dict[str, Table]:
    """Return the tables of a layout, by role."""
    known, given = get_layout(layout, columns), columns or {}
    tables = {role: Table(path, known, given) for role, path in files_of(source, layout).items()}
    for name, called in given.items():
        if not any(called in table.header for table in tables.values()):
            raise InputError(f"{source}: layout {layout}: no column '{called}', which was named for '{name}'")
    return tables


def tables_in(source: str | Path, layout: str, columns: Columns | None = None) -> list[Table]:
    """Return the table in a file, or those in a folder with a column of the layout, for layouts that do not define file names."""
    known, path = get_layout(layout, columns), Path(source)
    if not path.is_dir():
        return [Table(path, known, columns or {})]
    files = sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES)
    tables = [Table(one, known, columns or {}) for one in files]
    found = [table for table in tables if any(table.has(name) for name in known.columns)]
    if not found:
        said = "no table in the folder has a column of it" if files else f"no table in the folder ({', '.join(SUFFIXES)})"
        raise InputError(f"{source}: layout {layout}: {said}; give the file")
    return found


def split_errors(found: Iterable[_T | BadRecord]) -> tuple[list[_T], list[BadRecord]]:
    """Return the usable items, and the errors."""
    every = list(found)
    return [one for one in every if not isinstance(one, BadRecord)], [one for one in every if isinstance(one, BadRecord)]


def map_usable(found: Iterable[_T | BadRecord], make: Callable[[_T], _U | BadRecord]) -> Iterator[_U | BadRecord]:
    """Yield what is made from each usable item, and the errors unchanged."""
    for one in found:
        yield one if isinstance(one, BadRecord) else make(one)


def quality(pair: RatedPair, target: str) -> float | None:
    """Return a rating signed so that more is better: error counts are negated. None if the pair has none."""
    value = pair.ratings.get(target)
    return value if value is None or target in HIGHER else -value


def any_number(value: Any) -> float | None:
    """Return a number of any sign, None if it is not one."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if isfinite(found) and not isinstance(value, bool) else None


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def read_pairs(source: str | Path, layout: str = "csv", columns: Columns | None = None) -> Iterator[RatedPair | BadRecord]:
    """Yield every pair of a table, or its error. `source` is a file, or the folder of a download; `columns` maps
    columns unknown to the layout.

    Raises:
        InputError: the layout is unknown, a file or a column is missing, or a file as a whole cannot be read.
    """
    get_layout(layout, columns)
    if layout not in _READERS:
        raise InputError(f"layout {layout}: has no ratings of single reports; those that have: {', '.join(_READERS)}")
    tables = tables_of(source, layout, columns)
    module, _, function = _READERS[layout].partition(":")
    yield from getattr(import_module(f"kgscore.lab.published.{module}"), function)(tables)


def judged_pairs(
    source: str | Path, columns: Columns | None, counts: Mapping[str, Mapping[str, float]]
) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a plain table that have error counts, matched by id; ratings in the table itself are ignored."""
    seen: dict[str, str] = {}
    for row in tables_of(source, "csv", columns)["table"].rows("id", *TEXTS):
        if isinstance(row, BadRecord):
            yield row
        elif (id := str(row.cells.get("id"))) in counts:
            yield row.pair(seen, str(row.cells.get("study") or ""), counts[id])


def own(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a user's table: id, reference, candidate, study, and human or total and significant."""
    table, seen = tables["table"], dict[str, str]()
    rows = list(table.rows("id", *TEXTS))
    rated = {name: there for name in ("human", "total", "significant") if (there := table.has(name))}
    if "human" not in rated and "total" not in rated:
        raise InputError(f"{table.path}: lacks a column of ratings; it needs human, or total and significant")

    def pair_of(row: Row) -> RatedPair | BadRecord:
        given = {name: any_number(row.cells.get(name)) if name == "human" else row.number(name) for name in rated}
        ratings = {name: value for name, value in given.items() if value is not None}
        wrong = [f"field '{rated[name]}' must be a number{_LEAST.get(name, '')}" for name in rated if name not in ratings]
        if ratings.get("significant", 0.0) > ratings.get("total", float("inf")):
            wrong.append("'significant' must lie between 0 and 'total'")
        if {"total", "significant"} <= ratings.keys():
            ratings["insignificant"] = ratings["total"] - ratings["significant"]
        study = row.cells.get("study")
        return row.pair(seen, "" if study is None else str(study), ratings, next(iter(wrong), ""))

    yield from map_usable(rows, pair_of)
