"""Plots as SVG text: labelled, safe for colour-blind readers, in light and dark (matplotlib, extra `plots`).

Every function takes numbers (rows, Arrow or numpy), never a run, and `theme="light"` or `"dark"`; the SVG can stand in a page as
it is. `figures` holds the same functions, which there return matplotlib figures, for `png`.
"""

from kgscore.report.plots import figures
from kgscore.report.plots.theme import as_svg, png, svg

__all__ = [
    "against", "body_regions", "forest", "heat_map", "missed_invented", "png", "recall", "score_distributions", "svg",
    "weights_effect",
]  # fmt: skip

against = as_svg(figures.against)
body_regions = as_svg(figures.body_regions)
forest = as_svg(figures.forest)
heat_map = as_svg(figures.heat_map)
missed_invented = as_svg(figures.missed_invented)
recall = as_svg(figures.recall)
score_distributions = as_svg(figures.score_distributions)
weights_effect = as_svg(figures.weights_effect)
