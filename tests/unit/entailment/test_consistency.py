"""Self-contradiction inside one report: reports of all regions, half of them consistent, with traps that look like it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer

PATH = Path(__file__).parents[2] / "consistency.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
# The share that must be right, of each kind. A false alarm harms more than a contradiction that goes unseen: a finding beside a
# broader denial is that denial's exception ("The lungs are clear. Consolidation in the right lower lobe."), which this older set
# counts as a contradiction in 21 of its 50 reports. `tests/consistency/reports.jsonl` was written for the rule as it is now.
FLOORS = {True: 0.93, False: 0.56}


def test_every_region_has_reports_of_both_kinds() -> None:
    counts = Counter((record["region"], record["consistent"]) for record in RECORDS)
    assert len({region for region, _ in counts}) == 10
    assert all(counts[region, kind] for region, _ in counts for kind in (True, False))
    assert min(sum(record["consistent"] is kind for record in RECORDS) for kind in (True, False)) >= 30


def test_contradictions_are_found_and_traps_are_not() -> None:
    scorer = Scorer()
    right: Counter[bool] = Counter()
    cases: Counter[bool] = Counter()
    for record in RECORDS:
        right[record["consistent"]] += (scorer.consistency(record["report"]) == ()) is record["consistent"]
        cases[record["consistent"]] += 1
    for kind, floor in FLOORS.items():
        assert right[kind] / cases[kind] >= floor, "consistent" if kind else "contradictory"


@pytest.mark.parametrize("record", [r for r in RECORDS if not r["consistent"]], ids=lambda record: record["id"])
def test_a_contradiction_names_two_places_of_the_report_and_why(scorer: Scorer, record: dict[str, Any]) -> None:
    for found in scorer.consistency(record["report"]):
        assert found.first != found.second
        assert all(record["report"][start:end].strip() for start, end in (found.first, found.second))
        assert found.proof
        assert all(found.proof)


def test_a_restricted_denial_contradicts_what_falls_under_the_restriction(scorer: Scorer) -> None:
    assert scorer.consistency("No large pericardial effusion. Large pericardial effusion.")
    assert not scorer.consistency("No large pleural effusion. Small right pleural effusion.")


def test_clips_may_lie_where_an_organ_was_removed(scorer: Scorer) -> None:
    assert not scorer.consistency("Surgical absence of the gallbladder with metallic clips in the gallbladder fossa.")


def test_one_lesion_may_shrink_where_another_does_not(scorer: Scorer) -> None:
    assert not scorer.consistency("The cyst of the upper pole has become smaller. A cyst of the lower pole is unchanged.")
    assert scorer.consistency("The cyst of the upper pole has become smaller. The cyst of the upper pole is unchanged.")


def test_a_trace_is_left_out_of_a_denial_of_both_sides(scorer: Scorer) -> None:
    assert not scorer.consistency("No pleural effusion. Trace of pleural fluid on the right.")
    assert scorer.consistency("No pleural effusion. Moderate right pleural effusion.")
    assert scorer.consistency("No right pleural effusion. Trace of pleural effusion on the right.")


def test_a_denial_at_one_part_of_a_place_leaves_the_other_parts(scorer: Scorer) -> None:
    report = "No stenosis of the {} right coronary artery. Stenosis of the distal right coronary artery."
    assert not scorer.consistency(report.format("proximal"))
    assert scorer.consistency(report.format("distal"))


def test_normal_discs_are_those_that_are_not_named(scorer: Scorer) -> None:
    assert not scorer.consistency("The disc heights are normal. Disc space narrowing at C5-C6.")
    assert scorer.consistency("The disc height at C5-C6 is normal. Disc space narrowing at C5-C6.")


def test_the_tip_of_a_catheter_is_the_same_in_findings_and_impression(scorer: Scorer) -> None:
    report = "FINDINGS: Left subclavian catheter with its tip in the {}.\nIMPRESSION: Left subclavian catheter, tip in the {}."
    assert scorer.consistency(report.format("right atrium", "brachiocephalic vein"))
    assert not scorer.consistency(report.format("superior vena cava", "lower superior vena cava"))
