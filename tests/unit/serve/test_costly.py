"""Queries that would take hours or all memory, in `costly.sql` and `costly.rq`: each ends within its limits. A few of them run
always, all of them where KGSCORE_COSTLY is set."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kgscore.errors import QueryError
from kgscore.graph.queries import SparqlTask, make_ready, prepare_query
from kgscore.limited_process import LimitedProcess, Task
from kgscore.results.sql import SqlTask
from tests.unit.serve.conftest import peak_memory

pytest.importorskip("resource", reason="this system sets no limits to processes")

SECONDS, MEMORY, LARGEST = 0.5, 600_000_000, 2_000_000
ALWAYS = (0, 1, 2)  # lines of each file


def lines(name: str) -> list[str]:
    all_ = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return all_ if os.environ.get("KGSCORE_COSTLY") else [all_[at] for at in ALWAYS]


@pytest.fixture(scope="module")
def process() -> Iterator[LimitedProcess]:
    made = LimitedProcess(MEMORY, LARGEST)
    yield made
    made.end()


def ends_within_its_limits(process: LimitedProcess, task: Task) -> None:
    pipe = process._kept.start()  # the start is not measured
    assert pipe is not None
    peaks, ended = [0], threading.Event()
    watch = threading.Thread(target=watch_memory, args=(process._kept._process.pid, peaks, ended))
    watch.start()
    began = time.monotonic()
    with suppress(QueryError):
        process.ask(task)
    assert time.monotonic() - began < 20  # the start of the process, on a busy machine
    ended.set()
    watch.join()
    assert max(peaks) < 2 * MEMORY


def watch_memory(pid: int, peaks: list[int], ended: threading.Event) -> None:
    """Append the most memory that a process has had so far, in bytes, until it or the question has ended."""
    while not ended.wait(0.01) and (peak := peak_memory(pid)):
        peaks.append(peak)


@pytest.mark.parametrize("text", lines("costly.sql"))
def test_costly_sql_ends_within_its_limits(folders: tuple[Path, ...], process: LimitedProcess, text: str) -> None:
    ends_within_its_limits(process, SqlTask(folders[0], text, 100, SECONDS, MEMORY))


@pytest.mark.parametrize("text", lines("costly.rq"))
def test_costly_sparql_ends_within_its_limits(folders: tuple[Path, ...], process: LimitedProcess, text: str) -> None:
    make_ready(folders[0])
    ends_within_its_limits(process, SparqlTask(folders[0], prepare_query(folders[0], text), 100, SECONDS))
