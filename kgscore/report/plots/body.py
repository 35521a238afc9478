"""Errors by place in the body: a drawing whose regions are shaded by their share of errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgscore.report.plots.regions import RegionErrors, errors_of
from kgscore.report.plots.theme import Table, Theme, ThemeName, canvas
from kgscore.resources import yaml_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 200.0, 440.0
_GAP = 27.0  # between labels
_FEW = 10  # hatched if it has fewer findings, since the share is unreliable


def body_regions(by_region: Table, *, labels: Mapping[str, str] | None = None, theme: ThemeName = "light") -> Figure:
    """Return a picture of the body, each region in the shade of its share of errors: findings missed, invented or contradicted
    among all findings there. Takes what `missed_invented` takes."""
    found = {one.region: one for one in errors_of(by_region, labels)}
    drawn = {str(shape["name"]) for shape in _shapes()}
    elsewhere = [one for name, one in found.items() if name not in drawn]
    with canvas(theme, 7.2, 6.6) as (figure, ax, look):
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        figure.set_label("Share of wrong findings by region of the body: " + ("; ".join(map(_counts, found.values())) or "none"))
        top = ceil(max([0.1, *(one.share for one in found.values())]) * 10) / 10
        colours = ScalarMappable(Normalize(0, top), LinearSegmentedColormap.from_list("errors", [look.body, *look.missed]))
        for shape in _shapes():
            one = found.get(shape["name"])
            fill = colours.cmap(one.share / top) if one is not None and one.findings else look.faint
            _draw(ax, shape, fill, look, few=one is not None and 0 < one.findings < _FEW)
        for side in ("left", "right"):
            _label(ax, side, found, look)
        ax.set_xlim(-150, 350)
        ax.set_ylim(_HEIGHT + (24 if elsewhere else 4), -4)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title("Where the errors are", x=0.0)
        if elsewhere:
            told = " · ".join(map(_counts, elsewhere))
            ax.text(100, _HEIGHT + 18, f"Not shown: {told}", ha="center", fontsize=8, color=look.muted)
        bar = figure.colorbar(colours, ax=ax, location="right", shrink=0.5, aspect=24, format=lambda v, _: f"{v * 100:.0f} %")
        few = f"hatched: fewer than {_FEW} findings"
        bar.set_label(f"findings missed, invented or wrong; pale grey: no findings;\n{few}", fontsize=8)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, colors=look.muted)
    return figure


@cache
def _shapes() -> tuple[Mapping[str, Any], ...]:
    return tuple(yaml_of("mappings", "body.yaml"))


def _draw(ax: Axes, shape: Mapping[str, Any], fill: Any, look: Theme, *, few: bool) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = np.asarray(shape["points"], dtype=float)
    for one in (points, points * (-1, 1) + (_WIDTH, 0)) if shape["mirror"] else (points,):
        line: dict[str, Any] = {"edgecolor": look.muted, "linewidth": 0.8, "joinstyle": "round"}
        curve = _smooth(one)
        codes = [Path.MOVETO] + [Path.CURVE4] * (len(curve) - 1)
        ax.add_patch(PathPatch(Path(curve, codes), facecolor=fill, hatch="///" if few else None, **line))


def _smooth(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the closed curve of Bézier segments through the points (Catmull–Rom)."""
    before, after, beyond = np.roll(points, 1, 0), np.roll(points, -1, 0), np.roll(points, -2, 0)
    pieces = np.stack([points + (after - before) / 6, after - (beyond - points) / 6, after], axis=1).reshape(-1, 2)
    return np.concatenate([points[:1], pieces])


def _label(ax: Axes, side: str, found: Mapping[str, RegionErrors], look: Theme) -> None:
    """Draw the labels of one side, spread to avoid overlap, each with a line to its region."""
    mine = sorted((shape for shape in _shapes() if shape["side"] == side and shape["name"] in found), key=lambda s: s["at"][1])
    x, end, align = (-14.0, -10.0, "right") if side == "left" else (214.0, 210.0, "left")
    heights = accumulate((float(shape["at"][1]) for shape in mine), lambda above, height: max(height, above + _GAP))
    for shape, y in zip(mine, heights, strict=True):
        one = found[shape["name"]]
        ax.annotate(
            "", tuple(shape["at"]), (end, y), arrowprops={"arrowstyle": "-", "color": look.muted, "linewidth": 0.8}, zorder=5
        )
        ax.plot(*shape["at"], "o", color=look.ink, markersize=3, markeredgecolor=look.ground, markeredgewidth=0.6, zorder=6)
        ax.text(x, y - 4, one.label, ha=align, va="center", fontsize=9, fontweight="bold", color=look.ink)
        ax.text(x, y + 8, _share(one), ha=align, va="center", fontsize=8, color=look.muted)


def _share(one: RegionErrors) -> str:
    return f"{one.errors:,} of {one.findings:,} ({one.share * 100:.0f} %)"


def _counts(one: RegionErrors) -> str:
    return f"{one.label} {_share(one)}"
