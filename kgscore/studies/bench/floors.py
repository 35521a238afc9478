"""Figures that may not fall, on open sets. FILE: the folder of the sets, with `bench` and `real` in it.

The floors stand in a JSON file (`tests/floors.json` in a checkout): a `set` of the folder, or `own`, a file of the project
itself; the benchmark `program` to run on it, on how many of its records (`sample`, evenly spread; without it all), and figures
with the value that they may not fall below (`not below`) or rise above (`not above`). Groups of a figure are parted by a slash.
`--output` writes the floors raised to what is reached now.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import InputError, KgscoreError
from kgscore.resources import resource
from kgscore.studies.bench._ask import UNREAD, Ask, benchmark
from kgscore.studies.bench._tasks import Figures, Task, figure, figures_of, measured

if TYPE_CHECKING:
    from rich.console import RenderableType

BELOW, ABOVE = "not below", "not above"
_FIELDS = {"set", "own", "program", "sample", BELOW, ABOVE}
_STEP = 100  # floors are hundredths: a figure may waver by less than that
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Floor:
    """A benchmark on a set of the folder (`own`: of the project), and by figure the value that it may not fall below, or rise
    above."""

    set: str
    own: bool
    program: str
    sample: int
    below: Mapping[str, float]
    above: Mapping[str, float]

    def task(self, folder: Path, profile: str = "default", reader: str = "default") -> Task:
        """Return what is to be run.

        Raises:
            KgscoreError: the set is the project's own, and there is no checkout.
        """
        path = resource(*self.set.split("/")) if self.own else folder / self.set
        return Task(self.program, path, profile, self.sample, reader)


def load_floors(path: Path | None = None) -> list[Floor]:
    """Return the floors of a file; without a path, those of the checkout.

    Raises:
        InputError: there is no such file, it does not follow the form, or a set lies in a folder named `unread`.
    """
    if path is None:
        try:
            path = resource("tests", "floors.json")
        except KgscoreError:
            raise InputError("an installed package holds no floors; give a file with --floors") from None
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({type(error).__name__}); see docs/benchmarks.md") from None
    if not isinstance(given, list) or not all(map(_is_floor, given)):
        raise InputError(f"{path}: must be a list of objects with program, set or own, {BELOW}, {ABOVE}; see docs/benchmarks.md")
    floors = [_floor(one) for one in given]
    for floor in floors:
        if UNREAD in Path(floor.set).parts:
            raise InputError(f"{path}: '{floor.set}' is an unread set; a floor would be a reason to tune on it")
    return floors


def _is_floor(given: Any) -> bool:
    return isinstance(given, dict) and given.keys() <= _FIELDS and "program" in given and ("set" in given) is not ("own" in given)


def _floor(given: Mapping[str, Any]) -> Floor:
    name, own = (given["own"], True) if "own" in given else (given["set"], False)
    return Floor(name, own, given["program"], given.get("sample", 0), given.get(BELOW, {}), given.get(ABOVE, {}))


@benchmark("reader", "floors", "jobs", "tell", floors=None, jobs=1, tell=lambda line: None)
def run(ask: Ask) -> dict[str, Any]:
    """Return `rows`: for every floor its set, benchmark and figure, the `floor` with what it `bounds`, the value `now`, and
    whether it `holds`; `fallen`: how many do not.

    Raises:
        InputError: a set of the floors is not in the folder, or does not follow its form.
    """
    known = load_floors(ask.options["floors"])
    lacking = [floor.set for floor in known if not floor.own and not (ask.path / floor.set).is_file()]
    if lacking:
        raise InputError(f"{ask.path}: has no file '{lacking[0]}'; give the folder in which the sets of the floors are")
    tasks = [floor.task(ask.path, ask.profile, ask.reader) for floor in known]
    found = dict(measured(tasks, ask.options["jobs"], ask.options["tell"]))
    rows = [row for floor, task in zip(known, tasks, strict=True) for row in checked(floor, found[task])]
    return {"rows": rows, "fallen": sum(not row["holds"] for row in rows)}


def check(floor: Floor, folder: Path) -> list[dict[str, Any]]:
    """Measure one benchmark and return the rows of its floors, as `run` does."""
    return list(checked(floor, figures_of(floor.task(folder))))


def checked(floor: Floor, figures: Figures) -> Iterator[dict[str, Any]]:
    """Yield the row of every floor of one benchmark. A figure that is not there does not hold."""
    for bounds, floors in ((BELOW, floor.below), (ABOVE, floor.above)):
        for name, bound in floors.items():
            now = figure(figures, name)
            known = isinstance(now, (int, float))
            holds = known and (now >= bound - _TINY if bounds == BELOW else now <= bound + _TINY)
            yield {
                "set": floor.set, "own": floor.own, "program": floor.program, "sample": floor.sample, "figure": name,
                "bounds": bounds, "floor": bound, "now": now, "holds": bool(holds),
            }  # fmt: skip


def kept(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the floors as a file holds them, raised to what is reached now, in hundredths; none is lowered."""
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in figures["rows"]:
        sample = {"sample": row["sample"]} if row["sample"] else {}
        fresh = {"own" if row["own"] else "set": row["set"], "program": row["program"], **sample}
        one = found.setdefault((row["set"], row["program"], row["sample"]), fresh)
        one.setdefault(row["bounds"], {})[row["figure"]] = _raised(row)
    return list(found.values())


def _raised(row: Mapping[str, Any]) -> float:
    floor, now = float(row["floor"]), row["now"]
    if not row["holds"]:
        return floor
    if row["bounds"] == BELOW:
        return max(floor, math.floor(float(now) * _STEP + _TINY) / _STEP)
    return min(floor, math.ceil(float(now) * _STEP - _TINY) / _STEP)


def table(figures: Mapping[str, Any]) -> RenderableType:
    """Return the rows as a table to print."""
    from kgscore.report.standing import floors

    return floors(figures["rows"])
