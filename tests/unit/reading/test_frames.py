"""Frames: what is said after a noun and its place is said of the noun, whatever words of the lexicon the place begins."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites, side and change, where they are not the usual ones."""
    return sorted(
        " ".join(one for one in (f.status, f.concept, *f.sites, f.side, f.change) if one and one != "present")
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A stone within the gallbladder is not seen.", ["absent cholelithiasis gallbladder"]),
        ("A nodule in the thyroid gland is not seen.", ["absent thyroid_nodule thyroid_gland"]),
        ("A hematoma in the right kidney is absent.", ["absent renal_hematoma kidney right"]),
        ("On the right the kidney is absent.", ["absence kidney right"]),
    ],
)
def test_a_wording_with_a_verb_does_not_begin_after_a_preposition(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pancreas is not seen.", ["nonvisualization pancreas"]),
        ("The thymus is no longer seen.", ["nonvisualization thymus"]),
        ("No pancreas is seen.", ["nonvisualization pancreas"]),
        ("Nonvisualization of the pancreas.", ["nonvisualization pancreas"]),
        ("The left ovary is not visualized.", ["nonvisualized_ovary ovary left"]),
        ("The uterus is absent.", ["absence uterus"]),
        ("Absent gallbladder.", ["absence gallbladder"]),
        ("The uterus is surgically absent.", ["hysterectomy uterus"]),
        ("There is absence of the right upper lobe following surgery.", ["upper_lobectomy upper_lobe right"]),
        ("The spleen has been removed.", ["splenectomy spleen"]),
        ("The spleen is absent, consistent with prior splenectomy.", ["splenectomy spleen"]),
    ],
)
def test_a_structure_that_is_not_there_was_operated_on_only_where_that_is_said(
    scorer: Scorer, text: str, expected: list[str]
) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text", ["The left ureter is stone free.", "The left ureter is stone-free.", "The left ureter is free of stones."]
)
def test_what_is_free_of_a_finding_does_not_have_it(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == ["absent ureteral_stone ureter left"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sclerotic and lytic lesions of the sacrum.", ["lytic_lesion sacrum", "sclerotic_lesion sacrum"]),
        (
            "Patchy, linear and nodular areas in the left lung.",
            ["area lung left", "area lung left", "pulmonary_nodule lung left"],
        ),
        ("Small and large cysts in the liver.", ["hepatic_cyst liver", "hepatic_cyst liver"]),
        ("Small and irregular cysts in the liver.", ["hepatic_cyst liver"]),
        ("A solid and cystic mass in the liver.", ["mass liver"]),
    ],
)
def test_coordinated_adjectives_that_exclude_each_other_are_findings_apart(
    scorer: Scorer, text: str, expected: list[str]
) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cyst of the left kidney is enlarged.", ["renal_cyst kidney left increased"]),
        ("The mass in the gallbladder is displaced.", ["mass gallbladder"]),
        ("The left kidney is enlarged.", ["nephromegaly kidney left"]),
        ("The uterus is retroverted and bulky.", ["enlarged_uterus uterus", "retroverted_uterus uterus"]),
    ],
)
def test_how_large_a_finding_is_says_nothing_of_its_organ(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The L4-5 disc protrusion has resorbed.", ["absent disc_protrusion disc_l4_l5 resolved"]),
        ("The left pneumothorax has re-expanded.", ["absent pneumothorax pleural_space left resolved"]),
        ("The gastric ulcer has healed.", ["absent gastric_ulcer stomach resolved"]),
        ("The enterocutaneous fistula has not closed.", ["enterocutaneous_fistula bowel"]),
        ("The alveolar ridge has resorbed.", ["bone_resorption alveolar_process"]),
        ("The intussusception has been reduced.", ["absent intussusception bowel resolved"]),
        ("The fracture of the left radius has been reduced.", ["fracture radius left"]),
        ("The abscess in the liver has been drained.", ["absent hepatic_abscess liver resolved"]),
    ],
)
def test_verbs_of_outcome_tell_whether_a_finding_is_still_there(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text", ["Healed fracture of the humerus.", "Fracture of the humerus, healed.", "The fracture of the humerus is healed."]
)
def test_a_definition_holds_in_any_order_of_its_words(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == ["healed_fracture humerus"]


@pytest.mark.parametrize(
    ("there", "denied"),
    [
        ("A hyperdense focus in the liver.", "No high-density lesion in the liver."),
        ("An ill-defined density in the spleen.", "No ill-defined density in the spleen."),
    ],
)
def test_a_denied_bare_head_is_of_what_shows_all_that_is_said_of_it(scorer: Scorer, there: str, denied: str) -> None:
    assert scorer.entails(there, denied).verdict == scorer.entails(denied, there).verdict == "contradicted"


def test_a_part_has_the_side_of_the_whole_that_the_part_after_it_names(scorer: Scorer) -> None:
    text = "Cysts are seen in the upper pole and hilum of both kidneys."
    places = [f"{part} {side}" for part in ("kidney_upper_pole", "renal_hilum") for side in ("left", "right")]
    assert told(scorer, text) == [f"renal_cyst {place}" for place in places]


@pytest.mark.parametrize(
    ("neutral", "disease"),
    [("A lesion in the thymus.", "Thymoma."), ("Chest wall collection on the left.", "Chest wall infection.")],
)
def test_a_neutral_name_is_no_disease(scorer: Scorer, neutral: str, disease: str) -> None:
    assert scorer.entails(neutral, disease).verdict == "neutral"
