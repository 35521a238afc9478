"""Benchmarks on many files: in this process or in several, with what each gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.results.statistics import Sampling
from kgscore.runs.workers import workers
from kgscore.studies.bench import program

Figures = Mapping[str, Any]
_NO_INTERVALS = Sampling(resamples=100)  # the least that there can be: the figures are read, not their intervals


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark program to run on a file with a profile and a reader; `sample`: on so many of its records, 0 for all."""

    program: str
    path: Path
    profile: str = "default"
    sample: int = 0
    reader: str = "default"


def measured(tasks: Sequence[Task], jobs: int, tell: Callable[[str], None]) -> Iterator[tuple[Task, Figures]]:
    """Yield the figures of every task as they are made, the largest files first; tell of each that is done.

    Raises:
        InputError: a file cannot be read or does not follow the form.
        RunError: a worker process was ended from outside.
    """
    ordered = sorted(tasks, key=lambda task: -task.path.stat().st_size)
    alone = ((task, figures_of(task)) for task in ordered)
    for number, (task, figures) in enumerate(alone if jobs <= 1 else _shared(ordered, jobs), 1):
        tell(f"{number}/{len(tasks)} {task.program} {task.path}")
        yield task, figures


def _shared(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Figures]]:
    with workers(jobs) as pool:
        waiting = {pool.submit(figures_of, task): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def figures_of(task: Task) -> Figures:
    """Return the figures of one task, without scores of others beside them."""
    run = program(task.program).run
    options: dict[str, Any] = {"baselines": (), "sampling": _NO_INTERVALS, "sample": task.sample, "reader": task.reader}
    found: Figures = run(task.path, profile=task.profile, **{name: value for name, value in options.items() if name in run.takes})
    return found


def figure(figures: Figures, name: str) -> Any:
    """Return a figure by its name, groups parted by slashes (`radsem/tau_b`); None where there is none.

    >>> figure({"all": {"f1": 0.8}}, "all/f1")
    0.8
    """
    found: Any = figures
    for part in name.split("/") if name not in figures else (name,):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
