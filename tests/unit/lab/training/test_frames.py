"""Sentences made of frames: what fills them, what a choice takes along, and the line that a mistake is named by."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import InputError
from kgscore.knowledge import load_knowledge
from kgscore.lab.annotation.marks import Marked, read_marked
from kgscore.lab.training.corpus import load_corpus, make_sentences

KNOWN = """## chest-xray dictation
{m1:Large} {d1:left} {f1:effusion} in the {s1:pleural space}; the {s2:lungs} are {n1:clear}.
f1 present @ s1(d1) | m1
n1 normal @ s2
"""


def made(folder: Path, frame: str, count: int = 1) -> list[Marked]:
    knowledge = load_knowledge()
    (folder / "01.txt").write_text(KNOWN, encoding="utf-8")
    (folder / "frames.txt").write_text(f"# a remark\n{frame}\n", encoding="utf-8")
    known = read_marked(folder / "01.txt")
    return make_sentences(folder / "frames.txt", known, knowledge.lexicon, knowledge.index, count, 3)


def test_a_frame_is_filled_with_what_one_statement_marks(tmp_path: Path) -> None:
    (one,) = made(tmp_path, "The {s1} [is|are] {n1}.  => n1 normal @ s1")
    assert one.text.lower().removesuffix(".") in ("the lungs is clear", "the lungs are clear")
    assert [(s.head, s.status, s.places[0].sites) for s in one.statements] == [("n1", "normal", ("s1",))]


def test_a_statement_loses_what_its_sentence_does_not_say(tmp_path: Path) -> None:
    found = made(tmp_path, "No [{m1}|] {f1} {d1}.  => f1 absent @ (d1) | m1", 40)
    for one in found:
        marks = {mark.id for mark in one.marks}
        (said,) = one.statements
        assert {*said.modifiers, *(place.side for place in said.places)} == marks - {"f1"}
    assert len({one.text.lower().removesuffix(".") for one in found}) > 2


def test_the_same_seed_gives_the_same_sentences(tmp_path: Path) -> None:
    frame = "[A|The|] {f1} is [not|] seen.  => f1 absent"
    assert made(tmp_path, frame, 20) == made(tmp_path, frame, 20)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ("No {f1}.", "'=>'"),
        ("The {q1} is low.  => q1 present", "no marks to fill q"),
        ("No {f1}. => f1 gone", "no status"),
    ],
)
def test_a_frame_that_is_wrong_is_named_by_its_line(tmp_path: Path, frame: str, said: str) -> None:
    with pytest.raises(InputError, match=r"frames\.txt:2: .*") as error:
        made(tmp_path, frame)
    assert said in str(error.value)


def test_frames_make_sentences_for_training_only(tmp_path: Path) -> None:
    made(tmp_path, "No {f1}.  => f1 absent")
    (tmp_path / "11.txt").write_text(KNOWN, encoding="utf-8")
    (tmp_path / "02.txt").write_text(KNOWN, encoding="utf-8")
    knowledge = load_knowledge()
    counts = {part: len(load_corpus([tmp_path], part, knowledge).sentences) for part in ("train", "open", "test")}
    assert counts == {"train": 3, "open": 3, "test": 1}
