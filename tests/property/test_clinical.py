"""What must hold of the clinical verdict, on reports drawn from statements that stand for themselves, and over the ontology."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgscore.clinical.score import score_of
from kgscore.clinical.settings import settings as counted
from kgscore.clinical.system import profile_of
from kgscore.engine import Scorer
from kgscore.model import PairResult, Score
from kgscore.verdict import Aligned

# Statements on subjects of their own, each with its reverse and with one that is told less exactly.
SAID = (
    ("Small left pleural effusion.", "No left pleural effusion.", "Pleural effusion."),
    ("There is moderate cardiomegaly.", "No cardiomegaly.", "Cardiomegaly."),
    ("Large right apical pneumothorax.", "No right pneumothorax.", "Pneumothorax."),
    ("Acute displaced fracture of the left clavicle.", "No fracture of the left clavicle.", "Fracture of the clavicle."),
    ("Large pericardial effusion.", "No pericardial effusion.", "Pericardial effusion."),
    ("Marked enlargement of the spleen.", "The spleen is not enlarged.", "The spleen is enlarged."),
    ("Severe right hydronephrosis.", "No right hydronephrosis.", "Hydronephrosis."),
    ("Midline shift of 9 mm.", "No midline shift.", "Midline shift."),
    ("Acute subdural haematoma on the left.", "No left subdural haematoma.", "Subdural haematoma."),
    ("Multiple gallstones.", "No gallstones.", "Gallstones."),
    ("Aneurysm of the abdominal aorta of 61 mm.", "No aneurysm of the abdominal aorta.", "Aneurysm of the abdominal aorta."),
    ("Severe hepatic steatosis.", "No hepatic steatosis.", "Hepatic steatosis."),
)
# What none of the statements speaks of.
INVENTED = (
    "Ascites is present.",
    "Thrombus in the right femoral vein.",
    "Mild scoliosis of the thoracic spine.",
    "Mucosal thickening in the right maxillary sinus.",
    "Tear of the medial meniscus.",
    "Mass in the left breast.",
)
NORMAL = (
    "The trachea is midline.",
    "The pancreas is unremarkable.",
    "The sinuses are clear.",
    "Both adrenal glands are normal.",
    "The orbits are unremarkable.",
)
CALM = settings(derandomize=True, deadline=None, max_examples=40)
numbers = st.lists(st.integers(0, len(SAID) - 1), min_size=1, max_size=5, unique=True)


@cache
def _scorer() -> Scorer:
    return Scorer(metrics=("clinical",), remember=2_000)


def _result(reference: list[str], candidate: list[str]) -> PairResult:
    return _scorer().score(reference=" ".join(reference), candidate=" ".join(candidate))


def _value(reference: list[str], candidate: list[str]) -> float:
    found: Score = _result(reference, candidate).scores["clinical"]
    assert found.value is not None
    return found.value


def _versions(draw: list[int], ways: list[int]) -> list[str]:
    """Return statements as they are (0), turned round (1), told vaguely (2) or left out (3)."""
    return [SAID[n][way] for n, way in zip(draw, ways, strict=True) if way < 3]


ways = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(numbers)
@CALM
def test_a_report_against_itself_has_no_error(draw: list[int]) -> None:
    report = [SAID[n][0] for n in draw]
    result = _result(report, report)
    assert result.scores["clinical"].value == pytest.approx(1.0)
    assert result.verdict is not None
    assert result.verdict.sentence == "No clinical error."


@given(numbers, ways, st.sampled_from(INVENTED))
@CALM
def test_an_invented_finding_never_raises(draw: list[int], how: list[int], invented: str) -> None:
    reference, candidate = [SAID[n][0] for n in draw], _versions(draw, how[: len(draw)])
    assume(candidate)
    assert _value(reference, [*candidate, invented]) < _value(reference, candidate)


@given(numbers, ways, st.integers(0, 4))
@CALM
def test_removing_an_error_raises_and_a_miss_is_worst(draw: list[int], how: list[int], at: int) -> None:
    reference, mine = [SAID[n][0] for n in draw], how[: len(draw)]
    at %= len(draw)
    rest = [way for place, way in enumerate(mine) if place != at]
    assume(any(way < 3 for way in rest))
    found = {}
    for way in range(4):
        found[way] = _value(reference, _versions(draw, [*mine[:at], way, *mine[at + 1 :]]))
    assert found[0] >= found[2] > max(found[1], found[3])
    assert found[0] > found[1]


@given(numbers, ways, st.sampled_from(NORMAL))
@CALM
def test_a_normal_sentence_that_contradicts_nothing_changes_nothing(draw: list[int], how: list[int], normal: str) -> None:
    reference, candidate = [SAID[n][0] for n in draw], _versions(draw, how[: len(draw)])
    assume(candidate)
    assert _value(reference, [*candidate, normal]) == pytest.approx(_value(reference, candidate))
    assert _value([*reference, normal], candidate) == pytest.approx(_value(reference, candidate))


@given(numbers, ways, st.randoms(use_true_random=False))
@CALM
def test_order_and_repetition_change_nothing(draw: list[int], how: list[int], random) -> None:
    reference, candidate = [SAID[n][0] for n in draw], _versions(draw, how[: len(draw)])
    assume(candidate)
    shuffled = random.sample([*candidate, candidate[0]], len(candidate) + 1)
    assert _value(random.sample(reference, len(reference)), shuffled) == pytest.approx(_value(reference, candidate))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bilateral pleural effusions.", "Left pleural effusion. Right pleural effusion."),
        ("Cardiomegaly and ascites.", "Cardiomegaly. Ascites."),
        ("Fractures of the left fifth and sixth ribs.", "Fracture of the left fifth rib. Fracture of the left sixth rib."),
    ],
)
def test_splitting_and_joining_change_nothing(one: str, other: str) -> None:
    reference = ["Bilateral pleural effusions, cardiomegaly and ascites. Fractures of the left fifth and sixth ribs."]
    assert _value(reference, [one]) == pytest.approx(_value(reference, [other]))
    assert _value([one], [other]) == pytest.approx(_value([other], [one])) == pytest.approx(1.0)


@given(numbers, ways, st.lists(st.sampled_from(INVENTED), max_size=2, unique=True))
@CALM
def test_swapping_the_reports_swaps_recall_and_precision(draw: list[int], how: list[int], more: list[str]) -> None:
    reference, candidate = [SAID[n][0] for n in draw], [*_versions(draw, how[: len(draw)]), *more]
    assume(candidate)
    verdicts = (_result(*pair).verdict for pair in ((reference, candidate), (candidate, reference)))
    there, back = (profile_of([(verdict, [""] * len(verdict.findings), "")]) for verdict in verdicts)
    for tier in ("actionable", "triage"):
        assert there[f"{tier}_recall"] == back[f"{tier}_precision"]
        assert there[f"{tier}_precision"] == back[f"{tier}_recall"]


amounts = st.floats(0, 400)


def _sums(credit: float, *costs: float) -> float:
    lost = (Aligned("", "missed", 2, cost=cost) for cost in costs)
    return score_of([Aligned("", "correct", 2, credit=credit), *lost], counted())


@given(amounts, amounts, st.integers(1, 3))
@CALM
def test_a_graver_error_never_costs_less(credit: float, lost: float, tier: int) -> None:
    weights = counted().weights
    assert _sums(credit, lost, weights[tier + 1]) < _sums(credit, lost, weights[tier]) < _sums(credit, lost)


@given(amounts, amounts, st.integers(0, 3))
@CALM
def test_three_routine_errors_cost_as_much_as_one_notable(credit: float, lost: float, routine: int) -> None:
    weights = counted().weights
    mixed, grave = _sums(credit, lost, *[weights[1]] * routine), _sums(credit, lost, weights[2])
    assert (mixed == pytest.approx(grave, rel=1e-12)) == (routine == 3)
    assert mixed >= grave - 1e-9


def test_the_two_cells() -> None:
    normal, ill = ["Normal chest."], ["Small left pleural effusion."]
    assert _value(normal, [""]) == _value(ill, [""]) == 0.0
    assert _value(normal, ["The lungs are clear."]) == 1.0
    assert 0.0 < _value(ill, ["No effusion. Ascites."]) < _value(ill, ["No effusion."])


def test_one_finding_holds_all_its_errors() -> None:
    verdict = _result(["Small left pleural effusion."], ["Large right pleural effusion."]).verdict
    assert verdict is not None
    (one,) = verdict.findings
    assert (one.category, {error.dimension for error in one.errors}) == ("wrong", {"side", "severity"})
