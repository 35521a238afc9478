"""Marks carried over to items: what a place, a side and a modifier become when the lexicon cuts words otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.lab.annotation.marks import read_marked
from kgscore.lab.training.align import Aligned, align_marks


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


def _aligned(tmp_path: Path, knowledge: Knowledge, block: str) -> Aligned:
    path = tmp_path / "one.txt"
    path.write_text(block, encoding="utf-8")
    return align_marks(read_marked(path)[0], knowledge)


def _said(one: Aligned) -> list[tuple[object, ...]]:
    """Return the structure with words in place of positions."""

    def words(position: int | None) -> str | None:
        items = one.sentence.items
        return None if position is None else one.marked.text[items[position].start : items[position].end]

    return [
        (
            words(s.head),
            s.status,
            [([words(i) for i in place.items], words(place.side)) for place in s.places],
            [words(i) for i in s.modifiers],
            [words(i) for i in s.names],
        )
        for s in one.structure
    ]


def test_marks_and_items_that_agree(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(
        tmp_path,
        knowledge,
        "## chest-xray dictation\n{m1:Small} {d1:left} {f1:pleural effusion}, likely {f2:empyema}; no {f3:pneumothorax}.\n"
        "f1 present @ (d1) | m1\nf2 probable @ (d1) ~ f1\nf3 absent\n",
    )
    assert _said(one) == [
        ("pleural effusion", "present", [([], "left")], ["Small"], []),
        ("empyema", "probable", [([], "left")], [], ["pleural effusion"]),
        ("pneumothorax", "absent", [], [], []),
    ]
    assert one.whole


def test_an_item_that_covers_side_and_site_is_the_place(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(
        tmp_path,
        knowledge,
        "## chest-ct formal\n{f1:Nodule} in the {s1:apex} of the {d1:left} {s2:lung} with {f2:atelectasis}.\n"
        "f1 present @ s1+s2(d1)\nf2 present @ (d1)\n",
    )
    first, second = _said(one)
    assert first[2] == [(["apex of the left lung"], None)]
    assert second[2] == [([], "apex of the left lung")]


def test_a_mark_over_several_items_is_about_its_kind(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(
        tmp_path,
        knowledge,
        "## bones formal\n{f1:patellar marked swelling} without {f2:fracture}.\nf1 present\nf2 absent\n".replace(
            "bones", "msk-xray"
        ),
    )
    assert _said(one)[0] == ("swelling", "present", [(["patellar"], None)], ["marked"], [])


def test_several_statements_of_one_head_stay_apart(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(
        tmp_path,
        knowledge,
        "## chest-xray dictation\n{f1:Effusion}, {m1:large} on the {d1:right} and {m2:small} on the {d2:left}.\n"
        "f1 present @ (d1) | m1\nf1 present @ (d2) | m2\n",
    )
    assert [(s[2], s[3]) for s in _said(one)] == [([([], "on the right")], ["large"]), ([([], "on the left")], ["small"])]


def test_a_bullet_is_no_item_and_a_label_is(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(tmp_path, knowledge, "## chest-xray list\n- {s1:LUNGS}: {n1:Clear}.\nn1 normal @ s1\n")
    assert _said(one) == [("Clear", "normal", [(["LUNGS"], None)], [], [])]
    assert one.sentence.items[0].kind == "A"


def test_marks_that_no_item_holds_are_told(tmp_path: Path, knowledge: Knowledge) -> None:
    one = _aligned(
        tmp_path, knowledge, "## chest-xray dictation\n{f1:Wibbling} of the {s1:heart} {f2:,}.\nf1 present @ s1\nf2 present\n"
    )
    assert not one.whole
    assert [mark.id for mark in one.uncovered] == ["f2"]
