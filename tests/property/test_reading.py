"""What nobody would write is read too: pieces of gold texts, cut and joined anywhere, words put in, words out of order."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from kgscore.engine import Scorer

TEXTS = sorted(
    text
    for path in (Path(__file__).parent.parent / "readings").glob("*.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines()
    for text in json.loads(line).get("texts") or [json.loads(line)["text"]]
)
WORDS = [word for text in TEXTS for word in text.split()]


def spoilt(random: Random) -> str:
    """Return a text that begins like one and ends like another, with some words that belong to neither or in no order."""
    begin, end = (random.choice(TEXTS).split() for _ in range(2))
    words = begin[: random.randrange(len(begin)) + 1] + end[random.randrange(len(end)) :]
    for _ in range(random.randrange(4)):
        words.insert(random.randrange(len(words) + 1), random.choice(WORDS))
    if random.random() < 0.1:
        random.shuffle(words)
    return random.choice((" ", " ", " ", "\n")).join(words)


@pytest.mark.parametrize("seed", range(4))
def test_any_words_are_read_and_stand_where_they_are_said_to(scorer: Scorer, seed: int) -> None:
    random = Random(seed)
    for _ in range(400):
        text = spoilt(random)
        reading = scorer.read(text)
        for part in (*reading.findings, *reading.unlinked, *reading.entities):
            assert text[part.start : part.end] == part.text != "", text
