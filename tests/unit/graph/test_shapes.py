"""The shapes hold for what is written, and catch what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, URIRef

from kgscore.engine import Scorer
from kgscore.graph.shapes import check_shapes, validate
from kgscore.graph.store import RunGraph, export_text
from kgscore.graph.vocabulary import shortened
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


WRONG: tuple[tuple[str, str, Literal | URIRef | None], ...] = (
    ("Statement", "status", Literal("maybe")),
    ("Statement", "laterality", Literal("upper")),
    ("Statement", "number", Literal("first")),
    ("Match", "weight", Literal(1.5)),
    ("Match", "relation", Literal("similar")),
    ("Match", "reference", URIRef("urn:nowhere")),
    ("Contradiction", "flow", Literal(1.0)),
    ("Score", "value", Literal("high")),
    ("Correction", "severity", Literal(9)),
    ("Correction", "action", Literal("rewrite")),
    ("Entity", "entityType", Literal("organ")),
    ("Report", "side", Literal("other")),
    ("Case", "status", Literal("fine")),
    ("Run", "profile", None),
    ("Run", "number", Literal("-1", datatype=XSD.integer)),
)


def test_what_is_wrong_is_caught_and_said_with_its_place(data: Graph) -> None:
    expected = set()
    for kind, name, value in WRONG:
        node = first(data, kind)
        data.remove((node, KGR[name], None))
        if value is not None:
            data.add((node, KGR[name], value))
        expected.add((shortened(str(node)), f"kgr:{name}"))
    assert expected <= {(one.node, one.path) for one in validate(data)}


def test_what_must_agree_is_caught_where_it_does_not(data: Graph) -> None:
    span = min(data.subjects(NIF.beginIndex))
    data.set((span, NIF.beginIndex, Literal(10_000)))
    score = first(data, "Score")
    data.set((score, KGR.status, Literal("failed")))
    matched = min(data.subjects(KGR.equivalentTo), default=None) or min(data.subjects(KGR.partWholeOf))
    data.add((matched, KGR.missedFrom, min(data.objects(None, KGR.scoreOf))))
    stated = min(data.subjects(KGR.denies))
    data.set((stated, KGR.status, Literal("present")))
    said = {(one.node, one.message) for one in validate(data)}
    wrong = {
        span: "A span begins once", score: "never a number", matched: "matched by nothing", stated: "absent or normal is denied",
    }  # fmt: skip
    for node, words in wrong.items():
        assert any(place == shortened(str(node)) and words in message for place, message in said), words
