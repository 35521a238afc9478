"""Searching RadSEM's coefficients: what made the ratings is approached on studies that were kept apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.lab.fitting.goals import Goal, goal
from kgscore.lab.fitting.radsem import SPACE, Rated, coefficient_names, coefficients_of, fit, profile_with, relate_pair, values
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
    return [(a, b, relate_pair(scorer, matched(scorer, a, b), a)) for a in REFERENCES for b in (a, *CANDIDATES)]


@pytest.fixture(scope="module")
def pairs(table: Sequence[tuple[str, str, Rated]]) -> list[Rated]:
    return [one for _, _, one in table]


@pytest.fixture(scope="module")
def planted(scorer: Scorer, pairs: Sequence[Rated]) -> Goal:
    """Return ratings by coefficients far from the shipped ones."""
    found = {**coefficients_of(scorer.profile), "anatomy_coefficient": 0.9, "abnormal": 0.5, "severity_4": 4.0}
    return of_all(pairs, values(pairs, found, scorer.profile, scorer.index))


def of_all(pairs: Sequence[Rated], human: Sequence[float], name: str = "human") -> Goal:
    return goal(name, range(len(pairs)), human, [one.study for one in pairs])


def test_the_profiles_own_coefficients_give_the_scores_of_the_metric(
    scorer: Scorer, table: Sequence[tuple[str, str, Rated]]
) -> None:
    own = values([one for _, _, one in table], coefficients_of(scorer.profile), scorer.profile, scorer.index)
    for (reference, candidate, _), value in zip(table, own, strict=True):
        assert value == pytest.approx(scorer.score(reference=reference, candidate=candidate).scores["radsem"].value)


@needs_optuna
def test_planted_coefficients_are_approached_on_studies_kept_apart(scorer: Scorer, pairs: Sequence[Rated], planted: Goal) -> None:
    fitted = fit(pairs, planted, scorer.profile, scorer.index, trials=25, folds=3, seed=1)
    assert fitted.figures["held_out"] > fitted.figures["before"]
    assert fitted.figures["learnt"] >= fitted.figures["before"]
    assert set(fitted.found) == set(SPACE)
    again = fit(pairs, planted, scorer.profile, scorer.index, trials=25, folds=3, seed=1)
    assert again.found == fitted.found


@needs_optuna
def test_preferences_teach_what_made_them(scorer: Scorer, pairs: Sequence[Rated], planted: Goal) -> None:
    """Which of two candidates is better, as the planted ratings have it, brings back the order of all candidates of a study."""
    at, human, groups = [], [], []
    for one in range(len(pairs) - 1):
        if pairs[one].study == pairs[one + 1].study and planted.human[one] != planted.human[one + 1]:
            better = planted.human[one] > planted.human[one + 1]
            at += [one, one + 1]
            human += [1.0, -1.0] if better else [-1.0, 1.0]
            groups += [str(one)] * 2
    wanted = goal("preference", at, human, [pairs[one].study for one in at], groups)
    fitted = fit(pairs, wanted, scorer.profile, scorer.index, beside=[planted], trials=25, folds=3, seed=1)
    assert fitted.figures["before"] < fitted.figures["learnt"] <= 1.0
    assert fitted.figures["held_out"] >= fitted.figures["before"]
    (watched,) = fitted.beside
    assert not watched.harmed


@needs_optuna
def test_a_fit_says_what_it_harms(scorer: Scorer, pairs: Sequence[Rated]) -> None:
    """People who rate as the shipped coefficients do lose by a fit to others, who hold the reverse of it."""
    own = values(pairs, coefficients_of(scorer.profile), scorer.profile, scorer.index)
    ours, theirs = of_all(pairs, own, "ours"), of_all(pairs, [-value for value in own], "theirs")
    names = ["abnormal", "anatomy_coefficient", "conflict_factor", "severity_1"]
    fitted = fit(pairs, theirs, scorer.profile, scorer.index, names=names, beside=[ours, theirs], trials=15, folds=3)
    harmed, gained = fitted.beside
    assert harmed.before == pytest.approx(1.0)
    assert harmed.harmed
    assert not gained.harmed
    assert gained.after == pytest.approx(fitted.figures["held_out"])  # what was learnt from is looked at as it is held out


@needs_optuna
def test_only_what_is_asked_for_is_searched(scorer: Scorer, pairs: Sequence[Rated], planted: Goal) -> None:
    fitted = fit(pairs, planted, scorer.profile, scorer.index, names=["abnormal"], trials=3, folds=2)
    assert set(fitted.found) == {"abnormal"}
    assert profile_with(scorer.profile, fitted.found).anatomy_coefficient == scorer.profile.anatomy_coefficient
    with pytest.raises(InputError, match="did you mean 'link_share'"):
        coefficient_names(["linkshare"], scorer.profile)
    assert "depth_decay" not in coefficient_names([], Scorer("fixed").profile)


@needs_optuna
def test_what_cannot_be_learnt_is_refused(scorer: Scorer, pairs: Sequence[Rated], planted: Goal) -> None:
    few = goal("human", range(20), planted.human[:20], planted.studies[:20])
    with pytest.raises(InputError, match="too few pairs"):
        fit(pairs, few, scorer.profile, scorer.index, trials=1)
    with pytest.raises(InputError, match="all the same"):
        fit(pairs, of_all(pairs, [1.0] * len(pairs)), scorer.profile, scorer.index, trials=1)
    with pytest.raises(InputError, match="fewer folds"):
        fit(pairs, planted, scorer.profile, scorer.index, trials=1, folds=7)
    with pytest.raises(InputError, match="pearson, spearman, kendall"):
        fit(pairs, planted, scorer.profile, scorer.index, objective="rmse")


def test_an_axis_has_its_own_coefficient(scorer: Scorer) -> None:
    relation = scorer.relate("Nodule in the left upper lobe.", "Nodule in the left lung.")
    assert (relation.anatomy, relation.finding) == ("part_whole", "equivalent")
    pair = matched(scorer, "Nodule in the left upper lobe.", "Nodule in the left lung.")
    ready = [relate_pair(scorer, pair, "a")]
    scored = partial(values, base=scorer.profile, index=scorer.index)
    base = coefficients_of(scorer.profile)
    low, high = (scored(ready, {**base, "anatomy_coefficient": value}) for value in (0.1, 0.9))
    assert low < high
    assert scored(ready, {**base, "finding_coefficient": 0.1}) == scored(ready, base)
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
        ["fit", "radsem", str(table), "--output", str(out), "--trials", "3", "--folds", "2", "--note", "made for a test",
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
    made = yaml.safe_load(text)
    assert made["inherits"] == "default"
    assert set(made["weights"]["severity"]) == {"1"}
    score = Scorer(out).score(reference="Cardiomegaly.", candidate="Cardiomegaly.").scores["radsem"]
    assert score.value == pytest.approx(1)
    assert round(Scorer(out).profile.conflict_factor, 4) == figures["coefficients"]["conflict_factor"]


@needs_optuna
def test_the_command_learns_from_preferences_and_watches_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Readers who prefer whatever says less are at odds with error counts: the fit to them says what it harms, or that it does
    not, for every figure beside."""
    preferred, counted, out = tmp_path / "preferred.jsonl", tmp_path / "counted.csv", tmp_path / "own.yaml"
    rows = [
        {"id": f"{i}-{j}", "reference": a, "candidate_a": one, "candidate_b": CANDIDATES[(j + 3) % 12],
         "preference": "tie" if j == 5 else "a" if len(one) < len(CANDIDATES[(j + 3) % 12]) else "b"}
        for i, a in enumerate(REFERENCES) for j, one in enumerate(CANDIDATES[:8])
    ]  # fmt: skip
    preferred.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    lines = [
        f'{i}-{j},{i},"{a}","{b}",{(i + j) % 4},{(i + j) % 4 // 2}'
        for i, a in enumerate(REFERENCES)
        for j, b in enumerate(CANDIDATES[:4])
    ]
    counted.write_text("\n".join(["id,study,reference,candidate,total,significant", *lines]), encoding="utf-8")
    code = main(
        ["fit", "radsem", str(preferred), "--layout", "preferences", "--beside", str(counted), "--output", str(out),
         "--trials", "4", "--folds", "2", "--search", "abnormal,conflict_factor"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert code == 0
    figures = json.loads(captured.out)
    assert (figures["objective"], figures["pairs"], figures["studies"]) == ("preference", 96, 6)
    assert [one["name"] for one in figures["beside"]] == [
        f"{name} of counted.csv" for name in ("total", "significant", "insignificant")
    ]
    for one in figures["beside"]:
        assert one["low"] <= one["after"] - one["before"] <= one["high"]
        assert one["harmed"] == (f"harms {one['name']}" in captured.err)
    text = out.read_text(encoding="utf-8")
    for said in ("# target: preference", "counted.csv, sha256 ", "# layout: preferences, csv", "1: total of counted.csv: "):
        assert said in text
