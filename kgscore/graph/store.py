"""The embedded store of a run folder (`RUN/graph`): schema and closure, one named graph a report, one a run for the matches."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import IO

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple

from kgscore.errors import RunError
from kgscore.graph.closure import closure_quads
from kgscore.graph.nodes import concept_node, schema_files, schema_hash
from kgscore.graph.provenance import ENDED, STARTED, begin_quads, finish_quads, now
from kgscore.graph.triples import case_quads
from kgscore.graph.vocabulary import CLOSURE_GRAPH, PREFIXES, RUN, SCHEMA_GRAPH, matches_graph, run_iri
from kgscore.model import PairResult
from kgscore.ontology.load import load_turtle
from kgscore.resources import cache_folder, resource
from kgscore.results.database import RunKey

FOLDER = "graph"
FORMATS = {"nquads": RdfFormat.N_QUADS, "turtle": RdfFormat.TURTLE, "trig": RdfFormat.TRIG}
_SCHEMA, _CLOSURE = NamedNode(SCHEMA_GRAPH), NamedNode(CLOSURE_GRAPH)
_HASH = NamedNode(RUN + "contentHash")


class RunGraph:
    """The graph of a run folder, open for writing. Use it in a `with` statement."""

    def __init__(self, folder: Path) -> None:
        """Open the folder's store, make it if it is not there, and load the schema if it is missing or has changed.

        Raises:
            RunError: the store cannot be made or opened.
        """
        self._folder = folder
        content = schema_hash()
        with _as_run_error(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / FOLDER).exists():
                _copy_template(content, folder / FOLDER)
            store = Store(str(folder / FOLDER))
            _load_schema(store, content)
        self._store: Store | None = store

    def __enter__(self) -> RunGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Flush and close the store."""
        if self._store is not None:
            with _as_run_error(self._folder):
                self._store.flush()
            # The store lets go of its lock when the last reference to it goes.
            self._store = None

    def begin(self, run: int, key: RunKey) -> None:
        """Write what the run is and what it uses. A resumed run keeps the time when it began.

        Raises:
            RunError: the store is closed or cannot be written.
        """
        quads = list(begin_quads(run, key))
        node, graph = NamedNode(run_iri(run)), NamedNode(matches_graph(run))
        if not self._holds(node, STARTED, graph):
            quads.append(Quad(node, STARTED, now(), graph))
        self._write(quads)

    def add(
        self, run: int, cases: Iterable[tuple[str, PairResult]], modalities: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Write a batch of cases, (id, result) each, with the modality of those that have one. Writing a case twice changes
        nothing, so what was interrupted is written again.

        Raises:
            RunError: the store is closed or cannot be written.
        """
        self.load(nquads(run, cases, modalities))

    def load(self, quads: bytes | IO[bytes]) -> None:
        """Write what `nquads` made, as bytes or from a stream. Writing it twice changes nothing.

        Raises:
            RunError: the store is closed or cannot be written.
        """
        if self._store is None:
            raise RunError(f"{self._folder}: the graph is closed; open it again")
        with _as_run_error(self._folder):
            # Not one transaction (that takes three times as long and as much space), but none of it is half a quad.
            self._store.bulk_load(input=quads, format=RdfFormat.N_QUADS)

    def finish(self, run: int, statuses: Mapping[str, int]) -> None:
        """Write when the run ended and how many of its cases ended in each status.

        Raises:
            RunError: the store is closed or cannot be written.
        """
        node, graph = NamedNode(run_iri(run)), NamedNode(matches_graph(run))
        quads = list(finish_quads(run, statuses))
        if not self._holds(node, ENDED, graph):
            quads.append(Quad(node, ENDED, now(), graph))
        self._write(quads)

    def _holds(self, subject: NamedNode, predicate: NamedNode, graph: NamedNode) -> bool:
        return self._store is not None and next(self._store.quads_for_pattern(subject, predicate, None, graph), None) is not None

    def _write(self, quads: Iterable[Quad]) -> None:
        self.load(_serialised(quads))


def nquads(
    run: int, cases: Iterable[tuple[str, PairResult]], modalities: Mapping[str, str] = MappingProxyType({})
) -> bytes:
    """Return what the graph says about some cases, (id, result) each, as N-Quads; the modality of those that have one."""
    return _serialised(
        quad for case, result in cases for quad in case_quads(run, case, result, concept_node, modalities.get(case, ""))
    )


def _serialised(quads: Iterable[Quad]) -> bytes:
    buffer = io.BytesIO()
    pyoxigraph.serialize(quads, buffer, format=RdfFormat.N_QUADS)
    return buffer.getvalue()


def _load_schema(store: Store, content: str) -> None:
    mark = Quad(_SCHEMA, _HASH, Literal(content), _SCHEMA)
    if mark in store:
        return
    for graph in (_SCHEMA, _CLOSURE):
        store.clear_graph(graph)
    for path in schema_files():
        store.bulk_load(path=str(path), format=RdfFormat.TURTLE, to_graph=_SCHEMA)
    store.bulk_extend(closure_quads(load_turtle(resource("ontologies"))))
    store.add(mark)  # last: a store without it is loaded again
    store.flush()


def _copy_template(content: str, target: Path) -> None:
    """Copy a store that holds the schema, kept in the cache: loading it takes seconds, copying it hardly any time.

    A cache that cannot be written costs those seconds and nothing else; one that is damaged is thrown away.
    """
    template = cache_folder() / f"schema-{content[:16]}"
    try:
        if not template.exists():
            template.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=template.parent) as scratch:
                _make_template(Path(scratch), content)
                # Whole or not at all; if another process was quicker, its copy is as good.
                with suppress(OSError):
                    Path(scratch, "copy").rename(template)
        with TemporaryDirectory(dir=target.parent) as scratch:
            # No hard links (`Store.backup` makes them): damage to a run must not reach the template.
            copy = shutil.copytree(template, Path(scratch, "copy"))
            Store.read_only(str(copy))
            copy.rename(target)
    except (OSError, RuntimeError):
        shutil.rmtree(template, ignore_errors=True)


def _make_template(scratch: Path, content: str) -> None:
    store = Store(str(scratch / "store"))
    _load_schema(store, content)
    store.optimize()
    store.backup(str(scratch / "copy"))


def open_for_reading(folder: Path) -> Store:
    """Return the store of a run folder, read-only; a writer may be at work beside it.

    Raises:
        RunError: the folder has no graph, or it cannot be opened.
    """
    path = folder / FOLDER
    if not path.is_dir():
        raise RunError(f"{folder}: holds no graph; make one with: kgscore score PAIRS --out {folder}")
    with _as_run_error(folder):
        return Store.read_only(str(path))


def open_for_writing(folder: Path) -> Store:
    """Return the store of a run folder, for an update of one's own.

    Raises:
        RunError: the folder has no graph, or it cannot be opened.
    """
    open_for_reading(folder)  # says it if there is none
    with _as_run_error(folder):
        return Store(str(folder / FOLDER))


def compact(folder: Path) -> None:
    """Compact the store of a run folder, which makes reading faster.

    Raises:
        RunError: the folder has no graph, or it cannot be written.
    """
    store = open_for_writing(folder)
    with _as_run_error(folder):
        store.optimize()


def export(folder: Path, output: IO[bytes], format: str, graph: str | None = None) -> None:
    """Write the graph of a run folder as `nquads`, `trig` (graphs kept) or `turtle` (one graph, or all of them as one).

    Raises:
        RunError: the folder has no graph of that name, or it cannot be opened.
    """
    store = open_for_reading(folder)
    name = NamedNode(graph) if graph else None
    if name is not None and not store.contains_named_graph(name):
        raise RunError(f"{folder}: has no graph '{graph}'; list them with: SELECT DISTINCT ?g {{ GRAPH ?g {{ ?s ?p ?o }} }}")
    quads: Iterable[Quad] = store.quads_for_pattern(None, None, None, name) if name else store
    if format == "turtle":
        _write_turtle((quad.triple for quad in quads), output)
    else:
        prefixes = None if format == "nquads" else dict(PREFIXES)
        pyoxigraph.serialize(quads, output, format=FORMATS[format], prefixes=prefixes)


def turtle(triples: Iterable[str], output: IO[bytes]) -> None:
    """Write triples, each a line of N-Triples, as Turtle with the known prefixes."""
    quads = pyoxigraph.parse("\n".join(triples), format=RdfFormat.N_TRIPLES)
    _write_turtle((quad.triple for quad in quads), output)


def _write_turtle(triples: Iterable[Triple], output: IO[bytes]) -> None:
    ordered = sorted({str(triple): triple for triple in triples}.items())
    pyoxigraph.serialize((triple for _, triple in ordered), output, format=RdfFormat.TURTLE, prefixes=dict(PREFIXES))


def export_text(folder: Path, format: str, graph: str | None = None) -> str:
    """Return what `export` writes, as text."""
    buffer = io.BytesIO()
    export(folder, buffer, format, graph)
    return buffer.getvalue().decode("utf-8")


@contextmanager
def _as_run_error(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a damaged store raises any of them
        said = (str(error).splitlines() or [type(error).__name__])[0]
        if "lock" in said.lower():
            advice = "another process writes to it; wait for it, or choose another folder"
        else:
            advice = "check the folder and its permissions; if it is damaged, move it away and run again"
        raise RunError(f"{folder}: the graph cannot be opened or written ({said}); {advice}") from None
