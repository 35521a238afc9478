"""Duplicate ids in an input of any size: ids are written to one Parquet file per input file and grouped by DuckDB, which
spills to disk if necessary."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet

from kgscore.private_files import scratch

_SCHEMA = pa.schema([("id", pa.string()), ("number", pa.int64()), ("place", pa.string())])
_ROWS = 50_000
_QUERY = """
WITH uses AS (SELECT id, number, place, parse_filename(filename, true)::INTEGER AS file FROM read_parquet(?, filename = true)),
     twice AS (SELECT id, arg_min(place, (file, number)) AS before FROM uses GROUP BY id HAVING count(*) > 1)
SELECT file, number, place, before FROM uses JOIN twice USING (id) WHERE place <> before ORDER BY file, number
"""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A record with a duplicate id: its file and number in it (from 0), its place, and the place of the first use."""

    file: int
    number: int
    place: str
    before: str


class IdFile:
    """Writes the ids of an input file to Parquet."""

    def __init__(self) -> None:
        self._packed = io.BytesIO()
        self._writer = pyarrow.parquet.ParquetWriter(self._packed, _SCHEMA, compression="zstd")
        self._rows: list[tuple[str, int, str]] = []

    def add(self, id: str, number: int, place: str) -> None:
        """Add the id of a record by its number in the file and its place."""
        self._rows.append((id, number, place))
        if len(self._rows) >= _ROWS:
            self._flush()

    def content(self) -> bytes:
        """Finish and return the file."""
        self._flush()
        self._writer.close()
        return self._packed.getvalue()

    def _flush(self) -> None:
        if self._rows:
            columns = map(pa.array, zip(*self._rows, strict=True))
            self._writer.write_table(pa.Table.from_arrays(list(columns), schema=_SCHEMA))
        self._rows = []


def duplicates(files: Iterable[bytes]) -> Iterator[Repeat]:
    """Yield every record whose id was used before, in input order; the files come from `IdFile`."""
    with scratch() as folder:
        paths = []
        for number, content in enumerate(files):
            paths.append(str(Path(folder, f"{number}.parquet")))
            Path(paths[-1]).write_bytes(content)
        if not paths:
            return
        with duckdb.connect(config={"memory_limit": "512MB", "temp_directory": f"{folder}/spilled"}) as connection:
            answer = connection.execute(_QUERY, [paths])
            while rows := answer.fetchmany(1000):
                for row in rows:
                    yield Repeat(*row)
