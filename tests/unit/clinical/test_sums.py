"""The arithmetic of the verdict on plain values: sums, the figures of a system, numbers outside findings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgscore.clinical.numbers import measured, wrong_numbers
from kgscore.clinical.score import score_of, weighed
from kgscore.clinical.settings import settings
from kgscore.clinical.system import profile_of
from kgscore.model import Detail, Finding
from kgscore.verdict import Aligned, Error, Verdict

S = settings()


def test_the_score_is_what_is_credited_of_all() -> None:
    found = [Aligned("", "correct", 2, credit=3.0), Aligned("", "missed", 3, cost=4.0), Aligned("", "invented", 4, cost=5.0)]
    assert score_of([], S) == 1.0
    assert score_of(found, S) == pytest.approx((S.repute + 3) / (S.repute + 3 + 4 + 5))


def test_factors_multiply_what_errors_cost() -> None:
    doubtful = Aligned("", "missed", 2, credit=1.0, cost=4.0, doubts=("unread words",))
    costs = {"missed": 2.0, "invented": 0.5, "doubtful": 0.25}
    sure = replace(doubtful, doubts=())
    found = weighed([doubtful, sure, replace(sure, category="invented")], replace(S, factors=costs))
    assert [(one.credit, one.cost) for one in found] == [(1.0, 2.0), (1.0, 8.0), (1.0, 2.0)]


# ---- figures of a system ---------------------------------------------------------------------------------------------
def aligned(what: str, category: str, tier: int, *errors: Error) -> Aligned:
    sides = {"reference": () if category == "invented" else (0,), "candidate": () if category == "missed" else (0,)}
    return Aligned(what, category, tier, errors=errors, **sides)  # type: ignore[arg-type]


MAJOR, MINOR = Error("side", True, 0.8, ""), Error("certainty", False, 0.08, "")
FIRST = Verdict(
    "",
    (
        aligned("left pneumothorax", "missed", 4, Error("presence", True, 1.0, "")),
        aligned("right pneumothorax", "wrong", 4, MAJOR, MINOR),
        aligned("pleural effusion", "correct", 2),
        aligned("nodule", "minor", 3, MINOR),
        aligned("mass", "invented", 3, Error("presence", True, 1.0, "")),
        aligned("osteophyte", "missed", 1, Error("presence", True, 1.0, "")),
    ),
    ((4, False), (2, True), (3, True), (3, False)),
)
SECOND = Verdict("", (aligned("pneumothorax", "missed", 4, Error("presence", True, 1.0, "")),), ((1, True),))
FIGURES = profile_of([(FIRST, ["chest"] * 5 + ["spine"], "CT"), (SECOND, ["chest"], ""), (Verdict("", (), ()), [], "CT")])


def test_actionable_errors_are_counted_by_report() -> None:
    assert (FIGURES["reports"], FIGURES["of_reports"], FIGURES["actionable_errors"]) == (3, (3, 1, 0), pytest.approx(4 / 3))
    assert profile_of([])["actionable_errors"] is None
    assert profile_of([])["sure_errors"] is None


def test_sure_errors_are_those_without_doubts() -> None:
    doubtful = replace(FIRST, findings=(replace(FIRST.findings[0], doubts=("unread words",)), *FIRST.findings[1:]))
    found = profile_of([(doubtful, ["chest"] * 5 + ["spine"], "CT"), (SECOND, ["chest"], "")])
    assert (found["actionable_errors"], found["sure_errors"]) == (2.0, 1.5)


def test_recall_is_of_the_reference_and_precision_of_the_candidate_by_tier() -> None:
    assert FIGURES["actionable_recall"] == {"right": 2, "of": 5, "share": 2 / 5}
    assert FIGURES["triage_recall"] == {"right": 1, "of": 4, "share": 1 / 4}
    assert FIGURES["actionable_precision"] == {"right": 2, "of": 4, "share": 1 / 2}
    assert FIGURES["triage_precision"] == {"right": 1, "of": 3, "share": 1 / 3}
    assert profile_of([])["triage_recall"] == {"right": 0, "of": 0, "share": None}


def test_tiers_count_findings_by_category() -> None:
    none = dict.fromkeys(("missed", "wrong", "invented", "minor", "correct"), 0)
    assert FIGURES["tiers"] == {
        "4": {**none, "missed": 2, "wrong": 1}, "3": {**none, "minor": 1, "invented": 1}, "2": {**none, "correct": 1},
        "1": {**none, "missed": 1},
    }  # fmt: skip
    assert list(FIGURES["tiers"]) == ["4", "3", "2", "1"]


def test_a_dimension_counts_the_findings_that_were_answered_and_presence_all() -> None:
    assert FIGURES["dimensions"]["side"] == {"clean": 2, "minor": 0, "major": 1}
    assert FIGURES["dimensions"]["certainty"] == {"clean": 1, "minor": 2, "major": 0}
    assert FIGURES["dimensions"]["presence"] == {"clean": 3, "minor": 0, "major": 4}


def test_errors_are_named_without_their_side_the_most_frequent_first() -> None:
    row = {"missed": 0, "wrong": 0, "invented": 0}
    pneumothorax, mass = FIGURES["findings"]
    assert pneumothorax == {"name": "pneumothorax", **row, "missed": 2, "wrong": 1}
    assert mass == {"name": "mass", **row, "invented": 1}
    assert FIGURES["regions"] == [{"name": "chest", "missed": 2, "wrong": 1, "invented": 1}]
    assert FIGURES["modalities"] == [{"name": "CT", "missed": 1, "wrong": 1, "invented": 1}]


# ---- numbers outside findings ----------------------------------------------------------------------------------------
def wrong(reference: str, candidate: str) -> list[tuple[str, int, bool, float]]:
    texts = ([*measured(text, ())] for text in (reference, candidate))
    return [(one.text, tier, error.major, error.share) for one, tier, error in wrong_numbers(*texts, S)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Portal vein 12 mm.", [("mm", 12.0)]),
        ("Portal vein 1.2 cm; spleen 11 cm.", [("mm", 12.0), ("mm", 110.0)]),
        ("Ejection fraction 55 %.", [("%", 55.0)]),
        ("Ejection fraction 55.", []),  # a bare whole number may be anything
        ("Resistive index 0.7", [("", 0.7)]),
        ("Peak velocity 90 cm/s", [("cm/s", 90.0)]),
        ("12 mm", []),  # nothing names it
        ("Portal vein 12 mmHg", []),
        ("Version 1.2.3 of it", []),
        ("Portal vein measures 12 mm: which is 13 mm", [("mm", 12.0)]),  # nothing in its clause names the second
    ],
)
def test_numbers_are_found_with_their_unit(text: str, found: list[tuple[str, float]]) -> None:
    assert [(one.unit, one.value) for one in measured(text, ())] == found
    assert all(text[one.start : one.end].strip() == one.text for one in measured(text, ()))


def test_a_number_that_a_finding_holds_is_left_to_it() -> None:
    nodule = Finding("12 mm nodule", 0, 12, "nodule", "nodule", details=(Detail("length", "12 mm", "12 mm"),))
    bare = Finding("nodule", 6, 12, "nodule", "nodule")
    text = "A big 12 mm nodule. Portal vein 14 mm."
    held = [Finding(text[2:18], 2, 18, "nodule", "nodule", details=nodule.details)]
    assert [one.value for one in measured(text, held)] == [14.0]
    assert [one.value for one in measured(text, [bare])] == [12.0, 14.0]
    tube = Finding("Tube 4 cm above", 0, 15, "tube", "tube", details=(Detail("distance", "40 mm", "40 mm above"),))
    assert not [*measured("Tube 4 cm above the carina.", [tube])]


def test_a_number_across_two_thresholds_costs_more_than_across_one() -> None:
    two = S.size_share(42, 64, 2)
    assert two == pytest.approx(1 - (1 - S.shares["size_threshold"]) ** 2)
    assert two > S.size_share(42, 47, 1) == pytest.approx(S.shares["size_threshold"])


@pytest.mark.parametrize(
    ("ours", "theirs", "major"),
    [(10, 19, False), (10, 20, True), (10, 25, True), (10, 29, True), (20, 10, True), (19, 10, False)],
)
def test_a_number_that_is_grossly_wrong_is_major(ours: int, theirs: int, major: bool) -> None:
    ((text, tier, found, share),) = wrong(f"Portal vein {ours} mm.", f"Portal vein {theirs} mm.")
    assert (text, tier, found) == (f"{ours} mm", 1, major)
    assert share == pytest.approx(S.shares["size"] * S.apart(*sorted((ours, theirs))))


def test_a_threshold_gives_a_number_its_tier() -> None:
    ((_, tier, major, share),) = wrong("Nuchal translucency 3.2 mm.", "Nuchal translucency 3.6 mm.")
    assert (tier, major) == (3, True)
    assert share == pytest.approx(S.shares["size_threshold"])  # more than by their ratio
    ((_, tier, major, _),) = wrong("Nuchal translucency 1.6 mm.", "Nuchal translucency 1.8 mm.")
    assert (tier, major) == (1, False)


@pytest.mark.parametrize(
    ("reference", "candidate", "count"),
    [
        ("Portal vein 12 mm.", "Portal vein 1.2 cm.", 0),
        ("Portal vein 12 mm.", "Common bile duct 4 mm.", 0),
        ("Portal vein 12 mm.", "Portal vein 12 %.", 0),
        ("Portal vein 12 mm.", "The portal vein diameter is 14 mm.", 1),
        ("Mitral valve 12 mm.", "Mitral valves 14 mm.", 1),  # a word is known by its first letters
        ("Portal vein 12 mm. Portal vein 15 mm.", "Portal vein 15 mm. Portal vein 12 mm.", 0),
        ("Portal vein 12 mm. Portal vein 15 mm.", "Portal vein 14 mm.", 1),  # each number answers one
        ("Portal vein 15 mm.", "Portal vein 9 mm. Portal vein 15 mm.", 0),  # by the nearest
    ],
)
def test_numbers_of_one_name_and_unit_are_compared(reference: str, candidate: str, count: int) -> None:
    assert len(wrong(reference, candidate)) == count


def test_how_far_numbers_are_apart() -> None:
    assert S.apart(10, 10) == 0.0
    assert S.apart(1, S.size_far) == S.apart(1, 10 * S.size_far) == S.apart(0, 3) == 1.0
    assert S.apart(5, 10) == pytest.approx(S.apart(1, 2))
