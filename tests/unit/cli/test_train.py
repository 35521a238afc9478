"""`kgscore evaluate` on a corpus of its own, and `kgscore train` where it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.cli import main

SENTENCES = "## chest-xray dictation\nNo {f1:pneumothorax} or {f2:pleural effusion}.\nf1 absent\nf2 absent\n"


def test_evaluate_prints_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "09.txt").write_text(SENTENCES, encoding="utf-8")
    assert main(["evaluate", "default", str(tmp_path), "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["sentences_of"] == "all"
    assert (lines[0]["sentences"], lines[0]["heads"]["f1"], lines[0]["status"]) == (1, 1.0, 1.0)
    assert main(["evaluate", "default", str(tmp_path)]) == 0
    assert "dictation" in capsys.readouterr().out


def test_a_part_without_sentences_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "09.txt").write_text(SENTENCES, encoding="utf-8")
    assert main(["evaluate", "default", str(tmp_path), "--part", "test"]) == 1
    assert "no marked sentence (test)" in capsys.readouterr().err


def test_a_model_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model").write_text("text", encoding="utf-8")
    assert main(["evaluate", str(tmp_path / "model"), str(tmp_path)]) == 1
    assert "no structure model" in capsys.readouterr().err
