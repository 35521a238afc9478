"""How often each rule of composition corrects a sentence: counts by rule, in order, from any records with texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.cli import main
from kgscore.reading.composition.rules import steps

LABEL = "Gallbladder and bile ducts: The gallbladder is normal in size."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [{"id": "1", "report": f"{LABEL} No pneumothorax."}, {"id": "2", "texts": ["Clear lungs.", LABEL]}]
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def test_each_rule_has_counts_and_what_it_changes_is_listed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", str(path), "--misses", "--format", "jsonl"]) == 0
    *listed, line = capsys.readouterr().out.splitlines()
    figures = json.loads(line)
    assert (figures["texts"], figures["sentences"]) == (3, 4)
    assert list(figures["rules"]) == list(steps())
    assert figures["rules"]["label-site-again"] == {"corrected": 2, "read otherwise without": 2}
    assert all(one["read otherwise without"] == 0 for one in figures["rules"].values() if not one["corrected"])
    assert listed.count(f"label-site-again\t{LABEL}") == 2


def test_the_table_has_a_row_a_rule(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 texts, 4 sentences" in out
    assert all(f"\n{name} " in out for name in steps())
