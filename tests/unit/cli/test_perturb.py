"""`kgscore perturb`: files of reports to stress tests that `kgscore bench` runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
GOOD = (
    "There is a small left pleural effusion. The heart is mildly enlarged. 6 mm nodule in the right upper lobe. "
    "No pneumothorax. The trachea is midline."
)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    path = tmp_path / "reports.jsonl"
    rows = [{"id": "a", "modality": "chest radiograph", "report": GOOD}, {"id": "b", "report": "Lungs clear."}, {"id": "c"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_report_that_cannot_be_changed_is_named_and_left_out(kgscore: Cli, reports: Path) -> None:
    out = reports.with_name("ssree.jsonl")
    ran = kgscore("perturb", reports, "--kind", "ssree", "-o", out)
    assert (ran.code, ran.out) == (3, "")
    assert f"{reports}:2: record 'b': 0 abnormal findings were read; levels 2 to 4 need 3; left out" in ran.err
    assert "3 reports: 1 perturbed, 1 left out, 1 failed" in ran.err
    assert "Lungs" not in ran.err
    (line,) = [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]
    assert (line["case"], line["modality"], line["reference"]) == ("a", "chest radiograph", GOOD)
    assert line["made_by"]["seed"] == 0
    figures = kgscore("bench", "ssree", out, "--format", "jsonl").lines[0]
    assert figures["radsem"]["cases"] == 1
    assert figures["radsem"]["perfect"] == 1.0


def test_the_order_of_the_file_changes_nothing(kgscore: Cli, tmp_path: Path) -> None:
    rows = [{"id": str(n), "reference": f"{GOOD} {extra}"} for n, extra in enumerate(("Low lung volumes.", "Left rib fracture."))]
    texts = ["".join(json.dumps(row) + "\n" for row in order).encode() for order in (rows, rows[::-1])]
    one, other = (kgscore("perturb", "-", "--kind", "rexerr", "--seed", "7", stdin=text).lines for text in texts)
    assert one == other[::-1]
    assert {row["id"] for row in one} == {"0", "1"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kind", "sree"), "no kind 'sree'; there are: ssree, headct, rexerr"),
        (("--kind", "rexerr", "--errors", "change_sides"), "did you mean 'change_side'?"),
        (("--kind", "headct", "--errors", "typo"), "'headct' takes no kinds of errors"),
    ],
)
def test_a_wrong_option_is_one_clear_line(kgscore: Cli, reports: Path, options: tuple[str, ...], message: str) -> None:
    ran = kgscore("perturb", reports, *options)
    assert ran.code == 2
    assert message in " ".join(ran.err.replace("│", " ").split())


def test_corrections_and_a_column(kgscore: Cli, tmp_path: Path) -> None:
    path, out = tmp_path / "reports.csv", tmp_path / "rexerr.jsonl"
    path.write_text(f'id,findings\nx,"{GOOD}"\n', encoding="utf-8")
    options = ("--columns", "report=findings", "--count", "1", "--errors", "change_side", "-o", out)
    ran = kgscore("perturb", path, "--kind", "rexerr", *options)
    assert ran.code == 0
    (row,) = [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]
    assert row["errors_sampled"] == ["change_side"]
    assert kgscore("bench", "corrections", out, "--format", "jsonl").lines[0]["actions"]["substitute"]["accuracy"] == 1.0
