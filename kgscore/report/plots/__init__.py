"""Plots as SVG text: legible, labelled, safe for colour-blind readers, in light and dark (matplotlib, extra `plots`).

Every function takes numbers (Arrow or numpy), never a run, and `theme="light"` or `"dark"`; the SVG can stand in a page as it
is. `figures` holds the same as matplotlib figures, for `png`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kgscore.report.plots.theme import ThemeName, png, svg

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike

__all__ = ["body_regions", "heat_map", "missed_invented", "png", "score_distributions", "svg", "weights_effect"]


def score_distributions(
    scores: Mapping[str, ArrayLike],
    *,
    metric: str,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    low: float | None = 0.0,
    high: float | None = 1.0,
    theme: ThemeName = "light",
) -> str:
    """Return how the scores of a metric are spread: a row for each system or group, with its mean and the interval of it.

    Missing scores (NaN) are left out and counted. `low` and `high` are the range of the metric, None where it has no bound.
    """
    from kgscore.report.plots import figures

    return svg(figures.score_distributions(scores, metric=metric, intervals=intervals, low=low, high=high, theme=theme))


def missed_invented(by_region: pa.Table, *, labels: Mapping[str, str] | None = None, theme: ThemeName = "light") -> str:
    """Return missed and invented findings by region, each bar in shades of severity.

    `by_region` has the columns of the view of that name (rows of one run; asserted findings if only those are to count);
    `labels` names the regions. A contradicted finding counts as missed on the side of the reference and as invented on the
    side of the candidate.
    """
    from kgscore.report.plots import figures

    return svg(figures.missed_invented(by_region, labels=labels, theme=theme))


def body_regions(by_region: pa.Table, *, labels: Mapping[str, str] | None = None, theme: ThemeName = "light") -> str:
    """Return a picture of the body, each region in the shade of its share of errors: findings missed, invented or contradicted
    among all findings there. Takes what `missed_invented` takes."""
    from kgscore.report.plots import figures

    return svg(figures.body_regions(by_region, labels=labels, theme=theme))


def heat_map(
    values: ArrayLike, *, rows: Sequence[str], columns: Sequence[str], title: str, low: float | None = None,
    high: float | None = None, theme: ThemeName = "light",
) -> str:
    """Return a matrix in shades with its numbers: mean scores by level of corruption (SSREE), say. NaN cells stay blank."""
    from kgscore.report.plots import figures

    return svg(figures.heat_map(values, rows=rows, columns=columns, title=title, low=low, high=high, theme=theme))


def weights_effect(effects: pa.Table, *, title: str, theme: ThemeName = "light") -> str:
    """Return what a profile weighs against what that does: for each group its share of the findings, its share of the cost, and
    the weight. `effects` has the columns `group`, `weight`, `findings` and `cost` (shares, 0 to 1)."""
    from kgscore.report.plots import figures

    return svg(figures.weights_effect(effects, title=title, theme=theme))
