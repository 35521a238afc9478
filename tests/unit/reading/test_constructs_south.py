"""Constructs of abdominal, pelvic, spinal, musculoskeletal and breast reports: what holds for more than its own phrase."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGNS = {"present": "+", "absent": "-", "normal": "="}


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites and side, and its change."""
    return sorted(
        f"{SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() + (f" {f.change}" if f.change else "")
        for f in scorer.read(text).findings
    )


def details(scorer: Scorer, text: str) -> list[str]:
    """Return the details of all findings."""
    return [detail.text for finding in scorer.read(text).findings for detail in finding.details]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gallbladder: free of calculi, wall of normal thickness.", "=gallbladder_wall_thickening gallbladder_wall"),
        ("Urinary bladder: no stones, wall of normal thickness.", "=bladder_wall_thickening bladder_wall"),
        ("Common bile duct: no stones, wall of normal thickness.", "=bile_duct_wall_thickening common_bile_duct"),
    ],
)
def test_a_wall_with_its_own_quality_ends_a_denied_list(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Neither liver nor spleen shows a cyst.", ["-hepatic_cyst liver", "-splenic_cyst spleen"]),
        ("Neither the spleen nor the pancreas contains a mass.", ["-mass spleen", "-pancreatic_mass pancreas"]),
        (
            "Neither renal nor ureteric stones.",
            [
                "-nephrolithiasis kidney left",
                "-nephrolithiasis kidney right",
                "-ureteral_stone ureter left",
                "-ureteral_stone ureter right",
            ],
        ),
    ],
)
def test_neither_and_nor_deny_both(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The left renal stone has grown from 8 to 11 mm.", ["11 mm", "previously 8 mm"]),
        ("The previously seen 8 mm left renal stone has increased to 11 mm.", ["11 mm", "previously 8 mm"]),
        ("The abdominal aorta is aneurysmal, 54 mm (51 mm on the prior study).", ["54 mm", "previously 51 mm"]),
        ("Compared with the prior CT, the aneurysm has enlarged from 42 to 46 mm.", ["46 mm", "previously 42 mm"]),
    ],
)
def test_the_earlier_size_is_told_from_the_present_one(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert sorted(details(scorer, text)) == expected


def test_a_change_is_of_its_own_clause(scorer: Scorer) -> None:
    text = "The left pleural effusion has increased and the right pneumothorax has resolved."
    assert told(scorer, text) == ["+pleural_effusion pleural_space left increased", "-pneumothorax pleural_space right resolved"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A mass in the pancreatic head obstructs the pancreatic duct, which is dilated.",
            "+pancreatic_duct_dilatation pancreatic_duct",
        ),
        ("Pancreatic duct dilated, with a cutoff at the head, where there is a mass.", "+pancreatic_mass pancreatic_head"),
        (
            "Heights are preserved except at L1, where there is a superior endplate fracture.",
            "+endplate_fracture superior_endplate_l1",
        ),
    ],
)
def test_a_relative_clause_is_of_the_structure_before(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


@pytest.mark.parametrize(
    "text",
    [
        "Bilateral hip osteoarthritis, moderate on the right and mild on the left, with osteophytes.",
        "Moderate right and mild left hip osteoarthritis with osteophytes.",
        "Degenerative change of both hips, right greater than left: osteophytes.",
    ],
)
def test_what_goes_with_both_sides_is_on_both(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == [
        f"+{name} hip_joint {side}" for name in ("hip_osteoarthritis", "osteophyte") for side in ("left", "right")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At L4-5 the disc bulges. Moderate canal stenosis.", "+spinal_stenosis spinal_canal_l4_l5"),
        ("L5-S1 disc protrusion. There is facet arthropathy.", "+facet_arthropathy facet_joint_l5_s1"),
        ("L5-S1 disc protrusion. Multilevel facet arthropathy.", "+facet_arthropathy facet_joint"),
        ("L5-S1 disc protrusion. No canal stenosis.", "-spinal_stenosis spinal_canal"),
        ("L1 shows a superior endplate fracture.", "+endplate_fracture superior_endplate_l1"),
    ],
)
def test_a_level_holds_for_the_sentence_after_it(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tear of the posterior horn of the medial meniscus. Small joint effusion.", "+joint_effusion knee_joint"),
        ("Subcapital fracture of the left femoral neck. Diffuse osteopenia.", "+osteopenia bone"),
        ("L3 hemangioma. Mild scoliosis.", "+scoliosis spine"),
        ("Edematous pancreas with fluid in the left anterior pararenal space. No collection.", "-collection pancreas"),
        ("Spiral fracture of the tibial shaft 5 cm above the ankle joint.", "+fracture tibial_shaft"),
    ],
)
def test_a_finding_is_not_where_it_cannot_be_meant(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The left hip joint is moderately and the right mildly narrowed.",
            ["+joint_space_narrowing hip_joint left", "+joint_space_narrowing hip_joint right"],
        ),
        ("The liver is normal, as is the pancreas.", ["=abnormality liver", "=abnormality pancreas"]),
        (
            "The L4-5 disc is degenerated and reduced in height.",
            ["+disc_degeneration disc_l4_l5", "+disc_height_loss disc_l4_l5"],
        ),
    ],
)
def test_predicates_are_shared(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Small left hydrocele, varicocele none.", "+hydrocele scrotum left"),
        ("Left testis enlarged with absent flow.", "+absent_flow testis left"),
        ("Enlarged left testis without flow.", "+absent_flow testis left"),
        ("No lesion with washout in the liver.", "-lesion liver"),
        (
            "Sclerotic lesion of the left ilium, most likely an enostosis, less likely a metastasis.",
            "+sclerotic_lesion ilium left",
        ),
        (
            "Interval resolution of the previously noted left hydronephrosis.",
            "-hydronephrosis renal_collecting_system left resolved",
        ),
    ],
)
def test_negation_keeps_to_its_scope(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


def test_findings_in_brackets_are_where_the_lesion_is(scorer: Scorer) -> None:
    text = "A nodule (9 mm, taller than wide) is found in the right lobe of the thyroid."
    assert told(scorer, text) == ["+taller_than_wide lobe_of_thyroid_gland right", "+thyroid_nodule lobe_of_thyroid_gland right"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Mass in the right breast at 10 o'clock. The left breast shows no mass, no calcifications.",
            "-breast_calcification breast left",
        ),
        ("The right breast contains a mass at 9 o'clock.", "+breast_mass breast_9_oclock right"),
        ("The left kidney contains a cyst at the upper pole.", "+renal_cyst kidney_upper_pole left"),
        ("The medial meniscus is torn, involving its body, and is extruded.", "+meniscal_extrusion medial_meniscus"),
        ("Tear of the anterior horn and body of the lateral meniscus.", "+meniscal_tear anterior_horn_of_lateral_meniscus"),
        ("Medial meniscus tear.\nJoint: moderate effusion.", "+joint_effusion knee_joint"),
        ("Hepatic veins and artery are patent.", "=nonpatency hepatic_artery"),
        ("Lymphadenopathy encasing the aorta and IVC without occlusion.", "-occlusion inferior_vena_cava"),
        ("Liver: cyst in segment 4 with calcification.", "+hepatic_calcification liver_segment_4"),
        ("A nodule is seen in the left lung on the lateral view.", "+pulmonary_nodule lung left"),
        ("Moderate ascites. Small effusions on both sides.", "+pleural_effusion pleural_space right"),
        ("The spinal canal is severely and both foramina are moderately stenosed.", "+spinal_stenosis spinal_canal"),
        (
            "Necrosis of both femoral heads, worse on the left where there is subchondral collapse.",
            "+subchondral_collapse femoral_head left",
        ),
    ],
)
def test_a_place_said_once_holds_for_what_belongs_to_it(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


def test_displacement_describes_its_fracture(scorer: Scorer) -> None:
    assert details(scorer, "The ulnar styloid is fractured, with mild displacement.") == ["mild", "displaced"]


def test_one_change_holds_for_a_list(scorer: Scorer) -> None:
    text = "Unchanged: right adrenal adenoma and small hepatic hemangioma."
    assert told(scorer, text) == ["+adrenal_adenoma adrenal_gland right stable", "+hepatic_hemangioma liver stable"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Right knee: both cruciate ligaments are intact.",
            ["=acl_tear acl right", "=ligament_tear pcl right"],
        ),
        ("GALLBLADDER: Murphy negative.", ["-murphy_sign gallbladder"]),
        ("The endometrium is not thickened.", ["-endometrial_thickening endometrium"]),
        ("Hernia: hiatal, small.", ["+hiatal_hernia esophageal_hiatus"]),
        ("The left breast does not enhance abnormally.", ["-enhancement breast left"]),
        ("The left pampiniform plexus is dilated, i.e. a varicocele.", ["+varicocele pampiniform_plexus left"]),
        ("The placenta is anterior, without previa.", ["+anterior_placenta placenta", "-placenta_previa placenta"]),
        (
            "No hydronephrosis on the right but mild on the left.",
            ["+hydronephrosis renal_collecting_system left", "-hydronephrosis renal_collecting_system right"],
        ),
        (
            "The colon is normal, the ileocolic anastomosis intact.",
            ["+bowel_anastomosis bowel", "=abnormality colon"],
        ),
    ],
)
def test_what_the_grammar_of_a_short_line_settles(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
