"""What a phrase holds itself: sides, nouns and stems of lists, breaks, operations, and what is normal of several things."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def said(scorer: Scorer, text: str) -> set[str]:
    """Return status, concept, sites and side of each finding."""
    found = scorer.read(text).findings
    return {" ".join((f.status, str(f.concept), "+".join(f.sites), f.side or "")).strip() for f in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A right-sided thymoma is present.", {"present thymoma thymus right"}),
        ("A right-sided chest tube ends at the apex.", {"present chest_tube lung_apex right"}),
        (
            "No enlarged celiac or mesenteric nodes.",
            {"absent celiac_lymphadenopathy celiac_lymph_node", "absent mesenteric_lymphadenopathy mesenteric_lymph_node"},
        ),
        (
            "No supra- or infratentorial mass.",
            {"absent brain_mass supratentorial_compartment", "absent brain_mass infratentorial_compartment"},
        ),
        (
            "Sub- and epidural haematomas.",
            {"present subdural_hematoma subdural_space", "present epidural_hematoma epidural_space_cranial"},
        ),
        (
            "Tear of the posterior horn and body of the right lateral meniscus.",
            {
                "present meniscal_tear posterior_horn_of_lateral_meniscus right",
                "present meniscal_tear body_of_lateral_meniscus right",
            },
        ),
    ],
)
def test_members_of_a_phrase(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("The left olecranon is fractured and displaced.", ["displaced"]),
        ("Fracture of the left tibial shaft, with valgus angulation.", ["valgus angulation"]),
        ("The left clavicle is fractured without displacement.", ["nondisplaced"]),
    ],
)
def test_the_form_of_a_break_is_no_finding(scorer: Scorer, text: str, details: list[str]) -> None:
    (fracture,) = scorer.read(text).findings
    assert fracture.side == "left"
    assert [detail.text for detail in fracture.details] == details


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Postsurgical changes of left lower lobectomy.", {"present lower_lobectomy lower_lobe left"}),
        ("Status post resection of a right occipital metastasis.", {"present brain_resection occipital_lobe right"}),
        ("Status post right partial nephrectomy for a carcinoma.", {"present partial_nephrectomy kidney right"}),
        (
            "Internal fixation of a right ulnar shaft fracture.",
            {"present internal_fixation ulnar_shaft right", "present fracture ulnar_shaft right"},
        ),
        ("Right nephrectomy and splenectomy.", {"present nephrectomy kidney right", "present splenectomy spleen"}),
    ],
)
def test_what_was_operated_on(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Collapse of the left lung with mediastinal shift.", "present mediastinal_shift mediastinum"),
        ("Stenosis of a calcified bicuspid aortic valve.", "present aortic_stenosis aortic_valve"),
        ("Plaque in the left subclavian artery without stenosis.", "absent stenosis subclavian_artery left"),
        ("Extra-axial mass along the left petrous apex.", "present extra_axial_mass petrous_apex left"),
        ("Right wrist: no chondrocalcinosis.", "absent chondrocalcinosis wrist right"),
        ("A lesion of 6 mm, not further characterized, is in the spleen.", "present lesion spleen"),
        ("The spleen is larger than normal.", "present splenomegaly spleen"),
        ("Large sella turcica.", "present sellar_enlargement sella_turcica"),
    ],
)
def test_where_a_finding_of_a_clause_is(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in said(scorer, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Normal bowel gas pattern.", {"normal abnormal_bowel_gas_pattern bowel"}),
        (
            "Disc heights and conus medullaris are normal.",
            {"normal disc_height_loss intervertebral_disc", "normal abnormality conus_medullaris"},
        ),
        (
            "Joint spaces and soft tissues are normal.",
            {"normal joint_space_narrowing joint", "normal abnormality soft_tissue"},
        ),
        ("The sulci are appropriate for age.", {"normal abnormality cerebral_sulci"}),
        ("Brain volume is appropriate for age.", {"normal cerebral_atrophy brain"}),
    ],
)
def test_each_thing_is_normal_as_what_it_is(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert said(scorer, text) == expected
