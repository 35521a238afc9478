"""Holds the graph of a run to the SHACL shapes in `ontologies/shapes.ttl`, some cases at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Store
from rdflib import BNode, Graph
from rdflib.namespace import SH

from kgscore.errors import MissingExtraError
from kgscore.graph.store import open_for_reading
from kgscore.graph.triples import TERM, TYPE
from kgscore.graph.vocabulary import RUN, SHARED_GRAPH, shortened
from kgscore.resources import resource

BATCH = 20
_RUN = NamedNode(RUN + "Run")


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a graph breaks a shape: the node, the property (if it is one), what is wrong, and the offending value."""

    node: str
    path: str
    message: str
    value: str


def check_shapes(
    folder: Path, sample: int | None = None, progress: Callable[[int], None] = lambda done: None
) -> Iterator[Violation]:
    """Yield what breaks the shapes in the graph of a run folder: of every run, and of all cases or of `sample` of each run,
    evenly spread.

    Raises:
        RunError: the folder has no graph, or it cannot be opened.
        MissingExtraError: pyshacl is not installed.
    """
    store = open_for_reading(folder)
    shapes = Graph().parse(resource("ontologies", "shapes.ttl"))
    done = 0
    for run in _subjects(store, TYPE, _RUN):
        cases = _subjects(store, TERM["inRun"], NamedNode(run), NamedNode(f"{run}/matches"))
        if sample is not None and sample < len(cases):
            cases = [cases[number * len(cases) // sample] for number in range(sample)]
        batches = iter(cases)
        batch = list(islice(batches, BATCH))
        while True:
            yield from validate(_graph_of(store, run, batch), shapes)
            done += len(batch)
            progress(done)
            batch = list(islice(batches, BATCH))
            if not batch:
                break


def validate(data: Graph, shapes: Graph | None = None) -> list[Violation]:
    """Return what breaks the shapes in a graph.

    Raises:
        MissingExtraError: pyshacl is not installed.
    """
    try:
        from pyshacl import validate as shacl
    except ImportError:
        raise MissingExtraError("checking shapes needs pyshacl; install it with: pip install 'kgscore[graph]'") from None
    shapes = Graph().parse(resource("ontologies", "shapes.ttl")) if shapes is None else shapes
    _, report, _ = shacl(data, shacl_graph=shapes, inference="none", advanced=False)
    if not isinstance(report, Graph):
        raise MissingExtraError(f"pyshacl gave no report; check its version (0.27 or newer): {report}")
    parts = (SH.focusNode, SH.resultPath, SH.resultMessage, SH.value)
    found = [Violation(*(_text(report.value(one, part)) for part in parts)) for one in report.objects(None, SH.result)]
    return sorted(found, key=lambda one: (one.node, one.path, one.message))


def _text(term: object) -> str:
    return "" if term is None or isinstance(term, BNode) else shortened(str(term))


def _subjects(store: Store, predicate: NamedNode, value: NamedNode, graph: NamedNode | None = None) -> list[str]:
    found = (quad.subject for quad in store.quads_for_pattern(None, predicate, value, graph))
    return sorted(node.value for node in found if isinstance(node, NamedNode))


def _graph_of(store: Store, run: str, cases: Iterable[str]) -> Graph:
    """Return what the store says of a run itself, of the details and of some of its cases, as an rdflib graph."""
    found: list[Any] = list(store.quads_for_pattern(NamedNode(run), None, None))
    found += store.quads_for_pattern(NamedNode(f"{run}/input"), None, None)
    found += store.quads_for_pattern(None, None, None, NamedNode(SHARED_GRAPH))
    for case in cases:
        node = NamedNode(case)
        found += store.quads_for_pattern(node, None, None)
        owned = {quad.subject for quad in store.quads_for_pattern(None, TERM["inCase"], node)}
        for owner in owned:
            found += store.quads_for_pattern(owner, None, None)
        for side in ("reference", "candidate"):
            report = NamedNode(f"{case}/{side}")
            inside = list(store.quads_for_pattern(None, None, None, report))
            found += inside
            for statement in {quad.subject for quad in inside if quad.predicate == TERM["inReport"]}:
                found += store.quads_for_pattern(statement, None, None)
    text = "\n".join({f"{quad.triple} ." for quad in found})
    return Graph().parse(data=text, format="nt")
