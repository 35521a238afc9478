"""The project's own readings: which texts are read wholly right, text by text; and their gold names only what exists."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.lab.bench.readings import judge_texts

FOLDER = Path(__file__).parents[3] / "readings"
FILES = sorted(FOLDER.glob("*.jsonl"))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_texts_are_read_right(scorer: Scorer, path: Path, record_property: Callable[[str, object], None]) -> None:
    """Name the texts that are wholly right and those that are not, by the id of the record and the number of the text where there
    are several; `tests/conftest.py` holds their number to the floor."""
    names: dict[bool, list[str]] = {True: [], False: []}
    for group in judge_texts(records(path), scorer):
        for number, one in enumerate(group, 1):
            names[one.whole].append(f"{one.record['id']}.{number}" if "texts" in one.record else str(one.record["id"]))
    record_property("gold", ("readings", names[True], names[False]))


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
