"""Rows of users' files, one at a time: JSON lines, JSON, CSV, Parquet, FHIR. Bad rows are reported, the rest are processed."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from kgscore.caches import BoundedDict
from kgscore.errors import InputError
from kgscore.io.columns import AS_THEY_ARE, Columns
from kgscore.io.fhir import Unusable, is_fhir, reports_of
from kgscore.io.parquet import read_parquet
from kgscore.io.streams import as_input_error, is_file, open_bytes, spool_copy
from kgscore.private_files import temporary_folder

MAX_LINE_BYTES = 16_000_000
MAX_DOCUMENT_BYTES = 128_000_000  # for a .json file that is not JSON lines
KINDS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"
}
_DELIMITERS = ",;\t|"
# Leading bytes of files that are not plain text, and the remedy.
_HL7 = "is an HL7 v2 message; save the text of its OBX segments as plain text, one report a file or record"
_FOREIGN = {
    b"PK\x03\x04": "is an Office file (.xlsx, .docx) or an archive; save the sheet as CSV (UTF-8), or the text as .txt",
    b"\xd0\xcf\x11\xe0": "is an old Office file (.xls, .doc); save the sheet as CSV (UTF-8), or the text as .txt",
    b"%PDF": "is a PDF; save its text as .txt",
    b"{\\rtf": "is rich text (RTF); save it as plain text",
    b"MSH|": _HL7, b"\x0bMSH": _HL7, b"FHS|": _HL7, b"BHS|": _HL7,
    b"\x1f\x8b": "is compressed; end its name in .gz, as in reports.jsonl.gz",
    b"\xff\xfe": "is UTF-16; save the file as UTF-8",
    b"\xfe\xff": "is UTF-16; save the file as UTF-8",
}
_UNDECODABLE = re.compile("[\udc80-\udcff]")  # bytes of a CSV file that are not UTF-8
NOT_UTF8 = "is not UTF-8 text; save the file as UTF-8"
_DENSE = 1_000_000  # minimum bytes at which JSON without text is rejected
_SHAPES = 1_000  # sets of JSON-line keys whose mapping to names is cached
_NO_OBJECT = "the list item is not an object; give a list of objects"

Row = tuple[str, Mapping[str, Any] | str]  # place, and the mapping or the reason why there is none


def kind_of_file(source: str) -> str | None:
    """Return jsonl, csv, tsv or parquet by the file name (for a compressed file, that before `.gz`), None for others.

    >>> kind_of_file("pairs.csv.gz"), kind_of_file("report.txt")
    ('csv', None)
    """
    kind = KINDS.get(Path(source.lower().removesuffix(".gz")).suffix)
    return None if kind == "parquet" and source.lower().endswith(".gz") else kind


def kind_of(value: object) -> str:
    """Return the JSON type of a value, in words."""
    names = {
        bool: "true or false", int: "a number", float: "a number", list: "a list", tuple: "a tuple", dict: "an object",
        bytes: "bytes", str: "text", type(None): "None",
    }  # fmt: skip
    return names.get(type(value), f"of type {type(value).__name__}")


def foreign_kind(head: bytes) -> str | None:
    """Return the description and remedy for a file or text whose start is not plain text, or None."""
    return next((said for begin, said in _FOREIGN.items() if head.startswith(begin)), None)


def check_not_foreign(source: str, head: bytes) -> None:
    """Raise an InputError with the remedy if a file's start is not UTF-8 text."""
    if said := foreign_kind(head):
        raise InputError(f"{source}: {said}")


def plain_text(source: str, stdin: BinaryIO | None = None, limit: int = MAX_DOCUMENT_BYTES) -> str:
    """Return the text of a file of at most so many bytes; `stdin` is what was already read from it. Raises InputError if it
    cannot be opened, is not UTF-8 or is too long."""
    with as_input_error(source), open_bytes(source, stdin) as stream:
        data = stream.read(limit + 1)
    check_not_foreign(source, data)
    if len(data) > limit:
        raise InputError(f"{source}: is longer than {limit:,} bytes; split it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{source}: {NOT_UTF8}") from None


def file_rows(
    source: str, choices: Sequence[Sequence[str]], stdin: BinaryIO | None, extra: Sequence[str] | None = (),
    columns: Columns = AS_THEY_ARE,
) -> Iterator[Row]:
    """Yield the place and mapping (or the error) of every row of a JSONL, CSV or Parquet file (`-`: JSON lines from standard
    input); `stdin` is what was already read from the source. A CSV or Parquet file must have the columns of one of `choices`;
    from Parquet, only those and `extra` are read. `columns` maps the file's column names. Raises InputError if the file as a
    whole cannot be read, or its type is unknown."""
    kind = "jsonl" if source == "-" else kind_of_file(source)
    if kind is None:
        if Path(source).is_file():
            with open_bytes(source) as stream:
                check_not_foreign(source, stream.read(4))
        raise InputError(f"{source}: unknown file type; use .jsonl, .csv, .tsv or .parquet (text also .gz)")
    twice = stdin is None and (_is_document(source) or kind != "jsonl")
    with as_input_error(source):
        stream = spool_copy(source) if twice and not is_file(source) else open_bytes(source, stdin)
    try:
        with as_input_error(source):
            yield from _rows(source, kind, stream, choices, extra, columns)
    finally:
        if source != "-":
            stream.close()


