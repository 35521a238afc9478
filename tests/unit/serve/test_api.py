"""What the API answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgscore.errors import RunError
from kgscore.model import Finding, Link, PairResult, Reading, Relation
from kgscore.report.view import verdicts
from kgscore.results.cases import load_cases, load_lines, load_run
from kgscore.serve.settings import Limits


def test_runs_say_what_scored_them(client) -> None:
    one, two = client.get("/api/runs").json()
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
    assert [row["label"] for row in found["lost"]["contradicted"]] == ["pneumothorax"]
    assert [row["label"] for row in found["lost"]["missed"]] == ["cardiomegaly"]


def test_cases_come_in_pages(client) -> None:
    page = client.get("/api/runs/one-1/cases", params={"offset": 1, "limit": 2}).json()
    assert page["total"] == 4
    assert [case["id"] for case in page["cases"]] == ["clash", "partial"]
    refused = client.get("/api/runs/one-1/cases", params={"limit": 10_000})
    assert refused.status_code == 422
    assert refused.json()["error"] == "limit: input should be less than or equal to 500"


def test_a_case_holds_verdicts_proofs_costs_and_corrections(client) -> None:
    case = client.get("/api/runs/one-1/cases/1").json()
    assert case["reference"]["findings"][0]["verdict"] == "contradicted"
    (match, *_) = case["matches"]
    assert match["verdict"] == "contradicted"
    assert match["proof"]
    lost = [one for side in ("reference", "candidate") for one in case[side]["findings"]]
    assert sum(one["cost"] for one in lost) == pytest.approx(1 - case["scores"][0]["value"])
    assert case["corrections"][0]["severity"] == 4
    partial = client.get("/api/runs/one-1/cases/2").json()
    link = next(one for one in partial["matches"] if one["verdict"] == "partial")
    assert link["flow"] == pytest.approx(link["weight"])
    assert 0 < link["credit"] < link["flow"] < 1


def test_columns_agree_with_the_cases(client) -> None:
    columns = client.get("/api/runs/one-1/columns").json()
    assert columns["ids"] == ["agreed", "clash", "partial", "empty"]
    assert columns["status"] == ["scored", "scored", "scored", "empty"]
    assert columns["counts"]["contradicted"][:2] == [0, 1]
    assert columns["counts"]["missed"] == [0, 0, 1, 0]
    assert columns["severity"][1] == 4
    labels = [columns["labels"][n] for n in columns["findings"]["missed"][2]]
    assert labels == ["cardiomegaly"]


@pytest.mark.parametrize(
    ("words", "positions"),
    [("PNEUMO left", [1, 3]), ("lower cardio", [2]), ("effusion pneumothorax", []), ("' OR 1=1 --", []), ("", [0, 1, 2, 3])],
)
def test_cases_are_found_by_words_of_their_reports(client, words: str, positions: list[int]) -> None:
    assert client.get("/api/runs/one-1/search", params={"q": words}).json() == {"positions": positions}


def test_two_runs_are_compared_case_by_case(client) -> None:
    found = client.get("/api/compare", params={"a": "one-1", "b": "two-1"}).json()
    assert found["counts"] == {
        "cases": 3, "only_a": 1, "only_b": 0, "scored": 3, "better": 1, "equal": 1, "worse": 1,
    }  # fmt: skip
    assert [row["id"] for row in found["cases"]] == ["agreed", "partial", "clash"]
    assert found["cases"][0]["difference"] == -1.0
    # Of a metric where lower is better, a lower score is the better one.
    turned = client.get("/api/compare", params={"a": "one-1", "b": "two-1", "metric": "fineradscore"}).json()
    assert turned["cases"][-1]["id"] == "clash"
    assert turned["counts"]["better"] == 1
    assert client.get("/api/compare", params={"a": "one-1", "b": "two-1", "metric": "bleu"}).status_code == 422


def test_what_is_not_there_is_told_in_one_line(client) -> None:
    for path in ("runs/three-1", "runs/one-9", "runs/one-1/cases/99", "runs/one-1/cases/-1", "concepts/x"):
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
    assert client.post(ask, json={"query": "ASK { ?a kgr:contradicts ?b }"}).json()["truth"] is True
    for bad in ("DROP ALL", "SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }", "SELECT", "x" * 30_000):
        assert client.post(ask, json={"query": bad}).status_code == 422


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
    from kgscore.serve.shelf import Shelf
    from tests.unit.serve.conftest import PAIRS, scored

    folder = scored(tmp_path / "grows", PAIRS[:1])
    shelf = Shelf([folder])
    assert [key for key, _ in shelf.runs()] == ["grows-1"]
    scored(folder, PAIRS[:2])
    assert [key for key, _ in shelf.runs()] == ["grows-1", "grows-2"]


def test_runs_are_known_while_somebody_writes(tmp_path: Path) -> None:
    from kgscore.serve.shelf import Shelf
    from tests.unit.serve.conftest import PAIRS, scored

    folder = scored(tmp_path / "busy", PAIRS[:1])
    shelf = Shelf([folder])
    hold = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); os.utime(sys.argv[1]); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(folder / "results.duckdb")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        assert [key for key, _ in shelf.runs()] == ["busy-1"]
        with pytest.raises(RunError, match="another process writes"):
            shelf.volume("busy-1")
        writer.communicate("done\n")
    assert shelf.volume("busy-1").columns["ids"] == ["agreed"]


def test_verdicts_in_python_and_in_the_run_are_the_same(folders: tuple[Path, ...]) -> None:
    info = load_run(folders[0])
    for line, (_, case) in zip(load_lines(folders[0], 1), load_cases(info), strict=True):
        found = verdicts(case.result)
        told = [one.verdict for one in line.findings]
        assert told == [found[key] for key in sorted(found, key=lambda key: (key[0] != "reference", key[1]))]


def test_a_finding_with_a_link_is_not_contradicted() -> None:
    def reading(*texts: str) -> Reading:
        return Reading(tuple(Finding(text, 0, 1, text, text) for text in texts))

    links = (Link(0, 0, Relation("part_whole", weight=0.5), 0.5), Link(0, 1, Relation("equivalent", weight=1.0), 0.5))
    clash = Link(0, 2, Relation("contradiction"))
    result = PairResult("a", "scored", {}, reading("x"), reading("x", "y", "z"), links, (clash,), (), (2,))
    assert verdicts(result) == {
        ("reference", 0): "agreed", ("candidate", 0): "partial", ("candidate", 1): "agreed", ("candidate", 2): "contradicted",
    }  # fmt: skip
