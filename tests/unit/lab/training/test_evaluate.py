"""Agreement with gold, counted by hand."""

from __future__ import annotations

import pytest

from kgscore.lab.training.evaluate import agreement, canonical
from kgscore.reading.structure.values import Place, Statement

GOLD = (
    Statement(2, "present", (Place((4,), 3), Place((6,), None)), (1,)),
    Statement(8, "absent", (), (), (2,)),
)


def test_a_structure_agrees_with_itself() -> None:
    found = agreement([(GOLD, GOLD)])
    assert (found.wholly, found.heads.f1, found.statements.f1, found.status) == (1, 1.0, 1.0, 2)
    assert all(share.f1 == 1.0 for share in found.relations.values())


def test_how_places_are_grouped_does_not_count() -> None:
    apart = tuple(Statement(2, "present", (place,), (1,)) for place in GOLD[0].places)
    assert canonical((*apart, GOLD[1])) == canonical(GOLD)


def test_what_is_wrong_is_counted_where_it_is_wrong() -> None:
    said = (Statement(2, "possible", (Place((4,), None), Place((6,), None)), (1, 7)), Statement(9, "absent"))
    found = agreement([(GOLD, said)])
    assert (found.heads.found, found.heads.said, found.heads.gold) == (1, 2, 2)
    assert (found.status, found.wholly, found.statements.found) == (0, 0, 0)
    assert found.relations["site"].f1 == 1.0
    assert found.relations["place"].f1 == pytest.approx(0.5)
    assert (found.relations["side"].precision, found.relations["side"].recall) == (None, 0.0)
    assert found.relations["modifier"].precision == pytest.approx(0.5)
    assert found.relations["name"].recall == 0.0


def test_nothing_to_say_and_nothing_said_has_no_rate() -> None:
    found = agreement([((), ())])
    assert (found.wholly, found.heads.f1, found.plain()["status"]) == (1, None, None)
