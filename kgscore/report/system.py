"""A system in a terminal: its actionable errors, triage, and the profile of its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kgscore.model import TIERS
from kgscore.report.words import number
from kgscore.verdict import CATEGORIES

_SHOWN = 8


def system_table(figures: Mapping[str, Any]) -> RenderableType:
    """Return the figures of a system, from `kgscore.cli.statistics`, as tables below its means."""
    low, high = figures["interval"] or (None, None)
    ends = "" if low is None else f"  [{low:.2f}, {high:.2f}]"
    lines = [
        Text(f"  actionable errors per report {number(figures['actionable_errors'], 2)}{ends}  ({figures['reports']} reports)"),
        Text(f"  sure {number(figures['sure_errors'], 2)}, doubtful {number(_doubtful(figures), 2)}", style="dim"),
        Text("  " + "   ".join(f"{name.replace('_', ' ')} {_share(figures[name])}" for name in _RATES), style="dim"),
    ]
    parts: list[RenderableType] = [*lines, Text()]
    dimensions = [
        (name, counts["major"], counts["minor"], counts["clean"])
        for name, counts in figures["dimensions"].items() if counts["minor"] or counts["major"]
    ]  # fmt: skip
    parts += _grid("errors by dimension", ("dimension", "major", "minor", "clean"), dimensions)
    tiers = [(TIERS[int(tier)], *counts.values()) for tier, counts in figures["tiers"].items() if any(counts.values())]
    parts += _grid("findings by tier", ("tier", *CATEGORIES), tiers)
    for group, name in (("finding", "findings"), ("region", "regions"), ("modality", "modalities")):
        rows = [(one["name"], one["missed"], one["wrong"], one["invented"]) for one in figures[name][:_SHOWN]]
        parts += _grid(f"actionable errors by {group}", ("", "missed", "wrong", "invented"), rows)
    return Group(*parts)


_RATES = ("triage_recall", "triage_precision", "actionable_recall", "actionable_precision")


def _doubtful(figures: Mapping[str, Any]) -> float | None:
    every, sure = figures["actionable_errors"], figures["sure_errors"]
    return None if every is None else every - sure


def _share(rate: Mapping[str, Any]) -> str:
    return "–" if rate["share"] is None else f"{rate['share'] * 100:.0f} % ({rate['right']}/{rate['of']})"


def _grid(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[RenderableType]:
    if not rows:
        return []
    grid = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 2))
    for at, column in enumerate(columns):
        grid.add_column(column, justify="right" if at else "left")
    for row in rows:
        grid.add_row(*map(str, row))
    return [grid, Text()]
