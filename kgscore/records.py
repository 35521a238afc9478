"""Records that users bring: lines of JSON, CSV, Parquet or FHIR, and text files. Bad ones are named; the rest goes on.

A report longer than `MAX_CHARACTERS` is refused. Control characters, byte-order marks inside the text and lone
surrogates are each read as one space, and every carriage return as a space (before a newline) or a newline: one
character for one, so that offsets are offsets into the report as given. A byte-order mark that opens a file is no
part of the report.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from kgscore.errors import InputError
from kgscore.fhir import is_fhir, reports_of
from kgscore.kept import KeptTexts

MAX_CHARACTERS = 1_000_000
MAX_LINE_BYTES = 16_000_000
MAX_DOCUMENT_BYTES = 512_000_000  # of a .json file that is not one object a line
PAIR_FIELDS = ("reference", "candidate")
MAX_ID_CHARACTERS = 1_000

_BREAKS = re.compile("\r(?!\n)|\u2028|\u2029")
_BLANKS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\xa0\ufeff\ud800-\udfff]")
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_KINDS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet",
}
_NO_OBJECT = "the item of the list is no object; give a list of objects"
_NOT_UTF8 = "is not UTF-8 text; save the file as UTF-8"

Row = tuple[str, Mapping[str, Any] | str]  # place, and the mapping or the reason why there is none


class Seen(Protocol):
    """Where each id was used first: a dictionary, or `KeptTexts` for many."""

    def setdefault(self, key: str, default: str, /) -> str:
        """Return where the id was used first; if nowhere, that is here."""


@dataclass(frozen=True, slots=True)
class Record:
    """One usable record: `where` is "file:line", `fields` holds the cleaned text of each field asked for.

    `lines` holds those given as a list of texts, which `fields` has joined; `extra` the further fields asked for, as given.
    """

    where: str
    id: str
    fields: Mapping[str, str]
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that cannot be used. `reason` says what is wrong and what to do; it never quotes a report. `extra` holds the
    further fields asked for, as given."""

    where: str
    id: str | None
    reason: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the one line that people read: file, line, record, what is wrong, what to do."""
        return complaint(self.where, self.id, self.reason)


def complaint(where: str, id: str | None, reason: str) -> str:
    """Return the one line that names a record and what is wrong with it.

    >>> complaint("pairs.jsonl:3", "b", "no field 'candidate'; add it")
    "pairs.jsonl:3: record 'b': no field 'candidate'; add it"
    """
    return f"{where}: {reason}" if id is None else f"{where}: record '{id}': {reason}"


def clean(text: str) -> str:
    """Return the text with odd characters replaced one for one, so that its length and offsets stay.

    >>> clean("No\\x00effusion.\\r\\nNormal heart.")
    'No effusion. \\nNormal heart.'
    """
    return _BLANKS.sub(" ", _BREAKS.sub("\n", text))


def is_lines(source: str) -> bool:
    """Return True if the name says JSONL, CSV or Parquet (or `-`), False if it is a plain text file.

    >>> is_lines("reports.jsonl"), is_lines("report.txt")
    (True, False)
    """
    return source == "-" or Path(source).suffix.lower() in _KINDS


def read_records(
    source: str,
    *choices: Sequence[str],
    lists: Sequence[str] = (),
    numbers: Sequence[str] = (),
    extra: Sequence[str] | None = (),
    stdin: BinaryIO | None = None,
) -> Iterator[Record | BadRecord]:
    """Yield every record of a JSONL, CSV or Parquet file (`-`: JSON lines from standard input), good or bad, in order.

    Each of `choices` is a set of field names; a record needs all the fields of one of them, beside `id`. Those in `lists`
    may be lists of texts, those in `numbers` numbers, which become text. Fields in `extra` are handed on as they are,
    where a record has them; with None, all that are not asked for otherwise.

    Raises:
        InputError: the file as a whole cannot be read, or is of no known kind.
    """
    with KeptTexts() as seen:
        yield from records_of(_rows(source, choices, stdin, extra), choices, seen, lists, numbers, extra)


def records_of(
    rows: Iterable[Row], choices: Sequence[Sequence[str]], seen: Seen, lists: Sequence[str] = (), numbers: Sequence[str] = (),
    extra: Sequence[str] | None = (),
) -> Iterator[Record | BadRecord]:
    """Yield the record of each row, or what is wrong with it; the arguments are those of `read_records` and `check_row`."""
    asked = {"id", *(name for choice in choices for name in choice)}
    for where, row in rows:
        if isinstance(row, str):
            yield BadRecord(where, None, row)
        else:
            record = check_row(where, row, choices, seen, lists, numbers)
            kept = {name: row[name] for name in (row.keys() - asked if extra is None else extra) if name in row}
            yield replace(record, extra=dict(sorted(kept.items()))) if kept else record


def read_rows(source: str) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
    """Yield place and mapping of every row of a JSONL, CSV or Parquet file, or of a JSON file that holds one list of objects,
    whatever its columns; in the place of the mapping, what is wrong with the row.

    Raises:
        InputError: the file as a whole cannot be read, or is of no known kind.
    """
    if source.lower().endswith(".json") and (text := read_text(source, limit=None).lstrip()).startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(f"{source}: is not JSON that can be read; write a list of objects, or one object a line") from None
        for number, row in enumerate(rows, 1):
            yield f"{source}: item {number}", row if isinstance(row, dict) else f"the item is {_kind(row)}; write objects"
    else:
        yield from _rows(source, (), None)


def read_named(source: str, *, stdin: BinaryIO | None = None) -> Iterator[tuple[str, str | None, Mapping[str, Any] | str]]:
    """Yield place, name and object of every line of a JSON lines file (`-`: standard input) whose records have a `name`; in
    the place of the object, what is wrong with it.

    Raises:
        InputError: the file as a whole cannot be read.
    """
    if source != "-" and _KINDS.get(Path(source).suffix.lower()) != "jsonl":
        raise InputError(f"{source}: of no known kind; name it .jsonl")
    seen: dict[str, str] = {}
    for where, row in _rows(source, (("name",),), stdin):
        if isinstance(row, str):
            yield where, None, row
            continue
        name = identity(where, row, seen, "name")
        yield (where, name.id, name.reason) if isinstance(name, BadRecord) else (where, name, row)


def read_text(source: str, limit: int | None = MAX_CHARACTERS) -> str:
    """Return the cleaned text of one report file, of no more characters than `limit`.

    Raises:
        InputError: it cannot be opened, is not UTF-8 or is too long.
    """
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({_why(error)}); check the path and its permissions") from None
    _refuse_utf16(source, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{source}: {_NOT_UTF8}") from None
    if limit is not None and len(text) > limit:
        raise InputError(f"{source}: {_too_long('the report', text)}")
    return clean(text)


def open_bytes(source: str, stdin: BinaryIO | None = None) -> BinaryIO:
    """Return the bytes of a file, or of standard input for `-`.

    Raises:
        InputError: it cannot be opened.
    """
    if source == "-":
        return stdin if stdin is not None else sys.stdin.buffer
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({_why(error)}); check the path and its permissions") from None


def check_rows(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> Iterator[Record | BadRecord]:
    """Yield the record of each mapping given from Python, or what is wrong with it, named `pair 1`, `pair 2`…"""
    with KeptTexts() as seen:
        for number, row in enumerate(rows, 1):
            yield check_row(f"pair {number}", row, (fields,), seen)


def check_row(
    where: str,
    row: Mapping[str, Any],
    choices: Sequence[Sequence[str]],
    seen: Seen,
    lists: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> Record | BadRecord:
    """Return the record that a row holds, or what is wrong with it. `seen` remembers where each id was used first."""
    id = identity(where, row, seen, "id")
    if isinstance(id, BadRecord):
        return id
    names = next((choice for choice in choices if all(name in row for name in choice)), choices[0])
    fields: dict[str, str] = {}
    lines: dict[str, tuple[str, ...]] = {}
    for name in names:
        value = row.get(name)
        if name in numbers and isinstance(value, (int, float)) and not isinstance(value, bool):
            value = str(value)
        several: list[Any] | None = value if name in lists and isinstance(value, list) else None
        for one in [value] if several is None else several:
            problem = _problem(name, one, present=name in row)
            if problem:
                return BadRecord(where, id, problem)
        if several is not None:
            lines[name] = tuple(clean(one) for one in several)
        fields[name] = clean(str(value)) if several is None else "\n".join(lines[name])
    return Record(where, id, fields, lines)


def identity(where: str, row: Mapping[str, Any], seen: Seen, key: str) -> str | BadRecord:
    """Return the id of a row, cleaned, or what is wrong with it."""
    found = row.get(key)
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if found is None:
        return BadRecord(where, None, f"no field '{key}'; give every record {'an id' if key == 'id' else f'a {key}'}")
    if not isinstance(found, str):
        return BadRecord(where, None, f"field '{key}' is {_kind(found)}; make it text")
    if len(found) > MAX_ID_CHARACTERS:
        return BadRecord(where, None, f"field '{key}' is longer than {MAX_ID_CHARACTERS:,} characters; shorten it")
    if _UNDECODABLE.search(found):
        return BadRecord(where, None, f"the line {_NOT_UTF8}")
    found = clean(found)
    first = seen.setdefault(found, where)
    if first != where:
        return BadRecord(where, found, f"the {key} was used before, at {first}; give every record its own {key}")
    return found


def _problem(name: str, value: object, present: bool) -> str | None:
    if not present or value is None:
        return f"field '{name}' is {'empty (null)' if present else 'missing'}; add it as text"
    if not isinstance(value, str):
        return f"field '{name}' is {_kind(value)}; make it text"
    if _UNDECODABLE.search(value):
        return f"field '{name}' {_NOT_UTF8}"
    return _too_long(f"field '{name}'", value)


def _too_long(what: str, text: str) -> str | None:
    if len(text) <= MAX_CHARACTERS:
        return None
    return f"{what} has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}: split it"


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", bytes: "bytes"}
    return names.get(type(value), f"of type {type(value).__name__}")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _refuse_utf16(source: str, head: bytes) -> None:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{source}: is UTF-16; save the file as UTF-8")


# --- one row at a time, by kind of file: a mapping, or the reason why there is none ---

def _rows(
    source: str, choices: Sequence[Sequence[str]], stdin: BinaryIO | None, extra: Sequence[str] | None = ()
) -> Iterator[Row]:
    kind = "jsonl" if source == "-" else _KINDS.get(Path(source).suffix.lower())
    if kind is None:
        raise InputError(f"{source}: of no known kind; name it .jsonl, .csv or .parquet")
    stream = open_bytes(source, stdin)
    try:
        if kind == "jsonl":
            yield from json_rows("stdin" if source == "-" else source, stream, whole=source.lower().endswith(".json"))
        elif kind == "parquet":
            yield from parquet_rows(source, stream, choices, extra)
        else:
            yield from _csv_rows(source, stream, choices, "\t" if kind == "tsv" else ",")
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({_why(error)}); check the path and its permissions") from None
    finally:
        if source != "-":
            stream.close()


def json_rows(name: str, stream: BinaryIO, whole: bool = False, *, first: int = 1) -> Iterator[Row]:
    """Yield place and mapping (or what is wrong) of every line of JSON lines, of which the first has the number `first`; if
    `whole`, the stream may be one JSON value over several lines."""
    rows = _document(name, stream) if whole else None
    for where, row in _line_rows(name, stream, first) if rows is None else rows:
        if is_fhir(row) and isinstance(row, Mapping):
            yield from ((f"{where}: {place}" if place else where, found) for place, found in reports_of(row))
        else:
            yield where, row


def _document(name: str, stream: BinaryIO) -> Iterator[Row] | None:
    """Return the rows of a file that is one JSON value over several lines, an object or a list of them; None if it is none."""
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    _refuse_utf16(name, data)
    try:
        found = json.loads(data.removeprefix(b"\xef\xbb\xbf")) if len(data) <= MAX_DOCUMENT_BYTES else None
    except (ValueError, RecursionError):
        found = None
    stream.seek(0)
    if isinstance(found, list):
        return ((f"{name}:{n}", row if isinstance(row, dict) else _NO_OBJECT) for n, row in enumerate(found, 1))
    return iter([(f"{name}:1", found)]) if isinstance(found, dict) else None


def _line_rows(name: str, stream: BinaryIO, first: int = 1) -> Iterator[Row]:
    for number, line in _lines(name, stream, first):
        where = f"{name}:{number}"
        if line is None:
            yield where, f"the line is longer than {MAX_LINE_BYTES:,} bytes; split the report"
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            yield where, f"the line {_NOT_UTF8} (first at byte {error.start + 1})"
        except json.JSONDecodeError as error:
            yield where, f"the line is not JSON ({error.msg.lower()} at character {error.pos + 1}); write one JSON object a line"
        except (ValueError, RecursionError):
            yield where, "the line is not JSON that can be read; write one JSON object a line"
        else:
            yield where, row if isinstance(row, dict) else f"the line is {_kind(row)}; write one JSON object a line"


def _lines(name: str, stream: BinaryIO, first: int = 1) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines, numbered from `first`, without an opening byte-order mark; None stands for a line that is too long."""
    number = first - 1
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            _refuse_utf16(name, line)
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            yield number, None
        else:
            yield number, line


