"""Heat maps with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kgscore.report.plots.theme import ThemeName, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUMBERED = 400  # most cells that still show their number


def heat_map(
    values: ArrayLike, *, rows: Sequence[str], columns: Sequence[str], title: str, low: float | None = None,
    high: float | None = None, counts: ArrayLike | None = None, theme: ThemeName = "light",
) -> Figure:
    """Return a heat map with numbers, such as mean scores by level of corruption (SSREE). NaN cells stay blank; `counts`
    gives the number of cases behind each mean.

    Raises:
        ValueError: the names do not match the matrix.
    """
    cells = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if cells.shape != (len(rows), len(columns)):
        raise ValueError(f"a matrix of {cells.shape} needs as many names, not {(len(rows), len(columns))}")
    of = None if counts is None else np.atleast_2d(np.asarray(counts))
    finite = cells[np.isfinite(cells)]
    bottom = low if low is not None else float(finite.min(initial=0.0))
    top = high if high is not None else float(finite.max(initial=bottom))
    tall = min(0.42 if of is None else 0.55, 24 / max(1, len(rows)))
    with canvas(theme, 2.6 + 0.85 * len(columns), 1.3 + tall * len(rows)) as (figure, ax, look):
        from matplotlib import colormaps

        figure.set_label(f"{title}: {len(rows)} rows, {len(columns)} columns, from {bottom:.3g} to {top:.3g}")
        scale = colormaps[look.scale].with_extremes(bad=look.faint)
        top = top if top > bottom else bottom + 1
        image = ax.imshow(np.ma.masked_invalid(cells), cmap=scale, vmin=bottom, vmax=top, aspect="auto")
        ax.set_xticks(range(len(columns)), columns, rotation=0 if max(map(len, columns), default=0) < 12 else 30, ha="center")
        ax.set_yticks(range(len(rows)), rows, fontsize=10 if tall > 0.3 else 6)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
        if cells.size <= _NUMBERED:
            for at, value in np.ndenumerate(cells):
                if np.isfinite(value):
                    red, green, blue, _ = image.cmap(image.norm(value))
                    ink = "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#ffffff"
                    told = f"{value:.2f}" if of is None else f"{value:.2f}\nn {int(of[at]):,}"
                    ax.text(at[1], at[0], told, ha="center", va="center", fontsize=8, color=ink)
        ax.set_title(title, pad=10)
        bar = figure.colorbar(image, ax=ax, shrink=0.7, aspect=20)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, colors=look.muted)
    return figure
