"""`kgscore plot`: plots of runs as SVG or PNG, and their data as CSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from kgscore.cli import _common as common
from kgscore.cli._common import say, scores_of
from kgscore.cli._options import Form, NamedRun, NamedRuns, output_to
from kgscore.errors import InputError, ProfileError, RunError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

app = typer.Typer(help="Plots of runs as SVG or PNG (extra plots), and their data as CSV or JSON.", no_args_is_help=True)
PICTURES, DATA = (".svg", ".png"), (".csv", ".json", ".jsonl")
Rows = Sequence[Mapping[str, Any]]

Output = Annotated[Path, output_to("FILE", "Image (.svg, .png) or its data (.csv, .json, .jsonl).")]
Theme = Annotated[Literal["light", "dark"], typer.Option("--theme", help="Light or dark theme.")]
Metric = Annotated[str | None, typer.Option("--metric", metavar="M", help="The metric; without it, the first of the run.")]
Denied = Annotated[bool, typer.Option("--denied", help="Include negative and normal findings.")]


@app.command()
def scores(
    runs: NamedRuns, output: Output, metric: Metric = None,
    by: Annotated[str | None, typer.Option(metavar="COLUMN", help="One row per value of this column.")] = None,
    theme: Theme = "light",
) -> None:
    """Plot the distribution of a metric, with mean and interval: one row per run or per group."""
    from kgscore.report.plots import figures
    from kgscore.report.plots.distribution import distribution_data
    from kgscore.results.statistics import summarise

    values: dict[str, Any] = {}
    intervals: dict[str, tuple[float, float]] = {}
    loaded = list(map(scores_of, runs))
    name = _metric(metric, loaded[0].metrics)
    for one in loaded:
        if name not in one.metrics:
            raise RunError(f"{one.name.name}: was not scored with {name}; it has {', '.join(one.metrics)}")
        for row in summarise(one, by=[by] if by else []):
            if (row.metric, row.by) != (name, by or ""):
                continue
            label = " · ".join([row.group or "(none)"] * bool(by) + [one.name.name] * (not by or len(loaded) > 1))
            values[label] = one.values[name][[value == row.group for value in one.column(by)]] if by else one.values[name]
            if row.interval is not None:
                intervals[label] = row.interval
    low, high, better = score_range(name)
    how: dict[str, Any] = {"low": low, "high": high, "intervals": intervals}
    write(
        lambda: figures.score_distributions(values, metric=name, higher_is_better=better, theme=theme, **how), output,
        lambda: distribution_data(values, metric=name, **how),
    )  # fmt: skip


@app.command()
def against(one: NamedRun, other: NamedRun, output: Output, metric: Metric = None, theme: Theme = "light") -> None:
    """Plot the scores of one run against those of another, one point per case."""
    from kgscore.report.plots import figures
    from kgscore.results.comparison import pair_up, shared_scores

    pairs = pair_up(scores_of(one), scores_of(other))
    name = _metric(metric, [metric for metric in pairs.one.metrics if metric in pairs.other.metrics])
    at, left, right = shared_scores(pairs, name)
    if not len(left):
        raise RunError(f"{one}, {other}: no case has a {name} score in both")
    names = Path(pairs.one.name.name).name, Path(pairs.other.name.name).name
    ids = [pairs.one.ids[pairs.at[n][0]] for n in at.tolist()]
    rows = [{"id": id, "metric": name, "a": a, "b": b} for id, a, b in zip(ids, left.tolist(), right.tolist(), strict=True)]
    write(lambda: figures.against(left, right, names=names, metric=name, theme=theme), output, lambda: rows)


@app.command()
def forest(one: NamedRun, other: NamedRun, output: Output, theme: Theme = "light") -> None:
    """Plot the gain of one run over another in every metric, in standard deviations with 95 % intervals; right is better."""
    from kgscore.report.plots import figures
    from kgscore.results.comparison import compare

    runs = scores_of(one), scores_of(other)
    better = common.directions(name for run in runs for name in run.metrics)
    rows = []
    for row in compare(runs, higher_is_better=better)[0]:
        if row.effect and row.difference is not None and row.low is not None and row.high is not None:
            spread = row.difference / row.effect * (1 if better.get(row.metric, True) else -1)
            low, high = sorted((row.low / spread, row.high / spread))
            rows.append((row.metric, row.difference / spread, low, high))
    title = f"{Path(runs[1].name.name).name} against {Path(runs[0].name.name).name}"
    words = "difference in standard deviations; right: better"
    data = [dict(zip(("metric", "gain_sd", "low", "high"), row, strict=True)) for row in rows]
    write(lambda: figures.forest(rows, title=title, words=words, theme=theme), output, lambda: data)


@app.command()
def errors(run: NamedRun, output: Output, denied: Denied = False, theme: Theme = "light") -> None:
    """Plot missed and invented findings by body region and severity."""
    from kgscore.report.plots import figures
    from kgscore.report.plots.regions import errors_by_tier

    table, labels = _by_region(run, denied)
    write(lambda: figures.missed_invented(table, labels=labels, theme=theme), output, lambda: errors_by_tier(table, labels))


@app.command()
def body(run: NamedRun, output: Output, denied: Denied = False, theme: Theme = "light") -> None:
    """Plot where in the body the errors are."""
    from kgscore.report.plots import figures
    from kgscore.report.plots.regions import shares

    table, labels = _by_region(run, denied)
    write(lambda: figures.body_regions(table, labels=labels, theme=theme), output, lambda: shares(table, labels))


@app.command()
def recall(
    run: NamedRun, output: Output,
    least: Annotated[int, typer.Option(metavar="N", min=1, help="Findings in at least N references.")] = 3,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Draw the first N; data holds all.")] = 30,
    theme: Theme = "light",
) -> None:
    """Plot the recall of each finding: how often candidates report it, the most severe and least recalled first."""
    from kgscore.report.plots import figures
    from kgscore.report.recall import recalls
    from kgscore.results.cases import load_lines
    from kgscore.results.scores import parse_run_name

    name = parse_run_name(run)
    rows = [asdict(row) for row in recalls(load_lines(name.folder, name.run), least)]
    title = f"Recall by finding{f' (the first {limit} of {len(rows)})' if len(rows) > limit else ''}"
    write(lambda: figures.recall(rows[:limit], title=title, theme=theme), output, lambda: rows)


@app.command()
def matrix(
    run: NamedRun, output: Output,
    by: Annotated[str, typer.Option(metavar="ROWS,COLUMNS", help="Two columns of the input.")],
    metric: Metric = None, theme: Theme = "light",
) -> None:
    """Plot mean scores by two columns of the input, as a heat map (site and modality, level of corruption and system …)."""
    import numpy as np

    from kgscore.report.plots import figures

    rows, comma, columns = by.partition(",")
    if not comma:
        raise typer.BadParameter("give two columns, as in site,modality", param_hint="--by")
    found = scores_of(run)
    name = _metric(metric, found.metrics)
    down, across = np.asarray(found.column(rows)), np.asarray(found.column(columns))
    values = found.values[name]
    ups, overs = sorted(set(down.tolist())), sorted(set(across.tolist()))
    held = [[values[(down == up) & (across == over) & np.isfinite(values)] for over in overs] for up in ups]
    means = [[float(mine.mean()) if len(mine) else np.nan for mine in line] for line in held]
    counts = [[len(mine) for mine in line] for line in held]
    cells = zip(product(ups, overs), chain(*means), chain(*counts), strict=True)
    data = [{rows: up, columns: over, "metric": name, "mean": mean, "n": n} for (up, over), mean, n in cells]
    how: dict[str, Any] = {"rows": ups, "columns": overs, "title": f"Mean {name} by {rows} and {columns}", "theme": theme}
    low, high, _ = score_range(name)
    write(lambda: figures.heat_map(means, counts=counts, low=low, high=high, **how), output, lambda: data)


@app.command()
def weights(
    run: NamedRun, output: Output, metric: Metric = None,
    profile: Annotated[str | None, typer.Option(metavar="P", help="Default: the profile of the run.")] = None,
    by: Annotated[Literal["type", "region", "severity"], typer.Option(help="How findings are grouped.")] = "type",
    theme: Theme = "light",
) -> None:
    """Plot the weights of a profile and their effect: shares of the findings and shares of the cost."""
    from kgscore.knowledge import load_knowledge
    from kgscore.profile import load_profile
    from kgscore.report.pictures import region_labels
    from kgscore.report.plots import figures
    from kgscore.runs.weight_effects import effects

    found = scores_of(run)
    name = _metric(metric, found.metrics)
    used = load_profile(profile or found.profile)
    labels = region_labels()
    rows = effects(found.name, name, used, load_knowledge().index, by)
    table = [asdict(replace(one, group=labels.get(one.group, one.group))) for one in rows]
    title = f"Profile {used.name}: weights and their effect on {name}"
    write(lambda: figures.weights_effect(table, title=title, theme=theme), output, lambda: table)


def check(output: Path, kinds: Sequence[str] = PICTURES) -> None:
    """Raise an error if a file name has none of these suffixes."""
    if output.suffix.lower() not in kinds:
        raise InputError(f"{output}: unknown file type; use {', '.join(kinds[:-1])} or {kinds[-1]}")


def write(draw: Callable[[], Figure], output: Path, rows: Callable[[], Rows] | None = None) -> None:
    """Write a figure or its data, by the suffix of the file name, and report what was written."""
    check(output, PICTURES if rows is None else (*PICTURES, *DATA))
    kind = output.suffix.lower()
    if rows is not None and kind in DATA:
        found = rows()
        common.figures((), found, cast(Form, kind[1:]), output)
        say(f"{output}: {len(found)} row{'' if len(found) == 1 else 's'}")
        return
    from kgscore.report.plots import png, svg

    figure = draw()
    picture = png(figure) if kind == ".png" else svg(figure, background=True).encode()
    with common.output_stream(output) as stream:
        stream.write(picture)
    say(f"{output}: {figure.get_label()}")


def _by_region(run: str, denied: bool) -> tuple[list[dict[str, Any]], dict[str, str]]:
    from kgscore.report.pictures import errors_by_region
    from kgscore.results.scores import parse_run_name

    name = parse_run_name(run)
    return errors_by_region(name.folder, name.run, denied=denied)


def _metric(wanted: str | None, known: Iterable[str]) -> str:
    names = list(known)
    if wanted is not None and wanted not in names:
        raise typer.BadParameter(f"the run has no '{wanted}'; it has {', '.join(names)}", param_hint="--metric")
    return wanted or names[0]


def score_range(metric: str) -> tuple[float | None, float | None, bool | None]:
    """Return the bounds of a metric's range (None if unbounded), and whether higher is better."""
    from kgscore import metrics as registry

    try:
        info = registry.metric(metric)
    except ProfileError:  # of a package no longer installed
        return None, None, None
    return info.low, info.high, info.higher_is_better
