"""Mentions: an ambiguous form gets one meaning from its neighbours; lists share nouns; measurements get one form."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.reading.measurement import measurement
from kgscore.reading.mentions import Mention, mentions_of
from kgscore.reading.tokens import tokenize


def items(scorer: Scorer, text: str) -> list[Mention]:
    tokens = tokenize(text)
    return mentions_of(tokens, scorer.lexicon.scan(tokens), scorer.index)


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        ("no effusion", "no", "neg"),
        ("effusion is absent", "is absent", "negpost"),
        ("effusion in the lung", "effusion", "F"),
        ("effusion in the lung", "lung", "A"),
        ("small effusion", "small", "M"),
        ("left effusion", "left", "sideword"),
        ("4 mm nodule", "4 mm", "meas"),
        ("effusion is unchanged", "unchanged", "change"),
        ("likely pneumonia", "likely", "hedge"),
        ("wobbly blotch", "wobbly", "W"),
        ("the size of the heart is increased", "size", "Q"),
        ("lungs are clear except for a nodule", "except for", "except"),
    ],
)
def test_kinds(scorer: Scorer, text: str, form: str, kind: str) -> None:
    assert [item.kind for item in items(scorer, text) if text[item.start : item.end].endswith(form)] == [kind]


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("mediastinal and hilar lymph nodes", 2),
        ("anterior and posterior cruciate ligaments", 2),
        ("fifth and sixth ribs", 2),
        ("ribs 8 and 9", 2),
        ("frontal, parietal and temporal lobes", 3),
    ],
)
def test_lists_share_their_noun(scorer: Scorer, text: str, concepts: int) -> None:
    found = scorer.read(f"Normal {text}.").findings
    assert len({site for finding in found for site in finding.sites}) == concepts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 mm", ("length", "12 mm")), ("1.2 cm", ("length", "12 mm")), ("2.1 × 1.8 cm", ("length", "21 x 18 mm")),
        ("3 x 4 x 5 mm", ("length", "3 x 4 x 5 mm")), ("10-12 mm", ("length", "10-12 mm")), ("60 %", ("percent", "60%")),
        ("20 degrees", ("angle", "20 degrees")), ("45 HU", ("density", "45 HU")),
    ],
)  # fmt: skip
def test_measurements(text: str, expected: tuple[str, str]) -> None:
    assert measurement(text) == expected


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("high signal on T2", "t2_hyperintensity"),
        ("hypointense on T1", "t1_hypointensity"),
        ("bright on FLAIR", "flair_hyperintensity"),
        ("T1 hyperintense", "t1_hyperintensity"),
    ],
)
def test_sequence_and_signal_make_one_finding(scorer: Scorer, text: str, concept: str) -> None:
    assert [finding.concept for finding in scorer.read(f"There is a lesion, {text}.").findings][-1:] == [concept]
