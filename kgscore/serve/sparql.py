"""SPARQL and SQL from a page: over one run folder, reading only, a few queries at a time, within limits of time and memory.
A query whose reader has gone is ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

from kgscore.errors import BusyError, QueryError
from kgscore.graph.queries import OF_NO_CASE, QueryProcess, checked, is_ready, make_ready
from kgscore.results.sql import ask as ask_tables
from kgscore.serve.settings import Limits
from kgscore.serve.shipped import bound


class Abandoned:
    """Whether the reader of an answer has gone; what answers says how it can be stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gone = False
        self._stop: Callable[[], None] = lambda: None

    def begun(self, stop: Callable[[], None]) -> None:
        """Take what stops the query; it is stopped at once if the reader has gone already."""
        with self._lock:
            self._stop = stop
            gone = self._gone
        if gone:
            stop()

    def leave(self) -> None:
        """Stop what runs for a reader who has gone."""
        with self._lock:
            self._gone = True
            stop = self._stop
        stop()


class Queries:
    """The processes that answer queries: so many at a time, kept from one query to the next with the store open. Whoever comes
    when all are taken waits, or is refused. What a graph lacks that a query can see is made first."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._processes = [QueryProcess(limits.memory) for _ in range(limits.at_once)]
        self._free: LifoQueue[QueryProcess] = LifoQueue()  # the last one used is the one that is warm
        for process in self._processes:
            self._free.put(process)
        self._making = threading.Lock()

    def ask(
        self, folder: Path, run: int, text: str, given: Mapping[str, str], rows: int, reader: Abandoned
    ) -> dict[str, Any]:
        """Return the answer to a SPARQL query: columns and rows (SELECT), truth (ASK), or triples (CONSTRUCT, DESCRIBE). `given`
        holds the values of its parameters; `run` is the run it is asked for.

        Raises:
            QueryError: the query is wrong, not allowed, too long, or takes too much time or memory.
            BusyError: too many run already, or the graph is being made.
            RunError: the folder has no graph.
        """
        self._short(text)
        self.prepare(folder)
        asked = bound(text, given, folder, run)
        self.prepare(folder, checked(folder, asked))
        with self._turn() as process:
            reader.begun(process.abandon)
            try:
                found = process.query(folder, asked, limit=min(rows, self._limits.rows), seconds=self._limits.query_seconds)
            finally:
                reader.begun(lambda: None)
        return {
            "columns": list(found.columns), "rows": [list(row) for row in found.rows], "truth": found.truth,
            "triples": None if found.triples is None else list(found.triples), "more": found.more,
        }  # fmt: skip

    def sql(self, folder: Path, text: str, rows: int, reader: Abandoned) -> dict[str, Any]:
        """Return the answer to an SQL query over the tables of a run folder: columns and rows.

        Raises:
            QueryError: the query is wrong, not allowed, too long, or takes too much time or memory.
            BusyError: too many run already.
            RunError: the folder cannot be opened.
        """
        self._short(text)
        limits = self._limits
        with self._turn():
            try:
                answer = ask_tables(
                    folder, text, limit=min(rows, limits.rows), seconds=limits.query_seconds, memory=limits.memory,
                    begun=reader.begun,
                )  # fmt: skip
            finally:
                reader.begun(lambda: None)
        listed = [list(row.values()) for row in answer.rows()]
        return {"columns": answer.arrow.column_names, "rows": listed, "truth": None, "triples": None, "more": answer.more}

    def _short(self, text: str) -> None:
        if len(text) > self._limits.query_characters:
            raise QueryError(f"the query has more than {self._limits.query_characters:,} characters; shorten it")

    def prepare(self, folder: Path, sparql: str = OF_NO_CASE) -> None:
        """Make what a query can see of the graph of a folder, if it is not there or has fallen behind.

        Raises:
            BusyError: a graph is being made. RunError: it cannot be made.
        """
        if is_ready(folder, sparql):
            return
        if not self._making.acquire(timeout=self._limits.waiting):
            raise BusyError("the graph is being made from the results; try again in a moment")
        try:
            make_ready(folder, sparql=sparql)
        finally:
            self._making.release()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.end()

    @contextmanager
    def _turn(self) -> Iterator[QueryProcess]:
        try:
            process = self._free.get(timeout=self._limits.waiting)
        except Empty:
            raise BusyError("too many queries run at the moment; try again") from None
        try:
            yield process
        finally:
            self._free.put(process)
