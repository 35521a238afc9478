"""Corrections of a candidate in other words than its reference."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from tests.corrections.conftest import Made


@pytest.mark.parametrize(
    ("normal", "wrong"),
    [
        ("The adrenal glands are unremarkable", "A metastasis of 3 cm has replaced the right adrenal"),
        ("The ventricles are unchanged in size", "Dilated ventricles"),
        ("The cavernous sinuses enhance symmetrically", "Thrombosis of the right cavernous sinus"),
        ("Lymph nodes of the axilla of normal size and shape", "Metastatic axillary lymph node on the left"),
    ],
)
def test_an_invention_is_replaced_by_the_normal_sentence_about_the_same(made: Made, normal: str, wrong: str) -> None:
    reference = f"Comminuted fracture of the sternum. {normal}. Small hiatal hernia."
    candidate = f"There is a small hernia at the hiatus. {wrong}. The sternum has a comminuted fracture."
    assert made(reference, candidate) == [(1, "substitute", normal)]


def test_an_invention_is_deleted_where_the_normal_sentence_is_said(made: Made) -> None:
    reference = "Small hiatal hernia. The adrenal glands are unremarkable."
    candidate = "Normal adrenal glands. A metastasis of 3 cm has replaced the right adrenal. Hiatal hernia, small."
    assert made(reference, candidate) == [(1, "delete", "")]


def test_a_diagnosis_left_out_replaces_an_invented_one_where_one_has_no_place(made: Made) -> None:
    reference = "Gallstones. Sigmoid colon thickened over 8 cm. Lymphoma has to be considered."
    candidate = "Stones in the gallbladder. Sigmoid colon with thick wall over 8 cm. The appearance is that of ischemic colitis."
    assert made(reference, candidate) == [(2, "substitute", "Lymphoma has to be considered")]


def test_what_a_wrong_line_says_rightly_is_kept(made: Made) -> None:
    """The reference says it in another sentence."""
    reference = "Cord lesion of high T2 signal from T2 to T5. Longitudinally extensive myelitis."
    candidate = "The cord is T2-bright from T2 to T9 with a longitudinally extensive transverse myelitis."
    ((line, action, text),) = made(reference, candidate)
    assert (line, action) == (0, "substitute")
    assert "myelitis" in text


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Thick-walled sigmoid colon with fat stranding, consistent with diverticulitis.", "Diverticulitis of the sigmoid colon"),
        ("Diverticulitis of the sigmoid colon.", "Fat stranding around the sigmoid colon, in keeping with diverticulitis"),
        ("Findings: suspected scaphoid fracture.\nImpression: Scaphoid fracture.", "Fracture of the scaphoid"),
    ],
)
def test_what_fits_a_diagnosis_makes_it_certain_enough(scorer: Scorer, reference: str, candidate: str) -> None:
    assert not [one for one in scorer.correct(reference=reference, candidate=candidate).corrections if "definite" in one.comment]


def test_a_routine_finding_that_is_only_doubtfully_invented_needs_no_correction(made: Made) -> None:
    reference = "The heart is normal in size."
    assert made(reference, "Normal heart size. Calcified granuloma of the right lung.") == [(1, "delete", "")]
    assert not made(reference, "Normal heart size. Wumbly calcified granuloma of the right lung.")
