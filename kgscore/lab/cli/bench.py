"""`kgscore bench`: the benchmark programs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import BELOW, names, output_stream, say, show, write_json
from kgscore.cli._language import with_model
from kgscore.cli._options import FEW, Jobs, LinesOrTable, Peers, Profile, ReaderName, Resampling, check_known, output_to
from kgscore.cli.plot import check, write
from kgscore.errors import InputError

if TYPE_CHECKING:
    from kgscore.lab.bench import Benchmark

_WIDTH = 150  # width of tables not written to a terminal


@with_model
def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark: ssree, triplets, pairs, correlation …")],
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of its form; for all and floors, the folder of the sets.")
    ] = "",
    profile: Profile = "default",
    metrics: Annotated[str, typer.Option(metavar="M,…", help="Metrics, if the benchmark takes them.")] = "",
    baselines: Peers = "",
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML: options of peers (folders of models …), by name.")
    ] = None,
    sizes: Annotated[str, typer.Option(metavar="N,…", help="Sizes, if the benchmark takes them.")] = "",
    human: Annotated[Path | None, typer.Option(metavar="FILE", help="correlation: ratings by id, if not in FILE.")] = None,
    columns: Annotated[str, typer.Option(metavar="C,…", help="correlation: only these columns of ratings.")] = "",
    lower: Annotated[str, typer.Option("--lower-is-better", metavar="C,…", help="correlation: where less is better.")] = "",
    group: Annotated[str, typer.Option(metavar="C", help="correlation: the column of the study.")] = "",
    how: Resampling = FEW,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw a heat map: a .svg or .png file.")] = None,
    sample: Annotated[int, typer.Option(metavar="N", min=0, help="Only N evenly spaced records, if the benchmark takes it.")] = 0,
    misses: Annotated[bool, typer.Option("--misses", help="List what was missed; refused for files under 'unread'.")] = False,
    floors: Annotated[Path | None, typer.Option(metavar="FILE", help="floors: the file of floors.")] = None,
    reader: ReaderName = "default",
    jobs: Jobs = 1,
    output: Annotated[Path | None, output_to("FILE", "Also write the figures to a JSON file.")] = None,
    format: LinesOrTable = "table",
) -> None:
    """Run a benchmark on a file and print its figures: as tables if the benchmark has some, else as JSON lines.

    all: every figure with a goal, in one table. floors: figures with a floor; exit code 4 if one is violated.
    """
    from kgscore.lab.bench import PROGRAMS
    from kgscore.lab.bench import program as program_of

    program = program_of(check_known("benchmark", name, PROGRAMS, "NAME"))
    takes = program.takes
    if bool(path) is not program.file:
        raise typer.BadParameter(f"benchmark '{name}' {'needs a file' if program.file else 'takes no file'}", param_hint="FILE")
    lists = {"metrics": metrics, "baselines": baselines, "columns": columns, "lower": lower, "sizes": sizes}
    given: dict[str, Any] = {option: names(value) for option, value in lists.items() if value}
    given |= {"group": group, "human": human, "settings": settings, "sample": sample, "floors": floors, "show": misses}
    given |= {"reader": reader if reader != "default" else "", "jobs": jobs if jobs > 1 else 0}
    options = _options(name, given, takes)
    if plot:
        _check_option(name, "baselines", takes)
        check(plot)
    if "sampling" in takes:
        options["sampling"] = how.sampling()
    if "tell" in takes:
        options["tell"] = say
    if "all" in options.get("baselines", ()):
        _report_missing_peers()
    figures = program.run(path, profile=profile, **options)
    if output:
        kept = program.kept(figures) if program.kept else figures
        with output_stream(output) as stream:
            stream.write(f"{json.dumps(kept, indent=2, ensure_ascii=False)}\n".encode())
    _print_figures(program, figures, format == "jsonl", how.level)
    if plot:
        _draw(name, figures, plot)
    if figures.get("fallen"):
        raise typer.Exit(BELOW)


def _options(name: str, given: Mapping[str, Any], takes: Collection[str]) -> dict[str, Any]:
    options = {option: value for option, value in given.items() if value}
    for option in options:
        _check_option(name, option, takes)
    if "sizes" in options:
        if not all(map(str.isdigit, options["sizes"])):
            raise typer.BadParameter(f"benchmark '{name}' does not take these sizes", param_hint="--sizes")
        options["sizes"] = tuple(map(int, options["sizes"]))
    if "settings" in options:
        options["settings"] = _settings(options["settings"])
    return options


def _check_option(name: str, option: str, takes: Collection[str]) -> None:
    if option not in takes:
        shown = {"lower": "--lower-is-better", "show": "--misses", "baselines": "--peers"}.get(option, f"--{option}")
        said = "compares no metrics" if option in ("metrics", "baselines", "settings") else "does not take this option"
        raise typer.BadParameter(f"benchmark '{name}' {said}", param_hint=shown)


def _settings(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as YAML ({type(error).__name__}); write 'NAME: {{OPTION: VALUE}}'") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: contains no peer names; write 'NAME: {{OPTION: VALUE}}'")
    return found


def _report_missing_peers() -> None:
    from kgscore.lab import peers

    for name in peers.names():
        info = peers.peer(name)
        if info.extra and (missing := peers.missing_modules(info)):
            say(f"skipped: {name}, missing {', '.join(missing)} (extra {info.extra}; docs/published.md)")


def _print_figures(program: Benchmark, figures: Mapping[str, Any], lines: bool, level: float) -> None:
    from kgscore.lab.tables import benchmark_table

    if program.table and not lines:
        show(program.table(figures), _WIDTH)
    elif lines or not program.grids:
        write_json(figures)
    else:
        for grid in program.grids(figures):
            show(benchmark_table(grid.title, grid.columns, grid.rows, level), _WIDTH)


def _draw(name: str, figures: Mapping[str, Any], output: Path) -> None:
    from kgscore.lab.bench._contest import heat_map_data
    from kgscore.report.plots.figures import heat_map

    found = heat_map_data(name, figures)
    write(lambda: heat_map(**found), output)
