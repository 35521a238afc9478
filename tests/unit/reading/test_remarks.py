"""What becomes of every sentence: nothing is passed over without a name."""

from __future__ import annotations

import pytest

from kgscore.authoring.coverage import Coverage
from kgscore.engine import Scorer
from kgscore.reading.protocol import Traced
from kgscore.reading.remarks import ADVICE, COMPARISON, FINDINGS, HEADING, HISTORY, NOT_COMPOSED, QUALITY, REFUSAL, TECHNIQUE

LOST = "The heart and the trachea."


def fates(scorer: Scorer, report: str) -> list[tuple[str, str]]:
    assert isinstance(scorer.reader, Traced)
    return [(step.sentence, step.fate) for step in scorer.reader.trace(report)]


@pytest.mark.parametrize(
    ("sentence", "fate"),
    [
        ("Small left effusion.", FINDINGS),
        ("The study is limited by motion.", QUALITY),
        ("Follow-up is recommended.", ADVICE),
        ("Consider further imaging.", ADVICE),
        ("Portable film obtained.", TECHNIQUE),
        (LOST, NOT_COMPOSED),
    ],
)
def test_a_sentence_ends_as_what_it_is(scorer: Scorer, sentence: str, fate: str) -> None:
    assert fates(scorer, sentence) == [(sentence, fate)]


@pytest.mark.parametrize(
    ("heading", "fate"),
    [
        ("INDICATION", HISTORY), ("TECHNIQUE", TECHNIQUE), ("COMPARISON", COMPARISON), ("RECOMMENDATIONS", ADVICE),
        ("LIMITATIONS", QUALITY),
    ],
)  # fmt: skip
def test_a_section_without_findings_says_which_kind_of_remarks_it_holds(scorer: Scorer, heading: str, fate: str) -> None:
    found = fates(scorer, f"{heading}: Something of 2019.\nFINDINGS: Small left effusion.")
    assert found == [("Something of 2019.", fate), ("Small left effusion.", FINDINGS)]


def test_headings_and_refusals_have_names_too(scorer: Scorer) -> None:
    assert fates(scorer, "LEFT KNEE\nSmall effusion.")[0] == ("LEFT KNEE", HEADING)
    assert fates(scorer, "I cannot assess this image.")[0][1] == REFUSAL


def test_every_sentence_is_in_the_trace_in_order(scorer: Scorer) -> None:
    report = f"INDICATION: Cough.\n{LOST} Small left effusion. Follow-up is recommended.\nCOMPARISON: None."
    assert isinstance(scorer.reader, Traced)
    begins = [step.offset + step.begin for step in scorer.reader.trace(report)]
    assert begins == sorted(begins)
    assert [fate for _, fate in fates(scorer, report)] == [HISTORY, NOT_COMPOSED, FINDINGS, ADVICE, COMPARISON]


def test_a_sentence_that_was_not_composed_is_unlinked_with_its_words(scorer: Scorer) -> None:
    reading = scorer.read(f"Small left effusion. {LOST}")
    assert [(one.text, one.start) for one in reading.unlinked] == [(LOST, 21)]


def test_coverage_counts_fates_and_lists_what_was_lost(scorer: Scorer) -> None:
    found = Coverage(scorer)
    found.add(f"{LOST} Small left effusion. {LOST}")
    found.add(f"{LOST} No pneumothorax.")
    assert dict(found.fates) == {NOT_COMPOSED: 3, FINDINGS: 2}
    assert [(one.sentence, one.count, one.reports, one.holds) for one in found.lost_sentences()] == [(LOST.lower(), 3, 2, False)]
