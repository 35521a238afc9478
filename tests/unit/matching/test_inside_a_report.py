"""What a report says twice: contradictions inside it, findings moved and resized between its sections; flow; words."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.entailment.consistency import head_on
from kgscore.entailment.statement_cues import statement_cues
from kgscore.matching.details import change_conflict
from kgscore.matching.flow import max_flow
from kgscore.model import Finding


def sections(findings: str, impression: str) -> str:
    return f"FINDINGS: {findings}\nIMPRESSION: {impression}"


@pytest.mark.parametrize(
    ("report", "clashes"),
    [
        # moved to another side or place, resized, between sections only
        (sections("Nodule in the left upper lobe.", "Nodule in the right upper lobe."), True),
        (sections("Nodule in the left upper lobe.", "Nodule in the left upper lobe."), False),
        (sections("Nodule in the left upper lobe.", "Nodule in the left lower lobe."), True),
        (sections("Nodule in the left upper lobe.", "Nodule in the left lung."), False),
        (sections("12 mm nodule in the left upper lobe.", "12 mm nodule in the left upper lobe."), False),
        (sections("12 mm nodule in the left upper lobe.", "13 mm nodule in the left upper lobe."), False),
        (sections("12 mm nodule in the left upper lobe.", "22 mm nodule in the left upper lobe."), True),
        ("FINDINGS: Nodule in the left upper lobe. Nodule in the right upper lobe.", False),
        (sections("Nodule in the left upper lobe. Nodule in the right upper lobe.", "Nodule in the right upper lobe."), False),
        (sections("Multiple nodules in the left upper lobe.", "Nodule in the right upper lobe."), False),
        (sections("Possible nodule in the left upper lobe.", "Nodule in the right upper lobe."), False),
        (sections("Cyst in the left kidney.", "Nodule in the right upper lobe."), False),
        (sections("Left subdural hematoma.", "Right intracranial hemorrhage."), True),  # of one kind, whichever is the wider word
        (sections("Right intracranial hemorrhage.", "Left subdural hematoma."), True),
        # head on: the very finding, what is grave, a quality of the very structure
        ("Left pleural effusion. No left pleural effusion.", True),
        ("Possible left pleural effusion. No left pleural effusion.", False),
        ("Burst fracture of L1. No fracture.", True),
        ("The endotracheal tube has been removed. Endotracheal tube in the trachea.", True),
        ("The endotracheal tube has been removed. New endotracheal tube in the trachea.", False),
        ("The endotracheal tube has been removed. Feeding tube in the stomach.", False),
        ("Fracture of the left clavicle. No fracture.", True),
        ("The left pleural effusion has decreased. No left pleural effusion.", False),
        ("Cardiomegaly. Otherwise normal heart.", False),
        # of both sides at once
        ("Left pleural effusion. No pleural effusion on either side.", True),
    ],
)
def test_a_report_contradicts_itself(scorer: Scorer, report: str, clashes: bool) -> None:
    found = scorer.consistency(report)
    assert bool(found) == clashes
    for one in found:
        assert one.proof
        assert all(0 <= start < end <= len(report) for start, end in (one.first, one.second))


@pytest.mark.parametrize(
    ("yes", "no", "expected"),
    [
        ("Left pleural effusion.", "No left pleural effusion.", True),
        ("Left basal atelectasis.", "The lungs are clear.", False),
        ("Possible left pleural effusion.", "No left pleural effusion.", False),
        ("Cardiomegaly.", "The heart is normal in size.", True),
        ("Left pleural effusion.", "The left pleural effusion has resolved.", False),
    ],
)
def test_a_denial_is_of_just_what_is_asserted(scorer: Scorer, yes: str, no: str, expected: bool) -> None:
    found = min(scorer.read(no).findings, key=lambda one: one.side == "right")
    assert head_on(scorer.relator, scorer.read(yes).findings[0], found) == expected


@pytest.mark.parametrize(
    ("a", "b", "clash"),
    [
        ("increased", "decreased", True), ("new", "resolved", True), ("decreased", "new", True), ("increased", "new", False),
        ("decreased", "resolved", False), ("stable", "increased", True), ("decreased", "stable", True),
        ("stable", "stable", False), ("stable", None, False),
        (None, "increased", False), (None, None, False), ("increased", "increased", False),
    ],
)  # fmt: skip
def test_changes_that_exclude_each_other(a: str | None, b: str | None, clash: bool) -> None:
    one, other = (Finding("x", 0, 1, "nodule", "nodule", change=change) for change in (a, b))  # type: ignore[arg-type]
    assert bool(change_conflict(one, other)) == bool(change_conflict(other, one)) == clash


# ---- flow ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("edges", "total"),
    [
        ({(0, 0): 0.5, (1, 0): 0.4}, 0.9),
        ({(0, 0): 0.8, (1, 0): 0.8}, 1.0),
        ({(0, 0): 1.0, (1, 1): 0.25}, 1.25),
        # the first choice must be given up for the second to count: 0 to 1, so that 1 may have 0
        ({(0, 0): 1.0, (0, 1): 1.0, (1, 0): 1.0}, 2.0),
        ({(0, 0): 1.0, (0, 1): 0.5, (1, 0): 1.0}, 1.5),
        ({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 1.0, (1, 1): 0.25, (2, 1): 0.5}, 2.0),
    ],
)
def test_the_flow_is_the_largest_and_within_every_bound(edges: dict[tuple[int, int], float], total: float) -> None:
    found = max_flow(edges)
    assert sum(found.values()) == pytest.approx(total)
    assert all(0 <= found[edge] <= weight for edge, weight in edges.items())
    for end in (0, 1):
        assert all(sum(f for edge, f in found.items() if edge[end] == node) <= 1 + 1e-9 for node in range(3))


# ---- words of statements ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Suspected pneumonia.", {"suspected"}), ("Pneumonia.", set()),
        ("Consolidation confined to the left lung.", {"only", "each", "one_side", "placed"}),
        ("Consolidation only in the lung.", {"only"}),
        ("Effusion only on the left.", {"only", "one_side", "placed", "each"}),
        ("The hematoma is on the right.", {"placed", "each"}),
        ("The only nodule is in the liver.", {"one_of_all"}), ("The largest nodule lies in the liver.", {"one_of_all"}),
        ("Bilateral effusions.", {"each"}), ("Both kidneys are small.", {"each"}),
    ],
)  # fmt: skip
def test_what_the_words_of_a_statement_tell(words: str, told: set[str]) -> None:
    assert {name for name, value in statement_cues(words)._asdict().items() if value} == told


def test_the_only_one_is_not_the_largest() -> None:
    assert statement_cues("The only nodule is in the liver.").one_of_all == "only"
    assert statement_cues("The largest nodule is in the liver.").one_of_all == "largest"
