"""A progress bar on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")
_EVERY = 0.1  # seconds


def with_progress(results: Iterable[_T], wanted: bool | None, total: int | None = None) -> Iterator[_T]:
    """Yield results, showing on standard error how many of the `total` are done: if `wanted`, or (None) if it is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # No refresh thread, so that the process may still be forked; standard output is not redirected.
    with Progress(
        *parts, console=Console(stderr=True), transient=True, auto_refresh=False, redirect_stdout=sys.stdout.isatty()
    ) as bar:
        task, last = bar.add_task("pairs", total=total), 0.0
        for result in results:
            now = time.monotonic()
            bar.update(task, advance=1, refresh=now - last > _EVERY)
            last = now if now - last > _EVERY else last
            yield result
