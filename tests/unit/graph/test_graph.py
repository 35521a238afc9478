"""The graph of a run: what it says, what may be asked, what can be taken out."""

from __future__ import annotations

import gc
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Thread
from unittest.mock import Mock

import pyoxigraph
import pytest

from kgscore.errors import QueryError, RunError
from kgscore.graph import building
from kgscore.graph.building import FOLDER, build, is_made
from kgscore.graph.dataset import open_dataset
from kgscore.graph.exchange import report_triples
from kgscore.graph.queries import SparqlTask, check, make_ready, prepare_query, query
from kgscore.graph.resolve import run_node
from kgscore.graph.store import export
from kgscore.graph.vocabulary import RUN
from kgscore.model import Detail, Finding, Link, PairResult, Reading, Relation, Score, Unlinked
from kgscore.runs.batch import Settings, score_source

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
def folder(tmp_path: Path, kept: Callable[..., None]) -> Path:
    kept(tmp_path, {"case 1": RESULT})
    return tmp_path


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory, kept: Callable[..., None]) -> Path:
    """The same, for tests that only read; its graph is made once."""
    place = tmp_path_factory.mktemp("unchanged")
    kept(place, {"case 1": RESULT})
    return place


def ask(folder: Path, sparql: str) -> list[tuple[str | None, ...]]:
    """Ask in this process; that of a query costs half a second, and `query` has its own tests below."""
    text = prepare_query(folder, sparql)
    make_ready(folder, sparql=text)
    return list(SparqlTask(folder, text, limit=1000, seconds=20).open_task()().rows)


def test_statements_links_and_scores_can_be_asked(unchanged: Path) -> None:
    found = ask(
        unchanged,
        'SELECT ?text ?side ?detail ?denial ?proof { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:laterality ?side ;'
        " kgr:detail [ kgr:category ?category ; kgr:value ?detail ] ; kgr:asserts ?concept ."
        " ?b kgr:denies ?concept ; kgr:text ?denial ."
        ' ?m kgr:reference ?a ; kgr:relation "contradiction" ; kgr:proof ?proof }',
    )
    assert found == [("Small left effusion", "left", "small", "No effusion", "effusion is asserted and denied")]
    assert ask(unchanged, "SELECT ?v { ?s a kgr:Score ; kgr:case 'case 1' ; kgr:value ?v }") == [(0.25,)]
    assert ask(unchanged, "SELECT ?t { ?s kgr:missedFrom ?r ; kgr:text ?t }") == [("Small left effusion",)]
    assert ask(unchanged, "SELECT ?t { ?s kgr:unlinked ?t ; a kgr:Statement } LIMIT 1") == [("wobbly shadow",)]


def test_statements_meet_the_ontology(unchanged: Path) -> None:
    labels = ask(unchanged, "SELECT ?l { ?s kgr:asserts ?c ; kgr:site ?p . ?c skos:prefLabel ?l . ?p skos:prefLabel ?where }")
    assert labels == [("pleural effusion",)]


def test_what_is_put_on_the_other_side_is_told(tmp_path: Path, kept: Callable[..., None]) -> None:
    right = replace(EFFUSION, text="Right effusion", side="right")
    named = replace(EFFUSION, text="Left haemothorax", concept="hemothorax", label="hemothorax")
    other = replace(EFFUSION, text="Right pneumothorax", concept="pneumothorax", label="pneumothorax", side="right")
    denied = replace(right, text="No right effusion", status="absent")
    mirrored = PairResult(
        "case 1", "scored", {"radsem": Score("radsem", "scored", 0.0)}, Reading((EFFUSION, named)),
        Reading((right, other, denied)),
        unmatched_reference=(0, 1), unmatched_candidate=(0, 1, 2),
    )  # fmt: skip
    kept(tmp_path, {"case 1": mirrored, "case 2": replace(mirrored, unmatched_candidate=(1, 2))})
    found = ask(tmp_path, "SELECT ?c ?o { ?a kgr:otherSideOf ?b ; kgr:text ?c . ?b kgr:text ?o } ORDER BY ?o")
    assert found == [("Right effusion", "Left haemothorax"), ("Right effusion", "Small left effusion")]


def test_words_come_back_as_they_were(tmp_path: Path, kept: Callable[..., None]) -> None:
    odd = 'a "quoted"\\ line\nand \ttab, <&> ü 𝔘 \\u0041'
    strange = replace(STRANGE, text=odd, label=odd, start=0, end=len(odd))
    reading = Reading((strange,), unlinked=(Unlinked(odd, 0, len(odd)),))
    kept(tmp_path, {odd: replace(RESULT, candidate=reading, links=(), contradictions=(), unmatched_candidate=(0,))}, modality=odd)
    assert ask(tmp_path, "SELECT ?t ?c { ?s kgr:notIn ?r ; kgr:text ?t ; kgr:inReport/kgr:case ?c }") == [(odd, odd)]
    assert ask(tmp_path, "SELECT ?t { ?r kgr:side 'candidate' ; kgr:unlinkedSpan/nif:anchorOf ?t }") == [(odd,)]
    assert ask(tmp_path, "SELECT ?m { ?c kgr:modality ?m }") == [(odd,)]


