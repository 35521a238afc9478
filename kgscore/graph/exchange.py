"""Export of report and corpus graphs: networkx, GraphML, node-link JSON and RDF.

A folder without a graph raises RunError, a report that does not exist QueryError.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

import pyoxigraph
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple

from kgscore.errors import QueryError
from kgscore.graph.corpus import Corpus
from kgscore.graph.queries import Source
from kgscore.graph.resolve import rows, run_node
from kgscore.graph.triples import LABEL, TYPE, term
from kgscore.graph.vocabulary import DATA, PREFIXES, concept_iri, report_iri

if TYPE_CHECKING:
    import networkx as nx

_STATEMENTS = """SELECT ?s ?number ?status ?certainty ?text ?finding ?label ?laterality ?change
WHERE {{
  ?report kgr:inRun {run} ; kgr:case {case} ; kgr:side {side} .
  ?s kgr:inReport ?report ; kgr:number ?number ; kgr:status ?status ; kgr:certainty ?certainty ; kgr:text ?text .
  OPTIONAL {{ ?s kgr:asserts|kgr:denies ?c . ?c kgs:key ?finding ; rdfs:label ?label }}
  OPTIONAL {{ ?s kgr:laterality ?laterality }}
  OPTIONAL {{ ?s kgr:change ?change }}
}} ORDER BY ?number"""
_LINKS = """SELECT ?number ?relation ?target ?label
WHERE {{
  ?report kgr:inRun {run} ; kgr:case {case} ; kgr:side {side} .
  ?s kgr:inReport ?report ; kgr:number ?number .
  {{ ?s kgr:site ?t . BIND("located_at" AS ?relation) }} UNION {{ ?s kgr:tip ?t . BIND("tip_at" AS ?relation) }}
  UNION {{ ?s kgr:alternative ?t . BIND("suggestive_of" AS ?relation) }}
  UNION {{ ?s kgr:detail ?t . BIND("described_as" AS ?relation) }}
  OPTIONAL {{ ?t kgs:key ?key ; rdfs:label ?name }}
  OPTIONAL {{ ?t kgr:category ?category ; kgr:value ?value }}
  BIND(COALESCE(?key, CONCAT(?category, ": ", ?value), STR(?t)) AS ?target)
  BIND(COALESCE(?name, ?value, ?target) AS ?label)
}} ORDER BY ?number ?relation ?target"""
_REPORT = """CONSTRUCT {{ ?s ?p ?o }} WHERE {{
  {{ VALUES ?s {{ {report} }} ?s ?p ?o }} UNION {{ ?s kgr:inReport {report} ; ?p ?o }}
  UNION {{ ?s nif:referenceContext {report} ; ?p ?o }}
}}"""
_ATTRIBUTES = ("status", "certainty", "text", "finding", "label", "laterality", "change")


def report_network(source: Source, run: int, case: str, side: str) -> nx.DiGraph[str]:
    """Return the content of one report: one node per finding and per concept, edges `located_at`, `tip_at`,
    `suggestive_of`, `described_as`."""
    import networkx

    graph: Any = networkx.DiGraph(case=case, side=side)
    about = {"run": str(run_node(source, str(run))), "case": str(Literal(case)), "side": str(Literal(side))}
    for row in rows(source, _STATEMENTS.format(**about)):
        known = {name: row[name].value for name in _ATTRIBUTES if row[name] is not None}
        graph.add_node(f"finding {row['number'].value}", kind="finding", **known)
    if not graph:
        raise QueryError(f"{source}: run {run} has no findings of the {side} of case '{case}'; check the id")
    for row in rows(source, _LINKS.format(**about)):
        target = row["target"].value
        graph.add_node(target, kind="concept", label=row["label"].value)
        graph.add_edge(f"finding {row['number'].value}", target, relation=row["relation"].value)
    return graph


def corpus_network(corpus: Corpus, label: Callable[[str], str]) -> nx.DiGraph[str]:
    """Return a corpus as a graph: nodes `kind:id` and edges `relation`, each with its `weight` in reports."""
    import networkx

    graph: Any = networkx.DiGraph(name=corpus.name, reports=corpus.cases)
    for (kind, id), count in sorted(corpus.nodes.items()):
        graph.add_node(f"{kind}:{id}", kind=kind, concept=id, label=label(id), weight=count)
    for (finding, relation, target), count in sorted(corpus.edges.items()):
        node = f"{_END[relation]}:{target}"
        if node not in graph:  # concepts only mentioned as alternatives are not nodes
            graph.add_node(node, kind=_END[relation], concept=target, label=label(target), weight=0)
        graph.add_edge(f"finding:{finding}", node, relation=relation, weight=count)
    return graph


_END = {"located_at": "site", "tip_at": "site", "described_as": "descriptor", "suggestive_of": "finding"}


def corpus_triples(corpus: Corpus, node: Callable[[str], NamedNode]) -> Iterator[Triple]:
    """Yield a corpus as RDF: a `kgr:Corpus` with a weighted node for each concept and a weighted edge for each pair."""
    owner = NamedNode(f"{DATA}corpus/{concept_iri(corpus.name).rpartition('/')[2]}")

    def count_triples(item: str, kind: str, count: int, **about: NamedNode | Literal) -> Iterator[Triple]:
        subject = NamedNode(f"{owner.value}/{item}")
        yield Triple(subject, TYPE, term(kind))
        for name, value in {"inCorpus": owner, **about, "reports": Literal(count)}.items():
            yield Triple(subject, term(name), value)

    yield Triple(owner, TYPE, term("Corpus"))
    yield Triple(owner, LABEL, Literal(corpus.name))
    yield Triple(owner, term("reports"), Literal(corpus.cases))
    for number, ((kind, id), count) in enumerate(sorted(corpus.nodes.items())):
        yield from count_triples(f"node/{number}", "WeightedNode", count, concept=node(id), nodeKind=Literal(kind))
    for number, ((finding, relation, target), count) in enumerate(sorted(corpus.edges.items())):
        yield from count_triples(
            f"edge/{number}", "WeightedEdge", count, source=node(finding), edgeRelation=Literal(relation), target=node(target)
        )


def report_triples(source: Source, run: int, case: str, side: str) -> Iterator[Triple]:
    """Yield the triples about one report: its findings, entities, and words not understood."""
    report = report_iri(run, case, side)
    found = {str(triple): triple for triple in rows(source, _REPORT.format(report=f"<{report}>"))}
    if not found:
        raise QueryError(f"{source}: run {run} has no {side} of a case '{case}'; check the id")
    yield from (triple for _, triple in sorted(found.items()))


def nodes_of(source: Source) -> Callable[[str], NamedNode]:
    """Return a mapping function from ids to the concept nodes of the graph's ontology."""
    known = {row["key"].value: NamedNode(row["c"].value) for row in rows(source, "SELECT ?c ?key { ?c kgs:key ?key }")}
    return lambda id: known.get(id) or NamedNode(concept_iri(id))


def write_network(graph: nx.DiGraph[str], format: str, output: IO[bytes]) -> None:
    """Write a graph as `graphml` or node-link `json`."""
    import networkx as nx

    if format == "graphml":
        nx.write_graphml(graph, output, named_key_ids=True)
    else:
        output.write(f"{json.dumps(nx.node_link_data(graph, edges='edges'), ensure_ascii=False, indent=1)}\n".encode())


def write_triples(triples: Iterator[Triple], output: IO[bytes]) -> None:
    """Write triples as Turtle with the known prefixes."""
    pyoxigraph.serialize(triples, output, format=RdfFormat.TURTLE, prefixes=dict(PREFIXES))
