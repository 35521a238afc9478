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
        ("Laminectomy at C3 through C5.", [f"+laminectomy @vertebra_c{n}" for n in (3, 4, 5)]),
        ("Cysts in segments VI to VII.", ["+hepatic_cyst @liver_segment_6", "+hepatic_cyst @liver_segment_7"]),
        ("Fractures of the anterior ends of ribs 2-3.", ["+rib_fracture @rib_2", "+rib_fracture @rib_3"]),
        (
            "Height loss at T8 and at T9, both unchanged.",
            ["+vertebral_height_loss @vertebra_t8", "+vertebral_height_loss @vertebra_t9"],
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
        ("Right tibial nail, distal screws broken.", ["+hardware_fracture right @distal_tibia", "+intramedullary_nail right @tibia"]),
        ("No gallbladder (cholecystectomy).", ["+cholecystectomy @gallbladder"]),
        ("The Swan-Ganz has been withdrawn into the main pulmonary artery.", ["+pulmonary_artery_catheter @pulmonary_trunk"]),
        ("Postsurgical changes from prior gastric bypass.", ["+gastric_bypass @stomach"]),
    ],
)
def test_device_is_read(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected
