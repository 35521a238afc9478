"""Which errors of a verdict are doubtful: by words that were not understood, and by those of the other report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgscore.knowledge import load_knowledge
from kgscore.metrics.base import Matched
from kgscore.metrics.doubt import with_doubts
from kgscore.model import Finding, Reading, Unlinked
from kgscore.verdict import Aligned, Dimension, Error

INDEX = load_knowledge().index
SAID = "A crescentic dense collection lies beneath the left parietal bone."
INTERPRETED = Finding(SAID[2:33], 2, 33, "subdural_hematoma", "subdural hematoma", ("parietal_bone",), "left")


def doubts(reference: str, read: Finding | None = None, own: Finding = INTERPRETED, unlinked: tuple[Unlinked, ...] = ()) -> str:
    """Return why the one invented finding of a candidate is doubtful beside a reference that was read as given."""
    pair = Matched(
        Reading((read,) if read else ()), Reading((own,), unlinked), (), reference_text=reference, candidate_text=SAID
    )
    (one,) = with_doubts(INDEX, pair, [Aligned(own.label, "invented", 3, candidate=(0,))])
    return "; ".join(one.doubts)


def opacity(text: str) -> Finding:
    return Finding(text, 0, len(text), "osteosclerosis", "osteosclerosis", ("parietal_bone",), "left")


SAME = "Crescentic dense collection beneath the left parietal bone, with a smooth inner border."


def test_an_error_is_doubtful_where_the_other_report_says_nearly_the_same() -> None:
    assert doubts(SAME, opacity(SAME)) == f"doubtful: the reference says nearly the same, “{SAME}”"
    assert doubts(SAME) == f"doubtful: the reference says nearly the same, “{SAME}”"  # which was not understood


@pytest.mark.parametrize(
    "reference",
    [
        SAME.replace("left", "right"),
        f"No {SAME[0].lower()}{SAME[1:]}",
        "A crescentic dense collection lies beneath the left frontal bone.",  # another place
        "The left parietal bone is thin.",  # too few words
        "Collection.",
    ],
)
def test_other_words_sides_places_and_denials_leave_an_error_sure(reference: str) -> None:
    assert doubts(reference) == ""


def test_both_sides_include_each() -> None:
    assert doubts("Bilateral crescentic dense collections beneath the parietal bones on the right and elsewhere.")


@pytest.mark.parametrize(
    ("reference", "dimension", "doubtful"),
    [
        (SAME, "presence", True),
        (SAME.replace("parietal", "frontal") + " The parietal bone is thin.", "presence", False),  # the place, in one sentence
        (SAME, "side", False),
        (SAME, "size", False),
    ],
)
def test_a_wrong_finding_is_doubtful_in_class_or_place_only(reference: str, dimension: Dimension, doubtful: bool) -> None:
    read = opacity(SAME)
    pair = Matched(Reading((read,)), Reading((INTERPRETED,)), (), reference_text=SAID, candidate_text=reference)
    error = Error(dimension, True, 0.5, "another")
    (one,) = with_doubts(INDEX, pair, [Aligned("osteosclerosis", "wrong", 3, (0,), (0,), (error,))])
    assert bool(one.doubts) is doubtful


def test_the_name_of_the_finding_must_be_said_where_its_own_sentence_says_it() -> None:
    own = Finding(SAID[2:33], 2, 33, "collection", "collection", ("parietal_bone",), "left")
    assert doubts("A crescentic dense mass lies beneath the left parietal bone.", own=own) == ""
    assert doubts("A crescentic dense collection is beneath the left parietal bone.", own=own)


def test_an_error_is_doubtful_where_the_other_report_says_it_of_another_place() -> None:
    elsewhere = "Another dense collection surrounds the orbit."
    read = Finding(elsewhere, 0, len(elsewhere), "subdural_hematoma", "subdural hematoma", ("orbit",))
    assert doubts(elsewhere, read) == "doubtful: the reference says the same of another place"
    assert doubts(elsewhere, Finding(elsewhere, 0, 9, "subdural_hematoma", "subdural hematoma", ("orbit",), "right")) == ""
    assert doubts("Subdural hematoma.", Finding("Subdural hematoma", 0, 17, "subdural_hematoma", "subdural hematoma")) == ""


@pytest.mark.parametrize(
    ("reference", "sure"),
    [
        ("Blood in the subdural space deep to the left parietal bone.", False),  # "subdural blood" is a wording of it
        ("No blood in the subdural space. The left parietal bone is thin.", True),
        ("Blood in the subdural space deep to the right parietal bone.", True),
        ("Blood in the subdural space.", True),  # the place is not said
        ("Blood deep to the left parietal bone.", True),
    ],
)
def test_an_error_is_doubtful_where_the_other_report_has_the_words_of_a_wording(reference: str, sure: bool) -> None:
    expected = "" if sure else f"doubtful: the reference has words for it in “{reference}”"
    assert doubts(reference) == expected


def test_an_error_beside_words_without_a_concept_is_doubtful() -> None:
    assert doubts("Normal.", unlinked=(Unlinked("crescentic", 2, 12),)) == "doubtful: no concept covers “crescentic” beside it"


def test_half_of_the_words_make_a_denied_error_doubtful_unless_the_sentence_reports_what_is_missed() -> None:
    other = "Crescentic dense collection deep to the left parietal bone, presumably old, with calcified walls."
    thinning = Finding("calcified", 86, 95, "calcification", "calcification", ("parietal_bone",), "left")
    denial = Finding("no haematoma", 0, 3, "subdural_hematoma", "subdural hematoma", status="absent")
    pair = Matched(
        Reading((denial, thinning)), Reading((INTERPRETED,)), (), reference_text=other, candidate_text=SAID
    )
    invented = Aligned("subdural hematoma", "invented", 3, (0,), (0,))
    assert next(with_doubts(INDEX, pair, [invented])).doubts == (f"doubtful: the reference says nearly the same, “{other}”",)
    missed = Aligned("calcification", "missed", 2, (1,))
    assert next(with_doubts(INDEX, pair, [invented, missed])).doubts == ()


def test_the_sentence_that_denies_an_error_does_not_say_nearly_the_same() -> None:
    said = "The eyes are normal and a hematoma lies in the left orbit."
    own = Finding("hematoma lies in the left orbit", 26, 57, "orbital_hematoma", "orbital hematoma", ("orbit",), "left")
    text = "No hematoma in the left orbit."
    denial = Finding(text[3:29], 3, 29, "orbital_hematoma", "orbital hematoma", ("orbit",), "left", status="absent")
    pair = Matched(Reading((denial,)), Reading((own,)), (), reference_text=text, candidate_text=said)
    (one,) = with_doubts(INDEX, pair, [Aligned("orbital hematoma", "invented", 4, (0,), (0,))])
    assert one.doubts == ()


def denied(denial: Finding, own: tuple[Finding, ...], missed: Finding) -> tuple[str, ...]:
    """Return why an invented finding is doubtful that the reference denies, where it misses another one."""
    pair = Matched(Reading((denial, missed)), Reading(own), (), reference_text="Read.", candidate_text=SAID)
    found = [Aligned("subdural hematoma", "invented", 3, (0,), (0,)), Aligned("mass", "missed", 2, (1,))]
    return next(with_doubts(INDEX, pair, found)).doubts


def test_a_denied_error_is_doubtful_where_both_deny_it_or_the_denial_is_of_something_else() -> None:
    absent = Finding("no haematoma", 0, 5, "subdural_hematoma", "subdural hematoma", status="absent")
    narrowing = Finding("no narrowing", 0, 5, "narrowing", "narrowing", status="absent")
    there, elsewhere = (Finding("mass", 0, 4, "mass", "mass", (site,)) for site in ("parietal_bone", "orbit"))
    assert denied(absent, (INTERPRETED,), there) == ()
    assert denied(absent, (INTERPRETED, absent), there) == ("doubtful: the candidate denies it too",)
    assert denied(narrowing, (INTERPRETED,), there) == (
        "doubtful: the reference denies something else, and reports another finding there",
    )
    assert denied(narrowing, (INTERPRETED,), elsewhere) == ()


def test_an_error_is_doubtful_where_the_nearest_sentence_was_not_understood() -> None:
    other = "Dense material beneath some bone."
    pair = Matched(
        Reading((), (Unlinked("material", 6, 14),)), Reading((INTERPRETED,)), (), reference_text=other, candidate_text=SAID
    )
    (one,) = with_doubts(INDEX, pair, [Aligned("subdural hematoma", "invented", 3, candidate=(0,))])
    assert one.doubts == (f"doubtful: no concept covers “material” in “{other}”",)
    wrong = Aligned("subdural hematoma", "wrong", 3, (0,), (0,), (Error("side", True, 0.5, "right"),))
    assert next(with_doubts(INDEX, replace(pair, reference=Reading((INTERPRETED,))), [wrong])).doubts == ()


def test_an_error_is_doubtful_where_its_sentence_names_neither_finding_nor_place() -> None:
    unnamed = Finding(SAID[2:33], 2, 33, "subdural_hematoma", "subdural hematoma", ("meninges",), "left")
    assert doubts("A dense line beneath the arm.", own=unnamed).endswith("names neither the finding nor its place")
    assert doubts("A dense line beneath the arm.") == ""


@pytest.mark.parametrize(
    ("dimension", "reasons"), [("specificity", ("doubtful: only a broader term is said",)), ("presence", ())]
)
def test_a_broader_term_is_doubtful_as_an_error(dimension: Dimension, reasons: tuple[str, ...]) -> None:
    pair = Matched(Reading((INTERPRETED,)), Reading((INTERPRETED,)), (), reference_text=SAID, candidate_text="A mass.")
    (one,) = with_doubts(INDEX, pair, [Aligned("mass", "wrong", 3, (0,), (0,), (Error(dimension, True, 0.5, "less is said"),))])
    assert one.doubts == reasons
