"""Each rule of `mappings/reading/rules` changes the structure of its examples, and leaves alone what it must not change."""

from __future__ import annotations

from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.reading.composition.rules import steps
from kgscore.resources import yaml_of

ROWS: list[dict[str, Any]] = [
    row for name in ("early", "late") for row in yaml_of("mappings", "reading", "rules", f"{name}.yaml")["rules"]
]


def test_there_are_few_rules_and_all_are_applied() -> None:
    names = [row["id"] for row in ROWS]
    assert len(set(names)) == len(names) <= 36
    assert [name for name in steps() if name in names] == names


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_rule_changes_its_examples_and_nothing_else(scorer: Scorer, row: dict[str, Any]) -> None:
    assert all(row[part] for part in ("reason", "examples", "not"))
    texts = (*row["examples"], *row["not"])
    changed = [text for text in texts if any(row["id"] in step.rules for step in scorer.reader.trace(text))]
    assert changed == row["examples"]
