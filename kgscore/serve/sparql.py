"""SPARQL and SQL from a page: over one run folder, read-only, a few queries at a time, with limits on time and memory.
A query whose client has disconnected is ended.

A query that is invalid, not allowed or too long, or takes too much time or memory, raises QueryError; BusyError is raised if
too many run already or the graph is being built, RunError if the folder cannot be opened.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

from kgscore.errors import BusyError, QueryError
from kgscore.graph.queries import OF_NO_CASE, Answer, SparqlTask, is_ready, make_ready, prepare_query
from kgscore.limited_process import LimitedProcess, Task
from kgscore.results.sql import Frame, SqlTask
from kgscore.serve.settings import Limits
from kgscore.serve.shipped import bind_values

# In these, DuckDB reveals file paths, or runs text that could refer to them unseen.
_OF_THE_HOST = re.compile(
    r"\b(duckdb_(databases|settings|secrets|extensions|temporary_files|logs\w*|log_contexts|external\w*)|(pg|current)_setting\w*"
    r"|(pragma_)?database_list|which_secret|allowed_\w+|\w+_director(y|ies)|json_execute_serialized_sql)\b"
    r"|\bquery(_table)?\"?\s*(\(|/\*|--)",
    re.IGNORECASE,
)


class Queries:
    """The processes that answer queries: a fixed number, reused from one query to the next with the store open. Further
    requests wait, or are rejected. Missing parts of a graph that a query uses are built first."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._processes = [LimitedProcess(limits.memory, limits.answer) for _ in range(limits.at_once)]
        self._free: LifoQueue[LimitedProcess] = LifoQueue()  # the last one used is warm
        for process in self._processes:
            self._free.put(process)
        self._making = threading.Lock()

    def ask(
        self, folder: Path, run: int, text: str, given: Mapping[str, str], rows: int, gone: Callable[[], bool]
    ) -> dict[str, Any]:
        """Return the answer to a SPARQL query: columns and rows (SELECT), truth (ASK), or triples (CONSTRUCT, DESCRIBE). `given`
        holds the values of its parameters; `run` is the run queried. `gone` tells whether the client has disconnected."""
        self._check_length(text)
        self.prepare(folder)
        asked = bind_values(text, given, folder, run)
        query = prepare_query(folder, asked)
        self.prepare(folder, query)
        limits = self._limits
        found: Answer = self._run_task(SparqlTask(folder, query, min(rows, limits.rows), limits.query_seconds), gone)
        return {
            "columns": list(found.columns), "rows": [list(row) for row in found.rows], "truth": found.truth,
            "triples": None if found.triples is None else list(found.triples), "more": found.more,
        }  # fmt: skip

    def sql(self, folder: Path, text: str, rows: int, gone: Callable[[], bool]) -> dict[str, Any]:
        """Return the answer to an SQL query over the tables of a run folder: columns and rows."""
        self._check_length(text)
        if named := _OF_THE_HOST.search(text):
            raise QueryError(f"the query accesses settings of the host ('{named[0]}'); query the tables of the run only")
        limits = self._limits
        found: Frame = self._run_task(SqlTask(folder, text, min(rows, limits.rows), limits.query_seconds, limits.memory), gone)
        return {"columns": found.columns, "rows": found.cells(), "truth": None, "triples": None, "more": found.more}

    def _run_task(self, task: Task, gone: Callable[[], bool]) -> Any:
        try:
            process = self._free.get(timeout=self._limits.waiting)
        except Empty:
            raise BusyError("too many queries are running; try again") from None
        try:
            return process.ask(task, gone)
        finally:
            self._free.put(process)

    def _check_length(self, text: str) -> None:
        if len(text) > self._limits.query_characters:
            raise QueryError(f"the query has more than {self._limits.query_characters:,} characters; shorten it")

    def prepare(self, folder: Path, sparql: str = OF_NO_CASE) -> None:
        """Build the part of a folder's graph that a query uses, if it is missing or outdated."""
        if is_ready(folder, sparql):
            return
        if not self._making.acquire(timeout=self._limits.waiting):
            raise BusyError("the graph is being built from the results; try again shortly")
        try:
            make_ready(folder, sparql=sparql)
        finally:
            self._making.release()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.end()
