"""What nobody would write is read too: pieces of gold texts, cut and joined anywhere, words put in, words out of order."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from random import Random

import pytest

from kgscore.engine import Scorer
from kgscore.linking.lexicon import Lexicon

TEXTS = sorted(
    text
    for path in (Path(__file__).parent.parent / "readings").glob("*.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines()
    for text in json.loads(line).get("texts") or [json.loads(line)["text"]]
)
SEEDS = range(4 if os.environ.get("KGSCORE_TESTS") == "all" else 2)
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


@pytest.mark.parametrize("seed", SEEDS)
def test_any_words_are_read_and_stand_where_they_are_said_to(scorer: Scorer, seed: int) -> None:
    random = Random(seed)
    for _ in range(400):
        text = spoilt(random)
        reading = scorer.read(text)
        for part in (*reading.findings, *reading.unlinked, *reading.entities):
            assert text[part.start : part.end] == part.text != "", text


# Kinds of words that say something, and plain orders in which any of them are put.
SAYING = frozenset(("F", "A", "M", "N", "Q", "change", "up", "down", "lost", "abnormal", "signalword", "seq", "sideword", "tip"))
ORDERS = (
    "{} {} is {}", "{} {} {}", "the {} {} is {} in the {}", "{} is {} and {}", "no {} or {} {}", "{} with {} of the {}",
    "no {} {} with {} are seen", "{}: {}, {} {}", "{} without {} on {}", "right {} is {}, left {} {}", "{} {} has been {}",
)  # fmt: skip


def by_kind(lexicon: Lexicon) -> list[list[str]]:
    """Return the forms of each kind: one with few forms comes up as often as one with many."""
    kinds: dict[str, list[str]] = {}
    for words, form in lexicon.phrases.items():
        if form is not None:
            for kind in SAYING.intersection(form.types):
                kinds.setdefault(kind, []).append(" ".join(words.split("\0")))
    return [sorted(forms) for _, forms in sorted(kinds.items())]


@pytest.mark.parametrize("seed", SEEDS)
def test_words_of_any_kinds_are_read_wherever_they_stand(scorer: Scorer, seed: int) -> None:
    random, kinds = Random(seed), by_kind(scorer.lexicon)
    for _ in range(1000):
        text = re.sub("{}", lambda _: random.choice(random.choice(kinds)), random.choice(ORDERS)) + "."
        for finding in scorer.read(text).findings:
            assert text[finding.start : finding.end] == finding.text != "", text
