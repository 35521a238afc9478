"""One of several findings, forms in a list, names said twice, denials of a part, and words by the place where they stand."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites, side and details, where they are not the usual ones."""
    return sorted(
        " ".join(x for x in (f.status, f.concept, *f.sites, f.side, *(d.value for d in f.details)) if x and x != "present")
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("Several cysts in the liver. The largest lies in segment 4 and measures 3 cm.", "hepatic_cyst liver_segment_4 30 mm"),
        ("Both kidneys contain cysts. The largest one is in the left upper pole.", "renal_cyst kidney_upper_pole left"),
        ("Nodules in both lungs. The larger is located in the right upper lobe (image 40).", "pulmonary_nodule upper_lobe right"),
        ("Fibroids of the uterus. The biggest of them is at the uterine fundus.", "fibroid uterine_fundus"),
    ],
)
def test_the_largest_of_several_is_one_more_where_it_is_said_to_be(scorer: Scorer, text: str, member: str) -> None:
    assert member in told(scorer, text)


def test_the_largest_of_nothing_is_no_finding(scorer: Scorer) -> None:
    assert told(scorer, "The heart is enlarged. The largest is in the liver.") == ["cardiomegaly heart"]
    assert told(scorer, "Cysts in the liver. The largest measures 3 cm.") == ["hepatic_cyst liver 30 mm"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No deep vein thrombosis (DVT) is seen.", ["absent deep_vein_thrombosis deep_vein"]),
        ("There is no late gadolinium enhancement (LGE).", ["absent late_gadolinium_enhancement myocardium"]),
        ("Right deep vein thrombosis (DVT).", ["deep_vein_thrombosis deep_vein right"]),
    ],
)
def test_an_abbreviation_after_its_own_name_says_nothing_more(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Nodular and linear hyperdense opacities in the left lung.",
            ["linear_opacity lung left hyperdense_value", "pulmonary_nodule lung left hyperdense_value"],
        ),
        ("Nodular and band-like dense shadows in the right lung.", ["linear_opacity lung right", "pulmonary_nodule lung right"]),
        (
            "Patchy, nodular and linear opacities in the lingula.",
            ["linear_opacity lingula left", "lung_opacity lingula left patchy", "pulmonary_nodule lingula left"],
        ),
        (
            "Nodular, patchy, and linear shadows in the left lung.",
            ["linear_opacity lung left", "lung_opacity lung left patchy", "pulmonary_nodule lung left"],
        ),
        ("An irregular and lobulated hypodense mass in the liver.", ["mass liver irregular lobulated hypodense_value"]),
        (
            "There is no patchy or plaque-like T2-bright area in the medulla.",
            ["absent t2_hyperintensity medulla_oblongata patchy plaque_like"],
        ),
    ],
)
def test_forms_in_a_list_are_findings_apart_also_before_a_density(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("there", "denied", "verdict"),
    [
        ("High T2 signal in the spleen.", "No T2 hyperintense lesion in the spleen.", "contradicted"),
        ("Patchy lesions of high T2 signal in the pons.", "No T2 hyperintense lesion in the pons.", "contradicted"),
        ("A FLAIR hyperintense lesion in the pons.", "No FLAIR hyperintense lesions in the pons.", "contradicted"),
        ("A cyst in the pons.", "No FLAIR hyperintense lesions in the pons.", "neutral"),
        # what is otherwise made is not denied
        ("A ground-glass nodule in the left lung.", "No solid nodule in the left lung.", "neutral"),
        ("A solid nodule in the left lung.", "No solid nodule in the left lung.", "contradicted"),
        ("A nodule in the left lung.", "No solid nodule in the left lung.", "contradicted"),
        ("A linear opacity in the left lung.", "No patchy opacity in the left lung.", "neutral"),
        ("A consolidation in the left lung.", "No patchy opacity in the left lung.", "contradicted"),
    ],
)  # fmt: skip
def test_a_denial_is_of_what_shows_what_it_says(scorer: Scorer, there: str, denied: str, verdict: str) -> None:
    assert scorer.entails(there, denied).verdict == verdict


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("Mucosal thickening in both maxillary and ethmoid sinuses.", "ethmoid_sinus"),
        ("Mucosal thickening in both maxillary sinuses and ethmoid sinuses.", "ethmoid_sinus"),
        ("Opacification of both maxillary and frontal sinuses.", "frontal_sinus"),
    ],
)
def test_both_is_said_of_all_sets_on_its_list(scorer: Scorer, text: str, site: str) -> None:
    assert {f.side for f in scorer.read(text).findings if f.sites == (site,)} == {"left", "right"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No absence of the uterus.", ["absent absence uterus"]),
        ("No absence of the sellar floor is seen.", ["absent absence sellar_floor"]),
        ("Absence of the left kidney.", ["absence kidney left"]),
        ("Both lungs are normally lucent on either side.", []),
        ("The nodule is not clearly visible.", ["absent nodule"]),
        ("The fracture line is not clearly visible.", ["absent fracture bone"]),
        ("The pancreas is not clearly visible.", ["nonvisualization pancreas"]),
        ("Gray-white differentiation is not clearly visible.", ["loss_of_gray_white_differentiation brain"]),
    ],
)
def test_cues_that_stand_together(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert [one for one in told(scorer, text) if not one.startswith("normal")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Displacement of the fracture ends in the left clavicle.", ["displaced_fragment clavicle left"]),
        ("No impaction of the fracture ends.", ["absent impacted_fracture bone"]),
        ("A mixed-density nodule in the left adnexal region.", ["nodule adnexa left mixed_density_value"]),
        ("A mixed-density nodule in the left upper lobe.", ["part_solid_nodule upper_lobe left"]),
        ("A cyst in the right parietal subcutaneous region.", ["scalp_cyst parietal_scalp right"]),
        ("Tortuous vascular shadows.", ["tortuosity vessel"]),
        ("The vascular shadows of both lungs are increased.", [f"increased_lung_markings lung {s}" for s in ("left", "right")]),
        ("Fluid in the upper abdominal cavity.", ["ascites upper_abdomen"]),
        ("Edema in the pericholecystic space.", ["pericholecystic_fluid pericholecystic_space"]),
        ("The soft tissue structures of the neck are symmetric.", ["normal asymmetry neck"]),
    ],
)
def test_words_mean_what_they_say_where_they_stand(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
