"""Constructs of places and details: parts and levels, names whose words stand apart, what clauses and lists share."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding


def brief(finding: Finding) -> str:
    sign = {"present": "+", "absent": "-", "normal": "="}[finding.status]
    return f"{sign}{finding.concept}@{','.join(finding.sites)} {finding.side or ''}".strip()


def check(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert sorted(brief(finding) for finding in scorer.read(text).findings) == sorted(expected)


def levels(concept: str, part: str, *names: str) -> list[str]:
    return [f"+{concept}@{part}_{name}" for name in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Partial supraspinatus tear.", ["+partial_cuff_tear@supraspinatus_tendon"]),
        ("Partial tear of the supraspinatus.", ["+partial_cuff_tear@supraspinatus_tendon"]),
        ("Complete PCL tear.", ["+complete_ligament_tear@pcl"]),
        ("Partial Achilles tendon tear.", ["+partial_tendon_tear@achilles_tendon"]),
        ("The fibroid is calcified.", ["+calcified_fibroid@myometrium"]),
        ("Suspicious left obturator lymph node.", ["+suspicious_lymph_node@obturator_lymph_node left"]),
        ("No suspicious mesorectal lymph nodes.", ["-suspicious_lymph_node@mesorectal_lymph_node"]),
        ("Subcentimetre pelvic nodes.", ["+subcentimeter_lymph_node@pelvic_lymph_node"]),
    ],
)
def test_names_whose_words_stand_apart(scorer: Scorer, text: str, expected: list[str]) -> None:
    check(scorer, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No spinal canal or foraminal stenosis.", ["-spinal_stenosis@spinal_canal", "-foraminal_stenosis@neural_foramen"]),
        ("No cord or nerve root compression.", ["-cord_compression@spinal_cord", "-nerve_root_compression@nerve_root"]),
        ("No liver or splenic lesion.", ["-lesion@liver", "-lesion@spleen"]),
        ("Dilated stomach and duodenum.", ["+gastric_distension@stomach", "+small_bowel_dilatation@duodenum"]),
        ("Trace fluid around liver and spleen.", ["+ascites@perihepatic_space", "+ascites@perisplenic_space"]),
        ("Normal size and echotexture of the liver.", ["=size_abnormality@liver", "=echogenicity_abnormality@liver"]),
        (
            "Normal calibre and signal intensity of the spinal cord.",
            ["=cord_caliber_abnormality@spinal_cord", "=cord_signal_abnormality@spinal_cord"],
        ),
        ("No abnormal prevertebral soft tissue.", ["-abnormality@prevertebral_soft_tissue"]),
        ("No abnormal lymph nodes.", ["-abnormality@lymph_node"]),
    ],
)
def test_what_a_list_shares(scorer: Scorer, text: str, expected: list[str]) -> None:
    check(scorer, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Superior endplates of L1 and L2 are irregular.", levels("endplate_irregularity", "superior_endplate", "l1", "l2")),
        ("Disc desiccation from L2-L3 to L5-S1.", levels("disc_desiccation", "disc", "l2_l3", "l3_l4", "l4_l5", "l5_s1")),
        ("Degenerative disc disease from L3 to S1.", levels("disc_degeneration", "disc", "l3_l4", "l4_l5", "l5_s1")),
        (
            "The heads of the second and third metacarpals are eroded.",
            ["+bone_erosion@metacarpal_2_head", "+bone_erosion@metacarpal_3_head"],
        ),
        ("Bilateral pars defects at L5.", ["+spondylolysis@pars_l5 left", "+spondylolysis@pars_l5 right"]),
        ("L4 slips forward on L5.", ["+anterolisthesis@disc_l4_l5"]),
        ("C4 shows retrolisthesis of 2 mm on C5.", ["+retrolisthesis@disc_c4_c5"]),
        ("L4-L5 stenosis.", ["+spinal_stenosis@spinal_canal_l4_l5"]),
        ("Thecal sac narrowing at L4/5.", ["+spinal_stenosis@thecal_sac_l4_l5"]),
        (
            "Disc bulges at L1-2 and L2-3; facet arthropathy at L4-5 at these levels.",
            ["+disc_bulge@disc_l1_l2", "+disc_bulge@disc_l2_l3", "+facet_arthropathy@facet_joint_l4_l5"],
        ),
        ("Facet joints demonstrate mild degenerative changes at L5-S1.", ["+facet_arthropathy@facet_joint_l5_s1"]),
        ("The spinal cord shows T2 hyperintensity at C5-C6.", ["+cord_hyperintensity@spinal_cord_c5_c6"]),
        (
            "Disc bulge at L3-L4 indenting the thecal sac.",
            ["+disc_bulge@disc_l3_l4", "+thecal_sac_compression@thecal_sac_l3_l4"],
        ),
        (
            "L4-5 disc bulge contacts the exiting left L4 nerve root.",
            ["+disc_bulge@disc_l4_l5", "+nerve_root_contact@nerve_root_l4 left"],
        ),
        ("Straightening of the normal cervical lordosis.", ["+loss_of_lordosis@cervical_spine"]),
        ("Mild thoracic scoliosis.", ["+scoliosis@thoracic_spine"]),
        ("The spinal canal is of normal calibre.", ["=spinal_stenosis@spinal_canal"]),
    ],
)
def test_levels_of_the_spine(scorer: Scorer, text: str, expected: list[str]) -> None:
    check(scorer, text, expected)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    "text",
    [
        "Fractures of the {} L1 to L3 transverse processes.",
        "The {} transverse processes of L1, L2 and L3 are fractured.",
        "{} L1-L3 transverse process fractures.",
    ],
)
def test_a_side_holds_for_every_level(scorer: Scorer, text: str, side: str) -> None:
    expected = [f"+transverse_process_fracture@transverse_process_{level} {side}" for level in ("l1", "l2", "l3")]
    check(scorer, text.format(side), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The medial meniscus has a horizontal tear in the posterior horn.",
            ["+horizontal_meniscal_tear@posterior_horn_of_medial_meniscus"],
        ),
        (
            "The medial meniscus is torn, and the meniscus is extruded by 4 mm.",
            ["+meniscal_tear@medial_meniscus", "+meniscal_extrusion@medial_meniscus"],
        ),
        ("Comminuted fracture of the base of the fifth metatarsal, left foot.", ["+fracture@metatarsal_5_base left"]),
        ("Nondisplaced fracture of the distal radius, right wrist.", ["+distal_radius_fracture@distal_radius right"]),
        ("Pancreatic laceration at the neck.", ["+pancreatic_laceration@pancreatic_neck"]),
        ("Multiple intramural fibroids, the largest at the fundus.", ["+intramural_fibroid@uterine_fundus"]),
        ("Severe muscle atrophy of the supraspinatus.", ["+muscle_atrophy@supraspinatus_muscle"]),
        ("T3 rectal cancer.", ["+rectal_carcinoma@rectum"]),
        ("Intersphincteric fistula at 6 o'clock.", ["+intersphincteric_fistula@anal_canal"]),
        ("Left ureteric calculus at the level of L3.", ["+ureteral_stone@ureter left"]),
        ("Perinephric fat stranding around the left kidney.", ["+perinephric_stranding@perirenal_space left"]),
        ("Fat stranding is seen around the pancreas.", ["+peripancreatic_stranding@peripancreatic_region"]),
        ("Pelvis: no free fluid.", ["-pelvic_free_fluid@pelvic_peritoneal_cavity"]),
        (
            "Double-J stent on the right with upper pigtail in the renal pelvis and lower pigtail in the bladder.",
            ["+ureteral_stent@renal_pelvis,urinary_bladder right"],
        ),
    ],
)
def test_a_part_beside_what_holds_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    check(scorer, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The peroneal tendons are intact and show no tenosynovitis.",
            ["=tendon_tear@peroneal_tendon", "-tenosynovitis@peroneal_tendon"],
        ),
        (
            "Bony cortex is continuous, periosteal reaction is not seen.",
            ["=cortical_disruption@cortical_bone", "-periosteal_reaction@cortical_bone"],
        ),
        ("The liver is enlarged, focal lesions are not seen.", ["+hepatomegaly@liver", "-lesion@liver"]),
        ("No lesion in the pancreas, which is normal.", ["-lesion@pancreas", "=abnormality@pancreas"]),
        (
            "The partially distended bladder is unremarkable.",
            ["+underdistension@urinary_bladder", "=abnormality@urinary_bladder"],
        ),
        (
            "The left testis shows no vascularity, consistent with torsion.",
            ["+absent_flow@testis left", "+testicular_torsion@testis left"],
        ),
        (
            "Left hydronephrosis due to a distal ureteral stone.",
            ["+hydronephrosis@renal_collecting_system left", "+ureteral_stone@distal_ureter left"],
        ),
        ("Left effusion with atelectasis.", ["+pleural_effusion@pleural_space left", "+atelectasis@lung"]),
        ("Severe osteopenia limits detection of subtle fractures.", ["+osteopenia@bone"]),
        ("The talar neck is fractured and displaced.", ["+fracture@talar_neck"]),
        ("Slight scoliosis, convex to the right.", ["+dextroscoliosis@spine"]),
    ],
)
def test_clauses(scorer: Scorer, text: str, expected: list[str]) -> None:
    check(scorer, text, expected)


def test_the_place_of_the_largest_is_not_that_of_all(scorer: Scorer) -> None:
    found = {
        f.side: [d.text for d in f.details]
        for f in scorer.read("Bilateral renal stones, the largest 5 mm in the left kidney.").findings
    }
    assert found == {"left": ["largest 5 mm"], "right": []}
