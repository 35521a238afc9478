"""How often each finding of the references is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgscore.model import TIERS
from kgscore.report.plots.theme import ThemeName, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def recall(rows: Sequence[Mapping[str, Any]], *, title: str = "Recall by finding", theme: ThemeName = "light") -> Figure:
    """Return the figure of `kgscore.report.plots.recall`."""
    with drawing(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 1.5 + 0.34 * max(1, len(rows))), layout="constrained")
        told = (f"{one['finding']} ({TIERS[one['tier']]}) {one['found']:,} of {one['said']:,}" for one in rows)
        figure.set_label(f"{title}: {'; '.join(told) or 'none'}")
        ax: Any = figure.subplots()
        ax.set_xlim(0, 1)
        ax.axvline(1, color=look.faint, linewidth=1)
        for at, one in enumerate(rows):
            # Shade, width and mark say the tier: the gravest is darkest.
            shade = look.invented[one["tier"] - 1]
            ax.plot([one["low"], one["high"]], [at, at], color=shade, linewidth=2 + one["tier"], solid_capstyle="butt")
            point: dict[str, Any] = {"color": look.ink, "markeredgecolor": look.ground, "markersize": 7, "zorder": 3}
            ax.plot([one["recall"]], [at], "o", clip_on=False, **point)
            ax.text(1.03, at, f"{one['found']:,} of {one['said']:,}", va="center", fontsize=8, color=look.muted)
        ax.set_yticks(range(len(rows)), [f"{one['finding']}, {TIERS[one['tier']]}" for one in rows])
        for label, one in zip(ax.get_yticklabels(), rows, strict=True):
            label.set_fontweight("bold" if one["tier"] >= 3 else "normal")
        ax.set_ylim(max(1, len(rows)) - 0.4, -0.6)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value * 100:.0f} %")
        ax.tick_params(left=False)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x")
        ax.set_axisbelow(True)
        ax.set_xlabel("said by the candidate too, with 95 % interval (higher is better)")
        ax.set_title(title)
        if not rows:
            ax.set_axis_off()
            ax.text(0.5, 0.5, "no finding is said often enough", ha="center", transform=ax.transAxes, color=look.muted)
    return figure
