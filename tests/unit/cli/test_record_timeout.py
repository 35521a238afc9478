"""`--record-timeout`: a record that takes too long fails, and the batch goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ENDLESS = """
class Endless:
    name = "endless"

    def score(self, pair):
        while "ENDLESS" in pair.candidate_text:
            pass
        return 1.0
"""
LATE = "not done after {} s, the limit for a record; raise the limit, or shorten the texts"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    said = {"a": "Cardiomegaly.", "b": "Cardiomegaly. ENDLESS", "c": "Cardiomegaly."}
    rows = [{"id": name, "reference": "Cardiomegaly.", "candidate": text} for name, text in said.items()]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_an_endless_metric_fails_its_record_in_processes_too(kgscore, source: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(ENDLESS)
    own, run = ("--metric", tmp_path / "own.py:Endless"), ("--output", tmp_path / "run")
    ran = kgscore("score", source, *own, *run, "--record-timeout", "1.5", "--jobs", 2)
    assert [(line["id"], line["status"], line["reason"]) for line in ran.lines] == [
        ("a", "scored", ""), ("b", "failed", LATE.format(1.5)), ("c", "scored", ""),
    ]  # fmt: skip
    assert (ran.code, "3 pairs: 2 scored, 0 empty, 1 failed" in ran.err) == (3, True)


@pytest.mark.parametrize("command", ["read", "labels", "correct", "consistency", "entails", "relate"])
def test_what_reads_has_the_limit_and_none_with_0(kgscore, source: Path, command: str) -> None:
    ran = kgscore(command, source, "--record-timeout", "1e-6")
    assert (ran.code, {line["status"] for line in ran.lines}) == (3, {"failed"})
    assert ran.lines[0]["reason"] == LATE.format("1e-06")
    assert kgscore(command, source, "--record-timeout", "0").code == 0
