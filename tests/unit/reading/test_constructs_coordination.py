"""Coordination and attachment: which finding is at which site and on which side, where a sentence names several of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer

Said = Callable[[str], list[str]]


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return each present finding as its sites, side and details."""
    return sorted(
        " ".join(filter(None, ["+".join(f.sites), f.side, ", ".join(d.text for d in f.details)]))
        for f in scorer.read(text).findings
        if f.status == "present"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nodules in the liver and spleen are unchanged.", ["liver", "spleen"]),
        ("Cysts in the pancreatic head and tail appear stable.", ["pancreatic_head", "pancreatic_tail"]),
        ("A cyst in the liver, and the spleen is enlarged.", ["liver", "spleen"]),
    ],
)
def test_a_plural_verb_is_of_the_list_before_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Masses in the head and tail of the pancreas measure 22 mm and 15 mm respectively.",
            ["pancreatic_head 22 mm", "pancreatic_tail 15 mm"],
        ),
        ("A cyst and a stone in the left and right kidneys respectively.", ["kidney left", "kidney right"]),
        (
            "Stones in the right and left kidneys measuring 4 mm and 6 mm, respectively.",
            ["kidney left 6 mm", "kidney right 4 mm"],
        ),
        ("Bilateral adnexal cysts, the right measuring 4 cm and the left 3 cm.", ["adnexa left 30 mm", "adnexa right 40 mm"]),
    ],
)
def test_each_has_its_own_size(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A cyst arises from the upper pole of the left kidney and a calculus lies in its lower pole.",
            ["kidney_lower_pole left", "kidney_upper_pole left"],
        ),
        (
            "In the left breast at 2 o'clock there is a mass and at 7 o'clock a cyst.",
            ["breast_2_oclock left", "breast_7_oclock left"],
        ),
    ],
)
def test_a_part_is_on_the_side_of_its_whole(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Thrombus in the left femoral and popliteal veins, sparing the external iliac vein.",
            ["+deep_vein_thrombosis left"] * 2,
        ),
        (
            "Densities at both bases, likely atelectasis, and a granuloma in the left upper lobe.",
            ["+basal_opacity left", "+basal_opacity right", "+pulmonary_granuloma left"],
        ),
        (
            "Pleural thickening bilaterally - no consolidation.",
            ["+pleural_thickening left", "+pleural_thickening right", "-consolidation left", "-consolidation right"],
        ),
        ("Osteophytes at C4-5, C5-6 and C6-7, largest at C5-6.", ["+vertebral_osteophyte"] * 3),
    ],
)
def test_no_site_is_added_or_lost(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Moderate spinal stenosis at L3-L4 and severe at L4-L5.",
            ["spinal_canal_l3_l4 moderate", "spinal_canal_l4_l5 severe"],
        ),
        (
            "70% stenosis of the left internal carotid artery and 50% of the right.",
            ["internal_carotid_artery left 70%", "internal_carotid_artery right 50%"],
        ),
        ("Bone marrow oedema at L4-5 and, to a lesser extent, at L5-S1.", ["disc_l4_l5", "disc_l5_s1"]),
        (
            "Nodules: right thyroid lobe 9 mm, isthmus 4 mm, left lobe 12 mm.",
            ["lobe_of_thyroid_gland left 12 mm", "lobe_of_thyroid_gland right 9 mm", "thyroid_isthmus 4 mm"],
        ),
        (
            "Mass in the pancreatic tail with extension to the splenic hilum and stomach.",
            ["pancreatic_tail extending to splenic hilum, extending to stomach"],
        ),
        ("Stranding tracks along the left paracolic gutter into the pelvis.", ["paracolic_gutter left extending to pelvis"]),
        (
            "Complex tear, lateral meniscus, anterior horn and body.",
            ["anterior_horn_of_lateral_meniscus", "body_of_lateral_meniscus"],
        ),
    ],
)
def test_each_place_has_its_grade(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fractures of the nose and left orbital floor.", ["+nasal_bone_fracture", "+orbital_floor_fracture left"]),
        ("Dilatation of the common bile duct and pancreatic duct.", ["+cbd_dilatation", "+pancreatic_duct_dilatation"]),
        ("Left lung: volume loss; right lung hyperinflated.", ["+hyperinflation right", "+lung_volume_loss left"]),
        ("Pneumonia: right lower lobe.", ["+pneumonia right"]),
    ],
)
def test_a_finding_is_of_each_structure(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Acromioclavicular and glenohumeral osteoarthritis, the former moderate and the latter mild.",
            ["acromioclavicular_joint moderate", "shoulder_joint mild"],
        ),
        ("Infarcts in the left thalamus and the pons, the latter acute.", ["pons acute", "thalamus left"]),
        (
            "Right ACA and left PCA territory infarcts; haemorrhagic transformation of the latter.",
            ["aca_territory right", "pca_territory left", "pca_territory left"],
        ),
        ("No effusion on the right; a small one on the left.", ["pleural_space left small"]),
        ("Large effusion on the right and a small one on the left.", ["pleural_space left small", "pleural_space right large"]),
        ("There is a cyst in the right kidney and another in the spleen.", ["kidney right", "spleen"]),
    ],
)
def test_pronouns_stand_for_what_was_listed(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right adnexal mass inseparable from the uterus and sigmoid colon.", ["adnexa right"]),
        ("Degenerative disc disease C5-C6 > C6-C7.", ["disc_c5_c6", "disc_c6_c7"]),
        (
            "Fluid in the left frontal, anterior ethmoid and maxillary sinuses.",
            ["anterior_ethmoid left", "frontal_sinus left", "maxillary_sinus left"],
        ),
        (
            "Moderate effusion in the knee, and a Baker cyst measuring 4 x 2 cm.",
            ["knee_joint moderate", "popliteal_fossa 40 x 20 mm"],
        ),
        ("Left ureter dilated to the pelvic brim.", ["ureter left extending to pelvic brim"]),
        ("Tears of the anterior talofibular and calcaneofibular ligaments, the labrum being intact.", ["atfl", "cfl"]),
        ("Fractures of the medial wall and the floor of the left orbit.", ["medial_orbital_wall left", "orbital_floor left"]),
        ("Cysts in the right hepatic lobe, the largest in segment 8 at 11 mm.", ["lobe_of_liver right largest 11 mm"]),
        ("Mild left hip osteoarthritis with left-sided joint effusion.", ["hip_joint left", "hip_joint left mild"]),
    ],
)
def test_a_list_is_neither_cut_nor_lengthened(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right kidney 10.2 cm, no hydronephrosis, 5 mm calculus.", ["+nephrolithiasis right", "-hydronephrosis right"]),
        (
            "Disc protrusions at C4-C5 (central), C5-C6 (left) and C6-C7 (right).",
            ["+disc_protrusion", "+disc_protrusion left", "+disc_protrusion right"],
        ),
        ("Severe right, moderate left foraminal narrowing.", ["+foraminal_stenosis left", "+foraminal_stenosis right"]),
        ("Nodule in the liver (5 mm), and the spleen is enlarged.", ["+nodule", "+splenomegaly"]),
    ],
)
def test_items_of_a_list_stand_for_themselves(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Small effusion on the right, none on the left.", ["+pleural_effusion right", "-pleural_effusion left"]),
        (
            "The right ureter and both renal pelves are mildly dilated.",
            ["+hydroureter right", "+pelviectasis left", "+pelviectasis right"],
        ),
        (
            "Stones: 3 mm right upper pole, 5 mm right lower pole, 4 mm left interpolar.",
            ["+nephrolithiasis left", "+nephrolithiasis right", "+nephrolithiasis right"],
        ),
        (
            "Calcific tendinosis of the right shoulder involving supraspinatus and infraspinatus.",
            ["+calcific_tendinitis right"] * 2,
        ),
        ("Tear of the anterior labrum from 1 to 4 o'clock, right shoulder.", ["+labral_tear right"]),
        (
            "Left nephrectomy; compensatory hypertrophy of the right kidney, which has a cyst at its upper pole.",
            ["+compensatory_hypertrophy_kidney right", "+nephrectomy left", "+renal_cyst right"],
        ),
        (
            "Clips in the right axilla and left breast, a scar in the latter.",
            ["+axillary_clip right", "+breast_scar left", "+breast_surgical_clips left"],
        ),
        (
            "Uterus, left ovary and kidneys are of normal size.",
            ["=size_abnormality", "=size_abnormality left", "=size_abnormality left", "=size_abnormality right"],
        ),
    ],
)
def test_sides_and_parts_of_lists(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rib fractures on the right and on the left.", ["+rib_fracture left", "+rib_fracture right"]),
        ("No effusion on the right or on the left.", ["-pleural_effusion left", "-pleural_effusion right"]),
        (
            "The intrahepatic ducts are dilated on the left but not on the right.",
            ["+intrahepatic_biliary_dilatation left", "-intrahepatic_biliary_dilatation right"],
        ),
        ("Nodules in the liver, none in the spleen.", ["+nodule", "-nodule"]),
        (
            "Mass in the right breast at 9 o'clock, and a mass in the left at 3 o'clock.",
            ["+breast_mass left", "+breast_mass right"],
        ),
        (
            "Facet arthropathy on the right at L4-5 and on the left at L5-S1.",
            ["+facet_arthropathy left", "+facet_arthropathy right"],
        ),
        (
            "A haematoma in the right rectus sheath and a larger one in the left.",
            ["+rectus_sheath_hematoma left", "+rectus_sheath_hematoma right"],
        ),
    ],
)
def test_one_side_and_the_other(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fracture of the right transverse processes of L1, L2.", ["transverse_process_l1 right", "transverse_process_l2 right"]),
        ("Narrowing of the left neural foramina at L2-3 and L3-4.", ["neural_foramen_l2_l3 left", "neural_foramen_l3_l4 left"]),
        ("Cysts in the right upper pole and the left kidney.", ["kidney left", "kidney_upper_pole right"]),
        ("Mild cerebellar and cerebral atrophy.", ["brain mild", "cerebellum mild"]),
        ("A trace of pericardial and right pleural fluid.", ["pericardium trace", "pleural_space right trace"]),
        ("Mild left pleural thickening versus effusion.", ["pleura left mild", "pleural_space left mild"]),
        ("Endotracheal and nasogastric tubes are in place.", ["stomach", "trachea"]),
    ],
)
def test_what_members_of_a_list_share(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Small unchanged renal cyst on the left.", ["kidney left small"]),
        ("Large new haematoma in the left thalamus.", ["thalamus left large"]),
        ("Grossly stable cyst in the spleen.", ["spleen"]),
        ("Tortuous and ectatic splenic artery.", ["splenic_artery", "splenic_artery"]),
        ("There is tortuosity and dilatation of the aorta.", ["aorta", "aorta"]),
        ("Left apical scarring or atelectasis.", ["lung_apex left", "lung_apex left"]),
    ],
)
def test_what_stands_before_a_change_or_is_joined_is_of_the_same_thing(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is consolidation in the left lower lobe. This could be pneumonia.", ["lower_lobe left possible pneumonia"]),
        ("Hazy opacity of the right middle lobe. This suggests atelectasis.", ["middle_lobe right likely atelectasis"]),
        ("The spleen is enlarged. This may represent pneumonia.", ["lung", "spleen"]),
    ],
)
def test_what_this_is_taken_for_is_where_it_was(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == sorted(expected)