def _rows(
    source: str, kind: str, stream: BinaryIO, choices: Sequence[Sequence[str]], extra: Sequence[str] | None, columns: Columns
) -> Iterator[Row]:
    if kind == "jsonl":
        rows = _json_rows("stdin" if source == "-" else source, stream, _is_document(source))
        return rename_fields(rows, source, choices, columns)
    if kind == "parquet":
        return _parquet_rows(source, stream, choices, extra, columns)
    return _csv_rows(source, stream, choices, columns)


def _is_document(source: str) -> bool:
    return source.lower().removesuffix(".gz").endswith(".json")


def _json_rows(name: str, stream: BinaryIO, whole: bool = False) -> Iterator[Row]:
    """Yield the rows of JSON lines; if `whole`, the stream may be one JSON value over several lines."""
    rows = _document(name, stream) if whole else None
    for where, row in _line_rows(name, stream) if rows is None else rows:
        if isinstance(row, Mapping) and is_fhir(row):
            yield from ((f"{where}: {place}" if place else where, found) for place, found in reports_of(row))
        else:
            yield where, row


def rename_fields(rows: Iterator[Row], source: str, choices: Sequence[Sequence[str]], columns: Columns) -> Iterator[Row]:
    """Yield rows with their fields renamed to ours. A row that lacks one is unchanged; the caller reports it."""
    known: BoundedDict[tuple[str, ...], Mapping[str, str]] = BoundedDict(_SHAPES)
    told = False
    for where, row in rows:
        if isinstance(row, str) or not choices:
            yield where, row
            continue
        keys = tuple(row)
        if keys not in known:
            try:
                known[keys] = Columns(columns.given, None if told else columns.tell).resolve(source, keys, choices)
                told = True
            except InputError as error:
                if columns.given:
                    raise InputError(str(error).replace(source, where, 1)) from None
                known[keys] = {}
        yield where, {known[keys].get(name, name): value for name, value in row.items()} if known[keys] else row


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values. Raises _TwiceError if a key is duplicated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return found


class _TwiceError(ValueError):
    """A key of a JSON object is duplicated, so its value is ambiguous."""


def _document(name: str, stream: BinaryIO) -> Iterator[Row] | None:
    """Return the rows of a file that is one JSON value over several lines, an object or a list of them; None otherwise. Raises
    InputError if it is too large to read at once, or has a duplicate key."""
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    check_not_foreign(name, data)
    stream.seek(0)
    if len(data) > MAX_DOCUMENT_BYTES or _is_dense(data):
        end = data.find(b"\n", 0, MAX_LINE_BYTES)
        if end < 0 or _is_dense(data[:end]) or not isinstance(_value(data[:end]), dict):
            raise InputError(f"{name}: is one JSON value, too large to read at once; write one object per line (.jsonl)")
        return None
    try:
        found = _value(data)
    except _TwiceError as error:
        raise InputError(f"{name}: the key '{str(error)[:40]}' is duplicated in one object; keep one") from None
    if isinstance(found, list):
        return ((f"{name}:{n}", row if isinstance(row, dict) else _NO_OBJECT) for n, row in enumerate(found, 1))
    return iter([(f"{name}:1", found)]) if isinstance(found, dict) else None


def _value(data: bytes) -> Any:
    """Return a JSON value, None if it cannot be parsed."""
    try:
        return json.loads(data.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=_unique_pairs)
    except _TwiceError:
        raise
    except (ValueError, RecursionError):
        return None


def _is_dense(data: bytes) -> bool:
    """Return whether JSON is designed to exhaust memory: it is long and has almost only small values."""
    return len(data) > _DENSE and 5 * sum(map(data.count, (b",", b"[", b"{"))) > len(data)


