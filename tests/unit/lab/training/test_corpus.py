"""The parts of a corpus by the number of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import InputError
from kgscore.knowledge import load_knowledge
from kgscore.lab.training.corpus import load_corpus

SENTENCE = "## chest-xray dictation\nNo {f1:NAME}.\nf1 absent\n"


def test_parts_by_number(tmp_path: Path) -> None:
    knowledge = load_knowledge()
    (tmp_path / "chest").mkdir()
    for number, name in (("01", "pneumothorax"), ("09", "effusion"), ("12", "nodule"), ("own", "mass")):
        (tmp_path / "chest" / f"{number}.txt").write_text(SENTENCE.replace("NAME", name), encoding="utf-8")
    texts = {
        part: [one.marked.text for one in load_corpus([tmp_path], part, knowledge).sentences]
        for part in ("train", "development", "test")
    }
    assert texts == {"train": ["No pneumothorax."], "development": ["No effusion."], "test": ["No nodule."]}
    assert len(load_corpus([tmp_path], "all", knowledge).sentences) == 3
    assert load_corpus([tmp_path / "chest" / "12.txt"], "train", knowledge).sentences[0].marked.text == "No nodule."


def test_a_corpus_without_sentences_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no marked sentence"):
        load_corpus([tmp_path], "train", load_knowledge())
    with pytest.raises(InputError, match="no such file"):
        load_corpus([tmp_path / "none"], "train", load_knowledge())
