"""The shipped model on plain sentences, and that neither order nor company changes what it says."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.lab.training.align import whole
from kgscore.reading.structure.model import StructureModel
from kgscore.reading.structure.network import GRID, _product
from kgscore.reading.structure.typed import TypedSentence, typed_sentence
from kgscore.reading.structure.values import Parse

SENTENCES = (
    "Small left pleural effusion.",
    "No pneumothorax, consolidation or pleural effusion.",
    "The heart is normal in size.",
    "Large mass in the right upper lobe, likely carcinoma.",
    "Mild disc bulges at L3-4 and L4-5 without spinal stenosis.",
    "LUNGS: Clear.",
)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


@pytest.fixture(scope="module")
def model(knowledge: Knowledge) -> StructureModel:
    return StructureModel.load(knowledge.index)


def _typed(text: str, knowledge: Knowledge) -> TypedSentence:
    return typed_sentence(text, knowledge.lexicon, knowledge.index, None, *whole(text))


def _words(sentence: TypedSentence, structure: Parse) -> list[tuple[str, str, list[str], list[str]]]:
    def words(position: int) -> str:
        return sentence.text[sentence.items[position].start : sentence.items[position].end]

    return [
        (
            words(one.head),
            one.status,
            [words(i) for place in one.places for i in (*place.items, *(() if place.side is None else (place.side,)))],
            [words(i) for i in one.modifiers],
        )
        for one in structure
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SENTENCES[0], [("pleural effusion", "present", ["left"], ["Small"])]),
        (
            SENTENCES[1],
            [(name, "absent", [], []) for name in ("pneumothorax", "consolidation", "pleural effusion")],
        ),
        (SENTENCES[5], [("Clear", "normal", ["LUNGS"], [])]),
    ],
)
def test_plain_sentences(text: str, said: list[object], knowledge: Knowledge, model: StructureModel) -> None:
    sentence = _typed(text, knowledge)
    assert _words(sentence, model.predict(sentence)) == said


def test_a_list_of_levels_shares_its_finding(knowledge: Knowledge, model: StructureModel) -> None:
    sentence = _typed(SENTENCES[4], knowledge)
    said = _words(sentence, model.predict(sentence))
    assert {place for head, _, places, _ in said if head == "disc bulges" for place in places} == {"L3-4", "L4-5"}


def test_company_changes_nothing(knowledge: Knowledge, model: StructureModel) -> None:
    sentences = [_typed(text, knowledge) for text in SENTENCES]
    alone = [model.predict(sentence) for sentence in sentences]
    assert model.predict_all(sentences) == alone
    assert model.predict_all(sentences[::-1]) == alone[::-1]


def test_a_sentence_without_items_has_no_structure(knowledge: Knowledge, model: StructureModel) -> None:
    assert model.predict(_typed("", knowledge)) == ()
    assert model.predict_all([]) == []


def test_every_product_is_exact(knowledge: Knowledge, model: StructureModel) -> None:
    """What enters a product lies on a grid, so that the order of a sum cannot matter: adding backwards gives the same."""
    network = model.network
    encoded = network.encode([model.columns.see(_typed(text, knowledge)) for text in SENTENCES])
    weights = network.arrays["item.weight"]
    hidden = encoded.projected[..., network.sections["item"]]
    rounded = ((hidden * GRID).round() / GRID).astype(np.float32)
    for member in range(network.members):
        assert (rounded[member] @ weights[member] == rounded[member][..., ::-1] @ weights[member][::-1]).all()
    assert abs(encoded.projected).max() < 64  # sums below 256 are exact in 32 bits


@pytest.mark.parametrize("shape", [(1, 224, 384), (30, 224, 384), (1, 64, 256), (40, 64, 256), (700, 96, 6), (5, 24, 96)])
def test_a_product_in_parts_is_the_product(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    one = rng.integers(-9, 9, (2, rows, inner)).astype(np.float32)
    other = rng.integers(-9, 9, (2, inner, columns)).astype(np.float32)
    assert (_product(one, other) == one @ other).all()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir() or (os.cpu_count() or 1) < 2, reason="needs Linux and two processors")
def test_reading_is_done_in_the_thread_that_asks(knowledge: Knowledge, model: StructureModel) -> None:
    """Threads of numpy's BLAS wait by spinning: sharing products this small with them costs several times what it brings."""

    def others() -> int:
        tasks = (path for path in Path("/proc/self/task").iterdir() if path.name != str(threading.get_native_id()))
        return sum(sum(map(int, (path / "stat").read_text().rpartition(")")[2].split()[11:13])) for path in tasks)

    for count in (1, 12, 60):
        sentences = [_typed(text, knowledge) for text in SENTENCES * count]
        before = others()
        model.predict_all(sentences)
        for sentence in sentences[:12]:
            model.predict(sentence)
        assert others() - before <= 10  # hundredths of a second; with threads of BLAS it is as much as this one takes