def _line_rows(name: str, stream: BinaryIO) -> Iterator[Row]:
    for number, line in _lines(name, stream):
        where = f"{name}:{number}"
        if line is None:
            yield where, f"the line is longer than {MAX_LINE_BYTES:,} bytes; split the report"
            continue
        if not line.strip():
            continue
        try:
            if _is_dense(line):
                raise ValueError
            row = json.loads(line.decode("utf-8"), object_pairs_hook=_unique_pairs)
        except _TwiceError as error:
            yield where, f"the key '{str(error)[:40]}' is duplicated; keep one"
        except UnicodeDecodeError as error:
            yield where, f"the line {NOT_UTF8} (first at byte {error.start + 1})"
        except json.JSONDecodeError as error:
            yield where, f"not JSON ({error.msg.lower()} at character {error.pos + 1}); write one JSON object per line"
        except (ValueError, RecursionError):
            yield where, "the line cannot be parsed as JSON; write one JSON object per line"
        else:
            yield where, row if isinstance(row, dict) else f"the line is {kind_of(row)}; write one JSON object per line"


def _lines(name: str, stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines, numbered from 1, without an opening byte-order mark; None for a line that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            check_not_foreign(name, line)
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            yield number, None
        else:
            yield number, line


def _csv_rows(source: str, stream: BinaryIO, choices: Sequence[Sequence[str]], columns: Columns) -> Iterator[Row]:
    check_not_foreign(source, stream.read(4))
    stream.seek(0)
    csv.field_size_limit(MAX_LINE_BYTES)
    # Bytes that are not UTF-8 become lone surrogates, so that one bad row does not abort the file.
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        # The delimiter is the one that splits the first line into the most columns.
        first = text.readline(MAX_LINE_BYTES)
        delimiter = max(_DELIMITERS, key=lambda one: len(next(csv.reader([first], delimiter=one), [])))
        text.seek(0)
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        header = [name.strip() for name in _next_row(source, reader) or []]
        while len(header) > 1 and not header[-1]:
            header.pop()  # a trailing delimiter is not a column
        names = _columns_of(source, header, choices, columns)
        yield from _cells(source, reader, [names.get(name, name) for name in header])
    finally:
        text.detach()  # the opener of the stream closes it


def _next_row(source: str, reader: Any) -> list[str] | None:
    """Return the cells of the next row, None at the end. Raises InputError if a quote stays open, csv.Error for other faults."""
    line = reader.line_num + 1
    try:
        return next(reader, None)
    except csv.Error as error:
        if "unexpected end" in str(error) or "field larger" in str(error):
            why = "a quote is opened in this row and never closed, so that the rest of the file is one cell"
            raise InputError(f'{source}:{line}: {why}; close it (and write a quote inside a cell as "")') from None
        if line == 1:
            raise InputError(f"{source}: the header is not CSV ({error}); quote its names, or leave quotes out") from None
        raise


def _cells(source: str, reader: Any, header: Sequence[str]) -> Iterator[Row]:
    while True:
        where = f"{source}:{reader.line_num + 1}"
        try:
            row = _next_row(source, reader)
        except csv.Error as error:
            yield where, f"the row is not CSV ({error}); quote fields that hold commas, quotes or line breaks"
            continue
        if row is None:
            return
        if not "".join(row).strip():
            continue  # spreadsheets write empty rows
        if "".join(row[len(header) :]).strip():
            yield where, "the row has more cells than the header; quote fields that hold commas"
        else:
            found = dict(zip(header, row, strict=False))  # a missing cell is a missing field
            wrong = [name for name, cell in zip(header, row, strict=False) if _UNDECODABLE.search(cell)]
            id = None if "id" in wrong else found.get("id")
            yield where, Unusable(f"field '{wrong[0]}' {NOT_UTF8}", id) if wrong else found


def _parquet_rows(
    source: str, stream: BinaryIO, choices: Sequence[Sequence[str]], extra: Sequence[str] | None, columns: Columns
) -> Iterator[Row]:
    """Yield place and mapping of the rows of a Parquet file. Raises InputError if it is not a Parquet file, or lacks a column."""
    asked = {"id", *(extra or ()), *(name for choice in choices for name in choice)}

    def select(names: list[str]) -> Mapping[str, str]:
        fields = {name: name for name in names} | dict(_columns_of(source, names, choices, columns))
        return {name: fields[name] for name in names if extra is None or not choices or fields[name] in asked}

    with temporary_folder() as folder:
        path = Path(source)
        if not path.is_file():  # a pipe, or a file elsewhere
            path = folder / "rows.parquet"
            with path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        yield from ((f"{source}:{number}", row) for number, row in enumerate(read_parquet(path, source, select), 1))


def _columns_of(source: str, names: Sequence[str], choices: Sequence[Sequence[str]], columns: Columns) -> Mapping[str, str]:
    """Return the field for each column with another name. Raises InputError if one is duplicated, missing or ambiguous."""
    if twice := [name for name, count in Counter(names).items() if count > 1 and name]:
        raise InputError(f"{source}: the column '{twice[0][:40]}' is duplicated in the header; remove or rename one")
    return columns.resolve(source, names, choices) if choices else {}
