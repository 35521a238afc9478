"""Tables of benchmarks: a row for each metric or baseline, its figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

_COUNT = "without a score"


def contest(title: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]], level: float) -> RenderableType:
    """Return one table. A row holds `cases`, the figures by column (None where there is none), under `intervals` their two ends
    by column, and how many pairs are without a score."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    counted = any(row.get(_COUNT) for row in rows.values())
    grid.add_column("")
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True)
    for column in ("cases", *((_COUNT,) if counted else ())):
        grid.add_column(column, justify="right")
    for name, row in rows.items():
        ends = row.get("intervals", {})
        cells = [_cell(row.get(column), ends.get(column)) for column in columns]
        grid.add_row(name, *cells, f"{row.get('cases', 0):,}", *((f"{row.get(_COUNT, 0):,}",) if counted else ()))
    told = any(row.get("intervals") for row in rows.values())
    note = [Text(f"  in brackets: {level * 100:g} % percentile bootstrap interval, cases drawn with replacement", style="dim")]
    return Group(Text(title, style="bold"), grid, *(note if told else ()), Text())


def _cell(value: float | None, ends: Sequence[float] | None) -> Text:
    if value is None:
        return Text("–")
    shown = Text(f"{value:.3f}")
    return shown if ends is None else shown.append(f" [{ends[0]:.2f}, {ends[1]:.2f}]", style="dim")
