"""Shipped queries and their parameters: over a folder and over a real SPARQL server alike."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import QuerySolutions

from kgscore.errors import QueryError
from kgscore.graph import endpoint
from kgscore.graph.building import is_whole
from kgscore.graph.catalogue import Query, bind, find, parse, shipped_queries
from kgscore.graph.dataset import open_dataset
from kgscore.graph.queries import _value, make_ready, query, update
from kgscore.graph.store import open_existing, open_for_reading
from kgscore.graph.vocabulary import PREFIXES
from kgscore.graph.wanted import properties_of
from kgscore.results.files import FILE
from kgscore.runs.batch import Settings, score_source

PAIRS = (
    {
        "id": "flip", "modality": "CR",
        "reference": "Small left pleural effusion. Large right pneumothorax. No fracture. Wobbly frobnication."
        " Curious frobnication of the left lung.",
        "candidate": "Moderate right pleural effusion. No pneumothorax. Endotracheal tube in place. No fracture.",
    },
    {
        "id": "bleed", "modality": "CT",
        "reference": "Acute right subdural hematoma. Hemorrhage in the left frontal lobe, new. Old infarct.",
        "candidate": "Chronic right subdural hematoma. Possible hemorrhage in the brain. Hydrocephalus.",
    },
    {
        "id": "more", "modality": "CT",
        "reference": "Small left pleural effusion. No pulmonary edema. 8 mm nodule in the right upper lobe. Right pneumothorax."
        " Consolidation in the right lower lobe. Endotracheal tube tip 4 cm above the carina.",
        "candidate": "Left pleural effusion. Pulmonary edema. 12 mm nodule in the right upper lobe. Small right pneumothorax."
        " Opacity in the right lower lobe. Endotracheal tube tip in the right main bronchus.",
    },
    {
        "id": "shown",
        "reference": "Consolidation in the left lower lobe. Status post transverse colectomy.",
        "candidate": "Pneumonia of the left lower lobe. Status post colectomy.",
    },
    {"id": "void", "reference": "", "candidate": "No pneumothorax."},
)  # fmt: skip
Some = Callable[[Sequence[Query], int], Sequence[Query]]
GIVEN = {"kind": "hemorrhage", "case": "bleed", "first": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same pairs in one folder."""
    place = tmp_path_factory.mktemp("catalogue")
    for name, pairs in (("a", PAIRS), ("b", PAIRS[:2])):
        source = place / f"{name}.jsonl"
        source.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
        for _ in score_source(str(source), Settings(metrics=("radsem", "fineradscore")), out=place / "run"):
            pass
    return place / "run"


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """A server on loopback with the graph of the folder, loaded by way of its update endpoint."""
    binary = shutil.which("oxigraph", path=sysconfig.get_path("scripts"))
    assert binary is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [binary, "serve", "--bind", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(base, timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        count = endpoint.load(open_for_reading(folder), f"{base}/update", 60)
        assert count == len(open_for_reading(folder))
        yield f"{base}/query"
    finally:
        process.kill()
        process.wait()


def given(wanted: Query) -> dict[str, str]:
    return {p.name: GIVEN[p.name] for p in wanted.parameters if p.default is None} | (
        {"run": "1"} if any(p.name == "run" for p in wanted.parameters) else {}
    )


def told(source: Path | str, text: str) -> list[dict[str, object]]:
    """Ask in this process: what the process of a query's own adds is tested in test_graph.py."""
    return [{v.value: _value(row[v]) for v in found} for row, found in _solutions(source, text)]


def _solutions(source: Path | str, text: str) -> Iterator[tuple[Any, Any]]:
    with opened(source, text) as found:
        for row in found:
            yield row, found.variables


@contextmanager
def opened(source: Path | str, text: str) -> Iterator[Any]:
    if isinstance(source, str):
        with endpoint.ask(source, text, 60) as found:
            yield found
    else:
        yield open_for_reading(source).query(text, prefixes=dict(PREFIXES))


def ask(source: Path | str, name: str, **more: str) -> list[dict[str, object]]:
    wanted = find(name)
    return told(source, bind(wanted, given(wanted) | more, source))


def test_every_shipped_query_says_what_it_is() -> None:
    assert len(shipped_queries()) >= 20
    for wanted in shipped_queries():
        assert wanted.title.endswith("."), wanted.name
        assert all(parameter.about for parameter in wanted.parameters), wanted.name


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, list[str]]:
    """The rows or triples of every shipped query, from the folder's own store in this process."""
    return {wanted.name: _own(folder, wanted) for wanted in shipped_queries()}


def _own(source: Path | str, wanted: Query) -> list[str]:
    with opened(source, bind(wanted, given(wanted), source)) as found:
        return _lines(found)


def _lines(found: object) -> list[str]:
    if isinstance(found, QuerySolutions):
        return sorted(" ".join(str(cell) for cell in row) for row in found)
    return sorted(str(triple) for triple in found)  # type: ignore[attr-defined]


def test_shipped_queries_give_answers(answers: dict[str, list[str]]) -> None:
    silent = {name for name, lines in answers.items() if not lines}
    assert silent == set()


def test_a_server_gives_the_same_answers(server: str, answers: dict[str, list[str]]) -> None:
    for wanted in shipped_queries():
        assert _own(server, wanted) == answers[wanted.name], wanted.name


OF_RUNS = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(STRSTARTS(STR(?s), 'https://w3id.org/kgscore/data/')) }"


