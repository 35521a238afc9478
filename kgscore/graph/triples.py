"""Cases as quads: one named graph a report, one a run for what relates the reports, one for the details that reports share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad

from kgscore.graph.vocabulary import (
    RUN,
    SHARED_GRAPH,
    case_iri,
    concept_iri,
    detail_iri,
    iri,
    matches_graph,
    report_iri,
    run_iri,
    span_iri,
    statement_iri,
)
from kgscore.model import Correction, Detail, Finding, Link, PairResult, Reading, Score

Values = Iterable[tuple[NamedNode, NamedNode | Literal]]
TYPE = NamedNode(iri("rdf:type"))
LABEL = NamedNode(iri("rdfs:label"))
GENERATED_BY = NamedNode(iri("prov:wasGeneratedBy"))
_NAMES = (
    "Case Report Statement Entity Detail Match Contradiction Score Correction inRun inCase inReport case side modality status "
    "reason number text span asserts denies alternative unlinked unlinkedSpan site tip laterality certainty change restricted "
    "detail section concept entityType category value reference candidate relation onAnatomy onFinding onDetail weight flow "
    "proof missedFrom notIn metric scoreOf action severity errorCategory line oldText newText comment"
)
TERM = {name: NamedNode(RUN + name) for name in _NAMES.split()}
_NIF = "Context beginIndex endIndex anchorOf referenceContext"
_SPAN = {name: NamedNode(iri(f"nif:{name}")) for name in _NIF.split()}
_RELATIONS = {
    "equivalent": NamedNode(RUN + "equivalentTo"),
    "part_whole": NamedNode(RUN + "partWholeOf"),
    "contradiction": NamedNode(RUN + "contradicts"),
}
_ENTITY_RELATIONS = {
    "modify": NamedNode(RUN + "modifies"),
    "located_at": NamedNode(RUN + "locatedAt"),
    "suggestive_of": NamedNode(RUN + "suggestiveOf"),
    "associated_with": NamedNode(RUN + "associatedWith"),
}
_SHARED = NamedNode(SHARED_GRAPH)
_SIDES = ("reference", "candidate")


def own_node(id: str) -> NamedNode:
    """Return the node of a concept under its own IRI."""
    return NamedNode(concept_iri(id))


def case_quads(
    run: int, case: str, result: PairResult, concept: Callable[[str], NamedNode | None] = own_node, modality: str = ""
) -> Iterator[Quad]:
    """Yield everything the graph says about one pair. The same pair gives the same quads, so that writing twice does no harm,
    and no triple stands in two graphs, so that counting over all graphs counts once.

    `concept` gives the node of a concept or structure by its id, None where the schema has none.
    """
    graph, node = NamedNode(matches_graph(run)), NamedNode(case_iri(run, case))
    activity = NamedNode(run_iri(run))
    sides = {side: report_iri(run, case, side) for side in _SIDES}
    yield from _quads(node, _case_values(activity, case, result, modality), graph)
    for side, reading in (("reference", result.reference), ("candidate", result.candidate)):
        if reading is not None:
            about = ((TERM["inCase"], node), (TERM["inRun"], activity), (GENERATED_BY, activity))
            yield from _quads(NamedNode(sides[side]), about, NamedNode(sides[side]))
            yield from reading_quads(sides[side], case, side, reading, concept)
    for number, link in enumerate((*result.links, *result.contradictions)):
        yield from _link_quads(graph, node, number, link, sides)
    for missed in result.unmatched_reference:
        statement = NamedNode(statement_iri(sides["reference"], missed))
        yield Quad(statement, TERM["missedFrom"], NamedNode(sides["candidate"]), graph)
    for invented in result.unmatched_candidate:
        statement = NamedNode(statement_iri(sides["candidate"], invented))
        yield Quad(statement, TERM["notIn"], NamedNode(sides["reference"]), graph)
    for score in result.scores.values():
        owner = NamedNode(f"{node.value}/score/{score.metric}")
        yield from _quads(owner, _score_values(node, case, sides["candidate"], score), graph)
    for number, correction in enumerate(result.corrections):
        owner = NamedNode(f"{node.value}/correction/{number}")
        yield from _quads(owner, _correction_values(node, correction), graph)
        for side, span in zip(("candidate", "reference"), correction.spans, strict=True):
            if span is not None:
                # The words stand in the correction; the report's graph says where the stretch is.
                text = correction.old_text if side == "candidate" else ""
                yield Quad(owner, TERM["span"], NamedNode(span_iri(sides[side], *span)), graph)
                yield from _span_quads(sides[side], *span, text)


def reading_quads(
    report: str, case: str, side: str, reading: Reading, concept: Callable[[str], NamedNode | None] = own_node
) -> Iterator[Quad]:
    """Yield the quads of one report, in the graph that bears its IRI; details go to the graph that all share."""
    graph = NamedNode(report)

    def node(id: str) -> NamedNode:
        return concept(id) or own_node(id)

    about = (
        (TYPE, TERM["Report"]), (TYPE, _SPAN["Context"]), (TERM["case"], Literal(case)), (TERM["side"], Literal(side)),
    )  # fmt: skip
    yield from _quads(graph, about, graph)
    for number, finding in enumerate(reading.findings):
        statement = NamedNode(statement_iri(report, number))
        yield Quad(statement, TYPE, TERM["Statement"], graph)
        yield Quad(statement, TERM["inReport"], graph, graph)
        yield Quad(statement, TERM["number"], Literal(number), graph)
        yield Quad(statement, TERM["span"], NamedNode(span_iri(report, finding.start, finding.end)), graph)
        yield from _quads(statement, _finding_values(finding, node), graph)
        yield from _span_quads(report, finding.start, finding.end, finding.text)
        for detail in finding.details:
            yield from _detail_quads(detail, concept)
    spans = [NamedNode(span_iri(report, entity.start, entity.end)) for entity in reading.entities]
    for span, entity in zip(spans, reading.entities, strict=True):
        yield Quad(span, TYPE, TERM["Entity"], graph)
        yield Quad(span, TERM["entityType"], Literal(entity.type), graph)
        yield Quad(span, TERM["concept"], node(entity.concept), graph)
        yield from _span_quads(report, entity.start, entity.end, entity.text)
    for link in reading.relations:
        yield Quad(spans[link.source], _ENTITY_RELATIONS[link.type], spans[link.target], graph)
    for words in reading.unlinked:
        yield Quad(graph, TERM["unlinkedSpan"], NamedNode(span_iri(report, words.start, words.end)), graph)
        yield from _span_quads(report, words.start, words.end, words.text)


def _quads(subject: NamedNode, values: Values, graph: NamedNode) -> Iterator[Quad]:
    return (Quad(subject, predicate, value, graph) for predicate, value in values)


def _case_values(run: NamedNode, case: str, result: PairResult, modality: str) -> Values:
    yield TYPE, TERM["Case"]
    yield TERM["case"], Literal(case)
    yield TERM["inRun"], run
    yield GENERATED_BY, run
    yield TERM["status"], Literal(result.status)
    if result.reason:
        yield TERM["reason"], Literal(result.reason)
    if modality:
        yield TERM["modality"], Literal(modality)


def _finding_values(finding: Finding, node: Callable[[str], NamedNode]) -> Values:
    yield TERM["text"], Literal(finding.text)
    yield TERM["status"], Literal(finding.status)
    yield TERM["certainty"], Literal(finding.certainty)
    if finding.concept is None:
        yield TERM["unlinked"], Literal(finding.label)
    else:
        yield TERM["asserts" if finding.asserts else "denies"], node(finding.concept)
    for name, ids in (("alternative", finding.alternatives), ("site", finding.sites), ("tip", finding.tip)):
        for id in ids:
            yield TERM[name], node(id)
    for name, value in (("laterality", finding.side), ("change", finding.change), ("section", finding.section)):
        if value:
            yield TERM[name], Literal(value)
    if finding.restricted:
        yield TERM["restricted"], Literal(True)
    for detail in finding.details:
        yield TERM["detail"], NamedNode(detail_iri(detail.category, detail.value))


def _detail_quads(detail: Detail, concept: Callable[[str], NamedNode | None]) -> Iterator[Quad]:
    node = NamedNode(detail_iri(detail.category, detail.value))
    yield Quad(node, TYPE, TERM["Detail"], _SHARED)
    yield Quad(node, TERM["category"], Literal(detail.category), _SHARED)
    yield Quad(node, TERM["value"], Literal(detail.value), _SHARED)
    known = concept(detail.value)
    if known is not None:
        yield Quad(node, TERM["concept"], known, _SHARED)


def _span_quads(report: str, start: int, end: int, text: str) -> Iterator[Quad]:
    """Yield a stretch of a report, a NIF 2.0 string: offsets in characters, the end exclusive, and the words where they are
    known. Its class follows from `nif:beginIndex` and is not written."""
    graph, span = NamedNode(report), NamedNode(span_iri(report, start, end))
    yield Quad(span, _SPAN["referenceContext"], graph, graph)
    yield Quad(span, _SPAN["beginIndex"], Literal(start), graph)
    yield Quad(span, _SPAN["endIndex"], Literal(end), graph)
    if text:
        yield Quad(span, _SPAN["anchorOf"], Literal(text), graph)


def _link_quads(graph: NamedNode, case: NamedNode, number: int, link: Link, sides: dict[str, str]) -> Iterator[Quad]:
    match = NamedNode(f"{case.value}/match/{number}")
    reference = NamedNode(statement_iri(sides["reference"], link.reference))
    candidate = NamedNode(statement_iri(sides["candidate"], link.candidate))
    yield from _quads(match, _match_values(case, reference, candidate, link), graph)
    if link.relation.relation in _RELATIONS:
        yield Quad(reference, _RELATIONS[link.relation.relation], candidate, graph)


def _match_values(case: NamedNode, reference: NamedNode, candidate: NamedNode, link: Link) -> Values:
    relation = link.relation
    yield TYPE, TERM["Match"]
    if relation.relation == "contradiction":
        yield TYPE, TERM["Contradiction"]
    yield TERM["inCase"], case
    yield TERM["reference"], reference
    yield TERM["candidate"], candidate
    yield TERM["relation"], Literal(relation.relation)
    for name, label in (("onAnatomy", relation.anatomy), ("onFinding", relation.finding), ("onDetail", relation.detail)):
        if label:
            yield TERM[name], Literal(label)
    yield TERM["weight"], Literal(relation.weight)
    yield TERM["flow"], Literal(link.flow)
    if relation.proof:
        yield TERM["proof"], Literal("\n".join(relation.proof))


def _score_values(case: NamedNode, id: str, candidate: str, score: Score) -> Values:
    yield TYPE, TERM["Score"]
    yield TERM["scoreOf"], NamedNode(candidate)
    yield TERM["inCase"], case
    yield TERM["case"], Literal(id)
    yield TERM["metric"], Literal(score.metric)
    yield TERM["status"], Literal(score.status)
    if score.value is not None:
        yield TERM["value"], Literal(score.value)


def _correction_values(case: NamedNode, correction: Correction) -> Values:
    yield TYPE, TERM["Correction"]
    yield TERM["inCase"], case
    yield TERM["action"], Literal(correction.action)
    yield TERM["severity"], Literal(correction.severity)
    yield TERM["comment"], Literal(correction.comment)
    for category in correction.radevalx or correction.categories:
        yield TERM["errorCategory"], Literal(category)
    if correction.line is not None:
        yield TERM["line"], Literal(correction.line)
    for name, text in (("oldText", correction.old_text), ("newText", correction.new_text)):
        if text:
            yield TERM[name], Literal(text)
    if correction.proof:
        yield TERM["proof"], Literal("\n".join(correction.proof))
