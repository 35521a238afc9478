"""Which errors of a verdict are doubtful: by words that were not understood, and by those of the other report."""

from __future__ import annotations

import pytest

from kgscore.metrics.base import Matched
from kgscore.metrics.doubt import with_doubts
from kgscore.model import Finding, Reading, Unlinked
from kgscore.verdict import Aligned, Dimension, Error

SAID = "A crescentic dense collection lies beneath the left parietal bone."
INTERPRETED = Finding(SAID[2:33], 2, 33, "subdural_hematoma", "subdural hematoma", ("parietal_bone",), "left")


def doubts(reference: str, read: Finding | None = None, own: Finding = INTERPRETED, unlinked: tuple[Unlinked, ...] = ()) -> str:
    """Return why the one invented finding of a candidate is doubtful beside a reference that was read as given."""
    pair = Matched(
        Reading((read,) if read else ()), Reading((own,), unlinked), (), reference_text=reference, candidate_text=SAID
    )
    (one,) = with_doubts(pair, [Aligned(own.label, "invented", 3, candidate=(0,))])
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
    (one,) = with_doubts(pair, [Aligned("osteosclerosis", "wrong", 3, (0,), (0,), (error,))])
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


def test_an_error_beside_words_without_a_concept_is_doubtful() -> None:
    assert doubts("Normal.", unlinked=(Unlinked("crescentic", 2, 12),)) == "doubtful: no concept covers “crescentic” beside it"