def test_a_graph_of_what_is_asked_for_gives_the_same_answers(
    folder: Path, answers: dict[str, list[str]], tmp_path: Path, some: Some
) -> None:
    shutil.copy(folder / FILE, tmp_path / FILE)
    seen: list[int] = []
    for wanted in sorted(some(shipped_queries(), 8), key=lambda one: properties_of(one.text) is None):
        text = bind(wanted, given(wanted), tmp_path)
        make_ready(tmp_path, sparql=text)
        assert is_whole(tmp_path) == (properties_of(text) is None), wanted.name
        store = open_existing(tmp_path)
        assert _lines(store.query(text, prefixes=dict(PREFIXES))) == answers[wanted.name], wanted.name
        seen.append(len(store))
    assert seen == sorted(seen)
    make_ready(tmp_path)
    made, whole = open_for_reading(tmp_path), open_for_reading(folder)
    assert seen[0] < seen[-1] <= len(made) == len(whole)
    assert _lines(made.query(OF_RUNS)) == _lines(whole.query(OF_RUNS))


@pytest.mark.parametrize(
    ("sparql", "seen"),
    [
        ("SELECT * { ?s kgr:asserts/kgs:key ?k . ?s ^kgr:contradicts|kgr:site ?x }", {"asserts", "key", "contradicts", "site"}),
        ("SELECT * { ?s kgr:case 'a' FILTER NOT EXISTS { ?s kgr:tip ?t } MINUS { ?s kgr:text ?u } }", {"case", "tip", "text"}),
        ("SELECT * { { SELECT ?s { ?s kgr:times ?n } } OPTIONAL { GRAPH ?g { ?s kgr:side ?p } } }", {"times", "side"}),
        ("PREFIX run: <https://w3id.org/kgscore/run#> CONSTRUCT { ?a ?b ?c } { ?a run:side ?c BIND(1 AS ?b) }", {"side"}),
        ("SELECT * { ?a kgr:isA* ?b . ?s kgr:asserts ?a }", {"isA", "asserts"}),
        ("ASK {}", set()),
        ("SELECT * { ?s ?p ?o }", None),
        ("SELECT * { ?s !kgr:isA ?o }", None),
        ("SELECT * { ?a kgr:isA* ?b }", None),
        ("DESCRIBE <https://w3id.org/kgscore/run#Case>", None),
        ("SELECT no query", None),
    ],
)
def test_what_a_query_can_see(sparql: str, seen: set[str] | None) -> None:
    found = properties_of(sparql)
    assert (None if found is None else {one.rpartition("#")[2].rpartition("/")[2] for one in found}) == seen


