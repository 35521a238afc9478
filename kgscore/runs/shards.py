"""Shards: what each partition comes to, in a folder of its own kind of files.

    run.json                        what the run is: key, number, settings
    TABLE/part-000012.parquet       rows of each table of the run (docs/results.md)
    graph/part-000012.nq.gz         what the graph says about its cases, N-Quads, where that was asked for
    done/part-000012.json           written last: the partition is whole
    tries/part-000012.1             a worker began; those without an end lost their worker
"""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from kgscore.errors import RunError
from kgscore.results.layout import OF_A_CASE, Batches, RunKey, RunModule, as_parquet, of_parquet
from kgscore.runs.partitions import IDS
from kgscore.runs.storage import Folder

LAYOUT = 1
_RUN, _DONE, _TRIES, _GRAPH = "run.json", "done", "tries", "graph"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a folder of shards is of: the run's key and number, the settings it is scored with, and how the input is cut."""

    key: RunKey
    run: int
    modules: tuple[str, ...]
    graph: bool
    size: int
    partitions: int

    def as_json(self) -> bytes:
        """Return it as it stands in `run.json`."""
        return json.dumps({"layout": LAYOUT, **asdict(self)}, indent=1, sort_keys=True, ensure_ascii=False).encode()

    @classmethod
    def of(cls, text: bytes) -> Sheet:
        """Return what `run.json` says.

        Raises:
            ValueError: it is not of this layout.
        """
        found: dict[str, Any] = json.loads(text)
        if found.pop("layout", None) != LAYOUT:
            raise ValueError("another layout")
        key = found.pop("key")
        modules = tuple(RunModule(**module) for module in key["modules"])
        run_key = RunKey(**{**key, "metrics": tuple(key["metrics"]), "modules": modules})
        return cls(**{**found, "key": run_key, "modules": tuple(found["modules"])})


@dataclass(frozen=True, slots=True)
class Whole:
    """What is said of a partition whose shards are there: the position of its first record, how many it has, the tables that
    have rows of it, and whether it was given up because it ended its workers."""

    first: int
    records: int
    tables: Sequence[str]
    lost: bool


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of a run, by the URL of their folder."""

    folder: Folder

    def begin(self, sheet: Sheet, *, anew: bool = False) -> None:
        """Say what the shards are of. Those of the same run go on; those of another are removed if `anew`.

        Raises:
            RunError: the folder holds another run, or cannot be written.
        """
        found = self.folder.read(_RUN)
        if found not in (None, sheet.as_json()):
            if not anew:
                raise RunError(f"{self.folder.url}: holds shards of another run; choose another folder, or remove it")
            for name in (_RUN, _DONE, _GRAPH, *OF_A_CASE):
                self.folder.remove(name)
        self.folder.write(_RUN, sheet.as_json())
        self.folder.remove(_TRIES)

    def sheet(self) -> Sheet:
        """Return what the shards are of.

        Raises:
            RunError: there are none, or another version of kgscore wrote them.
        """
        found = self.folder.read(_RUN)
        if found is None:
            raise RunError(f"{self.folder.url}: holds no shards; make them with: kgscore score PAIRS --engine dask --shards URL")
        try:
            return Sheet.of(found)
        except (ValueError, KeyError, TypeError):
            raise RunError(f"{self.folder.url}: written by another version of kgscore; score the pairs again") from None

    def made(self, sheet: Sheet) -> list[str]:
        """Return the names of all partitions of the run, in order.

        Raises:
            RunError: some are not whole yet.
        """
        names = self.done()
        if len(names) != sheet.partitions:
            raise RunError(
                f"{self.folder.url}: {sheet.partitions - len(names)} of {sheet.partitions} partitions are missing;"
                " run kgscore score again with the same --shards"
            )
        return names

    def done(self) -> list[str]:
        """Return the names of the partitions that are whole, in order."""
        return [name.removesuffix(".json") for name in self.folder.names(_DONE) if name.endswith(".json")]

    def is_done(self, name: str) -> bool:
        """Return whether a partition is whole."""
        return self.folder.read(f"{_DONE}/{name}.json") is not None

    def whole(self, name: str) -> Whole:
        """Return what is said of a partition that is whole.

        Raises:
            RunError: it is not.
        """
        return Whole(**json.loads(self._file(name, f"{_DONE}/{name}.json")))

    @contextmanager
    def attempt(self, name: str) -> Iterator[int]:
        """Note that this process works on a partition, and give how many did so before and were lost: a note stays only if the
        process ends while it works.

        Raises:
            RunError: it cannot be noted.
        """
        before = sum(one.startswith(f"{name}.") and not one.endswith(".tmp") for one in self.folder.names(_TRIES))
        note = f"{_TRIES}/{name}.{before + 1}"
        self.folder.write(note, f"{socket.gethostname()} {os.getpid()}".encode())
        try:
            yield before
        finally:
            self.folder.remove(note)

    def write(
        self, name: str, first: int, tables: Batches, *, lost: bool = False, graph_of: int | None = None
    ) -> None:
        """Write a partition: its files, each whole or not at all, then that it is done. With
        `graph_of`, the number of the run, what its graph says about them is written too.

        Raises:
            RunError: it cannot be written.
        """
        whole = Whole(first, tables["cases"].num_rows, list(tables), lost)
        for table, rows in tables.items():
            self.folder.write(f"{table}/{name}.parquet", as_parquet(rows))
        if graph_of is not None:
            self.folder.write(f"{_GRAPH}/{name}.nq.gz", _graph(tables, graph_of, first, first + whole.records))
        self.folder.write(f"{_DONE}/{name}.json", json.dumps(asdict(whole)).encode())

    def read(self, name: str, *, only: Sequence[str] = ()) -> Batches:
        """Return the rows of a partition that is done, `only` of some tables if they are named.

        Raises:
            RunError: a file is missing or damaged.
        """
        whole = self.whole(name)
        wanted = [table for table in OF_A_CASE if table in whole.tables and (not only or table in only)]
        try:
            tables = {table: of_parquet(self._file(name, f"{table}/{name}.parquet")) for table in wanted}
        except (OSError, EOFError, ValueError) as error:
            raise self._damaged(name, type(error).__name__) from None
        if tables["cases"].num_rows != whole.records:
            raise self._damaged(name, f"{tables['cases'].num_rows} records of {whole.records}")
        return tables

    def tidy(self) -> None:
        """Remove what only the making needed, files that a lost worker left included."""
        for name in (_TRIES, IDS):
            self.folder.remove(name)
        for below in (*OF_A_CASE, _GRAPH, _DONE):
            for name in self.folder.names(below):
                if name.endswith(".tmp"):
                    self.folder.remove(f"{below}/{name}")

    def _file(self, name: str, file: str) -> bytes:
        found = self.folder.read(file)
        if found is None:
            raise self._damaged(name, "FileNotFoundError")
        return found

    def _damaged(self, name: str, what: str) -> RunError:
        where = f"{self.folder.url}/{_DONE}/{name}.json"
        return RunError(f"{self.folder.url}: the shards of {name} are damaged ({what}); remove {where} and score again")


def _graph(tables: Batches, run: int, first: int, last: int) -> bytes:
    from kgscore.graph.building import lines_of

    zipped = io.BytesIO()
    # No time in the file: equal texts are equal files.
    with gzip.GzipFile("", "wb", compresslevel=1, fileobj=zipped, mtime=0) as stream:
        for text in lines_of(tables, run, first, last):
            stream.write(text.encode())
    return zipped.getvalue()
