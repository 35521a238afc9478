"""The plots in the summary of a run, each for light and dark pages; none without matplotlib (extra `plots`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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


def pictures(run: RunInfo) -> list[Plot]:
    """Return the plots of errors by region and tier, and by place in the body. Abnormal findings only.

    Raises:
        RunError: the folder cannot be opened.
    """
    if find_spec("matplotlib") is None:
        return []
    from kgscore.report.plots import figures as draw

    table, labels = errors_by_region(run.folder, run.run)
    if not table:
        return []
    with _DRAWING:
        return [
            _plot("Missed and invented, by region and tier", partial(draw.missed_invented, table, labels=labels)),
            _plot("Where in the body the errors are", partial(draw.body_regions, table, labels=labels)),
        ]


def _plot(title: str, make: Callable[..., Any]) -> Plot:
    from kgscore.report.plots import svg

    light, dark = make(theme="light"), make(theme="dark")
    return Plot(title, str(light.get_label()), svg(light), svg(dark))


def errors_by_region(folder: Path, run: int, *, denied: bool = False) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the rows of a run's view `by_region`, those of denied findings only if asked for, and what its regions are called.

    Raises:
        RunError: the folder cannot be opened.
    """
    asserted = "" if denied else " AND asserted"
    return ask(folder, f"SELECT * FROM by_region WHERE run = {run}{asserted}").rows(), region_labels()


def region_labels() -> dict[str, str]:
    """Return the labels of the regions used in results."""
    return {region.name: region.label for region in regions()} | {"unplaced": "No place said"}