def test_queries_by_name_find_what_is_there(folder: Path) -> None:
    flips = ask(folder, "laterality-flips")
    assert [(row["case"], row["finding"], row["reference"], row["candidate"]) for row in flips] == [
        ("flip", "pleural effusion", "left", "right")
    ]
    assert [row["device"] for row in ask(folder, "hallucinated-devices")] == ["endotracheal tube"]
    assert {row["region"] for row in ask(folder, "contradictions-by-region")} == {"chest"}
    assert ("acute", "chronic") in {(row["reference"], row["candidate"]) for row in ask(folder, "descriptor-errors")}
    missed = ask(folder, "missed-findings", least="4", kind="pneumothorax")
    assert [(row["severity"], row["finding"], row["missed"]) for row in missed] == [(4, "pneumothorax", 1)]
    kinds = ask(folder, "kinds-in-region", kind="hemorrhage", where="brain", side="reference")
    assert "frontal lobe" in {row["site"] for row in kinds}
    assert ("narrow", "colectomy") in {(row["scope"], row["finding"]) for row in ask(folder, "inexact-wordings")}
    assert ("consolidation", "pneumonia") in {(row["reference"], row["candidate"]) for row in ask(folder, "alike-matches")}
    runs = {row["number"] for row in ask(folder, "finding-across-runs", kind="subdural hematoma")}
    assert runs == {1, 2}
    assert {row["number"]: row["scored"] for row in ask(folder, "scores") if row["metric"] == "radsem"} == {1: 4, 2: 2}
    assert {row["difference"] for row in ask(folder, "score-differences")} == {0.0}
    assert {row["modality"] for row in ask(folder, "scores-by-modality")} == {"CR", "CT"}
    assert [row["case"] for row in ask(folder, "cases-without-score")] == ["void"]
    runs_told = ask(folder, "provenance")
    assert [(row["number"], row["scored"], row["empty"], row["failed"]) for row in runs_told] == [(1, 4, 1, 0), (2, 2, 0, 0)]
    assert ask(folder, "urgent-corrections", least="1")


