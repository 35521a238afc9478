"""Sections, sentences, bullets and headings, with their offsets."""

from __future__ import annotations

import pytest

from kgscore.reading.sections import FINDINGS, IMPRESSION, SILENT, sentences


def cut(report: str) -> list[str]:
    return [report[s.start : s.end] for s in sentences(report)]


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("FINDINGS", FINDINGS), ("Findings", FINDINGS), ("Report", FINDINGS), ("IMPRESSION", IMPRESSION),
        ("Conclusion", IMPRESSION), ("HISTORY", SILENT), ("Clinical information", SILENT), ("Indication", SILENT),
        ("TECHNIQUE", SILENT), ("Comparison", SILENT), ("Reason for exam", SILENT), ("Recommendation", SILENT),
    ],
)  # fmt: skip
@pytest.mark.parametrize("layout", ["{}: Left effusion.", "{}:\nLeft effusion.", "{}\nLeft effusion."])
def test_headings_open_sections(heading: str, section: str, layout: str) -> None:
    (sentence,) = sentences(layout.format(heading))
    assert sentence.section == section


def test_a_section_lasts_until_the_next_heading() -> None:
    report = "HISTORY: Cough. Fever.\nFINDINGS: Left effusion. Cardiomegaly.\nIMPRESSION: Effusion."
    assert [s.section for s in sentences(report)] == [SILENT, SILENT, FINDINGS, FINDINGS, IMPRESSION]


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("COMPARISON: None.\n\nThe heart is enlarged.\n\nIMPRESSION: Cardiomegaly.", [SILENT, FINDINGS, IMPRESSION]),
        ("HISTORY:\n\nCough.\n\nLeft effusion.\n\nIMPRESSION: Effusion.", [SILENT, FINDINGS, IMPRESSION]),
        ("TECHNIQUE: Two views.\nDiscussion: Left effusion.\nIMPRESSION: Effusion.", [SILENT, FINDINGS, IMPRESSION]),
    ],
)
def test_a_silent_section_ends_at_a_blank_line_and_at_any_heading(report: str, told: list[str]) -> None:
    assert [s.section for s in sentences(report)] == told


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("No effusion. No pneumothorax.", ["No effusion.", "No pneumothorax."]),
        ("A 1.5 cm nodule. Heart normal.", ["A 1.5 cm nodule.", "Heart normal."]),
        ("Unchanged vs. prior film. No effusion.", ["Unchanged vs. prior film.", "No effusion."]),
        ("- No effusion\n- Cardiomegaly", ["No effusion", "Cardiomegaly"]),
        ("1. No effusion.\n2. Cardiomegaly.", ["No effusion.", "Cardiomegaly."]),
        ("* Left effusion\n\n\n* Cardiomegaly", ["Left effusion", "Cardiomegaly"]),
        ("No effusion.\r\nCardiomegaly.", ["No effusion.", "Cardiomegaly."]),
        (
            "There is a small effusion at the left base which has not changed\nin size since. No pneumothorax.",
            ["There is a small effusion at the left base which has not changed\nin size since.", "No pneumothorax."],
        ),
        (
            " The trachea is in the midline. Drain in the right pleural space ends\n at the apex. No pneumothorax.",
            ["The trachea is in the midline.", "Drain in the right pleural space ends\n at the apex.", "No pneumothorax."],
        ),
        ("", []), (" \n\t", []), ("...", []),
    ],
)  # fmt: skip
def test_sentences(report: str, expected: list[str]) -> None:
    assert cut(report) == expected


@pytest.mark.parametrize(
    ("report", "label"), [("Pleura: No effusion.", "Pleura"), ("LUNGS: Clear.", "LUNGS"), ("- Heart: large.", "Heart")]
)
def test_an_organ_heading_is_a_label(report: str, label: str) -> None:
    (sentence,) = sentences(report)
    assert sentence.label is not None
    assert report[slice(*sentence.label)] == label


def test_bullets_are_marked() -> None:
    assert [s.bullet for s in sentences("- No effusion\nCardiomegaly.")] == [True, False]
