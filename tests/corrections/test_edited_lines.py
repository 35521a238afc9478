"""Corrections of a candidate that has most lines of its reference word for word, and those of lines in other words."""

from __future__ import annotations

import pytest

from tests.corrections.conftest import Made


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Full-thickness tear of the left supraspinatus tendon", "Full-thickness tear of the right supraspinatus tendon"),
        ("A 2 cm mass in the left breast", "A 2 cm mass in the right breast"),
    ],
)
def test_a_line_that_the_reference_has_word_for_word_is_left_alone(made: Made, right: str, wrong: str) -> None:
    """What follows is read as of the side that the wrong line names."""
    rest = "There is no oedema. The skin is not thickened."
    assert made(f"{right}. {rest}", f"{wrong}. {rest}") == [(0, "substitute", right)]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The hepatic veins are patent", "The hepatic veins are thrombosed"),
        ("Closed fontanelle", "The fontanelle is bulging"),
        ("The left lunate is aligned with the radius", "The left lunate is dislocated"),
        ("Odontoid fracture of type 2, displaced by 3 mm", "Odontoid fracture of type 3, not displaced"),
    ],
)
def test_an_edited_line_is_replaced_by_the_line_that_it_stands_for(made: Made, right: str, wrong: str) -> None:
    before, after = "The airway is not narrowed.", "No ascites."
    assert made(f"{before} {right}. {after}", f"{before} {wrong}. {after}") == [(1, "substitute", right)]


def test_a_line_that_stands_for_another_need_not_be_wrong(made: Made) -> None:
    """The reference reports a nodule where the candidate has another true line."""
    reference = "Clear lungs. Upper abdomen: 2 cm nodule of the right adrenal. No fracture."
    candidate = "Clear lungs. Upper abdomen: normal spleen and pancreas. No fracture."
    assert [one[:2] for one in made(reference, candidate)] == [(1, "insert")]


def test_a_part_of_a_sentence_does_not_assert_what_the_whole_denies(made: Made) -> None:
    reference = "The bowel is not dilated. No perforation with free air and no collection beside the anastomosis."
    candidate = "Bowel of normal calibre. No free air. A 4 cm collection lies beside the anastomosis."
    ((line, action, text),) = made(reference, candidate)
    assert (line, action) == (2, "substitute")
    assert "o perforation with free air" in text


def test_a_sentence_is_cut_only_if_another_line_says_the_rest(made: Made) -> None:
    reference = "Metastasis at T7. It reaches the spinal canal and compresses the cord."
    candidate = "Metastasis of the vertebra T7. The cord is not compressed."
    assert made(reference, candidate) == [(1, "substitute", "It reaches the spinal canal and compresses the cord")]


def test_what_a_correction_says_is_not_said_by_another(made: Made) -> None:
    reference = "Perforated ulcer of the duodenum with a large pneumoperitoneum. The liver is normal."
    candidate = "The duodenum is not perforated. No pneumoperitoneum. Normal liver."
    texts = [text for *_, text in made(reference, candidate) if text]
    assert len(texts) == len(set(texts)) > 0


def test_a_line_that_only_says_more_of_a_right_one_is_deleted(made: Made) -> None:
    reference = "Nodule of 6 mm in the left thyroid lobe. No enlarged lymph node."
    candidate = "Nodule of 6 mm in the left thyroid lobe. It has grown since then. No enlarged lymph node."
    assert made(reference, candidate) == [(1, "delete", "")]
