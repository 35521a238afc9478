"""Statements about reports: shares right and turned round, the confusion table, groups, samples and misses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kgscore.errors import InputError
from kgscore.lab.bench.statements import nli

REPORT = "Small left pleural effusion. No pneumothorax. The heart is normal in size."
ROWS = (
    {"id": "a", "statement": "Left pleural effusion.", "verdict": "entailed", "kind": "same words"},
    {"id": "b", "statement": "Cardiomegaly.", "verdict": "contradicted", "kind": "same words"},
    {"id": "c", "statement": "Rib fracture.", "verdict": "neutral", "kind": "not mentioned"},
    # Given the wrong way round on purpose: what is read must count as a miss, and as turned round.
    {"id": "d", "statement": "Pneumothorax.", "verdict": "entailed", "kind": "wrong"},
)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*rows: Mapping[str, Any], name: str = "statements.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{json.dumps({'report': REPORT, **row})}\n" for row in rows), encoding="utf-8")
        return path

    return write


def test_shares_groups_and_confusion(write: Write) -> None:
    figures = nli.run(write(*ROWS))
    assert (figures["cases"], figures["reports"]) == (4, 1)
    assert (figures["right"], figures["turned round"]) == (0.75, 0.25)
    assert figures["always the commonest"] == 0.5
    assert figures["confusion"]["entailed"] == {"entailed": 1, "contradicted": 1, "neutral": 0}
    assert figures["confusion"]["neutral"] == {"entailed": 0, "contradicted": 0, "neutral": 1}
    assert (figures["kind: wrong"]["right"], figures["kind: wrong"]["turned round"]) == (0, 1)
    assert figures["verdict: contradicted"]["right"] == 1
    assert set(figures["intervals"]) == {"right", "turned round"}


def test_probes_are_grouped_by_construct(write: Write) -> None:
    figures = nli.run(write({**ROWS[0], "construct": "size"}, {**ROWS[1], "construct": "normal"}))
    assert (figures["construct: size"]["right"], figures["construct: normal"]["cases"]) == (1, 1)
    assert [set(grid.rows) >= {"all", "construct: size"} for grid in nli.grids(figures)] == [True, False]


def test_a_sample_is_spread_evenly(write: Write) -> None:
    assert nli.run(write(*ROWS), sample=2)["cases"] == 2
    assert nli.run(write(*ROWS), sample=99)["cases"] == 4


def test_misses_are_listed_when_asked_for(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    nli.run(write(*ROWS))
    assert capsys.readouterr().out == ""
    nli.run(write(*ROWS), show=True)
    (line,) = capsys.readouterr().out.splitlines()
    assert (json.loads(line)["id"], json.loads(line)["got"]) == ("d", "contradicted")


def test_misses_of_an_unread_half_are_refused(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(*ROWS, name="unread/statements.jsonl")
    with pytest.raises(InputError, match="cases are not shown"):
        nli.run(path, show=True)
    assert nli.run(path)["cases"] == 4
    assert capsys.readouterr().out == ""


def test_misses_of_an_unread_half_are_refused_through_a_link(write: Write, tmp_path: Path) -> None:
    path = write(*ROWS, name="unread/statements.jsonl")
    (tmp_path / "open.jsonl").symlink_to(path)
    with pytest.raises(InputError, match="cases are not shown"):
        nli.run(tmp_path / "open.jsonl", show=True)


def test_a_verdict_that_is_none_is_told_without_its_words(write: Write) -> None:
    with pytest.raises(InputError, match="record 2: 'verdict' is not allowed") as told:
        nli.run(write(ROWS[0], {**ROWS[1], "verdict": "Cardiomegaly"}))
    assert "Cardiomegaly" not in str(told.value)
