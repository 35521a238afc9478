"""Every figure that is to be reached, in one table. FILE: the folder of the sets, with `bench`, `real` and `data` in it.

Rows and what is to be reached stand in `mappings/bench/standing.yaml`. Only aggregates are given, of both halves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import yaml

from kgscore import __version__
from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError
from kgscore.resources import resource
from kgscore.studies.bench import synthetic
from kgscore.studies.bench._ask import Ask, benchmark
from kgscore.studies.bench._tasks import Figures, Task, figure, figures_of, measured

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


@benchmark("reader", "jobs", "tell", jobs=1, tell=lambda line: None)
def run(ask: Ask) -> dict[str, Any]:
    """Return version, signature and `rows`: what is measured, the figure on the `read` half (or on a set without halves) and on
    the `unread` half (None where the set is not there), what is to be reached, and what else measures it.

    `jobs` processes share the files; what measures time runs alone, at the end. `tell` is told of every file that is done.

    Raises:
        InputError: the folder holds none of the sets, or one of them does not follow its form.
        RunError: a worker process was ended from outside.
    """
    wanted, tell = rows(), ask.options["tell"]
    with TemporaryDirectory() as scratch:
        places = [_places(row, ask, Path(scratch)) for row in wanted]
        if not any(place for row, place in zip(wanted, places, strict=True) if row.set):
            raise InputError(f"{ask.path}: holds none of the sets; give the folder in which 'bench' and 'real' are")
        both = [(row.alone, task) for row, place in zip(wanted, places, strict=True) for task in place.values()]
        found = dict(measured(list({task for alone, task in both if not alone}), ask.options["jobs"], tell))
        for task in dict.fromkeys(task for alone, task in both if alone):
            tell(f"timed: {task.program} {task.path}")
            found[task] = figures_of(task)
    return {
        "version": __version__,
        "signature": dict(Scorer(ask.profile, reader=ask.reader).signature),
        "rows": [_line(row, place, found) for row, place in zip(wanted, places, strict=True)],
    }


def table(figures: Mapping[str, Any]) -> RenderableType:
    """Return the rows as a table to print."""
    from kgscore.report.standing import standing

    return standing(figures["rows"], HALVES, GOALS)


def _places(row: Row, ask: Ask, scratch: Path) -> _Places:
    """Return what is to be run for a row, by half."""
    if row.made:
        files = {HALVES[0]: scratch / f"{row.made}.jsonl"}
        synthetic.run(files[HALVES[0]], sizes=(row.made,))
    elif row.own:
        files = {HALVES[0]: _own(row.own)}
    else:
        files = {half: ask.path / row.set.format(half=half) for half in HALVES[: 2 if "{half}" in row.set else 1] if row.set}
    return {half: Task(row.program, file, ask.profile, reader=ask.reader) for half, file in files.items() if file.is_file()}


def _own(name: str) -> Path:
    """Return a file of the project; it is there in a checkout only: an installed package does not hold its tests."""
    try:
        return resource(*name.split("/"))
    except KgscoreError:
        return Path(name)


def _line(row: Row, place: _Places, found: Mapping[Task, Figures]) -> dict[str, Any]:
    values = {half: figure(found[place[half]], row.figure) if half in place else None for half in HALVES}
    goals = {name: goal for name in GOALS if (goal := getattr(row, name))}
    source = row.set or row.own or (f"{row.made} synthetic pairs" if row.made else "")
    return {"what": row.what, "set": source, "figure": row.figure, **values, "to reach": goals, "by": row.by or None}
