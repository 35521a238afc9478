"""Wordings that say more or less than their concept, or name a sign of it: read, and never equivalent to it."""

from __future__ import annotations

import pytest

from kgscore import Scorer, relate


def scope(scorer: Scorer, text: str) -> list[str]:
    """Return how the words of the only finding of a text differ from its concept."""
    (finding,) = scorer.read(text).findings
    return [detail.value for detail in finding.details if detail.category == "wording"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Status post transverse colectomy.", ["narrow"]),
        ("Status post colectomy.", []),
        ("There is a double contour along the right heart border.", ["sign"]),
        ("Left atrial enlargement.", []),
        ("Bulging capsule.", ["broad"]),
    ],
)
def test_the_scope_of_a_wording_is_read(scorer: Scorer, text: str, wanted: list[str]) -> None:
    assert scope(scorer, text) == wanted


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Status post transverse colectomy.", "Status post colectomy.", "part_whole"),
        ("Status post transverse colectomy.", "The patient had a transverse colectomy.", "equivalent"),
        ("Cortical plaque of MS.", "Multiple sclerosis.", "part_whole"),
        ("Double contour along the right heart border.", "Left atrial enlargement.", "part_whole"),
        ("No double contour along the right heart border.", "Left atrial enlargement.", "contradiction"),
        ("No transverse colectomy.", "Status post colectomy.", "unrelated"),
    ],
)
def test_words_that_are_not_exact_are_never_equivalent_to_the_concept(one: str, other: str, relation: str) -> None:
    assert relate(one, other).relation == relation


@pytest.mark.parametrize(
    ("text", "concept"), [("The mesentery is congested.", "hepatic"), ("The bladder is low-lying.", "placenta")]
)
def test_an_adjective_of_one_organs_finding_is_its_general_class_at_another(scorer: Scorer, text: str, concept: str) -> None:
    (finding,) = scorer.read(text).findings
    assert concept not in (finding.concept or "")
    assert scope(scorer, text) == ["narrow"]


def test_an_error_that_rests_on_a_sign_is_doubtful(scorer: Scorer) -> None:
    text = "Ice cream cone mass in the left cerebellopontine angle."
    scored = scorer.score(reference="The lungs are clear.", candidate=text)
    (error,) = [one for one in scored.verdict.findings if one.category == "invented"]
    assert any("is a sign of it" in reason for reason in error.doubts)
