"""Runs many benchmarks on a folder of sets: the scoreboard of goals, and floors that figures may not fall below.

The goals are in `mappings/bench/standing.yaml`. The floors are in a JSON file (`tests/floors.json` in a
checkout): a `set` of the folder, or `own`, a file of the project itself; the benchmark `program` to run on it, on a
`sample` of its records (evenly spaced; default all), and figures with their lower bound (`not below`) or upper
bound (`not above`). Levels of nested figures are separated by slashes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore import __version__
from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError
from kgscore.lab import tables
from kgscore.lab.bench import program
from kgscore.lab.bench._ask import UNREAD, Ask, Figures, benchmark
from kgscore.lab.bench.speed import synthetic
from kgscore.private_files import temporary_folder
from kgscore.resources import resource, yaml_of
from kgscore.results.statistics import Sampling
from kgscore.runs.workers import workers

HALVES = ("read", "unread")
GOALS = ("meaning", "reading")
BELOW, ABOVE = "not below", "not above"
_FIELDS = {"set", "own", "program", "sample", BELOW, ABOVE}
_STEP = 100  # floors are hundredths, so that smaller fluctuations do not matter
_TINY = 1e-9
_NO_INTERVALS = Sampling(resamples=100)  # the minimum: the intervals are not used


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark program to run on a file with a profile and a reader; `sample`: the number of its records, 0 for all."""

    program: str
    path: Path
    profile: str = "default"
    sample: int = 0
    reader: str = "default"


def figures_of(task: Task) -> Figures:
    """Return the figures of one task, without peers' scores."""
    chosen = program(task.program)
    options: dict[str, Any] = {"baselines": (), "sampling": _NO_INTERVALS, "sample": task.sample, "reader": task.reader}
    return chosen.run(task.path, profile=task.profile, **{name: v for name, v in options.items() if name in chosen.takes})


def _measure(tasks: Sequence[Task], ask: Ask) -> dict[Task, Figures]:
    """Return the figures of every task, computed in so many processes, the largest files first, with progress calls."""
    found: dict[Task, Figures] = {}
    for task, figures in _iterate_figures(sorted(tasks, key=lambda task: -task.path.stat().st_size), ask.jobs):
        found[task] = figures
        ask.tell(f"{len(found)}/{len(tasks)} {task.program} {task.path}")
    return found


