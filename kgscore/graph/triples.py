"""Findings, matches and scores as quads: one named graph a report, one a run for what relates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad

from kgscore.graph.vocabulary import RUN, concept_iri, matches_graph, report_iri, statement_iri
from kgscore.model import Finding, Link, PairResult, Reading

_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_NAMES = (
    "Report Statement Match Score case side inReport number text start end asserts denies alternative unlinked site tip "
    "laterality status certainty change detail section reference candidate relation weight flow proof missedFrom notIn "
    "metric value scoreOf"
)
_TERM = {name: NamedNode(RUN + name) for name in _NAMES.split()}
_RELATIONS = {
    "equivalent": NamedNode(RUN + "equivalentTo"),
    "part_whole": NamedNode(RUN + "partWholeOf"),
    "contradiction": NamedNode(RUN + "contradicts"),
}


def own_node(id: str) -> NamedNode:
    """Return the node of a concept under its own IRI."""
    return NamedNode(concept_iri(id))


def case_quads(run: int, case: str, result: PairResult, concept: Callable[[str], NamedNode] = own_node) -> Iterator[Quad]:
    """Yield everything the graph says about one pair. The same pair gives the same quads, so that writing twice does no harm.

    `concept` gives the node of a concept or structure by its id.
    """
    sides = {side: report_iri(run, case, side) for side in ("reference", "candidate")}
    for side, reading in (("reference", result.reference), ("candidate", result.candidate)):
        if reading is not None:
            yield from reading_quads(sides[side], case, side, reading, concept)
    graph = NamedNode(matches_graph(run))
    pair = NamedNode(report_iri(run, case, "match"))
    for number, link in enumerate((*result.links, *result.contradictions)):
        yield from _link_quads(graph, NamedNode(f"{pair.value}/{number}"), link, sides)
    for missed in result.unmatched_reference:
        statement = NamedNode(statement_iri(sides["reference"], missed))
        yield Quad(statement, _TERM["missedFrom"], NamedNode(sides["candidate"]), graph)
    for invented in result.unmatched_candidate:
        statement = NamedNode(statement_iri(sides["candidate"], invented))
        yield Quad(statement, _TERM["notIn"], NamedNode(sides["reference"]), graph)
    for score in result.scores.values():
        if score.value is not None:
            node = NamedNode(f"{report_iri(run, case, 'score')}/{score.metric}")
            yield Quad(node, _TYPE, _TERM["Score"], graph)
            yield Quad(node, _TERM["scoreOf"], NamedNode(sides["candidate"]), graph)
            yield Quad(node, _TERM["case"], Literal(case), graph)
            yield Quad(node, _TERM["metric"], Literal(score.metric), graph)
            yield Quad(node, _TERM["value"], Literal(score.value), graph)


def reading_quads(
    report: str, case: str, side: str, reading: Reading, concept: Callable[[str], NamedNode] = own_node
) -> Iterator[Quad]:
    """Yield the quads of one report, in the graph that bears its IRI."""
    graph = NamedNode(report)
    yield Quad(graph, _TYPE, _TERM["Report"], graph)
    yield Quad(graph, _TERM["case"], Literal(case), graph)
    yield Quad(graph, _TERM["side"], Literal(side), graph)
    for number, finding in enumerate(reading.findings):
        statement = NamedNode(statement_iri(report, number))
        yield Quad(statement, _TYPE, _TERM["Statement"], graph)
        yield Quad(statement, _TERM["inReport"], graph, graph)
        yield Quad(statement, _TERM["number"], Literal(number), graph)
        for name, value in _finding_values(finding, concept):
            yield Quad(statement, _TERM[name], value, graph)
    for words in reading.unlinked:
        yield Quad(graph, _TERM["unlinked"], Literal(words.text), graph)


def _finding_values(finding: Finding, concept: Callable[[str], NamedNode]) -> Iterable[tuple[str, NamedNode | Literal]]:
    yield "text", Literal(finding.text)
    yield "start", Literal(finding.start)
    yield "end", Literal(finding.end)
    yield "status", Literal(finding.status)
    yield "certainty", Literal(finding.certainty)
    if finding.concept is None:
        yield "unlinked", Literal(finding.label)
    else:
        yield "asserts" if finding.asserts else "denies", concept(finding.concept)
    for name, ids in (("alternative", finding.alternatives), ("site", finding.sites), ("tip", finding.tip)):
        for id in ids:
            yield name, concept(id)
    for name, value in (("laterality", finding.side), ("change", finding.change), ("section", finding.section)):
        if value:
            yield name, Literal(value)
    for detail in finding.details:
        yield "detail", Literal(f"{detail.category}: {detail.value}")


def _link_quads(graph: NamedNode, match: NamedNode, link: Link, sides: dict[str, str]) -> Iterator[Quad]:
    reference = NamedNode(statement_iri(sides["reference"], link.reference))
    candidate = NamedNode(statement_iri(sides["candidate"], link.candidate))
    relation = link.relation
    yield Quad(match, _TYPE, _TERM["Match"], graph)
    yield Quad(match, _TERM["reference"], reference, graph)
    yield Quad(match, _TERM["candidate"], candidate, graph)
    yield Quad(match, _TERM["relation"], Literal(relation.relation), graph)
    yield Quad(match, _TERM["weight"], Literal(relation.weight), graph)
    yield Quad(match, _TERM["flow"], Literal(link.flow), graph)
    if relation.proof:
        yield Quad(match, _TERM["proof"], Literal("\n".join(relation.proof)), graph)
    if relation.relation in _RELATIONS:
        yield Quad(reference, _RELATIONS[relation.relation], candidate, graph)
