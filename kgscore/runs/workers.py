"""Processes that work beside this one: copies of it where that is safe, so that what it has loaded is theirs at once."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from kgscore.errors import RunError
from kgscore.process import COLLECTIONS, end_with_parent

_TASKS = Path("/proc/self/task")  # a folder for each thread, on Linux


@contextmanager
def workers(jobs: int, ready: Callable[[], object] = os.getpid) -> Iterator[ProcessPoolExecutor]:
    """Give so many processes, which have begun to make themselves `ready`. What is loaded before is there in copies of this one.

    Raises:
        RunError: one was ended from outside; or the script that runs has no `if __name__ == "__main__":`.
    """
    check_main()
    pool = started(jobs, ready)
    try:
        yield pool
    except BrokenProcessPool:
        raise lost_worker_error() from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def lost_worker_error() -> RunError:
    """Return the error that says that a worker process has ended without an answer."""
    return RunError(
        "a worker process was ended from outside, perhaps for lack of memory; use fewer --jobs"
        " (with --output, what was scored is kept: run the same command again)"
    )


def started(jobs: int, ready: Callable[[], object] = os.getpid) -> ProcessPoolExecutor:
    """Return so many processes, which have begun to make themselves `ready`."""
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("fork" if may_fork() else "spawn"), initializer=_begin)
    for _ in range(jobs):  # they begin when they are first asked for something
        pool.submit(ready)
    return pool


def may_fork() -> bool:
    """Return whether this process may be copied: on Linux, while it has one thread: a copy would hold the locks of others
    for ever."""
    return sys.platform == "linux" and _TASKS.is_dir() and len(list(_TASKS.iterdir())) == 1


def _begin() -> None:
    """Make a worker process ready."""
    end_with_parent()
    gc.freeze()  # to look at what is shared with the parent would copy it
    gc.set_threshold(*COLLECTIONS)
    # Ctrl-C reaches the whole group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def check_main() -> None:
    """Refuse to start processes from a script that would run again in each of them.

    Raises:
        RunError: the script has no `if __name__ == "__main__":`.
    """
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        plain = script is not None and script.endswith(".py") and b"__name__" not in Path(script).read_bytes()
    except OSError:
        return
    if plain:
        raise RunError(f"{script}: put what it does under `if __name__ == '__main__':`; with jobs > 1, each process imports it")
