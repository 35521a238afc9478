"""The graph of a run folder is made from its tables: when it is first asked for, and when they have gained something since."""

from __future__ import annotations

import json
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
from kgscore.private_files import OWNER_ONLY, locked, scratch, sweep, whole
from kgscore.results.files import FILE, reading
from kgscore.results.layout import Batches, in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FOLDER, STATE, PART = "graph", "graph.json", "graph.part"  # in a run folder
CASES = 2_000  # that are loaded at a time
_DAY = 86_400.0
_COMPACTED = 5_000  # from so many new cases on: the store then has its own copy of the schema
_RUNS = (
    "SELECT run, started, finished, input, input_hash, profile, metrics, signature,"
    " (SELECT map_from_entries(list((status, n)))"
    " FROM (SELECT status, count(*) AS n FROM cases c WHERE c.run = r.run GROUP BY 1))"
    " FROM runs r ORDER BY run"
)
Progress = Callable[[int], None]


@dataclass(slots=True)
class _State:
    """What a graph was made from: the hash of the schema, size and time of the tables, what was loaded of each run, and the
    properties that it has of the cases; None for all. `adding` is what an interrupted process was adding to it: the properties,
    and how many cases of each run have them."""

    schema: str = ""
    tables: list[int] = field(default_factory=list)
    runs: dict[str, list[Any]] = field(default_factory=dict)
    properties: list[str] | None = None
    adding: list[Any] = field(default_factory=list)


def build(folder: Path, progress: Progress = lambda done: None, wanted: Properties | None = None) -> None:
    """Make the graph of a run folder if it is not there, and add what its tables have gained since, or what it lacks of the
    properties `wanted` (None: of all); a graph of some properties is made again where the tables have gained something. What an
    interrupted process has loaded is not loaded again. `progress` is told how many cases are loaded. While another process writes
    the tables, a graph that is there stays as it is; while one makes the graph, this one waits for it.

    Raises:
        RunError: the folder has neither graph nor tables, or they cannot be opened or written.
    """
    if is_made(folder, wanted):
        return
    if not (folder / FILE).is_file():
        advice = f"make them with: kgscore score PAIRS --output {folder}"
        raise RunError(f"{folder}: holds no graph, and no results to make it from; {advice}")
    with as_run_error(folder), locked(folder), ExitStack() as stack:
        if is_made(folder, wanted):
            return
        state = _state(folder) if (folder / FOLDER).is_dir() else _State()
        if state.schema != schema_hash():
            state = _State()
        try:
            connection = stack.enter_context(reading(folder))
        except RunError:
            if state.schema and _enough(state, wanted):
                return
            raise
        _build(folder, connection, state, wanted, progress)


def _build(
    folder: Path, connection: DuckDBPyConnection, state: _State, wanted: Properties | None, progress: Progress
) -> None:
    """Bring the graph up to date with the tables; `state` says what it was made from, nothing if it is to be made anew."""
    runs, tables = _runs(connection), _mark(folder)
    held = frozenset(state.properties or ())
    if state.schema and state.properties is None and all(_is_part_of_run(one, state.runs) for one in runs):
        made = None
        changed = [one for one in runs if state.runs.get(str(one.run)) != _seen(one)]
        if changed:
            _fill(folder, connection, changed, state, progress)
    elif state.properties is not None and state.tables == tables:
        made = None if wanted is None else wanted | held
        _fill(folder, connection, runs, state, progress, wanted, held)
    else:
        made = None if wanted is None else wanted | held
        _make(folder, connection, runs, made, progress)
    _note(folder, _State(schema_hash(), tables, {str(one.run): _seen(one) for one in runs}, _listed(made)))


def is_made(folder: Path, wanted: Properties | None = None) -> bool:
    """Return whether the graph of a run folder is there, up to date, with the properties `wanted` (None: all): `build` would do
    nothing."""
    if not (folder / FOLDER).is_dir():
        return False
    if not (folder / FILE).is_file():
        return True
    state = _state(folder)
    return state.schema == schema_hash() and state.tables == _mark(folder) and _enough(state, wanted)


def is_whole(folder: Path) -> bool:
    """Return whether the graph that a run folder has, if any, holds all properties."""
    return (folder / STATE).is_file() and _state(folder).properties is None


def lines_of(tables: Batches, run: int, first: int, last: int) -> Iterator[str]:
    """Yield what the graph of a run says about the cases in these tables, at positions from `first` up to but not including
    `last`, as texts of whole lines of N-Triples."""
    with in_memory(tables) as connection:
        prepare(connection, _named_concepts())
        yield from case_lines(connection, run, first, last)


