"""What a profile weighs, against what its weights do to the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgscore.report.plots.theme import ThemeName, drawing

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure


def weights_effect(effects: pa.Table, *, title: str, theme: ThemeName = "light") -> Figure:
    """Return the figure of `kgscore.report.plots.weights_effect`."""
    rows = sorted(effects.to_pylist(), key=lambda row: (-row["cost"], row["group"]))
    with drawing(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 1.7 + 0.4 * max(1, len(rows))), layout="constrained")
        told = (f"{r['group']} weighs {r['weight']:.2f}, {r['findings']:.0%} of findings, {r['cost']:.0%} of cost" for r in rows)
        figure.set_label(f"{title}: {'; '.join(told)}")
        ax: Any = figure.subplots()
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
        ax.set_yticks(heights, [r["group"] for r in rows])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_xlim(-0.02, max([0.1, *(max(r["findings"], r["cost"]) for r in rows)]) * 1.2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value * 100:.0f} %")
        ax.grid(axis="x")
        ax.set_axisbelow(True)
        ax.tick_params(left=False, bottom=False)
        ax.spines["left"].set_visible(False)
        ax.set_title(title)
        ax.set_xlabel("× is the mean weight under the profile")
        figure.legend(loc="outside lower center", ncols=2, fontsize=8)
    return figure
