"""The shapes hold for what is written, and catch what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, URIRef

from kgscore.engine import Scorer
from kgscore.graph.shapes import check_shapes, validate
from kgscore.graph.store import export
from kgscore.graph.vocabulary import shorten

KGR = Namespace("https://w3id.org/kgscore/run#")
NIF = Namespace("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, kept: Callable[..., None]) -> Path:
    place = tmp_path_factory.mktemp("shapes")
    result = Scorer(metrics=("radsem", "fineradscore")).score(
        id="a",
        reference="Small left pleural effusion. The heart is enlarged. Strange wobbly frobnication. No pneumothorax. "
        "Left rib fracture.",
        candidate="Large left pleural effusion, increased. Right pneumothorax. Heart size is normal. Right rib fracture.",
    )
    kept(place, {"a": result}, modality="CR")
    return place


@pytest.fixture(scope="module")
def lines(folder: Path) -> str:
    """Everything in the graph but the schema and what follows from it."""
    whole = BytesIO()
    export(folder, whole, "nquads")
    return "\n".join(line for line in whole.getvalue().decode().splitlines() if "kgscore/data/" in line)


@pytest.fixture
def data(lines: str) -> Graph:
    return Graph().parse(data=lines, format="nt")


def test_what_is_written_keeps_to_the_shapes(folder: Path, data: Graph) -> None:
    assert list(check_shapes(folder)) == []
    assert validate(data) == []
    kinds = ("Run", "Case", "Report", "Statement", "Match", "Contradiction", "Score", "Correction", "Detail", "StatementTally")
    for kind in (*kinds, "ScoreTally"):
        assert any(data.subjects(RDF.type, KGR[kind])), kind  # each shape has had something to hold to


def first(data: Graph, kind: str) -> URIRef:
    of_kind = (KGR.entityType, None) if kind == "Entity" else (RDF.type, KGR[kind])
    node = min(data.subjects(*of_kind))
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
        expected.add((shorten(str(node)), f"kgr:{name}"))
    assert expected <= {(one.node, one.path) for one in validate(data)}


def test_what_must_agree_is_caught_where_it_does_not(data: Graph) -> None:
    span = min(data.subjects(NIF.beginIndex))
    stretch = min(data.subjects(NIF.anchorOf))
    report = URIRef(stretch.split("#")[0])
    nowhere = report + "#somewhere"
    data.add((nowhere, NIF.referenceContext, report))
    data.set((span, NIF.beginIndex, Literal(10_000)))
    score = first(data, "Score")
    data.set((score, KGR.status, Literal("failed")))
    matched = min(data.subjects(KGR.equivalentTo), default=None) or min(data.subjects(KGR.partWholeOf))
    data.add((matched, KGR.missedFrom, min(data.subjects(KGR.side, Literal("candidate")))))
    mirrored = min(data.subjects(KGR.otherSideOf))
    data.set((mirrored, KGR.laterality, data.value(data.value(mirrored, KGR.otherSideOf), KGR.laterality)))
    stated = min(data.subjects(KGR.denies))
    data.set((stated, KGR.status, Literal("present")))
    said = {(one.node, one.message) for one in validate(data)}
    wrong = {
        span: "A span begins once", nowhere: "says where it is", score: "never a number",
        matched: "matched by nothing", stated: "absent or normal is denied",
        mirrored: "sides are opposite",
    }  # fmt: skip
    for node, words in wrong.items():
        assert any(place == shorten(str(node)) and words in message for place, message in said), words
