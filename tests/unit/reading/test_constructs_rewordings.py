"""One content in the words of two radiologists: both are read alike ("+concept site side": sign, concept, site, side)."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

_SIGNS = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return the findings of a report, sorted: what, where and on which side."""
    found = scorer.read(text.replace("//", "\n")).findings
    return sorted(f"{_SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() for f in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- Extra-axial: no collection//- Parenchyma: mild global involution",
            ["+cerebral_atrophy brain", "-extra_axial_collection extra_axial_space"],
        ),
        ("Nodes: right hilar adenopathy.", ["+hilar_lymphadenopathy hilar_lymph_node right"]),
        (
            "L3/4: disc extrusion; both facet joints contain fluid.",
            [
                "+disc_extrusion disc_l3_l4",
                "+facet_effusion facet_joint_l3_l4 left",
                "+facet_effusion facet_joint_l3_l4 right",
            ],
        ),
        (
            "Intracranial: no intraventricular blood, no extraaxial fluid collections.",
            ["-extra_axial_collection extra_axial_space", "-intraventricular_hemorrhage ventricular_system"],
        ),
        ("Flow voids: absent in the right vertebral artery.", ["+loss_of_flow_void vertebral_artery right"]),
        (
            "L5/S1: the disc protrudes. No vertebral body height loss.",
            ["+disc_protrusion disc_l5_s1", "-vertebral_height_loss vertebral_body"],
        ),
    ],
)
def test_a_label_holds_for_what_it_can_bear(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Small right pleural effusion with adjacent basilar atelectasis.",
            ["+basal_atelectasis lung_base right", "+pleural_effusion pleural_space right"],
        ),
        ("Periventricular hypodensities of chronic small vessel disease.", ["+hypodensity periventricular_white_matter"]),
        (
            "Bilateral foraminal narrowing and ligamentum flavum hypertrophy at L4-L5.",
            [
                "+foraminal_stenosis neural_foramen_l4_l5 left",
                "+foraminal_stenosis neural_foramen_l4_l5 right",
                "+ligamentum_flavum_hypertrophy ligamentum_flavum_l4_l5",
            ],
        ),
        (
            "L4-5 moderate spinal canal stenosis due to broad-based bulging disc.",
            ["+disc_bulge disc_l4_l5", "+spinal_stenosis spinal_canal_l4_l5"],
        ),
        (
            "Brain MRI. Chronic infarct of the left thalamus. No abnormal enhancement.",
            ["+infarct_brain thalamus left", "-enhancement brain"],
        ),
        ("Right cerebellar (PICA) acute infarct.", ["+cerebellar_infarct posterior_inferior_cerebellar_artery right"]),
        ("The left lower lobe is consolidated behind the heart.", ["+consolidation lower_lobe+retrocardiac_region left"]),
        (
            "Chronic healed right 5th and 6th rib fractures.",
            ["+healed_rib_fracture rib_5 right", "+healed_rib_fracture rib_6 right"],
        ),
        ("Right jugular line, tip mid-SVC.", ["+internal_jugular_catheter mid_superior_vena_cava right"]),
    ],
)
def test_what_stands_beside_tells_where(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thickened lining of the left maxillary antrum.", ["+sinus_mucosal_thickening maxillary_sinus left"]),
        (
            "Brain MRI. Tonsils normally positioned.",
            ["=tonsillar_ectopia cerebellar_tonsil left", "=tonsillar_ectopia cerebellar_tonsil right"],
        ),
        ("CT head. The major flow voids are preserved.", ["=loss_of_flow_void intracranial_vessels"]),
        ("MRI of the cervical spine. No epidural hematoma.", ["-spinal_epidural_hematoma spinal_epidural_space"]),
        ("Diffusion is not restricted.", ["=restricted_diffusion brain"]),
        ("Vertebrae: normal stature.", ["=vertebral_height_loss vertebral_body"]),
    ],
)
def test_words_for_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


def test_the_mass_is_explained_and_not_its_sign(scorer: Scorer) -> None:
    found = scorer.read("Extra-axial mass of the right convexity with a dural tail, likely meningioma.").findings
    assert {f.concept: f.alternatives for f in found} == {"extra_axial_mass": ("meningioma",), "dural_tail": ()}


