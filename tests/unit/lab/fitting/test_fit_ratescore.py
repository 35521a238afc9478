"""Learning the weights of RaTEScore: a planted matrix is found again, honestly and the same each time."""

from __future__ import annotations

import itertools
import json
import random
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError
from kgscore.lab.fitting.goals import Goal, goal, held_out, spearman
from kgscore.lab.fitting.ratescore import Rated, fit, pair_score
from kgscore.metrics.facts import Place
from kgscore.metrics.ratescore import Matrix, Nearest, load_matrix
from kgscore.metrics.ratescore_entities import TYPES, RateEntity, differ_in_polarity

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="not installed: optuna")
pytestmark = pytest.mark.filterwarnings("ignore")
# Only denials count: the reverse of what the shipped matrices hold.
PLANTED = Matrix(0.5, {own: {other: 1.0 if own.startswith("non") else 0.02 for other in TYPES} for own in TYPES})


def entity(type: str) -> RateEntity:
    return RateEntity(type, type, type, Place(type, 0, len(type)), "")


def pairs(count: int, seed: int = 1) -> tuple[list[Rated], Goal]:
    """Return pairs of drawn entities, and what the planted matrix rates them."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        sides = []
        for _ in range(2):
            drawn = [(draw.choice(TYPES), draw.choice(TYPES), draw.random()) for _ in range(8)]
            sides.append([Nearest(entity(a), entity(b), 1.0, like, against=differ_in_polarity(a, b)) for a, b, like in drawn])
        found.append(Rated((sides[0], sides[1]), number % 5 == 0))
    return found, rated_as(found, [pair_score(one, PLANTED) for one in found])


def rated_as(found: list[Rated], human: list[float]) -> Goal:
    return goal("human", range(len(found)), human, [str(number) for number in range(len(found))])


@needs_optuna
def test_a_planted_matrix_is_approached_on_pairs_kept_apart() -> None:
    fitted = fit(*pairs(150), trials=150, seed=3)
    assert fitted.counts == {"learnt from": 120, "kept apart": 30}
    assert fitted.figures["fitted"]["test"] > fitted.figures["graded"]["test"] + 0.1
    weights = fitted.found.rows
    denied, there = (sum(weights[t][u] for t in types for u in TYPES) / len(types) for types in (TYPES[3:], TYPES[:3]))
    assert denied > there


@needs_optuna
def test_the_same_seed_gives_the_same_matrix() -> None:
    rows = pairs(60)
    one, other = (fit(*rows, objective="spearman", trials=15, seed=7) for _ in range(2))
    assert one.found == other.found
    assert one.figures["fitted"]["train"] >= one.figures["graded"]["train"]


@needs_optuna
def test_what_pulls_the_other_way_is_harmed() -> None:
    rows, wanted = pairs(300)
    against = goal("against", range(300), [-one for one in wanted.human.tolist()], wanted.studies)
    harmed, watched = fit(rows, wanted, beside=[against, wanted], trials=40, seed=3).beside
    assert harmed.harmed
    assert not watched.harmed
    assert watched.after == pytest.approx(-harmed.after)


@needs_optuna
@pytest.mark.parametrize(("count", "constant", "said"), [(20, False, "too few pairs"), (100, True, "all the same")])
def test_what_cannot_be_learnt_is_refused(count: int, constant: bool, said: str) -> None:
    rows, wanted = pairs(count)
    with pytest.raises(InputError, match=said):
        fit(rows, rated_as(rows, [1.0] * count) if constant else wanted, trials=1)
    with pytest.raises(InputError, match="pearson, spearman, kendall"):
        fit(rows, wanted, objective="rmse")


@pytest.mark.skipif(find_spec("optuna") is not None, reason="optuna is installed")
def test_without_optuna_the_fit_says_what_to_install() -> None:
    with pytest.raises(KgscoreError, match=r"pip install 'kgscore\[fit\]'"):
        fit(*pairs(100))


def test_correlations_of_ties_and_constants() -> None:
    assert spearman([1, 2, 2, 9], [10, 20, 20, 30]) == pytest.approx(1)
    wanted = goal("human", range(3), [1.0, 2.0, 3.0], "abc")
    assert wanted.value(np.asarray([1.0, 1.0, 2.0]), "kendall") == pytest.approx(2 / 6**0.5)
    assert wanted.value(np.ones(3), "pearson") == 0
    assert wanted.value(np.full(3, np.nan), "pearson") == 0


def test_a_preference_is_kept_where_the_better_one_scores_higher() -> None:
    wanted = goal("preference", range(6), [1.0, -1.0, -0.5, 0.5, 0.0, 0.0], "aabbcc", "aabbcc")
    right, wrong, tied = [0.9, 0.2, 0.1, 0.3, 0.5, 0.6], [0.2, 0.9, 0.1, 0.3, 0.0, 0.0], [0.5, 0.5, 0.1, 0.3, 1.0, 0.0]
    assert [wanted.value(np.asarray(scores), "kendall") for scores in (right, wrong, tied)] == [1.0, 0.5, 0.75]


def test_pairs_of_one_reference_stay_together_and_about_a_fifth_is_kept_apart() -> None:
    kept = [held_out(f"reference {number}") for number in range(1000)]
    assert 150 < sum(kept) < 260
    assert held_out("reference 1") == kept[1]


def test_the_value_is_that_of_the_metric(scorer: Scorer) -> None:
    from kgscore import metrics as registry
    from kgscore.lab.fitting.ratescore import match_entities
    from kgscore.metrics.base import Matched
    from kgscore.metrics.ratescore import Ratescore

    metric = registry.build(("ratescore",), scorer.profile, scorer.index)["ratescore"]
    assert isinstance(metric, Ratescore)
    reference, candidate = "Cardiomegaly. No pleural effusion. Left rib fracture.", "Pleural effusion. Rib fracture."
    found = scorer.score(reference=reference, candidate=candidate)
    assert found.reference is not None
    assert found.candidate is not None
    pair = Matched(found.reference, found.candidate, found.links, found.contradictions, reference, candidate)
    one = match_entities(metric, pair)
    assert one is not None
    assert pair_score(one, load_matrix("graded")) == pytest.approx(metric.score(pair).value)


@needs_optuna
def test_the_command_writes_a_profile_that_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = ("Cardiomegaly.", "Left pleural effusion.", "No pneumothorax.", "Right rib fracture.", "Ascites.", "No pneumonia.")
    rows = []
    for number, chosen in enumerate(itertools.combinations(said, 3)):
        for kept in range(4):
            text = " ".join((*chosen[:kept], "The liver is normal."))
            row = {"id": f"{number}-{kept}", "reference": " ".join(chosen), "candidate": text, "human": kept}
            rows.append(json.dumps(row))
    table, out = tmp_path / "rated.jsonl", tmp_path / "own.yaml"
    table.write_text("\n".join([*rows, '{"id": "bad", "reference": "a", "candidate": "b", "human": "good"}']))
    code = main(["fit", "ratescore", str(table), "--output", str(out), "--trials", "5", "--note", "made for a test"])
    captured = capsys.readouterr()
    assert code == 3
    assert "field 'human' must be a number" in captured.err
    figures = json.loads(captured.out)
    assert figures["learnt from"] + figures["kept apart"] == 80
    assert "made for a test" in out.read_text()
    scorer = Scorer(out, ("ratescore",))
    assert scorer.score(reference="Cardiomegaly.", candidate="Cardiomegaly.").scores["ratescore"].value == pytest.approx(1)
