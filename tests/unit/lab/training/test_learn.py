"""Training learns its sentences, is repeatable, and the reader decides as what was trained does."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from kgscore.knowledge import load_knowledge
from kgscore.lab.training.corpus import load_corpus
from kgscore.lab.training.evaluate import agreement
from kgscore.lab.training.make import make_model
from kgscore.reading.structure.model import StructureModel

FINDINGS = ("pneumothorax", "pleural effusion", "consolidation", "nodule", "mass", "atelectasis")
TWO = (
    "## chest-xray dictation\n{{m1:Small}} {{d1:left}} {{f1:{0}}}.\nf1 present @ (d1) | m1\n\n"
    "## chest-xray dictation\nNo {{f1:{0}}}.\nf1 absent\n"
)


def test_training_learns_and_repeats(tmp_path: Path) -> None:
    (tmp_path / "01.txt").write_text("\n".join(TWO.format(name) for name in FINDINGS), encoding="utf-8")
    knowledge = load_knowledge()
    corpus = load_corpus([tmp_path], "train", knowledge)
    losses: dict[tuple[int, int], float] = {}

    def told(member: int, epoch: int, loss: float) -> None:
        losses[member, epoch] = loss

    for name in ("a", "b"):
        make_model(corpus, knowledge, tmp_path / name, 60, 1, 2, told)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert losses[1, 60] < losses[1, 1] / 4
    model = StructureModel.load(knowledge.index, tmp_path / "a")
    said = model.predict_all([one.sentence for one in corpus.sentences])
    found = agreement((one.structure, structure) for one, structure in zip(corpus.sentences, said, strict=True))
    assert found.statements.f1 == 1.0
