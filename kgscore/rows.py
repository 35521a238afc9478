"""Rows of files that users bring, one at a time: JSON lines, JSON, CSV, Parquet, FHIR. A bad row is named; the rest goes on."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from kgscore.errors import InputError
from kgscore.fhir import is_fhir, reports_of

MAX_LINE_BYTES = 16_000_000
MAX_DOCUMENT_BYTES = 512_000_000  # of a .json file that is not one object a line
KINDS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet",
}
NOT_UTF8 = "is not UTF-8 text; save the file as UTF-8"
_NO_OBJECT = "the item of the list is no object; give a list of objects"

Row = tuple[str, Mapping[str, Any] | str]  # place, and the mapping or the reason why there is none


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
        raise InputError(f"{source}: cannot be read ({why(error)}); check the path and its permissions") from None


def kind_of(value: object) -> str:
    """Return what a value of JSON is, in words."""
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", bytes: "bytes"}
    return names.get(type(value), f"of type {type(value).__name__}")


def why(error: OSError) -> str:
    """Return why a file cannot be opened or read."""
    return (error.strerror or type(error).__name__).lower()


def refuse_utf16(source: str, head: bytes) -> None:
    """Raise an InputError if a file begins as UTF-16 does."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{source}: is UTF-16; save the file as UTF-8")


def file_rows(
    source: str, choices: Sequence[Sequence[str]], stdin: BinaryIO | None, extra: Sequence[str] | None = ()
) -> Iterator[Row]:
    """Yield place and mapping (or what is wrong) of every row of a JSONL, CSV or Parquet file (`-`: JSON lines from standard
    input). A CSV or Parquet file must have the columns of one of `choices`; of Parquet, only those and `extra` are read.

    Raises:
        InputError: the file as a whole cannot be read, or is of no known kind.
    """
    kind = "jsonl" if source == "-" else KINDS.get(Path(source).suffix.lower())
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
        raise InputError(f"{source}: cannot be read ({why(error)}); check the path and its permissions") from None
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
    refuse_utf16(name, data)
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
            yield where, f"the line {NOT_UTF8} (first at byte {error.start + 1})"
        except json.JSONDecodeError as error:
            yield where, f"the line is not JSON ({error.msg.lower()} at character {error.pos + 1}); write one JSON object a line"
        except (ValueError, RecursionError):
            yield where, "the line is not JSON that can be read; write one JSON object a line"
        else:
            yield where, row if isinstance(row, dict) else f"the line is {kind_of(row)}; write one JSON object a line"


def _lines(name: str, stream: BinaryIO, first: int = 1) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines, numbered from `first`, without an opening byte-order mark; None stands for a line that is too long."""
    number = first - 1
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            refuse_utf16(name, line)
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            yield number, None
        else:
            yield number, line


def _csv_rows(source: str, stream: BinaryIO, choices: Sequence[Sequence[str]], delimiter: str) -> Iterator[Row]:
    refuse_utf16(source, stream.read(2))
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
