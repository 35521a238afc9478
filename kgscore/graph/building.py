"""Builds the graph of a run folder from its tables, on first use, and updates it when they have grown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode, Quad, RdfFormat, Store

from kgscore.errors import RunError
from kgscore.graph.provenance import StoredRun, run_triples
from kgscore.graph.schema import copy_schema, schema_hash
from kgscore.graph.triples import Named, case_lines, prepare, tally_lines, term
from kgscore.graph.vocabulary import run_iri
from kgscore.graph.wanted import Properties
from kgscore.private_files import OWNER_ONLY, atomic_file, lock_folder, sweep, temporary_folder
from kgscore.results.files import FILE, open_tables
from kgscore.results.layout import Batches, in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FOLDER, STATE, PART = "graph", "graph.json", "graph.part"  # in a run folder
CASES = 2_000  # loaded at a time
_DAY = 86_400.0
_COMPACTED = 5_000  # number of new cases from which the store is compacted, which copies the schema into it
_RUNS = (
    "SELECT run, started, finished, input, input_hash, profile, metrics, signature,"
    " (SELECT coalesce(map_from_entries(list((status, n))), MAP {})"
    " FROM (SELECT status, count(*) AS n FROM cases c WHERE c.run = r.run GROUP BY 1))"
    " FROM runs r ORDER BY run"
)
Progress = Callable[[int], None]


@dataclass(slots=True)
class _State:
    """The sources of a graph: the hash of the schema, size and time of the tables, the loaded part of each run, and the
    properties it has of the cases; None for all. `adding` is the unfinished work of an interrupted process: the properties,
    and the number of cases of each run that have them."""

    schema: str = ""
    tables: list[int] = field(default_factory=list)
    runs: dict[str, list[Any]] = field(default_factory=dict)
    properties: list[str] | None = None
    adding: list[Any] = field(default_factory=list)


def build(folder: Path, progress: Progress = lambda done: None, wanted: Properties | None = None) -> None:
    """Build the graph of a run folder if it is missing, and add new rows of its tables, or the missing properties among
    `wanted` (None: all); a graph with some properties only is rebuilt if the tables have grown. Work loaded by an
    interrupted process is not loaded again. `progress` is called with the number of cases loaded. While another process writes
    the tables, an existing graph is used unchanged; while one builds the graph, this one waits for it.

    Raises:
        RunError: the folder has neither graph nor tables, or they cannot be opened or written.
    """
    if is_made(folder, wanted):
        return
    if not (folder / FILE).is_file():
        advice = f"create them with: kgscore score PAIRS --output {folder}"
        raise RunError(f"{folder}: has no graph, and no results to build it from; {advice}")
    with as_run_error(folder), lock_folder(folder), ExitStack() as stack:
        if is_made(folder, wanted):
            return
        state = _state(folder) if (folder / FOLDER).is_dir() else _State()
        if state.schema != schema_hash():
            state = _State()
        try:
            connection = stack.enter_context(open_tables(folder))
        except RunError:
            if state.schema and _has_properties(state, wanted):
                return
            raise
        _build(folder, connection, state, wanted, progress)


def _build(folder: Path, connection: DuckDBPyConnection, state: _State, wanted: Properties | None, progress: Progress) -> None:
    """Bring the graph up to date with the tables; `state` describes its sources, None to build it anew."""
    runs = [StoredRun(*row) for row in connection.execute(_RUNS).fetchall()]
    tables = _file_mark(folder)
    held = frozenset(state.properties or ())
    made = None if wanted is None else wanted | held
    if state.schema and state.properties is None and all(_is_part_of_run(one, state.runs) for one in runs):
        made = None
        if changed := [one for one in runs if state.runs.get(str(one.run)) != _run_state(one)]:
            _fill(folder, connection, changed, state, progress)
    elif state.properties is not None and state.tables == tables:
        _fill(folder, connection, runs, state, progress, wanted, held)
    else:
        _rebuild(folder, connection, runs, made, progress)
    _write_state(folder, _State(schema_hash(), tables, {str(one.run): _run_state(one) for one in runs}, _property_list(made)))


def is_made(folder: Path, wanted: Properties | None = None) -> bool:
    """Return whether the graph of a run folder exists and is up to date, with the properties `wanted` (None: all), so that
    `build` would do nothing."""
    if not (folder / FOLDER).is_dir():
        return False
    if not (folder / FILE).is_file():
        return True
    state = _state(folder)
    return state.schema == schema_hash() and state.tables == _file_mark(folder) and _has_properties(state, wanted)


def is_whole(folder: Path) -> bool:
    """Return whether the existing graph of a run folder, if any, holds all properties."""
    return (folder / STATE).is_file() and _state(folder).properties is None


def lines_of(tables: Batches, run: int, first: int, last: int) -> Iterator[str]:
    """Yield the triples about the cases in these tables, at positions from `first` up to but not including
    `last`, as texts of whole lines of N-Triples."""
    with in_memory(tables) as connection:
        prepare(connection, _named_concepts())
        yield from case_lines(connection, run, first, last)


@cache
def _named_concepts() -> Named:
    with temporary_folder() as folder:
        copy_schema(folder / FOLDER)
        return Named.of(Store(str(folder / FOLDER)))


def _rebuild(
    folder: Path, connection: DuckDBPyConnection, runs: Sequence[StoredRun], wanted: Properties | None, progress: Progress
) -> None:
    """Build the graph anew, or resume an interrupted build; readers see the old graph or the new one."""
    part, tables = folder / PART, _file_mark(folder)
    state = _state(part)
    fits = (state.schema, state.properties) == (schema_hash(), _property_list(wanted))
    fits = fits and all(_is_part_of_run(one, state.runs) for one in runs)
    in_place = state.tables == tables and (folder / FOLDER).is_dir() and not (folder / STATE).exists()
    if not fits or not (in_place or (part / FOLDER).is_dir()):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        copy_schema(part / FOLDER)
        state = _State(schema_hash(), properties=_property_list(wanted))
    if state.tables != tables:
        _fill(part, connection, runs, state, progress, wanted)
        _write_state(part, replace(state, tables=tables))
    sweep(folder, ".graph-", age=_DAY)  # of earlier versions
    with temporary_folder(folder) as old:
        if (part / FOLDER).is_dir():
            (folder / STATE).unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                (folder / FOLDER).rename(old / FOLDER)
            (part / FOLDER).rename(folder / FOLDER)
        shutil.rmtree(part)


def _fill(
    place: Path, connection: DuckDBPyConnection, runs: Sequence[StoredRun], state: _State, progress: Progress,
    wanted: Properties | None = None, held: Properties | None = None,
) -> None:  # fmt: skip
    """Load the properties `wanted` (None: all) of each run from its first unloaded case on, and
    record progress after each part. A graph to which properties are added has those `held` (possibly none)."""
    names = _property_list(wanted)
    loaded = {run: seen[2] for run, seen in state.runs.items()}
    if held is not None:
        loaded = dict(state.adding[1]) if state.adding[:1] == [names] else {}
    with as_run_error(place), OWNER_ONLY:
        store = Store(str(place / FOLDER))
        prepare(connection, _named_concepts(), wanted, held or ())
        done = 0
        for one in runs:
            if held is None:
                _remove_changing(store, one)
            for first in range(loaded.get(str(one.run), 0), one.records, CASES):
                last = min(first + CASES, one.records)
                text = "".join(case_lines(connection, one.run, first, last, wanted))
                store.bulk_load(text, format=RdfFormat.N_TRIPLES)
                store.flush()
                loaded[str(one.run)] = last
                if held is not None:
                    state.adding = [names, loaded]
                else:
                    state.tables, state.runs[str(one.run)] = [], [*_run_state(one)[:2], last, False]
                _write_state(place, state)
                done += last - first
                progress(done)
            store.bulk_load("".join(tally_lines(connection, one.run, wanted)), format=RdfFormat.N_TRIPLES)
            store.bulk_extend(Quad(*triple) for triple in run_triples(one))
        if done >= _COMPACTED and wanted is None:
            store.optimize()
        store.flush()


def _remove_changing(store: Store, run: StoredRun) -> None:
    """Remove triples that change during a run: those about the run itself, and its sums."""
    node = NamedNode(run_iri(run.run))
    sums = {quad.subject for quad in store.quads_for_pattern(None, term("tallyOf"), node)}
    for subject in (node, *sums):
        for quad in list(store.quads_for_pattern(subject, None, None)):
            store.remove(quad)


@contextmanager
def as_run_error(folder: Path) -> Iterator[None]:
    """Convert a store error into one line that names the run folder and the remedy."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a damaged store raises any of them
        said = (str(error).splitlines() or [type(error).__name__])[0]
        if re.search(r"\block\b", said.replace(str(folder), ""), re.IGNORECASE):  # not the "block" of a damaged one
            advice = "another process writes to it; wait for it, or choose another folder"
        else:
            advice = "check the folder and its permissions; if it is damaged, move it away: it is rebuilt from the results"
        raise RunError(f"{folder}: the graph cannot be opened or written ({said}); {advice}") from None


def _run_state(run: StoredRun) -> list[Any]:
    return [run.input_hash, run.started.isoformat(), run.records, run.ended is not None]


def _is_part_of_run(run: StoredRun, seen: Mapping[str, list[Any]]) -> bool:
    """Return whether the graph's content for a run is a prefix of that run, and not of another one with the same number."""
    before = seen.get(str(run.run))
    return before is None or (before[:2] == _run_state(run)[:2] and before[2] <= run.records)


def _file_mark(folder: Path) -> list[int]:
    found = (folder / FILE).stat()
    return [found.st_size, found.st_mtime_ns]


def _state(folder: Path) -> _State:
    try:
        return _State(**json.loads((folder / STATE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return _State()


def _has_properties(state: _State, wanted: Properties | None) -> bool:
    return state.properties is None or (wanted is not None and wanted <= frozenset(state.properties))


def _property_list(properties: Properties | None) -> list[str] | None:
    return None if properties is None else sorted(properties)


def _write_state(folder: Path, state: _State) -> None:
    with suppress(OSError), atomic_file(folder / STATE) as stream:  # if not, it is determined again next time
        stream.write(json.dumps(asdict(state)).encode())
