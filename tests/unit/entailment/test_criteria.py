"""Diagnoses by their signs."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.entailment.criteria import rules

CASES = [
    ("Dilated loops of small bowel with a transition point in the left lower quadrant.", "Small bowel obstruction.", "entailed"),
    ("Dilated loops of small bowel.", "Small bowel obstruction.", "neutral"),
    ("Joint space narrowing and spurs of the first carpometacarpal joint.", "Osteoarthritis of the thumb base.", "entailed"),
    ("Severe joint space narrowing and subchondral cysts of the left hip.", "Osteoarthritis of the left hip.", "entailed"),
    ("Joint space narrowing and subchondral cysts of the left hip.", "Osteoarthritis of the right hip.", "neutral"),
    ("Severe joint space narrowing and subchondral cysts of the left hip.", "New osteoarthritis of the left hip.", "neutral"),
    ("Splenomegaly and esophageal varices.", "There are signs of portal hypertension.", "entailed"),
    ("Possible esophageal varices and splenomegaly.", "There is portal hypertension.", "neutral"),
    ("Right frontal hematoma. Midline shift of 5 mm.", "There is mass effect on the brain.", "entailed"),
]


@pytest.mark.parametrize(("report", "statement", "verdict"), CASES)
def test_signs_entail_a_diagnosis(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    assert scorer.entails(report, statement).verdict == verdict


def test_every_sign_is_a_concept(scorer: Scorer) -> None:
    named = {name for rule in rules() for name in (rule.diagnosis, *(one for sign in rule.signs for one in sign))}
    assert named <= scorer.index.concepts.keys()
