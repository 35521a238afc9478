"""Reading by construct: lists under one negation, double negation, hedges, differentials and change."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

SIGNS = {"present": "+", "absent": "-", "normal": "="}
SURE = {"definite": "", "probable": "!", "possible": "?"}


def _brief(finding: Finding) -> str:
    """Return a finding as sign, concept, side and change: "?-nodule left new" is a possible denial."""
    words = (f"{SURE[finding.certainty]}{SIGNS[finding.status]}{finding.concept}", finding.side, finding.change)
    return " ".join(word for word in words if word)


def told(scorer: Scorer, text: str) -> list[str]:
    return sorted(_brief(finding) for finding in scorer.read(text).findings)


def details(scorer: Scorer, text: str) -> list[str]:
    return [detail.text for finding in scorer.read(text).findings for detail in finding.details]


@pytest.mark.parametrize(
    "text",
    [
        "Bilateral pleural effusions, right increased and left unchanged.",
        "Right pleural effusion has increased while the left one is unchanged.",
        "Bilateral pleural effusions have increased on the right and are stable on the left.",
        "The right pleural effusion has increased; the left is unchanged.",
    ],
)
def test_each_side_has_its_own_change(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == ["+pleural_effusion left stable", "+pleural_effusion right increased"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No improvement of the left basal consolidation.", ["+consolidation left stable"]),
        ("No interval reduction in the ascites.", ["+ascites stable"]),
        ("The ascites has decreased but has not resolved.", ["+ascites decreased"]),
        ("Ascites is persistent.", ["+ascites stable"]),
        ("No new or enlarging lung mass.", ["-lung_mass left new", "-lung_mass right new"]),
        ("Left pneumothorax has resolved, right unchanged.", ["+pneumothorax right stable", "-pneumothorax left resolved"]),
        ("Pericardial effusion, slightly larger.", ["+pericardial_effusion increased"]),
    ],
)
def test_change(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text", ["Aortic aneurysm, slightly larger, now 51 mm (48 mm in 2019).", "Aortic aneurysm of 51 mm, previously 48 mm."]
)
def test_the_size_that_was(scorer: Scorer, text: str) -> None:
    assert details(scorer, text) == ["51 mm", "previously 48 mm"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Query osteomyelitis of the calcaneus.", ["?+osteomyelitis"]),
        ("Differential includes liver abscess, metastasis and lymphoma.", ["?+hepatic_abscess", "?+lymphoma", "?+metastasis"]),
    ],
)
def test_possible(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Consolidation, pneumonia rather than infarction.",
        "Consolidation, pneumonia favoured over infarction.",
        "Consolidation, favour pneumonia over infarction.",
    ],
)
def test_of_two_explanations_one_is_likely(scorer: Scorer, text: str) -> None:
    assert details(scorer, text) == ["likely pneumonia"]
    assert [f.status for f in scorer.read(text).findings][:2] == ["present", "absent"]


def test_neither_names_two_structures(scorer: Scorer) -> None:
    text = "Neither the gallbladder nor the common duct contains calculi."
    assert told(scorer, text) == ["-choledocholithiasis", "-cholelithiasis"]


def test_an_adjective_that_ends_its_phrase_is_the_noun_it_stands_for(scorer: Scorer) -> None:
    assert told(scorer, "Left convexity subdural is seen.") == ["+subdural_hematoma left"]
    assert told(scorer, "No subdural or extradural haematoma.") == ["-epidural_hematoma", "-subdural_hematoma"]
