"""Links, flow and entailment: which pairs are kept, how much credit they carry, what a report says about a statement."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.matching.flow import max_flow


def test_only_links_close_to_the_best_are_kept(scorer: Scorer, published: Scorer) -> None:
    text = "A 9 mm nodule in the left upper lobe. A nodule in the left lung."
    assert len(scorer.score(reference=text, candidate=text).links) == 2
    assert len(published.score(reference=text, candidate=text).links) == 4


def test_a_finding_gives_one_unit_of_credit(published: Scorer) -> None:
    result = published.score(reference="Left pleural effusion.", candidate="Left pleural effusion. Small left pleural effusion.")
    assert len(result.links) == 2
    assert sum(link.flow for link in result.links) == pytest.approx(1)
    assert all(0 <= link.flow <= link.relation.weight for link in result.links)


@pytest.mark.parametrize(
    ("edges", "total"),
    [
        ({}, 0.0),
        ({(0, 0): 0.5}, 0.5),
        ({(0, 0): 1.0, (0, 1): 1.0}, 1.0),
        ({(0, 0): 1.0, (0, 1): 1.0, (1, 0): 1.0}, 2.0),
        ({(0, 0): 1 / 3, (0, 1): 1 / 3, (0, 2): 1 / 3}, 1.0),
        ({(0, 0): 0.75, (1, 0): 0.75}, 1.0),
    ],
)
def test_flow(edges: dict[tuple[int, int], float], total: float) -> None:
    assert sum(max_flow(edges).values()) == total


def test_contradictions_are_kept_apart_and_never_linked(scorer: Scorer) -> None:
    result = scorer.score(reference="Cardiomegaly. No pneumothorax.", candidate="No cardiomegaly. Left pneumothorax.")
    assert result.links == ()
    assert {(link.reference, link.relation.weight) for link in result.contradictions} >= {(0, 0.0)}
    assert result.scores["radsem"].value == 0


@pytest.mark.parametrize(
    ("reference", "candidate", "linked"),
    [
        ("Cyst of the right hepatic lobe. No other abnormal density of the liver.",
         "No hypodensity of the right hepatic lobe.", False),
        ("Cyst of the right hepatic lobe. No other abnormal density of the liver.",
         "No hypodensity of the left hepatic lobe.", True),
        ("Infarct in the left cerebellum. The remaining brain shows no abnormal signal.",
         "No high signal on diffusion in the left cerebellum.", False),
    ],
)  # fmt: skip
def test_the_rest_is_not_what_is_excepted(scorer: Scorer, reference: str, candidate: str, linked: bool) -> None:
    result = scorer.score(reference=reference, candidate=candidate)
    assert bool(result.links) == linked
    assert scorer.score(reference=reference, candidate=reference).scores["radsem"].value == 1


@pytest.mark.parametrize(
    ("report", "statement", "verdict"),
    [
        ("Bilateral effusions.", "Left effusion.", "entailed"),
        ("No effusion.", "Left effusion.", "contradicted"),
        ("No effusion.", "No left effusion.", "entailed"),
        ("Cardiomegaly.", "Left effusion.", "neutral"),
        ("Left effusion.", "Effusion.", "entailed"),
        ("Effusion.", "Left effusion.", "neutral"),
        ("Subdural haematoma.", "Intracranial haemorrhage.", "entailed"),
        ("Intracranial haemorrhage.", "Subdural haematoma.", "neutral"),
        ("No intracranial haemorrhage.", "Subdural haematoma.", "contradicted"),
        ("The heart is enlarged.", "Cardiomegaly.", "entailed"),
        ("The lungs are clear.", "Consolidation in the left lower lobe.", "contradicted"),
        ("Possible pneumonia.", "Pneumonia.", "neutral"),
        ("Cardiomegaly. Left effusion.", "Cardiomegaly and left effusion.", "entailed"),
        ("Cardiomegaly.", "Cardiomegaly and left effusion.", "neutral"),
    ],
)
def test_entailment(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    found = scorer.entails(report, statement)
    assert found.verdict == verdict
    assert bool(found.by) == bool(found.proof) == (verdict != "neutral")
    assert all(0 <= start < end <= len(report) for start, end in found.by)


@pytest.mark.parametrize(
    ("report", "clashes"),
    [
        ("Left pleural effusion. No pleural effusion.", True),
        ("The lungs are clear. Consolidation in the left lower lobe.", False),
        ("The heart is normal in size. Cardiomegaly.", True),
        ("Left pleural effusion. No right pleural effusion.", False),
        ("Small left pleural effusion. No large pleural effusion.", False),
        ("Cardiomegaly. No pneumothorax. The bones are intact.", False),
        ("The pneumothorax has resolved. No pneumothorax.", False),
    ],
)
def test_contradictions_inside_a_report(scorer: Scorer, report: str, clashes: bool) -> None:
    found = scorer.consistency(report)
    assert bool(found) == clashes
    assert all(clash.proof and clash.first != clash.second for clash in found)


@pytest.mark.parametrize(
    ("reference", "candidate", "linked"),
    [
        ("T2 hyperintensity in the left thalamus.", "Abnormal signal in the brain.", False),
        ("T2 hyperintensity in the left thalamus.", "Abnormal signal in the left thalamus.", True),
        ("T2 hyperintensity in the left thalamus.", "T2 hyperintensity in the brain.", True),
        ("Malalignment of the distal radius.", "Malalignment of the radius.", True),
    ],
)
def test_that_something_deviates_somewhere_found_nothing(scorer: Scorer, reference: str, candidate: str, linked: bool) -> None:
    assert bool(scorer.score(reference=reference, candidate=candidate).links) == linked
