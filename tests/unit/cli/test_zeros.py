"""What a normal report and another patient's come to on the references of a run: in `kgscore summary` and in a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.resources import yaml_of
from kgscore.results.zeros import FILE, Zero
from kgscore.runs import zeros
from kgscore.runs.zeros import normal_report

Cli = Callable[..., Any]
NORMAL = "The study is normal."
ABNORMAL = ["Small left pleural effusion.", "Right pneumothorax.", "Cardiomegaly.", "Pneumoperitoneum."]


@pytest.fixture
def run(kgscore: Cli, tmp_path: Path) -> Path:
    """A run of a system that calls every patient normal, on as many normal references as abnormal ones."""
    references = [*ABNORMAL, "The lungs are clear.", "No pneumothorax.", "No effusion.", "Heart size is normal."]
    rows = [{"id": str(at), "reference": text, "candidate": NORMAL} for at, text in enumerate(references)]
    (tmp_path / "p.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert kgscore("score", tmp_path / "p.jsonl", "--output", tmp_path / "run", "--metrics", "clinical,fineradscore").code == 0
    return tmp_path / "run"


def zeros_in(kgscore: Cli, run: Path, *more: str) -> dict[str, Any]:
    rows = kgscore("summary", run, "--format", "jsonl", "--resamples", "100", *more).lines
    return {row["metric"]: row for row in rows if row.get("references")}


def test_who_calls_all_normal_is_at_zero(kgscore: Cli, run: Path) -> None:
    rows = zeros_in(kgscore, run)
    clinical, fineradscore = rows["clinical"], rows["fineradscore"]
    assert clinical["mean"] == pytest.approx(clinical["all_normal"])
    assert clinical["all_normal"] > 0.5
    assert clinical["rescaled"] == pytest.approx(0.0)
    assert clinical["another_patient"] < clinical["all_normal"]
    assert pytest.approx(fineradscore["mean"]) == fineradscore["all_normal"] < fineradscore["another_patient"]
    assert fineradscore["rescaled"] == pytest.approx(0.0)
    assert clinical["references"] == 8


def test_zeros_are_computed_once(kgscore: Cli, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = zeros_in(kgscore, run)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Scorer, "score", never)
    assert zeros_in(kgscore, run) == first
    table = kgscore("summary", run, "--resamples", "100").out
    assert "all normal" in table
    assert "another patient" in table


def test_zeros_of_another_signature_are_not_used(kgscore: Cli, run: Path) -> None:
    right = zeros_in(kgscore, run)
    kept = json.loads((run / FILE).read_text(encoding="utf-8"))
    kept["1"]["signature"]["code"] = "other"
    kept["1"]["zeros"][0]["normal"] = 0.1
    (run / FILE).write_text(json.dumps(kept), encoding="utf-8")
    assert zeros_in(kgscore, run) == right


def test_no_baselines_computes_none(kgscore: Cli, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert zeros_in(kgscore, run, "--no-baselines") == {}
    config = tmp_path / "kgscore.toml"
    config.write_text("baselines = false\n", encoding="utf-8")
    monkeypatch.setenv("KGSCORE_CONFIG", str(config))
    assert zeros_in(kgscore, run) == {}
    assert not (run / FILE).exists()
    config.write_text('baselines = "no"\n', encoding="utf-8")
    assert "baselines: give true or false" in kgscore("summary", run).err


def test_a_report_tells_them_beside_the_mean(kgscore: Cli, run: Path, tmp_path: Path) -> None:
    assert kgscore("report", run, "--output", tmp_path / "r.html").code == 0
    assert "a normal report comes to" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert kgscore("report", run, "--output", tmp_path / "r.html", "--no-baselines").code == 0


def test_many_references_are_sampled_evenly(kgscore: Cli, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zeros, "MOST", 2)
    rows = zeros_in(kgscore, run)
    assert rows["clinical"]["references"] == 2
    # The first of the abnormal references, which is wholly missed, and the first of the normal ones.
    assert 0.5 < rows["clinical"]["all_normal"] < 1


@pytest.mark.parametrize(("modality", "words"), [("CT chest", "pulmonary embolism"), ("MRI brain", "ventricles"), ("", "study")])
def test_the_normal_report_is_of_the_modality(modality: str, words: str) -> None:
    assert words in normal_report({"modality": modality})
    assert words in normal_report({"modality": modality or None})


def test_normal_reports_read_as_normal(scorer: Scorer) -> None:
    data = yaml_of("mappings", "normal_reports.yaml")
    for text in (data["other"], *(row["text"] for row in data["reports"])):
        read = scorer.read(text)
        assert read.findings
        assert not any(finding.asserts for finding in read.findings)
        assert not read.unlinked


def test_a_mean_is_rescaled_from_the_better_zero_to_the_best_score() -> None:
    assert Zero("m", 9, 0.5, 0.2, True, 1.0).rescaled(0.75) == 0.5
    assert Zero("m", 9, 8.0, 4.0, False, 0.0).rescaled(1.0) == 0.75
    assert Zero("m", 9, 0.5, 0.2, True, None).rescaled(0.75) is None
    assert Zero("m", 9, None, None, True, 1.0).rescaled(0.75) is None
