"""A limit on the time of a piece of work. Python code that exceeds it is interrupted, in any thread."""

from __future__ import annotations

import _thread
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TypeVar

_TICK = 1.0  # seconds between checks of the clock, at most

T = TypeVar("T")


class TimeLimitError(BaseException):
    """The time limit was exceeded. Not an `Exception`, which the interrupted work might catch."""


class Limit:
    """A limit in seconds (None: no limit) on each work passed to `run` while the limit is open (`with`), in one thread.

    In the main thread, a timer interrupts the work, even inside a regular expression. In other threads, on Windows, or if the
    program itself uses SIGALRM, a watcher thread does, as soon as a call into C code returns. Neither exists outside `with`."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._until = inf
        self._thread = threading.get_ident()
        self._raising = self._raised = False
        self._end = _thread.allocate_lock()
        self._timed = False

    def __enter__(self) -> Limit:
        if self.seconds is not None:
            tick = min(_TICK, max(self.seconds / 10, 0.01))
            self._timed = _timer_is_free()
            if self._timed:
                signal.signal(signal.SIGALRM, self._on_alarm)
                signal.setitimer(signal.ITIMER_REAL, tick, tick)
            else:
                self._end.acquire()
                with suppress(RuntimeError):  # # no thread can be started here: late work is still reported
                    _thread.start_new_thread(self._watch, (tick,))
        return self

    def __exit__(self, *_: object) -> None:
        if self._timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        elif self.seconds is not None:
            self._end.release()

    def run(self, work: Callable[[], T]) -> T:
        """Run the work and return its result. Raises TimeLimitError if it exceeded the limit."""
        if self.seconds is None:
            return work()
        until = time.monotonic() + self.seconds
        try:
            try:
                self._until = until
                found = work()
            finally:
                self._wait_for_pending()
        except TimeLimitError:  # may have been raised while stopping the watch
            self._wait_for_pending()
            raise
        if time.monotonic() > until:
            raise TimeLimitError
        return found

    def _wait_for_pending(self) -> None:
        """Raise nothing until the next work starts."""
        while True:
            with suppress(TimeLimitError):
                self._until = inf
                while self._raising:
                    time.sleep(0)
                if self._raised:
                    _raise_in(self._thread, None)
                    self._raised = False
                return

    def _on_alarm(self, *_: object) -> None:
        if time.monotonic() > self._until:
            raise TimeLimitError

    def _watch(self, tick: float) -> None:
        while not self._end.acquire(timeout=tick):
            self._raising = True  # set before reading the clock, so that `_wait_for_pending` waits for it
            if time.monotonic() > self._until:
                self._raised = True
                _raise_in(self._thread, TimeLimitError)
            self._raising = False


def attempt(limit: Limit, work: Callable[[], T], failed: Callable[[str], T]) -> T:
    """Return the result of the work on a record, or of `failed` with the reason, if it exceeds the time limit or the memory
    or recursion depth available."""
    try:
        return limit.run(work)
    except TimeLimitError:
        return failed(f"not done after {limit.seconds:g} s, the limit for a record; raise the limit, or shorten the texts")
    except (RecursionError, MemoryError) as error:
        lack = "memory" if isinstance(error, MemoryError) else "recursion"
        return failed(f"takes more {lack} than there is ({place_of(error)}); shorten the texts")


def place_of(error: BaseException) -> str:
    """Return the type of the error and the kgscore line that raised it, without the message, which may quote a report."""
    frames = [*traceback.walk_tb(error.__traceback__)][-1:]
    places = [f" at {Path(frame.f_code.co_filename).name}:{line}" for frame, line in frames]
    return type(error).__name__ + "".join(places)


def _timer_is_free() -> bool:
    """Return whether this is the main thread and the process's timer is unused."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread when it next runs Python code; None cancels a pending one."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error and ctypes.py_object(error))
