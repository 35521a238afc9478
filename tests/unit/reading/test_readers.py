"""Readers by name: what each is, that its identity signs scores, and how it tells what it read."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.reading.protocol import Reader, Traced
from kgscore.reading.readers import DEFAULT, reader_named, reader_of
from kgscore.reading.rules import RULES
from kgscore.reading.trace import shown


def test_the_default_reader_signs_scores(scorer: Scorer) -> None:
    assert dict(RULES) == {"reader": "rules"}
    assert scorer.signature["reader"] == scorer.reader.identity["reader"]


def test_no_such_reader_is_one_line_that_says_which_there_are(scorer: Scorer) -> None:
    with pytest.raises(InputError, match=r"no reader 'none-such'.*default"):
        reader_of("none-such", scorer.index, scorer.lexicon)


def test_a_reader_by_name_reads_as_the_default_does(scorer: Scorer) -> None:
    reader: Reader = reader_of(DEFAULT, scorer.index, scorer.lexicon)
    text = "Small left pleural effusion. No pneumothorax."
    assert reader.read(text).findings == scorer.read(text).findings


def test_a_signature_gives_the_name_back(scorer: Scorer) -> None:
    assert reader_named(scorer.signature) == DEFAULT
    assert reader_named({"reader": "a model of one's own"}) == DEFAULT


def test_the_trace_holds_every_finding_with_its_sentence(scorer: Scorer) -> None:
    reader = scorer.reader
    assert isinstance(reader, Traced)
    steps = reader.trace("Small left pleural effusion. No pneumothorax.")
    assert [len(step.findings) for step in steps] == [1, 2]
    assert "present pleural effusion @ pleural_space (left); small" in shown(steps[0])
    assert shown(steps[1]).startswith("29-45  No pneumothorax.")
