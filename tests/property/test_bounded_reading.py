"""Whatever the text, reading and scoring end, raise nothing, keep offsets, and cost work that is linear in its length.

`make test` reads 2,000 random texts, `make fuzz` 200,000 (the environment variable KGSCORE_FUZZ; 65000:200000 leaves out
the first 65,000). Counting calls doubles the time of a reading, so calls are counted only where that many would fit into
the time taken.
"""

from __future__ import annotations

import os
import random
import sys
import time
import timeit

import pytest

from kgscore.engine import Scorer
from kgscore.io.records import clean

FIRST, TEXTS = map(int, f"0:{os.environ.get('KGSCORE_FUZZ', '2000')}".split(":")[-2:])
LONG = TEXTS > 2000
PARTS = 8
# Calls of Python functions: an ordinary sentence takes about 400 a word, the worst loop of three mentions 10,700.
CALLS_A_WORD, CALLS_AT_LEAST = 12_000, 100_000
# Half the seconds that a call of a function without a body takes: no function with a body is called in less.
SHORTEST_CALL = min(timeit.repeat("f()", "def f(): pass", number=20_000, repeat=5)) / 40_000
REFERENCE = "Small left pleural effusion. No pneumothorax. The heart is enlarged. 5 mm nodule in the right upper lobe."

