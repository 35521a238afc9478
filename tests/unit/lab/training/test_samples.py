"""Samples and what is made of them: answers must stay true of the new sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgscore.knowledge import load_knowledge
from kgscore.lab.annotation.marks import read_marked
from kgscore.lab.training.align import align_marks
from kgscore.lab.training.samples import NONE, Batch, Batches, Samples, make_samples
from kgscore.reading.structure.columns import LEXICAL, Columns

BLOCKS = """## chest-xray dictation
{m1:Small} {d1:left} {f1:pleural effusion}.
f1 present @ (d1) | m1

## chest-ct formal
No {f1:nodule} in the {s1:liver} or {s2:spleen}; {n1:normal} {s3:pancreas}.
f1 absent @ s1 s2
n1 normal @ s3
"""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    path: Path = tmp_path_factory.mktemp("corpus") / "one.txt"
    path.write_text(BLOCKS, encoding="utf-8")
    knowledge = load_knowledge()
    return make_samples([align_marks(marked, knowledge) for marked in read_marked(path)], Columns(knowledge.index))


def batch(samples: Samples, numbers: list[int], others: list[int], swap: float = 0.0) -> Batch:
    """Return a batch whose rows are the codes themselves."""
    batches = Batches(samples, samples.codes, join=0.0, swap=swap)
    return batches.of(np.array(numbers), np.array(others), np.random.default_rng(1))


def links(found: Batch) -> dict[tuple[int, ...], int]:
    asked = found.asked["link"]
    return {tuple(pair): answer for pair, answer in zip(asked.at.tolist(), asked.answer.tolist(), strict=True)}


def test_questions_hold_the_gold_links(samples: Samples) -> None:
    found = batch(samples, [0], [NONE])
    assert links(found) == {(2, 0): 3, (2, 1): 2, (2, 3): 0}
    assert found.status.tolist() == [0, 0, 1, 0]


def test_sentences_of_a_batch_stand_end_to_end(samples: Samples) -> None:
    alone, both = batch(samples, [1], [NONE]), batch(samples, [0, 1], [NONE, NONE])
    assert both.lengths.tolist() == [4, *alone.lengths]
    assert both.status[4:].tolist() == alone.status.tolist()
    assert (both.counts[4:] - both.counts[4] == alone.counts).all()
    assert {(head - 4, item - 4): answer for (head, item), answer in links(both).items() if head >= 4} == links(alone)


def test_joined_sentences_keep_their_answers_and_share_none(samples: Samples) -> None:
    alone, both = batch(samples, [1], [NONE]), batch(samples, [0], [1])
    first = 4  # three items without the full stop, and a semicolon
    assert both.lengths.tolist() == [first + alone.lengths[0]]
    assert both.status.tolist() == [0, 0, 1, 0, *alone.status.tolist()]
    assert (both.rows[3] == samples.codes[-1]).all()
    found = links(both)
    assert found[2, 0] == 3
    assert all(answer == 0 for (head, item), answer in found.items() if (head < first) != (item < first))
    assert (2, first) in found
    assert (2, 3) not in found
    gold = {(head + first, item + first): answer for (head, item), answer in links(alone).items()}
    assert gold.items() <= found.items()
    assert (both.counts[-1] >= alone.counts[-1]).all()


def test_exchanged_words_are_of_the_same_kind(samples: Samples) -> None:
    plain, found = batch(samples, [1], [NONE]), batch(samples, [1], [NONE], swap=1.0)
    assert (found.rows[:, 0] == plain.rows[:, 0]).all()
    assert (found.rows[:, len(LEXICAL) :] == plain.rows[:, len(LEXICAL) :]).all()
    assert (found.rows != plain.rows).any()
    assert links(found) == links(plain)
