"""Searching RadSEM's coefficients: what made the ratings is approached on studies that were kept apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.fitting.radsem import SPACE, Rated, Trials, chosen, coefficients_of, fit, profile_with, rated
from kgscore.metrics.base import Matched

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="not installed: optuna")
pytestmark = pytest.mark.filterwarnings("ignore")
REFERENCES = (
    "Small left pleural effusion. No pneumothorax. Acute fracture of the left clavicle.",
    "Large right pneumothorax. The heart is enlarged. No pleural effusion.",
    "Acute left subdural hematoma. Midline shift to the right. No skull fracture.",
    "Consolidation in the right lower lobe. Old fracture of the right seventh rib.",
    "Nodule in the left upper lobe. The lungs are otherwise clear. Hiatal hernia.",
    "Hydrocephalus. Acute infarct in the left thalamus. Mild cerebral atrophy.",
)
CANDIDATES = (
    "Pleural effusion. No pneumothorax.", "Left pleural effusion. Fracture of the clavicle. Pneumothorax.",
    "Pneumothorax. Cardiomegaly. No pleural effusion.", "No pneumothorax. The heart is normal in size.",
    "Intracranial hemorrhage. Midline shift.", "Right subdural hematoma. No midline shift. Skull fracture.",
    "Opacity in the right lung.", "Consolidation in the left lower lobe. Rib fracture.",
    "Lung nodule. Hernia.", "The lungs are clear.", "Infarct. Cerebral atrophy.", "Hydrocephalus. No infarct.",
)  # fmt: skip


def matched(scorer: Scorer, reference: str, candidate: str) -> Matched:
    found = scorer.score(reference=reference, candidate=candidate)
    assert found.reference is not None
    assert found.candidate is not None
    return Matched(found.reference, found.candidate, found.links, found.contradictions, reference, candidate)


@pytest.fixture(scope="module")
def table(scorer: Scorer) -> list[tuple[str, str, Rated]]:
    return [(a, b, rated(scorer, matched(scorer, a, b), a, 0.0)) for a in REFERENCES for b in (a, *CANDIDATES)]


@pytest.fixture(scope="module")
def pairs(scorer: Scorer, table: Sequence[tuple[str, str, Rated]]) -> list[Rated]:
    """Return pairs rated by coefficients far from the shipped ones."""
    planted = {**coefficients_of(scorer.profile), "anatomy_coefficient": 0.9, "abnormal": 0.5, "severity_4": 4.0}
    ready = [one for _, _, one in table]
    values = Trials(scorer.profile, scorer.index).values(ready, planted)
    return [
        Rated(one.study, value, one.reference, one.candidate, one.compared, one.relations)
        for one, value in zip(ready, values, strict=True)
    ]


def test_the_profiles_own_coefficients_give_the_scores_of_the_metric(
    scorer: Scorer, table: Sequence[tuple[str, str, Rated]]
) -> None:
    values = Trials(scorer.profile, scorer.index).values([one for _, _, one in table], coefficients_of(scorer.profile))
    for (reference, candidate, _), value in zip(table, values, strict=True):
        assert value == pytest.approx(scorer.score(reference=reference, candidate=candidate).scores["radsem"].value)


@needs_optuna
def test_planted_coefficients_are_approached_on_studies_kept_apart(scorer: Scorer, pairs: Sequence[Rated]) -> None:
    fitted = fit(pairs, scorer.profile, scorer.index, trials=25, folds=3, seed=1)
    assert fitted.figures["held_out"] > fitted.figures["before"]
    assert fitted.figures["learnt"] >= fitted.figures["before"]
    assert set(fitted.coefficients) == set(SPACE)
    again = fit(pairs, scorer.profile, scorer.index, trials=25, folds=3, seed=1)
    assert again.coefficients == fitted.coefficients


@needs_optuna
def test_only_what_is_asked_for_is_searched(scorer: Scorer, pairs: Sequence[Rated]) -> None:
    fitted = fit(pairs, scorer.profile, scorer.index, names=["abnormal"], trials=3, folds=2)
    assert set(fitted.coefficients) == {"abnormal"}
    assert fitted.profile.anatomy_coefficient == scorer.profile.anatomy_coefficient
    with pytest.raises(InputError, match="did you mean 'link_share'"):
        chosen(["linkshare"], scorer.profile)
    assert "depth_decay" not in chosen([], Scorer("fixed").profile)


@needs_optuna
def test_what_cannot_be_learnt_is_refused(scorer: Scorer, pairs: Sequence[Rated]) -> None:
    with pytest.raises(InputError, match="too few pairs"):
        fit(pairs[:20], scorer.profile, scorer.index, trials=1)
    alike = [Rated(one.study, 1.0, one.reference, one.candidate, one.compared, one.relations) for one in pairs]
    with pytest.raises(InputError, match="all the same"):
        fit(alike, scorer.profile, scorer.index, trials=1)
    with pytest.raises(InputError, match="fewer folds"):
        fit(pairs, scorer.profile, scorer.index, trials=1, folds=7)


def test_an_axis_has_its_own_coefficient(scorer: Scorer) -> None:
    relation = scorer.relate("Nodule in the left upper lobe.", "Nodule in the left lung.")
    assert (relation.anatomy, relation.finding) == ("part_whole", "equivalent")
    pair = matched(scorer, "Nodule in the left upper lobe.", "Nodule in the left lung.")
    ready = [rated(scorer, pair, "a", 0.0)]
    trials = Trials(scorer.profile, scorer.index)
    base = coefficients_of(scorer.profile)
    low, high = (trials.values(ready, {**base, "anatomy_coefficient": value}) for value in (0.1, 0.9))
    assert low < high
    assert trials.values(ready, {**base, "finding_coefficient": 0.1}) == trials.values(ready, base)
    assert profile_with(scorer.profile, {"severity_1": 0.2}).weights.severity == {"1": 0.2}


@needs_optuna
def test_the_command_writes_a_profile_that_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "rated.jsonl", tmp_path / "own.yaml"
    rows = [
        {"id": f"{i}-{j}", "study": i, "reference": a, "candidate": b, "total": (i + j) % 4, "significant": 0}
        for i, a in enumerate(REFERENCES)
        for j, b in enumerate(CANDIDATES[:6])
    ]
    rows.append({"id": "bad", "reference": "Cardiomegaly.", "candidate": "Ascites.", "total": "two", "significant": 0})
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    code = main(
        ["fit", "radsem", str(table), "--out", str(out), "--trials", "3", "--folds", "2", "--note", "made for a test",
         "--search", "abnormal,conflict_factor,severity_1"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert code == 3
    assert "rated.jsonl:37: record 'bad': field 'total' must be a number" in captured.err
    figures = json.loads(captured.out)
    assert (figures["pairs"], figures["studies"]) == (36, 6)
    text = out.read_text(encoding="utf-8")
    for said in ("# table: rated.jsonl, sha256 ", "# note: made for a test", "held out", "# signature: kgscore "):
        assert said in text
    values = yaml.safe_load(text)
    assert values["inherits"] == "default"
    assert set(values["weights"]["severity"]) == {"1"}
    score = Scorer(out).score(reference="Cardiomegaly.", candidate="Cardiomegaly.").scores["radsem"]
    assert score.value == pytest.approx(1)
    assert round(Scorer(out).profile.conflict_factor, 4) == figures["coefficients"]["conflict_factor"]
