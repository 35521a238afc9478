"""A process that is kept from one task to the next, and can be ended at any time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class KeptProcess:
    """Runs `work` on one end of a pipe. It is started when it is first asked for, and again after it was ended or died."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        self._work = work
        self._process: Any = None
        self._pipe: Connection | None = None

    def started(self) -> Connection:
        """Return this end of the pipe to the process, started if it does not run."""
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self.end()
            context = multiprocessing.get_context("spawn")
            self._pipe, there = context.Pipe()
            self._process = context.Process(target=self._work, args=(there,), daemon=True)
            self._process.start()
            there.close()
        return self._pipe

    def exit_code(self) -> int | None:
        """Return what the process ended with, a negative signal number where a signal ended it; None while it runs."""
        if self._process is None:
            return None
        self._process.join(1)
        code: int | None = self._process.exitcode
        return code

    def end(self) -> None:
        """End the process, whatever it is at."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None
