"""What `kgscore score` ends with: the mean of each metric, its interval, and how much is behind it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from kgscore.report.grid import Column, Grid
from kgscore.report.words import interval, number
from kgscore.results.outcome import Means
from kgscore.results.resampling import mean_interval
from kgscore.results.statistics import ALL


def means(found: Means, lower: Collection[str] = ()) -> Grid:
    """Return a row a metric, in the order of the run: scored pairs, mean, 95 % interval (as `kgscore summary` has it) and
    coverage. Those in `lower` are better where they are lower, and are marked."""
    words = 1 - found.unlinked / found.words if found.words else None
    rows = []
    for name, given in found.values.items():
        values = np.asarray(given)
        low, high = mean_interval(values, label=f"{name}||{ALL}") or (None, None)
        share = len(values) / found.pairs if found.pairs else None
        told = [f"{100 * part:.1f} %" if part is not None else "–" for part in (share, words)]
        mean = number(float(values.mean()) if len(values) else None)
        rows.append((f"{name} ↓" if name in lower else name, f"{len(values):,}", mean, interval(low, high), *told))
    named = ("pairs", "mean", "95 % interval", "of pairs", "of words")
    notes = ("↓ lower is better",) if any(name in lower for name in found.values) else ()
    return Grid("", (Column("metric", words=True), *map(Column, named)), rows, notes)
