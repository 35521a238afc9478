"""Constructs of ultrasound, bone, breast, nuclear and spine reports: sizes, telegram lists, degrees and sides of their own."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGNS = {"present": "+", "absent": "-", "normal": "="}


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites and side, and its measurements."""
    return sorted(
        f"{SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip()
        + "".join(f" {d.text}" for d in f.details if d.category == "length")
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is a 12 mm subcarinal lymph node.", ["+mediastinal_lymphadenopathy subcarinal_lymph_node 12 mm"]),
        ("The common bile duct measures 9 mm.", ["+cbd_dilatation common_bile_duct 9 mm"]),
        ("CBD is 4 mm in diameter.", ["=cbd_dilatation common_bile_duct 4 mm"]),
        ("CBD 9 mm, dilated.", ["+cbd_dilatation common_bile_duct 9 mm"]),
        ("Gallbladder: wall 2 mm.", ["=gallbladder_wall_thickening gallbladder_wall 2 mm"]),
        ("SPLEEN: 15 cm.", ["+splenomegaly spleen 150 mm"]),
        ("Appendix 9 mm, non-compressible.", ["+dilated_appendix appendix 9 mm", "+noncompressible_appendix appendix"]),
        ("The common bile duct measures 7 mm.", []),
        ("No lymph node larger than 10 mm.", []),
        ("The lymph nodes are less than 8 mm.", ["+subcentimeter_lymph_node lymph_node"]),
    ],
)
def test_the_size_of_a_structure_says_what_it_is(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


def test_the_size_of_a_structure_is_none_of_the_finding_after_it(scorer: Scorer) -> None:
    assert told(scorer, "Endometrium 7 mm, 25 mm intramural fibroid.") == ["+intramural_fibroid myometrium 25 mm"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "L4/5: disc bulge, moderate central canal and mild right lateral recess stenosis.",
            [
                "+disc_bulge disc_l4_l5",
                "+lateral_recess_stenosis lateral_recess_l4_l5 right",
                "+spinal_stenosis spinal_canal_l4_l5",
            ],
        ),
        (
            "L4/5: disc bulge, ligamentum flavum and facet hypertrophy.",
            [
                "+disc_bulge disc_l4_l5",
                "+facet_hypertrophy facet_joint_l4_l5",
                "+ligamentum_flavum_hypertrophy ligamentum_flavum_l4_l5",
            ],
        ),
        (
            "C5-C6 disc bulge, severe left and mild right foraminal and moderate canal stenosis.",
            [
                "+disc_bulge disc_c5_c6",
                "+foraminal_stenosis neural_foramen_c5_c6 left",
                "+foraminal_stenosis neural_foramen_c5_c6 right",
                "+spinal_stenosis spinal_canal_c5_c6",
            ],
        ),
    ],
)
def test_structures_with_degrees_of_their_own_share_the_noun(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Mild medial and moderate lateral compartment joint space narrowing.",
            ["+joint_space_narrowing lateral_compartment_of_knee", "+joint_space_narrowing medial_compartment_of_knee"],
        ),
        (
            "The liver is normal in size, the parenchymal echo is fine and even.",
            ["=echogenicity_abnormality liver", "=size_abnormality liver"],
        ),
        (
            "The L3-S1 discs are desiccated.",
            ["+disc_desiccation disc_l3_l4", "+disc_desiccation disc_l4_l5", "+disc_desiccation disc_l5_s1"],
        ),
        (
            "Nodules in the thyroid, in both lobes.",
            ["+thyroid_nodule lobe_of_thyroid_gland left", "+thyroid_nodule lobe_of_thyroid_gland right"],
        ),
        (
            "CFV: normal compression and augmentation bilaterally. Thrombophlebitis of the left GSV.",
            [
                "+phlebitis great_saphenous_vein left",
                "=deep_vein_thrombosis common_femoral_vein left",
                "=deep_vein_thrombosis common_femoral_vein right",
                "=loss_of_phasicity common_femoral_vein left",
                "=loss_of_phasicity common_femoral_vein right",
            ],
        ),
        ("CDFI: no abnormal blood flow is seen in the nodule.", []),
        ("Whole-body PET: no mediastinal adenopathy.", ["-mediastinal_lymphadenopathy mediastinal_lymph_node"]),
    ],
)
def test_what_a_list_or_clause_gives_to_its_members(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


def test_worse_at_a_place_is_no_change(scorer: Scorer) -> None:
    findings = scorer.read("Degenerative changes of both knees, worse medially on the right.").findings
    assert [(f.side, f.change, [d.text for d in f.details]) for f in findings] == [
        ("right", None, ["larger than left"]),
        ("left", None, ["smaller than right"]),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Thrombus extending from the common femoral through the popliteal vein.",
            ["+deep_vein_thrombosis common_femoral_vein", "+deep_vein_thrombosis popliteal_vein"],
        ),
        (
            "Hamstring tendon: partial tear at the right ischial tuberosity.",
            ["+partial_tendon_tear hamstring_tendon+ischial_tuberosity right"],
        ),
        ("8 mm mass, right breast 2:00, middle depth.", ["+breast_mass breast_2_oclock+middle_breast right 8 mm"]),
        (
            "Several lymph nodes are seen in the left axilla, the larger about 9 mm.",
            ["+subcentimeter_lymph_node axillary_lymph_node left largest 9 mm"],
        ),
        ("Left axilla: 12 mm node.", ["+axillary_lymphadenopathy axillary_lymph_node left 12 mm"]),
        ("CBD 7.5 mm, no stone.", ["-choledocholithiasis common_bile_duct"]),
        (
            "Displaced supracondylar fracture of the left humerus with posterior displacement of the distal fragment.",
            ["+supracondylar_fracture supracondylar_humerus left"],
        ),
    ],
)
def test_where_a_finding_is_by_two_places(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


def test_a_fracture_with_overlap_and_shortening(scorer: Scorer) -> None:
    (finding,) = scorer.read("Oblique fracture of the right tibial shaft with 8 mm overlap and 50% translation.").findings
    assert {"oblique", "overriding", "8 mm", "translated", "50%"} <= {d.text for d in finding.details}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Liver: N.", ["=abnormality liver"]),
        ("Soft tissues N.", ["=abnormality soft_tissue"]),
        ("EF n/a.", []),
        ("Focal asymmetry in the right breast without sonographic correlate.", ["+focal_asymmetry breast right"]),
        ("Erosion at the radial aspect of the right 2nd metacarpal head.", ["+bone_erosion metacarpal_2_head right"]),
        ("Swelling over the dorsum of the right hand.", ["+swelling dorsum_of_hand right"]),
        (
            "Left foraminal narrowing abutting the exiting L5 root.",
            ["+foraminal_stenosis neural_foramen left", "+nerve_root_contact nerve_root_l5 left"],
        ),
    ],
)
def test_words_of_telegrams_and_landmarks(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Wedging of L1 with 40% height loss, and retropulsion of the posterosuperior corner.",
            ["+retropulsion posterosuperior_corner", "+vertebral_height_loss vertebra_l1", "+vertebral_wedging vertebra_l1"],
        ),
        (
            "Facet arthropathy from L3 to S1.",
            [f"+facet_arthropathy facet_joint_{level}" for level in ("l3_l4", "l4_l5", "l5_s1")],
        ),
        (
            "The right internal carotid artery is occluded; the left shows stenosis with plaque at the bulb.",
            [
                "+occlusion internal_carotid_artery right",
                "+plaque carotid_bulb left",
                "+stenosis internal_carotid_artery left",
            ],
        ),
        (
            "GB distended, no calculi, wall 2.5 mm.",
            [
                "+gallbladder_distension gallbladder",
                "-cholelithiasis gallbladder",
                "=gallbladder_wall_thickening gallbladder_wall 2.5 mm",
            ],
        ),
        ("Pancreas head and body normal.", ["=abnormality pancreatic_body", "=abnormality pancreatic_head"]),
    ],
)
def test_companions_levels_and_parts(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Liver: normal. Spleen normal, no lesion.", ["-lesion spleen", "=abnormality liver", "=abnormality spleen"]),
        (
            "Hepatic veins patent, portal vein 12 mm with hepatopetal flow.",
            ["=hepatofugal_flow portal_vein 12 mm", "=nonpatency hepatic_vein"],
        ),
        ("Thrombus in the lumen of the portal vein.", ["+portal_vein_thrombosis portal_vein"]),
    ],
)
def test_another_organ_on_the_line_of_a_label(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "signal", "places"),
    [
        (
            "Three lesions with low T1 signal and high T2 signal lie in the pons and both thalami.",
            "t1_hypointensity",
            [("pons", None), ("thalamus", "left"), ("thalamus", "right")],
        ),
        (
            "Several lesions with low signal on T1 in the occipital and temporal lobes on both sides and in the corona radiata.",
            "t1_hypointensity",
            [
                ("corona_radiata", None),
                *(("occipital_lobe", side) for side in ("left", "right")),
                *(("temporal_lobe", side) for side in ("left", "right")),
            ],
        ),
    ],
)
def test_a_signal_is_wherever_its_lesion_is(
    scorer: Scorer, text: str, signal: str, places: list[tuple[str, str | None]]
) -> None:
    found = [f for f in scorer.read(text).findings if f.concept == signal]
    assert sorted((f.sites[-1], f.side or "") for f in found) == [(name, side or "") for name, side in places]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mass in the left soleus. It is isointense to muscle on T1.", ["+mass soleus left", "+t1_isointensity soleus left"]),
        ("Lesion in the pons. T2: isointense to gray matter.", ["+lesion pons", "+t2_isointensity pons"]),
        ("An isointense area on T1 in the spleen.", ["+t1_isointensity spleen"]),
    ],
)
def test_a_signal_like_that_of_a_tissue_is_where_the_lesion_is(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