COUNT = "SELECT (count(*) AS ?n) { ?s ?p ?o }"
CASES = "SELECT ?case { ?c a kgr:Case ; kgr:case ?case } ORDER BY ?case"
TIMES = "SELECT ?n { ?t a kgr:StatementTally ; kgr:outcome 'missed' ; kgr:ofSide 'reference' ; kgr:times ?n }"


def test_the_graph_gains_what_the_tables_gain(tmp_path: Path, kept: Callable[..., None]) -> None:
    kept(tmp_path, {"a": RESULT}, finished=False)
    build(tmp_path)  # whole: one of some properties is made again
    assert ask(tmp_path, TIMES) == [(1,)]
    assert ask(tmp_path, "SELECT ?n { ?r kgr:scoredCases ?n }") == []
    store = (tmp_path / "graph").stat().st_ino
    kept(tmp_path, {"b": RESULT, "c": RESULT})
    assert ask(tmp_path, CASES) == [("a",), ("b",), ("c",)]
    assert ask(tmp_path, TIMES) == [(3,)]
    assert ask(tmp_path, "SELECT ?n { ?r kgr:scoredCases ?n }") == [(3,)]
    kept(tmp_path, {"a": RESULT})
    assert ask(tmp_path, CASES) == [("a",), ("a",), ("b",), ("c",)]
    assert (tmp_path / "graph").stat().st_ino == store  # what was there was added to
    grown = ask(tmp_path, COUNT)
    (tmp_path / "graph.json").unlink()
    assert ask(tmp_path, COUNT) == grown  # made anew, it is the same
    assert (tmp_path / "graph").stat().st_ino != store


def test_another_run_in_its_place_is_another_graph(folder: Path, tmp_path: Path, kept: Callable[..., None]) -> None:
    assert ask(folder, CASES) == [("case 1",)]
    (folder / "results.duckdb").unlink()
    kept(folder, {"other": RESULT})
    os.utime(folder / "results.duckdb", (1, 1))
    assert ask(folder, CASES) == [("other",)]


def test_a_record_that_could_not_be_used_is_no_case(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    pair = '{"id": "a", "reference": "No pneumothorax.", "candidate": "Pneumothorax."}\n'
    source.write_text(pair + pair + '{"id": "b", "reference": "No pneumothorax."}\n')
    list(score_source(str(source), Settings(), out=tmp_path / "run"))
    assert ask(tmp_path / "run", CASES) == [("a",)]
    assert ask(tmp_path / "run", "SELECT ?n { ?s a kgr:Score ; kgr:case ?n }") == [("a",)]
    assert ask(tmp_path / "run", "SELECT ?n { ?r kgr:failedCases ?n }") == [(2,)]


def test_the_schema_is_loaded_without_a_cache_too(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path / "file"))
    assert query(folder, "ASK { kgr:Match rdfs:label 'match'@en }", limit=1, seconds=20).truth


def test_the_tables_of_the_schema_are_shared_with_the_cache_and_made_again_if_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Callable[..., None]
) -> None:
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path))
    for name in ("one", "other"):
        kept(tmp_path / name, {"case 1": RESULT})
        build(tmp_path / name)
        (template,) = (tmp_path / "kgscore").glob("schema-*")
        largest = max(template.glob("*.sst"), key=lambda path: path.stat().st_size)
        own = [path for path in (tmp_path / name / FOLDER).iterdir() if path.stat().st_nlink == 1]
        assert sum(path.stat().st_size for path in own) < 2_000_000 < largest.stat().st_size
        assert stat.S_IMODE((tmp_path / name / FOLDER).stat().st_mode) == 0o700
        data = bytearray(largest.read_bytes())
        data[len(data) // 2] ^= 1
        largest.unlink()  # the other graph keeps what it has
        largest.write_bytes(data)
    assert query(tmp_path / "other", "ASK { kgr:Match rdfs:label 'match'@en }", limit=1, seconds=20).truth
    assert ask(tmp_path / "one", COUNT) == ask(tmp_path / "other", COUNT)


def test_a_graph_whose_making_was_interrupted_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Callable[..., None]
) -> None:
    monkeypatch.setattr(building, "CASES", 1)
    for name in ("run", "whole"):
        kept(tmp_path / name, {f"case {n}": RESULT for n in range(5)})

    def stop(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    some, done = frozenset({RUN + "asserts"}), []
    for wanted in (some, None):
        with pytest.raises(KeyboardInterrupt):
            build(tmp_path / "run", stop, wanted)
        build(tmp_path / "run", done.append, wanted)
        build(tmp_path / "whole", wanted=wanted)
    assert done == [1, 2, 3] * 2  # of five, two were there each time
    kept(tmp_path / "run", {f"case {n}": RESULT for n in range(5)})
    kept(tmp_path / "whole", {f"case {n}": RESULT for n in range(5)})
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "run", stop)
    build(tmp_path / "run", done.append)
    build(tmp_path / "whole")
    assert done == [1, 2, 3] * 3
    assert ask(tmp_path / "run", COUNT) == ask(tmp_path / "whole", COUNT)
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"results.duckdb", "graph", "graph.json"}


