"""What the API answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgscore.errors import BusyError, QueryError, RunError
from kgscore.graph.building import is_whole
from kgscore.graph.queries import OF_NO_CASE, is_ready
from kgscore.graph.vocabulary import BASE
from kgscore.model import Finding, Link, PairResult, Reading, Relation
from kgscore.report.items import decode_items
from kgscore.report.view import verdicts
from kgscore.results.cases import load_cases, load_lines, load_run
from kgscore.serve.settings import Limits
from kgscore.serve.sparql import Queries
from tests.unit.serve.conftest import PAIRS, scored


def test_runs_say_what_scored_them(client) -> None:
    one, two, _ = client.get("/api/runs").json()
    assert (one["key"], two["key"]) == ("one-1", "two-1")
    assert one["counts"] == {"scored": 3, "empty": 1}
    assert one["input"] == "one.jsonl"
    assert one["signature"]["profile"] == "default"


def test_a_run_counts_means_over_scored_cases_only(client) -> None:
    found = client.get("/api/runs/one-1").json()["overview"]
    radsem = found["metrics"][0]
    values = [c["scores"]["radsem"] for c in client.get("/api/runs/one-1/cases").json()["cases"]]
    assert values[3] is None
    assert radsem["scored"] == 3
    assert radsem["without"] == 1
    assert radsem["mean"] == pytest.approx(sum(values[:3]) / 3)
    lost = [(row["label"], row["wrong"], row["missed"]) for row in found["lost"]]
    assert lost == [("pneumothorax", 0, 1), ("cardiomegaly", 0, 1)]  # one is denied, one left out
    assert found["critical"] == 1
    assert [(row["kind"], row["label"], row["cases"]) for row in found["dangers"]] == [("missed", "pneumothorax", 1)]


def test_cases_come_in_pages(client) -> None:
    page = client.get("/api/runs/one-1/cases", params={"offset": 1, "limit": 2}).json()
    assert page["total"] == 4
    assert [case["id"] for case in page["cases"]] == ["clash", "partial"]
    refused = client.get("/api/runs/one-1/cases", params={"limit": 10_000})
    assert refused.status_code == 422
    assert refused.json()["error"] == "limit: input should be less than or equal to 500"


def test_a_case_holds_verdicts_proofs_costs_and_corrections(client) -> None:
    case = client.get("/api/runs/one-1/cases/1").json()
    assert case["reference"]["findings"][0]["kind"] == "missed"
    (item, *others) = case["items"]
    assert (item["kind"], item["tier"], item["denial"]) == ("missed", 4, False)
    assert item["proof"]
    assert sum(one["cost"] or 0 for one in (item, *others)) == pytest.approx(1 - case["scores"][0]["value"])
    assert case["corrections"][0]["severity"] == 4
    partial = client.get("/api/runs/one-1/cases/2").json()
    link = next(one for one in partial["items"] if one["kind"] == "minor")
    assert 0 < link["credit"] < 1


def test_the_verdict_is_the_source_of_list_summary_and_case(client) -> None:
    """List, summary and case page agree on the gravest error, and a denial is no abnormal finding."""
    (row,) = client.get("/api/runs/three-1/cases", params={"limit": 1}).json()["cases"]
    case = client.get("/api/runs/three-1/cases/0").json()
    overview = client.get("/api/runs/three-1").json()["overview"]
    gravest = case["items"][0]
    assert case["verdict"].startswith("Denies the left pneumothorax (critical)")
    assert (gravest["kind"], gravest["tier"]) == ("missed", 4)
    assert (row["gravest"], row["tier"]) == ("missed pneumothorax", 4)
    assert [(one["kind"], one["label"]) for one in overview["dangers"]] == [("missed", "pneumothorax")]
    assert row["counts"] == {"wrong": 0, "missed": 1, "invented": 0, "minor": 0, "correct": 1}
    assert row["denials"]["invented"] == 3  # no pneumothorax on the right, no effusion on either side
    names = [one["name"] for one in case["candidate"]["findings"] if one["denial"]]
    assert set(names) == {"no pneumothorax", "no pleural effusion"}


def test_columns_agree_with_the_cases(client) -> None:
    columns = client.get("/api/runs/one-1/columns").json()
    assert columns["ids"] == ["agreed", "clash", "partial", "empty"]
    assert columns["status"] == ["scored", "scored", "scored", "empty"]
    assert columns["first"][1] == "Left pneumothorax."
    items = [decode_items(codes, columns["labels"]) for codes in columns["items"]]
    assert [one.kind for one in items[0]] == ["correct"]
    assert [(one.kind, one.label, one.tier) for one in items[1] if not one.denial] == [("missed", "pneumothorax", 4)]
    assert [(one.kind, one.label) for one in items[2]] == [("missed", "cardiomegaly"), ("minor", "consolidation")]
    assert items[3] == []


@pytest.mark.parametrize(
    ("words", "positions"),
    [("PNEUMO left", [1, 3]), ("lower cardio", [2]), ("effusion pneumothorax", []), ("' OR 1=1 --", []), ("", [0, 1, 2, 3])],
)
def test_cases_are_found_by_words_of_their_reports(client, words: str, positions: list[int]) -> None:
    assert client.get("/api/runs/one-1/search", params={"q": words}).json() == {"positions": positions}


def test_two_runs_are_compared_with_what_is_new_and_gone(client) -> None:
    found = client.get("/api/compare", params={"a": "one-1", "b": "two-1"}).json()
    radsem, fineradscore = found["metrics"]
    assert (found["pairs"], found["only_a"], found["only_b"]) == (3, 1, 0)
    assert (radsem["wins"], radsem["ties"], radsem["losses"]) == (1, 1, 1)
    assert fineradscore["wins"] == 1  # of a metric where lower is better, a lower score is the better one
    assert found["grave"]["4"] == [1, 1]
    columns = client.get("/api/compare/columns", params={"a": "one-1", "b": "two-1"}).json()
    new, gone = ([decode_items(codes, columns["labels"]) for codes in columns[name]] for name in ("items", "gone"))
    assert columns["at"] == [[0, 0], [1, 1], [2, 2]]
    assert [(one.kind, one.label) for one in new[0]] == [("invented", "pneumothorax"), ("missed", "pleural effusion")]
    assert [(one.kind, one.label) for one in gone[1]] == [("missed", "pneumothorax")]
    assert columns["scores"]["radsem"][1][0] == 0.0
    refused = client.get("/api/compare", params={"a": "one-1", "b": "three-1"})
    assert (refused.status_code, "no pair is in both" in refused.json()["error"]) == (404, True)


def test_what_is_not_there_is_told_in_one_line(client) -> None:
    for path in ("runs/four-1", "runs/one-9", "runs/one-1/cases/99", "runs/one-1/cases/-1", "concepts/x"):
        answer = client.get(f"/api/{path}")
        assert answer.status_code == 404, path
        assert "\n" not in answer.json()["error"]
    page = client.get("/runs/<script>")
    assert page.status_code == 404
    assert "<script>'" not in page.text
    assert "&lt;script&gt;" in page.text


def test_pasted_reports_are_scored_with_the_profile_chosen(client) -> None:
    pair = {"reference": "Mild hydrocephalus.", "candidate": "Severe hydrocephalus.", "metrics": ["radsem", "headct_one"]}
    strict = client.post("/api/score", json=pair).json()
    published = client.post("/api/score", json=pair | {"profile": "radsem-published"}).json()
    assert [one["metric"] for one in strict["scores"]] == ["radsem", "headct_one"]
    assert strict["scores"][0]["value"] < published["scores"][0]["value"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"profile": "/etc/passwd.yaml"}, "not one of"),
        ({"metrics": ["bleu"]}, "unknown"),
        ({"reference": "x" * 60_000}, "characters"),
    ],
)
def test_what_cannot_be_scored_is_refused(client, change: dict[str, object], word: str) -> None:
    answer = client.post("/api/score", json={"reference": "Left pneumothorax.", "candidate": "x", **change})
    assert answer.status_code == 422
    assert word in answer.json()["error"]


def test_scoring_that_takes_too_long_is_ended_and_the_next_pair_is_scored(make) -> None:
    client = make(limits=Limits(score_seconds=0.0))
    pair = {"reference": "Left pneumothorax. " * 50, "candidate": "No pneumothorax. " * 50}
    assert "longer than 0 s" in client.post("/api/score", json=pair).json()["error"]
    patient = make()
    assert patient.post("/api/score", json=pair).status_code == 200


def test_who_waits_too_long_for_a_turn_is_refused(make) -> None:
    client = make(limits=Limits(waiting=0.05))
    scoring = client.app.state.scoring
    with scoring._lock:
        answer = client.post("/api/score", json={"reference": "Left pneumothorax.", "candidate": "x"})
    assert "too many pairs" in answer.json()["error"]


def test_a_malformed_request_is_not_repeated(client) -> None:
    answer = client.post("/api/score", json={"reference": ["secret words"], "candidate": "x"})
    assert answer.status_code == 422
    assert "secret" not in answer.text
    assert "reference" in answer.json()["error"]


def test_shipped_queries_run(client) -> None:
    queries = client.get("/api/queries").json()
    assert len(queries) >= 3
    for one in queries[:5]:
        if all(parameter["default"] is not None for parameter in one["parameters"]):
            assert client.post("/api/runs/one-1/query", json={"query": one["text"]}).status_code == 200, one["name"]


def test_sparql_reads_the_graph_and_nothing_else(client) -> None:
    ask = "/api/runs/one-1/query"
    found = client.post(ask, json={"query": "SELECT ?t { ?a kgr:contradicts ?b . ?a kgr:text ?t }"}).json()
    assert found["columns"] == ["t"]
    assert found["rows"] == [["Left pneumothorax"]]
    assert found["concepts"] == {}
    left_lung = "http://purl.org/sig/ont/fma/fma7310"
    named = f"SELECT ?c {{ VALUES ?c {{ kgs:pneumothorax kgs:Finding <{left_lung}> kgs:pleural_space_right 7 }} }}"
    known = {f"{BASE}pneumothorax": "pneumothorax", left_lung: "lung", f"{BASE}pleural_space_right": "pleural_space"}
    assert client.post(ask, json={"query": named}).json()["concepts"] == known
    assert client.get("/api/concepts/lung").json()["iri"] == "http://purl.org/sig/ont/fma/fma7195"
    assert client.post(ask, json={"query": "ASK { ?a kgr:contradicts ?b }"}).json()["truth"] is True
    for bad in ("DROP ALL", "SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }", "SELECT", "x" * 30_000):
        assert client.post(ask, json={"query": bad}).status_code == 422


def test_a_query_makes_what_it_can_see_of_the_graph(tmp_path: Path) -> None:
    folder = scored(tmp_path / "run", PAIRS)
    queries = Queries(Limits(waiting=0.1))
    contradictions = "SELECT ?case { ?a kgr:contradicts ?b ; kgr:inReport/kgr:case ?case }"
    of_a_concept = "# param kind: concept = pneumothorax -- a kind\nASK { ?kind kgs:key ?key }"

    def rows(text: str) -> list[list[str]]:
        return queries.ask(folder, 1, text, {}, 10, lambda: False)["rows"]

    try:
        assert queries.ask(folder, 1, of_a_concept, {}, 10, lambda: False)["truth"] is True
        assert is_ready(folder, OF_NO_CASE)
        assert not is_ready(folder, contradictions)
        assert rows(contradictions) == [["clash"]]
        assert not is_whole(folder)
        with pytest.raises(QueryError, match="update"):
            rows("DELETE WHERE { ?s ?p ?o }")
        assert not is_whole(folder)  # what may not run makes nothing
        with queries._making:  # somebody makes a graph: who needs nothing of it goes on
            assert rows(contradictions) == [["clash"]]
            with pytest.raises(BusyError):
                rows("SELECT * { ?s ?p ?o }")
        assert len(rows("SELECT ?s ?p ?o { ?s ?p ?o }")) == 10
        assert is_whole(folder)
        assert rows(contradictions) == [["clash"]]
    finally:
        queries.close()


def test_a_query_that_takes_too_long_is_ended(make) -> None:
    client = make(limits=Limits(query_seconds=0.2))
    slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    assert "longer than" in client.post("/api/runs/one-1/query", json={"query": slow}).json()["error"]


def test_concepts_are_found_by_any_name_and_related_with_proof(client) -> None:
    assert client.get("/api/concepts", params={"q": "PTX"}).json()[0]["id"] == "pneumothorax"
    assert client.get("/api/concepts", params={"q": "left lower lobe of lung"}).json()[0]["kind"] == "anatomy"
    page = client.get("/api/concepts/pneumothorax").json()
    assert page["severity"] == 4
    assert any("pleural space" in text for text in page["definitions"])
    below = {one["id"] for one in client.get("/api/concepts/pneumothorax/below").json()}
    assert "tension_pneumothorax" in below
    found = client.get("/api/relation", params={"a": "tension_pneumothorax", "b": "gas"}).json()
    assert found["verdict"] == "kind"
    assert found["proof"][-1].endswith("is a gas")
    turned = client.get("/api/relation", params={"a": "gas", "b": "tension_pneumothorax"}).json()
    assert turned["verdict"] == "broader"
    assert [one["relation"] for one in found["statements"]] == ["part_whole", "contradiction", "unrelated"]


def test_the_explorer_tells_what_is_near_in_meaning(client) -> None:
    near = client.get("/api/concepts/pneumothorax/nearest", params={"n": 6}).json()
    assert len(near) == 6
    assert "pneumothorax" not in {one["id"] for one in near}
    assert {one["id"]: one["how"] for one in near}["tension_pneumothorax"] == "kind"
    assert all(0 < one["score"] <= 1 and one["called"] for one in near)
    words = client.get("/api/nearest", params={"q": "stone in the kidney", "n": 3}).json()
    assert "nephrolithiasis" in {one["id"] for one in words}
    assert client.get("/api/nearest").json() == []
    assert client.get("/api/concepts/none_such/nearest").status_code == client.get("/api/concepts/none_such").status_code
    assert client.get("/api/nearest", params={"q": "a", "n": 0}).status_code == 422


def test_occurrences_climb_the_hierarchy(client) -> None:
    found = client.get("/api/concepts/gas/occurrences").json()
    counts = {(one["report"], one["status"]): one["count"] for one in found[0]["counts"]}
    assert counts == {("reference", "present"): 1, ("candidate", "absent"): 2}
    assert {one["id"] for one in found[0]["examples"]} == {"clash"}
    inside = client.get("/api/concepts/lung/occurrences").json()
    assert {one["text"] for one in inside[0]["examples"]} >= {"Left lower lobe consolidation"}


def test_the_description_names_every_path_and_loads_nothing_from_elsewhere(client) -> None:
    spec = client.get("/api/openapi.json").json()
    page = client.get("/api").text
    for path in spec["paths"]:
        assert path in page
    for path in ("/", "/runs/one-1", "/compare", "/ontology", "/try", "/query", "/api"):
        text = client.get(path).text
        assert not re.findall(r"(?:src|href)=[\"'](?:https?:)?//", text), path


def test_a_run_that_was_added_is_seen(client, folders: tuple[Path, ...], tmp_path: Path) -> None:
    from kgscore.serve.run_store import RunStore
    from tests.unit.serve.conftest import PAIRS, scored

    folder = scored(tmp_path / "grows", PAIRS[:1])
    shelf = RunStore([folder])
    assert [key for key, _ in shelf.runs()] == ["grows-1"]
    scored(folder, PAIRS[:2])
    assert [key for key, _ in shelf.runs()] == ["grows-1", "grows-2"]


def test_runs_are_known_while_somebody_writes(tmp_path: Path) -> None:
    from kgscore.serve.run_store import RunStore
    from tests.unit.serve.conftest import PAIRS, scored

    folder = scored(tmp_path / "busy", PAIRS[:1])
    shelf = RunStore([folder])
    hold = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); os.utime(sys.argv[1]); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(folder / "results.duckdb")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        assert [key for key, _ in shelf.runs()] == ["busy-1"]
        with pytest.raises(RunError, match="another process writes"):
            shelf.open_run("busy-1")
        writer.communicate("done\n")
    assert shelf.open_run("busy-1").columns["ids"] == ["agreed"]


def test_verdicts_in_python_and_in_the_run_are_the_same(folders: tuple[Path, ...]) -> None:
    info = load_run(folders[0])
    for line, case in zip(load_lines(folders[0], 1), load_cases(info), strict=True):
        found = verdicts(case.result)
        told = [one.kind for mine in line.findings.values() for one in mine]
        assert told == [found[key] for key in sorted(found, key=lambda key: (key[0] != "reference", key[1]))]


def test_a_finding_with_a_link_is_not_contradicted() -> None:
    def reading(*texts: str) -> Reading:
        return Reading(tuple(Finding(text, 0, 1, text, text) for text in texts))

    links = (Link(0, 0, Relation("part_whole", weight=0.5), 0.5), Link(0, 1, Relation("equivalent", weight=1.0), 0.5))
    clash = Link(0, 2, Relation("contradiction"))
    result = PairResult("a", "scored", {}, reading("x"), reading("x", "y", "z"), links, (clash,), (), (2,))
    assert verdicts(result) == {
        ("reference", 0): "correct", ("candidate", 0): "minor", ("candidate", 1): "correct", ("candidate", 2): "wrong",
    }  # fmt: skip


def test_sql_reads_the_tables_within_memory_and_nothing_else(client, make) -> None:
    ask = "/api/runs/one-1/sql"
    assert client.post(ask, json={"query": "SELECT id FROM cases ORDER BY position LIMIT 1"}).json()["rows"] == [["agreed"]]
    for text in ("DROP TABLE cases", "SELECT * FROM read_text('/etc/hosts')", "COPY cases TO 'x.csv'"):
        assert client.post(ask, json={"query": text}).status_code == 422, text
    small = make(limits=Limits(memory=20_000_000))
    greedy = "SELECT a.range, list(b.range) FROM range(100000) a, range(1000) b GROUP BY 1"
    assert "emory" in small.post(ask, json={"query": greedy}).json()["error"]


def test_a_query_out_of_memory_ends_alone(make) -> None:
    client = make(limits=Limits(memory=400_000_000, query_seconds=60))
    greedy = "SELECT (GROUP_CONCAT(?o) AS ?all) { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f }"
    answer = client.post("/api/runs/one-1/query", json={"query": greedy})
    assert answer.status_code == 422
    assert "--" not in answer.json()["error"]
    assert client.post("/api/runs/one-1/query", json={"query": "ASK { ?s ?p ?o }"}).json()["truth"] is True


def test_head_nowhere_and_no_store(client) -> None:
    head = client.head("/runs/one-1")
    assert (head.status_code, head.content, head.headers["cache-control"]) == (200, b"", "no-store")
    assert client.get("/static/kit.js").headers["cache-control"] == "no-cache"
    nowhere = client.get("/nowhere")
    assert (nowhere.status_code, "Not found" in nowhere.text) == (404, True)
    assert client.get("/api/nowhere").json() == {"error": "page not found"}
    missing = client.get("/runs/none-1")
    assert (missing.status_code, "Unknown run" in missing.text) == (404, True)


def test_the_leaderboard_sorts_and_says_what_can_be_compared(client) -> None:
    page = client.get("/").text
    places = [page.index(f'data-with="{name}"') for name in ("one-1", "two-1", "")]
    assert len(set(places)) == 3
    assert page.index("three-1") > page.index("two-1")  # it does not have the metric that most have


def test_too_much_at_once_is_told_with_when_to_come_again(make) -> None:
    answer = make(limits=Limits(requests=0)).get("/")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
