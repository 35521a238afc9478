"""Contexts: from records and from the report's own sections."""

import pytest

from kgscore.clinical.context import Context, age_in_years, context_from_report, context_of
from kgscore.errors import InputError


@pytest.mark.parametrize(
    ("told", "age"),
    [
        ("84 years", 84), ("5 months", 5 / 12), ("3-year-old", 3), (71, 71), ("12 days", 12 / 365.25), ("6 weeks", 6 / 52.18),
        ("34 y/o", 34), ("0", 0), ("newborn", 0), ("67yo", 67), ("2.5", 2.5), (True, None), ("old", None), (-1, None),
    ],
)  # fmt: skip
def test_ages_are_read_as_years(told: object, age: float | None) -> None:
    assert age_in_years(told) == (None if age is None else pytest.approx(age))


@pytest.mark.parametrize("values", [{"weight": "80"}, {"age": "old"}, {"setting": 3}, {"indication": ["cough"]}])
def test_a_context_that_cannot_be_used_is_refused_without_its_words(values: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"^context: ") as told:
        context_of(values)
    assert "cough" not in str(told.value)


@pytest.mark.parametrize(
    ("report", "context"),
    [
        ("HISTORY: 72-year-old woman with cough.\nFINDINGS: Clear.", (72, "female", "72-year-old woman with cough.", "", "")),
        ("INDICATION: 45M, fall.\n\nTECHNIQUE: CT without contrast.\n\nFINDINGS: No fracture.",
         (45, "male", "45M, fall.", "CT without contrast.", "")),
        ("EXAM: Portable chest, ICU.\nFINDINGS: Tube in place.", (None, "", "", "Portable chest, ICU.", "icu")),
        ("Reason for exam: status post thoracentesis.\nFindings: No pneumothorax.",
         (None, "", "status post thoracentesis.", "", "")),
        ("CLINICAL INFORMATION: 6 month old boy, fever. Emergency department.\nFINDINGS: Normal.",
         (0.5, "male", "6 month old boy, fever. Emergency department.", "", "emergency")),
        ("COMPARISON: Film before bypass surgery.\nFINDINGS: Wires.", (None, "", "", "Film before bypass surgery.", "")),
        ("The heart is enlarged. No effusion.", (None, "", "", "", "")),
    ],
)  # fmt: skip
def test_a_report_tells_its_context_in_its_own_sections(report: str, context: tuple[object, ...]) -> None:
    assert context_from_report(report) == Context(*context)  # type: ignore[arg-type]


def test_what_the_record_says_wins_over_the_report() -> None:
    told = context_from_report("INDICATION: 72-year-old woman with cough. FINDINGS: Clear.")
    known = context_of({"age": 30, "setting": "ICU"}).over(told)
    assert known == Context(30.0, "female", "72-year-old woman with cough.", "", "ICU")


def test_a_scorer_takes_a_context_as_plain_values(clinical) -> None:
    texts = {"reference": "Coronary artery calcification.", "candidate": "No coronary calcification."}
    given = {"age": 78}
    one, other = (clinical.score(**texts, context=context) for context in (given, context_of(given)))
    assert one.verdict == other.verdict != clinical.score(**texts).verdict
    with pytest.raises(InputError, match="unknown key 'wing'"):
        clinical.score(**texts, context={"wing": "east"})
