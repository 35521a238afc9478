"""Reading by construct: parts and thirds of structures, lists with one side, exceptions, and what describes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer

Said = Callable[[str], list[str]]


def _sites(scorer: Scorer, text: str) -> list[str]:
    """Return concept, sites and side of each finding."""
    findings = scorer.read(text).findings
    return sorted(f"{f.concept} @ {'+'.join(f.sites)} {f.side or '-'}" for f in findings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RUL posterior segment solid nodule.", ["pulmonary_nodule @ posterior_segment_upper_lobe right"]),
        (
            "Within the right upper lobe, posterior segment, there is a nodule.",
            ["pulmonary_nodule @ posterior_segment_upper_lobe right"],
        ),
        (
            "Fractures of the lateral wall and floor of the left orbit.",
            ["lateral_orbital_wall_fracture @ lateral_orbital_wall left", "orbital_floor_fracture @ orbital_floor left"],
        ),
        (
            "Left orbital floor and lateral wall fractured.",
            ["lateral_orbital_wall_fracture @ lateral_orbital_wall left", "orbital_floor_fracture @ orbital_floor left"],
        ),
        ("Stenosis of the middle third of the left subclavian artery.", ["stenosis @ mid_subclavian_artery left"]),
        ("Mandible: comminuted left body fracture.", ["mandibular_fracture @ mandibular_body left"]),
        ("In the left kidney there is a cyst in the upper pole.", ["renal_cyst @ kidney_upper_pole left"]),
        (
            "In the left lung, in the upper and lower lobes, there are nodules.",
            ["pulmonary_nodule @ lower_lobe left", "pulmonary_nodule @ upper_lobe left"],
        ),
        (
            "The left internal jugular and brachiocephalic veins are thrombosed.",
            ["jugular_vein_thrombosis @ internal_jugular_vein left", "venous_thrombosis @ brachiocephalic_vein left"],
        ),
        (
            "Lymph nodes in the mediastinum and the left hilum are enlarged.",
            ["hilar_lymphadenopathy @ hilar_lymph_node left", "mediastinal_lymphadenopathy @ mediastinal_lymph_node -"],
        ),
        (
            "Nodules in the liver and spleen, which are old.",
            ["nodule @ liver -", "nodule @ spleen -"],
        ),
        (
            "Infrarenal AAA with mural thrombus. No rupture.",
            [
                "abdominal_aortic_aneurysm @ infrarenal_aorta -",
                "aortic_rupture @ infrarenal_aorta -",
                "mural_thrombus @ infrarenal_aorta -",
            ],
        ),
        (
            "Left chest wall pacemaker, leads in right atrium and right ventricle.",
            ["pacemaker @ chest_wall left", "pacemaker_lead @ right_atrium -", "pacemaker_lead @ right_ventricle -"],
        ),
    ],
)
def test_where(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert _sites(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    ["Except for linear atelectasis, the lungs are clear.", "The lungs are clear apart from linear atelectasis."],
)
def test_an_exception_restricts_wherever_it_stands(scorer: Scorer, text: str) -> None:
    normal = [f for f in scorer.read(text).findings if f.status == "normal"]
    assert normal
    assert all("otherwise" in [d.text for d in f.details] for f in normal)


def test_what_is_otherwise_normal_is_outside_its_heading(scorer: Scorer) -> None:
    found = scorer.read("Left maxillary sinus: air-fluid level. Other sinuses clear.").findings
    assert [(f.concept, f.side) for f in found] == [("sinus_air_fluid_level", "left"), ("sinus_opacification", None)]


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("RUL nodule 6 mm (was 4 mm).", ["6 mm", "previously 4 mm"]),
        ("A thyroid nodule which is solid and hypoechoic.", ["hypoechoic", "solid"]),
    ],
)
def test_what_is_said_after_the_finding_is_a_detail_of_it(scorer: Scorer, text: str, details: list[str]) -> None:
    (found,) = scorer.read(text).findings
    assert sorted(d.text for d in found.details) == details


def test_a_measurement_before_of_belongs_to_what_comes(scorer: Scorer) -> None:
    hematoma, shift = scorer.read("Left subdural hematoma with 9 mm of midline shift.").findings
    assert not hematoma.details
    assert [d.text for d in shift.details] == ["9 mm"]


def test_where_the_largest_is_does_not_move_the_others(scorer: Scorer) -> None:
    text = "Enlarged mediastinal and bilateral hilar lymph nodes, the largest a subcarinal node measuring 18 mm."
    assert _sites(scorer, text) == [
        "hilar_lymphadenopathy @ hilar_lymph_node left",
        "hilar_lymphadenopathy @ hilar_lymph_node right",
        "mediastinal_lymphadenopathy @ mediastinal_lymph_node -",
    ]


def test_a_denial_on_both_sides_leaves_no_side_behind(said: Said) -> None:
    text = "No deep vein thrombosis in either leg. The popliteal veins are compressible."
    assert len([brief for brief in said(text) if brief.startswith("=")]) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The left costophrenic sulcus is blunted, the right sharp.",
            ["=costophrenic_blunting right", "+costophrenic_blunting left"],
        ),
        ("The right kidney is normal, the left atrophic.", ["=abnormality right", "+renal_atrophy left"]),
        (
            "Consolidation in the lingula has resolved, whereas that in the right middle lobe persists.",
            ["-consolidation left", "+consolidation right"],
        ),
        ("Mild pleural thickening or plaques.", ["+pleural_plaque", "+pleural_thickening"]),
        (
            "Thickening and enhancement of the left optic nerve: optic neuritis.",
            ["+enhancement left", "+optic_nerve_enlargement left", "+optic_neuritis"],
        ),
        ("ETT: . NGT: tip in stomach.", ["+nasogastric_tube"]),
        ("It is unlikely that the nodule represents a metastasis.", ["+nodule", "-metastasis"]),
        ("Compared to the prior film the left chest tube has been removed.", ["-chest_tube left"]),
        ("CHEST, PORTABLE AP\nLungs clear.", ["=lung_opacity left", "=lung_opacity right"]),
    ],
)
def test_what_is_stated(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Mass in the left cerebellopontine angle, extending into the internal auditory canal.",
            ["extra_axial_mass @ cerebellopontine_angle left"],
        ),
        (
            "T1 hypointense, T2 hyperintense lesion in the pons.",
            ["lesion @ pons -", "t1_hypointensity @ pons -", "t2_hyperintensity @ pons -"],
        ),
        (
            "Patent common iliac arteries; mild narrowing of the right one.",
            [
                "nonpatency @ common_iliac_artery left",
                "nonpatency @ common_iliac_artery right",
                "stenosis @ common_iliac_artery right",
            ],
        ),
        (
            "Encephalomalacia in the left parietal lobe, consistent with infarct, and dilatation of the left lateral ventricle.",
            [
                "encephalomalacia @ parietal_lobe left",
                "infarct_brain @ parietal_lobe left",
                "ventriculomegaly @ lateral_ventricle left",
            ],
        ),
        (
            "Acute thrombus in the left common femoral, superficial femoral and popliteal veins.",
            [
                "deep_vein_thrombosis @ common_femoral_vein left",
                "deep_vein_thrombosis @ femoral_vein left",
                "deep_vein_thrombosis @ popliteal_vein left",
            ],
        ),
        (
            "The sella is partially empty, and the left maxillary sinus contains a cyst.",
            ["empty_sella @ sella_turcica -", "retention_cyst @ maxillary_sinus left"],
        ),
    ],
)
def test_where_in_a_list_of_clauses(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert _sites(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No rib fracture is seen, nor is there a pneumothorax.", ["-pneumothorax left", "-pneumothorax right", "-rib_fracture"]),
        ("Apart from scarring at the apices the heart appears normal.", ["+apical_scarring", "=abnormality"]),
        ("Mild cerebellar and moderate cerebral atrophy.", ["+cerebellar_atrophy", "+cerebral_atrophy"]),
        ("No acute or chronic infarct in the pons.", ["-infarct_brain"]),
        ("The hila are elevated: old tuberculosis.", ["+hilar_displacement", "+old_tuberculosis"]),
    ],
)
def test_cues_and_lists(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


def test_an_unchanged_list_is_all_unchanged(scorer: Scorer) -> None:
    found = scorer.read("Unchanged tracheostomy, left-sided PICC and feeding tube.").findings
    assert [f.change for f in found] == ["stable"] * 3
