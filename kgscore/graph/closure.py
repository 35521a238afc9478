"""What follows from the ontologies, written out: which class is which, what lies in what, how severe. Queries then join, and
need not walk the restrictions that OWL uses for parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Triple

from kgscore.graph.vocabulary import BASE, RUN
from kgscore.ontology.compile import build_index
from kgscore.ontology.tables import Term
from kgscore.ontology.turtle import catalogue, full_iri

_IS_A, _WITHIN, _SEVERITY, _REGION = (NamedNode(RUN + name) for name in ("isA", "within", "severity", "region"))
_TOPS = {
    "anatomy": "Anatomy", "findings": "Finding", "devices": "Finding", "descriptors": "Descriptor", "qualities": "Quality",
    "normals": "NormalStatement",
}  # fmt: skip
_GRADED = ("findings", "devices")


def closure_triples(terms: Iterable[Term]) -> Iterator[Triple]:
    """Yield `isA` (reflexive, transitive, with the definitions' parents and the top class), `within` (is-a and part-of
    composed, from structures), the effective clinical severity and the region of every concept of the terms."""
    terms = list(terms)
    index = build_index(terms)
    nodes = {key: NamedNode(full_iri(name)) for key, name in catalogue(terms).names.items()}
    for key, concept in index.concepts.items():
        node = nodes[key]
        yield Triple(node, _IS_A, NamedNode(BASE + _TOPS[concept.kind]))
        for above in index.ancestors[key]:
            yield Triple(node, _IS_A, nodes[above])
        for whole in index.within.get(key, ()):
            yield Triple(node, _WITHIN, nodes[whole])
        if concept.kind in _GRADED:
            yield Triple(node, _SEVERITY, Literal(concept.severity))
        yield Triple(node, _REGION, Literal(concept.module))
