"""Tables of figures: whole at any width, coloured where better or worse, the same for papers."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from kgscore.report.grid import Column, Grid
from kgscore.report.text import to_plain

GRID = Grid(
    "Runs & metrics",
    (Column("metric", words=True), Column("runs", words=True), *map(Column, ("means", "change", "95 % interval", "p", "w/t/l"))),
    [
        ("radsem_alt", "B − A", "0.673 → 0.453", "-0.220", "[-0.421, -0.054]", "< 0.001", "5/1/13"),
        ("a_metric_with_a_long_name", "C − A", "0.673 → 0.753", "+0.080", "[0.021, 0.154]", "0.085", "13/1/5"),
    ],
    ("A = one | other",),
    (False, True),
    "change",
)


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 140])
def test_no_figure_is_cut_at_any_width(width: int) -> None:
    shown = to_plain(GRID, width)
    assert max(map(len, shown.splitlines())) <= width
    for row in GRID.rows:
        for cell in row[2:]:
            assert cell in shown
        assert row[0] in re.sub(r"\s", "", shown) or row[0][:8] in shown


def test_a_comparison_of_usual_names_fits_eighty_columns() -> None:
    usual = Grid("", GRID.columns, [("fineradscore", *row[1:]) for row in GRID.rows])
    assert to_plain(usual, 80).splitlines()[0].split()[:2] == ["metric", "runs"]


def test_better_is_green_and_worse_is_red() -> None:
    stream = io.StringIO()
    Console(file=stream, force_terminal=True, color_system="standard", width=120).print(GRID)
    assert "\x1b[31m-0.220" in stream.getvalue()
    assert "\x1b[32m+0.080" in stream.getvalue()


def test_markdown_and_latex() -> None:
    lines = GRID.markdown().splitlines()
    assert lines[0] == "**Runs & metrics**"
    assert lines[2].count("|") == lines[3].count("|") == lines[4].count("|") == 8
    assert lines[3] == "| :-- | :-- | --: | --: | --: | --: | --: |"
    latex = GRID.latex()
    assert "\\begin{tabular}{llrrrrr}" in latex
    assert "radsem\\_alt & B $-$ A & 0.673 $\\to$ 0.453 & -0.220 & [-0.421, -0.054] & $<$ 0.001 & 5/1/13 \\\\" in latex
    assert latex.count("\\\\\n") == 3
