"""Partitions of the input: runs of records that a worker scores as one, cut the same way whoever scores them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, BinaryIO, cast

from kgscore.io.formats import Row, json_rows, parquet_rows
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, identity, records_of
from kgscore.results.duplicate_ids import IdFile, duplicates
from kgscore.runs.storage import Folder, Input

PARTITION = 2_000  # records
IDS = "ids"


@dataclass(frozen=True, slots=True)
class RowCut:
    """A stretch of a file: `start` and `stop` are bytes of JSON lines or rows of Parquet, `line` is the number of its first
    line, `first` the number of its first record in the file (from 0), `records` how many it holds."""

    start: int
    stop: int
    line: int
    first: int
    records: int


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file by its number in the input, the hash of its bytes, and how it is cut."""

    number: int
    input: Input
    digest: str
    cuts: tuple[RowCut, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """Records that a worker scores as one: its number, the position of the first in the whole input, where they are, and for
    each whose id came before, where that was."""

    number: int
    first: int
    input: Input
    cut: RowCut
    repeats: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of its shards.

        >>> Partition(7, 0, Input("a.jsonl", "a.jsonl"), RowCut(0, 0, 1, 0, 0), {}).name
        'part-000007'
        """
        return f"part-{self.number:06}"


def plan_file(input: Input, number: int, size: int, shards: Folder) -> FilePlan:
    """Return how a file is cut into partitions of `size` records. Its ids go to the shards' folder, for those that come twice.

    Raises:
        InputError: the file cannot be read.
        RunError: the ids cannot be written.
    """
    ids, input = IdFile(), input.marked()
    with input.opened() as stream:
        cuts, digest = (_parquet_cuts if input.is_parquet else _line_cuts)(input, stream, size, ids)
    shards.write(f"{IDS}/{number:06}.parquet", ids.content())
    return FilePlan(number, input, digest, tuple(cuts))


def partitions_of(plans: Sequence[FilePlan], shards: Folder | None = None) -> Iterator[Partition]:
    """Yield the partitions of all files in their order; without the shards' folder, they do not know which ids came before.

    Raises:
        RunError: the ids cannot be read.
    """
    repeats = duplicates(shards.read(f"{IDS}/{plan.number:06}.parquet") or b"" for plan in plans if shards)
    ahead = next(repeats, None)
    number = first = 0
    for plan in plans:
        for cut in plan.cuts:
            mine = {}
            while ahead is not None and (ahead.file, ahead.number) < (plan.number, cut.first + cut.records):
                mine[ahead.place] = ahead.before
                ahead = next(repeats, None)
            yield Partition(number, first, plan.input, cut, mine)
            number += 1
            first += cut.records


def records_in(partition: Partition) -> Iterator[Record | BadRecord]:
    """Yield the records of a partition, as the whole input would yield them.

    Raises:
        InputError: the file cannot be read.
    """
    yield from records_of(_rows(partition), (PAIR_FIELDS,), _Before(partition.repeats), extra=None)


@dataclass(frozen=True, slots=True)
class _Before:
    """Where ids were used first: here, but for those that the plan found in front of it."""

    places: Mapping[str, str]

    def setdefault(self, key: str, default: str, /) -> str:
        return self.places.get(default, default)


def _rows(partition: Partition) -> Iterator[Row]:
    input, cut = partition.input, partition.cut
    with input.opened() as stream:
        if input.is_parquet:
            yield from parquet_rows(
                input.name, cast(BinaryIO, stream), (PAIR_FIELDS,), None, start=cut.start, stop=cut.start + cut.records
            )
        else:
            stream.seek(cut.start)
            data = stream.read(cut.stop - cut.start)
            yield from json_rows(input.name, BytesIO(data), first=cut.line)


class _Read:
    """A stream that knows the hash of what was read of it, and how far that goes in bytes and lines."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._sha = hashlib.sha256()
        self.bytes = 0
        self.lines = 0

    def readline(self, size: int = -1) -> bytes:
        line = self._stream.readline(size)
        self._sha.update(line)
        self.bytes += len(line)
        self.lines += line.endswith(b"\n")
        return line

    @property
    def digest(self) -> str:
        return self._sha.hexdigest()


def _line_cuts(input: Input, stream: IO[bytes], size: int, ids: IdFile) -> tuple[list[RowCut], str]:
    """A line may hold several records (FHIR): they stay together."""
    read = _Read(stream)
    cuts: list[RowCut] = []
    start = first = records = 0
    line, end = 1, (0, 0)
    for where, row in json_rows(input.name, cast(BinaryIO, read)):
        here = (read.bytes, read.lines)
        if records >= size and here != end:
            cuts.append(RowCut(start, end[0], line, first, records))
            start, line, first, records = end[0], end[1] + 1, first + records, 0
        _note(where, row, first + records, ids)
        records += 1
        end = here
    if records:
        cuts.append(RowCut(start, end[0], line, first, records))
    return cuts, read.digest


def _parquet_cuts(input: Input, stream: IO[bytes], size: int, ids: IdFile) -> tuple[list[RowCut], str]:
    rows = 0
    for where, row in parquet_rows(input.name, cast(BinaryIO, stream), (PAIR_FIELDS,), (), only=("id",)):
        _note(where, row, rows, ids)
        rows += 1
    stream.seek(0)
    digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
    return [RowCut(at, min(at + size, rows), at + 1, at, min(size, rows - at)) for at in range(0, rows, size)], digest


def _note(where: str, row: Mapping[str, object] | str, number: int, ids: IdFile) -> None:
    if not isinstance(row, str):
        found = identity(where, row, {}, "id")
        if isinstance(found, str):
            ids.add(found, number, where)


def names_of(inputs: Iterable[Input]) -> str:
    """Return what a run's input is called: the file, or the first and how many more."""
    first, *more = [one.name for one in inputs]
    return first if not more else f"{first} and {len(more)} more"
