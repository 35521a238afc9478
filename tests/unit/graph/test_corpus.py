"""Corpus graphs: what is counted, how systems compare, and what other tools get."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx as nx
import pyoxigraph
import pytest

from kgscore.errors import QueryError, RunError
from kgscore.graph.compare import Kin, compare
from kgscore.graph.corpus import Corpus, RunCorpora, corpora, runs_of
from kgscore.graph.exchange import corpus_network, corpus_triples, nodes_of, report_network, write_network
from kgscore.graph.picture import draw
from kgscore.graph.vocabulary import PREFIXES
from kgscore.knowledge import load_knowledge
from kgscore.ontology.index import Index
from kgscore.runs.batch import Settings, score_source

SMALL = "Small left pleural effusion."
PAIRS = [
    ("a", "CR", f"{SMALL} {SMALL}", "Pleural effusion."),
    ("b", "CR", SMALL, SMALL),
    ("c", "CT", "Subdural hematoma.", "Hemorrhage."),
]


@pytest.fixture(scope="module")
def index() -> Index:
    return load_knowledge().index


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpus")
    file = place / "model.jsonl"
    rows = ({"id": i, "modality": m, "reference": r, "candidate": c} for i, m, r, c in PAIRS)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for _ in score_source(str(file), Settings(), out=place / "run"):
        pass
    return place / "run"


@pytest.fixture(scope="module")
def run(folder: Path) -> RunCorpora:
    ((number, name),) = runs_of(folder)
    return corpora(folder, number, Path(name).stem)


def test_weights_are_numbers_of_reports(run: RunCorpora) -> None:
    reference = run.reference
    assert reference.cases == 3
    assert reference.nodes["finding", "pleural_effusion"] == 2  # said twice in one report, once in another
    assert reference.nodes["descriptor", "small"] == 2
    assert reference.edges["pleural_effusion", "located_at", "pleural_space"] == 2
    assert reference.subgraphs["pleural_effusion", "pleural_space", "small"] == 2
    assert run.candidate.subgraphs["pleural_effusion", "pleural_space", ""] == 1
    by = {name: pair[0].cases for name, pair in run.by_modality.items()}
    assert by == {"": 3, "CR": 2, "CT": 1}


def test_the_references_cover_themselves(run: RunCorpora, index: Index) -> None:
    mirror = RunCorpora("mirror", {name: (pair[0], pair[0]) for name, pair in run.by_modality.items()})
    found = compare(mirror, index)
    for coverage in (found.whole, *found.by_region.values(), *found.by_modality.values()):
        assert (coverage.said, coverage.nodes, coverage.nodes_weighted, coverage.edges) == (1, 1, 1, pytest.approx(1))
        assert (coverage.subgraphs, coverage.subgraphs_credited) == (1, 1)
    assert found.never == found.too_often == found.too_rarely == ()


def test_a_broader_word_earns_a_part(run: RunCorpora, index: Index) -> None:
    found = compare(run, index)
    whole = found.whole
    assert whole.said is not None
    assert whole.nodes is not None
    assert 0 < whole.said < whole.nodes < 1
    never = {one.concept: one for one in found.never}
    assert never["subdural_hematoma"].instead == "hemorrhage"
    assert set(found.by_modality) == {"CR", "CT"}
    assert found.by_modality["CR"].said == 1
    assert found.by_region["head"].said == 0


def test_credit_halves_with_each_step(index: Index) -> None:
    kin = Kin(index)
    assert kin.credit("lower_lobe", "lower_lobe") == 1
    assert kin.credit("lower_lobe", "lung") == kin.credit("lung", "lower_lobe") < 1
    assert kin.credit("pneumothorax", "subdural_hematoma") == 0


def corpus(cases: int, **findings: int) -> Corpus:
    return Corpus("x", cases, {("finding", id): n for id, n in findings.items()}, {}, {})


def test_too_often_and_too_rarely_need_more_than_chance(index: Index) -> None:
    pair = (corpus(100, pneumothorax=10, cardiomegaly=40, fracture=5), corpus(100, pneumothorax=50, cardiomegaly=10, fracture=6))
    found = compare(RunCorpora("m", {"": pair}), index)
    assert [(one.concept, one.ratio) for one in found.too_often] == [("pneumothorax", 5.0)]
    assert [one.concept for one in found.too_rarely] == ["cardiomegaly"]
    assert found.whole.edges is None


def test_a_silent_system_has_nothing(index: Index) -> None:
    found = compare(RunCorpora("m", {"": (corpus(10, pneumothorax=3), corpus(0))}), index)
    assert (found.whole.said, found.whole.nodes_weighted, found.whole.subgraphs) == (0, 0, None)
    assert [one.concept for one in found.never] == ["pneumothorax"]


def test_graphs_reach_other_tools(run: RunCorpora, folder: Path, index: Index) -> None:
    network = corpus_network(run.reference, index.label)
    assert network.edges["finding:pleural_effusion", "site:pleural_space"]["weight"] == 2
    for format in ("graphml", "json"):
        buffer = io.BytesIO()
        write_network(network, format, buffer)
        buffer.seek(0)
        back = nx.read_graphml(buffer) if format == "graphml" else nx.node_link_graph(json.load(buffer), edges="edges")
        assert set(back.edges) == set(network.edges)
        assert back.nodes["finding:pleural_effusion"]["label"] == "pleural effusion"
    one = report_network(folder, 1, "b", "reference")
    assert {data["relation"] for _, _, data in one.edges(data=True)} == {"located_at", "described_as"}
    with pytest.raises(QueryError, match="no findings of the reference of case 'z'"):
        report_network(folder, 1, "z", "reference")
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(*triple) for triple in corpus_triples(run.reference, nodes_of(folder)))
    asked = "SELECT ?n { ?x kgr:concept kgs:pleural_effusion ; kgr:reports ?n }"
    assert [row["n"].value for row in store.query(asked, prefixes=dict(PREFIXES))] == ["2"]


def test_the_picture_is_drawn(run: RunCorpora, index: Index, tmp_path: Path) -> None:
    draw([run], index, tmp_path / "graph.svg")
    assert "pleural effusion" in (tmp_path / "graph.svg").read_text() or (tmp_path / "graph.svg").stat().st_size > 5000
    draw([run, run], index, tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(RunError, match=r"unknown image type; use \.svg, \.png, \.pdf"):
        draw([run], index, tmp_path / "graph.doc")
