"""Validates the graph of a run against the SHACL shapes in `ontologies/shapes.ttl`, some cases at a time.

Without pyshacl, MissingExtraError is raised; RunError if the folder has no graph or cannot be opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Store
from rdflib import BNode, Graph
from rdflib.namespace import SH

from kgscore.errors import MissingExtraError
from kgscore.graph.store import open_for_reading
from kgscore.graph.triples import TYPE, term
from kgscore.graph.vocabulary import iri, shorten
from kgscore.resources import resource

BATCH = 20
_CONTEXT = NamedNode(iri("nif:referenceContext"))


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation of a shape: the node, the property (if there is one), the message, and the offending value."""

    node: str
    path: str
    message: str
    value: str


def check_shapes(
    folder: Path, sample: int | None = None, progress: Callable[[int], None] = lambda done: None
) -> Iterator[Violation]:
    """Yield the violations in the graph of a run folder: of every run, and of all cases or of `sample` of each run,
    evenly spaced."""
    store = open_for_reading(folder)
    shapes = Graph().parse(resource("ontologies", "shapes.ttl"))
    done = 0
    for run in _subjects(store, TYPE, term("Run")):
        # Reports are part of the run too; their IRIs extend that of the case.
        parts = _subjects(store, term("inRun"), NamedNode(run))
        cases = [one for one in parts if one.count("/") == run.count("/") + 2]
        if sample is not None and sample < len(cases):
            cases = [cases[number * len(cases) // sample] for number in range(sample)]
        for first in range(0, max(1, len(cases)), BATCH):
            batch = cases[first : first + BATCH]
            yield from validate(_graph_of(store, run, batch), shapes)
            done += len(batch)
            progress(done)


def validate(data: Graph, shapes: Graph | None = None) -> list[Violation]:
    """Return the violations in a graph."""
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
    return "" if term is None or isinstance(term, BNode) else shorten(str(term))


def _subjects(store: Store, predicate: NamedNode, value: NamedNode) -> list[str]:
    found = (quad.subject for quad in store.quads_for_pattern(None, predicate, value, None))
    return sorted(node.value for node in found if isinstance(node, NamedNode))


def _graph_of(store: Store, run: str, cases: Iterable[str]) -> Graph:
    """Return the triples about a run itself, its sums, and some of its cases, as an rdflib graph."""
    found: dict[str, None] = {}

    def take_statements(node: Any) -> list[Any]:
        quads = list(store.quads_for_pattern(node, None, None))
        found.update((f"{quad.triple} .", None) for quad in quads)
        return [quad.object for quad in quads]

    def subjects_with(predicate: NamedNode, value: NamedNode) -> list[Any]:
        return [quad.subject for quad in store.quads_for_pattern(None, predicate, value)]

    for node in (NamedNode(run), NamedNode(f"{run}/input"), *subjects_with(term("tallyOf"), NamedNode(run))):
        take_statements(node)
    for case in cases:
        take_statements(NamedNode(case))
        for owner in subjects_with(term("inCase"), NamedNode(case)):
            take_statements(owner)
            for part in (*subjects_with(term("inReport"), owner), *subjects_with(_CONTEXT, owner)):
                for value in take_statements(part):
                    if isinstance(value, NamedNode) and "/data/detail/" in value.value:
                        take_statements(value)
    for kind in ("prov:SoftwareAgent", "prov:Entity"):
        for node in subjects_with(TYPE, NamedNode(iri(kind))):
            take_statements(node)
    return Graph().parse(data="\n".join(found), format="nt")
