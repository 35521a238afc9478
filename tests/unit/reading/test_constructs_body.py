"""Chest, abdomen and pelvis in other words: what reads alike, and what must not be read ("+concept site side")."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

_SIGNS = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return the findings of a report, sorted: what, where and on which side."""
    found = scorer.read(text).findings
    return sorted(f"{_SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() for f in found)


@pytest.mark.parametrize("organ", ["pancreas", "uterus", "prostate"])
@pytest.mark.parametrize(
    ("text", "concept"),
    [("The outline of the {} is blurred.", "indistinct_margin"), ("The {} is indistinct.", "indistinct_structure")],
)
def test_a_blurred_organ_is_not_effaced(scorer: Scorer, text: str, concept: str, organ: str) -> None:
    assert placed(scorer, text.format(organ)) == [f"+{concept} {organ}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cerebral sulci are indistinct.", "+sulcal_effacement cerebral_sulci"),
        ("The perirenal fat is blurred.", "+fat_plane_loss perirenal_space"),
        ("The interface with the psoas muscle is indistinct.", "+indistinct_margin psoas_muscle"),
        ("The boundary between the gray and white matter is unclear.", "+loss_of_gray_white_differentiation brain"),
        ("The pericolic fat is turbid.", "+pericolic_stranding pericolic_fat"),
    ],
)
def test_what_blurring_means_depends_on_what_is_blurred(scorer: Scorer, text: str, expected: str) -> None:
    assert placed(scorer, text) == [expected]


@pytest.mark.parametrize("word", ["about", "approximately", "roughly"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The spleen is {} 15 cm.", "+splenomegaly spleen"),
        ("The common bile duct is {} 11 mm wide.", "+cbd_dilatation common_bile_duct"),
        ("The portal vein is {} 15 mm wide.", "+portal_vein_dilatation portal_vein"),
    ],
)
def test_a_size_may_be_approximate(scorer: Scorer, text: str, word: str, expected: str) -> None:
    assert placed(scorer, text.format(word)) == [expected]


def test_about_before_a_structure_still_places(scorer: Scorer) -> None:
    assert placed(scorer, "Stranding about the pancreas.") == ["+peripancreatic_stranding peripancreatic_region"]


@pytest.mark.parametrize("bound", ["up to", "as much as"])
def test_a_bound_of_size_is_one_in_any_words(scorer: Scorer, bound: str) -> None:
    expected = ["+mediastinal_lymphadenopathy mediastinal_lymph_node"]
    assert placed(scorer, f"Mediastinal nodes measuring {bound} 13 mm.") == expected


@pytest.mark.parametrize("markings", ["coarse markings", "coarsened and disordered texture"])
def test_a_direction_shares_the_quality_of_its_list(scorer: Scorer, markings: str) -> None:
    concepts = {one.split()[0] for one in placed(scorer, f"Both lungs show increased and {markings}.")}
    assert concepts == {"+increased_lung_markings"}


def test_the_end_of_a_place_is_no_finding(scorer: Scorer) -> None:
    text = "In segment IV near the gallbladder fossa, a hypoattenuating focus is observed."
    assert placed(scorer, text) == ["+hypodensity liver_segment_4"]


@pytest.mark.parametrize("head", ["opacities", "densities", "high-density shadows"])
def test_three_forms_are_three_findings_before_any_head(scorer: Scorer, head: str) -> None:
    found = placed(scorer, f"Linear, patchy and nodular {head} in the left lung.")
    assert found == ["+linear_opacity lung left", "+lung_opacity lung left", "+pulmonary_nodule lung left"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bowel distention is adequate.", ["=underdistension bowel"]),
        ("There is bowel distention.", ["+bowel_dilatation bowel"]),
        ("Overlying gas prevents assessment of the pancreas.", []),
        ("The calcium score of the left main coronary artery is 0.", ["-coronary_calcification left_main_coronary_artery"]),
        ("The tumor breaks through the capsule of the spleen.", ["+invasion splenic_capsule", "+mass splenic_capsule"]),
        ("Subcutaneous emphysema of the left hemithorax.", ["+subcutaneous_emphysema chest_wall left"]),
        ("The liver shows widened fissures.", ["+widened_liver_fissure liver_fissure"]),
        ("A sequestration is seen in the left lower lobe.", ["+pulmonary_sequestration lower_lobe left"]),
        ("The left ureter demonstrates a fluid collection.", ["+hydroureter ureter left"]),
        ("Thickened anterior renal fasciae on the left.", ["+renal_fascia_thickening renal_fascia left"]),
        ("Fetal growth is below the 5th percentile.", ["+fetal_growth_restriction fetus"]),
    ],
)
def test_a_word_means_what_its_place_allows(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize("opening", ["These findings are", "The appearances are", "Findings", "This is"])
def test_an_interpretation_is_of_what_was_found(scorer: Scorer, opening: str) -> None:
    text = f"A nodule is seen in the right kidney. The left kidney is normal. {opening} suspicious for malignancy."
    assert "+malignancy kidney right" in placed(scorer, text)
