"""Edits and the order of pieces: what they make of a source."""

from __future__ import annotations

import pytest

from kgscore.lab.perturbing.edits import Edit, apply_edits, difference
from kgscore.lab.perturbing.source import Draft, movable, parse_source

TEXT = "Small effusion. Clear lungs. No mass."


@pytest.mark.parametrize(
    ("edits", "order", "made"),
    [
        ((), (), TEXT),
        ((Edit(0, 5, "Small", "Large"),), (), "Large effusion. Clear lungs. No mass."),
        ((), ((29, 37), (0, 15), (16, 28)), "No mass. Small effusion. Clear lungs."),
        ((Edit(15, 15, "", " New."),), ((16, 28), (0, 15), (29, 37)), "Clear lungs. Small effusion. New. No mass."),
        ((Edit(0, 0, "", "A "), Edit(0, 5, "Small", "small")), ((16, 28), (0, 15)), "Clear lungs. A small effusion. No mass."),
        ((Edit(16, 29, "Clear lungs. ", ""),), (), "Small effusion. No mass."),
    ],
)
def test_edits_are_made_in_their_pieces(edits: tuple[Edit, ...], order: tuple[tuple[int, int], ...], made: str) -> None:
    assert apply_edits(TEXT, edits, order) == made


@pytest.mark.parametrize(
    ("edits", "order"),
    [
        ((Edit(0, 5, "Large", "Tiny"),), ()),
        ((Edit(0, 14, "Small effusion", "x"), Edit(6, 14, "effusion", "y")), ()),
        ((Edit(10, 20, "sion. Clea", "x"),), ((16, 28), (0, 15))),
    ],
)
def test_edits_that_do_not_fit_are_refused(edits: tuple[Edit, ...], order: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(ValueError, match=r"source|overlap"):
        apply_edits(TEXT, edits, order)


@pytest.mark.parametrize(
    ("before", "after"),
    [("Small left effusion.", "Small right effusion."), ("a a a", "a a"), ("No mass.", "There is a mass."), ("", "New.")],
)
def test_a_difference_makes_the_one_of_the_other(before: str, after: str) -> None:
    edit = difference(0, before, after)
    assert edit is not None
    assert apply_edits(before, [edit]) == after


def test_lines_left_out_take_their_bullet_or_label_with_them(means) -> None:
    source = parse_source("LUNGS: Clear. No mass.\nHEART: Enlarged.\n- No fracture.", means.read, means.lexicon)
    for numbers in ((0,), (1,), (2,), (3,), (0, 1), (2, 3), (0, 1, 2), (1, 3)):
        made = Draft(source, dict.fromkeys(numbers, "")).text
        assert not any(source.lines[number].text in made for number in numbers)
        assert all(source.lines[number].text in made for number in {*range(4)} - {*numbers})
        assert "LUNGS: \n" not in made
        assert made.strip() == made
    everything = Draft(source, dict.fromkeys(range(len(source.lines)), "")).text
    assert "Clear" not in everything


def test_sentences_that_speak_of_the_one_before_stay_behind_it(means) -> None:
    text = "There is a nodule in the left lung. It measures 8 mm. The heart is enlarged.\nHISTORY: cough."
    source = parse_source(text, means.read, means.lexicon)
    pieces = [text[start:end] for start, end in source.pieces]
    assert pieces[0] == "There is a nodule in the left lung. It measures 8 mm."
    assert movable(source) == [[0, 1]]
