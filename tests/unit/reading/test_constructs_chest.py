"""Constructs of reports on heart, lungs, vessels and lines: what holds for more than its own phrase."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGNS = {"present": "+", "absent": "-", "normal": "="}


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites and side."""
    return sorted(
        f"{SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Large left hilar mass invading the mediastinum.", ["+hilar_mass hilum left", "+invasion mediastinum"]),
        ("Left PICC with its tip in the azygos vein.", ["+picc azygos_vein left"]),
        (
            "Left chest wall: surgical emphysema. Tracheostomy tube in place.",
            ["+subcutaneous_emphysema chest_wall left", "+tracheostomy_tube trachea"],
        ),
        (
            "Right pleural effusion with pleural thickening.",
            ["+pleural_effusion pleural_space right", "+pleural_thickening pleura right"],
        ),
        (
            "There is a pacemaker on the left whose lead projects over the right ventricle.",
            ["+pacemaker chest_wall left", "+pacemaker_lead right_ventricle"],
        ),
    ],
)
def test_a_side_is_of_what_has_sides(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "NODES: no mediastinal, hilar or axillary adenopathy.",
            [
                "-axillary_lymphadenopathy axillary_lymph_node left",
                "-axillary_lymphadenopathy axillary_lymph_node right",
                "-hilar_lymphadenopathy hilar_lymph_node left",
                "-hilar_lymphadenopathy hilar_lymph_node right",
                "-mediastinal_lymphadenopathy mediastinal_lymph_node",
            ],
        ),
        ("PE: saddle embolus.", ["+saddle_embolus pulmonary_artery_bifurcation"]),
        (
            "Blunting of the costophrenic sulcus on the right, sharp sulcus on the left.",
            ["+costophrenic_blunting costophrenic_angle right", "=costophrenic_blunting costophrenic_angle left"],
        ),
    ],
)
def test_lists_and_labels(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MV: mild regurgitation.", ["+mitral_regurgitation mitral_valve"]),
        ("The inferior wall of the left ventricle is akinetic.", ["+akinesia inferior_wall_of_heart"]),
        ("Systolic function of the left ventricle is normal.", ["=systolic_dysfunction left_ventricle"]),
        ("Noncalcified plaque in the RCA.", ["+coronary_atherosclerosis right_coronary_artery"]),
        ("The RCA is occluded.", ["+coronary_occlusion right_coronary_artery"]),
    ],
)
def test_the_words_of_the_heart(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
