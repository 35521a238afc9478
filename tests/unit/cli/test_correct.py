"""`kgscore correct` and `kgscore bench corrections`: shapes, streams, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
GOOD = {"id": "good", "reference": "Small left pleural effusion. Cardiomegaly.", "candidate": ["No effusion", "Cardiomegaly"]}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_correct_prints_one_line_a_pair(kgscore: Cli, tmp_path: Path) -> None:
    same = {"id": "same", "reference": "Cardiomegaly.", "candidate": "The heart is enlarged."}
    ran = kgscore("correct", jsonl(tmp_path / "p.jsonl", GOOD, same))
    assert ran.code == 0
    good, clean = ran.lines
    assert list(good) == ["id", "status", "corrections", "score", "max_severity", "reason"]
    (one,) = good["corrections"]
    assert (one["line"], one["action"], one["old_text"], one["new_text"]) == (
        0, "substitute", "No effusion.", "Small left pleural effusion",
    )  # fmt: skip
    assert (one["severity"], one["categories"], one["radevalx"]) == (2, [2], {"categories": [2], "significant": True})
    assert "pleural effusion" in one["comment"]
    assert one["proof"]
    assert (good["score"], good["max_severity"]) == (2.0, 2)
    assert clean == {"id": "same", "status": "scored", "corrections": [], "score": 0.0, "max_severity": 0, "reason": ""}


def test_bad_records_are_named_and_the_rest_goes_on(kgscore: Cli, tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "p.jsonl",
        {"id": "half", "reference": "secret words"},
        {"id": "odd", "reference": "No effusion.", "candidate": ["secret", 3]},
        {**GOOD, "id": "who", "context": {"ages": 3}},
        {**GOOD, "id": "what", "context": "secret"},
        {"id": "none", "reference": "Not much.", "candidate": ["No effusion."]},
        GOOD,
    )
    ran = kgscore("correct", path)
    assert ran.code == 3
    assert [(line["id"], line["status"]) for line in ran.lines] == [
        ("half", "failed"), ("odd", "failed"), ("who", "failed"), ("what", "failed"), ("none", "empty"), ("good", "scored"),
    ]  # fmt: skip
    assert all(line["score"] is None and line["reason"] for line in ran.lines[:5])
    assert f"{path}:1: record 'half': field 'candidate' is missing; add it as text" in ran.err
    assert "secret" not in ran.err + ran.out


def test_correct_reads_standard_input_and_context(kgscore: Cli) -> None:
    row = {"id": "a", "reference": "Left basal opacity.", "candidate": "The lungs are clear."}
    own = {**row, "id": "b", "context": {"indication": "cough"}}
    lines = "".join(f"{json.dumps(one)}\n" for one in (row, own)).encode()
    ran = kgscore("correct", "-", "--context", "indication=febrile neutropenia", stdin=lines)
    assert [line["max_severity"] for line in ran.lines] == [3, 2]


def test_correct_takes_two_files(kgscore: Cli, tmp_path: Path) -> None:
    for name, text in (("r.txt", "No effusion. Cardiomegaly."), ("c.txt", "Large left effusion. Cardiomegaly.")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = kgscore("correct", "--reference", tmp_path / "r.txt", "--candidate", tmp_path / "c.txt")
    assert ran.code == 0
    assert [one["new_text"] for one in ran.lines[0]["corrections"]] == ["No effusion"]


@pytest.mark.parametrize("arguments", [(), ("--reference", "r.txt"), ("p.jsonl", "--context", "icu")])
def test_usage_is_checked(kgscore: Cli, arguments: tuple[str, ...]) -> None:
    assert kgscore("correct", *arguments).code == 2


def test_scores_and_explanations_know_the_metric(kgscore: Cli, tmp_path: Path) -> None:
    row = {"id": "a", "reference": "Small left pleural effusion.", "candidate": "No effusion."}
    ran = kgscore("score", jsonl(tmp_path / "p.jsonl", row), "--metrics", "fineradscore", "--output", tmp_path / "run")
    assert ran.lines[0]["scores"] == {"fineradscore": 2.0}
    told = kgscore("explain", tmp_path / "run", "a")
    assert told.code == 0
    assert "substitute: left pleural effusion" in told.out


def test_the_benchmark_counts_lines_by_what_was_due(kgscore: Cli, tmp_path: Path) -> None:
    def due(line: int | None, action: str, text: str, severity: int, *categories: int) -> dict[str, object]:
        return {"line": line, "action": action, "new_text": text, "severity": severity, "categories": list(categories)}

    rows = [
        {**GOOD, "expected": [due(0, "substitute", "Small left effusion", 3, 2)]},
        {
            "id": "b", "reference": "Cardiomegaly. Right pneumothorax.", "candidate": ["Cardiomegaly", "Nodule"],
            "expected": [due(1, "delete", "", 2, 1), due(None, "insert", "Pneumothorax on the right", 4, 2)],
        },
        {"id": "c", "reference": "Cardiomegaly.", "candidate": ["Enlarged heart", "Hiatal hernia"], "expected": []},
        {"id": "d", "reference": "Cardiomegaly.", "candidate": ["Cardiomegaly"], "expected": [due(0, "delete", "", 1, 1)]},
    ]  # fmt: skip
    (figures,) = kgscore("bench", "corrections", jsonl(tmp_path / "c.jsonl", *rows), "--format", "jsonl").lines
    assert figures["actions"] == {
        "none": {"accuracy": 0.75, "cases": 4}, "delete": {"accuracy": 0.5, "cases": 2},
        "substitute": {"accuracy": 1.0, "cases": 1}, "insert": {"accuracy": 1.0, "cases": 1},
        "no_insert": {"accuracy": 1.0, "cases": 3},
    }  # fmt: skip
    assert figures["severity_mae"] == pytest.approx(1 / 3, abs=1e-3)
    assert (figures["categories"], figures["spurious"], figures["instead"]) == (1.0, 1.0, {"none for delete": 1})


def test_a_finding_has_one_tier_in_tables_corrections_and_report(kgscore: Cli, tmp_path: Path) -> None:
    row = {"id": "a", "reference": "Trace right pneumothorax.", "candidate": "No pneumothorax."}
    run = tmp_path / "run"
    kgscore("score", jsonl(tmp_path / "p.jsonl", row), "--metrics", "clinical,fineradscore", "--output", run)
    asked = "SELECT (SELECT tier FROM judged), (SELECT severity FROM corrections),"
    asked += " (SELECT severity FROM finding_outcomes WHERE asserted),"
    asked += " (SELECT severity FROM concepts WHERE concept = 'pneumothorax')"
    (found,) = kgscore("sql", run, asked, "--format", "jsonl").lines
    assert list(found.values()) == [3, 3, 3, 4]
