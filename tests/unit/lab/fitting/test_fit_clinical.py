"""Learning the constants of the clinical verdict: what made the ratings is approached, and order and signs stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kgscore import Scorer
from kgscore.cli import main
from kgscore.errors import ProfileError
from kgscore.lab.fitting.clinical import SPACE, Rated, constants, fit, rated, start, value
from kgscore.lab.fitting.goals import goal
from kgscore.metrics import build
from kgscore.metrics.clinical import Clinical, Options
from tests.unit.lab.fitting.test_fit_radsem import CANDIDATES, REFERENCES, matched

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="not installed: optuna")
pytestmark = pytest.mark.filterwarnings("ignore")
PLANTED = Options(notable=1.5, urgent=6.0, critical=9.0, repute=1.0, left_out=0.9, added=0.1)


@pytest.fixture(scope="module")
def metric(scorer: Scorer) -> Clinical:
    found = build(("clinical",), scorer.profile, scorer.index)["clinical"]
    assert isinstance(found, Clinical)
    return found


@pytest.fixture(scope="module")
def pairs(scorer: Scorer, metric: Clinical) -> list[Rated]:
    made = (rated(metric, matched(scorer, a, b), a) for a in REFERENCES for b in (a, *CANDIDATES))
    return [one for one in made if one]


def test_shipped_constants_give_the_score_of_the_metric(metric: Clinical, pairs: Sequence[Rated]) -> None:
    assert constants(start(Options())) == Options()
    for one in pairs:
        assert value(metric, one, Options().settings()) == pytest.approx(metric.score(one.judged.pair).value)


def test_constants_of_a_profile_change_the_number_and_not_the_errors(metric: Clinical, pairs: Sequence[Rated]) -> None:
    other = PLANTED.settings()
    before, after = ([metric.judgement(one.judged, s) for one in pairs] for s in (metric.settings, other))
    assert [[e.errors for e in one.findings] for one in before] == [[e.errors for e in one.findings] for one in after]
    denied = next(e for one in after for e in one.findings if e.category == "missed" and e.candidate and e.tier == 4)
    assert denied.cost == 9.0


@needs_optuna
def test_planted_constants_are_approached_and_a_gain_is_told(metric: Clinical, pairs: Sequence[Rated]) -> None:
    human = [value(metric, one, PLANTED.settings()) for one in pairs]
    aim = goal("human", range(len(pairs)), human, [one.study for one in pairs])
    fitted = fit(metric, pairs, aim, objective="kendall", trials=25, folds=3, seed=1)
    assert fitted.figures["held_out"] > fitted.figures["before"]
    assert fitted.figures["gain"].helped
    assert fitted.found.settings().weights[4] >= fitted.found.notable


@pytest.mark.parametrize("end", [0, 1])
def test_whatever_is_searched_signs_and_order_stay(end: int) -> None:
    found = constants({name: bounds[end] for name, bounds in SPACE.items()})
    assert found.settings().weights[1] == 1.0
    assert found.added <= found.left_out


@pytest.mark.parametrize("wrong", [{"urgent": 2.0}, {"notable": 0.5}, {"repute": 0.0}, {"added": 1.5}, {"doubtful": -1.0}])
def test_constants_out_of_order_or_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProfileError, match="metrics: clinical"):
        Options(**wrong).settings()


@needs_optuna
def test_the_command_writes_a_profile_and_says_that_chance_ratings_teach_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, out = tmp_path / "rated.jsonl", tmp_path / "own.yaml"
    rows = [
        {"id": f"{i}-{j}", "study": i, "reference": a, "candidate": b, "human": (7 * i + 3 * j) % 5}
        for i, a in enumerate(REFERENCES)
        for j, b in enumerate(CANDIDATES[:6])
    ]
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert main(["fit", "clinical", str(table), "--output", str(out), "--trials", "3", "--folds", "2"]) == 0
    captured = capsys.readouterr()
    figures = json.loads(captured.out)
    assert not figures["gain"]["helped"]
    assert "it did not help" in captured.err
    assert Scorer(out, "clinical").profile.metrics["clinical"] == figures["constants"]
