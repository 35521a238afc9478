"""SPARQL from a page: over the graph of one run folder, reading only, a few queries at a time, within limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

from kgscore.errors import QueryError
from kgscore.graph.queries import QueryProcess, make_ready
from kgscore.serve.settings import Limits
from kgscore.serve.shipped import bound


class Queries:
    """The processes that answer queries: so many at a time, kept from one query to the next with the store open. Whoever comes
    when all are taken waits, or is refused. A graph that is not there yet is made first."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._processes = [QueryProcess() for _ in range(limits.at_once)]
        self._free: LifoQueue[QueryProcess] = LifoQueue()  # the last one used is the one that is warm
        for process in self._processes:
            self._free.put(process)
        self._making = threading.Lock()

    def ask(self, folder: Path, run: int, text: str, given: Mapping[str, str], rows: int) -> dict[str, Any]:
        """Return the answer to a query: columns and rows (SELECT), truth (ASK), or triples (CONSTRUCT, DESCRIBE). `given` holds
        the values of its parameters; `run` is the run it is asked for.

        Raises:
            QueryError: the query is wrong, not allowed, too long, takes too much time, or too many run already.
            RunError: the folder has no graph.
        """
        limits = self._limits
        if len(text) > limits.query_characters:
            raise QueryError(f"the query has more than {limits.query_characters:,} characters; shorten it")
        self.prepare(folder)
        with self._turn() as process:
            asked = bound(text, given, folder, run)
            found = process.query(folder, asked, limit=min(rows, limits.rows), seconds=limits.query_seconds)
        return {
            "columns": list(found.columns), "rows": [list(row) for row in found.rows], "truth": found.truth,
            "triples": None if found.triples is None else list(found.triples), "more": found.more,
        }  # fmt: skip

    def prepare(self, folder: Path) -> None:
        """Make the graph of a folder, if it is not there or has fallen behind.

        Raises:
            QueryError: it is being made. RunError: it cannot be made.
        """
        if not self._making.acquire(timeout=self._limits.waiting):
            raise QueryError("the graph is being made from the results; try again in a moment")
        try:
            make_ready(folder)
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
            raise QueryError("too many queries run at the moment; try again") from None
        try:
            yield process
        finally:
            self._free.put(process)
