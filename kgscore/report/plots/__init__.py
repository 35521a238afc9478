"""Plots as SVG text: legible, labelled, safe for colour-blind readers, in light and dark (matplotlib, extra `plots`).

Every function takes numbers (Arrow or numpy), never a run, and `theme="light"` or `"dark"`; the SVG can stand in a page as it
is. `figures` holds the same as matplotlib figures, for `png`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgscore.report.plots.theme import ThemeName, png, svg

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike

__all__ = [
    "against", "body_regions", "forest", "heat_map", "missed_invented", "png", "recall", "score_distributions", "svg",
    "weights_effect",
]  # fmt: skip


def score_distributions(
    scores: Mapping[str, ArrayLike],
    *,
    metric: str,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    low: float | None = 0.0,
    high: float | None = 1.0,
    higher_is_better: bool | None = None,
    theme: ThemeName = "light",
) -> str:
    """Return how the scores of a metric are spread: a row for each system or group, with its mean and the interval of it, all on
    one scale of shares.

    Missing scores (NaN) are left out and counted. `low` and `high` are the range of the metric, None where it has no bound.
    """
    from kgscore.report.plots import figures

    return svg(
        figures.score_distributions(
            scores, metric=metric, intervals=intervals, low=low, high=high, higher_is_better=higher_is_better, theme=theme
        )
    )


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
    high: float | None = None, counts: ArrayLike | None = None, theme: ThemeName = "light",
) -> str:
    """Return a matrix in shades with its numbers: mean scores by level of corruption (SSREE), say. NaN cells stay blank; `counts`
    says of how many each number is the mean."""
    from kgscore.report.plots import figures

    return svg(
        figures.heat_map(values, rows=rows, columns=columns, title=title, low=low, high=high, counts=counts, theme=theme)
    )


def forest(
    rows: Sequence[tuple[str, float, float, float]], *, title: str, words: str, line: float = 0.0, theme: ThemeName = "light"
) -> str:
    """Return intervals below each other with a line at 0, or where `line` says: a row holds name, value and both ends; `words`
    tell the scale."""
    from kgscore.report.plots import figures

    return svg(figures.forest(rows, title=title, words=words, line=line, theme=theme))


def against(one: ArrayLike, other: ArrayLike, *, names: tuple[str, str], metric: str, theme: ThemeName = "light") -> str:
    """Return the scores of one system over those of another, case by case, with the line on which both are the same."""
    from kgscore.report.plots import figures

    return svg(figures.against(one, other, names=names, metric=metric, theme=theme))


def recall(
    rows: Sequence[Mapping[str, Any]], *, title: str = "Recall by finding", theme: ThemeName = "light"
) -> str:
    """Return how often each finding of the references is said by the candidate too, with its interval and how many that is of.

    `rows` have `finding`, `tier` (1 routine to 4 critical), `said`, `found`, `recall`, `low` and `high` (shares, 0 to
    1), and are drawn in their order.
    """
    from kgscore.report.plots import figures

    return svg(figures.recall(rows, title=title, theme=theme))


def weights_effect(effects: pa.Table, *, title: str, theme: ThemeName = "light") -> str:
    """Return what a profile weighs against what that does: for each group its share of the findings, its share of the cost, and
    the weight. `effects` has the columns `group`, `weight`, `findings` and `cost` (shares, 0 to 1)."""
    from kgscore.report.plots import figures

    return svg(figures.weights_effect(effects, title=title, theme=theme))
