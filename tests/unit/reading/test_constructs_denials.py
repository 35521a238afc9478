"""Denials that stand far from their finding, or at the end of its sentence; values said to be abnormal by their limits."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def statuses(scorer: Scorer, text: str) -> set[tuple[str, str]]:
    """Return status and label of each finding."""
    return {(finding.status, finding.label) for finding in scorer.read(text).findings}


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("No abnormal density lesions that are calcified.", "calcification"),
        ("The ligament shows no abnormal findings such as edema or calcification.", "ligamentous ossification"),
        ("No foci in the left caudate nucleus exhibit restricted diffusion.", "restricted diffusion"),
        ("No adnexal mass showing enhancement is seen.", "enhancement"),
        ("The spleen demonstrates no nodule with mildly increased signal on DWI.", "DWI hyperintensity"),
        ("No mural nodule with avid enhancement in the spleen is seen.", "enhancement"),
        ("The left putamen does not exhibit small and scattered T2 hyperintense foci.", "T2 hyperintensity"),
        ("No adrenal mass demonstrates mixed hyper- and hypointensity on T1.", "T1 hypointensity"),
        ("No patchy iso- to hypointense foci are seen in the midbrain.", "hypointensity"),
        ("No linear (ribbon-like) opacities in the right lung.", "linear opacity"),
        ("The nodule is not accompanied by pleural retraction.", "pleural retraction"),
        ("The left lung does not contain tiny, nodular, and patchy opacities.", "lung opacity"),
        ("No foci in the right putamen appear hypointense on T1-weighted images.", "T1 hypointensity"),
        ("No splenic lesions are seen showing high signal on T2-weighted images.", "T2 hyperintensity"),
        ("The enteric tube tip does not project over the T11 vertebral body.", "enteric tube"),
        ("The right kidney does not contain small foci of increased density.", "hyperdensity"),
        ("A tiny T1 hyperintense signal is not seen in the left adrenal gland.", "T1 hyperintensity"),
        ("A drain tip does not lie at the level of the iliac crest.", "abdominal drain"),
        ("No oval, band-like T1 hypointense focus is found in the medulla.", "T1 hypointensity"),
        ("A cyst measuring about 8 mm with smooth margins is not located in the left kidney.", "renal cyst"),
        ("A calcified granuloma is not located in the left lower lobe.", "calcified granuloma"),
        ("Multiple areas of persistent enhancement are not seen in the left breast.", "enhancement"),
        ("A bowel perforation could not be shown.", "bowel perforation"),
        ("A thrombus in the portal vein is not found.", "portal vein thrombosis"),
        ("Displacement of the mandibular fracture cannot be made out with certainty.", "displacement"),
        ("Gallstones were not clearly demonstrated.", "cholelithiasis"),
        ("There is no stenosis of the dialysis access and no access stenosis.", "access stenosis"),
        ("Normal heart without contrast reflux into the hepatic veins.", "contrast reflux into the inferior vena cava"),
    ],
)
def test_a_denial_before_its_noun_is_of_what_the_noun_shows_too(scorer: Scorer, text: str, absent: str) -> None:
    found = statuses(scorer, text)
    assert ("absent", absent) in found
    assert ("present", absent) not in found


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("A rounded nodule within the spleen, measuring 7 mm, is not present.", {"nodule"}),
        ("Right kidney: cysts with thin septations, up to 3 cm in diameter, are absent.", {"renal cyst", "thin septation"}),
        ("In the left lung, small solid nodules measuring about 3-5 mm are not seen.", {"pulmonary nodule"}),
    ],
)
def test_a_denial_at_the_end_is_of_the_subject_and_its_features(scorer: Scorer, text: str, absent: set[str]) -> None:
    assert statuses(scorer, text) == {("absent", label) for label in absent}


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("Small effusion on the left, none on the right.", "pleural effusion"),
        ("The left ovary contains a cyst, right ovary is not visualized.", "ovarian cyst"),
        ("Fracture of the right clavicle, pneumothorax is not seen.", "fracture"),
        ("Consolidation in the right lower lobe is not accompanied by effusion.", "consolidation"),
        ("No mass is seen, the liver demonstrates steatosis.", "hepatic steatosis"),
        ("No gallbladder (cholecystectomy).", "cholecystectomy"),
    ],
)
def test_a_denial_is_not_of_another_clause(scorer: Scorer, text: str, present: str) -> None:
    assert ("present", present) in statuses(scorer, text)


@pytest.mark.parametrize(
    "text", ["No increased pulmonary opacity is seen.", "No reduced translucency is seen in the right lung."]
)
def test_a_denied_direction_before_a_noun_leaves_no_unchanged_finding(scorer: Scorer, text: str) -> None:
    assert {status for status, _ in statuses(scorer, text)} == {"absent"}


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("Splenic size is outside normal limits.", "abnormal size"),
        ("Cardiac contour is beyond the normal range.", "abnormal cardiac contour"),
        ("The third ventricle is deviated from the midline.", "midline shift"),
    ],
)
def test_what_is_outside_its_limits_is_not_normal(scorer: Scorer, text: str, present: str) -> None:
    assert statuses(scorer, text) == {("present", present)}


@pytest.mark.parametrize(
    "text",
    [
        "No typical findings of pulmonary edema.",
        "No characteristic signs of pulmonary edema.",
        "Without suspicious features of pulmonary edema.",
    ],
)
def test_signs_of_a_finding_are_denied_with_it_whatever_they_are_called(scorer: Scorer, text: str) -> None:
    assert {(f.status, f.concept) for f in scorer.read(text).findings} == {("absent", "pulmonary_edema")}


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("There is no fracture and the facet joints are narrowed.", "joint space narrowing"),
        ("No effusion, the lungs are hyperinflated.", "hyperinflation"),
        ("The lesion persists and has not changed.", "lesion"),
    ],
)
def test_a_denial_is_of_its_own_clause(scorer: Scorer, text: str, present: str) -> None:
    assert ("present", present) in statuses(scorer, text)


@pytest.mark.parametrize(
    "text",
    [
        "No acute implant related findings.",
        "No focal pelvic osseous findings.",
        "No left renal.",
        "MRI is more sensitive for detection of small labral tears.",
        "Ultrasound would be more sensitive in evaluating gallstones.",
        "Renal and hepatic vascularity are within limits of normal.",
    ],
)
def test_nothing_is_there_that_is_only_denied_or_looked_for(scorer: Scorer, text: str) -> None:
    assert not any(finding.status == "present" for finding in scorer.read(text).findings)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("Cysts in the liver, dilated bile ducts and free fluid are all absent.", "hepatic cyst"),
        ("Thickening of the synovium, a tear of the labrum and a joint effusion are not seen.", "synovial thickening"),
    ],
)
def test_the_plural_verb_of_a_list_denies_all_of_it(scorer: Scorer, text: str, absent: str) -> None:
    said = statuses(scorer, text)
    assert ("absent", absent) in said
    assert {status for status, _ in said} == {"absent"}
