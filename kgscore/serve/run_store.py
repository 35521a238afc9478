"""The runs of the explorer: opened on request, and reopened when their folder has changed.

A run that does not exist, a folder that cannot be opened, or two runs that share no pair or metric raise RunError.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.caches import BoundedDict
from kgscore.errors import RunError
from kgscore.report.contrast import Contrast
from kgscore.report.html import Plot, gzip_json
from kgscore.report.overview import MetricFigures, Overview, columns
from kgscore.results.cases import RunInfo, load_runs, occurrences
from kgscore.results.files import FILE, open_tables
from kgscore.runs.case_index import Casebook, contrast_of

_OPEN = 8
_IDLE_SECONDS = 3.0
_EXAMPLES = 20
_KEPT = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class OpenRun:
    """An open run: its case index, overview, plots, columns of all cases, and these gzipped."""

    key: str
    book: Casebook
    overview: Overview
    plots: Sequence[Plot]
    columns: dict[str, Any]
    packed: bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """A run summary: its metrics, how many cases have a critical and an urgent error, and which reports it is about."""

    metrics: tuple[MetricFigures, ...]
    critical: int
    urgent: int
    about: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Two runs compared: the comparison, the metrics in both, and the columns of their pairs, gzipped."""

    found: Contrast
    metrics: Sequence[MetricFigures]
    packed: bytes


class RunStore:
    """The runs of some folders. A run's key is the folder's name and the run's number: "night-2"."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Open the folders."""
        self._folders = dict(zip(_folder_names(folders), folders, strict=True))
        self._runs: dict[str, tuple[int, list[RunInfo]]] = {}
        self._open: OrderedDict[tuple[str, int], OpenRun] = OrderedDict()
        self._making: dict[tuple[str, int], threading.Lock] = {}
        self._standings: BoundedDict[tuple[str, int], Standing] = BoundedDict(_KEPT)
        self._compared: BoundedDict[tuple[tuple[str, int], tuple[str, int]], Both] = BoundedDict(_OPEN)
        self._lock = threading.Lock()
        self._warm = _Warm()
        self._occurring: BoundedDict[tuple[str, str, int], dict[str, Any]] = BoundedDict(_KEPT)
        self.runs()

    def runs(self) -> list[tuple[str, RunInfo]]:
        """Return (key, run) of every run, folder by folder."""
        return [(f"{name}-{info.run}", info) for name in self._folders for info in self._run_infos(name)]

    def find(self, key: str) -> RunInfo:
        """Return the run with that key."""
        runs = dict(self.runs())
        if key not in runs:
            raise RunError(f"unknown run '{key}'; the runs are: {', '.join(runs)}")
        return runs[key]

    def open_run(self, key: str) -> OpenRun:
        """Return an open run, and keep its folder open for a short time."""
        info = self.find(key)
        self._warm.keep_open(info.folder)
        mark = (key, _modification_time(info.folder))
        with self._lock:
            making = self._making.setdefault(mark, threading.Lock())
        with making:  # concurrent requests wait only for the same run
            with self._lock:
                found = self._open.get(mark)
            if found is None:
                book = Casebook(info.folder, info.run)
                lines = book.lines()
                held = columns(lines, book.info.metrics)
                found = OpenRun(key, book, book.overview(lines), book.plots(), held, gzip_json(held, 6))
            with self._lock:
                self._open[mark] = found
                self._open.move_to_end(mark)
                while len(self._open) > _OPEN:
                    self._making.pop(self._open.popitem(last=False)[0], None)
        return found

    def run_summary(self, key: str) -> Standing:
        """Return the summary of a run; it is cached after the run is closed."""
        mark = (key, _modification_time(self.find(key).folder))
        found = self._standings.get(mark)
        if found is None:
            one = self.open_run(key)
            scores = one.book.scores()
            about = frozenset(hash(pair) for pair in zip(scores.ids, scores.references, strict=True) if pair[0])
            found = Standing(tuple(one.overview.metrics), one.overview.critical, one.overview.urgent, about)
            self._standings[mark] = found
        return found

    def compare(self, a: str, b: str) -> Both:
        """Return two runs compared; up to eight comparisons are cached."""
        mark = ((a, _modification_time(self.find(a).folder)), (b, _modification_time(self.find(b).folder)))
        with self._lock:
            found = self._compared.get(mark)
        if found is None:
            one, other = self.open_run(a), self.open_run(b)
            said, pairs, metrics = contrast_of((one.book, other.book), (one.columns, other.columns), (a, b))
            found = Both(said, metrics, gzip_json(pairs, 6))
            with self._lock:
                self._compared[mark] = found
        return found

    def occurrences(self, name: str, ids: Sequence[str], structures: bool) -> list[dict[str, Any]]:
        """Return, by run, the number of findings of these concepts (at these `structures`), and the first 20; cached by name."""
        found = []
        for key, info in self.runs():
            mark = (name, key, _modification_time(info.folder))
            held = self._occurring.get(mark)
            if held is None:
                self._warm.keep_open(info.folder)
                counts, places = occurrences(info.folder, info.run, ids, _EXAMPLES, structures=structures)
                rows = [{"report": report, "status": status, "count": count} for report, status, count in counts]
                held = self._occurring[mark] = {"run": key, "counts": rows, "examples": places}
            found.append(held)
        return found

    def open_all(self) -> None:
        """Open the newest runs, up to the number kept open, so that the first reader does not have to wait."""
        for key, _ in self.runs()[-_OPEN:]:
            self.run_summary(key)

    def _run_infos(self, name: str) -> list[RunInfo]:
        changed = _modification_time(self._folders[name])
        with self._lock:
            seen = self._runs.get(name)
            if seen is None or seen[0] != changed:
                try:
                    seen = self._runs[name] = (changed, load_runs(self._folders[name]))
                except RunError:
                    # Another process writes to the folder: use the runs known before.
                    if seen is None:
                        raise
        return seen[1]


class _Warm:
    """Keeps folders open for a short time after use: opening one costs more than reading a case, but an open
    database cannot be written to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[ExitStack, threading.Timer]] = {}

    def keep_open(self, folder: Path) -> None:
        """Keep a folder open for a short time from now."""
        with self._lock:
            if held := self._open.pop(folder, None):
                stack = held[0]
                held[1].cancel()
            else:
                stack = ExitStack()
                stack.enter_context(open_tables(folder))
            timer = threading.Timer(_IDLE_SECONDS, self._close, (folder, stack))
            timer.daemon = True
            self._open[folder] = (stack, timer)
            timer.start()

    def _close(self, folder: Path, stack: ExitStack) -> None:
        with self._lock:
            held = self._open.get(folder)
            # If the folder was used in the meantime, a newer timer closes it.
            if held is not None and held[1] is threading.current_thread():
                del self._open[folder]
                stack.close()


def _modification_time(folder: Path) -> int:
    try:
        return (folder / FILE).stat().st_mtime_ns
    except OSError:
        return 0


def _folder_names(folders: Sequence[Path]) -> list[str]:
    """Return a name for each folder: its own, numbered if not unique."""
    names: list[str] = []
    for own in (folder.resolve().name for folder in folders):
        numbered = (own, *(f"{own}.{number}" for number in range(2, len(folders) + 2)))
        names.append(next(name for name in numbered if name not in names))
    return names
