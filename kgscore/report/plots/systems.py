"""Comparison of two systems, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kgscore.report.plots.theme import ThemeName, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def against(one: ArrayLike, other: ArrayLike, *, names: tuple[str, str], metric: str, theme: ThemeName = "light") -> Figure:
    """Return a scatter plot of the scores of one system against those of another, case by case, with the diagonal."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    there = np.isfinite(first) & np.isfinite(second)
    first, second = first[there], second[there]
    above, below = int((second > first).sum()), int((second < first).sum())
    with canvas(theme, 5.2, 5.2) as (figure, ax, look):
        figure.set_label(
            f"{metric} of {names[1]} over {names[0]}, {len(first)} cases: above the line in {above}, below in {below}"
        )
        low, high = (float(end) for end in (min(first.min(), second.min()), max(first.max(), second.max())))
        ax.plot([low, high], [low, high], color=look.muted, linewidth=1, linestyle="--")
        ax.scatter(first, second, s=16, color=look.accent, alpha=0.55, linewidth=0)
        ax.set_aspect("equal")
        ax.set_xlabel(f"{metric}, {names[0]} (higher in {below:,})")
        ax.set_ylabel(f"{metric}, {names[1]} (higher in {above:,})")
        ax.set_title(f"{names[1]} against {names[0]}")
    return figure
