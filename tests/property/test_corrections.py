"""Corrections applied to the candidate give a report that scores as the reference does, on examples and on made-up errors.

With `exact` RadSEM of the corrected report is 1. Without it, what is only said less exactly, normal statements and words that
no concept covers stay as they are: then nothing abnormal of the reference is missed, and nothing abnormal is invented.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.engine import Scorer
from kgscore.metrics.base import Corrected
from kgscore.metrics.lines import join_lines, lines_of
from kgscore.model import Correction, Score

EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "examples" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
]
# A statement, one that is false where it holds, and whether the statement is of something abnormal.
STATEMENTS = (
    ("Small left pleural effusion.", "No left pleural effusion."),
    ("Moderate right pleural effusion.", "Small right pleural effusion."),
    ("There is cardiomegaly.", "The heart is not enlarged."),
    ("A large right pneumothorax is present.", "A large left pneumothorax is present."),
    ("No pneumothorax.", "Tension pneumothorax on the left."),
    ("Consolidation in the right lower lobe.", "Consolidation in the right upper lobe."),
    ("8 mm nodule in the left upper lobe.", "18 mm nodule in the left upper lobe."),
    ("Old fracture of the right seventh rib.", "Old fracture of the right fourth rib."),
    ("Pericardial effusion is seen.", "No pericardial effusion."),
    ("Pulmonary embolism in the right pulmonary artery.", "No pulmonary embolism."),
    ("Hydrocephalus is present.", "No hydrocephalus."),
    ("Midline shift of 5 mm to the right.", "No midline shift."),
    ("Acute subdural haematoma on the left.", "Acute subdural haematoma on the right."),
    ("No gallstones.", "Gallstones are present."),
    ("Mild scoliosis of the thoracic spine.", "Severe scoliosis of the thoracic spine."),
    ("Mediastinal lymphadenopathy, unchanged.", "Mediastinal lymphadenopathy."),
    ("Hepatic steatosis.", "No hepatic steatosis."),
    ("Right internal jugular catheter in the superior vena cava.", "Right internal jugular catheter in the right atrium."),
    ("The nasogastric tube ends in the stomach.", "The nasogastric tube ends in the oesophagus."),
)  # fmt: skip
MADE_UP = ("Meningioma of the falx.", "Emphysema in both lungs.", "Herniation of the disc at L4-5.", "Right hydronephrosis.")


def applied(lines: Sequence[str], corrections: Sequence[Correction]) -> str:
    """Return the report that corrections make of lines: an empty text deletes, an insertion follows its line."""
    changed = {one.line: one.new_text for one in corrections if one.action != "insert"}
    kept = [(number, changed.get(number, line)) for number, line in enumerate(lines)]
    kept += [(len(lines) if one.line is None else one.line, one.new_text) for one in corrections if one.action == "insert"]
    return join_lines([line for _, line in sorted(kept, key=lambda one: one[0]) if line.strip()])[0]


CALM = settings(derandomize=True, deadline=None, max_examples=60)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Scorer:
    path = tmp_path_factory.mktemp("profile") / "exact.yaml"
    path.write_text("inherits: default\nmetrics:\n  fineradscore: {exact: true}\n", encoding="utf-8")
    return Scorer(path, ("radsem", "fineradscore"))


@pytest.fixture(scope="module")
def plain() -> Scorer:
    return Scorer(metrics=("radsem", "fineradscore"))


def corrected(scorer: Scorer, reference: str, candidate: str | Sequence[str]) -> tuple[Corrected, Score]:
    """Return the corrections, and the RadSEM score of the candidate after they are applied."""
    found = scorer.correct(reference=reference, candidate=candidate)
    lines = [candidate[a:b] for a, b in lines_of(candidate)] if isinstance(candidate, str) else candidate
    report = applied(lines, found.corrections)
    return found, scorer.score(reference=reference, candidate=report).scores["radsem"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a reference and the lines of a candidate: some statements turned, some left out, some made up, all shuffled."""
    told = draw(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6, unique=True))
    lines = []
    for right, wrong in told:
        kept = draw(st.sampled_from(("right", "right", "wrong", "left out")))
        lines += {"right": [right], "wrong": [wrong], "left out": []}[kept]
    lines += draw(st.lists(st.sampled_from(MADE_UP), max_size=2, unique=True))
    reference = " ".join(right for right, _ in draw(st.permutations(told)))
    return reference, draw(st.permutations(lines or [MADE_UP[0]]))


@CALM
@given(pairs())
def test_exact_corrections_make_the_report_score_as_the_reference(exact: Scorer, pair: tuple[str, list[str]]) -> None:
    assert corrected(exact, *pair)[1].value == pytest.approx(1)


@CALM
@given(pairs())
def test_corrections_leave_nothing_abnormal_missed_or_invented(plain: Scorer, pair: tuple[str, list[str]]) -> None:
    parts = corrected(plain, *pair)[1].parts
    assert parts.get("abnormal_unmatched_reference", 0.0) == parts.get("abnormal_unmatched_candidate", 0.0) == 0.0


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_the_shipped_examples_are_corrected(exact: Scorer, example: dict[str, str]) -> None:
    found, score = corrected(exact, example["reference"], example["candidate"])
    if found.status == "scored":
        assert score.value == pytest.approx(1)
    else:
        assert (found.score, found.corrections) == (None, ())


@CALM
@given(pairs())
def test_a_report_needs_no_correction_to_itself(plain: Scorer, pair: tuple[str, list[str]]) -> None:
    for report in (pair[0], " ".join(pair[1])):
        assert plain.correct(reference=report, candidate=report).corrections == ()


@CALM
@given(pairs())
def test_the_order_of_lines_is_irrelevant(plain: Scorer, pair: tuple[str, list[str]]) -> None:
    reference, lines = pair
    shuffled = sorted(lines)
    one, other = (plain.correct(reference=reference, candidate=order) for order in (lines, shuffled))
    said = [sorted((k.old_text, k.action, k.severity, k.categories) for k in result.corrections) for result in (one, other)]
    assert said[0] == said[1]


@CALM
@given(pairs())
def test_costs_add_up_to_the_score(plain: Scorer, pair: tuple[str, list[str]]) -> None:
    reference, candidate = pair[0], " ".join(pair[1])
    result = plain.score(reference=reference, candidate=candidate)
    made_of = plain.contributions(result, reference=reference, candidate=candidate)["fineradscore"]
    assert sum(piece.cost for piece in made_of) == result.scores["fineradscore"].value
    assert all(piece.credit == 0 for piece in made_of)
