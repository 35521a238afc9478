"""Corrections of reports with one error, against gold: action, line and meaning of the new text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer

HERE = Path(__file__).parent


def is_right(scorer: Scorer, case: dict[str, Any]) -> bool:
    """Whether the one expected correction is made, and no other."""
    (due,) = case["expected"]
    found = scorer.correct(reference=case["reference"], candidate=case["candidate"]).corrections
    return [(one.line, one.action) for one in found] == [(due["line"], due["action"])] and (
        scorer.relate(found[0].new_text, due["new_text"]).relation == "equivalent"
    )


@pytest.mark.parametrize(("name", "least"), [("open", 0.94), ("held_out", 0.94)])
def test_one_error_has_one_right_correction(scorer: Scorer, name: str, least: float) -> None:
    cases = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    right = [is_right(scorer, case) for case in cases]
    assert sum(right) / len(cases) >= least
