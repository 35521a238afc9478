"""The plots as matplotlib figures: what `kgscore.report.plots` returns as SVG, for PNG or for further drawing."""

from kgscore.report.plots.body import body_regions
from kgscore.report.plots.distribution import score_distributions
from kgscore.report.plots.matrix import heat_map
from kgscore.report.plots.regions import missed_invented
from kgscore.report.plots.weights import weights_effect

__all__ = ["body_regions", "heat_map", "missed_invented", "score_distributions", "weights_effect"]
