"""Self-contradiction: shares of reports judged rightly, both ways of marking them, misses, and the project's own set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kgscore.errors import InputError
from kgscore.lab.bench.statements import COLUMNS, consistency

OWN = Path(__file__).parents[3] / "consistency" / "reports.jsonl"
CLASH = "Large left pneumothorax. No left pneumothorax."
PLAIN = "Small right pleural effusion. No left pleural effusion."
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*rows: Mapping[str, Any], name: str = "reports.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return write


def test_shares(write: Write) -> None:
    figures = consistency.run(
        write(
            {"id": "a", "report": CLASH, "contradicts": True, "modality": "x"},
            {"id": "b", "report": PLAIN, "contradicts": False, "modality": "x"},
            {"id": "c", "report": PLAIN, "contradicts": True, "modality": "y"},
            {"id": "d", "report": PLAIN, "consistent": True, "modality": "y"},
        )
    )
    assert [figures[name] for name in COLUMNS] == [0.75, 0.5, 1.0, 0.25]
    assert (figures["modality: x"]["right"], figures["modality: y"]["right"]) == (1.0, 0.5)


def test_reports_that_nobody_marked_have_only_a_share_of_flags(write: Write) -> None:
    figures = consistency.run(write({"id": "a", "report": CLASH}, {"id": "b", "report": PLAIN}))
    assert (figures["right"], figures["flagged"]) == (None, 0.5)


def test_misses_show_what_is_held_against_each_other(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    consistency.run(write({"id": "a", "report": CLASH, "contradicts": False}), show=True)
    line = json.loads(capsys.readouterr().out)
    assert line["flagged"] is True
    assert all("pneumothorax" in words for words in line["held against each other"][0])
    with pytest.raises(InputError, match="cases are not shown"):
        consistency.run(write({"id": "a", "report": CLASH, "contradicts": False}, name="unread/reports.jsonl"), show=True)


def test_a_mark_that_is_no_truth_value_is_told(write: Write) -> None:
    with pytest.raises(InputError, match="record 1: 'contradicts' must be true or false"):
        consistency.run(write({"id": "a", "report": CLASH, "contradicts": "yes"}))


def test_the_own_set_is_half_contradictory_and_of_the_length_of_reports() -> None:
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    assert Counter(row["contradicts"] for row in rows) == {True: 60, False: 60}
    assert len({row["id"] for row in rows}) == len({row["report"] for row in rows}) == 120
    assert all(30 <= len(row["report"].split()) <= 110 and row["why"] and row["construct"] for row in rows)
