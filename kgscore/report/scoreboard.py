"""The project's scoreboard: a table of figures, by half, with their goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgscore.report.grid import Column, Grid


def scoreboard(rows: Sequence[Mapping[str, Any]], halves: Sequence[str], goals: Sequence[str]) -> Grid:
    """Return one table. A row holds `what`, a figure by half (a number, a text, or None if there is none), under `to reach` a
    text by goal, and under `by` what else measures it."""
    cells = []
    for row in rows:
        first, *others = [figure_text(row[half]) for half in halves]
        cells.append([row["what"], row["by"] or first, *others, *(row["to reach"].get(goal, "") for goal in goals)])
    named = (*halves, *(f"to reach: {goal}" for goal in goals))
    return Grid("", (Column("", words=True), *map(Column, named)), cells)


def figure_text(value: Any) -> str:
    """Return a formatted figure: a share with three decimals, a larger number with one.

    >>> figure_text(0.75), figure_text(112.83), figure_text("180/180"), figure_text(None)
    ('0.750', '112.8', '180/180', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def floors(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return one table of figures with the values that they may not fall below, or rise above."""
    cells = []
    for row in rows:
        sample = f" ({row['sample']} records)" if row["sample"] else ""
        floor = f"{'≥' if row['bounds'] == 'not below' else '≤'} {figure_text(row['floor'])}"
        cells.append([f"{row['set']}{sample}", row["figure"], floor, figure_text(row["now"]), "" if row["holds"] else "fallen"])
    columns = (Column("set", words=True), Column("figure", words=True), Column("floor"), Column("now"), Column("", words=True))
    return Grid("", columns, cells, better=[None if row["holds"] else False for row in rows])
