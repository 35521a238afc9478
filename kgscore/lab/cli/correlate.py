"""`kgscore correlate`: agreement of the scores of a run with human ratings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import Failures, directions, figures, scores_of
from kgscore.cli._options import FEW, Cluster, Format, NamedRun, Output, Resampling, Scale, split_names


def correlate(
    run: NamedRun,
    human: Annotated[Path, typer.Option(metavar="FILE", help="A table: id and ratings; or better, worse; or a download.")],
    layout: Annotated[str, typer.Option(metavar="L", help="Layout of a download: rexval, radevalx, refisco, preferences …")] = "",
    columns: Annotated[
        list[str] | None, typer.Option(metavar="C,…", help="Only these columns; or OURS=THEIRS to rename one of a layout.")
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option("--lower-is-better", metavar="C", help="A column where less is better (errors).")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="C", help="The study column: compare preferences within it.")] = None,
    scale: Scale = "1:5",
    how: Resampling = FEW,
    cluster: Cluster = None,
    format: Format = "table",
    output: Output = None,
) -> None:
    """Correlate the scores of a run with human ratings: Kendall τ_b, Spearman, Pearson, and preference accuracy.

    Metrics and columns are signed so that higher is better. For a file with the columns better and worse (ids), the accuracy of
    these preferences is computed. A published set is recognised by its files, or named with --layout; error counts are negated.
    Ids must match those from `kgscore published NAME DOWNLOAD --pairs FILE`.
    """
    from kgscore.lab.ratings import correlate_run, read_ratings
    from kgscore.lab.tables import correlations
    from kgscore.results.coverage import coverage

    scores = scores_of(run)
    asked = split_names(",".join(columns or ()))
    called = dict(one.partition("=")[::2] for one in asked if "=" in one)
    ratings = read_ratings(human, [one for one in asked if "=" not in one], layout, called, scale)
    failures = Failures()
    for problem in ratings.problems:
        failures.add(problem)
    rows = correlate_run(
        scores, ratings, higher_is_better=directions(scores.metrics), lower_is_better=lower or (),
        group=group, sampling=how.sampling(cluster),
    )  # fmt: skip
    figures(correlations(rows, how.level, coverage(scores)), [asdict(row) for row in rows], format, output)
    failures.finish()
