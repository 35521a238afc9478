"""SPARQL from a page: over the graph of one run folder, reading only, a few queries at a time, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from kgscore.errors import QueryError
from kgscore.graph.queries import query
from kgscore.serve.settings import Limits
from kgscore.serve.shipped import bound


class Queries:
    """The queries that run at a time are limited; the rest wait, or are refused."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = BoundedSemaphore(limits.at_once)

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
        with self._turn():
            found = query(folder, bound(text, given, folder, run), limit=min(rows, limits.rows), seconds=limits.query_seconds)
        return {
            "columns": list(found.columns), "rows": [list(row) for row in found.rows], "truth": found.truth,
            "triples": None if found.triples is None else list(found.triples), "more": found.more,
        }  # fmt: skip

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._free.acquire(timeout=self._limits.waiting):
            raise QueryError("too many queries run at the moment; try again")
        try:
            yield
        finally:
            self._free.release()
