"""Normal statements: of what, by which quality, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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


def test_elsewhere_after_a_denial_restricts_it(only: Only) -> None:
    assert only("No lymphadenopathy is seen elsewhere in the neck.").restricted


def test_free_of_goes_on_with_the_subject(said: Said) -> None:
    assert said("The kidney is normal and free of stones.") == sorted([*both("=abnormality"), *both("-nephrolithiasis")])


def test_normal_for_the_age_is_normal(only: Only) -> None:
    finding = only("The ventricles are in keeping with the patient's age.")
    assert (finding.concept, finding.status) == ("abnormality", "normal")
