"""How scores are spread: a row of counts for each system or group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kgscore.report.plots.theme import Theme, ThemeName, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 20
_ROW = 0.95  # inches


def score_distributions(
    scores: Mapping[str, ArrayLike], *, metric: str, intervals: Mapping[str, tuple[float, float]] | None = None,
    low: float | None = 0.0, high: float | None = 1.0, theme: ThemeName = "light",
) -> Figure:
    """Return the figure of `kgscore.report.plots.score_distributions`.

    Raises:
        ValueError: there is no row to draw.
    """
    given = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    if not given:
        raise ValueError("no scores to plot; give at least one row")
    finite = np.concatenate([values[np.isfinite(values)] for values in given.values()])
    start = low if low is not None else float(finite.min(initial=0.0))
    end = high if high is not None else float(finite.max(initial=start + 1.0))
    edges = np.linspace(start, end if end > start else start + 1.0, _BINS + 1)
    with drawing(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 0.9 + _ROW * len(given)), layout="constrained")
        figure.set_label(f"Distribution of {metric} for {', '.join(given)}")
        axes = figure.subplots(len(given), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, given.items(), strict=True):
            _row(ax, name, values, edges, (intervals or {}).get(name), look)
        axes[-1].set_xlabel(metric)
        axes[-1].tick_params(bottom=True, labelbottom=True)
        figure.suptitle(f"How {metric} is spread", x=0.01, ha="left", fontsize=12, fontweight="bold", color=look.ink)
    return figure


def _row(
    ax: Axes, name: str, values: NDArray[np.float64], edges: NDArray[np.float64], ends: tuple[float, float] | None, look: Theme
) -> None:
    there = values[np.isfinite(values)]
    counts, _ = np.histogram(np.clip(there, edges[0], edges[-1]), edges)
    style = {"color": look.accent, "alpha": 0.55, "edgecolor": look.ground, "linewidth": 0.8}
    ax.bar(edges[:-1], counts, width=np.diff(edges), align="edge", **style)  # type: ignore[arg-type]
    top = max(1, int(counts.max(initial=1)))
    ax.set_ylim(0, top * 1.35)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_yticks([top])
    ax.tick_params(left=False, bottom=False, labelleft=True, colors=look.muted, labelsize=8)
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)
    told = f"n = {len(there):,}" + (f", {len(values) - len(there):,} without a score" if len(there) < len(values) else "")
    if len(there):
        mean = float(there.mean())
        ax.axvline(mean, color=look.ink, linewidth=1.6)
        if ends is not None:
            ax.axvspan(*ends, color=look.ink, alpha=0.14, linewidth=0, zorder=0)
            told += f", mean {mean:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"
        else:
            told += f", mean {mean:.3f}"
    ax.set_title(name, fontsize=10, color=look.ink, pad=3)
    ax.set_title(told, fontsize=9, fontweight="normal", color=look.muted, loc="right", pad=3)
