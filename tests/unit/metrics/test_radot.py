"""RadOT-Eval from text to risk: both forms, options, what is empty, what explanations add up to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.metrics.radot import TARGETS, load_readout
from kgscore.metrics.radot_align import FEATURES, NAMES
from kgscore.model import Score

ROOT = Path(__file__).parents[3]
REFERENCE = (
    "Small left pleural effusion. No pneumothorax. The heart is enlarged. The nodule in the right upper lobe is unchanged."
)
REWORDED = (
    "Cardiomegaly. There is a small effusion in the left pleural space. Unchanged right upper lobe nodule. No pneumothorax."
)
NOTHING = [("", "Cardiomegaly."), ("", ""), ("TECHNIQUE: Axial.", "No mass.")]
OTHERWISE = ["transport: partial, mass: 0.8", "transport: unbalanced, penalty: 0.5", "prior: no-text, entropy: 0.1"]
WRONG = ["transport: fluid", "prior: heavy", "entropy: -1.0", "mass: 2.0", "readout: nowhere", "form: odd"]
BROKEN = [({"weights": {"total": {"odd": 1.0}}}, "odd"), ({"bases": {}}, "total"), ({"bases": {"total": -1.0}}, "-1")]


@pytest.fixture(scope="module")
def ontology() -> Scorer:
    return Scorer("default", ("radot",))


@pytest.fixture(scope="module")
def published() -> Scorer:
    return Scorer("radot-published", ("radot",))


def radot(scorer: Scorer, candidate: str, reference: str = REFERENCE) -> Score:
    return scorer.score(reference=reference, candidate=candidate).scores["radot"]


def value(scorer: Scorer, candidate: str, reference: str = REFERENCE) -> float:
    found = radot(scorer, candidate, reference).value
    assert found is not None
    return found


def test_a_rewording_costs_nothing_in_the_ontology_form_and_something_as_published(ontology: Scorer, published: Scorer) -> None:
    assert value(ontology, REFERENCE) == 0.0
    assert value(ontology, REWORDED) == pytest.approx(0.0, abs=1e-6)
    assert value(published, REFERENCE) > 0.0
    assert value(published, REWORDED) > value(published, REFERENCE)


@pytest.mark.parametrize(
    ("wrong", "channel"),
    [
        (REFERENCE.replace("left", "right"), ""),
        (REFERENCE.replace("Small", "Large"), "severity"),
        (REFERENCE.replace("unchanged", "new"), "comparison"),
        (REFERENCE.replace(" is unchanged", ""), "comparison"),
        (REFERENCE.replace("The heart is", "The heart may be"), "uncertainty"),
        (REFERENCE.replace("The heart is enlarged.", "The heart is not enlarged."), ""),
        (REFERENCE.replace("No pneumothorax. ", ""), ""),
        (REFERENCE + " Endotracheal tube in place.", "device"),
    ],
)
def test_every_kind_of_error_has_a_risk_and_shows_in_its_channel(ontology: Scorer, wrong: str, channel: str) -> None:
    score = radot(ontology, wrong)
    assert score.value is not None
    assert score.value > 0.01
    if channel:
        assert score.parts[f"{channel}_expected"] > radot(ontology, REFERENCE).parts[f"{channel}_expected"]


def test_more_errors_rank_higher(ontology: Scorer) -> None:
    one = REFERENCE.replace("Small left pleural effusion.", "No pleural effusion.")
    two = one.replace("No pneumothorax", "Large right pneumothorax")
    three = two.replace("The heart is enlarged.", "The heart is normal in size.")
    values = [value(ontology, text) for text in (REFERENCE, one, two, three)]
    assert values == sorted(values)
    assert len(set(values)) == 4


def test_parts_hold_the_three_risks_and_the_units(ontology: Scorer) -> None:
    score = radot(ontology, "No pneumothorax.")
    assert score.value == score.parts["total"]
    assert min(score.parts[target] for target in TARGETS) >= 0.0
    assert (score.parts["reference_units"], score.parts["candidate_units"]) == (4.0, 1.0)


@pytest.mark.parametrize(("reference", "candidate"), NOTHING)
def test_nothing_to_score_is_empty(ontology: Scorer, reference: str, candidate: str) -> None:
    score = radot(ontology, candidate, reference)
    assert (score.status, score.value) == ("empty", None)
    assert score.reason


def test_a_candidate_that_says_nothing_has_a_risk_and_no_unit(ontology: Scorer) -> None:
    score = radot(ontology, "TECHNIQUE: Axial images were obtained.")
    assert score.value == radot(ontology, "").value == radot(ontology, "I cannot interpret this image.").value
    assert score.value is not None
    assert score.value > value(ontology, REWORDED)
    assert score.parts["candidate_units"] == 0.0


def test_a_profile_that_weighs_nothing_of_the_reference_gives_empty(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("inherits: default\nweights:\n  subtree: {pneumothorax: 0}\n", encoding="utf-8")
    score = radot(Scorer(path, ("radot",)), "Cardiomegaly.", "No pneumothorax.")
    assert (score.status, score.value) == ("empty", None)


def with_options(tmp_path: Path, text: str) -> Scorer:
    path = tmp_path / "p.yaml"
    path.write_text(f"inherits: default\nmetrics:\n  radot: {{{text}}}\n", encoding="utf-8")
    return Scorer(path, ("radot",))


@pytest.mark.parametrize("text", OTHERWISE)
def test_options_change_the_plan(ontology: Scorer, tmp_path: Path, text: str) -> None:
    wrong = REFERENCE.replace("left", "right")
    other = radot(with_options(tmp_path, text), wrong)
    assert other.parts["transport_cost"] != pytest.approx(radot(ontology, wrong).parts["transport_cost"], rel=1e-3)


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_option_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProfileError, match="radot"):
        with_options(tmp_path, text)


@pytest.mark.parametrize("scorer_name", ["ontology", "published"])
def test_an_explanation_adds_up(request: pytest.FixtureRequest, scorer_name: str) -> None:
    scorer = request.getfixturevalue(scorer_name)
    candidate = "No pleural effusion. Large right pneumothorax. The nodule in the right upper lobe is larger."
    result = scorer.score(reference=REFERENCE, candidate=candidate)
    made_of = scorer.contributions(result, reference=REFERENCE, candidate=candidate)["radot"]
    score = result.scores["radot"]
    assert sum(piece.cost for piece in made_of) == pytest.approx(score.value)
    assert {piece.kind for piece in made_of if piece.cost} == {"feature"}
    assert not any(piece.credit for piece in made_of)
    assert any(piece.kind == "missed" and piece.reference and piece.candidate for piece in made_of)  # the candidate denies it


@pytest.mark.parametrize("name", ["radot", "radot-published"])
def test_a_shipped_readout_is_monotone_and_says_what_it_was_fitted_on(name: str) -> None:
    readout = load_readout(name)
    assert "with known errors put in" in readout.provenance["note"]
    assert readout.provenance["table"].startswith("corruptions.jsonl, sha256 ")
    low = np.full(len(NAMES), 0.5)
    for at in range(len(NAMES)):
        high = low.copy()
        high[at] += 1.0
        assert all(readout.risk(target, high) >= readout.risk(target, low) for target in TARGETS)
    assert json.loads(readout.as_json())["weights"] == readout.weights


@pytest.mark.parametrize(("change", "said"), BROKEN)
def test_a_broken_readout_is_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    values = json.loads(load_readout("radot").as_json()) | change
    path = tmp_path / "r.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ProfileError, match=said):
        load_readout(str(path))


def test_the_table_of_features_in_the_docs_is_that_of_the_code() -> None:
    rows = [f"| {number} | `{f.name}` | {f.group} | {f.meaning} |" for number, f in enumerate(FEATURES, 1)]
    table = "\n".join(("| # | feature | group | meaning |", "|---|---|---|---|", *rows)) + "\n"
    assert table in (ROOT / "docs" / "lab" / "metrics.md").read_text(encoding="utf-8")
