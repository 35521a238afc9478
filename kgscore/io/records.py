"""Records from users: lines of JSON, CSV, Parquet or FHIR, and text files. Bad ones are reported; the rest are processed.

A report longer than `MAX_CHARACTERS` is rejected. Control characters, byte-order marks inside the text and lone surrogates are
each read as one space, and every carriage return as a space (before a newline) or a newline: always one character for one, so
that offsets refer to the original report. A byte-order mark at the start of a file is not part of the report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from kgscore.caches import TextStore
from kgscore.errors import InputError
from kgscore.io.columns import AS_THEY_ARE, Columns, list_names
from kgscore.io.formats import MAX_DOCUMENT_BYTES, Row, file_rows, foreign_kind, kind_of, kind_of_file, plain_text

MAX_CHARACTERS = 1_000_000
PAIR_FIELDS = ("reference", "candidate")
MAX_ID_CHARACTERS = 1_000

_BREAKS = re.compile("\r(?!\n)|\u2028|\u2029")
_BLANKS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\xa0\ufeff\ud800-\udfff]")
Seen = TextStore | dict[str, str]  # where each id was first used


@dataclass(frozen=True, slots=True)
class Record:
    """One usable record: `where` is "file:line", `fields` holds the cleaned text of each requested field.

    `lines` holds those given as a list of texts, joined in `fields`; `extra` the further requested fields, cleaned."""

    where: str
    id: str
    fields: Mapping[str, str]
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that cannot be used. `reason` says what is wrong and how to fix it; it never quotes a report. `extra` holds the
    further requested fields, as given."""

    where: str
    id: str | None
    reason: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return a one-line message: file, line, record, problem, remedy."""
        return complaint(self.where, self.id, self.reason)


def complaint(where: str, id: str | None, reason: str) -> str:
    """Return a one-line message that names a record and its problem.

    >>> complaint("pairs.jsonl:3", "b", "no field 'candidate'; add it")
    "pairs.jsonl:3: record 'b': no field 'candidate'; add it"
    """
    return f"{where}: {reason}" if id is None else f"{where}: record '{id}': {reason}"


def clean(text: str) -> str:
    """Return the text with invalid characters replaced one for one, so that its length and offsets are unchanged.

    >>> clean("No\\x00effusion.\\r\\nNormal heart.")
    'No effusion. \\nNormal heart.'
    """
    return _BLANKS.sub(" ", _BREAKS.sub("\n", text))


def _clean_within(value: Any) -> Any:
    """Return a JSON value with every text in it cleaned."""
    if isinstance(value, Mapping):
        return {clean(str(name)): _clean_within(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean_within(one) for one in value]
    return clean(value) if isinstance(value, str) else value


def is_lines(source: str) -> bool:
    """Return True if the name says JSONL, CSV or Parquet (or `-`), False if it is a plain text file.

    >>> is_lines("reports.jsonl"), is_lines("report.txt")
    (True, False)
    """
    return source == "-" or kind_of_file(source) is not None


def read_records(
    source: str, *choices: Sequence[str], lists: Sequence[str] = (), extra: Sequence[str] | None = (),
    stdin: BinaryIO | None = None, columns: Columns = AS_THEY_ARE,
) -> Iterator[Record | BadRecord]:
    """Yield every record of a JSONL, CSV or Parquet file (`-`: JSON lines from standard input), valid or bad, in order.

    Each of `choices` is a set of field names; a record needs all the fields of one of them, besides `id`. Those in `lists` may be
    lists of texts. Fields in `extra` are passed through unchanged, if a record has
    them; with None, all fields not requested otherwise. `columns` maps the file's column names. Raises InputError if the file as
    a whole cannot be read, or its type is unknown."""
    with TextStore() as seen:
        yield from records_of(file_rows(source, choices, stdin, extra, columns), choices, seen, lists, extra)


def records_of(
    rows: Iterable[Row], choices: Sequence[Sequence[str]], seen: Seen, lists: Sequence[str] = (),
    extra: Sequence[str] | None = (),
) -> Iterator[Record | BadRecord]:
    """Yield the record of each row, or its error; the arguments are those of `read_records` and `check_row`."""
    asked = {"id", *(name for choice in choices for name in choice)}
    for where, row in rows:
        if isinstance(row, str):
            yield BadRecord(where, getattr(row, "id", None), row)
        else:
            record = check_row(where, row, choices, seen, lists)
            kept = {name: row[name] for name in (row.keys() - asked if extra is None else extra) if name in row}
            yield replace(record, extra=_clean_within(dict(sorted(kept.items())))) if kept else record


def read_rows(source: str) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
    """Yield the place and mapping of every row of a JSONL, CSV or Parquet file, or of a JSON file with one list of objects,
    whatever its columns; instead of the mapping, the error of a bad row. Raises InputError if the file as a whole cannot be read,
    or its type is unknown."""
    if source.lower().endswith(".json") and (text := read_text(source, limit=None).lstrip()).startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(f"{source}: cannot be parsed as JSON; write a list of objects, or one object per line") from None
        for number, row in enumerate(rows, 1):
            yield f"{source}: item {number}", row if isinstance(row, dict) else f"the item is {kind_of(row)}; write objects"
    else:
        yield from file_rows(source, (), None)


def read_named(source: str) -> Iterator[tuple[str, str | None, Mapping[str, Any] | str]]:
    """Yield the place, name and object of every line of a JSON lines file (`-`: standard input) whose records have a `name`;
    instead of the object, the error of a bad line. Raises InputError if the file as a whole cannot be read."""
    if source != "-" and kind_of_file(source) != "jsonl":
        raise InputError(f"{source}: unknown file type; use .jsonl")
    seen: dict[str, str] = {}
    for where, row in file_rows(source, (("name",),), None):
        if isinstance(row, str):
            yield where, None, row
            continue
        name = identity(where, row, seen, "name")
        yield (where, name.id, name.reason) if isinstance(name, BadRecord) else (where, name, row)


def read_text(source: str, limit: int | None = MAX_CHARACTERS, *, stdin: BinaryIO | None = None) -> str:
    """Return the cleaned text of one report file, of at most `limit` characters; `stdin` is what was already read from it. Raises
    InputError if it cannot be opened, is not UTF-8 or is too long."""
    text = plain_text(source, stdin, MAX_DOCUMENT_BYTES if limit is None else 4 * limit)
    if limit is not None and len(text) > limit:
        raise InputError(f"{source}: {_too_long('the report', text)}")
    return clean(text)


def read_lines(source: str, *, stdin: BinaryIO | None = None) -> list[str]:
    """Return the raw lines of a text file (also .gz), without line endings; `stdin` is what was already read from it. Raises
    InputError if it cannot be opened or is not UTF-8."""
    lines = plain_text(source, stdin).split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def clean_texts(**given: object) -> list[str]:
    """Return cleaned texts (`clean`); reject values that are not text, naming the argument. Raises InputError if a value is not
    text."""
    for name, value in given.items():
        if not isinstance(value, str):
            one = ", one of several" if isinstance(value, (list, tuple)) else ""
            raise InputError(f"{name}: is {kind_of(value)}; give the report as text{one}")
    return [clean(str(value)) for value in given.values()]


def check_rows(rows: Iterable[object], fields: Sequence[str]) -> Iterator[Record | BadRecord]:
    """Yield the record of each mapping given from Python, or its error, named `pair 1`, `pair 2`…"""
    with TextStore() as seen:
        for number, row in enumerate(rows, 1):
            where = f"pair {number}"
            if isinstance(row, Mapping):
                row = {name: json_value(value) for name, value in row.items()}
                record = check_row(where, row, (fields,), seen)
                extra = {name: row[name] for name in row if name != "id" and name not in fields}
                yield replace(record, extra=_clean_within(extra))
            else:
                remedy = f"give a mapping with id, {', '.join(fields)}, or two lists: references=…, candidates=…"
                yield BadRecord(where, None, f"the pair is {kind_of(row)}; {remedy}")


def json_value(value: object) -> object:
    """Return a value of a mapping, a data frame or an array as a JSON value: None if it is missing (NaN, NA).

    >>> json_value(float("nan")), json_value("No effusion.")
    (None, 'No effusion.')
    """
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    missing = value != value if isinstance(value, float) else type(value).__name__ in ("NAType", "NaTType")
    return None if missing else value


def pairs_of(
    references: Sequence[object], candidates: Sequence[object], place: Callable[[int], str] = "pair {}".format
) -> Iterator[Record | BadRecord]:
    """Yield a pair for each two texts at the same position of their lists; its id is its number, from 1. Raises InputError if the
    lists differ in length."""
    if len(references) != len(candidates):
        raise InputError(f"{len(references):,} references and {len(candidates):,} candidates; give each reference one candidate")
    for number, (reference, candidate) in enumerate(zip(references, candidates, strict=True), 1):
        row = {"id": number, "reference": json_value(reference), "candidate": json_value(candidate)}
        yield check_row(place(number), row, (PAIR_FIELDS,), {})


def check_row(
    where: str, row: Mapping[str, Any], choices: Sequence[Sequence[str]], seen: Seen, lists: Sequence[str] = ()
) -> Record | BadRecord:
    """Return the record in a row, or its error. `seen` records where each id was first used."""
    id = identity(where, row, seen, "id")
    if isinstance(id, BadRecord):
        return id
    names = next((choice for choice in choices if all(name in row for name in choice)), choices[0])
    fields: dict[str, str] = {}
    lines: dict[str, tuple[str, ...]] = {}
    for name in names:
        value = row.get(name)
        several = name in lists and isinstance(value, list)
        texts: list[Any] = value if several else [value]  # type: ignore[assignment]
        if problem := next(filter(None, (_field_problem(name, one, row) for one in texts)), None):
            return BadRecord(where, id, problem)
        cleaned = tuple(map(clean, texts))
        fields[name] = "\n".join(cleaned)
        lines |= {name: cleaned} if several else {}
    return Record(where, id, fields, lines)


def identity(where: str, row: Mapping[str, Any], seen: Seen, key: str) -> str | BadRecord:
    """Return the id of a row, cleaned, or its error."""
    found = row.get(key)
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if found is None:
        remedy = f"give every record {'an id' if key == 'id' else f'a {key}'} (it has {list_names(list(row))})"
        return BadRecord(where, None, f"no field '{key}'; {remedy}")
    if not isinstance(found, str):
        return BadRecord(where, None, f"field '{key}' is {kind_of(found)}; make it text")
    if len(found) > MAX_ID_CHARACTERS:
        return BadRecord(where, None, f"field '{key}' is longer than {MAX_ID_CHARACTERS:,} characters; shorten it")
    found = clean(found)
    first = seen.setdefault(found, where)
    if first != where:
        return BadRecord(where, found, f"the {key} was used before, at {first}; give every record its own {key}")
    return found


def _field_problem(name: str, value: object, row: Mapping[str, Any]) -> str | None:
    if name not in row:
        return f"field '{name}' is missing; add it as text (the record has {list_names(list(row))})"
    if value is None:
        return f"field '{name}' is empty (null); add it as text"
    if isinstance(value, (list, tuple)):
        return f"field '{name}' is {kind_of(value)}; make it text (of several {name}s for one study, give one)"
    if not isinstance(value, str):
        return f"field '{name}' is {kind_of(value)}; make it text"
    if name != "candidate" and (said := foreign_kind(value.lstrip()[:5].encode("utf-8", "replace"))):
        return f"field '{name}' {said}"
    return _too_long(f"field '{name}'", value)


def _too_long(what: str, text: str) -> str | None:
    if len(text) <= MAX_CHARACTERS:
        return None
    return f"{what} has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}: split it"
