"""Every figure in one table, figures that may not fall, and what measures time, on small sets of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscore.errors import InputError
from kgscore.lab.bench import program, standing
from kgscore.lab.bench.speed import speed, start
from kgscore.lab.bench.standing import Floor, everything, figures_of, floor_rows, floors
from kgscore.lab.bench.texts import ssree
from kgscore.report.text import to_plain

SAID = {"report": "Cardiomegaly. No pneumothorax.", "statement": "The heart is enlarged.", "verdict": "entailed"}
LEVELS = ("Cardiomegaly. Left pneumothorax.", "The heart is enlarged. Left pneumothorax.", "Normal heart. Left pneumothorax.")
CHAIN = {
    "case": "a", "type": "CR", "area": "CHEST, BONE", "reference": LEVELS[0], "L1": LEVELS[1], "L2": LEVELS[2],
    "L3": "Normal heart. No pneumothorax.", "L4": "Normal heart. No pneumothorax. No rib fracture.", "L5": "Rib fracture.",
}  # fmt: skip


def put(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    for half, verdict in (("read", "entailed"), ("unread", "contradicted")):
        put(tmp_path / "bench" / half / "nli.jsonl", {"id": "a", **SAID, "verdict": verdict})
    put(tmp_path / "bench" / "probes.jsonl", {"id": "a", **SAID, "construct": "x"})
    return tmp_path


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> Sequence[standing.Row]:
    """Leave out what measures time and the project's own sets."""
    kept = [row for row in standing.rows() if not row.alone and not row.own]
    monkeypatch.setattr(standing, "rows", lambda: kept)
    return kept


def test_the_table_has_both_halves_and_no_figure_where_there_is_no_set(sets: Path, few_rows: Sequence[standing.Row]) -> None:
    told: list[str] = []
    figures = everything.run(sets, tell=told.append)
    by = {row["what"]: row for row in figures["rows"]}
    assert len(by) == len(few_rows)
    assert (by["statements: verdicts right"]["read"], by["statements: verdicts right"]["unread"]) == (1.0, 0.0)
    assert (by["statements: turned round"]["read"], by["statements: turned round"]["unread"]) == (0.0, 1.0)
    assert (by["probes: verdicts right"]["read"], by["probes: verdicts right"]["unread"]) == (1.0, None)
    assert by["triplets: accuracy"]["unread"] is None
    assert by["worked examples of the papers"]["by"] == "pytest tests/golden"
    assert len(told) == 3
    assert figures["signature"]
    shown = to_plain(everything.table(figures), 150)
    assert "statements: turned round" in shown
    assert "≤ .03" in shown


def test_several_processes_give_the_same(sets: Path, few_rows: Sequence[standing.Row]) -> None:
    assert few_rows
    assert everything.run(sets, jobs=2)["rows"] == everything.run(sets)["rows"]


def test_every_row_names_a_benchmark_that_there_is() -> None:
    assert all(program(row.program).run for row in standing.rows() if not row.by)


def test_a_folder_without_sets_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains none of the sets"):
        everything.run(tmp_path)


def test_floors_hold_fall_and_are_raised(sets: Path, tmp_path: Path) -> None:
    bounds = {"not below": {"right": 0.9}, "not above": {"turned round": 0.5}}
    given = [{"set": "bench/read/nli.jsonl", "program": "nli", **bounds}]
    file = tmp_path / "floors.json"
    file.write_text(json.dumps(given), encoding="utf-8")
    figures = floors.run(sets, floors=file)
    assert figures["fallen"] == 0
    assert floors.kept(figures) == [{**given[0], "not below": {"right": 1.0}, "not above": {"turned round": 0.0}}]
    put(sets / "bench" / "read" / "nli.jsonl", {"id": "a", **SAID, "verdict": "contradicted"})
    figures = floors.run(sets, floors=file)
    assert figures["fallen"] == 2
    assert floors.kept(figures) == given
    assert to_plain(floors.table(figures), 150).count("fallen") == 2


def test_a_figure_that_is_not_there_does_not_hold(sets: Path) -> None:
    floor = Floor("bench/probes.jsonl", False, "probes", 0, {"not below": {"construct: y/right": 0.0}})
    assert [row["holds"] for row in floor_rows(floor, figures_of(floor.task(sets)))] == [False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"set": "bench/unread/nli.jsonl", "program": "nli"}], "is an unread set"),
        ([{"program": "nli"}], "must be a list of objects"),
        ([{"set": "bench/gone.jsonl", "program": "nli"}], "has no file"),
    ],
)
def test_floors_that_cannot_be_checked_are_told(tmp_path: Path, given: object, message: str) -> None:
    file = tmp_path / "floors.json"
    file.write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        floors.run(tmp_path, floors=file)


def test_ssree_reads_the_released_form(tmp_path: Path) -> None:
    figures = ssree.run(put(tmp_path / "ssree.jsonl", *({**CHAIN, "case": str(n)} for n in range(10))), baselines=())
    assert figures["radsem"]["cases"] == figures["modality: CR"]["cases"] == figures["region: bone"]["cases"] == 10
    assert figures["radsem"]["L1>L2"] == 1.0
    assert figures["score(x, x) = 1"] == "60/60"
    assert ssree.run(put(tmp_path / "ssree.jsonl", CHAIN, CHAIN, CHAIN), baselines=(), sample=2)["radsem"]["cases"] == 2


def test_what_measures_time_takes_pairs_and_chains(tmp_path: Path) -> None:
    chain = put(tmp_path / "ssree.jsonl", CHAIN)
    pair = put(tmp_path / "pairs.jsonl", {"id": "a", "reference": LEVELS[0], "candidate": LEVELS[1]})
    assert (speed.run(chain)["pairs"], speed.run(pair)["pairs"]) == (5, 1)
    assert 0 < start.run(pair)["kgscore --version (s)"] < 60
