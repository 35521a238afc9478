"""Settings of a scoring process, and child processes that end with their parent and may be reused between tasks."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

COLLECTIONS = (20_000, 50, 10)


@contextmanager
def few_collections() -> Iterator[None]:
    """Run the garbage collector less often, and on new objects only: scoring creates almost no reference cycles, and collection
    takes up to a fifth of the time. Thresholds that are already higher, a disabled collector, and objects that the caller has
    frozen are left unchanged."""
    before = gc.get_threshold()
    if not 0 < before[0] < COLLECTIONS[0]:
        yield
        return
    frozen = gc.get_freeze_count()
    if not frozen:
        gc.collect(1)  # what is young garbage now would else be kept for long
        gc.freeze()
    gc.set_threshold(*COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


def end_with_parent() -> None:
    """End this process when its parent has ended, even if the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True, name="end with parent").start()


def _run(work: Callable[[Connection], None], pipe: Connection) -> None:
    end_with_parent()
    work(pipe)


class PersistentProcess:
    """Runs `work` on one end of a pipe in a child process, which is started on first use and after it has ended."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        self._work = work
        self._process: Any = None
        self._pipe: Connection | None = None

    def start(self) -> Connection:
        """Return this end of the pipe to the process, starting it if necessary."""
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self.end()
            context = multiprocessing.get_context("spawn")
            self._pipe, there = context.Pipe()
            self._process = context.Process(target=_run, args=(self._work, there), daemon=True)
            self._process.start()
            there.close()
        return self._pipe

    def exit_code(self) -> int | None:
        """Return the exit code of the process, a negative signal number if a signal ended it; None while it runs."""
        if self._process is None:
            return None
        self._process.join(1)
        return self._process.exitcode  # type: ignore[no-any-return]

    def end(self) -> None:
        """End the process immediately."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None
