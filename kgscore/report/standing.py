"""Where the project stands: a table of figures, by half, beside what is to be reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text


def standing(rows: Sequence[Mapping[str, Any]], halves: Sequence[str], goals: Sequence[str]) -> RenderableType:
    """Return one table. A row holds `what`, a figure by half (a number, a text, or None where there is none), under `to reach` a
    text by goal, and under `by` what else measures it."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("")
    for column in (*halves, *(f"to reach: {goal}" for goal in goals)):
        grid.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        figures = [shown(row[half]) for half in halves]
        if row["by"]:
            figures[0] = row["by"]
        grid.add_row(row["what"], *figures, *(row["to reach"].get(goal, "") for goal in goals))
    return Group(grid, Text())


def shown(value: Any) -> str:
    """Return a figure as it is printed: a share with three decimals, a larger number with one.

    >>> shown(0.75), shown(112.83), shown("180/180"), shown(None)
    ('0.750', '112.8', '180/180', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def floors(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return one table of figures beside the values that they may not fall below, or rise above."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column, side in (("set", "left"), ("figure", "left"), ("floor", "right"), ("now", "right"), ("", "left")):
        grid.add_column(column, justify="right" if side == "right" else "left")
    for row in rows:
        sample = f" ({row['sample']} records)" if row["sample"] else ""
        sign = "≥" if row["bounds"] == "not below" else "≤"
        verdict = "" if row["holds"] else Text("fallen", style="bold red")
        grid.add_row(f"{row['set']}{sample}", row["figure"], f"{sign} {shown(row['floor'])}", shown(row["now"]), verdict)
    return Group(grid, Text())
