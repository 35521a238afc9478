"""Learning the weights of RaTEScore: a planted matrix is found again, honestly and the same each time."""

from __future__ import annotations

import itertools
import json
import random
from importlib.util import find_spec
from pathlib import Path

import pytest

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError
from kgscore.fitting.correlation import correlation, held_out, kendall
from kgscore.fitting.ratescore import Rated, fit, value
from kgscore.metrics.facts import Place
from kgscore.metrics.ratescore import Matrix, Nearest, matrix_named
from kgscore.metrics.ratescore_entities import TYPES, RateEntity, crossing

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="not installed: optuna")
pytestmark = pytest.mark.filterwarnings("ignore")
# Only denials count: the reverse of what the shipped matrices hold.
PLANTED = Matrix(0.5, {own: {other: 1.0 if own.startswith("non") else 0.02 for other in TYPES} for own in TYPES})


def entity(type: str) -> RateEntity:
    return RateEntity(type, type, type, Place(type, 0, len(type)), "")


def pairs(count: int, seed: int = 1) -> list[Rated]:
    """Return pairs of drawn entities, rated by the planted matrix."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        sides = []
        for _ in range(2):
            drawn = [(draw.choice(TYPES), draw.choice(TYPES), draw.random()) for _ in range(8)]
            sides.append([Nearest(entity(a), entity(b), 1.0, like, against=crossing(a, b)) for a, b, like in drawn])
        one = Rated((sides[0], sides[1]), 0.0, number % 5 == 0)
        found.append(Rated(one.sides, value(one, PLANTED), one.apart))
    return found


@needs_optuna
def test_a_planted_matrix_is_approached_on_pairs_kept_apart() -> None:
    fitted = fit(pairs(150), trials=150, seed=3)
    assert (fitted.train, fitted.test) == (120, 30)
    assert fitted.figures["fitted"]["test"] > fitted.figures["graded"]["test"] + 0.1
    weights = fitted.matrix.rows
    denied, there = (sum(weights[t][u] for t in types for u in TYPES) / len(types) for types in (TYPES[3:], TYPES[:3]))
    assert denied > there


@needs_optuna
def test_the_same_seed_gives_the_same_matrix() -> None:
    rows = pairs(60)
    one, other = (fit(rows, objective="spearman", trials=15, seed=7) for _ in range(2))
    assert one.matrix == other.matrix
    assert one.figures["fitted"]["train"] >= one.figures["graded"]["train"]


@needs_optuna
@pytest.mark.parametrize(
    ("rows", "said"),
    [(pairs(20), "too few pairs"), ([Rated(one.sides, 1.0, one.apart) for one in pairs(100)], "all the same")],
    ids=["few", "constant"],
)
def test_what_cannot_be_learnt_is_refused(rows: list[Rated], said: str) -> None:
    with pytest.raises(InputError, match=said):
        fit(rows, trials=1)


@pytest.mark.skipif(find_spec("optuna") is not None, reason="optuna is installed")
def test_without_optuna_the_fit_says_what_to_install() -> None:
    with pytest.raises(KgscoreError, match=r"pip install 'kgscore\[fit\]'"):
        fit(pairs(100))


def test_an_unknown_objective_is_refused() -> None:
    with pytest.raises(InputError, match="pearson, spearman, kendall"):
        correlation("rmse")


def test_correlations_of_ties_and_constants() -> None:
    assert correlation("spearman")([1, 2, 2, 9], [10, 20, 20, 30]) == pytest.approx(1)
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 6**0.5)
    assert correlation("pearson")([1, 1, 1], [1, 2, 3]) == kendall([1, 1], [1, 2]) == 0


def test_pairs_of_one_reference_stay_together_and_about_a_fifth_is_kept_apart() -> None:
    kept = [held_out(f"reference {number}") for number in range(1000)]
    assert 150 < sum(kept) < 260
    assert held_out("reference 1") == kept[1]


def test_the_value_is_that_of_the_metric(scorer: Scorer) -> None:
    from kgscore import metrics as registry
    from kgscore.fitting.ratescore import rated
    from kgscore.metrics.base import Matched
    from kgscore.metrics.ratescore import Ratescore

    metric = registry.build(("ratescore",), scorer.profile, scorer.index)["ratescore"]
    assert isinstance(metric, Ratescore)
    reference, candidate = "Cardiomegaly. No pleural effusion. Left rib fracture.", "Pleural effusion. Rib fracture."
    found = scorer.score(reference=reference, candidate=candidate)
    assert found.reference is not None
    assert found.candidate is not None
    pair = Matched(found.reference, found.candidate, found.links, found.contradictions, reference, candidate)
    one = rated(metric, pair, 1.0)
    assert one is not None
    assert value(one, matrix_named("graded")) == pytest.approx(metric.score(pair).value)


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
    code = main(["fit", "ratescore", str(table), "--out", str(out), "--trials", "5", "--note", "made for a test"])
    captured = capsys.readouterr()
    assert code == 3
    assert "field 'human' must be a number" in captured.err
    figures = json.loads(captured.out)
    assert figures["learnt from"] + figures["kept apart"] == 80
    assert "made for a test" in out.read_text()
    scorer = Scorer(out, ("ratescore",))
    assert scorer.score(reference="Cardiomegaly.", candidate="Cardiomegaly.").scores["ratescore"].value == pytest.approx(1)
