"""Runs untrusted tasks, such as queries, in a separate process with limits on time, memory and answer size."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from kgscore.errors import KgscoreError, QueryError
from kgscore.process import PersistentProcess

NO_ROOM = "the query needs more memory than allowed; narrow it, or raise --memory"
_START_SECONDS = 30.0
_LOOK_SECONDS = 0.25
_CPU_SIGNAL = getattr(signal, "SIGXCPU", 0)  # none on Windows


class Task(Protocol):
    """A task for the process: `open_task` prepares it, outside the time limit, and returns an object that answers within
    `seconds`."""

    @property
    def seconds(self) -> float:
        """The time limit of the answer."""

    def open_task(self) -> Callable[[], Any]:
        """Prepare the task and return the object that answers. Raises KgscoreError if the task is invalid."""


class LimitedProcess:
    """A process that runs one task after another. It is ended when a task exceeds its time or its reader has gone; the
    next task then starts it again."""

    def __init__(self, memory: int | None = None, largest: int | None = None) -> None:
        """Set the limits in bytes of the process's memory and of an answer (None: no limit)."""
        self._kept = PersistentProcess(partial(_work, memory=memory, largest=largest))

    def ask(self, task: Task, gone: Callable[[], bool] = lambda: False) -> Any:
        """Return the answer to a task, or end the process and raise; `gone` tells whether the answer is still wanted. Raises
        QueryError if the task exceeds its time or memory, or its answer is no longer wanted; and what the task raises."""
        pipe = self._kept.start()
        answer: object = None
        try:
            pipe.send(task)
            if not _wait_for(pipe, _START_SECONDS + task.seconds, gone):
                raise QueryError("the query process did not start; try again")
            answer = pipe.recv()
            if answer is True:
                answer = None
                if not _wait_for(pipe, task.seconds, gone):
                    raise _time_error(task.seconds)
                answer = pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            if self._kept.exit_code() == -_CPU_SIGNAL:
                raise _time_error(task.seconds) from None
            raise QueryError("the query ended without an answer, perhaps for lack of memory; narrow it") from None
        finally:
            if answer is None:
                self.end()
        if isinstance(answer, KgscoreError):
            raise answer
        return answer

    def end(self) -> None:
        """End the process."""
        self._kept.end()


def ask_once(task: Task, memory: int | None = None) -> Any:
    """Return the answer to a task from a process used once; raises the same errors as `LimitedProcess.ask`."""
    process = LimitedProcess(memory)
    try:
        return process.ask(task)
    finally:
        process.end()


def _time_error(seconds: float) -> QueryError:
    return QueryError(f"the query took longer than {seconds:g} s; narrow it, or raise --timeout")


def _wait_for(pipe: Connection, seconds: float, gone: Callable[[], bool]) -> bool:
    """Wait for data on a pipe; return whether it arrived in time. Raises QueryError if the answer is no longer wanted."""
    until = time.monotonic() + seconds
    while not pipe.poll(max(0.0, min(_LOOK_SECONDS, until - time.monotonic()))):
        if gone():
            raise QueryError("the query was cancelled: its client has disconnected")
        if time.monotonic() >= until:
            return False
    return True


def _work(pipe: Connection, memory: int | None, largest: int | None) -> None:
    """Loop in the child process: prepare a task, acknowledge, answer, wait for the next."""
    _limit("RLIMIT_CORE", 0)  # the memory of a query holds patient data
    if memory is not None:
        _limit("RLIMIT_DATA", memory)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            run = task.open_task()
            pipe.send(True)
            # The parent enforces the time limit; this is the fallback if the parent has died.
            _limit("RLIMIT_CPU", math.ceil(time.process_time() + task.seconds * (os.cpu_count() or 1)) + 1)
            answer = ForkingPickler.dumps(run())
            if largest is not None and len(answer) > largest:
                raise QueryError(f"the answer has more than {largest:,} bytes; ask for fewer or shorter values")
        except (KgscoreError, MemoryError, OSError, ValueError, RuntimeError) as error:
            answer = ForkingPickler.dumps(_as_kgscore_error(error))
        pipe.send_bytes(answer)


def _as_kgscore_error(error: Exception) -> KgscoreError:
    if isinstance(error, MemoryError):
        return QueryError(NO_ROOM)
    return error if isinstance(error, KgscoreError) else QueryError(f"the query cannot be answered: {error}")


def _limit(name: str, most: int) -> None:
    """Set the soft limit of a resource of this process, if the system supports it."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        which = getattr(resource, name)
        resource.setrlimit(which, (most, resource.getrlimit(which)[1]))