def test_what_remains_ends_with_its_clause(scorer: Scorer) -> None:
    found = scorer.read("The remaining ventricular system is not dilated; cisterns are open.").findings
    assert [f.restricted for f in found] == [True, False]


def test_either_is_a_hedge_only_before_or(scorer: Scorer) -> None:
    found = scorer.read("Left duplex kidney without dilatation of either moiety.").findings
    assert {f.certainty for f in found} == {"definite"}
    assert [f.certainty for f in scorer.read("Either atelectasis or pneumonia of the left base.").findings] == ["possible"] * 2


def test_the_sinuses_of_a_chest_are_the_costophrenic_ones(scorer: Scorer) -> None:
    said = placed(scorer, "Chest radiograph. Lungs clear. Sinuses free on both sides.")
    assert {"=costophrenic_blunting costophrenic_angle left", "=costophrenic_blunting costophrenic_angle right"} <= set(said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # what a denied finding would have shown
        (
            "No periosteal reaction in the right tibia to indicate osteomyelitis.",
            ["-osteomyelitis tibia right", "-periosteal_reaction tibia right"],
        ),
        (
            "No gas in the left calf to suggest fasciitis.",
            ["-fasciitis calf left", "-gas calf left"],
        ),
        (
            "Gestation without cardiac activity, consistent with demise.",
            ["+intrauterine_pregnancy endometrial_cavity", "-cardiac_activity fetal_heart"],
        ),
        # a quality and its predicates
        ("Absent arterial flow in the right ovary.", ["+absent_flow ovary right"]),
        ("Decreased bony mineralization.", ["+osteopenia bone"]),
        ("The resistive index of the left renal artery is elevated.", ["+increased_resistance renal_artery left"]),
        ("Haustration is absent.", ["+loss_of_haustration colon"]),
        (
            "Corticomedullary differentiation of the left kidney is altered.",
            ["+corticomedullary_differentiation_loss kidney left"],
        ),
        ("The bowel gas pattern is as expected.", ["=abnormal_bowel_gas_pattern bowel"]),
        # values against what is usual
        ("The spleen is larger than normal.", ["+splenomegaly spleen"]),
        ("The right hemidiaphragm is higher than expected.", ["+elevated_hemidiaphragm hemidiaphragm right"]),
        # what an operation took out, what was put in
        ("Resection of the right temporal glioma.", ["+brain_resection temporal_lobe right"]),
        (
            "Partial resection of the right temporal glioma.",
            ["+brain_resection temporal_lobe right", "+glioma temporal_lobe right"],
        ),
        (
            "The left effusion is smaller since a drain was placed.",
            ["+chest_tube pleural_space left", "+pleural_effusion pleural_space left"],
        ),
        # places and sequences that words settle
        (
            "Plaque at the left carotid bulb causes stenosis of the left common carotid artery.",
            ["+plaque carotid_bulb left", "+stenosis common_carotid_artery left"],
        ),
        (
            "T1 and T2 hypointense lesion in the left ilium.",
            ["+lesion ilium left", "+t1_hypointensity ilium left", "+t2_hypointensity ilium left"],
        ),
        ("Bleeding within the cranial vault.", ["+intracranial_hemorrhage intracranial_space"]),
        ("Hydronephrosis can be excluded.", ["-hydronephrosis renal_collecting_system left",
                                             "-hydronephrosis renal_collecting_system right"]),
    ],
)
def test_the_other_way_to_say_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


def test_a_device_that_moved_and_where_one_ends(scorer: Scorer) -> None:
    (stent,) = scorer.read("The left ureteral stent has migrated.").findings
    assert [detail.value for detail in stent.details] == ["abnormal_position_value"]
    (tube,) = scorer.read("A feeding tube in the stomach.").findings
    assert tube.tip == ("stomach",)
    (bleed,) = scorer.read("The left thalamic hemorrhage, 22 mm, enlarged.").findings
    assert (bleed.change, [detail.text for detail in bleed.details]) == ("increased", ["22 mm"])
