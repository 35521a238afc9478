"""RadSEM-Alt: assignments worked out by hand, ties and truncation included."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.metrics.base import Matched
from kgscore.metrics.radsem import Radsem, class_f1
from kgscore.metrics.radsem_alt import RadsemAlt, assign_links
from kgscore.model import Finding, Link, Reading, Relation


def link(reference: int, candidate: int, weight: float) -> Link:
    return Link(reference, candidate, Relation("equivalent", weight=weight), flow=weight)


def kept(*links: Link) -> dict[tuple[int, int], float]:
    return {(k.reference, k.candidate): pytest.approx(k.flow) for k in assign_links(links)}


def pair(references: int, candidates: int, *links: Link) -> Matched:
    """Return a pair of so many asserted findings a side."""
    sides = [Reading(tuple(Finding(f"{s}{n}", 0, 2, None, f"{s}{n}") for n in range(count))) for s, count in
             (("r", references), ("c", candidates))]  # fmt: skip
    return Matched(*sides, links=links)


def test_each_candidate_goes_to_its_one_best_reference() -> None:
    assert kept(link(0, 0, 0.5), link(1, 0, 1.0), link(0, 1, 1 / 3)) == {(1, 0): 1.0, (0, 1): 1 / 3}


def test_a_reference_gathers_several_candidates_best_first_and_the_last_is_cut_short() -> None:
    found = kept(link(0, 0, 1 / 3), link(0, 1, 0.75), link(0, 2, 0.5))
    assert found == {(0, 1): 0.75, (0, 2): 0.25}


def test_what_comes_after_a_full_reference_is_not_retained() -> None:
    assert kept(link(0, 0, 1.0), link(0, 1, 1.0), link(0, 2, 0.5)) == {(0, 0): 1.0}


def test_three_thirds_fill_a_reference_and_a_fourth_gives_nothing() -> None:
    assert kept(*(link(0, n, 1 / 3) for n in range(4))) == {(0, n): 1 / 3 for n in range(3)}


def test_of_equal_weights_the_reference_with_room_wins_then_the_first() -> None:
    assert kept(link(0, 0, 1.0), link(1, 0, 1.0), link(0, 1, 1.0), link(1, 1, 1.0)) == {(0, 0): 1.0, (1, 1): 1.0}
    assert kept(link(0, 0, 0.5), link(1, 0, 0.5)) == {(0, 0): 0.5}


def test_the_order_of_the_links_is_irrelevant() -> None:
    links = [link(0, 0, 0.5), link(1, 0, 0.5), link(1, 1, 1.0), link(0, 2, 0.75), link(2, 2, 0.75), link(2, 1, 0.25)]
    assert kept(*links) == kept(*reversed(links))


def test_one_broad_candidate_covers_one_reference_only_where_radsem_covers_both() -> None:
    """The broad statement is a third of each of two findings: RadSEM matches both, the early assignment leaves one unmatched."""
    both = pair(2, 1, link(0, 0, 1 / 3), link(1, 0, 1 / 3))
    assert Radsem().score(both).value == pytest.approx(class_f1(2 / 3, 0, 0, [1 / 3, 1 / 3]))
    alt = RadsemAlt().score(both)
    assert alt.parts["abnormal_unmatched_reference"] == 1
    assert alt.value == pytest.approx(2 / 3 / (2 / 3 + 1))


def test_unmatched_counts_come_from_what_is_retained() -> None:
    score = RadsemAlt().score(pair(2, 3, link(0, 0, 1.0), link(0, 1, 1.0), link(1, 2, 0.5)))
    assert score.parts["abnormal_matched"] == pytest.approx(1.5)
    assert (score.parts["abnormal_unmatched_reference"], score.parts["abnormal_unmatched_candidate"]) == (0, 1)
    assert score.value == pytest.approx(3 / 4)


def test_a_report_agrees_with_itself_though_its_statements_say_the_same(published_alt: Scorer) -> None:
    text = "Cardiomegaly. The heart is enlarged. Small left pleural effusion. No pneumothorax."
    assert published_alt.score(reference=text, candidate=text).scores["radsem_alt"].value == pytest.approx(1)


@pytest.fixture(scope="module")
def published_alt() -> Scorer:
    return Scorer("radsem-published", ("radsem_alt",))
