"""Regression of the project's own readings: which texts are read wholly right, text by text; and they name only what exists.

`python tests/unit/lab/bench/test_readings.py` writes the lists of the texts that are not (`tests/readings/wrong.json`) anew:
read the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.lab.bench.readings import judge_texts

FOLDER = Path(__file__).parents[3] / "readings"
FILES = sorted(FOLDER.glob("*.jsonl"))
WRONG = FOLDER / "wrong.json"


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def not_right(path: Path, scorer: Scorer) -> list[str]:
    """Return the texts of a file that are not read wholly right: the id of the record, with the number of the text where there
    are several."""
    return [
        f"{one.record['id']}.{number}" if "texts" in one.record else str(one.record["id"])
        for group in judge_texts(records(path), scorer)
        for number, one in enumerate(group, 1)
        if not one.whole
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_is_read_as_it_was(scorer: Scorer, path: Path) -> None:
    before, now = set(json.loads(WRONG.read_text(encoding="utf-8"))[path.stem]), set(not_right(path, scorer))
    changed = [f"{name}: read wrong now" for name in sorted(now - before)]
    changed += [f"{name}: read right now; take it off the list" for name in sorted(before - now)]
    assert changed == []


def test_the_lists_are_of_files_that_are_there() -> None:
    assert set(json.loads(WRONG.read_text(encoding="utf-8"))) == {path.stem for path in FILES}


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


if __name__ == "__main__":
    reads = Scorer()
    lists = {path.stem: not_right(path, reads) for path in FILES}
    WRONG.write_text(f"{json.dumps(lists, indent=1)}\n", encoding="utf-8")
    print(f"{sum(map(len, lists.values()))} texts are not read wholly right")
