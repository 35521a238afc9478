"""`kgscore bench`: tables, JSON, heat maps, the list of baselines, and options that do not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
ROW = {"original": "Cardiomegaly.", "synonym": "The heart is enlarged.", "antonym": "No cardiomegaly."}


@pytest.fixture
def triplets(tmp_path: Path) -> Path:
    path = tmp_path / "triplets.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n")
    return path


def test_a_table_with_intervals_and_a_heat_map(kgscore: Cli, triplets: Path, tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    picture = tmp_path / "heat.svg"
    ran = kgscore("bench", "triplets", triplets, "--peers", "bleu-1", "--plot", picture, "--resamples", 200)
    assert ran.code == 0
    assert "radsem  1.000 [1.00, 1.00]" in ran.out
    assert "bleu-1  0.000 [0.00, 0.00]" in ran.out
    assert "95 % percentile bootstrap interval" in ran.out
    assert "radsem" in picture.read_text()


def test_json_and_settings(kgscore: Cli, triplets: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("overlap: {}\n")
    (line,) = kgscore("bench", "triplets", triplets, "--settings", settings, "--format", "jsonl").lines
    assert line["radsem"]["accuracy"] == 1.0
    settings.write_text("bertscore: {modell: x}\n")
    assert "did you mean 'model'" in kgscore("bench", "triplets", triplets, "--settings", settings).err
    settings.write_text("[1")
    assert "cannot be read as YAML" in kgscore("bench", "triplets", triplets, "--settings", settings).err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--peers", "blue-1"), 1, "did you mean 'bleu-1'"),
        (("--columns", "errors"), 2, "does not take this option"),
        (("--plot", "x.jpeg"), 1, "unknown file type; use .svg or .png"),
    ],
)
def test_what_does_not_fit_is_told(kgscore: Cli, triplets: Path, args: tuple[str, ...], code: int, message: str) -> None:
    ran = kgscore("bench", "triplets", triplets, *args)
    assert (ran.code, message in ran.err) == (code, True)


def test_a_file_is_asked_for_where_there_is_one(kgscore: Cli, triplets: Path) -> None:
    assert "needs a file" in kgscore("bench", "triplets").err
    assert "takes no file" in kgscore("bench", "invariance", triplets).err
    ran = kgscore("bench", "invariance", "--sample", 1, "--resamples", 100)
    assert (ran.code, "test: either side" in ran.out) == (0, True)


def test_a_benchmark_without_metrics_takes_no_baselines(kgscore: Cli, triplets: Path) -> None:
    ran = kgscore("bench", "readings", triplets, "--peers", "overlap")
    assert ran.code == 2
    assert "compares no metrics" in ran.err


def test_baselines_are_listed(kgscore: Cli) -> None:
    rows = {row["name"]: row for row in kgscore("metrics", "--peers", "--format", "jsonl").lines}
    assert rows["crimson"]["low"] == -1.0
    assert rows["crimson"]["weights"]
    assert rows["bleu-4"]["install"] == "kgscore[peers]"
    assert "bertscore" in kgscore("metrics", "--peers").out


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "read" / "nli.jsonl"
    path.parent.mkdir()
    row = {"report": "Cardiomegaly.", "statement": "The heart is enlarged."}
    rows = [{"id": verdict, **row, "verdict": verdict} for verdict in ("entailed", "contradicted")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_statements_print_tables_or_json_and_keep_a_file(kgscore: Cli, statements: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    ran = kgscore("bench", "nli", statements, "--output", out)
    assert (ran.code, "turned round" in ran.out) == (0, True)
    (line,) = kgscore("bench", "nli", statements, "--format", "jsonl", "--sample", 1).lines
    assert line["cases"] == 1
    assert json.loads(out.read_text())["right"] == 0.5


def test_misses_are_listed_when_asked_for_and_never_of_an_unread_half(kgscore: Cli, statements: Path, tmp_path: Path) -> None:
    ran = kgscore("bench", "nli", statements, "--format", "jsonl", "--misses")
    assert [line.get("id") for line in ran.lines] == ["contradicted", None]
    unread = tmp_path / "unread" / "nli.jsonl"
    unread.parent.mkdir()
    unread.write_text(statements.read_text())
    ran = kgscore("bench", "nli", unread, "--misses")
    assert (ran.code, ran.out) == (1, "")
    assert "cases are not shown" in ran.err


def test_options_that_a_benchmark_has_no_use_for_are_refused(kgscore: Cli, statements: Path) -> None:
    for option, shown in (("--jobs", "--jobs"), ("--floors", "--floors")):
        ran = kgscore("bench", "nli", statements, option, 2)
        assert (ran.code, shown in ran.err) == (2, True)
    assert kgscore("bench", "bioscope", statements, "--sample", 2).code == 2


def test_a_figure_below_its_floor_gives_exit_code_4(kgscore: Cli, statements: Path, tmp_path: Path) -> None:
    floors = tmp_path / "floors.json"
    for floor, code in ((0.5, 0), (0.6, 4)):
        floors.write_text(json.dumps([{"set": "read/nli.jsonl", "program": "nli", "not below": {"right": floor}}]))
        ran = kgscore("bench", "floors", tmp_path, "--floors", floors)
        assert (ran.code, "fallen" in ran.out) == (code, code == 4)
