"""Worker processes: forked copies of this one where that is safe, which share what it has loaded."""

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
    """Yield a pool of so many processes, which start preparing with `ready`. Forked ones share what was loaded before. Raises
    RunError if one was killed, or the running script has no `if __name__ == "__main__":`."""
    check_main()
    pool = start_pool(jobs, ready)
    try:
        yield pool
    except BrokenProcessPool:
        raise lost_worker_error() from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def lost_worker_error() -> RunError:
    """Return the error for a worker process that ended without an answer."""
    saved = "(with --output, scored pairs are saved: run the same command again)"
    return RunError(f"a worker process was killed, perhaps for lack of memory; use fewer --jobs {saved}")


def start_pool(jobs: int, ready: Callable[[], object] = os.getpid) -> ProcessPoolExecutor:
    """Return a pool of so many processes, which start preparing with `ready`."""
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("fork" if may_fork() else "spawn"), initializer=_initialise)
    for _ in range(jobs):  # they start on the first task
        pool.submit(ready)
    return pool


def may_fork() -> bool:
    """Return whether this process may be forked: on Linux, while it has one thread, since a child would inherit the locks of
    other threads in a locked state."""
    return sys.platform == "linux" and _TASKS.is_dir() and len(list(_TASKS.iterdir())) == 1


def _initialise() -> None:
    end_with_parent()
    gc.freeze()  # examining memory shared with the parent would copy it
    gc.set_threshold(*COLLECTIONS)
    # Ctrl-C reaches the whole group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def check_main() -> None:
    """Reject starting processes from a script that would be run again by each of them. Raises RunError if the script has no `if
    __name__ == "__main__":`."""
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        plain = script is not None and script.endswith(".py") and b"__name__" not in Path(script).read_bytes()
    except OSError:
        return
    if plain:
        raise RunError(f"{script}: put its code under `if __name__ == '__main__':`; with jobs > 1, each process imports it")
