"""Tokens: one normal form for spelling, number, hyphens and the possessive; measurements and levels kept whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.reading.tokens import MEASURE, NUMBER, WORD, normal_form, phrase_key, tokenize


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("oedema", "edema"), ("haematomas", "hematoma"), ("tumours", "tumor"), ("oesophageal", "esophageal"),
        ("opacities", "opacity"), ("masses", "mass"), ("vertebrae", "vertebra"), ("metastases", "metastasis"),
        ("ascites", "ascites"), ("pelvis", "pelvis"), ("disc", "disk"), ("Crohn's", "crohn"), ("grey", "gray"),
        ("ischaemic", "ischemic"), ("calcification", "calcification"),
    ],
)  # fmt: skip
def test_normal_form(word: str, form: str) -> None:
    assert normal_form(word) == form


@pytest.mark.parametrize(
    "wordings",
    [
        ("ground-glass opacities", "ground glass opacity"),
        ("sub-dural haematoma", "subdural hematoma"),
        ("pleural effusions", "the pleural effusion"),
        ("non-calcified nodule", "noncalcified nodules"),
        ("pneumo-thorax", "pneumothorax"),
    ],
)
def test_wordings_with_one_key(wordings: tuple[str, str]) -> None:
    assert phrase_key(wordings[0]) == phrase_key(wordings[1])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("4 mm", MEASURE), ("3.1 x 2.4 cm", MEASURE), ("3.1 × 2.4 × 2 cm", MEASURE), ("12 x 9", MEASURE),
        ("45 HU", MEASURE), ("50%", MEASURE), ("10-12 mm", MEASURE), ("7", NUMBER), ("L4-5", WORD), ("C5/6", WORD), ("7th", WORD),
    ],
)  # fmt: skip
def test_one_token(text: str, kind: int) -> None:
    (token,) = tokenize(text)
    assert (token.kind, token.start, token.end) == (kind, 0, len(text))


@pytest.mark.parametrize("wording", ["L4-5", "L4-L5", "L4/5", "L4/L5", "L4–5"])
def test_a_disc_level_is_one_thing_however_written(wording: str) -> None:
    assert [token.norm for token in tokenize(wording)] == ["l4-l5"]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(text=st.text(st.characters(codec="utf-8"), max_size=60), offset=st.integers(0, 9))
def test_tokens_lie_in_order_inside_any_text(text: str, offset: int) -> None:
    end = offset
    for token in tokenize(text, offset):
        assert end <= token.start < token.end <= offset + len(text)
        end = token.end
