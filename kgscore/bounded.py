"""A limit on the time that work may take. Python code that is past it is ended, in whatever thread it runs."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

_AGAIN = 1.0  # seconds until work that goes on in spite of the exception is given it again

T = TypeVar("T")


class PastLimitError(BaseException):
    """The time is up. Not an `Exception`, which the work may well catch and go on."""


def within(seconds: float | None, work: Callable[[], T]) -> T:
    """Return what the work returns; None is no limit.

    A timer ends it in the main thread, inside a regular expression too. Elsewhere (in other threads, on Windows, or where the
    program uses SIGALRM itself), a second thread does, as soon as a call into C code returns.

    Raises:
        PastLimitError: it took longer.
    """
    if seconds is None:
        return work()
    watch: _Watch = _Timer() if _timer_is_free() else _Guard()
    try:
        try:
            watch.start(seconds)
            return work()
        finally:
            watch.stop()
    except PastLimitError:  # which may have come while the watch was stopped
        watch.stop()
        raise


def attempt(seconds: float | None, work: Callable[[], T], failed: Callable[[str], T]) -> T:
    """Return what the work on a record comes to; what `failed` makes of the reason, if it takes longer than so many seconds, or
    more memory or a deeper recursion than there is."""
    try:
        return within(seconds, work)
    except PastLimitError:
        return failed(f"not done after {seconds:g} s, the limit for a record; raise the limit, or shorten the texts")
    except (RecursionError, MemoryError) as error:
        lack = "memory" if isinstance(error, MemoryError) else "recursion"
        return failed(f"takes more {lack} than there is ({place_of(error)}); shorten the texts")


def place_of(error: BaseException) -> str:
    """Return the kind of error and the line of ours that raised it, without the message, which may quote a report."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


class _Watch(Protocol):
    def start(self, seconds: float) -> None:
        """Raise the exception in this thread after so many seconds, and again until `stop`."""

    def stop(self) -> None:
        """Raise nothing from now on. To stop twice is no error."""


def _timer_is_free() -> bool:
    """Whether this is the main thread, and nothing in this process uses its timer."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


class _Timer:
    def start(self, seconds: float) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _ring(self, *_: object) -> None:
        raise PastLimitError


class _Guard:
    def __init__(self) -> None:
        self._watched = threading.get_ident()
        self._raising = threading.RLock()
        self._end = _thread.allocate_lock()

    def start(self, seconds: float) -> None:
        self._end.acquire()
        with suppress(RuntimeError):  # no thread can be started here: there is no limit
            _thread.start_new_thread(self._watch, (seconds,))

    def stop(self) -> None:
        self._raising.acquire()  # and never released
        _raise_in(self._watched, None)
        with suppress(RuntimeError):
            self._end.release()

    def _watch(self, seconds: float) -> None:
        while not self._end.acquire(timeout=seconds) and self._raising.acquire(blocking=False):
            _raise_in(self._watched, PastLimitError)
            self._raising.release()
            seconds = _AGAIN


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread when it next runs Python code; None takes back one that was not raised yet."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error and ctypes.py_object(error))
