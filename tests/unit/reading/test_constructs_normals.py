"""Normal statements: of what, by which quality, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

Said = Callable[[str], list[str]]
Only = Callable[[str], Finding]


def both(brief: str) -> list[str]:
    return [f"{brief} left", f"{brief} right"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Heart size and mediastinal contours are normal.", ["=size_abnormality", "=mediastinal_contour_abnormality"]),
        ("Normal heart size and mediastinal contours.", ["=size_abnormality", "=mediastinal_contour_abnormality"]),
        ("Midline structures are centered with no displacement.", ["=midline_shift"]),
        ("Heart size and lungs are normal.", ["=size_abnormality", *both("=abnormality")]),
        (
            "The size of the heart and the mediastinal contour are normal.",
            ["=size_abnormality", "=mediastinal_contour_abnormality"],
        ),
        (
            "Vertebral alignment, vertebral body heights and disc heights are preserved.",
            ["=malalignment", "=vertebral_height_loss", "=disc_height_loss"],
        ),
        ("Vertebral body heights and disc spaces are maintained.", ["=vertebral_height_loss", "=disc_height_loss"]),
        (
            "Heart size is normal and mediastinal contours are unremarkable.",
            ["=size_abnormality", "=mediastinal_contour_abnormality"],
        ),
    ],
)
def test_a_value_holds_for_each_quality_at_its_own_structure(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    "text", ["The heart, including the pericardium, is unremarkable.", "Unremarkable heart including the pericardium."]
)
def test_what_is_included_is_normal_too(said: Said, text: str) -> None:
    assert said(text) == ["=abnormality", "=abnormality"]


def test_a_part_beside_its_whole_is_named_too(said: Said) -> None:
    assert said("The duodenum and small bowel are unremarkable.") == ["=abnormality", "=abnormality"]


@pytest.mark.parametrize("text", ["Otherwise normal study.", "The remainder of the examination is unremarkable."])
def test_the_whole_study_is_normal(only: Only, text: str) -> None:
    finding = only(text)
    assert (finding.concept, finding.sites, finding.status, finding.restricted) == ("abnormality", (), "normal", True)


@pytest.mark.parametrize(
    "text",
    [
        "No lymphadenopathy is seen elsewhere in the neck.",
        "No lymphadenopathy in the rest of the neck.",
        "No disc herniation at the remaining levels.",
    ],
)
def test_the_rest_of_a_place_after_a_denial_restricts_it(only: Only, text: str) -> None:
    assert only(text).restricted


def test_a_clause_that_begins_with_two_structures_is_of_its_own(said: Said) -> None:
    text = "The lungs show no consolidation, and the heart and mediastinum are normal."
    assert said(text) == sorted([*both("-consolidation"), "=abnormality"])


def test_free_of_goes_on_with_the_subject(said: Said) -> None:
    assert said("The kidney is normal and free of stones.") == sorted([*both("=abnormality"), *both("-nephrolithiasis")])


def test_normal_for_the_age_is_normal(only: Only) -> None:
    finding = only("The ventricles are in keeping with the patient's age.")
    assert (finding.concept, finding.status) == ("abnormality", "normal")


@pytest.mark.parametrize(
    "text", ["Mediastinal and hilar contours are normal.", "Mediastinal and hilar contours within normal limits."]
)
def test_adjectives_share_a_quality(said: Said, text: str) -> None:
    assert said(text) == sorted(["=mediastinal_contour_abnormality", *both("=contour_abnormality")])


def test_an_exception_that_opens_a_sentence_restricts_its_denial(scorer: Scorer) -> None:
    text = "Aside from degenerative change in the lower lumbar spine, no significant bony abnormality."
    denied = [finding for finding in scorer.read(text).findings if finding.status == "absent"]
    assert [(finding.concept, finding.restricted) for finding in denied] == [("abnormality", True)]


@pytest.mark.parametrize(
    "text", ["L4-L5: disc height is normal.", "L4-L5: Normal disc height.", "At L4-L5 the disc height is preserved."]
)
def test_a_quality_under_a_level_is_at_that_level(only: Only, text: str) -> None:
    assert (only(text).concept, only(text).sites) == ("disc_height_loss", ("disc_l4_l5",))


@pytest.mark.parametrize(
    ("text", "concept", "site"),
    [
        ("Gallbladder wall not thickened, no stones.", "cholelithiasis", "gallbladder"),
        ("Prevertebral soft tissues normal, no fracture.", "vertebral_fracture", "vertebra"),
        ("Physiologic uptake in the brain; no abnormal uptake elsewhere.", "increased_uptake", None),
    ],
)
def test_a_denial_after_a_normal_structure_is_where_it_belongs(scorer: Scorer, text: str, concept: str, site: str | None) -> None:
    found = [finding for finding in scorer.read(text).findings if finding.concept == concept]
    assert [finding.sites for finding in found] == [(site,) if site else ()]


@pytest.mark.parametrize(
    "text",
    [
        "No pneumothorax identified on this limited portable view.",
        "No pneumothorax within the constraints of an unenhanced examination.",
        "Within the limits of this supine study, no pneumothorax.",
        "On this motion-degraded study there is no pneumothorax.",
    ],
)
def test_a_study_said_after_a_preposition_limits_nothing(said: Said, text: str) -> None:
    assert said(text) == both("-pneumothorax")


def test_a_noun_is_shared_back_to_the_first_of_two_adjectives(scorer: Scorer) -> None:
    text = "The anterior cruciate ligament is intact, as are the medial and lateral collateral ligaments."
    assert {finding.sites[0] for finding in scorer.read(text).findings} == {"acl", "mcl", "lcl"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The hips show preserved joint space.", both("=joint_space_narrowing")),
        ("The knee has normal alignment and joint space.", both("=joint_space_narrowing") + both("=malalignment")),
    ],
)
def test_a_quality_of_a_kind_of_structure_is_of_the_one_spoken_of(
    said: Said, scorer: Scorer, text: str, expected: list[str]
) -> None:
    assert said(text) == sorted(expected)
    assert {finding.sites for finding in scorer.read(text).findings} <= {("hip_joint",), ("knee_joint",)}


def test_a_mass_of_soft_tissue_is_where_it_is_said(scorer: Scorer) -> None:
    assert [f.sites for f in scorer.read("Large soft tissue mass in the thigh.").findings] == [("soft_tissue_of_thigh",)]
    assert ("mass", ("soft_tissue",)) in {
        (finding.concept, finding.sites) for finding in scorer.read("No subcutaneous emphysema or soft tissue mass.").findings
    }


@pytest.mark.parametrize(
    ("text", "restricted"),
    [
        ("The remaining renal parenchyma shows abnormal signal.", True),
        ("The remainder of the mastoid air cells are not clear.", True),
        ("Elsewhere in the left lung, an abnormal opacity is seen.", True),
        ("Nodules are present in the remaining liver.", False),
        ("The residual splenic parenchyma shows abnormal signal.", True),
        ("Residual stones are seen in the left kidney.", False),
    ],
)
def test_what_is_only_abnormal_elsewhere_is_restricted(scorer: Scorer, text: str, restricted: bool) -> None:
    found = scorer.read(text).findings
    assert found
    assert all(finding.asserts for finding in found)
    assert {any(detail.value == "otherwise" for detail in finding.details) for finding in found} == {restricted}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Normal lucency of the left lung.", "=lung_lucency_abnormality left"),
        ("Acceptable translucency of the right lung.", "=lung_lucency_abnormality right"),
        ("Radiolucency is decreased in the right lung.", "+decreased_lung_lucency right"),
        ("The left lung demonstrates increased lucency.", "+lung_hyperlucency left"),
        ("The transparency of the right apex is abnormal.", "+lung_transparency_change right"),
    ],
)
def test_lucency_is_a_quality_of_a_lung(said: Said, text: str, expected: str) -> None:
    assert said(text) == [expected]
