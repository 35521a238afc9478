"""`kgscore plot ssree`: scores by level of corruption."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kgscore.cli._options import Profile
from kgscore.cli.plot import Output, Theme, score_range, write
from kgscore.config import PLAIN


def ssree(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Cases with reference, L1 to L5 (docs/benchmarks.md).")],
    output: Output,
    metric: Annotated[str, typer.Option(metavar="M", help="The metric.")] = PLAIN,
    profile: Profile = "default",
    theme: Theme = "light",
) -> None:
    """Plot how a metric falls as meaning is corrupted step by step (SSREE): a heat map of modality and level."""
    from kgscore.lab.bench.texts import levels
    from kgscore.report.plots import figures

    rows, columns, means = levels(file, metric, profile=profile)
    low, high, _ = score_range(metric)
    how: dict[str, Any] = {"rows": rows, "columns": columns, "title": f"Mean {metric} by level of corruption", "theme": theme}
    data = [
        {"cases": row, "level": column, "metric": metric, "mean": mean}
        for row, line in zip(rows, means, strict=True) for column, mean in zip(columns, line, strict=True)
    ]  # fmt: skip
    write(lambda: figures.heat_map(means, low=low, high=high, **how), output, lambda: data)
