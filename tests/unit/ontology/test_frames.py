"""Frames: several wordings written as one, in tables and cues."""

from __future__ import annotations

import pytest

from kgscore.errors import OntologyError
from kgscore.ontology.frames import wordings
from kgscore.ontology.tables import Form, line_terms


def test_a_frame_is_every_choice_of_its_words() -> None:
    assert wordings("solid {part/core} of [the] lesion") == [
        "solid part of the lesion", "solid part of lesion", "solid core of the lesion", "solid core of lesion",
    ]  # fmt: skip
    assert wordings("plain words") == ["plain words"]


def test_wordings_of_a_table_may_be_frames_also_of_a_side_and_beside_the_value_of_each() -> None:
    (term,) = line_terms("lobe | lobe | syn: {l/left} lobe=left; lobe", "anatomy", "chest", "a.tbl:1")
    assert term.synonyms == (Form("l lobe", "left"), Form("left lobe", "left"), Form("lobe"))
    one, two = line_terms("each n=1..2 | rib_{n} | rib {n} | abbr: {rib/costa} {n:roman}", "anatomy", "chest", "a.tbl:1")
    assert [form.text for form in (*one.hidden, *two.hidden)] == ["rib I", "costa I", "rib II", "costa II"]


@pytest.mark.parametrize("frame", ["{a/b", "a]", "[with {certainty/confidence}]"])
def test_a_broken_frame_is_named_with_its_line(frame: str) -> None:
    with pytest.raises(OntologyError, match=r"a\.tbl:7: '.*': write \{a/b\} for one of several words"):
        list(line_terms(f"lobe | lobe | syn: {frame}", "anatomy", "chest", "a.tbl:7"))
