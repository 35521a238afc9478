"""The plots in the summary of a run, each for light and dark pages; none without matplotlib (extra `plots`)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from kgscore.report.html import Plot
from kgscore.results.cases import RunInfo
from kgscore.results.concepts import regions
from kgscore.results.sql import ask

# matplotlib's settings are those of the process.
_DRAWING = Lock()
_TITLES = ("Missed and invented, by region and tier", "Where in the body the errors are")


def pictures(run: RunInfo) -> list[Plot]:
    """Return the plots of errors by region and tier, and by place in the body. Abnormal findings only."""
    if find_spec("matplotlib") is None:
        return []
    from kgscore.report.plots import figures as draw
    from kgscore.report.plots import svg

    table, labels = errors_by_region(run.folder, run.run)
    if not table:
        return []
    found = []
    makers = (draw.missed_invented, draw.body_regions)
    with _DRAWING:
        for title, make in zip(_TITLES, makers, strict=True):
            light, dark = make(table, labels=labels, theme="light"), make(table, labels=labels, theme="dark")
            found.append(Plot(title, str(light.get_label()), svg(light), svg(dark)))
    return found


def errors_by_region(folder: Path, run: int, *, denied: bool = False) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the rows of a run's view `by_region`, denied findings only if asked for, and the labels of its regions."""
    asserted = "" if denied else " AND asserted"
    return ask(folder, f"SELECT * FROM by_region WHERE run = {run}{asserted}").rows(), region_labels()


def region_labels() -> dict[str, str]:
    """Return the labels of the regions used in results."""
    return {region.name: region.label for region in regions()} | {"unplaced": "No place said"}