def _iterate_figures(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Figures]]:
    """Yield the figures of tasks as they are computed, in this process or in several."""
    if jobs <= 1:
        yield from ((task, figures_of(task)) for task in tasks)
        return
    with workers(jobs) as pool:
        waiting = {pool.submit(figures_of, task): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def figure(figures: Figures, name: str) -> Any:
    """Return a figure by name, with nested levels separated by slashes (`radsem/tau_b`); None if it is missing.

    >>> figure({"all": {"f1": 0.8}}, "all/f1")
    0.8
    """
    found: Any = figures
    for part in name.split("/") if name not in figures else (name,):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


# ---- goals -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Row:
    """One figure to be measured (`mappings/bench/standing.yaml` explains the fields)."""

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

    def places(self, ask: Ask, scratch: Path) -> dict[str, Task]:
        """Return the tasks to run, by half; a set without halves counts as `read`."""
        files = {half: ask.path / self.set.format(half=half) for half in HALVES if half == HALVES[0] or "{half}" in self.set}
        if self.made:
            files = {HALVES[0]: scratch / f"{self.made}.jsonl"}
            synthetic.run(files[HALVES[0]], sizes=(self.made,))
        elif self.own:
            files = {HALVES[0]: _project_file(self.own)}
        return {half: Task(self.program, file, ask.profile, reader=ask.reader) for half, file in files.items() if file.is_file()}

    def line(self, places: Mapping[str, Task], found: Mapping[Task, Figures]) -> dict[str, Any]:
        """Return the row with its figures."""
        values = {half: figure(found[places[half]], self.figure) if half in places else None for half in HALVES}
        goals = {name: goal for name in GOALS if (goal := getattr(self, name))}
        source = self.set or self.own or (f"{self.made} synthetic pairs" if self.made else "")
        return {"what": self.what, "set": source, "figure": self.figure, **values, "to reach": goals, "by": self.by or None}


def _project_file(name: str) -> Path:
    """Return a file of the project, available in a checkout only: an installed package does not include the tests."""
    try:
        return resource(*name.split("/"))
    except KgscoreError:
        return Path(name)


def rows() -> list[Row]:
    """Return the rows of the table, in order."""
    return [Row(**row) for row in yaml_of("mappings", "bench", "standing.yaml")["rows"]]


@benchmark("reader", "jobs", "tell", table=lambda figures: tables.scoreboard(figures["rows"], HALVES, GOALS))
def everything(ask: Ask) -> dict[str, Any]:
    """Return version, signature and `rows`: the measure, the figure on the `read` half (or on a set without halves) and on
    the `unread` half (None if the set is missing), the goal, and what else measures it. FILE: the folder of
    the sets, with `bench`, `real` and `data` in it. Only aggregates are returned, for both halves.

    `jobs` processes share the files; timings run alone, at the end. `tell` is called for every finished file.
    """
    wanted = rows()
    with temporary_folder() as folder:
        places = [row.places(ask, folder) for row in wanted]
        both = list(zip(wanted, places, strict=True))
        if not any(place for row, place in both if row.set):
            raise InputError(f"{ask.path}: contains none of the sets; give the folder with 'bench' and 'real'")
        found = _measure(list({task for row, place in both for task in place.values() if not row.alone}), ask)
        for task in dict.fromkeys(task for row, place in both for task in place.values() if row.alone):
            ask.tell(f"timed: {task.program} {task.path}")
            found[task] = figures_of(task)
    return {
        "version": __version__,
        "signature": dict(Scorer(ask.profile, reader=ask.reader).signature),
        "rows": [row.line(place, found) for row, place in both],
    }


# ---- floors ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Floor:
    """A benchmark on a set of the folder (`own`: of the project), and for both kinds of bound the values by figure."""

    set: str
    own: bool
    program: str
    sample: int
    bounds: Mapping[str, Mapping[str, float]]

    def task(self, folder: Path, profile: str = "default", reader: str = "default") -> Task:
        """Return the task to run."""
        path = resource(*self.set.split("/")) if self.own else folder / self.set
        return Task(self.program, path, profile, self.sample, reader)


def load_floors(path: Path | None = None) -> list[Floor]:
    """Return the floors in a file; by default those of the checkout."""
    try:
        path = path or resource("tests", "floors.json")
        given = json.loads(path.read_text(encoding="utf-8"))
    except KgscoreError:
        raise InputError("an installed package includes no floors; give a file with --floors") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({type(error).__name__}); see docs/benchmarks.md") from None
    if not isinstance(given, list) or not all(map(_is_floor, given)):
        raise InputError(f"{path}: must be a list of objects with program, set or own, {BELOW}, {ABOVE}; see docs/benchmarks.md")
    floors = []
    for one in given:
        file, bounds = one.get("own") or one["set"], {bound: one[bound] for bound in (BELOW, ABOVE) if bound in one}
        if UNREAD in Path(file).parts:
            raise InputError(f"{path}: '{file}' is an unread set; a floor would be a reason to tune on it")
        floors.append(Floor(file, "own" in one, one["program"], one.get("sample", 0), bounds))
    return floors


def _is_floor(given: Any) -> bool:
    return isinstance(given, dict) and given.keys() <= _FIELDS and "program" in given and ("set" in given) is not ("own" in given)


def _raise_floors(figures: Figures) -> list[dict[str, Any]]:
    """Return the floors in file form, raised to the present values in hundredths; none is lowered."""
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in figures["rows"]:
        sample = {"sample": row["sample"]} if row["sample"] else {}
        fresh = {"own" if row["own"] else "set": row["set"], "program": row["program"], **sample}
        one = found.setdefault((row["set"], row["program"], row["sample"]), fresh)
        one.setdefault(row["bounds"], {})[row["figure"]] = _raised_value(row)
    return list(found.values())


def _raised_value(row: Mapping[str, Any]) -> float:
    floor, now = float(row["floor"]), row["now"]
    if not row["holds"]:
        return floor
    if row["bounds"] == BELOW:
        return max(floor, math.floor(float(now) * _STEP + _TINY) / _STEP)
    return min(floor, math.ceil(float(now) * _STEP - _TINY) / _STEP)


@benchmark("reader", "floors", "jobs", "tell", kept=_raise_floors, table=lambda figures: tables.floors(figures["rows"]))
def floors(ask: Ask) -> dict[str, Any]:
    """Return `rows`: for every floor its set, benchmark and figure, the `floor` and which way it `bounds`, the value `now`, and
    whether it `holds`; `fallen`: the number violated. FILE: the folder of the sets, with `bench` and `real` in it."""
    known = load_floors(ask.floors)
    lacking = [floor.set for floor in known if not floor.own and not (ask.path / floor.set).is_file()]
    if lacking:
        raise InputError(f"{ask.path}: has no file '{lacking[0]}'; give the folder of the floors' sets")
    tasks = [floor.task(ask.path, ask.profile, ask.reader) for floor in known]
    found = _measure(tasks, ask)
    rows = [row for floor, task in zip(known, tasks, strict=True) for row in floor_rows(floor, found[task])]
    return {"rows": rows, "fallen": sum(not row["holds"] for row in rows)}


def floor_rows(floor: Floor, figures: Figures) -> Iterator[dict[str, Any]]:
    """Yield the row of every floor of one benchmark. A missing figure violates its floor."""
    for bounds, floors in floor.bounds.items():
        for name, bound in floors.items():
            now = figure(figures, name)
            known = isinstance(now, (int, float))
            holds = known and (now >= bound - _TINY if bounds == BELOW else now <= bound + _TINY)
            yield {
                "set": floor.set, "own": floor.own, "program": floor.program, "sample": floor.sample, "figure": name,
                "bounds": bounds, "floor": bound, "now": now, "holds": bool(holds),
            }  # fmt: skip
