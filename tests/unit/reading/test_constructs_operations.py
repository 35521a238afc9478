"""States after surgery, devices and levels, as briefs ("+picc left @right_atrium": sign, concept, side, sites)."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGN = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    found = scorer.read(text).findings
    return sorted(" ".join(filter(None, (SIGN[f.status] + str(f.concept), f.side, "@" + ",".join(f.sites)))) for f in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "At L2/3 there is facet arthrosis; at L4/5 there is severe canal stenosis.",
            ["+facet_arthropathy @facet_joint_l2_l3", "+spinal_stenosis @spinal_canal_l4_l5"],
        ),
        (
            "C5/6: disc osteophyte complex flattening the cord.",
            ["+cord_flattening @spinal_cord_c5_c6", "+disc_osteophyte_complex @disc_c5_c6"],
        ),
        (
            "Clips in the left axilla from prior lymph node dissection.",
            ["+axillary_clip left @axilla", "+axillary_dissection left @axilla"],
        ),
        ("After radiotherapy for cancer of the rectum, its wall is thickened.", ["+rectal_wall_thickening @rectum"]),
        ("Laminectomy at C3 through C5.", [f"+laminectomy @vertebra_c{n}" for n in (3, 4, 5)]),
        ("Cysts in segments VI to VII.", ["+hepatic_cyst @liver_segment_6", "+hepatic_cyst @liver_segment_7"]),
        ("Fractures of the anterior ends of ribs 2-3.", ["+rib_fracture @rib_2", "+rib_fracture @rib_3"]),
        (
            "Height loss at T8 and at T9, both unchanged.",
            ["+vertebral_height_loss @vertebral_body_t8", "+vertebral_height_loss @vertebral_body_t9"],
        ),
        (
            "Nodules in the apex of the right lung and in the lingula.",
            ["+pulmonary_nodule left @lingula", "+pulmonary_nodule right @lung_apex"],
        ),
        (
            "At C3-C4 disc-osteophyte complexes indent the thecal sac.",
            ["+disc_osteophyte_complex @disc_c3_c4", "+thecal_sac_compression @thecal_sac_c3_c4"],
        ),
        ("Left mastectomy with implant.", ["+breast_implant left @breast", "+mastectomy left @breast"]),
    ],
)
def test_place_is_kept(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The endotracheal tube has been retracted.", ["+endotracheal_tube @trachea"]),
        ("TIPS is patent.", ["+tips @liver"]),
        ("Pacemaker via left subclavian approach.", ["+pacemaker left @chest_wall"]),
        ("Removal of the endotracheal tube.", ["-endotracheal_tube @"]),
        ("Fusion hardware: no lucency about the screws.", ["+spinal_hardware @spine", "-lucency @spine"]),
        ("No hardware failure, prior fusion at C5-6.", ["+spinal_fusion @disc_c5_c6", "-hardware_complication @"]),
        ("Resection of a right frontal meningioma.", ["+postsurgical_change right @frontal_lobe"]),
        (
            "Internal fixation of the left femoral neck fracture.",
            ["+femoral_neck_fracture left @femoral_neck", "+internal_fixation left @femoral_neck"],
        ),
        ("Loosening of the right knee arthroplasty.", ["+knee_arthroplasty right @knee_joint", "+loosening right @knee_joint"]),
        ("No loosening of the left hip prosthesis.", ["-loosening left @hip_joint"]),
        (
            "New ET tube, tip 1 cm above the carina, and new NG tube, tip in the stomach.",
            ["+endotracheal_tube @trachea", "+nasogastric_tube @stomach"],
        ),
        ("The ET tube terminates at the level of the clavicles.", ["+endotracheal_tube @trachea"]),
        (
            "Right tibial nail, distal screws broken.",
            ["+hardware_fracture right @distal_tibia", "+intramedullary_nail right @tibia"],
        ),
        ("No gallbladder (cholecystectomy).", ["+cholecystectomy @gallbladder"]),
        ("The Swan-Ganz has been withdrawn into the main pulmonary artery.", ["+pulmonary_artery_catheter @pulmonary_trunk"]),
        ("Postsurgical changes from prior gastric bypass.", ["+gastric_bypass @stomach"]),
    ],
)
def test_device_is_read(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What was taken out is an operation.
        ("The left kidney was removed.", ["+nephrectomy left @kidney"]),
        ("The spleen was removed.", ["+splenectomy @spleen"]),
        ("The right lung has been removed.", ["+pneumonectomy right @lung"]),
        ("The left lower lobe has been resected.", ["+lower_lobectomy left @lower_lobe"]),
        (
            "The gallbladder was removed; no biliary dilatation.",
            ["+cholecystectomy @gallbladder", "-biliary_dilatation @biliary_tree"],
        ),
        # What is broken before a device is the device.
        ("Broken left L5 screw.", ["+hardware_fracture left @vertebra_l5", "+orthopedic_screw left @vertebra_l5"]),
        # A device that is as it should be is there.
        ("IUD in the endometrial cavity, position normal.", ["+intrauterine_device @endometrial_cavity"]),
        ("Fluid-filled pneumonectomy space on the right.", ["+pleural_effusion right @pneumonectomy_space"]),
        # Enhancement of a lesion is a finding, that of an organ is normal.
        (
            "The left frontal mass enhances homogeneously.",
            ["+brain_mass left @frontal_lobe", "+enhancement left @frontal_lobe"],
        ),
        (
            "Left parotid mass with homogeneous enhancement.",
            ["+enhancement left @parotid_gland", "+parotid_mass left @parotid_gland"],
        ),
        ("The liver enhances homogeneously without focal lesion.", ["-lesion @liver", "=enhancement @liver"]),
        # The direction of a measurement is no finding.
        ("The gallbladder wall is 2 mm thick.", ["=gallbladder_wall_thickening @gallbladder_wall"]),
        ("The thyroid isthmus is 4 mm thick.", []),
    ],
)
def test_what_was_done_and_what_it_left(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A feeding tube enters the stomach, distal tip not visualized.",
        "A feeding tube enters the stomach; its tip is not clearly seen.",
        "A feeding tube enters the stomach, with the end not included.",
    ],
)
def test_a_device_is_there_though_its_end_is_not_seen(scorer: Scorer, text: str) -> None:
    assert {finding.status for finding in scorer.read(text).findings} == {"present"}
