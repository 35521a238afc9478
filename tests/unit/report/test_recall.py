"""Recall by finding: what the references assert, how much of that is found, and within which interval."""

from __future__ import annotations

import pytest

from kgscore.report.recall import recalls, share_interval
from kgscore.results.cases import CaseLine, Item


def line(findings: dict[str, list[Item]] | None = None, judged: list[Item] | None = None) -> CaseLine:
    return CaseLine(0, "a", "scored", "", {}, findings or {}, judged=judged)


def test_what_the_reference_asserts_is_counted_and_nothing_else() -> None:
    lines = [
        line(judged=[Item("missed", "embolism", 4), Item("invented", "embolism", 4), Item("minor", "nodule", 2)]),
        line(judged=[Item("correct", "embolism", 4), Item("wrong", "nodule", 2), Item("correct", "nodule", 2)]),
    ]
    found = [(one.finding, one.tier, one.found, one.said) for one in recalls(lines)]
    assert found == [("embolism", 4, 1, 2), ("nodule", 2, 2, 3)]
    assert [one.finding for one in recalls(lines, least=3)] == ["nodule"]


def test_without_a_verdict_the_matching_says_what_was_found() -> None:
    findings = {
        "reference": [
            Item("correct", "nodule", 2), Item("wrong", "nodule", 2), Item("missed", "nodule", 2, denial=True),
            Item("minor", "mass", 2),
        ],
        "candidate": [Item("wrong", "nodule", 2), Item("invented", "mass", 2)],
    }  # fmt: skip
    assert [(one.finding, one.found, one.said) for one in recalls([line(findings)])] == [("nodule", 1, 2), ("mass", 1, 1)]


def test_a_finding_has_the_tier_of_its_case() -> None:
    lines = [line(judged=[Item("missed", "pneumothorax", 4)]), line(judged=[Item("correct", "pneumothorax", 3)] * 2)]
    found = [(one.finding, one.tier, one.found, one.said) for one in recalls(lines)]
    assert found == [("pneumothorax", 4, 0, 1), ("pneumothorax", 3, 2, 2)]


@pytest.mark.parametrize(("some", "of", "ends"), [(0, 1, (0.0, 0.793)), (10, 10, (0.722, 1.0)), (5, 10, (0.237, 0.763))])
def test_the_interval_is_that_of_wilson(some: int, of: int, ends: tuple[float, float]) -> None:
    assert share_interval(some, of) == pytest.approx(ends, abs=5e-4)
