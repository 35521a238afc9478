"""`kgscore score --fail-under`: a check of a model that fails a pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BOTH = ("--metrics", "radsem,fineradscore")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text(
        '{"id": "a", "reference": "The heart is enlarged.", "candidate": "Cardiomegaly."}\n'
        '{"id": "b", "reference": "Small left pleural effusion.", "candidate": "No pleural effusion."}\n'
        '{"id": "c", "reference": "", "candidate": "No effusion."}\n'
    )
    return path


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--fail-under", "radsem=0.5"], 0, "radsem: mean 0.5000, must be at least 0.5 (2 scored, 1 not); passed"),
        (["--fail-under", "radsem=0.6"], 4, "radsem: mean 0.5000, must be at least 0.6 (2 scored, 1 not); FAILED"),
        ([*BOTH, "--fail-under", "fineradscore=9"], 0, "must be at most 9 (2 scored, 1 not); passed"),
        ([*BOTH, "--fail-under", "radsem=0.1", "--fail-under", "fineradscore=0.1"], 4, "must be at most 0.1"),
        (["--fail-under", "fineradscore=1"], 2, "is not computed"),
        (["--fail-under", "radsem=high"], 2, "give METRIC=NUMBER"),
        (["--fail-under", "0.5"], 2, "name the metric, as in clinical=0.5"),
    ],
)
def test_the_mean_decides(kgscore, source: Path, options: list[str], code: int, said: str) -> None:
    ran = kgscore("score", source, *options)
    assert ran.code == code
    assert said in ran.err


def test_nothing_scored_reaches_nothing(kgscore, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": "c", "reference": "", "candidate": "No effusion."}\n')
    ran = kgscore("score", path, "--fail-under", "radsem=0")
    assert ran.code == 4
    assert "radsem: no pair has a score (0 scored, 1 not); FAILED" in ran.err


def test_who_says_nothing_lowers_the_mean(kgscore, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(
        '{"id": "a", "reference": "The heart is enlarged.", "candidate": "Cardiomegaly."}\n'
        '{"id": "b", "reference": "The heart is enlarged.", "candidate": "I cannot interpret this image."}\n'
    )
    ran = kgscore("score", path, "--fail-under", "radsem=0.6")
    assert ran.code == 4
    assert "radsem: mean 0.5000, must be at least 0.6 (2 scored, 0 not, 1 candidate says nothing); FAILED" in ran.err
    assert kgscore("score", path, "--fail-under", "clinical=0.6", "--empty-candidate", "skip").code == 0


def test_garbage_lowers_the_mean_as_silence_does(kgscore, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    said = ("Cardiomegaly.", "</s></s>", "asdf", "Kein Erguss.")
    rows = [{"id": str(at), "reference": "The heart is enlarged.", "candidate": text} for at, text in enumerate(said)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ran = kgscore("score", path, "--fail-under", "clinical=0.26", "--fail-under", "radsem=0.25")
    assert ran.code == 4
    assert "4 pairs: 4 scored, 0 empty, 0 failed; 3 candidates not understood" in ran.err
    assert "clinical: mean 0.2500, must be at least 0.26 (4 scored, 0 not, 3 candidates not understood); FAILED" in ran.err
    assert "radsem: mean 0.2500, must be at least 0.25 (4 scored, 0 not, 3 candidates not understood); passed" in ran.err
    skipped = kgscore("score", path, "--fail-under", "radsem=1", "--empty-candidate", "skip")
    assert (skipped.code, "4 pairs: 1 scored, 3 empty, 0 failed; 3 candidates not understood" in skipped.err) == (0, True)


def test_two_text_files_pass_the_gate_too(kgscore, tmp_path: Path) -> None:
    for name, text in (("r.txt", "The heart is enlarged."), ("c.txt", "The lungs are clear.")):
        (tmp_path / name).write_text(text)
    both = ("--reference", tmp_path / "r.txt", "--candidate", tmp_path / "c.txt")
    assert kgscore("score", *both, "--fail-under", "radsem=0.9").code == 4
    assert kgscore("score", *both).code == 0
    mixed = kgscore("score", "--reference", tmp_path / "r.txt", "--candidate", tmp_path / "c.jsonl")
    assert mixed.code == 2
    assert "two files of reports" in mixed.err
