"""The shapes hold for what is written, and catch what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, URIRef

from kgscore.engine import Scorer
from kgscore.graph.shapes import check_shapes, validate
from kgscore.graph.store import RunGraph, export_text
from kgscore.results.database import RunKey

KGR = Namespace("https://w3id.org/kgscore/run#")
NIF = Namespace("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shapes")
    result = Scorer(metrics=("radsem", "fineradscore")).score(
        id="a",
        reference="Small left pleural effusion. The heart is enlarged. Strange wobbly frobnication. No pneumothorax.",
        candidate="Large left pleural effusion, increased. Right pneumothorax. Heart size is normal.",
    )
    with RunGraph(place) as graph:
        graph.begin(1, RunKey("pairs.jsonl", "0", "default", ("radsem", "fineradscore"), {"kgscore": "0", "knowledge": "1"}))
        graph.add(1, [("a", result)], {"a": "CR"})
        graph.finish(1, {"scored": 1})
    return place


@pytest.fixture
def data(folder: Path) -> Graph:
    """Everything in the graph but schema and closure."""
    lines = (line for line in export_text(folder, "nquads").splitlines() if "kgscore/data/" in line)
    return Graph().parse(data="\n".join(f"{line.rsplit(' <', 1)[0]} ." for line in lines), format="nt")


def test_what_is_written_keeps_to_the_shapes(folder: Path, data: Graph) -> None:
    assert list(check_shapes(folder)) == []
    assert validate(data) == []
    for kind in ("Run", "Case", "Report", "Statement", "Entity", "Match", "Contradiction", "Score", "Correction", "Detail"):
        assert any(data.subjects(RDF.type, KGR[kind])), kind  # each shape has had something to hold to


def first(data: Graph, kind: str) -> URIRef:
    node = min(data.subjects(RDF.type, KGR[kind]))
    assert isinstance(node, URIRef)
    return node


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("Statement", "status", Literal("maybe")),
        ("Statement", "laterality", Literal("upper")),
        ("Statement", "number", Literal("first")),
        ("Match", "weight", Literal(1.5)),
        ("Match", "relation", Literal("similar")),
        ("Match", "reference", URIRef("urn:nowhere")),
        ("Contradiction", "flow", Literal(1.0)),
        ("Score", "status", Literal("failed")),
        ("Score", "value", Literal("high")),
        ("Correction", "severity", Literal(9)),
        ("Correction", "action", Literal("rewrite")),
        ("Entity", "entityType", Literal("organ")),
        ("Report", "side", Literal("other")),
        ("Case", "status", Literal("fine")),
        ("Run", "profile", None),
        ("Run", "number", Literal("-1", datatype=XSD.integer)),
    ],
)
def test_what_is_wrong_is_caught(data: Graph, kind: str, name: str, value: Literal | URIRef | None) -> None:
    node = first(data, kind)
    data.remove((node, KGR[name], None))
    if value is not None:
        data.add((node, KGR[name], value))
    assert str(node).rsplit("/", 1)[-1] in " ".join(one.node for one in validate(data))


def test_a_span_that_ends_before_it_begins_is_caught(data: Graph) -> None:
    span = min(data.subjects(NIF.beginIndex))
    data.set((span, NIF.beginIndex, Literal(10_000)))
    assert any("begins once" in one.message for one in validate(data))


def test_what_is_missed_is_matched_by_nothing(data: Graph) -> None:
    matched = min(data.subjects(KGR.equivalentTo), default=None) or min(data.subjects(KGR.partWholeOf))
    data.add((matched, KGR.missedFrom, min(data.objects(None, KGR.scoreOf))))
    assert any("matched by nothing" in one.message for one in validate(data))
