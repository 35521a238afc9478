"""The same text is read alike by every door: in Python, in batches, from files, and from the explorer."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from kgscore import Scorer
from kgscore.cli import main
from kgscore.io.in_memory import pairs_in_memory
from kgscore.io.records import clean
from kgscore.model import PairResult

WORDS = (
    "Small left pleural effusion.", "No pneumothorax.", "The heart is enlarged.", "Right lower lobe consolidation, 2.5 cm.",
    "Possible rib fracture.", "Lungs are clear.", "FINDINGS: Moderate ascites.",
)  # fmt: skip
HOSTILE = (
    "\x00", "\x01", "\x07", "\x08", "\t", "\x0b", "\x0c", "\x1b[31m", "\x1b]0;x\x07", "\x1c", "\x1f", "\x7f", "\x80",
    "\x85", "\x9b1m", "\xa0", "\xad", "\r", "\r\n", "\n", "\n\r", "\u2028", "\u2029", "\u200b", "\u202e", "\ufeff", "\ud800",
    "\udbff", "\udc80", "\udcff", "\udfff", "\ud83d\ude00", "\U0001f600", "\u0301",
)  # fmt: skip
COUNT = 300


def hostile() -> list[str]:
    """Texts with odd characters between words, in words and at the ends."""
    draw = random.Random(35)
    made = []
    for _ in range(COUNT):
        text = " ".join(draw.sample(WORDS, draw.randint(1, 3)))
        for _ in range(draw.randint(1, 4)):
            at = draw.choice([0, len(text), text.find(" ") + 1, draw.randint(0, len(text))])
            text = text[:at] + draw.choice(HOSTILE) + text[at:]
        made.append(text)
    return made


TEXTS = hostile()
PLAIN = [clean(text) for text in TEXTS]
PAIRS = [(one, TEXTS[at - 1]) for at, one in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def engine() -> Scorer:
    return Scorer(remember=4 * COUNT)


@pytest.fixture(scope="module")
def expected(engine: Scorer) -> list[PairResult]:
    """What a batch makes of the pairs."""
    return list(engine.score_many([{"id": str(n), "reference": a, "candidate": b} for n, (a, b) in enumerate(PAIRS)]))


def test_cleaning_keeps_every_offset() -> None:
    assert [len(text) for text in PLAIN] == [len(text) for text in TEXTS]
    assert any(text != plain for text, plain in zip(TEXTS, PLAIN, strict=True))


def test_a_batch_refuses_none(expected: list[PairResult]) -> None:
    assert len(expected) == COUNT
    assert not [result.reason for result in expected if "internal" in result.reason or "UTF-8" in result.reason]


def test_reading_scoring_and_labels_agree_with_a_batch(engine: Scorer, expected: list[PairResult]) -> None:
    for n, (a, b) in enumerate(PAIRS):
        assert engine.score(reference=a, candidate=b, id=str(n)) == expected[n], ascii(a)
        if expected[n].reference is not None:
            assert engine.read(a) == expected[n].reference, ascii(a)


@pytest.mark.parametrize("door", ["read", "relate", "entails", "labels", "consistency", "correct", "contributions"])
def test_a_text_is_taken_as_if_it_were_clean(engine: Scorer, expected: list[PairResult], door: str) -> None:
    def through(n: int, a: str, b: str) -> Any:
        if door in ("read", "labels", "consistency"):
            return getattr(engine, door)(a)
        if door == "correct":
            return engine.correct(reference=a, candidate=b)
        if door == "contributions":
            return engine.contributions(expected[n], reference=a, candidate=b)
        return getattr(engine, door)(a, b)

    for n, (a, b) in enumerate(PAIRS):
        assert through(n, a, b) == through(n, clean(a), clean(b)), ascii((a, b))


def test_lists_of_lines_are_cleaned(engine: Scorer) -> None:
    lines = ["Small left\x1b effusion.", "No\ud800pneumothorax."]
    plain = [clean(line) for line in lines]
    assert engine.correct(reference="Ascites.", candidate=lines) == engine.correct(reference="Ascites.", candidate=plain)


def test_two_lists_and_mappings_agree() -> None:
    records = [*pairs_in_memory(None, [a for a, _ in PAIRS], [b for _, b in PAIRS])]
    mappings = [*pairs_in_memory([{"id": n, "reference": a, "candidate": b} for n, (a, b) in enumerate(PAIRS, 1)], None, None)]
    assert [r.fields for r in records] == [m.fields for m in mappings]  # type: ignore[union-attr]


def test_files_agree_with_python(tmp_path: Path, expected: list[PairResult], capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.jsonl"
    rows = [{"id": str(n), "reference": a, "candidate": b, "note": a} for n, (a, b) in enumerate(PAIRS)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="ascii")
    main(["score", str(file), "--metrics", "radsem", "--output", str(tmp_path / "run"), "-q"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["status"], line["scores"]["radsem"]) for line in lines] == [
        (result.status, result.scores["radsem"].value) for result in expected
    ]


def test_the_explorer_agrees_with_python(engine: Scorer, expected: list[PairResult]) -> None:
    scoring = pytest.importorskip("kgscore.serve.scoring", reason="the extra 'serve' is not installed")
    from kgscore.serve.api import Pair

    process = scoring.ScoringProcess(10)
    try:
        for n in range(0, COUNT, 6):
            a, b = PAIRS[n]
            pair = Pair.model_validate({"reference": a, "candidate": b})
            view = process.score("default", ("radsem",), pair.reference, pair.candidate, 20)
            (score,) = view["scores"]
            assert (view["status"], score["value"]) == (expected[n].status, expected[n].scores["radsem"].value)
            json.dumps(view, ensure_ascii=False).encode()
            assert process.score("default", ("radsem",), a, b, 20) == view  # what comes as it is, is cleaned there
    finally:
        process.close()
