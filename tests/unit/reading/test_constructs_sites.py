"""Sites and sides by construct: shared in lists, carried over "with", of ranges, devices and comparisons."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

Said = Callable[[str], list[str]]
Only = Callable[[str], Finding]


def both(brief: str) -> list[str]:
    return [f"{brief} left", f"{brief} right"]


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its sites and side."""
    return sorted(f"{'+'.join(f.sites)} {f.side or ''}".strip() for f in scorer.read(text).findings)


def sized(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as site, side and details."""
    return sorted(f"{f.sites[0]} {f.side} {', '.join(d.text for d in f.details)}" for f in scorer.read(text).findings)


# ---- sides -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pleural effusion and atelectasis on the right.", ["+atelectasis right", "+pleural_effusion right"]),
        ("Small pleural effusion and basal atelectasis on the left.", ["+basal_atelectasis left", "+pleural_effusion left"]),
        ("Cardiomegaly and pleural effusion on the right.", ["+cardiomegaly", "+pleural_effusion right"]),
        ("No effusion or pneumothorax on the right.", ["-pleural_effusion right", "-pneumothorax right"]),
        ("The fifth and sixth ribs on the left are fractured.", ["+rib_fracture left"] * 2),
        ("Infarcts in the frontal and parietal lobes on the left.", ["+infarct_brain left"] * 2),
        ("Bilateral symmetric hilar lymphadenopathy.", both("+hilar_lymphadenopathy")),
        ("A right-sided biliary drain, with its end in the duodenum.", ["+biliary_drain right"]),
    ],
)
def test_a_side_after_a_list_is_of_all_of_it(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right upper and left lower lobe consolidation.", ["lower_lobe left", "upper_lobe right"]),
        ("Opacities in the left upper and right lower lobes.", ["lower_lobe right", "upper_lobe left"]),
        ("Right frontal and left parietal lobe infarcts.", ["frontal_lobe right", "parietal_lobe left"]),
        ("Right 5th and left 7th rib fractures.", ["rib_5 right", "rib_7 left"]),
        ("The right upper and middle lobes are clear.", ["middle_lobe right", "upper_lobe right"]),
    ],
)
def test_each_of_two_adjectives_has_its_side(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right greater than left pleural effusions.", both("+pleural_effusion")),
        ("Pleural effusions, left greater than right.", both("+pleural_effusion")),
        ("Right greater than left basilar opacities.", both("+basal_opacity")),
        ("The left vertebral artery is occluded and the right is patent.", ["+occlusion left", "=nonpatency right"]),
        ("The right kidney is normal, the left is atrophic.", ["+renal_atrophy left", "=abnormality right"]),
    ],
)
def test_sides_compared_or_opposed(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Subdural hematomas measuring 10 mm on the right and 8 mm on the left.",
            ["subdural_space left 8 mm", "subdural_space right 10 mm"],
        ),
        ("Effusion, small on the right and large on the left.", ["pleural_space left large", "pleural_space right small"]),
        ("Nodules in the right upper lobe (5 mm) and left lower lobe (8 mm).", ["lower_lobe left 8 mm", "upper_lobe right 5 mm"]),
        ("5 mm nodule in the right upper lobe and 8 mm in the lingula.", ["lingula left 8 mm", "upper_lobe right 5 mm"]),
        ("Cysts in the right kidney measuring 3 cm and left kidney measuring 2 cm.", ["kidney left 20 mm", "kidney right 30 mm"]),
    ],
)
def test_each_place_has_its_size(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert sized(scorer, text) == expected


# ---- sites -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Left 3rd-5th rib fractures.", ["rib_3 left", "rib_4 left", "rib_5 left"]),
        ("Fractures of the left fourth through sixth ribs.", ["rib_4 left", "rib_5 left", "rib_6 left"]),
        ("Fractures of ribs 3-5 on the right.", ["rib_3 right", "rib_4 right", "rib_5 right"]),
        ("Fractures of the 2nd-4th metatarsals.", ["metatarsal_2", "metatarsal_3", "metatarsal_4"]),
    ],
)
def test_a_range_is_all_its_members(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acute hemorrhage in the right putamen with midline shift.", ["midline_structures", "putamen right"]),
        ("Right MCA infarct with mass effect on the lateral ventricle.", ["lateral_ventricle right", "mca_territory right"]),
        ("Left rib fractures with mediastinal shift.", ["mediastinum", "rib left"]),
        ("Left breast mass with microcalcifications.", ["breast left", "breast left"]),
        ("Mass in the right upper lobe invading the chest wall.", ["chest_wall", "upper_lobe right"]),
        ("Right breast, upper outer quadrant, 10:00: oval mass.", ["upper_outer_quadrant_of_breast+breast_10_oclock right"]),
        ("L SFA: occluded at the adductor canal.", ["superficial_femoral_artery+adductor_canal left"]),
        ("Left lower zone: shadow.", ["lower_lung_zone left"]),
    ],
)
def test_whose_a_site_is(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prominent left hilum.", "+hilar_enlargement left"),
        ("The right hilum is mildly prominent.", "+hilar_enlargement right"),
        ("Prominent right ovary measuring 5 cm.", "+enlarged_ovary right"),
        ("Prominent lymph nodes in the mediastinum.", "+mediastinal_lymphadenopathy"),
        ("Azygos lobe, a normal variant.", "+azygos_lobe_variant right"),
        ("Accessory spleen, a normal anatomic variant.", "+splenule"),
        ("RUL mass, FDG avid.", "+lung_mass right"),
        ("Thyroid nodule, irregular margin.", "+thyroid_nodule"),
        ("Intimal flap in the aorta consistent with dissection.", "+aortic_dissection"),
        ("Smooth bladder wall.", "=contour_abnormality"),
    ],
)
def test_one_finding_of_one_structure(said: Said, text: str, expected: str) -> None:
    assert said(text) == [expected]


def test_normal_words_before_a_structure_are_all_of_it(said: Said) -> None:
    expected = sorted([*both("=low_lung_volumes"), *both("=lung_opacity")])
    assert said("Clear, well-inflated lungs.") == said("Lungs are well expanded and clear.") == expected


# ---- devices and boilerplate -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Left chest port with its catheter tip in the right atrium.", ["right_atrium left"]),
        ("ETT tip in the right main bronchus and NG tube tip in the stomach.", ["main_bronchus right", "stomach"]),
        ("Right IJ line tip in right atrium and left PICC tip in SVC.", ["right_atrium right", "superior_vena_cava left"]),
        (
            "Left subclavian and right internal jugular catheters with tips in the SVC.",
            ["superior_vena_cava left", "superior_vena_cava right"],
        ),
        (
            "Left chest wall pacemaker with leads ending in the right atrium and right ventricle.",
            ["chest_wall left", "right_atrium", "right_ventricle"],
        ),
        ("ET tube terminates at the carina and should be withdrawn 2 cm.", ["carina"]),
    ],
)
def test_each_device_has_its_tip(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Findings were discussed with Dr. Smith by telephone.",
        "The patient tolerated the procedure well.",
        "Intravenous contrast was administered without complication.",
        "Follow-up is recommended.",
    ],
)
def test_boilerplate_reports_nothing(said: Said, text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A direction said of a finding is the part of its structure that has this name.
        ("HUMERUS: distal fracture.", ["fracture @ distal_humerus -"]),
        ("CBD: distal stone.", ["choledocholithiasis @ distal_common_bile_duct -"]),
        ("The esophagus is thickened distally.", ["esophageal_wall_thickening @ distal_esophagus -"]),
        ("The joint space is narrowed laterally in the left knee.", ["joint_space_narrowing @ lateral_compartment_of_knee left"]),
        ("FEMUR, DISTAL: osteochondroma.", ["osteochondroma @ distal_femur -"]),
        (
            "TIBIA, PROXIMAL: osteolysis; pathological fracture through it.",
            ["lytic_lesion @ proximal_tibia -", "pathologic_fracture @ proximal_tibia -"],
        ),
        # "Both" that opens a pair of different structures says no sides.
        ("Both the liver and the spleen are enlarged.", ["hepatomegaly @ liver -", "splenomegaly @ spleen -"]),
        ("Both the tibia and the fibula are fractured.", ["fracture @ fibula -", "fracture @ tibia -"]),
        (
            "Both the ascending and the transverse colon are thick-walled.",
            ["colonic_wall_thickening @ ascending_colon -", "colonic_wall_thickening @ transverse_colon -"],
        ),
        # Under a label that is a finding, each part is at its own place.
        (
            "HERNIAS: left inguinal, fat-containing; small umbilical.",
            ["inguinal_hernia @ inguinal_canal left", "umbilical_hernia @ umbilicus -"],
        ),
        # A tissue keeps what is said of it, whatever lies below.
        ("SCALP: left parietal hematoma.", ["scalp_hematoma @ parietal_scalp left"]),
        # What a lesion is accompanied by is where that is, though it is mostly elsewhere.
        (
            "Thyroid nodule with microcalcifications.",
            ["microcalcification @ thyroid_gland -", "thyroid_nodule @ thyroid_gland -"],
        ),
        # What a finding spares is not where it is.
        (
            "Colitis from the cecum to the sigmoid with sparing of the rectum.",
            ["colitis @ sigmoid_colon -", "typhlitis @ cecum -"],
        ),
        (
            "Infarct of the left MCA territory sparing the left basal ganglia and the insula.",
            ["mca_infarct @ mca_territory left"],
        ),
        ("LGE in the interventricular septum.", ["late_gadolinium_enhancement @ interventricular_septum -"]),
        ("The vein graft to the obtuse marginal branch is occluded.", ["coronary_occlusion @ coronary_bypass_graft_vessel -"]),
        ("The IVC filter is broken.", ["hardware_fracture @ inferior_vena_cava -", "ivc_filter @ inferior_vena_cava -"]),
        # General words that one region must not claim.
        ("Flow in the left vertebral artery is reversed.", ["flow_reversal @ vertebral_artery left"]),
        ("The left eustachian tube is patulous.", ["temporal_bone_space_widening @ eustachian_tube left"]),
        ("The spleen is fractured.", ["splenic_laceration @ spleen -"]),
        ("Contained perforation of the gallbladder.", ["gallbladder_perforation @ gallbladder -"]),
        ("Intramural gas in the gallbladder.", ["emphysematous_cholecystitis @ gallbladder -"]),
        ("The ribs show no acute abnormality.", ["acute_abnormality @ rib -"]),
        ("No bone marrow involvement.", ["involvement @ bone_marrow -"]),
        ("Gastric band slipped.", ["displacement @ stomach -", "gastric_band @ stomach -"]),
        ("The interventricular septum is flattened.", ["septal_bowing @ interventricular_septum -"]),
        # Who does something to a structure is there too.
        (
            "A multinodular goitre pushes the trachea to the right.",
            ["multinodular_goiter @ thyroid_gland -", "tracheal_deviation @ trachea -"],
        ),
        # A lesion's wall and its enhancement.
        ("Cyst in the spleen with a thickened wall.", ["splenic_cyst @ spleen -"]),
        (
            "The gallbladder is distended with a thick wall.",
            ["gallbladder_distension @ gallbladder -", "gallbladder_wall_thickening @ gallbladder_wall -"],
        ),
        # A disease of the joints is not at the bone of which the sentence before it speaks.
        (
            "Fracture of the left fifth metatarsal. Rheumatoid arthritis is likely.",
            ["fracture @ metatarsal_5 left", "rheumatoid_arthritis @ joint -"],
        ),
        ("Rheumatoid arthritis of the right elbow.", ["rheumatoid_arthritis @ elbow_joint right"]),
        # In an examination of one part of a limb both of its structures are on its side.
        (
            "RIGHT ELBOW, 2 VIEWS\nThe posterior fat pad is elevated.",
            ["posterior_fat_pad_sign @ posterior_elbow_fat_pad right"],
        ),
        # A direction makes the kind of dislocation, also as an adverb.
        ("The left humeral head is dislocated anteriorly.", ["anterior_shoulder_dislocation @ shoulder_joint left"]),
        ("The right shoulder is dislocated.", ["shoulder_dislocation @ shoulder_joint right"]),
        # Oedema of a limb is none of the body wall; an aneurysm with thrombus is one of its artery.
        ("Diffuse subcutaneous edema of the left calf.", ["subcutaneous_edema @ subcutaneous_tissue_of_calf left"]),
        ("Thrombosed aneurysm of the left popliteal artery.", ["aneurysm_with_thrombus @ popliteal_artery left"]),
    ],
)
def test_where_words_of_place_put_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    found = scorer.read(text).findings
    assert sorted(f"{f.concept} @ {'+'.join(f.sites)} {f.side or '-'}" for f in found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stone in the right kidney. The contralateral kidney is normal.", ["+nephrolithiasis right", "=abnormality left"]),
        ("Left renal cyst. Ipsilateral hydronephrosis.", ["+hydronephrosis left", "+renal_cyst left"]),
        ("Right rib fracture. A chest tube is in place on the same side.", ["+chest_tube right", "+rib_fracture right"]),
        ("Left effusion with compression of adjacent lung tissue.", ["+compressive_atelectasis left", "+pleural_effusion left"]),
    ],
)
def test_a_side_that_the_sentence_before_tells(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "tip"),
    [
        ("The feeding tube ends below the diaphragm.", ("abdomen",)),
        ("The feeding tube ends above the diaphragm.", ("thorax",)),
    ],
)
def test_a_tube_ends_on_one_side_of_the_diaphragm(scorer: Scorer, text: str, tip: tuple[str, ...]) -> None:
    (found,) = scorer.read(text).findings
    assert found.tip == tip


# ---- tissues of regions, and what attends another finding --------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Moderate soft tissue swelling of the left ankle.", ["soft_tissue_of_ankle left"]),
        ("RIGHT ELBOW, 2 VIEWS\nForeign body in the soft tissues - no", ["soft_tissue_of_elbow right"]),
        ("The right foot contains a foreign body in its soft tissues.", ["soft_tissue_of_foot right"]),
        ("LEFT KNEE: no fracture. Soft tissues are normal.", ["knee_joint left", "soft_tissue_of_knee left"]),
        ("Subcutaneous edema of the right thigh.", ["subcutaneous_tissue_of_thigh right"]),
    ],
)
def test_a_tissue_is_that_of_the_region_spoken_of(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Left ankle, 3 views:\nFracture: none.", ["ankle_joint left"]),
        ("XR RIGHT FOOT 2 VIEWS\nNo fracture.", ["foot right"]),
        ("CHEST, 2 VIEWS\nNo fracture.", ["bone"]),
    ],
)
def test_the_title_of_the_examination_of_a_limb_says_where(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emphysema, worse in the left lung than in the right.", ["lung left larger than right", "lung right smaller than left"]),
        ("A shadow near the hilum in the left lower lobe.", ["lower_lobe left near hilum"]),
        ("A shadow in the left lower lobe near the hilum.", ["lower_lobe left near hilum"]),
    ],
)
def test_sides_compared_and_what_a_finding_is_only_near(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert sized(scorer, text) == expected


@pytest.mark.parametrize("side", ["bilateral", "both"])
def test_a_side_may_stand_inside_the_name_of_a_structure(scorer: Scorer, side: str) -> None:
    found = scorer.read(f"Small gliotic foci are seen adjacent to {side} lateral ventricles.").findings
    assert {(f.sites, f.side) for f in found} == {(("periventricular_white_matter",), one) for one in ("left", "right")}


def test_a_nodule_that_does_not_enhance_is_no_defect_of_perfusion(scorer: Scorer) -> None:
    found = scorer.read("The nodule in the lingula shows no enhancement.").findings
    assert ("enhancement", "absent") in {(f.concept, f.status) for f in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Metastasis in the left femoral neck. No pathologic fracture.", ["femoral_neck left"] * 2),
        ("Left knee arthroplasty without periprosthetic fracture.", ["knee_joint left"] * 2),
        ("Cavernoma in the right frontal lobe. No surrounding edema.", ["frontal_lobe right"] * 2),
        ("Mass in the left parotid gland. No surrounding bone destruction.", ["bone", "parotid_gland left"]),
        ("No pathologic fracture.", ["bone"]),
    ],
)
def test_what_attends_another_finding_is_where_that_is(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A stone in the left distal ureter causing hydronephrosis.", ["distal_ureter left", "renal_collecting_system left"]),
        ("Mass in the pancreatic head with biliary dilatation.", ["biliary_tree", "pancreatic_head"]),
        ("Burst fracture of L2 causing spinal canal stenosis.", ["vertebra_l2", "vertebra_l2"]),
        ("The mediastinum contains several enlarged nodes.", ["mediastinal_lymph_node"]),
    ],
)
def test_what_a_finding_causes_is_a_finding_in_its_own_organ(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


# ---- parts, nodes and sides ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The skin of the left thigh is thickened and its subcutaneous tissue is edematous.",
         ["subcutaneous_tissue_of_thigh left", "thigh left"]),
        ("LYMPH NODES: no axillary adenopathy.", ["axillary_lymph_node left", "axillary_lymph_node right"]),
        ("NODES: adenopathy - retroperitoneal, right internal iliac.",
         ["internal_iliac_lymph_node right", "retroperitoneal_lymph_node"]),
        ("At C4/5 the disc herniates to the right.", ["disc_c4_c5 right"]),
        ("Both the superior and the inferior pubic ramus are fractured on the right.",
         ["inferior_pubic_ramus right", "superior_pubic_ramus right"]),
        ("RIGHT CONVEXITY SDH: 8 mm.", ["cerebral_convexity right"]),
        ("Drainage is via an enlarged left ovarian vein to the left renal vein.", ["ovarian_vein left", "renal_vein left"]),
        ("Nasal septum bowed to the left with a polyp.", ["nasal_septum", "nasal_septum"]),
    ],
)  # fmt: skip
def test_a_place_is_the_one_that_can_be_meant(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


# ---- words of one organ's finding --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ectopic adrenal gland.", ["+ectopia"]),
        ("The gallbladder is ectopic.", ["+ectopia"]),
        ("Prolapse of the stomach.", ["+prolapse"]),
        ("Congestion of the spleen.", ["+congestion"]),
        ("Straightening of the ureter.", ["+straightening"]),
        ("Prolapse at L4/5.", ["+disc_herniation"]),
        ("Straightening of the lumbar spine.", ["+loss_of_lordosis"]),
        ("Fracture at the root of a tooth.", ["+dental_fracture"]),
    ],
)
def test_a_word_of_one_organs_finding_is_its_general_class_elsewhere(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_distance_from_a_point_is_no_size(only: Only) -> None:
    found = only("Left breast mass of 9 mm at the 4 o'clock position, 6 cm from the nipple.")
    assert {d.category: d.value for d in found.details if d.value.endswith("mm")} == {"length": "9 mm", "distance": "60 mm"}