@cache
def _named_concepts() -> Named:
    with scratch() as folder:
        copy_schema(folder / FOLDER)
        return Named.of(Store(str(folder / FOLDER)))


def _make(
    folder: Path, connection: DuckDBPyConnection, runs: Sequence[StoredRun], wanted: Properties | None, progress: Progress
) -> None:
    """Make the graph anew, or go on with one that an interrupted process was making; readers see the old one or the new one."""
    part, tables = folder / PART, _mark(folder)
    state = _state(part)
    fits = (
        state.schema == schema_hash()
        and state.properties == _listed(wanted)
        and all(_is_part_of_run(one, state.runs) for one in runs)
    )
    in_place = state.tables == tables and (folder / FOLDER).is_dir() and not (folder / STATE).exists()
    if not fits or not (in_place or (part / FOLDER).is_dir()):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        copy_schema(part / FOLDER)
        state = _State(schema_hash(), properties=_listed(wanted))
    if state.tables != tables:
        _fill(part, connection, runs, state, progress, wanted)
        _note(part, replace(state, tables=tables))
    sweep(folder, ".graph-", age=_DAY)  # of earlier versions
    with scratch(folder) as old:
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
    """Load what the tables say of the properties `wanted` (None: all), of each run from the case on that is not loaded yet, and
    note after each part how far that is. A graph to which properties are added has those `held` (there may be none)."""
    names = _listed(wanted)
    loaded = {run: seen[2] for run, seen in state.runs.items()}
    if held is not None:
        loaded = dict(state.adding[1]) if state.adding[:1] == [names] else {}
    with as_run_error(place), OWNER_ONLY:
        store = Store(str(place / FOLDER))
        prepare(connection, _named_concepts(), wanted, held or ())
        done = 0
        for one in runs:
            if held is None:
                _forget(store, one)
            for first in range(loaded.get(str(one.run), 0), one.records, CASES):
                last = min(first + CASES, one.records)
                text = "".join(case_lines(connection, one.run, first, last, wanted))
                store.bulk_load(text, format=RdfFormat.N_TRIPLES)
                store.flush()
                loaded[str(one.run)] = last
                if held is not None:
                    state.adding = [names, loaded]
                else:
                    state.tables, state.runs[str(one.run)] = [], [*_seen(one)[:2], last, False]
                _note(place, state)
                done += last - first
                progress(done)
            store.bulk_load("".join(tally_lines(connection, one.run, wanted)), format=RdfFormat.N_TRIPLES)
            store.bulk_extend(Quad(*triple) for triple in run_triples(one))
        if done >= _COMPACTED and wanted is None:
            store.optimize()
        store.flush()


def _forget(store: Store, run: StoredRun) -> None:
    """Remove what changes while a run goes on: what is said of the run itself, and its sums."""
    node = NamedNode(run_iri(run.run))
    sums = {quad.subject for quad in store.quads_for_pattern(None, term("tallyOf"), node)}
    for subject in (node, *sums):
        for quad in list(store.quads_for_pattern(subject, None, None)):
            store.remove(quad)


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


# --- what a graph was made from ---


def _runs(connection: DuckDBPyConnection) -> list[StoredRun]:
    found = []
    for run, started, ended, name, digest, profile, metrics, signature, statuses in connection.execute(_RUNS).fetchall():
        found.append(StoredRun(run, started, ended, name, digest, profile, tuple(metrics), signature, statuses or {}))
    return found


def _seen(run: StoredRun) -> list[Any]:
    return [run.input_hash, run.started.isoformat(), run.records, run.ended is not None]


def _is_part_of_run(run: StoredRun, seen: Mapping[str, list[Any]]) -> bool:
    """Return whether what the graph holds of a run is a part of it, and not of another run that had its number."""
    before = seen.get(str(run.run))
    return before is None or (before[:2] == _seen(run)[:2] and before[2] <= run.records)


def _mark(folder: Path) -> list[int]:
    found = (folder / FILE).stat()
    return [found.st_size, found.st_mtime_ns]


def _state(folder: Path) -> _State:
    try:
        return _State(**json.loads((folder / STATE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return _State()


def _enough(state: _State, wanted: Properties | None) -> bool:
    return state.properties is None or (wanted is not None and wanted <= frozenset(state.properties))


def _listed(properties: Properties | None) -> list[str] | None:
    return None if properties is None else sorted(properties)


def _note(folder: Path, state: _State) -> None:
    with suppress(OSError), whole(folder / STATE) as stream:  # if not, it is found out again the next time
        stream.write(json.dumps(asdict(state)).encode())
