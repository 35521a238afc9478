"""Language models on the command line: batches, judges, recorded answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.knowledge import load_knowledge
from kgscore.lab.training.corpus import load_corpus
from kgscore.language.prompts import load_prompt, request_key
from kgscore.language.recorded import server_of
from tests.unit.cli.conftest import kgscore  # noqa: F401, a fixture

from .conftest import Reply, Served, found

Cli = Callable[..., Any]
PAIRS = (
    {"id": "same", "reference": "The heart is big.", "candidate": "Cardiac enlargement."},
    {"id": "lost", "reference": "The heart is big.", "candidate": "The server fails here."},
    {"id": "other", "reference": "The heart is big.", "candidate": "No enlargement of the heart."},
)
HEART = {"finding": "enlargement", "place": "heart"}


def answer(text: str) -> Reply:
    if "fails" in text:
        return Reply(status=500, body={"error": {"message": "no memory left"}})
    return found({**HEART, "quote": text.split(".")[0], "presence": "absent" if text.startswith("No") else "present"})


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in PAIRS), encoding="utf-8")
    return path


def options(served: Served, *more: str) -> tuple[str, ...]:
    return ("--reader", "llm", "--base-url", served.url, "--model", "small", "--timeout", "5", *more)


def test_a_batch_loses_no_record_and_a_second_run_asks_nothing_new(kgscore: Cli, served: Served, pairs_file: Path) -> None:  # noqa: F811
    served.by = answer
    first = kgscore("score", pairs_file, "--metrics", "radsem", *options(served, "--dry-run", "--prices", "10,20"))
    assert "dry run: 4 texts, 4 calls to make, about" in first.err
    assert "in money" in first.err
    assert served.asked == []
    first = kgscore("score", pairs_file, "--metrics", "radsem", *options(served))
    assert first.code == 3
    assert [(one["id"], one["status"], one["scores"]["radsem"]) for one in first.lines] == [
        ("same", "scored", 1.0), ("lost", "failed", None), ("other", "scored", 0.0),
    ]  # fmt: skip
    assert first.lines[1]["reason"] == "language model: HTTP 500: no memory left"
    assert "0 of 3 findings refused" in first.err
    asked = len(served.asked)
    served.by = lambda text: answer(text.replace("fails", "works"))
    again = kgscore("score", pairs_file, "--metrics", "radsem", *options(served, "--jobs", "2"))
    assert again.code == 0
    assert len(served.asked) == asked + 1
    assert [again.out.splitlines()[at] for at in (0, 2)] == [first.out.splitlines()[at] for at in (0, 2)]
    assert kgscore("score", pairs_file, "--metrics", "radsem", *options(served)).out == again.out
    assert len(served.asked) == asked + 1


def test_a_run_is_shown_as_it_was_scored_without_the_model(
    kgscore: Cli, served: Served, pairs_file: Path, tmp_path: Path  # noqa: F811
) -> None:
    from kgscore.runs.case_index import Casebook

    served.by = answer
    run = tmp_path / "run"
    assert kgscore("score", pairs_file, "--metrics", "radsem", *options(served, "--output", run)).code == 3
    asked = len(served.asked)
    book = Casebook(run)
    assert (book.note, book.info.signature["reader_model"]) == ("", "small")
    assert [view["status"] for view in book.views()] == ["scored", "failed", "scored"]
    assert "cardiomegaly" in kgscore("explain", run, "same").out
    assert len(served.asked) == asked


def test_bounds_are_failures_with_their_reason(kgscore: Cli, served: Served, pairs_file: Path) -> None:  # noqa: F811
    served.by = answer
    ran = kgscore("score", pairs_file, "--metrics", "radsem", *options(served, "--max-calls", "1", "--concurrency", "1"))
    assert ran.code == 3
    assert "raise --max-calls" in ran.lines[0]["reason"]
    assert len(served.asked) == 1


def test_reports_are_read_and_the_signature_names_model_and_prompts(kgscore: Cli, served: Served, tmp_path: Path) -> None:  # noqa: F811
    served.by = answer
    report = tmp_path / "report.txt"
    report.write_text("Cardiac enlargement.", encoding="utf-8")
    (line,) = kgscore("read", report, *options(served)).lines
    assert [one["concept"] for one in line["findings"]] == ["cardiomegaly"]
    signature = kgscore("score", "--signature", *options(served)).out
    assert "reader llm | reader_model small | reader_prompts " in signature


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--reader", "llm"), "needs both"),
        (("--base-url", "http://localhost/v1", "--model", "m"), "only valid with --reader llm or hybrid"),
        (("--dry-run",), "makes no calls"),
        (("--reader", "llm", "--base-url", "http://localhost/v1", "--model", "m", "--prices", "x"), "give two numbers"),
    ],
)
def test_options_that_do_not_fit_are_named(kgscore: Cli, pairs_file: Path, given: tuple[str, ...], said: str) -> None:  # noqa: F811
    ran = kgscore("score", pairs_file, "--metrics", "radsem", *given)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_radsem_is_judged_in_two_stages_and_what_the_ontology_refutes_is_refused(
    kgscore: Cli, served: Served, pairs_file: Path, tmp_path: Path  # noqa: F811
) -> None:
    def by(text: str) -> Reply:
        if not text.startswith("Ref"):
            return Reply(json.dumps({"findings": [text]}))
        pair = {"ref": 1, "gen": 1, "anatomy": "equivalent", "asserted_abnormality": "equivalent", "details": "equivalent"}
        return Reply(json.dumps({"ref": ["abnormal"], "gen": ["abnormal"], "pairs": [pair]}))

    served.by = by
    stages = tmp_path / "stages.jsonl"
    judged = ("--base-url", served.url, "--model", "small")
    ran = kgscore("judge", "radsem-llm", pairs_file, "--stages", stages, *judged)
    assert [one["scores"]["radsem-llm"] for one in ran.lines] == [1.0, 1.0, 0.0]
    assert [len(one["refused"]) for one in ran.lines] == [0, 0, 1]
    assert ran.lines[2]["refused"][0]["why"]
    again = kgscore("radsem", "score", stages)
    assert [one["scores"]["radsem"] for one in again.lines] == [1.0, 1.0, 0.0]


def test_radsem_labels_of_statements_that_are_not_there_are_failures(kgscore: Cli, served: Served, pairs_file: Path) -> None:  # noqa: F811
    pair = {"ref": 2, "gen": 1, "anatomy": "equivalent"}
    labels = Reply(json.dumps({"ref": ["abnormal"], "gen": ["abnormal"], "pairs": [pair]}))
    served.by = lambda text: labels if text.startswith("Ref") else Reply(json.dumps({"findings": [text]}))
    ran = kgscore("judge", "radsem-llm", pairs_file, "--base-url", served.url, "--model", "small")
    assert ran.code == 3
    assert {one["reason"] for one in ran.lines} == {"language model: it paired a statement that does not exist"}


def test_fineradscore_takes_several_insertions_and_refuses_lines_that_are_not_there(
    kgscore: Cli, served: Served, pairs_file: Path  # noqa: F811
) -> None:
    corrections = [
        {"action": "insert", "new_text": "Effusion.", "severity": 2, "categories": [2], "comment": "left out"},
        {"action": "insert", "new_text": "Free air.", "severity": 4, "categories": [2], "comment": "left out"},
        {"action": "substitute", "line": 1, "new_text": "Large heart.", "severity": 1, "comment": "wrong"},
        {"action": "delete", "line": 1, "severity": 1, "comment": "twice"},
        {"action": "delete", "line": 9, "severity": 3, "comment": "nowhere"},
    ]
    served.replies = [Reply(json.dumps({"corrections": corrections}))]
    ran = kgscore("judge", "fineradscore-llm", pairs_file, "--base-url", served.url, "--model", "small")
    first = ran.lines[0]
    said = [(one["line"], one["action"]) for one in first["corrections"]]
    assert said == [(0, "substitute"), (None, "insert"), (None, "insert")]
    assert (first["score"], first["max_severity"], first["corrections"][0]["old_text"]) == (7.0, 4, "Cardiac enlargement.")
    assert first["refused"] == ["line 1 is corrected twice", "delete of a line that does not exist"]


def test_recorded_answers_are_served_as_a_model_would(kgscore: Cli, served: Served, pairs_file: Path, tmp_path: Path) -> None:  # noqa: F811
    assert kgscore("llm", "requests", pairs_file, "--output", tmp_path / "rec").code == 0
    system = load_prompt("extraction").system
    recorded = {request_key(system, text): answer(text).text or "" for text in ("The heart is big.", "Cardiac enlargement.")}
    with server_of(recorded) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        ran = kgscore("score", pairs_file, "--metrics", "radsem", "--reader", "llm", "--base-url", url, "--model", "recorded")
        server.shutdown()
    assert [one["status"] for one in ran.lines] == ["scored", "failed", "failed"]
    assert ran.lines[2]["reason"] == "language model: HTTP 404: no recorded answer for this request"


def test_what_a_model_reads_is_written_as_marks_to_train_on(kgscore: Cli, served: Served, tmp_path: Path) -> None:  # noqa: F811
    reports, marks = tmp_path / "reports.jsonl", tmp_path / "marks.txt"
    texts = {"a": "A small left pleural effusion. No pneumothorax.", "b": "The server fails here."}
    reports.write_text("".join(f"{json.dumps({'id': id, 'report': text})}\n" for id, text in texts.items()), encoding="utf-8")
    effusion = {"quote": "small left pleural effusion", "finding": "pleural effusion", "side": "left", "details": ["small"]}
    said = found(
        {**effusion, "presence": "present"},
        {"quote": "No pneumothorax", "finding": "pneumothorax", "presence": "absent"},
        {"quote": "a right rib fracture", "finding": "fracture", "place": "rib", "presence": "present"},
    )
    served.by = lambda text: answer(text) if "fails" in text else said
    made = kgscore("annotate", reports, "-o", marks, *options(served))
    assert made.code == 3
    assert "HTTP 500: no memory left" in made.err
    assert "2 sentences, 2 statements" in made.err
    assert "1 of 3 findings refused, whose quotes are not in the report; 0 left unlinked (0.0%)" in made.err
    assert marks.read_text(encoding="utf-8").split("\n\n")[0].splitlines()[1:] == [
        "A {m1:small} {d1:left} {f1:pleural effusion}.", "f1 present @ (d1) | m1",
    ]  # fmt: skip
    [sentence, denied] = load_corpus([marks], "all", load_knowledge()).sentences
    assert [one.status for one in (*sentence.marked.statements, *denied.marked.statements)] == ["present", "absent"]
