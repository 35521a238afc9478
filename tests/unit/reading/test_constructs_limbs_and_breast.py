"""Constructs of musculoskeletal and breast reports: what is denied of a fracture, sides inside a name, categories, tendons."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGNS = {"present": "+", "absent": "-", "normal": "="}


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites and side, and its descriptors."""
    return sorted(
        " ".join(
            (f"{SIGNS[f.status]}{f.concept}@{'+'.join(f.sites)}", *filter(None, (f.side,)), *sorted(d.value for d in f.details))
        )
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Joint effusion in the right knee, none in the left.", "joint_effusion@knee_joint"),
        ("Effusion in the right knee and none in the left knee.", "joint_effusion@knee_joint"),
        ("Cyst in the right kidney, none in the left kidney.", "renal_cyst@kidney"),
        ("Nodule in the right lung, not in the left lung.", "pulmonary_nodule@lung"),
    ],
)
def test_a_side_that_none_or_not_stands_before_is_denied(scorer: Scorer, text: str, expected: str) -> None:
    assert told(scorer, text) == [f"+{expected} right", f"-{expected} left"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fracture of the tibia without comminution.", "+fracture@tibia"),
        ("Fracture of the tibia, not angulated.", "+fracture@tibia"),
        ("The fracture shows no angulation or displacement.", "+fracture@bone"),
        ("Fracture of the ankle without displacement or angulation.", "+fracture@ankle_joint nondisplaced"),
        ("Fracture of the tibial shaft with displacement.", "+fracture@tibial_shaft displaced_value"),
        ("Fracture of the humerus with displacement of the fragments.", "+fracture@humerus displaced_value"),
    ],
)
def test_what_is_denied_of_a_break_is_no_detail_of_it(scorer: Scorer, text: str, expected: str) -> None:
    assert [one for one in told(scorer, text) if one.startswith("+")] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Inverted left nipple.", "+nipple_retraction@nipple left"),
        ("Slipped left capital femoral epiphysis.", "+scfe@femoral_head left"),
        ("Frozen right shoulder.", "+adhesive_capsulitis@shoulder_joint right"),
        ("Increased left scapholunate interval.", "+scapholunate_dissociation@scapholunate_interval left"),
    ],
)
def test_a_side_may_stand_inside_the_name_of_a_finding(scorer: Scorer, text: str, expected: str) -> None:
    assert told(scorer, text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mass in the left breast (BI-RADS 4).", "+birads_4@breast left"),
        ("Mass in the left breast, BI-RADS 4.", "+birads_4@breast left"),
        ("No suspicious mass (BI-RADS 1).", "+birads_1@breast"),
        ("BI-RADS 1: negative.", "+birads_1@breast"),
    ],
)
def test_an_assessment_category_is_a_finding_of_its_own(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The fibers of the PCL are torn.", "+ligament_tear@pcl"),
        ("Tendinosis of the gluteus medius.", "+gluteus_medius_tendinosis@gluteus_medius_tendon"),
        ("Tendinitis of the left biceps femoris.", "+biceps_femoris_tendinosis@biceps_femoris_tendon left"),
        ("The lateral tibial plateau is split.", "+split_fracture@lateral_tibial_plateau"),
        ("The peroneus brevis tendon is split.", "+tendon_tear@peroneus_brevis_tendon"),
    ],
)
def test_fibers_tendons_and_splits(scorer: Scorer, text: str, expected: str) -> None:
    assert told(scorer, text) == [expected]


@pytest.mark.parametrize("text", ["The skin of the left breast is thickened.", "Left breast: skin thickened."])
def test_of_several_findings_that_a_place_defines_that_of_the_innermost_is_meant(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == ["+skin_thickening_of_breast@skin_of_breast left"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Carcinoma of the left kidney.", "+renal_cell_carcinoma@kidney left"),
        ("There is splitting of the right renal sinus.", "+hydronephrosis@renal_collecting_system right"),
        ("Cyst of the left kidney.", "+renal_cyst@kidney left"),
    ],
)
def test_a_side_inside_a_wording_does_not_part_it(scorer: Scorer, text: str, expected: str) -> None:
    assert told(scorer, text) == [expected]
