"""Figures of a benchmark as tables for a terminal, one a task."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kgscore.report.words import interval, number
from kgscore.results.figure import Figure


def figures(rows: Sequence[Figure], level: float) -> RenderableType:
    """Return figures as a table a task: a row each, with what it is of, its value, its interval and what it is made of."""
    parts: list[RenderableType] = []
    for task in dict.fromkeys(row.task for row in rows):
        grid = Table(title=task, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in ("of", "metric", "measure"):
            grid.add_column(name, overflow="fold")
        for name in ("value", f"{level * 100:g} % interval", "cases", "unscored"):
            grid.add_column(name, justify="right", no_wrap=True)
        for row in (row for row in rows if row.task == task):
            missing = f"{row.unscored:,}" if row.unscored else ""
            ends = interval(row.low, row.high)
            grid.add_row(row.of, row.metric, row.measure, number(row.value), ends, f"{row.cases:,}", missing)
        parts += [grid, Text()]
    return Group(*parts)