def _csv_rows(source: str, stream: BinaryIO, choices: Sequence[Sequence[str]], delimiter: str) -> Iterator[Row]:
    _refuse_utf16(source, stream.read(2))
    stream.seek(0)
    csv.field_size_limit(MAX_LINE_BYTES)
    # Bytes that are not UTF-8 become lone surrogates, so that one bad row does not end the file.
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        reader = csv.DictReader(text, delimiter=delimiter)
        _need_columns(source, list(reader.fieldnames or []), choices)
        yield from _dict_rows(source, reader)
    finally:
        text.detach()  # whoever opened the stream closes it


def _dict_rows(source: str, reader: csv.DictReader[str]) -> Iterator[Row]:
    while True:
        where = f"{source}:{reader.line_num + 1}"
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield where, f"the row is not CSV ({error}); quote fields that hold commas, quotes or line breaks"
            continue
        if row is None:
            return
        if None in row:
            yield where, "the row has more cells than the header; quote fields that hold commas"
        else:
            # A cell that is not there is None: then the field is missing.
            yield where, {key: value for key, value in row.items() if value is not None}


def parquet_rows(
    source: str, stream: BinaryIO, choices: Sequence[Sequence[str]], extra: Sequence[str] | None, *, start: int = 0,
    stop: int | None = None, only: Sequence[str] | None = None,
) -> Iterator[Row]:
    """Yield place and mapping of the rows of a Parquet file from `start` up to but not including `stop` (counted from 0);
    groups of rows before and after are not read. With `only`, the mappings hold these columns alone.

    Raises:
        InputError: it is no such file, or lacks a column.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(stream)
        names = file.schema_arrow.names
        _need_columns(source, names, choices)
        asked = {"id", *(extra or ()), *(name for choice in choices for name in choice)}
        wanted = [name for name in names if (extra is None or not choices or name in asked) and name in (only or names)]
        number, groups = _groups(file, start, stop)
        for batch in file.iter_batches(batch_size=1024, columns=wanted, row_groups=groups):
            if number + len(batch) > start:
                for at, row in enumerate(batch.to_pylist(), number):
                    if at >= start and (stop is None or at < stop):
                        yield f"{source}:{at + 1}", row
            number += len(batch)
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{source}: is not a Parquet file that can be read ({type(error).__name__}); write it again") from None


def _groups(file: Any, start: int, stop: int | None) -> tuple[int, list[int]]:
    """Return the groups of rows of a Parquet file that hold rows from `start` up to `stop`, and where the first begins."""
    begins = [0]
    for group in range(file.num_row_groups):
        begins.append(begins[-1] + file.metadata.row_group(group).num_rows)
    found = [g for g in range(file.num_row_groups) if begins[g + 1] > start and (stop is None or begins[g] < stop)]
    return (begins[found[0]] if found else 0), found


def _need_columns(source: str, columns: Sequence[str], choices: Sequence[Sequence[str]]) -> None:
    if not choices or ("id" in columns and any(all(name in columns for name in choice) for choice in choices)):
        return
    needed = " or ".join(", ".join(("id", *choice)) for choice in choices)
    raise InputError(f"{source}: lacks a column; it needs {needed}")
