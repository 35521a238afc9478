"""Pairs of statements with the relation they must have, region by region; and what general statements entail and exclude."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.lab.bench.pairs import RELATIONS, pairs

FOLDER = Path(__file__).parents[2] / "relations"
FILES = sorted(FOLDER.glob("*.jsonl"))
FLOORS: dict[str, Any] = json.loads((FOLDER / "floors.json").read_text(encoding="utf-8"))
GENERAL = FOLDER / "general" / "statements.jsonl"


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_region_has_its_pairs_and_its_floor() -> None:
    assert {path.stem for path in FILES} == set(FLOORS["relations"])
    assert len(FILES) == 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_region_has_enough_of_each_relation(path: Path) -> None:
    counts = Counter(record["relation"] for record in records(path))
    assert set(counts) == set(RELATIONS)
    assert sum(counts.values()) >= 40
    assert min(counts.values()) >= 6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_relations_stay_above_the_floor_and_no_contradiction_earns_credit(path: Path) -> None:
    figures = pairs.run(path)
    assert figures["macro-F1"] >= FLOORS["relations"][path.stem]
    assert figures["credit to a contradiction"] == 0.0
    labels = figures["labels on credited pairs"]
    for name, floor in FLOORS["labels"].items():
        assert labels[name] >= floor, name


def test_pairs_by_construct_stay_above_their_floor() -> None:
    assert pairs.run(FOLDER / "constructs" / "pairs.jsonl")["macro-F1"] >= FLOORS["constructs"]


def test_general_statements_entail_and_exclude_what_they_cover(scorer: Scorer) -> None:
    right: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for record in records(GENERAL):
        verdict = scorer.entails(record["report"], record["statement"]).verdict
        for name in ("all", record["region"], record["family"]):
            right[name] += verdict == record["verdict"]
            cases[name] += 1
    for name, floor in FLOORS["general"].items():
        assert right[name] / cases[name] >= floor, name


@pytest.mark.parametrize("record", records(GENERAL), ids=lambda record: record["id"])
def test_the_proof_of_an_exclusion_names_the_path(scorer: Scorer, record: dict[str, Any]) -> None:
    """From the class asserted to the class denied, and from the place asserted to the place denied, where they differ."""
    found = scorer.entails(record["report"], record["statement"])
    if found.verdict != "contradicted":
        assert bool(found.proof) == (found.verdict == "entailed")
        return
    assert found.by
    if not found.proof[0].startswith("denied: "):
        assert "cannot" in found.proof[0] or "opposite" in found.proof[0]
        return
    denied, asserted = (part.partition(": ")[2] for part in found.proof[0].split("; "))
    path = found.proof[1]
    assert path.startswith(asserted)
    assert path.endswith((denied, "and not said to be old")) or " is said to " in path or " implies " in path
    place = next((line for line in found.proof[2:] if not line.startswith("said of what remains")), "")
    assert not place or " lies in " in place or "same site" in place or " against " in place


def test_what_is_otherwise_normal_leaves_out_what_is_said(scorer: Scorer) -> None:
    report = "Nodule in the right upper lobe. The lungs are otherwise clear."
    elsewhere = scorer.entails(report, "Left lower lobe consolidation.")
    assert elsewhere.verdict == "contradicted"
    assert "consolidation is a pulmonary infiltrate is a lung opacity" in elsewhere.proof
    assert elsewhere.proof[-1] == "said of what remains, and no finding of the report is related to it"
    assert scorer.entails(report, "Nodule in the right upper lobe.").verdict == "entailed"
    assert scorer.entails(report, "No nodule in the right upper lobe.").verdict == "contradicted"
    assert scorer.entails(report, "Nodule in the posterior segment of the right upper lobe.").verdict == "neutral"


@pytest.mark.parametrize(
    ("denial", "assertion", "relation"),
    [
        ("No acute abdominal abnormality.", "Perforated appendicitis.", "contradiction"),
        ("No acute abdominal abnormality.", "Simple renal cyst.", "unrelated"),
        ("No acute osseous abnormality.", "Fracture of the distal radius.", "contradiction"),
        ("No acute osseous abnormality.", "Old fracture of the distal radius.", "unrelated"),
        ("No abnormal FDG uptake.", "FDG-avid lesion in the liver.", "contradiction"),
        ("No abnormal FDG uptake.", "Lesion in the liver.", "unrelated"),
        ("No intrauterine pregnancy.", "Live intrauterine pregnancy.", "contradiction"),
    ],
)
def test_what_is_urgent_is_acute_and_what_is_said_to_be_shown_is_there(
    scorer: Scorer, denial: str, assertion: str, relation: str
) -> None:
    found = scorer.relate(denial, assertion)
    assert found.relation == relation
    assert bool(found.proof) == (relation == "contradiction")
    assert all(found.proof)


@pytest.mark.parametrize(
    "report",
    [
        "Fracture of the left fifth rib. No other fracture.",
        "Hemangioma in hepatic segment VI. No additional liver lesion.",
        "Except for a small cyst in the left kidney, the kidneys are normal.",
    ],
)
def test_no_other_does_not_deny_what_is_there(scorer: Scorer, report: str) -> None:
    denial = scorer.read(report).findings[-1]
    assert not denial.asserts
    assert "otherwise" in [detail.value for detail in denial.details]
    assert scorer.consistency(report) == ()


def test_an_open_side_is_refuted_where_both_sides_are(scorer: Scorer) -> None:
    both = "No right pleural effusion. No left pleural effusion."
    assert scorer.entails(both, "Pleural effusion.").verdict == "contradicted"
    assert scorer.entails("No right pleural effusion.", "Pleural effusion.").verdict == "neutral"
