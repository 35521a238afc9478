"""Row plots: intervals, recall by finding, and the weights of a profile with their effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgscore.model import TIERS
from kgscore.report.plots.theme import Table, ThemeName, canvas, draw_empty, format_as_shares, label_rows, table_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def forest(
    rows: Sequence[tuple[str, float, float, float]], *, title: str, words: str, line: float = 0.0, theme: ThemeName = "light"
) -> Figure:
    """Return a plot of intervals in rows, with a line at 0 or at `line`: a row holds name, value and both ends; `words`
    labels the axis."""
    with canvas(theme, 7.2, 1.3 + 0.36 * max(1, len(rows))) as (figure, ax, look):
        told = (f"{name} {value:.2f} ({low:.2f} to {high:.2f})" for name, value, low, high in rows)
        figure.set_label(f"{title}: {'; '.join(told)}")
        for at, (_, value, low, high) in enumerate(rows):
            ax.plot([low, high], [at, at], color=look.accent, linewidth=3, solid_capstyle="butt")
            ax.plot([value], [at], "o", color=look.ink, markersize=5)
        ax.axvline(line, color=look.muted, linewidth=1)
        label_rows(ax, [row[0] for row in rows])
        ax.set_xlabel(words)
        ax.set_title(title)
    return figure


def recall(rows: Sequence[Mapping[str, Any]], *, title: str = "Recall by finding", theme: ThemeName = "light") -> Figure:
    """Return a plot of the recall of each finding of the references, with its interval and the number of cases.

    `rows` have `finding`, `tier` (1 routine to 4 critical), `said`, `found`, `recall`, `low` and `high` (shares, 0 to
    1), and are drawn in the given order.
    """
    with canvas(theme, 7.2, 1.5 + 0.34 * max(1, len(rows))) as (figure, ax, look):
        told = (f"{one['finding']} ({TIERS[one['tier']]}) {one['found']:,} of {one['said']:,}" for one in rows)
        figure.set_label(f"{title}: {'; '.join(told) or 'none'}")
        ax.set_xlim(0, 1)
        ax.axvline(1, color=look.faint, linewidth=1)
        for at, one in enumerate(rows):
            # Shade, width and marker encode the tier: the most severe is darkest.
            shade = look.invented[one["tier"] - 1]
            ax.plot([one["low"], one["high"]], [at, at], color=shade, linewidth=2 + one["tier"], solid_capstyle="butt")
            point: dict[str, Any] = {"color": look.ink, "markeredgecolor": look.ground, "markersize": 7, "zorder": 3}
            ax.plot([one["recall"]], [at], "o", clip_on=False, **point)
            ax.text(1.03, at, f"{one['found']:,} of {one['said']:,}", va="center", fontsize=8, color=look.muted)
        label_rows(ax, [f"{one['finding']}, {TIERS[one['tier']]}" for one in rows])
        for label, one in zip(ax.get_yticklabels(), rows, strict=True):
            label.set_fontweight("bold" if one["tier"] >= 3 else "normal")
        format_as_shares(ax)
        ax.set_xlabel("also reported by the candidate, with 95 % interval (higher is better)")
        ax.set_title(title)
        if not rows:
            draw_empty(ax, "no finding is frequent enough", look)
    return figure


def weights_effect(effects: Table, *, title: str, theme: ThemeName = "light") -> Figure:
    """Return what a profile weighs against what that does: for each group its share of the findings, its share of the cost, and
    the weight. `effects` has the columns `group`, `weight`, `findings` and `cost` (shares, 0 to 1)."""
    rows = sorted(table_rows(effects), key=lambda row: (-row["cost"], row["group"]))
    with canvas(theme, 7.2, 1.7 + 0.4 * max(1, len(rows))) as (figure, ax, look):
        told = (f"{r['group']} weighs {r['weight']:.2f}, {r['findings']:.0%} of findings, {r['cost']:.0%} of cost" for r in rows)
        figure.set_label(f"{title}: {'; '.join(told)}")
        for at, row in enumerate(rows):
            ax.plot([row["findings"], row["cost"]], [at, at], color=look.muted, linewidth=1.6, zorder=1)
            ax.annotate(
                f"× {row['weight']:.2f}", (max(row["findings"], row["cost"]), at), xytext=(9, 0), textcoords="offset points",
                va="center", fontsize=8, color=look.muted,
            )
        heights = range(len(rows))
        rings = {"color": look.ground, "edgecolor": look.ink, "linewidth": 1.4, "label": "share of the findings"}
        points = {"color": look.missed[2], "edgecolor": look.ground, "marker": "D", "label": "share of the cost"}
        ax.scatter([r["findings"] for r in rows], heights, s=46, zorder=2, **rings)
        ax.scatter([r["cost"] for r in rows], heights, s=46, zorder=3, **points)
        label_rows(ax, [r["group"] for r in rows])
        ax.tick_params(bottom=False)
        ax.set_xlim(-0.02, max([0.1, *(max(r["findings"], r["cost"]) for r in rows)]) * 1.2)
        format_as_shares(ax)
        ax.set_title(title)
        ax.set_xlabel("× is the mean weight under the profile")
        figure.legend(loc="outside lower center", ncols=2, fontsize=8)
    return figure
