"""The gold readings of the project: the reader may not fall below the floors, and they name only what exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.bench.readings import run
from kgscore.engine import Scorer

FOLDER = Path(__file__).parents[1] / "readings"
FILES = sorted(FOLDER.glob("*.jsonl"))
FLOORS: dict[str, float] = json.loads((FOLDER / "floors.json").read_text(encoding="utf-8"))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_file_has_a_floor_and_every_floor_a_file() -> None:
    assert set(FLOORS) == {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_findings_read_stay_above_the_floor(path: Path) -> None:
    assert run(path)["all"]["f1"] >= FLOORS.get(path.stem, 0.0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_gold_names_only_what_exists(scorer: Scorer, path: Path) -> None:
    unknown = {
        name
        for record in records(path)
        for finding in record["findings"]
        if "concept" in finding
        for name in (finding["concept"], *finding["sites"])
        if name not in scorer.index.concepts
    }
    assert unknown == set()


def test_record_ids_are_used_once() -> None:
    ids = [record["id"] for path in FILES for record in records(path)]
    assert len(ids) == len(set(ids))
