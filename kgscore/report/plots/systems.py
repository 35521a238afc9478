"""One system against another: scores case by case, and differences of many metrics with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kgscore.report.plots.theme import ThemeName, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def against(
    one: ArrayLike, other: ArrayLike, *, names: tuple[str, str], metric: str, theme: ThemeName = "light"
) -> Figure:
    """Return the figure of `kgscore.report.plots.against`."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    there = np.isfinite(first) & np.isfinite(second)
    first, second = first[there], second[there]
    above, below = int((second > first).sum()), int((second < first).sum())
    with drawing(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.2, 5.2), layout="constrained")
        figure.set_label(
            f"{metric} of {names[1]} over {names[0]}, {len(first)} cases: above the line in {above}, below in {below}"
        )
        ax: Any = figure.subplots()
        low, high = (float(end) for end in (min(first.min(), second.min()), max(first.max(), second.max())))
        ax.plot([low, high], [low, high], color=look.muted, linewidth=1, linestyle="--")
        ax.scatter(first, second, s=16, color=look.accent, alpha=0.55, linewidth=0)
        ax.set_aspect("equal")
        ax.set_xlabel(f"{metric}, {names[0]} (higher in {below:,})")
        ax.set_ylabel(f"{metric}, {names[1]} (higher in {above:,})")
        ax.set_title(f"{names[1]} against {names[0]}")
    return figure


def forest(
    rows: Sequence[tuple[str, float, float, float]], *, title: str, words: str, line: float = 0.0, theme: ThemeName = "light"
) -> Figure:
    """Return the figure of `kgscore.report.plots.forest`."""
    with drawing(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 1.3 + 0.36 * max(1, len(rows))), layout="constrained")
        told = (f"{name} {value:.2f} ({low:.2f} to {high:.2f})" for name, value, low, high in rows)
        figure.set_label(f"{title}: {'; '.join(told)}")
        ax: Any = figure.subplots()
        for at, (_, value, low, high) in enumerate(rows):
            ax.plot([low, high], [at, at], color=look.accent, linewidth=3, solid_capstyle="butt")
            ax.plot([value], [at], "o", color=look.ink, markersize=5)
        ax.axvline(line, color=look.muted, linewidth=1)
        ax.set_yticks(range(len(rows)), [row[0] for row in rows])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_xlabel(words)
        ax.set_title(title)
        ax.tick_params(left=False)
        ax.spines["left"].set_visible(False)
    return figure
