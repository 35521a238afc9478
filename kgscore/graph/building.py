"""The graph of a run folder is made from its tables: when it is first asked for, and when they have gained something since."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store

from kgscore.errors import RunError
from kgscore.graph.closure import closure_triples
from kgscore.graph.provenance import StoredRun, run_triples
from kgscore.graph.triples import TYPE, Named, case_lines, prepare, tally_lines, term
from kgscore.graph.vocabulary import SCHEMA, run_iri
from kgscore.graph.wanted import Properties
from kgscore.ontology.files import turtle_files
from kgscore.ontology.load import load_turtle
from kgscore.resources import cache_folder, resource
from kgscore.results.files import FILE, reading
from kgscore.results.layout import Batches, in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FOLDER, STATE = "graph", "graph.json"  # in a run folder
CASES = 2_000  # that are loaded at a time
_LAYOUT = b"3"  # of what is made of the files and the tables
_COMPACTED = 500  # from so many new cases on
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
    properties that it has of the cases; None for all."""

    schema: str = ""
    tables: list[int] = field(default_factory=list)
    runs: dict[str, list[Any]] = field(default_factory=dict)
    properties: list[str] | None = None


def build(folder: Path, progress: Progress = lambda done: None, wanted: Properties | None = None) -> None:
    """Make the graph of a run folder if it is not there, and add what its tables have gained since, or what it lacks of the
    properties `wanted` (None: of all); a graph of some properties is made again where the tables have gained something.
    `progress` is told how many cases are loaded. While another process writes the tables, a graph that is there stays as it is.

    Raises:
        RunError: the folder has neither graph nor tables, or they cannot be opened or written.
    """
    place, schema = folder / FOLDER, schema_hash()
    if not (folder / FILE).is_file():
        if place.is_dir():
            return
        advice = f"make them with: kgscore score PAIRS --output {folder}"
        raise RunError(f"{folder}: holds no graph, and no results to make it from; {advice}")
    tables, state = _mark(folder), _state(folder)
    current = place.is_dir() and state.schema == schema
    held = frozenset(state.properties) if current and state.properties is not None else None
    same = current and state.tables == tables
    enough = _enough(state, wanted)
    if same and enough:
        return
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(reading(folder))
        except RunError:
            if current and enough:
                return
            raise
        runs = _runs(connection)
        if current and held is None and all(_kept(one, state.runs) for one in runs):
            loaded = {int(run): seen[2] for run, seen in state.runs.items()}
            changed = [one for one in runs if state.runs.get(str(one.run)) != _seen(one)]
            wanted = None
            if changed:
                _fill(folder, place, connection, changed, loaded, progress)
        elif same and held is not None:
            _fill(folder, place, connection, runs, {}, progress, wanted, held)
            wanted = None if wanted is None else wanted | held
        else:
            wanted = None if wanted is None else wanted | (held or frozenset())
            _make(folder, connection, runs, progress, wanted)
    _note(folder, _State(schema, tables, {str(one.run): _seen(one) for one in runs}, None if wanted is None else sorted(wanted)))


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
        prepare(connection, _named())
        yield from case_lines(connection, run, first, last)


@cache
def _named() -> Named:
    with TemporaryDirectory() as scratch:
        _copy_template(Path(scratch, FOLDER))
        return Named.of(Store(str(Path(scratch, FOLDER))))


def _make(
    folder: Path, connection: DuckDBPyConnection, runs: Sequence[StoredRun], progress: Progress, wanted: Properties | None
) -> None:
    """Make the graph anew, beside what is there; readers see the old one or the new one."""
    with as_run_error(folder), TemporaryDirectory(dir=folder, prefix=".graph-") as scratch:
        made = Path(scratch, FOLDER)
        _copy_template(made)
        _fill(folder, made, connection, runs, {}, progress, wanted)
        with suppress(FileNotFoundError):
            (folder / FOLDER).rename(Path(scratch, "old"))
        made.rename(folder / FOLDER)


def _fill(
    folder: Path, place: Path, connection: DuckDBPyConnection, runs: Sequence[StoredRun], loaded: Mapping[int, int],
    progress: Progress, wanted: Properties | None = None, held: Properties = frozenset(),
) -> None:  # fmt: skip
    """Load what the tables say of the properties `wanted` (None: all) and not `held`, of each run from the case that is not
    `loaded` on."""
    with as_run_error(folder):
        store = Store(str(place))
        prepare(connection, Named.of(store), wanted, held)
        done = 0
        for one in runs:
            if not held:
                _forget(store, one)
            for first in range(loaded.get(one.run, 0), one.records, CASES):
                text = "".join(case_lines(connection, one.run, first, first + CASES, wanted))
                store.bulk_load(text, format=RdfFormat.N_TRIPLES)
                done += min(CASES, one.records - first)
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


def _kept(run: StoredRun, seen: Mapping[str, list[Any]]) -> bool:
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


def _note(folder: Path, state: _State) -> None:
    with suppress(OSError):  # then it is found out again the next time
        part = folder / f"{STATE}.part"
        part.write_text(json.dumps(asdict(state)), encoding="utf-8")
        part.replace(folder / STATE)


# --- the schema ---


def schema_files() -> list[Path]:
    """Return the Turtle files that make the schema: the vocabulary of runs, then the ontologies."""
    return [resource("ontologies", "run.ttl"), *turtle_files(resource("ontologies"))]


@cache
def schema_hash() -> str:
    """Return the hash of everything that the schema is made of."""
    return hashlib.sha256(b"\0".join((_LAYOUT, *(path.read_bytes() for path in schema_files())))).hexdigest()


def _load_schema(store: Store) -> None:
    for path in schema_files():
        store.bulk_load(path=str(path), format=RdfFormat.TURTLE)
    store.bulk_extend(Quad(*triple) for triple in closure_triples(load_turtle(resource("ontologies"))))
    store.add(Quad(NamedNode(SCHEMA), term("contentHash"), Literal(schema_hash())))
    store.add(Quad(NamedNode(SCHEMA), TYPE, NamedNode("http://www.w3.org/ns/prov#Entity")))
    store.flush()


def _copy_template(target: Path) -> None:
    """Make a store that holds the schema: a copy of one that is kept in the cache, since loading takes seconds and copying
    hardly any time. A cache that cannot be written costs those seconds and nothing else; one that is damaged is thrown away.
    """
    template = cache_folder() / f"schema-{schema_hash()[:16]}"
    try:
        if not template.exists():
            template.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=template.parent) as scratch:
                _make_template(Path(scratch))
                # Whole or not at all; if another process was quicker, its copy is as good.
                with suppress(OSError):
                    Path(scratch, "copy").rename(template)
        # No hard links (`Store.backup` makes them): damage to a run must not reach the template.
        shutil.copytree(template, target)
        Store.read_only(str(target))
    except (OSError, RuntimeError):
        shutil.rmtree(template, ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)
        _load_schema(Store(str(target)))


def _make_template(scratch: Path) -> None:
    store = Store(str(scratch / "store"))
    _load_schema(store)
    store.optimize()
    store.backup(str(scratch / "copy"))
