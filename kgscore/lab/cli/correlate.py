"""`kgscore correlate`: whether people agree with the scores of a run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import Failures, directions, figures, scores_of
from kgscore.cli._options import FEW, Cluster, Format, NamedRun, Output, Resampling, Scale, listed


def correlate(
    run: NamedRun,
    human: Annotated[Path, typer.Option(metavar="FILE", help="A table: id and figures; or better, worse; or a download.")],
    layout: Annotated[
        str, typer.Option(metavar="L", help="How a download is laid out: rexval, radevalx, refisco, preferences …")
    ] = "",
    columns: Annotated[
        list[str] | None, typer.Option(metavar="C,…", help="Only these columns; or OURS=THEIRS, what one of a layout is called.")
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option("--lower-is-better", metavar="C", help="A column where less is better (errors).")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="C", help="The study: prefer within one only.")] = None,
    scale: Scale = "1:5",
    how: Resampling = FEW,
    cluster: Cluster = None,
    format: Format = "table",
    output: Output = None,
) -> None:
    """Correlate the scores of a run with figures of people: Kendall τ_b, Spearman, Pearson, and accuracy of preferences.

    Metrics and columns are turned so that higher is better. Of a file with the columns better and worse (ids), the accuracy of
    these preferences is told. A published set is recognised by its files, or named with --layout; its error counts are turned.
    Ids must be those that `kgscore published NAME DOWNLOAD --pairs FILE` gives the pairs.
    """
    from kgscore.lab.ratings import correlate_run, read_ratings
    from kgscore.report.terminal import correlations
    from kgscore.results.coverage import coverage

    scores = scores_of(run)
    asked = listed(",".join(columns or ()))
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