def test_a_run_is_not_scored_again_for_its_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, run = tmp_path / "pairs.jsonl", tmp_path / "run"
    source.write_text('{"id": "a", "reference": "No pneumothorax.", "candidate": "Pneumothorax."}\n')
    with monkeypatch.context() as patched:
        patched.setattr(building, "copy_schema", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            list(score_source(str(source), Settings(), out=run, graph=True))
    (line,) = score_source(str(source), Settings(), out=run, graph=True)
    assert line.id == "a"
    assert ask(run, "SELECT ?n { ?r kgr:scoredCases ?n }") == [(1,)]
    assert is_made(run)
    list(score_source(str(source), Settings(), out=run, graph=True))  # with its graph it is complete: this is another run
    assert ask(run, "SELECT ?n { ?r kgr:scoredCases ?n }") == [(1,), (1,)]


def test_exports_can_be_read_back(unchanged: Path) -> None:
    whole, turtle = BytesIO(), BytesIO()
    export(unchanged, whole, "nquads")
    lines = whole.getvalue().splitlines()
    assert len(lines) == ask(unchanged, COUNT)[0][0]
    own = b"\n".join(line for line in lines if b"kgscore/data/" in line)  # parsing the schema takes seconds
    assert len(list(pyoxigraph.parse(own, format=pyoxigraph.RdfFormat.N_QUADS))) == own.count(b"\n") + 1
    export(unchanged, turtle, "turtle")
    assert b"Small left effusion" in turtle.getvalue()
    one = "\n".join(str(triple) for triple in report_triples(str(unchanged), 1, "case 1", "candidate"))
    assert "No effusion" in one
    assert "Small left" not in one
    with pytest.raises(QueryError, match="no reference of a case 'case 2'"):
        list(report_triples(str(unchanged), 1, "case 2", "reference"))


def test_nothing_is_left_that_only_its_own_thread_may_drop(unchanged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[str] = []
    gc.collect()
    gc.disable()
    try:
        run_node(str(unchanged), "latest")
        monkeypatch.setattr(sys, "unraisablehook", lambda seen: dropped.append(str(seen.exc_value)))
        other = Thread(target=gc.collect)
        other.start()
        other.join()
    finally:
        gc.enable()
    assert dropped == []


def test_rdflib_reads_the_same_graph(unchanged: Path) -> None:
    rows = list(open_dataset(unchanged).query("SELECT ?t { ?s kgr:contradicts ?o ; kgr:text ?t }"))
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


def test_answers_have_limits_of_rows_and_time(unchanged: Path) -> None:
    answer = query(unchanged, "SELECT * { ?s ?p ?o }", limit=5, seconds=20)
    assert len(answer.rows) == 5
    assert answer.more
    assert query(unchanged, "ASK { ?s a kgr:Match }", limit=5, seconds=20).truth is True
    triples = query(unchanged, "CONSTRUCT { ?s a ?o } WHERE { ?s a ?o }", limit=3, seconds=20).triples
    assert triples is not None
    assert len(triples) == 3
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"took longer than 0\.5 s"):
        query(unchanged, "SELECT (count(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", limit=5, seconds=0.5)
    assert time.monotonic() - began < 15


def test_a_wrong_query_is_one_line(unchanged: Path) -> None:
    with pytest.raises(QueryError, match="not SPARQL") as caught:
        query(unchanged, "SELECT nonsense", limit=5, seconds=20)
    assert "\n" not in str(caught.value)


def test_no_graph_a_locked_one_and_a_damaged_one_are_one_line(folder: Path, tmp_path: Path, kept: Callable[..., None]) -> None:
    with pytest.raises(RunError, match="has no graph"):
        query(tmp_path / "none", "ASK { ?s ?p ?o }", limit=1, seconds=5)
    build(folder)
    holder = "import pyoxigraph, sys; s = pyoxigraph.Store(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holder, str(folder / "graph")], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert ask(folder, "SELECT ?v { ?s a kgr:Score ; kgr:value ?v }") == [(0.25,)]  # reading beside a writer
        kept(folder, {"case 2": RESULT})
        with pytest.raises(RunError, match="another process writes to it"):
            build(folder)
        process.communicate(b"")
    for path in (folder / "graph").iterdir():
        path.unlink()  # not what it shares with the cache
        path.write_bytes(b"damaged")
    with pytest.raises(RunError) as caught:
        build(folder)
    assert "\n" not in str(caught.value)


def test_a_graph_is_read_while_the_tables_are_written(folder: Path) -> None:
    build(folder)
    os.utime(folder / "results.duckdb", (1, 1))  # they have changed, as far as can be seen
    holder = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holder, str(folder / "results.duckdb")], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert ask(folder, CASES) == [("case 1",)]
        shutil.rmtree(folder / "graph")
        with pytest.raises(RunError, match="another process writes to it"):
            build(folder)
        process.communicate(b"")
