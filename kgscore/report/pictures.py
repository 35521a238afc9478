"""The plots of a run for its summary, each for a light and a dark page; none without matplotlib (extra `plots`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock
from typing import Any

from kgscore.report.html import Plot
from kgscore.results.cases import RunInfo
from kgscore.results.concepts import regions
from kgscore.results.sql import ask

# matplotlib's settings are those of the process.
_DRAWING = Lock()


def pictures(run: RunInfo) -> list[Plot]:
    """Return what was missed and invented by region and tier, and where in the body that is. Abnormal findings only.

    Raises:
        RunError: the folder cannot be opened.
    """
    if find_spec("matplotlib") is None:
        return []
    from kgscore.report.plots import figures as draw

    drawn: list[tuple[str, Callable[..., Any]]] = []
    table = ask(run.folder, f"SELECT * FROM by_region WHERE run = {run.run} AND asserted").table
    if table.num_rows:
        labels = {region.name: region.label for region in regions()} | {"unplaced": "No place said"}
        drawn.append(
            ("Missed and invented, by region and tier", lambda theme: draw.missed_invented(table, labels=labels, theme=theme))
        )
        drawn.append(("Where in the body the errors are", lambda theme: draw.body_regions(table, labels=labels, theme=theme)))
    with _DRAWING:
        return [_plot(title, make) for title, make in drawn]


def _plot(title: str, make: Callable[..., Any]) -> Plot:
    from kgscore.report.plots import svg

    light, dark = make(theme="light"), make(theme="dark")
    return Plot(title, str(light.get_label()), svg(light), svg(dark))
