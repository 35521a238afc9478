"""The adapters of other people's metrics, each calling the real package with a small model of the architecture it loads.

They run where these packages are installed (docs/published.md); with random weights, so the values say nothing but that the right
text went to the right side, that failures are no numbers, and that what comes back is what the package gives.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from kgscore.errors import ProfileError
from kgscore.lab import peers

TEXTS = (
    "Small left pleural effusion. No pneumothorax.",
    "The heart is enlarged. Right lower lobe consolidation with air bronchograms.",
    "No acute abnormality of the chest. The lungs are clear.",
)
PAIRS = [(TEXTS[0], TEXTS[0]), (TEXTS[0], TEXTS[1]), (TEXTS[1], TEXTS[0]), (" ", TEXTS[2])]
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("offline")]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def test_ratescore(tiny: SimpleNamespace, tmp_path: Path) -> None:
    pytest.importorskip("medspacy")
    package = pytest.importorskip("RaTEScore")
    finder, namer = tiny.entities(tmp_path / "ner", TEXTS), tiny.encoder(tmp_path / "eval", TEXTS)
    folders = {"bert_model": str(finder), "eval_model": str(namer)}
    made = peers.build(("ratescore-released",), {"ratescore-released": folders})["ratescore-released"]
    same, one, other, blank = peers.scores("ratescore-released", made, PAIRS)
    program = package.RaTEScore(**folders, use_gpu=False)
    assert blank is None
    assert same == pytest.approx(1.0)
    assert [one, other] == pytest.approx(program.compute_score([TEXTS[1], TEXTS[0]], [TEXTS[0], TEXTS[1]]))
    assert one != pytest.approx(same)
    assert peers.scores("ratescore-released", made, [("?", TEXTS[0])]) == [None]  # no sentence: the package gives nothing


def test_radgraph(tiny: SimpleNamespace, tmp_path: Path) -> None:
    package = pytest.importorskip("radgraph")
    if not version("transformers").startswith("4."):
        pytest.skip("radgraph calls what transformers 5 no longer has")
    options = {"model_cache_dir": str(tiny.radgraph(tmp_path, TEXTS))}
    made = peers.build(("radgraph-f1",), {"radgraph-f1": options})["radgraph-f1"]
    same, one, other, blank = peers.scores("radgraph-f1", made, PAIRS)
    program = package.F1RadGraph("partial", model_type="radgraph-xl", cuda=-1, **options)
    assert blank is None
    assert same == pytest.approx(1.0)
    assert [one, other] == pytest.approx(program(refs=[TEXTS[0], TEXTS[1]], hyps=[TEXTS[1], TEXTS[0]])[1])
    assert one != pytest.approx(same)


ANSWER = {
    "reference_findings": [{"id": "R1", "finding": "effusion", "clinical_significance": "urgent"}],
    "predicted_findings": [
        {"id": "P1", "finding": "effusion", "clinical_significance": "urgent"},
        {"id": "P2", "finding": "mass", "clinical_significance": "actionable_not_urgent"},
    ],
    "matched_findings": [{"ref_id": "R1", "pred_id": "P1"}],
    "errors": {"false_findings": ["P2"], "missing_findings": [], "attribute_errors": []},
}


@pytest.mark.parametrize(("answer", "value"), [(json.dumps(ANSWER), 0.5), (None, None)])
def test_crimson(tiny: SimpleNamespace, tmp_path: Path, answer: str | None, value: float | None) -> None:
    """One urgent finding matched, one invented that weighs a half: (1 - 0.5) / 1. What cannot be parsed is no score."""
    pytest.importorskip("CRIMSON")
    options = {"model_name": str(tiny.speaker(tmp_path, answer))}
    made = peers.build(("crimson",), {"crimson": options})["crimson"]
    assert peers.scores("crimson", made, [(TEXTS[0], TEXTS[1])]) == [value]


def test_crimson_sends_no_report_to_a_service() -> None:
    pytest.importorskip("CRIMSON")
    with pytest.raises(ProfileError, match="no report is sent"):
        peers.build(("crimson",), {"crimson": {"api": "openai"}})


GREEN = """[Explanation]:
    Two findings agree.

    [Clinically Significant Errors]:
    (a) False report of a finding in the candidate: 1. mass

    [Clinically Insignificant Errors]:
    No errors.

    [Matched Findings]:
3. effusion; heart; lungs
    """


@pytest.mark.parametrize(("answer", "value"), [(GREEN, 0.75), (None, None)])
def test_green(tiny: SimpleNamespace, tmp_path: Path, answer: str | None, value: float | None) -> None:
    """Three findings matched and one significant error; an answer without the section is no score (the package says 0)."""
    pytest.importorskip("radeval")
    options = {"model_name": str(tiny.speaker(tmp_path, answer)), "cpu": True}
    made = peers.build(("green",), {"green": options})["green"]
    assert peers.scores("green", made, [(TEXTS[0], TEXTS[1])]) == [value]


@pytest.mark.parametrize("name", ["radeval-bleu", "radeval-rouge-l"])
def test_radeval(name: str) -> None:
    package = pytest.importorskip("radeval")
    made = peers.build((name,))[name]
    same, one, _, blank = peers.scores(name, made, PAIRS)
    metric, key = {"radeval-bleu": ("bleu", "bleu"), "radeval-rouge-l": ("rouge", "rougeL")}[name]
    program = package.RadEval(metrics=[metric], per_sample=True, show_progress=False)
    assert blank is None
    assert same == pytest.approx(1.0)
    assert one == pytest.approx(program(refs=[TEXTS[0]], hyps=[TEXTS[1]])[key][0])


def test_radeval_with_an_encoder(tiny: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder lies where the hub's client keeps what was fetched before; nothing is fetched."""
    pytest.importorskip("radeval")
    hub = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    kept = tmp_path / "models--distilbert-base-uncased"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0" * 40)
    tiny.encoder(kept / "snapshots" / ("0" * 40), TEXTS, "distilbert")
    made = peers.build(("radeval-bertscore",))["radeval-bertscore"]
    same, one, other, blank = peers.scores("radeval-bertscore", made, PAIRS)
    assert same == pytest.approx(1.0, abs=1e-4)
    assert one == pytest.approx(other, abs=1e-4)
    assert one < same
    assert blank is None
