"""The contract of the command line: shapes, streams, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from kgscore.results.cases import load_outcomes
from kgscore.results.sql import ask

Cli = Callable[..., Any]
SAME = {"id": "same", "reference": "Small left pleural effusion.", "candidate": "Small left pleural effusion."}
CLASH = {"id": "clash", "reference": "Small left pleural effusion.", "candidate": "No pleural effusion."}
EMPTY = {"id": "empty", "reference": "Small left pleural effusion.", "candidate": ""}


def query(folder: Path, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in ask(folder, sql).rows()]


def jsonl(path: Path, *rows: object) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


# --- score ---


def test_score_prints_one_line_a_pair_in_order(kgscore: Cli, tmp_path: Path) -> None:
    ran = kgscore("score", jsonl(tmp_path / "p.jsonl", SAME, CLASH, EMPTY))
    assert ran.code == 0
    assert [list(line) for line in ran.lines] == [["id", "status", "scores", "reason"]] * 3
    same, clash, empty = ran.lines
    assert same == {"id": "same", "status": "scored", "scores": {"clinical": 1.0, "radsem": 1.0}, "reason": ""}
    assert clash["scores"]["radsem"] < 0.5
    assert empty["scores"] == {"clinical": 0.0, "radsem": 0.0}
    assert (empty["status"], empty["reason"]) == ("scored", "the candidate says nothing")
    assert f"{tmp_path / 'p.jsonl'}:3: record 'empty': the candidate says nothing" in ran.err
    assert "3 pairs: 3 scored, 0 empty, 0 failed; 1 candidate says nothing" in ran.err


def test_a_candidate_that_says_nothing_can_be_skipped(kgscore: Cli, tmp_path: Path) -> None:
    path, run = jsonl(tmp_path / "p.jsonl", SAME, EMPTY), tmp_path / "run"
    ran = kgscore("score", path, "--empty-candidate", "skip", "--output", run)
    assert ran.code == 0
    assert ran.lines[1] == {
        "id": "empty", "status": "empty", "scores": {"clinical": None, "radsem": None}, "reason": "the candidate says nothing",
    }  # fmt: skip
    assert "2 pairs: 1 scored, 1 empty, 0 failed; 1 candidate says nothing" in ran.err
    kgscore("score", path, "--output", run)
    rows = query(run, "SELECT count(DISTINCT signature) FROM runs")
    assert rows == [(2,)]
    wrong = kgscore("score", path, "--empty-candidate", "drop")
    assert (wrong.code, wrong.err) == (1, "kgscore: empty candidate: 'drop' is unknown; use score or skip\n")


def test_bad_records_are_named_and_have_no_score(kgscore: Cli, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", SAME, "{broken", {"id": "half", "reference": "secret words"}, SAME, CLASH)
    ran = kgscore("score", path, "--output", tmp_path / "run")
    assert ran.code == 3
    assert [(line["id"], line["status"]) for line in ran.lines] == [
        ("same", "scored"), (None, "failed"), ("half", "failed"), ("same", "failed"), ("clash", "scored"),
    ]
    assert all(line["scores"] == {"clinical": None, "radsem": None} for line in ran.lines[1:4])
    assert f"{path}:3: record 'half': field 'candidate' is missing; add it as text" in ran.err
    assert "secret" not in ran.err + ran.out
    rows = query(tmp_path / "run", "SELECT place FROM failures ORDER BY position")
    assert [row[0] for row in rows] == [f"{path}:{number}" for number in (2, 3, 4)]


def test_score_takes_csv_parquet_standard_input_and_two_files(kgscore: Cli, tmp_path: Path) -> None:
    csv = tmp_path / "p.csv"
    csv.write_text("id,reference,candidate\nsame,No pneumothorax.,No pneumothorax.\n")
    parquet = tmp_path / "p.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([SAME]), parquet)
    for ran in (
        kgscore("score", csv),
        kgscore("score", parquet),
        kgscore("score", "-", stdin=json.dumps(SAME).encode()),
        kgscore("score", "-", "--output", tmp_path / "run", stdin=json.dumps(SAME).encode()),
    ):
        assert (ran.code, [line["scores"]["radsem"] for line in ran.lines]) == (0, [1.0])
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text(SAME["reference"])
    b.write_text(SAME["candidate"])
    ran = kgscore("score", "--reference", a, "--candidate", b)
    assert ran.code == 0
    assert ran.lines == [{"id": str(b), "status": "scored", "scores": {"clinical": 1.0, "radsem": 1.0}, "reason": ""}]


@pytest.mark.parametrize(
    "args",
    [
        ["score"],
        ["score", "p.jsonl", "--reference", "a.txt"],
        ["score", "--reference", "a.txt"],
        ["score", "p.jsonl", "--jobs", "0"],
        ["score", "p.jsonl", "--jobs", "many"],
        ["score", "p.jsonl", "--metrics", ","],
        ["score", "p.jsonl", "--no-such-option"],
        ["no-such-command"],
        ["relate"],
        ["explain"],
        ["bench", "no-such-benchmark", "x"],
        ["graph", "export", "run", "--format", "word"],
    ],
)
def test_wrong_usage_is_exit_code_2(kgscore: Cli, args: list[str]) -> None:
    ran = kgscore(*args)
    assert (ran.code, ran.out) == (2, "")
    assert "Error" in ran.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["score", "none.jsonl"], "none.jsonl: cannot be read"),
        (["score", "p.docx"], "unknown file type"),
        (["score", "{p}", "--profile", "no-such-profile"], "no-such-profile"),
        (["score", "{p}", "--metrics", "no_such_metric"], "no_such_metric"),
        (["score", "{p}", "--output", "{p}"], "cannot create the run folder"),
        (["sql", "none", "SELECT 1"], "is not a run folder"),
        (["query", "none", "ASK { ?s ?p ?o }"], "has no graph"),
        (["graph", "export", "none"], "has no graph"),
        (["explain", "{p}", "nobody"], "has no record 'nobody'"),
        (["ontology", "show", "no such thing"], "no matching term for 'no such thing'"),
    ],
)
def test_an_error_is_one_line_and_exit_code_1(kgscore: Cli, tmp_path: Path, args: list[str], said: str) -> None:
    path = jsonl(tmp_path / "p.jsonl", SAME)
    ran = kgscore(*(arg.format(p=path) if "{p}" in arg else arg for arg in args))
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert ran.err.startswith("kgscore: ")
    assert ran.err.count("\n") == 1


def test_same_bytes_for_any_number_of_workers(kgscore: Cli, pairs: Cli) -> None:
    path = pairs(150)
    one, two = kgscore("score", path), kgscore("score", path, "--jobs", 2)
    assert one.code == two.code == 0
    assert one.out == two.out
    assert len(one.lines) == 150


# --- run folders ---


def test_a_killed_run_resumes_where_it_stopped(kgscore: Cli, pairs: Cli, tmp_path: Path) -> None:
    path = pairs(600, id_length=500)
    run = tmp_path / "run"
    command = [sys.executable, "-m", "kgscore", "score", str(path), "--output", str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        # The pipe is full after some hundred lines, so that the process cannot have finished.
        process.send_signal(signal.SIGKILL)
    ((finished, done),) = query(
        run, "SELECT any_value(finished), count(*) FROM runs JOIN cases USING (run)")
    assert finished is None
    assert 0 < done < 600
    again = kgscore("score", path, "--output", run)
    assert again.code == 0
    assert again.out.encode().startswith(first)
    whole = kgscore("score", path, "--output", tmp_path / "whole")
    assert again.out == whole.out
    for table in ("cases", "scores", "findings", "pairs", "unmatched"):
        counts = [query(folder, f"SELECT count(*) FROM {table}") for folder in (run, tmp_path / "whole")]
        assert counts[0] == counts[1]
    assert query(run, "SELECT count(finished) FROM runs") == [(1,)]
    third = kgscore("score", path, "--output", run)
    assert third.out == whole.out
    assert query(run, "SELECT count(*) FROM runs") == [(2,)]


def test_a_changed_input_is_a_new_run(kgscore: Cli, tmp_path: Path) -> None:
    run = tmp_path / "run"
    kgscore("score", jsonl(tmp_path / "p.jsonl", SAME), "--output", run)
    kgscore("score", jsonl(tmp_path / "p.jsonl", SAME, CLASH), "--output", run)
    assert [len(load_outcomes(run, number)) for number in (1, 2)] == [1, 2]


@pytest.fixture
def run(kgscore: Cli, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    assert kgscore("score", jsonl(tmp_path / "p.jsonl", SAME, CLASH), "--output", folder).code == 0
    return folder


def test_sql_query_and_export_open_a_run(kgscore: Cli, run: Path) -> None:
    ran = kgscore("sql", run, "SELECT id, value FROM scores ORDER BY position")
    assert ran.lines[0] == {"id": "same", "value": 1.0}
    ran = kgscore("sql", run, "-", stdin=b"SELECT count(*) AS n FROM contradictions")
    assert ran.lines[0]["n"] >= 1
    ran = kgscore("query", run, "SELECT DISTINCT ?case { ?a kgr:contradicts ?b ; kgr:inReport/kgr:case ?case }")
    assert ran.lines == [{"case": "clash"}]
    assert kgscore("query", run, "ASK { ?a kgr:contradicts ?b }").lines == [{"boolean": True}]
    ran = kgscore("query", run, "SELECT * { ?s ?p ?o }", "--limit", 2)
    assert len(ran.lines) == 2
    assert "only the first 2 rows" in ran.err
    ran = kgscore("graph", "export", run, "--output", run / "graph.nq")
    assert ran.code == 0
    assert b"kgscore/run#contradicts" in (run / "graph.nq").read_bytes()


def test_explain_opens_runs_files_and_texts(kgscore: Cli, run: Path, tmp_path: Path) -> None:
    table = kgscore("explain", run)
    assert table.code == 0
    assert "2 pairs: 2 scored" in table.out
    stored = kgscore("explain", run, "clash")
    assert kgscore("explain", run, "cl").out == kgscore("explain", run, "#2").out == stored.out
    assert "did you mean 'clash'?" in kgscore("explain", run, "clahs").err
    assert "was not scored with 'radot'; it has clinical, radsem" in kgscore("explain", run, "clash", "--metrics", "radot").err
    assert "leave out --profile" in kgscore("explain", run, "clash", "--profile", "fixed").err
    fresh = kgscore("explain", tmp_path / "p.jsonl", "clash", "--metrics", "clinical,radsem")
    assert stored.out == fresh.out
    assert "Verdict" in stored.out
    assert "Contradicts (" in stored.out
    (tmp_path / "a.txt").write_text(CLASH["reference"])
    (tmp_path / "b.txt").write_text(CLASH["candidate"])
    ran = kgscore("explain", "--reference", tmp_path / "a.txt", "--candidate", tmp_path / "b.txt")
    assert "Verdict" in ran.out
    assert "How radsem adds up" not in ran.out


# --- statements ---


def test_read_prints_findings(kgscore: Cli, tmp_path: Path) -> None:
    text = tmp_path / "report.txt"
    text.write_bytes(b"\xef\xbb\xbfSmall left pleural effusion.\r\nNo pneumothorax.\r\n")
    ran = kgscore("read", text)
    assert ran.code == 0
    (line,) = ran.lines
    assert list(line) == ["id", "findings", "entities", "relations", "unlinked"]
    assert line["id"] == str(text)
    first, *others = line["findings"]
    assert list(first) == [
        "text", "start", "end", "concept", "label", "sites", "side", "status", "certainty", "details", "change",
    ]
    assert (first["concept"], first["status"], first["side"]) == ("pleural_effusion", "present", "left")
    assert first["details"] == ["small"]
    # A denial without a side speaks of both sides.
    assert {(other["concept"], other["status"]) for other in others} == {("pneumothorax", "absent")}
    report = "Small left pleural effusion. \nNo pneumothorax. \n"
    assert report[first["start"] : first["end"]] == first["text"]


def test_read_goes_on_past_bad_and_empty_reports(kgscore: Cli, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "r.jsonl", {"id": "a", "report": ""}, {"id": "b"}, {"id": "c", "report": "No pneumothorax."})
    ran = kgscore("read", path, tmp_path / "none.txt")
    assert ran.code == 3
    empty, bad, good, missing = ran.lines
    assert empty["findings"] == []
    assert f"{path}:1: record 'a': the report is empty" in ran.err
    assert bad == {"id": "b", "status": "failed", "reason": "field 'report' is missing; add it as text (the record has id)"}
    assert {finding["concept"] for finding in good["findings"]} == {"pneumothorax"}
    assert missing["status"] == "failed"


def test_relate_two_statements_and_a_file(kgscore: Cli) -> None:
    keys = ["id", "relation", "anatomy", "finding", "detail", "weight", "proof"]
    (line,) = kgscore("relate", "Small left pleural effusion.", "No pleural effusion.").lines
    assert list(line) == keys
    assert (line["relation"], line["weight"]) == ("contradiction", 0.0)
    assert line["proof"]
    rows = [
        {"id": "1", "a": "No pneumothorax.", "b": "There is no pneumothorax."},
        {"id": "2", "a": "Left pleural effusion.", "b": "Pleural effusion."},
        {"id": "3", "a": "Left pleural effusion.", "b": "Right pneumothorax."},
    ]
    ran = kgscore("relate", "-", stdin="\n".join(map(json.dumps, rows)).encode())
    assert [line["relation"] for line in ran.lines] == ["equivalent", "part_whole", "unrelated"]
    assert [line["id"] for line in ran.lines] == ["1", "2", "3"]


def test_entails_gives_verdict_spans_and_proof(kgscore: Cli) -> None:
    rows = [
        {"id": "1", "report": "Bilateral pleural effusions.", "statement": "Left pleural effusion."},
        {"id": "2", "report": "The heart is normal. No pleural effusion.", "statement": "Left pleural effusion."},
        {"id": "3", "report": "The heart is enlarged.", "statement": "Left pleural effusion."},
    ]
    ran = kgscore("entails", "-", stdin="\n".join(map(json.dumps, rows)).encode())
    assert [line["verdict"] for line in ran.lines] == ["entailed", "contradicted", "neutral"]
    assert list(ran.lines[0]) == ["id", "verdict", "by", "proof"]
    (span,) = ran.lines[1]["by"]
    assert rows[1]["report"][span["start"] : span["end"]] == span["text"]
    assert "pleural effusion" in span["text"]


def test_consistency_finds_what_cannot_both_hold(kgscore: Cli) -> None:
    rows = [
        {"id": "1", "report": "Small left pleural effusion. The heart is enlarged. No pleural effusion."},
        {"id": "2", "report": "Small left pleural effusion."},
    ]
    ran = kgscore("consistency", "-", stdin="\n".join(map(json.dumps, rows)).encode())
    first, second = ran.lines
    found = first["contradictions"][0]
    assert list(found) == ["first", "second", "proof"]
    assert second == {"id": "2", "contradictions": []}


def test_coverage_says_how_much_was_passed_over_by_kind(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    said = "FINDINGS: Left effusion. The liver is XXXX.\nADDENDUM: No ascites."
    path.write_text(f"TECHNIQUE: Two views.\n{said}\nADVICE: CT of the chest.\n")
    ran = kgscore("ontology", "coverage", path)
    assert "sentences passed over: redacted 4 words in 1; advice 4 words in 1; technique 2 words in 1" in ran.err


def test_coverage_lists_unknown_words_by_frequency(kgscore: Cli, tmp_path: Path) -> None:
    report = "There is a zebrafloxian. Another zebrafloxian. No pneumothorax."
    path = jsonl(tmp_path / "r.jsonl", {"id": "a", "report": report}, SAME)
    ran = kgscore("ontology", "coverage", path)
    assert ran.code == 0
    assert any("zebrafloxian" in line["text"] for line in ran.lines)
    assert all(list(line) == ["text", "count", "reports", "in", "suggestions"] for line in ran.lines)
    assert "3 reports" in ran.err


# --- the rest ---


def test_demo_scores_the_examples_and_explains_one(kgscore: Cli, tmp_path: Path) -> None:
    ran = kgscore("demo", "--output", tmp_path / "run")
    assert ran.code == 0
    assert "pairs: " in ran.out
    assert " 0 failed" in ran.out
    assert "How radsem adds up" in ran.out
    assert (tmp_path / "run" / "results.duckdb").is_file()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["results.duckdb"]


def test_ontology_show_and_build(kgscore: Cli, tmp_path: Path) -> None:
    ran = kgscore("ontology", "show", "Pneumothorax")
    assert ran.code == 0
    assert "pleural" in ran.out
    shown = kgscore("ontology", "show", "meniscal tear").out
    assert "alters" in shown
    assert "abnormal signal" in shown
    assert "pneumonia" in kgscore("ontology", "show", "consolidation").out
    ran = kgscore("ontology", "build", "--output", tmp_path)
    assert ran.code == 0
    assert str(tmp_path / "core.ttl") in ran.out
    assert kgscore("ontology", "build", "--check", "--output", tmp_path).code == 0
    (tmp_path / "core.ttl").write_text("changed")
    assert kgscore("ontology", "build", "--check", "--output", tmp_path).code == 1


def test_every_command_has_help(kgscore: Cli) -> None:
    top = kgscore("--help")
    assert top.code == 0
    for command in (
        "score", "read", "relate", "entails", "consistency", "explain", "query", "sql", "graph", "ontology", "demo", "bench",
        "metrics", "profile", "radsem", "correct", "fit", "assemble", "published", "perturb", "evaluate", "train", "plot",
    ):
        assert re.search(rf"\b{command}\b", top.out)
        ran = kgscore(command, "--help")
        assert ran.code == 0
        assert "Usage" in ran.out


@pytest.mark.parametrize(
    ("code", "light"),
    [
        ("import kgscore", ("typer", "rich", "yaml")),
        ("from kgscore.cli import main; main(['--version'])", ("kgscore.engine", "kgscore.knowledge", "yaml")),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code: str, light: tuple[str, ...]) -> None:
    heavy = {"spacy", "owlready2", "rdflib", "pyoxigraph", "networkx", "duckdb", "pyarrow", "numpy", "scipy", *light}
    script = f"import sys; {code}; sys.exit(str(sorted({heavy!r} & set(sys.modules))) if {heavy!r} & set(sys.modules) else 0)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_closed_pipe_is_no_error(pairs: Cli) -> None:
    command = [sys.executable, "-m", "kgscore", "score", str(pairs(400, id_length=300))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
