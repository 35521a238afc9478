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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a size of the largest, and its place
        (
            "Several pulmonary nodules are present bilaterally, the largest measuring 12 mm in the left lower lobe.",
            ["+pulmonary_nodule lower_lobe left", "+pulmonary_nodule lung left", "+pulmonary_nodule lung right"],
        ),
        # a point from which a distance is counted
        ("Mass in the trachea 2 cm above the carina.", ["+tracheal_mass trachea"]),
        (
            "Thrombosis of the left great saphenous vein reaching up to 2 cm from the saphenofemoral junction.",
            ["+superficial_thrombophlebitis great_saphenous_vein left"],
        ),
        # what only looks like it
        (
            "Skin fold over the right hemithorax mimicking a pneumothorax.",
            ["+skin_fold hemithorax right", "-pneumothorax pleural_space right"],
        ),
        # the usual place of what enhances
        ("Enhancing mediastinal mass.", ["+enhancement mediastinum", "+mediastinal_mass mediastinum"]),
        # a number in the middle of a list
        ("Fractures of ribs 3, 4 and 5.", ["+rib_fracture rib_3", "+rib_fracture rib_4", "+rib_fracture rib_5"]),
        ("The left lung is totally atelectatic.", ["+complete_lung_collapse lung left"]),
        ("The middle lobe is totally atelectatic.", ["+lobar_collapse middle_lobe right"]),
        ("Midline shift of the mediastinal structures to the right.", ["+mediastinal_shift mediastinum"]),
        ("The popliteal artery is refilled through collaterals.",
         ["+arterial_reconstitution popliteal_artery", "+collateral_vessels popliteal_artery"]),
        ("The left lung is clear. Pneumonia on the right is a concern.",
         ["+pneumonia lung right", "=lung_opacity lung left"]),
    ],
)  # fmt: skip
def test_where_and_what_lists_and_distances_say(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("The right upper lobe nodule is not lobulated.", "lobulated"),
        ("Right pleural effusion, not loculated.", "loculated"),
        ("The renal cyst is not septated.", "septated"),
    ],
)
def test_a_denied_descriptor_is_no_detail(scorer: Scorer, text: str, left_out: str) -> None:
    assert left_out not in {detail.value for finding in scorer.read(text).findings for detail in finding.details}


def test_an_explanation_may_name_its_place_again_in_other_words(scorer: Scorer) -> None:
    (one,) = scorer.read("Opacity at the right base, consistent with right lower lobe pneumonia.").findings
    assert one.alternatives == ("pneumonia",)
