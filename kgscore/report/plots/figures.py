"""The plots as matplotlib figures: what `kgscore.report.plots` returns as SVG, for PNG or for further drawing."""

from kgscore.report.plots.body import body_regions
from kgscore.report.plots.distribution import against, score_distributions
from kgscore.report.plots.matrix import heat_map
from kgscore.report.plots.regions import missed_invented
from kgscore.report.plots.rows import forest, recall, weights_effect

__all__ = [
    "against", "body_regions", "forest", "heat_map", "missed_invented", "recall", "score_distributions", "weights_effect",
]  # fmt: skip
