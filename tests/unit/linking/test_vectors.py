"""Vectors of wordings: exact, whole, and near in meaning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgscore.errors import InputError
from kgscore.knowledge import load_knowledge
from kgscore.linking.suggest import Suggester, wordings_of
from kgscore.linking.vectors import LENGTH, Vectors, letter_groups, likeness
from kgscore.resources import resource


@pytest.fixture(scope="module")
def suggester() -> Suggester:
    return Suggester(wordings_of(load_knowledge().lexicon))


def test_vectors_are_whole_numbers_whose_products_are_exact() -> None:
    vectors = Vectors.load()
    found = vectors.of([["pleural", "effusion"], ["effusion", "pleural"], ["zzyzxian"], []])
    assert (found == np.trunc(found)).all()
    assert (found[0] == found[1]).all()
    assert not found[3].any()
    lengths = (found.astype(np.float64) ** 2).sum(axis=1)
    assert (lengths <= LENGTH**2).all()
    assert (lengths[:3] > (LENGTH - 20) ** 2).all()
    exact = found.astype(np.int64) @ found.astype(np.int64).T
    assert (likeness(found, found) * LENGTH**2 == exact).all()


def test_a_word_that_was_never_seen_is_read_from_its_letters() -> None:
    vectors = Vectors.load()
    assert "atelectasisx" not in vectors.rows
    [[near, far]] = likeness(vectors.of([["atelectasisx"]]), vectors.of([["atelectasis"], ["fracture"]]))
    assert near > 0.5 > far
    assert letter_groups("ab", 10**9) != letter_groups("ba", 10**9)


@pytest.mark.parametrize(
    ("words", "concept"),
    [("pneumothorax", "pneumothorax"), ("stone in the kidney", "nephrolithiasis"), ("enlarged cardiac muscle", "cardiomegaly")],
)
def test_the_nearest_concepts_are_those_that_are_meant(suggester: Suggester, words: str, concept: str) -> None:
    found = suggester.nearest(words, 5)
    assert concept in [one.concept for one in found]
    assert len(found) == len({one.concept for one in found}) == 5
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert suggester.nearest(words, 2) == found[:2]
    assert all(one.by == "meaning" and 0 < one.score <= 1 for one in found)


def test_a_concept_is_nearest_to_itself_and_nothing_to_no_words(suggester: Suggester) -> None:
    assert (suggester.nearest("hydronephrosis", 1)[0].concept, suggester.nearest("hydronephrosis", 1)[0].score) == (
        "hydronephrosis", 1.0,
    )  # fmt: skip
    assert suggester.nearest("", 5) == []


def test_candidates_come_from_meaning_and_from_spelling_in_turns(suggester: Suggester) -> None:
    found = suggester.candidates("pneumothoraxx in the lung", 8)
    assert len(found) == len({one.concept for one in found}) == 8
    assert found[0] == suggester.nearest("pneumothoraxx in the lung", 1)[0]
    assert suggester.suggest("pneumothoraxx in the lung", most=1)[0].concept in [one.concept for one in found[:2]]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no vectors model of this version; `kgscore vectors train`"):
        Vectors.load(resource("models", "structure.model"))
    with pytest.raises(InputError, match="No such file"):
        Vectors.load(tmp_path / "none")
