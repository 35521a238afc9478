"""The variants benchmark: gaps, wins, and what a pair without a score counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.lab.bench.texts import variants

GOOD = {
    "id": "a", "report": "Cardiomegaly. No pneumothorax.", "rephrased": "The heart is enlarged. There is no pneumothorax.",
    "any_error": "No cardiomegaly. No pneumothorax.", "obs_error": "No pneumothorax.", "anat_error": "Hepatomegaly.",
    "desc_error": "Cardiomegaly. No pneumothorax.",
}  # fmt: skip


def test_gaps_wins_and_ties(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps(GOOD))
    figures = variants.run(path, metrics=("radsem",))["radsem"]
    assert (figures["rephrased"], figures["cases"], figures["without a score"]) == (1, 1, 0)
    assert figures["rephrased - obs"] == pytest.approx(0.9)
    assert (figures["wins over obs"], figures["wins over anat"], figures["wins over desc"]) == (1, 1, 0)
    assert figures["rephrased - desc"] == 0


def test_a_rewording_that_is_not_understood_is_counted_as_the_worst_and_as_no_win(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{json.dumps({**GOOD, 'id': 'b', 'rephrased': 'Qwzx blub.'})}\n")
    figures = variants.run(path, metrics=("radsem",))["radsem"]
    assert (figures["rephrased"], figures["cases"], figures["without a score"]) == (0.5, 2, 0)
    assert figures["wins over anat"] == 0.5
