"""Structures that a model gets wrong in a way that the words rule out, and the findings that they are all the same."""

from __future__ import annotations

from functools import lru_cache

from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.model import Finding
from kgscore.reading.reader import Reader
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.reading.structure.values import Parse, Place, Statement


@lru_cache
def _knowledge() -> Knowledge:
    return load_knowledge()


def _read(text: str, *structure: Statement) -> list[Finding]:
    knowledge = _knowledge()

    def given(sentences: object) -> list[Parse]:
        return [structure]

    return list(Reader(knowledge.index, knowledge.lexicon, given, {}).read(text).findings)


def test_an_adequate_examination_is_no_finding() -> None:
    assert not _read("Cervical spine images are adequate.", Statement(3, "normal", (Place((0,), None),), (1,)))


def test_a_side_of_its_own_replaces_that_of_the_label() -> None:
    line = "Bilateral kidneys and adrenal glands: Small cyst of the right kidney."
    (found,) = _read(line, Statement(6, "present", (Place((9,), 0), Place((9,), 8)), (5,)))
    assert (found.concept, found.side) == ("renal_cyst", "right")


def test_a_form_that_says_absence_is_not_denied_again() -> None:
    (found,) = _read("The left maxillary sinus is free of secretions.", Statement(3, "absent", (Place((1,), 0),)))
    assert (found.status, found.concept) == ("normal", "sinus_opacification")


def test_change_of_places_is_none_and_growth_is_one() -> None:
    worse = _read("Opacity, worse in the right lung base.", Statement(0, "present", (Place((5,), 4),), (2,)))
    assert [one.change for one in worse] == [None]
    grown = _read("The right lower lobe nodule has markedly enlarged.", Statement(2, "present", (Place((1,), 0),), (5,)))
    assert [(one.change, one.details) for one in grown] == [("increased", ())]


def test_a_quality_that_got_worse_is_not_normal() -> None:
    (found,) = _read("Aeration of the left upper lung has worsened.", Statement(0, "present", (Place((3,), 2),), (4,)))
    assert (found.status, found.concept, found.change) == ("present", "atelectasis", "increased")


def test_a_sentence_that_names_a_finding_has_a_head() -> None:
    knowledge = _knowledge()
    read = reader_of(DEFAULT, knowledge.index, knowledge.lexicon).read
    (found,) = read("There are no acute bony findings.").findings
    assert (found.status, found.sites) == ("absent", ("bone",))
    assert not read("Findings discussed with the ward.").findings