# What a tally counts, counted over the cases themselves: the columns of the tally, and the pattern that gives them.
COUNTED = {
    ("StatementTally", "ofSide ofConcept polarity times", ""): (
        "?side ?concept ?polarity",
        "{ ?s kgr:asserts ?concept . BIND('asserted' AS ?polarity) } UNION"
        " { ?s kgr:denies ?concept . BIND('denied' AS ?polarity) }"
        " ?s kgr:inReport ?r . ?r kgr:side ?side ; kgr:inRun ?run",
    ),
    ("StatementTally", "ofConcept times", "?t kgr:ofSide 'reference' ; kgr:outcome ?o FILTER(?o != 'matched')"): (
        "?concept", "?s kgr:missedFrom ?r ; kgr:asserts|kgr:denies ?concept . ?r kgr:inRun ?run",
    ),
    ("StatementTally", "ofConcept times", "?t kgr:outcome 'missed' ; kgr:ofSide 'candidate'"): (  # it denies it
        "?concept",
        "?s kgr:notIn ?r ; kgr:denies ?concept . ?r kgr:inRun ?run FILTER EXISTS { ?o kgr:contradicts ?s ; kgr:asserts ?said }",
    ),
    ("SiteTally", "ofSide ofConcept atSite times", ""): (
        "?side ?concept ?site", "?s kgr:asserts ?concept ; kgr:site ?site ; kgr:inReport ?r . ?r kgr:side ?side ; kgr:inRun ?run",
    ),
    ("EntityTally", "ofSide ofType times", ""): (
        "?side ?type", "?s kgr:entityType ?type ; nif:referenceContext ?r . ?r kgr:side ?side ; kgr:inRun ?run",
    ),
    ("EntityRelationTally", "ofRelation times", ""): (
        "?p",
        "VALUES ?p { kgr:modifies kgr:locatedAt kgr:suggestiveOf kgr:associatedWith }"
        " ?s ?p ?x ; nif:referenceContext/kgr:inRun ?run",
    ),
    ("CorrectionTally", "ofSeverity ofAction times", ""): (
        "?severity ?action", "?s a kgr:Correction ; kgr:severity ?severity ; kgr:action ?action ; kgr:inCase/kgr:inRun ?run",
    ),
    ("DifferenceTally", "referenceValue candidateValue times", "?t kgr:ofAspect 'certainty'"): (
        "?one ?two",
        "?s kgr:equivalentTo|kgr:partWholeOf ?b ; kgr:certainty ?one ; kgr:inReport/kgr:inRun ?run ."
        " ?b kgr:certainty ?two FILTER(?one != ?two)",
    ),
    ("DifferenceTally", "ofCategory candidateValue times", "FILTER NOT EXISTS { ?t kgr:referenceValue ?v }"): (
        "?category ?value",
        "?a kgr:equivalentTo|kgr:partWholeOf ?b ; kgr:inReport/kgr:inRun ?run ."
        " ?b kgr:detail ?s . ?s kgr:category ?category ; kgr:value ?value"
        " FILTER NOT EXISTS { ?a kgr:detail/kgr:category ?category }",
    ),
    ("ScoreTally", "ofMetric times", "FILTER NOT EXISTS { ?t kgr:ofModality ?m }"): (
        "?metric", "?s a kgr:Score ; kgr:metric ?metric ; kgr:value ?v ; kgr:inCase/kgr:inRun ?run",
    ),
    ("CoOccurrenceTally", "ofSide ofConcept withConcept cases", ""): (
        "?side ?a ?b",
        "{ SELECT DISTINCT ?run ?side ?r ?a ?b { ?r kgr:inRun ?run ; kgr:side ?side . ?x kgr:inReport ?r ; kgr:asserts ?a ."
        " ?y kgr:inReport ?r ; kgr:asserts ?b . ?a kgs:key ?k . ?b kgs:key ?l FILTER(?k < ?l) } }",
    ),
}  # fmt: skip


@pytest.mark.parametrize("tally", COUNTED, ids=lambda key: f"{key[0]} {key[2]}")
def test_tallies_are_what_counting_gives(folder: Path, tally: tuple[str, str, str]) -> None:
    kind, columns, more = tally
    names, pattern = COUNTED[tally]
    *dims, count = columns.split()
    run = "VALUES ?run { <https://w3id.org/kgscore/data/run/1> }"
    heads = " ".join(f"?{name}" for name in dims)
    has = " ; ".join(f"kgr:{name} ?{name}" for name in (*dims, count))
    tallies = f"?t kgr:tallyOf ?run ; a kgr:{kind} ; {has} . {more}"
    summed = f"SELECT {heads} (SUM(?{count}) AS ?n) {{ {run} {tallies} }} GROUP BY {heads}"
    counted = f"SELECT {names} (COUNT(*) AS ?n) {{ {run} {pattern} }} GROUP BY {names}"
    found = [sorted(str(tuple(row.values())) for row in told(folder, text)) for text in (summed, counted)]
    assert found[0] == found[1]
    assert found[0]


