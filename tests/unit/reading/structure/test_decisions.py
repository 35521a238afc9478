"""Structures as single decisions and back: what must come out as it went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgscore.lab.training.align import decided, single
from kgscore.reading.structure.decisions import cliques, composed
from kgscore.reading.structure.values import Parse, Place, Statement


def _same(structure: Parse) -> bool:
    return set(single(composed(decided(structure)))) == set(single(structure))


def test_places_that_share_an_item_stay_apart() -> None:
    """ "Common femoral, femoral and popliteal veins": three places that share their last word."""
    places = (Place((1, 5), 0), Place((3, 5), 0), Place((4, 5), 0))
    assert _same((Statement(7, "normal", places),))


def test_each_place_may_have_its_own_modifier_and_status() -> None:
    large, small = (Statement(0, "present", (Place((), side),), (modifier,)) for side, modifier in ((3, 2), (6, 5)))
    assert _same((large, small))
    assert _same((large, Statement(0, "absent", (Place((8,), None),))))


def test_two_qualities_that_are_normal_are_two_statements() -> None:
    assert _same((Statement(0, "normal", (Place((4,), None),), (1,)), Statement(0, "normal", (Place((4,), None),), (3,))))


def test_what_is_said_of_no_place_is_said_by_itself() -> None:
    assert _same((Statement(0, "present", (), (1,)), Statement(0, "present", (Place((5,), None),), (3,))))


def test_an_item_may_be_place_and_name() -> None:
    assert _same((Statement(4, "probable", (Place((1,), 0),), (), (1,)), Statement(1, "present", (Place((), 0),))))


def test_one_site_on_two_sides() -> None:
    assert _same((Statement(0, "present", (Place((2,), 1), Place((2,), 3))),))


@given(
    st.lists(st.sampled_from(range(1, 9)), unique=True, max_size=4),
    st.lists(st.sampled_from(range(9, 13)), unique=True, max_size=3),
    st.sampled_from(("present", "absent", "normal")),
)
def test_single_statements_come_back(sites: list[int], modifiers: list[int], status: str) -> None:
    places = tuple(Place((site,), None) for site in sorted(sites))
    assert _same((Statement(0, status, places, tuple(sorted(modifiers))),))


def test_cliques_are_the_largest_groups() -> None:
    joined = {(1, 2), (2, 3), (1, 3), (3, 4)}
    assert cliques((1, 2, 3, 4, 5), lambda one, other: (min(one, other), max(one, other)) in joined) == [(1, 2, 3), (3, 4), (5,)]
