"""Requests to a benchmark, and reading of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from kgscore.engine import Scorer
from kgscore.errors import InputError, did_you_mean
from kgscore.io.records import read_rows
from kgscore.results.statistics import Sampling

Figures = Mapping[str, Any]
REMEMBERED = 10_000  # cached readings: each text is read once
FEWEST = 10  # minimum cases of a region that is listed separately
UNREAD = "unread"
# The options of benchmarks that compare metrics and peers.
CONTEST = ("reader", "metrics", "baselines", "settings", "sampling")
_SAID = {bool: "true or false", dict: "a mapping", list: "a list"}
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Ask:
    """A file to evaluate on, with settings: contenders (`metrics` of kgscore, `baselines`: peers, `settings`), intervals,
    an evenly spaced `sample` of records (0 for all), and whether misses are printed (`show`).

    For some benchmarks only: the `columns` of ratings, those in which `lower` is better, the column of the `group`, and the
    file of `human` ratings; `sizes`; a file of `floors`; the number of processes (`jobs`), and a progress callback.
    """

    path: Path
    profile: str = "default"
    reader: str = "default"
    metrics: Sequence[str] = ()
    baselines: Sequence[str] = ()
    settings: Mapping[str, Any] | None = None
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0
    show: bool = False
    columns: Sequence[str] = ()
    lower: Sequence[str] = ()
    group: str | None = None
    human: Path | None = None
    sizes: Sequence[int] = ()
    floors: Path | None = None
    jobs: int = 1
    tell: Callable[[str], None] = lambda line: None

    def scorer(self) -> Scorer:
        """Return a scorer with the requested reader."""
        return Scorer(self.profile, remember=REMEMBERED, reader=self.reader)

    def records(self, *needed: str, **forms: type | Sequence[str]) -> list[dict[str, Any]]:
        """Return the requested records, all of which have a text in each of the fields `needed`, and in others the required
        form: a value of a type (a truth value may be missing), or one of some texts."""
        found: list[dict[str, Any]] = []
        for where, row in read_rows(str(self.path)):
            if isinstance(row, str):
                raise InputError(f"{where}: {row}")
            for name in needed:
                if not isinstance(row.get(name), str):
                    hint = did_you_mean(name, [known for known in row if known not in needed])
                    raise InputError(f"{where}: no text in '{name}'; {hint or 'the benchmark needs ' + ', '.join(needed)}")
            for name, form in forms.items():
                if name in row or form is not bool:
                    self._check(len(found) + 1, name, row.get(name), form)
            found.append(dict(row))
        if not found:
            raise InputError(f"{self.path}: contains no records; give JSON lines as described in docs/benchmarks.md")
        return list(evenly_spaced(found, self.sample))

    def _check(self, number: int, name: str, value: object, form: type | Sequence[str]) -> None:
        if isinstance(form, type):
            if not isinstance(value, form):
                raise InputError(f"{self.path}: record {number}: '{name}' must be {_SAID[form]}; see docs/benchmarks.md")
        elif value not in form:
            raise InputError(f"{self.path}: record {number}: '{name}' is not allowed; give one of {', '.join(form)}")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A program that computes figures from a file; `takes` names its options, `usual` their defaults. From the
    figures, `grids` makes the tables to print, or `table` one of another form, and `kept` the content of an output file. Without
    `file`, it generates its data and reads no path."""

    figures: Callable[[Ask], dict[str, Any]]
    takes: Sequence[str]
    usual: Mapping[str, Any]
    grids: Callable[[Figures], list[Any]] | None = None
    table: Callable[[Figures], Any] | None = None
    kept: Callable[[Figures], Any] | None = None
    file: bool = True

    def run(self, path: str | Path = "", **options: Any) -> dict[str, Any]:
        """Return the figures of a file."""
        unknown = sorted(options.keys() - set(self.takes))
        if unknown:
            raise TypeError(f"this benchmark takes no '{unknown[0]}'; it takes {', '.join(self.takes)}")
        given = {**self.usual, **{name: value for name, value in options.items() if value is not None}}
        if given.get("show"):
            check_may_list(path)
        return self.figures(Ask(Path(path), **given))


def benchmark(
    *takes: str, grids: Callable[[Figures], list[Any]] | None = None, table: Callable[[Figures], Any] | None = None,
    kept: Callable[[Figures], Any] | None = None, file: bool = True, **usual: Any,
) -> Callable[[Callable[[Ask], dict[str, Any]]], Benchmark]:  # fmt: skip
    """Make a benchmark from a function; all accept a profile."""
    return lambda figures: Benchmark(figures, ("profile", *takes), usual, grids, table, kept, file)


def evenly_spaced(rows: Sequence[_Row], sample: int) -> Sequence[_Row]:
    """Return so many of the rows, evenly spaced; all rows for 0, or if there are no more.

    >>> evenly_spaced("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    return [rows[place * len(rows) // sample] for place in range(sample)] if 0 < sample < len(rows) else rows


def groups(rows: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Yield the positions of the rows by the value of some fields ("modality: CT"), in order; rows without it are excluded."""
    for name in fields:
        values = [str(row.get(name) or "") for row in rows]
        for value in sorted(set(values) - {""}):
            yield f"{name}: {value}", [place for place, one in enumerate(values) if one == value]


def regions(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    """Yield the positions of the rows of each modality (`modality` or `type`) and of each region (`area`, separated by
    commas), in order; a row of several regions is in each of them."""
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        named = {f"region: {one.strip().lower()}" for one in (row.get("area") or "").split(",") if one.strip()}
        for name in {f"modality: {row.get('modality') or row.get('type') or ''}", *named} - {"modality: "}:
            found.setdefault(name, []).append(place)
    yield from ((name, cases) for name, cases in sorted(found.items()) if name.startswith("modality") or len(cases) >= FEWEST)


def check_may_list(path: str | Path) -> None:
    """Refuse to list cases of a file in a folder named `unread`: such a half is only valid while nobody has seen its cases."""
    for one in (Path(path).absolute(), Path(path).resolve()):
        if UNREAD in (*one.parts, one.stem):
            raise InputError(f"{path}: is in a folder named '{UNREAD}', whose cases are not shown; list misses of 'read'")
