"""Samples and what is made of them: answers must stay true of the new sentence."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from kgscore.knowledge import load_knowledge
from kgscore.lab.annotation.marks import read_marked
from kgscore.lab.training.align import aligned
from kgscore.lab.training.samples import Sample, Variants, joined, sample
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
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    path: Path = tmp_path_factory.mktemp("corpus") / "one.txt"
    path.write_text(BLOCKS, encoding="utf-8")
    knowledge = load_knowledge()
    columns = Columns(knowledge.index)
    return [sample(aligned(marked, knowledge), columns) for marked in read_marked(path)]


def test_rows_hold_the_gold_links(samples: list[Sample]) -> None:
    links = {(int(head), int(other)): int(answer) for head, other, answer in samples[0].rows["link"]}
    assert links == {(2, 0): 3, (2, 1): 2, (2, 3): 0}
    assert samples[0].status.tolist() == [0, 0, 1, 0]


def test_joined_sentences_keep_their_answers_and_share_none(samples: list[Sample]) -> None:
    one, other = samples
    both = joined(one, other, other.seen.codes[6])
    first = 4
    assert both.seen.kinds[3] == "semi"
    assert both.status.tolist() == [0, 0, 1, 0, *other.status.tolist()]
    links = {(int(head), int(item)): int(answer) for head, item, answer in both.rows["link"]}
    assert links[2, 0] == 3
    assert all(answer == 0 for (head, item), answer in links.items() if (head < first) != (item < first))
    gold = {(int(h) + first, int(i) + first, int(a)) for h, i, a in other.rows["link"]}
    assert gold <= {(h, i, a) for (h, i), a in links.items()}
    assert (both.seen.counts[-1] >= other.seen.counts[-1]).all()
    pairs = np.array([[2, 0], [2, 5]])
    assert both.fits(pairs[:, 0], pairs[:, 1]).tolist() == [int(one.fits(np.array([2]), np.array([0]))[0]), 0]


def test_exchanged_words_are_of_the_same_kind(samples: list[Sample]) -> None:
    variants = Variants(samples, join=0.0, swap=1.0)
    found = variants.of(samples[1], Random(1))
    assert (found.seen.codes[:, 0] == samples[1].seen.codes[:, 0]).all()
    assert (found.seen.codes[:, len(LEXICAL) :] == samples[1].seen.codes[:, len(LEXICAL) :]).all()
    assert found.rows is samples[1].rows