@pytest.mark.parametrize(
    "value", ['x" } INSERT DATA { <urn:a> <urn:b> <urn:c> } #', "flip\\u0022", "'''", "} UNION { ?s ?p ?o", 'a"@en ) } #\n'],
)
def test_a_value_is_one_term_whatever_it_holds(folder: Path, value: str) -> None:
    text = "SELECT ?case { ?r a kgr:Report ; kgr:case ?case FILTER(?case = $name) }"
    assert told(folder, bind(parse(text), {"name": value}, folder)) == []
    assert {row["case"] for row in told(folder, bind(parse(text), {"name": "flip"}, folder))} == {"flip"}


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("missed-findings", {"least": "many"}, "'many' is not of type integer"),
        ("missed-findings", {"lest": "3"}, "did you mean 'least'"),
        ("missed-findings", {"kind": "pneumothoraks"}, "did you mean 'pneumothorax'"),
        ("missed-findings", {"run": "9"}, "not in the graph; it holds 2, 1"),
        ("kinds-in-region", {"side": "both"}, "'both' is not one of reference, candidate"),
        ("case-statements", {}, "parameter 'case': is missing"),
        ("missed-finding", {}, "did you mean 'missed-findings'"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", {"s:iri": "urn:x"}, "no group that parameters can be bound in"),
    ],
)
def test_what_is_wrong_with_a_parameter_is_one_line(folder: Path, name: str, values: dict[str, str], said: str) -> None:
    with pytest.raises(QueryError, match=said.replace("(", r"\(")) as caught:
        bind(find(name), values, folder)
    assert "\n" not in str(caught.value)


def test_parameters_go_into_the_outermost_group(folder: Path) -> None:
    template = "# {\nCONSTRUCT { ?s kgr:text ?t } # }\nWHERE { ?s kgr:text ?t ; kgr:inReport/kgr:case $case }"
    with opened(folder, bind(parse(template), {"case": "flip"}, folder)) as found:
        triples = [str(triple) for triple in found]
    assert triples
    assert all("/case/flip/" in triple for triple in triples)
    typed = "SELECT ?s { ?s kgr:number $n ; kgr:text ?t } "
    assert told(folder, bind(parse(typed), {"n:integer": "0"}, folder))


def test_a_file_is_a_query_too(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.rq"
    file.write_text("# Mine.\n# param which: concept = pneumothorax -- what\nASK { ?s kgr:denies $which }")
    assert find(str(file)).parameters[0].default == "pneumothorax"
    assert query(folder, bind(find(str(file)), {}, folder), limit=1, seconds=60).truth is True


def test_a_server_that_is_not_there_or_refuses_is_one_line(server: str) -> None:
    with pytest.raises(QueryError, match="cannot be queried"):
        query("http://user:secret@127.0.0.1:1/query", "ASK { ?s ?p ?o }", limit=1, seconds=30)
    with pytest.raises(QueryError, match=r"refused \(400"):
        query(server, "SELECT nonsense", limit=1, seconds=30)
    with pytest.raises(QueryError) as caught:
        query(server.replace("http://", "http://user:secret@") + "x", "ASK { ?s ?p ?o }", limit=1, seconds=30)
    assert "secret" not in str(caught.value)


def test_changes_and_other_servers_are_for_those_who_ask(folder: Path, server: str, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    update(copy, "INSERT DATA { <urn:a> kgr:text 'mine' }", seconds=60)
    assert query(copy, "SELECT ?t { <urn:a> kgr:text ?t }", limit=1, seconds=60).rows == (("mine",),)
    with pytest.raises(QueryError, match="LOAD"):
        update(copy, "LOAD <http://127.0.0.1:1/x>", seconds=60)
    with pytest.raises(QueryError, match="is not an update"):
        update(copy, "SELECT * { ?s ?p ?o }", seconds=60)
    elsewhere = f"SELECT ?case {{ SERVICE <{server}> {{ ?s a kgr:Case ; kgr:case ?case }} }}"
    with pytest.raises(QueryError, match="--service"):
        query(copy, elsewhere, limit=10, seconds=60)
    found = query(copy, elsewhere, limit=10, seconds=60, service=True).rows
    assert {row[0] for row in found} == {"flip", "bleed", "more", "shown", "void"}


def test_rdflib_reads_a_server_too(server: str) -> None:
    rows = list(open_dataset(server).query("SELECT ?case { ?s a kgr:Case ; kgr:case ?case } ORDER BY ?case"))
    assert [str(row[0]) for row in rows] == ["bleed", "bleed", "flip", "flip", "more", "shown", "void"]
