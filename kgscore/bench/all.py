"""Every figure that is to be reached, in one table. FILE: the folder of the sets, with `bench`, `real` and `data` in it.

Rows and what is to be reached stand in `mappings/bench/standing.yaml`. Only aggregates are given, of both halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import yaml

from kgscore import __version__
from kgscore.bench import synthetic
from kgscore.bench._tasks import Figures, Task, figure, figures_of, measured
from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError
from kgscore.resources import resource

if TYPE_CHECKING:
    from rich.console import RenderableType

HALVES = ("read", "unread")
GOALS = ("meaning", "reading")
_Places = dict[str, Task]  # by half; a set without halves stands with what is read


@dataclass(frozen=True, slots=True)
class Row:
    """One figure to be measured (`mappings/bench/standing.yaml` says what the fields are)."""

    what: str
    program: str = ""
    figure: str = ""
    set: str = ""
    own: str = ""
    made: int = 0
    by: str = ""
    meaning: str = ""
    reading: str = ""
    alone: bool = False


def rows() -> list[Row]:
    """Return the rows of the table, in order."""
    given = yaml.safe_load(resource("mappings", "bench", "standing.yaml").read_text(encoding="utf-8"))
    return [Row(**row) for row in given["rows"]]


def run(
    path: str | Path, *, profile: str = "default", jobs: int = 1, tell: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Return version, signature and `rows`: what is measured, the figure on the `read` half (or on a set without halves) and on
    the `unread` half (None where the set is not there), what is to be reached, and what else measures it.

    `jobs` processes share the files; what measures time runs alone, at the end. `tell` is told of every file that is done.

    Raises:
        InputError: the folder holds none of the sets, or one of them does not follow its form.
        RunError: a worker process was ended from outside.
    """
    folder = Path(path)
    wanted = rows()
    with TemporaryDirectory() as scratch:
        places = [_places(row, folder, Path(scratch), profile) for row in wanted]
        if not any(places[at] for at, row in enumerate(wanted) if row.set):
            raise InputError(f"{folder}: holds none of the sets; give the folder in which 'bench' and 'real' are")
        shared = {task for row, place in zip(wanted, places, strict=True) if not row.alone for task in place.values()}
        timed = dict.fromkeys(task for row, place in zip(wanted, places, strict=True) if row.alone for task in place.values())
        found = dict(measured(list(shared), jobs, tell))
        for task in timed:
            tell(f"timed: {task.program} {task.path}")
            found[task] = figures_of(task)
    return {
        "version": __version__,
        "signature": dict(Scorer(profile).signature),
        "rows": [_line(row, place, found) for row, place in zip(wanted, places, strict=True)],
    }


def table(figures: Mapping[str, Any]) -> RenderableType:
    """Return the rows as a table to print."""
    from kgscore.report.standing import standing

    return standing(figures["rows"], HALVES, GOALS)


def _places(row: Row, folder: Path, scratch: Path, profile: str) -> _Places:
    """Return what is to be run for a row, by half."""
    if row.by:
        return {}
    if row.own:
        return {half: Task(row.program, own, profile) for half, own in _own(row.own)}
    if row.made:
        pairs = scratch / f"{row.made}.jsonl"
        synthetic.run(pairs, sizes=(row.made,))
        return {HALVES[0]: Task(row.program, pairs, profile)}
    halves = HALVES if "{half}" in row.set else HALVES[:1]
    files = {half: folder / row.set.format(half=half) for half in halves}
    return {half: Task(row.program, file, profile) for half, file in files.items() if file.is_file()}


def _own(name: str) -> Iterator[tuple[str, Path]]:
    """Yield a file of the project, where there is a checkout: an installed package does not hold its tests."""
    try:
        yield HALVES[0], resource(*name.split("/"))
    except KgscoreError:
        return


def _line(row: Row, place: _Places, found: Mapping[Task, Figures]) -> dict[str, Any]:
    values = {half: figure(found[place[half]], row.figure) if half in place else None for half in HALVES}
    goals = {name: goal for name in GOALS if (goal := getattr(row, name))}
    source = row.set or row.own or (f"{row.made} synthetic pairs" if row.made else "")
    return {"what": row.what, "set": source, "figure": row.figure, **values, "to reach": goals, "by": row.by or None}
