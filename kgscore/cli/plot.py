"""`kgscore plot`: pictures of runs, as SVG or PNG."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgscore.cli._common import NamedRun, NamedRuns, Profile, say
from kgscore.errors import InputError, ProfileError, RunError, unwritable

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

app = typer.Typer(help="Pictures of runs, as SVG or PNG (extra plots).", no_args_is_help=True)

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to: a .svg or .png file.")]
Theme = Annotated[Literal["light", "dark"], typer.Option("--theme", help="For a light or a dark page.")]
Metric = Annotated[str | None, typer.Option("--metric", metavar="M", help="The metric; without it, the first of the run.")]
Denied = Annotated[bool, typer.Option("--denied", help="Count denied and normal statements too.")]


@app.command()
def scores(
    runs: NamedRuns,
    output: Output,
    metric: Metric = None,
    by: Annotated[str | None, typer.Option("--by", metavar="COLUMN", help="A row for each value of a column.")] = None,
    theme: Theme = "light",
) -> None:
    """How the scores of a metric are spread, with mean and interval: a row a run, or a row a group."""
    from kgscore.report.plots import figures
    from kgscore.results.scores import load_scores, named
    from kgscore.results.statistics import summarise

    values, intervals = {}, {}
    loaded = [load_scores(named(run)) for run in runs]
    name = _metric(metric, loaded[0].metrics)
    for one in loaded:
        if name not in one.metrics:
            raise RunError(f"{one.name.name}: was not scored with {name}; it has {', '.join(one.metrics)}")
        for row in summarise(one, by=[by] if by else []):
            if row.metric != name or row.by != (by or ""):
                continue
            label = " · ".join([row.group or "(none)"] * bool(by) + [one.name.name] * (not by or len(loaded) > 1))
            values[label] = one.values[name][[value == row.group for value in one.column(by)]] if by else one.values[name]
            if row.low is not None and row.high is not None:
                intervals[label] = (row.low, row.high)
    bottom, top = _range(name)
    write(figures.score_distributions(values, metric=name, intervals=intervals, low=bottom, high=top, theme=theme), output)


@app.command()
def errors(run: NamedRun, output: Output, denied: Denied = False, theme: Theme = "light") -> None:
    """Missed and invented findings by region of the body and severity."""
    from kgscore.report.plots import figures

    write(figures.missed_invented(_by_region(run, denied), labels=_labels(), theme=theme), output)


@app.command()
def body(run: NamedRun, output: Output, denied: Denied = False, theme: Theme = "light") -> None:
    """Where in the body the errors are."""
    from kgscore.report.plots import figures

    write(figures.body_regions(_by_region(run, denied), labels=_labels(), theme=theme), output)


@app.command()
def matrix(
    run: NamedRun,
    output: Output,
    rows: Annotated[str, typer.Option("--rows", metavar="COLUMN", help="A column of the input.")],
    columns: Annotated[str, typer.Option("--columns", metavar="COLUMN", help="Another column of the input.")],
    metric: Metric = None,
    theme: Theme = "light",
) -> None:
    """Mean scores by two columns of the input, as a heat map (site and modality, level of corruption and system …)."""
    import numpy as np

    from kgscore.report.plots import figures
    from kgscore.results.scores import load_scores, named

    found = load_scores(named(run))
    name = _metric(metric, found.metrics)
    down, across = np.asarray(found.column(rows)), np.asarray(found.column(columns))
    values = found.values[name]
    ups, overs = sorted(set(down.tolist())), sorted(set(across.tolist()))
    cells = np.full((len(ups), len(overs)), np.nan)
    for i, one in enumerate(ups):
        for j, other in enumerate(overs):
            mine = values[(down == one) & (across == other) & np.isfinite(values)]
            cells[i, j] = mine.mean() if len(mine) else np.nan
    low, high = _range(name)
    title = f"Mean {name} by {rows} and {columns}"
    write(figures.heat_map(cells, rows=ups, columns=overs, title=title, low=low, high=high, theme=theme), output)


@app.command()
def ssree(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Cases with reference, L1 to L5 (docs/benchmarks.md).")],
    output: Output,
    metric: Annotated[str, typer.Option("--metric", metavar="M", help="The metric.")] = "radsem",
    profile: Profile = "default",
    theme: Theme = "light",
) -> None:
    """How a metric falls as meaning is corrupted step by step (SSREE): a heat map of modality and level."""
    from kgscore.bench.ssree import levels
    from kgscore.report.plots import figures

    rows, columns, means = levels(file, metric, profile=profile)
    low, high = _range(metric)
    title = f"Mean {metric} by level of corruption"
    write(figures.heat_map(means, rows=rows, columns=columns, title=title, low=low, high=high, theme=theme), output)


@app.command()
def weights(
    run: NamedRun,
    output: Output,
    metric: Metric = None,
    profile: Annotated[str | None, typer.Option("--profile", metavar="P", help="Without it, the profile of the run.")] = None,
    by: Annotated[Literal["type", "region", "severity"], typer.Option("--by", help="How findings are grouped.")] = "type",
    theme: Theme = "light",
) -> None:
    """What a profile weighs against what that does: shares of the findings and shares of the cost."""
    from kgscore.knowledge import load_knowledge
    from kgscore.metrics.effects import effects
    from kgscore.profile import load_profile
    from kgscore.report.plots import figures
    from kgscore.results.scores import load_scores, named
    from kgscore.results.statistics import as_table

    found = load_scores(named(run))
    name = _metric(metric, found.metrics)
    used = load_profile(profile or found.profile)
    labels = _labels()
    rows = effects(found.name, name, used, load_knowledge().index, by)
    table = as_table([replace(one, group=labels.get(one.group, one.group)) for one in rows])
    write(figures.weights_effect(table, title=f"Profile {used.name}: weights and their effect on {name}", theme=theme), output)


def check(output: Path) -> None:
    """Refuse a name that is of no picture."""
    if output.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"{output}: of no known kind; name it .svg or .png")


def write(figure: Figure, output: Path) -> None:
    """Write a figure by the kind that the name of the file says, and tell what it shows."""
    from kgscore.report.plots import png, svg

    check(output)
    try:
        output.write_bytes(png(figure) if output.suffix.lower() == ".png" else svg(figure, background=True).encode())
    except OSError as error:
        raise unwritable(output, error) from None
    say(f"{output}: {figure.get_label()}")


def _by_region(run: str, denied: bool) -> pa.Table:
    from kgscore.results.scores import named
    from kgscore.results.sql import ask

    name = named(run)
    asserted = "" if denied else " AND asserted"
    return ask(name.folder, f"SELECT * FROM by_region WHERE run = {name.run}{asserted}").table


def _labels() -> dict[str, str]:
    from kgscore.results.concepts import regions

    return {region.name: region.label for region in regions()} | {"unplaced": "No place said"}


def _metric(wanted: str | None, known: Iterable[str]) -> str:
    names = list(known)
    if wanted is not None and wanted not in names:
        raise typer.BadParameter(f"the run has no '{wanted}'; it has {', '.join(names)}", param_hint="--metric")
    return wanted or names[0]


def _range(metric: str) -> tuple[float | None, float | None]:
    from kgscore import metrics as registry

    try:
        info = registry.metric(metric)
    except ProfileError:  # of a package that is no longer there
        return None, None
    return info.low, info.high
