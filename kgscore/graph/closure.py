"""Inferences from the ontologies, materialised: subsumption, containment and severity. Queries can then use joins and
need not follow the OWL restrictions used for parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Triple

from kgscore.graph.vocabulary import RUN
from kgscore.ontology.alike import alike_of
from kgscore.ontology.compile import build_index
from kgscore.ontology.tables import FINDINGS, Term
from kgscore.ontology.turtle import TOPS, catalogue, full_iri

_IS_A, _WITHIN, _ALIKE, _SEVERITY, _REGION = (NamedNode(RUN + name) for name in ("isA", "within", "alike", "severity", "region"))


def closure_triples(terms: Iterable[Term]) -> Iterator[Triple]:
    """Yield `isA` (reflexive, transitive, with the definitions' parents and the top class), `within` (is-a and part-of
    composed, from structures), `alike` (what reports use for one another), the effective clinical severity and the region of
    every concept of the terms."""
    terms = list(terms)
    index = build_index(terms)
    nodes = {key: NamedNode(full_iri(name)) for key, name in catalogue(terms).names.items()}
    alike = alike_of(index)
    for key, concept in index.concepts.items():
        node = nodes[key]
        yield Triple(node, _IS_A, NamedNode(full_iri(TOPS[concept.kind])))
        for above in index.ancestors[key]:
            yield Triple(node, _IS_A, nodes[above])
        for whole in index.within.get(key, ()):
            yield Triple(node, _WITHIN, nodes[whole])
        for other in (*alike.places.get(key, ()), *alike.named.get(key, ())):
            yield Triple(node, _ALIKE, nodes[other])
        if concept.kind in FINDINGS:
            yield Triple(node, _SEVERITY, Literal(concept.severity))
        yield Triple(node, _REGION, Literal(concept.module))