# A word or more of every kind of mention.
MENTIONS = (
    "scarring", "fracture", "pleural effusion", "left lung", "vertebra", "both kidneys", "large", "patchy", "size", "signal",
    "normal", "clear", "xyzzy", "enlarged", "decreased", "left", "no", "without", "is absent", "is", "there is", "may be",
    "likely", "due to", "stable", "previously", "history of", "technique", "compared to", "3 mm", "5 x 7 cm", "T2", "tip", "L4-5",
    "segment 2", "in the", "of", "near", "except", "the largest", "catheter", "removed", "further imaging", "cannot exclude",
)  # fmt: skip
JOINTS = (" ", " and ", ", ", " or ", "; ", ". ", "\n", ": ", " (", " with ", " without ", " in the ", "/", " - ", " versus ")
# Markup, signs and characters that reports of models and hospital systems bring with them.
STRANGE = (
    "</s>", "[UNK]", "**", "### ", "| ", "\t", "\u00a0", "\u2028", "\ufeff", "\u0000", "\u202e", "☐", "✗", "->", "{", "}", '"',
    "```", "<think>", "&nbsp;", "\\n", "…", "，", "。", "é", "İ", "ß", "ﬁ", "½", "²", "\ud83d\ude00", "___",
    "XXXX", "?", "!", "=", "#", "(", ")",
)  # fmt: skip
SENTENCES = (
    "The heart is normal in size.", "There is a small right pleural effusion.", "No acute fracture or dislocation is seen.",
    "Impression: stable 8 mm nodule in the left lower lobe.", "L4-5: mild disc bulge without canal stenosis.",
    "Liver, spleen and pancreas are unremarkable.", "The tip of the endotracheal tube projects 4 cm above the carina.",
    "Scattered foci of T2 hyperintensity in both cerebral hemispheres, likely microangiopathy.",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def patterns_compiled(scorer: Scorer) -> None:
    """What is compiled for the first text that needs it is no work of that text."""
    scorer.read("Effusion: \u2611 Yes. \u2610 No")


@pytest.fixture(scope="module")
def unread(patterns_compiled: None) -> Scorer:
    """A scorer that has kept nothing of the texts that `scorer` has read."""
    other = Scorer()
    other.read("Effusion: \u2611 Yes. \u2610 No")
    return other


def calls(scorer: Scorer, text: str) -> int:
    """Return how many Python functions are called to read a text."""
    made = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal made
        made += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        scorer.read(text)
    finally:
        sys.setprofile(before)
    return made


def words(text: str) -> int:
    """Return how many words and signs a text may have."""
    return 1 + sum(not (one.isalnum() or one.isspace()) for one in text) + len(text.split()) + len(text) // 20


def check(scorer: Scorer, unread: Scorer, text: str) -> None:
    """Assert that a text is read in bounded work, with its offsets."""
    began = time.thread_time()
    reading = scorer.read(text)
    took, most = time.thread_time() - began, CALLS_AT_LEAST + CALLS_A_WORD * words(text)
    if took > most * SHORTEST_CALL:
        assert (made := calls(unread, text)) <= most, (made, ascii(text[:300]))
    plain = clean(text)
    for piece in (*reading.findings, *reading.unlinked):
        assert plain[piece.start : piece.end] == piece.text, ascii((piece, text))
        assert piece.text.strip(), ascii((piece, text))


@pytest.mark.parametrize("joint", JOINTS)
def test_loops_of_every_mention_are_read_in_linear_work(scorer: Scorer, unread: Scorer, joint: str) -> None:
    rng = random.Random(joint)
    for mention in MENTIONS if LONG else rng.sample(MENTIONS, 12):
        check(scorer, unread, (mention + joint) * 40)
    for mention in MENTIONS if LONG else rng.sample(MENTIONS, 2):
        check(scorer, unread, (mention + joint) * 5_000)
        check(scorer, unread, (mention + joint + rng.choice(MENTIONS) + rng.choice(JOINTS)) * 200)


@pytest.mark.parametrize(
    "candidate",
    ["consolidation and " * 500, "fracture or dislocation or " * 20, "mild " * 26 + "effusion.", "left lung, " * 50 + "nodule."],
)
def test_a_loop_as_candidate_is_scored(scorer: Scorer, candidate: str) -> None:
    assert scorer.score(reference=REFERENCE, candidate=candidate).status in ("scored", "failed")


def test_a_sentence_over_its_budget_is_told(scorer: Scorer) -> None:
    text = "fracture or dislocation or " * 20
    assert [step.fate for step in scorer.reader.trace(text)] == ["not composed: budget"]
    assert scorer.read(text).unlinked[0].text == text.strip()
    assert not scorer.read(text).findings


def test_a_long_natural_list_is_read_whole(scorer: Scorer) -> None:
    names = (
        "consolidation and pleural effusion and pneumothorax and cardiomegaly and pulmonary edema and atelectasis and scoliosis "
        "and rib fracture and hiatal hernia and emphysema and pneumomediastinum and aortic aneurysm and pulmonary embolism "
        "and ascites and bronchiectasis and cholelithiasis and hydronephrosis and splenomegaly and hepatic steatosis "
        "and osteopenia and kyphosis"
    )
    assert len(scorer.read(f"There is {names}.").findings) == names.count(" and ") + 1


def random_text(rng: random.Random, vocabulary: list[str]) -> str:
    """Return a text of mentions, words of the lexicon, strange signs, or parts of sentences, joined in any way."""
    parts = []
    for _ in range(rng.choice((3, 4, 6, 9))):
        kind = rng.random()
        sentence = rng.choice(SENTENCES)
        at = rng.randrange(len(sentence))
        parts.append(
            rng.choice(MENTIONS) if kind < 0.5
            else rng.choice(vocabulary) if kind < 0.7
            else rng.choice(STRANGE) if kind < 0.85
            else sentence[at : at + rng.randint(1, 60)]
        )  # fmt: skip
        parts.append(rng.choice(JOINTS))
    return "".join(parts) * (1 if rng.random() < 0.9 else 9)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_texts_are_read_and_scored(scorer: Scorer, unread: Scorer, part: int) -> None:
    rng = random.Random(part)
    vocabulary = sorted(scorer.lexicon.words)
    for number in range(TEXTS // PARTS):
        text = random_text(rng, vocabulary)
        if number < FIRST // PARTS:
            continue
        check(scorer, unread, text)
        if number % 10 == 0:
            result = scorer.score(reference=REFERENCE, candidate=text)
            assert result.status in ("scored", "failed"), ascii(text)
