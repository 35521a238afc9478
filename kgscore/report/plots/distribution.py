"""Score distributions, a row of counts for each system or group, and the scores of one system against those of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kgscore.report.plots.theme import Theme, ThemeName, canvas, configured_theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 20
_ROW = 0.95  # inches
_Given = Mapping[str, tuple[NDArray[np.float64], int]]


def score_distributions(
    scores: Mapping[str, ArrayLike], *, metric: str, intervals: Mapping[str, tuple[float, float]] | None = None,
    low: float | None = 0.0, high: float | None = 1.0, higher_is_better: bool | None = None, theme: ThemeName = "light",
) -> Figure:
    """Return the distribution of the scores of a metric: a row for each system or group, with its mean and interval, all on
    one scale of shares.

    Missing scores (NaN) are excluded and counted. `low` and `high` are the range of the metric, None if unbounded.

    Raises:
        ValueError: there are no rows.
    """
    given = _present_scores(scores)
    if not given:
        raise ValueError("no scores to plot; give at least one row")
    edges = _edges(given, low, high)
    with configured_theme(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 0.9 + _ROW * len(given)), layout="constrained")
        figure.set_label(f"Distribution of {metric} for {', '.join(given)}")
        axes = figure.subplots(len(given), 1, sharex=True, squeeze=False)[:, 0]
        shares = {name: _counts(there, edges) / max(1, len(there)) for name, (there, _) in given.items()}
        top = max(0.01, *(float(mine.max()) for mine in shares.values()))  # one scale for all rows
        for ax, (name, (there, lacking)) in zip(axes, given.items(), strict=True):
            _draw_row(ax, name, there, lacking, shares[name], edges, (intervals or {}).get(name), top, look)
        better = "" if higher_is_better is None else f" ({'higher' if higher_is_better else 'lower'} is better)"
        axes[-1].set_xlabel(f"{metric}{better}")
        axes[-1].tick_params(bottom=True, labelbottom=True)
        figure.suptitle(f"How {metric} is spread", x=0.01, ha="left", fontsize=12, fontweight="bold", color=look.ink)
    return figure


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


def distribution_data(
    scores: Mapping[str, ArrayLike], *, metric: str, intervals: Mapping[str, tuple[float, float]] | None = None,
    low: float | None = 0.0, high: float | None = 1.0,
) -> list[dict[str, Any]]:
    """Return the data of `score_distributions`: for each row and each bin, how many cases score `from` the lower end up `to`
    the upper end (inclusive in the last bin), with the mean of the row and its interval."""
    given = _present_scores(scores)
    edges = _edges(given, low, high)
    rows: list[dict[str, Any]] = []
    for name, (there, lacking) in given.items():
        mean = float(there.mean()) if len(there) else None
        ends = (intervals or {}).get(name, (None, None))
        told = {"row": name, "metric": metric, "scored": len(there), "without_score": lacking, "mean": mean}
        told |= {"low": ends[0], "high": ends[1]}
        rows += [
            {**told, "from": start, "to": end, "cases": count}
            for start, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), _counts(there, edges).tolist(), strict=True)
        ]
    return rows


def _present_scores(scores: Mapping[str, ArrayLike]) -> _Given:
    """Return, for each row, the scores present and the number missing."""
    given = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    return {name: (values[np.isfinite(values)], int((~np.isfinite(values)).sum())) for name, values in given.items()}


def _edges(given: _Given, low: float | None, high: float | None) -> NDArray[np.float64]:
    """Return the edges of the bins."""
    finite = np.concatenate([there for there, _ in given.values()])
    start = low if low is not None else float(finite.min(initial=0.0))
    end = high if high is not None else float(finite.max(initial=start + 1.0))
    return np.linspace(start, end if end > start else start + 1.0, _BINS + 1)


def _counts(there: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.histogram(np.clip(there, edges[0], edges[-1]), edges)[0]


def _draw_row(
    ax: Axes, name: str, there: NDArray[np.float64], lacking: int, shares: NDArray[np.float64], edges: NDArray[np.float64],
    ends: tuple[float, float] | None, top: float, look: Theme,
) -> None:
    style = {"color": look.accent, "alpha": 0.55, "edgecolor": look.ground, "linewidth": 0.8}
    ax.bar(edges[:-1], shares, width=np.diff(edges), align="edge", **style)  # type: ignore[arg-type]
    ax.set_ylim(0, top * 1.35)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_yticks([top], [f"{top * 100:.0f} %"])
    ax.tick_params(left=False, bottom=False, labelleft=True, colors=look.muted, labelsize=8)
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)
    told = f"n = {len(there):,}" + (f", {lacking:,} without a score" if lacking else "")
    if len(there):
        mean = float(there.mean())
        ax.axvline(mean, color=look.ink, linewidth=1.6)
        told += f", mean {mean:.3f}"
        if ends is not None:
            ax.axvspan(*ends, color=look.ink, alpha=0.14, linewidth=0, zorder=0)
            told += f" ({ends[0]:.3f} to {ends[1]:.3f})"
    ax.set_title(name, fontsize=10, color=look.ink, pad=3)
    ax.set_title(told, fontsize=9, fontweight="normal", color=look.muted, loc="right", pad=3)
