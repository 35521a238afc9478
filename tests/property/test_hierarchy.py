"""The closures of the index are those that networkx finds in the graph of the terms."""

from __future__ import annotations

import random

import networkx
import pytest

from kgscore.ontology.compile import build_index
from kgscore.ontology.index import Index
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import Term
from kgscore.resources import resource


@pytest.fixture(scope="module")
def terms() -> list[Term]:
    return load_turtle(resource("ontologies"))


@pytest.fixture(scope="module")
def index(terms: list[Term]) -> Index:
    return build_index(terms)


def graph_of(edges: dict[str, set[str]]) -> networkx.DiGraph:
    graph = networkx.DiGraph()
    graph.add_nodes_from(edges)
    graph.add_edges_from((low, high) for low, highs in edges.items() for high in highs if high in edges)
    return graph


def test_every_structure_is_within_what_networkx_reaches(terms: list[Term], index: Index) -> None:
    graph = graph_of({term.id: {*term.parents, *term.parts} for term in terms if term.kind == "anatomy"})
    assert networkx.is_directed_acyclic_graph(graph)
    assert {name: set(index.within[name]) for name in graph} == {
        name: {name, *networkx.descendants(graph, name)} for name in graph
    }  # fmt: skip


def test_every_finding_has_the_ancestors_that_networkx_reaches(terms: list[Term], index: Index) -> None:
    edges = {}
    for term in terms:
        genus = {term.definitions[0].genus} if len(term.definitions) == 1 else set()
        edges[term.id] = {*term.parents, *(genus if term.kind in ("findings", "devices") else set())}
    graph = graph_of(edges)
    assert networkx.is_directed_acyclic_graph(graph)
    assert {name: set(index.ancestors[name]) for name in graph} == {
        name: {name, *networkx.descendants(graph, name)} for name in graph
    }  # fmt: skip


def test_distances_are_shortest_paths(terms: list[Term], index: Index) -> None:
    graph = graph_of({name: set(concept.parents) for name, concept in index.concepts.items()})
    drawn = random.Random(7)
    names = sorted(graph)
    for name in drawn.sample(names, 400):
        lengths = networkx.single_source_shortest_path_length(graph, name)
        for above, steps in lengths.items():
            assert index.distance(name, above) == min(steps, 9), (name, above)
        stranger = drawn.choice(names)
        if stranger not in lengths:
            assert index.distance(name, stranger) == 9
