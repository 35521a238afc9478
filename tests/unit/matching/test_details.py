"""Details: equivalent, partial or none, what conflicts, and what that costs."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.matching.details import compare_details, conflicting
from kgscore.matching.relation import depth_coefficient, weigh
from kgscore.model import Detail, Finding, Relation
from kgscore.profile import Profile


def finding(*details: tuple[str, str], certainty: str = "definite") -> Finding:
    return Finding("x", 0, 1, "nodule", "nodule", details=tuple(Detail(c, v, v) for c, v in details), certainty=certainty)  # type: ignore[arg-type]


SMALL, LARGE, CALCIFIED = ("size_descriptor", "small"), ("size_descriptor", "large"), ("composition", "calcified_value")


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        (finding(), finding(), "equivalent"),
        (finding(SMALL), finding(SMALL), "equivalent"),
        (finding(SMALL, CALCIFIED), finding(CALCIFIED, SMALL), "equivalent"),
        (finding(SMALL, CALCIFIED), finding(SMALL), "partial"),
        (finding(SMALL, CALCIFIED), finding(LARGE, CALCIFIED), "partial"),
        (finding(SMALL), finding(LARGE), "none"),
        (finding(SMALL), finding(), "none"),
        (finding(), finding(SMALL), "none"),
        (finding(certainty="possible"), finding(), "none"),
        (finding(certainty="possible"), finding(certainty="possible"), "equivalent"),
        (finding(("position_descriptor", "apical")), finding(), "equivalent"),
    ],
)
def test_labels(a: Finding, b: Finding, label: str) -> None:
    assert compare_details(a, b) == compare_details(b, a) == label


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("Small left pneumothorax.", "Small left pneumothorax.", "equivalent"),
        ("Small left pneumothorax.", "Left pneumothorax.", "none"),
        ("Small loculated left pleural effusion.", "Small left pleural effusion.", "partial"),
        ("A 12 mm nodule in the left lung.", "A 1.2 cm nodule in the left lung.", "equivalent"),
        ("A 3 mm nodule in the left lung.", "A 30 mm nodule in the left lung.", "none"),
        ("Calcified granuloma in the left lung.", "Calcified nodule in the left lung.", "equivalent"),
        ("No pneumothorax.", "No pneumothorax.", None),
    ],
)
def test_labels_from_text(scorer: Scorer, a: str, b: str, label: str | None) -> None:
    assert scorer.relate(a, b).detail == label


def test_details_of_one_category_conflict() -> None:
    assert len(conflicting(finding(SMALL), finding(LARGE))) == 1
    assert conflicting(finding(SMALL), finding(CALCIFIED)) == []
    assert conflicting(finding(SMALL), finding(SMALL)) == []


@pytest.mark.parametrize(("label", "coefficient"), [("equivalent", 1.0), ("partial", 0.75), ("none", 0.5), (None, 1.0)])
@pytest.mark.parametrize(("anatomy", "axes"), [("equivalent", 0), ("part_whole", 1)])
@pytest.mark.parametrize("concept", ["equivalent", "part_whole"])
def test_weights_as_published(label: str | None, coefficient: float, anatomy: str, axes: int, concept: str) -> None:
    relation = Relation("part_whole", anatomy, concept, label, depths=(1, 1))
    weighed = weigh(relation, finding(), finding(), Profile(part_whole="fixed"))
    assert weighed.weight == pytest.approx(coefficient / 3 ** (axes + (concept == "part_whole")))


def test_conflicts_cost_what_the_profile_says() -> None:
    relation = Relation("equivalent", "equivalent", "equivalent", "none")
    weights = [weigh(relation, finding(SMALL), finding(LARGE), Profile(conflict_factor=f)).weight for f in (1.0, 0.6)]
    assert weights == pytest.approx([0.5, 0.3])


@pytest.mark.parametrize("relation", ["contradiction", "unrelated"])
def test_no_credit_no_weight(relation: str) -> None:
    assert weigh(Relation(relation), finding(), finding(), Profile()).weight == 0  # type: ignore[arg-type]


def test_the_coefficient_of_depth_falls_from_one_to_a_third() -> None:
    values = [depth_coefficient(depth, 0.5) for depth in range(1, 30)]
    assert values == sorted(values, reverse=True)
    assert 1 > values[0] > values[-1] == pytest.approx(1 / 3, abs=1e-6)
