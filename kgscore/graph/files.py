"""The store of a run folder: where it is, and what an error of its means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgscore.errors import RunError

FOLDER = "graph"


@contextmanager
def as_run_error(folder: Path) -> Iterator[None]:
    """Turn an error of the store into one line that names the run folder and what to do."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a damaged store raises any of them
        said = (str(error).splitlines() or [type(error).__name__])[0]
        if "lock" in said.lower():
            advice = "another process writes to it; wait for it, or choose another folder"
        else:
            advice = "check the folder and its permissions; if it is damaged, move it away: it is made again from the results"
        raise RunError(f"{folder}: the graph cannot be opened or written ({said}); {advice}") from None
