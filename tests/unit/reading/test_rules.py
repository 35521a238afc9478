"""The reader as a whole: entities and relations, duplicates, and texts that are no ordinary report."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.engine import Scorer

WORDS = (
    "no", "not", "left", "the", "small", "effusion", "lung", "heart", "clear", "wobbly", "likely", "and", "or", "with",
    "of", "is", "T2", "4", "mm", ",", ".", "(", ")", "/", ":",
)  # fmt: skip


def test_entities_and_relations(scorer: Scorer) -> None:
    reading = scorer.read("Small effusion in the left lung. No pneumothorax.")
    kinds = {entity.text.lower(): entity.type for entity in reading.entities}
    assert kinds["effusion"] == "observation_present"
    assert kinds["pneumothorax"] == "observation_absent"
    assert kinds["small"] == "descriptor"
    assert any("lung" in text and kind == "anatomy" for text, kind in kinds.items())
    told = {(reading.entities[r.source].text.lower(), reading.entities[r.target].text.lower(), r.type) for r in reading.relations}
    assert ("small", "effusion", "modify") in told
    assert any(source == "effusion" and "lung" in target and kind == "located_at" for source, target, kind in told)


def test_exact_duplicates_are_dropped(scorer: Scorer) -> None:
    once, twice = (scorer.read(text).findings for text in ("Cardiomegaly.", "Cardiomegaly. The heart is enlarged."))
    assert once[0].concept == twice[0].concept
    assert len(once) == len(twice) == 1


@pytest.mark.parametrize("text", ["", " ", "\n\n", "1.", "...", "- \n- ", "Thank you.", "Le coeur est normal.", "\x00", "🫁"])
def test_nothing_said_is_no_error(scorer: Scorer, text: str) -> None:
    assert all(finding.concept is None for finding in scorer.read(text).findings)


def test_a_long_report_is_read(scorer: Scorer) -> None:
    assert len(scorer.read("No pleural effusion. Cardiomegaly. " * 3000).findings) == 3


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_order_of_words_is_read_with_offsets_inside_the_text(scorer: Scorer, words: list[str]) -> None:
    text = " ".join(words)
    reading = scorer.read(text)
    for part in (*reading.findings, *reading.unlinked, *reading.entities):
        assert 0 <= part.start < part.end <= len(text)
        assert text[part.start : part.end] == part.text
    for relation in reading.relations:
        assert max(relation.source, relation.target) < len(reading.entities)
