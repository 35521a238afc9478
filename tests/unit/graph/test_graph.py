"""The graph of a run: what it says, what may be asked, what can be taken out."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pyoxigraph
import pytest

from kgscore.errors import QueryError, RunError
from kgscore.graph.dataset import open_dataset
from kgscore.graph.queries import check, query
from kgscore.graph.store import RunGraph, export_text
from kgscore.graph.vocabulary import matches_graph, report_iri
from kgscore.model import Detail, Finding, Link, PairResult, Reading, Relation, Score, Unlinked

EFFUSION = Finding(
    "Small left effusion", 0, 19, "pleural_effusion", "pleural effusion", ("pleural_space",), "left",
    details=(Detail("size", "small", "small"),), change="new",
)
NO_EFFUSION = Finding("No effusion", 0, 11, "pleural_effusion", "pleural effusion", status="absent")
STRANGE = Finding("wobbly shadow", 20, 33, None, "wobbly shadow")
RESULT = PairResult(
    "case 1", "scored", {"radsem": Score("radsem", "scored", 0.25)},
    Reading((EFFUSION, STRANGE), unlinked=(Unlinked("wobbly", 20, 26),)), Reading((NO_EFFUSION, STRANGE)),
    links=(Link(1, 1, Relation("equivalent", "equivalent", "equivalent", None, 1.0, ("same words",)), 1.0),),
    contradictions=(Link(0, 0, Relation("contradiction", proof=("effusion is asserted and denied",))),),
    unmatched_reference=(0,), unmatched_candidate=(0,),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with RunGraph(tmp_path) as graph:
        graph.add(1, [("case 1", RESULT)])
    return tmp_path


def ask(folder: Path, sparql: str) -> list[tuple[str | None, ...]]:
    return list(query(folder, sparql, limit=1000, seconds=20).rows)


def test_each_report_is_a_graph_and_matches_have_theirs(folder: Path) -> None:
    graphs = {row[0] for row in ask(folder, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")}
    assert graphs == {
        report_iri(1, "case 1", "reference"), report_iri(1, "case 1", "candidate"), matches_graph(1),
        "https://w3id.org/kgscore/schema", "https://w3id.org/kgscore/closure", "https://w3id.org/kgscore/data/shared",
    }


def test_statements_links_and_scores_can_be_asked(folder: Path) -> None:
    found = ask(
        folder,
        'SELECT ?text ?side ?detail ?denial ?proof { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:laterality ?side ;'
        " kgr:detail [ kgr:category ?category ; kgr:value ?detail ] ; kgr:asserts ?concept ."
        " ?b kgr:denies ?concept ; kgr:text ?denial ."
        ' ?m kgr:reference ?a ; kgr:relation "contradiction" ; kgr:proof ?proof }',
    )
    assert found == [("Small left effusion", "left", "small", "No effusion", "effusion is asserted and denied")]
    assert ask(folder, "SELECT ?v { ?s a kgr:Score ; kgr:case 'case 1' ; kgr:value ?v }") == [(0.25,)]
    assert ask(folder, "SELECT ?t { ?s kgr:missedFrom ?r ; kgr:text ?t }") == [("Small left effusion",)]
    assert ask(folder, "SELECT ?t { ?s kgr:unlinked ?t ; a kgr:Statement } LIMIT 1") == [("wobbly shadow",)]


def test_statements_meet_the_ontology(folder: Path) -> None:
    labels = ask(folder, "SELECT ?l { ?s kgr:asserts ?c ; kgr:site ?p . ?c skos:prefLabel ?l . ?p skos:prefLabel ?where }")
    assert labels == [("pleural effusion",)]


def test_writing_a_pair_twice_changes_nothing(folder: Path) -> None:
    count = "SELECT (count(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    before = ask(folder, count)
    with RunGraph(folder) as graph:
        graph.add(1, [("case 1", RESULT)])
    assert ask(folder, count) == before


def test_the_schema_is_loaded_without_a_cache_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path / "file"))
    with RunGraph(tmp_path / "run"):
        pass
    assert query(tmp_path / "run", "ASK { kgr:Match rdfs:label 'match'@en }", limit=1, seconds=20).truth


def test_a_damaged_cache_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path))
    for run in ("one", "two"):
        with RunGraph(tmp_path / run):
            pass
        for template in (tmp_path / "kgscore").glob("schema-*"):
            (template / "CURRENT").write_bytes(b"damaged")
    with RunGraph(tmp_path / "three"):
        pass
    assert query(tmp_path / "three", "ASK { kgr:Match rdfs:label 'match'@en }", limit=1, seconds=20).truth


def test_exports_can_be_read_back(folder: Path) -> None:
    whole = export_text(folder, "nquads")
    assert len(list(pyoxigraph.parse(whole, format=pyoxigraph.RdfFormat.N_QUADS))) == int(
        ask(folder, "SELECT (count(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }")[0][0] or 0
    )
    one = report_iri(1, "case 1", "candidate")
    found = {
        format: set(pyoxigraph.parse(export_text(folder, name, one), format=format))
        for name, format in (("nquads", pyoxigraph.RdfFormat.N_QUADS), ("trig", pyoxigraph.RdfFormat.TRIG))
    }
    quads, trig = found.values()
    assert quads == trig
    turtle = set(pyoxigraph.parse(export_text(folder, "turtle", one), format=pyoxigraph.RdfFormat.TURTLE))
    assert {quad.triple for quad in turtle} == {quad.triple for quad in quads}
    assert "No effusion" in export_text(folder, "turtle", one)
    assert "Small left" not in export_text(folder, "turtle", one)
    with pytest.raises(RunError, match="has no graph 'urn:x'"):
        export_text(folder, "nquads", "urn:x")


def test_rdflib_reads_the_same_graph(folder: Path) -> None:
    rows = list(open_dataset(folder).query("SELECT ?t { ?s kgr:contradicts ?o ; kgr:text ?t }"))
    assert [str(row[0]) for row in rows] == ["Small left effusion"]


@pytest.mark.parametrize(
    "sparql",
    [
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "DELETE WHERE { ?s ?p ?o }",
        "CLEAR ALL",
        "LOAD <http://127.0.0.1/x>",
        "PREFIX select: <urn:x> DROP ALL",
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * { service silent <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * { SERVICE ?where { ?s ?p ?o } }",
        "PREFIX x: <http://127.0.0.1/> SELECT * { SERVICE x:y { ?s ?p ?o } }",
        "SELECT * { SERV\\u0049CE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * { { SELECT * { SERVICE# a remark\n<http://127.0.0.1:1/> { ?s ?p ?o } } } }",
        "SELECT * { ?s ?p 'it''s' . SERVICE<http://127.0.0.1:1/>{ ?s ?p ?o } }",
        "",
    ],
)
def test_what_writes_or_asks_elsewhere_is_refused(sparql: str) -> None:
    with pytest.raises(QueryError) as caught:
        check(sparql)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "sparql",
    [
        "# a service for readers\nSELECT * { ?s ?p 'no SERVICE here' }",
        "PREFIX service: <urn:x#> ASK { ?service service:insert <http://x/SERVICE> }",
        "BASE <urn:x> CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        'DESCRIBE <urn:x> # the patient\'s "service',
    ],
)
def test_words_in_names_texts_and_remarks_do_no_harm(sparql: str) -> None:
    assert check(sparql) == sparql


def test_answers_have_limits_of_rows_and_time(folder: Path) -> None:
    answer = query(folder, "SELECT * { ?s ?p ?o }", limit=5, seconds=20)
    assert len(answer.rows) == 5
    assert answer.more
    assert query(folder, "ASK { ?s a kgr:Match }", limit=5, seconds=20).truth is True
    triples = query(folder, "CONSTRUCT { ?s a ?o } WHERE { ?s a ?o }", limit=3, seconds=20).triples
    assert triples is not None
    assert len(triples) == 3
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"took longer than 0\.5 s"):
        query(folder, "SELECT (count(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", limit=5, seconds=0.5)
    assert time.monotonic() - began < 15


def test_a_wrong_query_is_one_line(folder: Path) -> None:
    with pytest.raises(QueryError, match="not SPARQL") as caught:
        query(folder, "SELECT nonsense", limit=5, seconds=20)
    assert "\n" not in str(caught.value)


def test_no_graph_a_locked_one_and_a_damaged_one_are_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no graph"):
        query(tmp_path / "none", "ASK { ?s ?p ?o }", limit=1, seconds=5)
    holder = "import pyoxigraph, sys; s = pyoxigraph.Store(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holder, str(folder / "graph")], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(RunError, match="another process writes to it"):
            RunGraph(folder)
        assert ask(folder, "SELECT ?v { ?s a kgr:Score ; kgr:value ?v }") == [(0.25,)]  # reading beside a writer
        process.communicate(b"")
    for path in (folder / "graph").iterdir():
        path.write_bytes(b"damaged")
    with pytest.raises(RunError) as caught:
        RunGraph(folder)
    assert "\n" not in str(caught.value)
