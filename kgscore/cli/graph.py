"""`kgscore graph`: validate graphs, export and load them, and compare systems by them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kgscore.cli._common import make_graph_ready, output_stream, progress, say, show, write_json
from kgscore.cli._options import LinesOrTable, Output, RunFolder
from kgscore.errors import InputError

if TYPE_CHECKING:
    from kgscore.graph.compare import Comparison, Coverage, Deviation
    from kgscore.graph.corpus import RunCorpora

app = typer.Typer(name="graph", help="Graphs of runs: check, load, compare, export.", no_args_is_help=True)
Form = Annotated[Literal["graphml", "json", "turtle"], typer.Option("--format", help="json is networkx's node-link form.")]
Side = Annotated[Literal["reference", "candidate"], typer.Option("--side", help="Which reports.")]
_SHARES = ("said", "nodes", "nodes_weighted", "edges", "subgraphs", "subgraphs_credited")


@app.command()
def check(
    run: RunFolder,
    sample: Annotated[int, typer.Option(metavar="N", min=1, help="Number of cases to check in each run.")] = 100,
    every: Annotated[bool, typer.Option("--all", help="Check every case; takes most of a second each.")] = False,
) -> None:
    """Check the graph of a run folder against the SHACL shapes: one JSON line a violation; exit code 1 if there is one."""
    from kgscore.graph.shapes import check_shapes

    make_graph_ready(run)
    checked = found = 0
    with progress("cases") as tell:

        def count(done: int) -> None:
            nonlocal checked
            checked = done
            tell(done)

        for violation in check_shapes(run, None if every else sample, count):
            found += 1
            write_json(asdict(violation))
    say(f"{checked} cases checked{'' if every else ' (--all checks every case)'}: {found or 'no'} violations")
    if found:
        raise typer.Exit(1)


@app.command()
def load(
    run: RunFolder,
    url: Annotated[str, typer.Argument(metavar="URL", help="A SPARQL 1.1 update endpoint.")],
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="For each batch.")] = 60.0,
) -> None:
    """Load the graph of a run folder into another store, graphs kept. Loading it twice changes nothing.

    For bulk loading, `kgscore graph export RUN` writes N-Quads."""
    from kgscore.graph import endpoint
    from kgscore.graph.store import open_for_reading

    if not endpoint.is_endpoint(url):
        raise InputError(f"{url}: is not an endpoint URL; give http://… or https://…")
    make_graph_ready(run)
    count = endpoint.load(open_for_reading(run), url, timeout)
    say(f"{count:,} quads loaded")


@app.command()
def export(
    run: RunFolder,
    format: Annotated[Literal["nquads", "turtle", "trig"], typer.Option(help="N-Quads for bulk loading.")] = "nquads",
    output: Output = None,
) -> None:
    """Export the graph of a run for another store. `graph report` exports one report."""
    from kgscore.graph.store import export as write

    make_graph_ready(run)
    with output_stream(output) as stream:
        write(run, stream, format)


@app.command()
def build(run: RunFolder) -> None:
    """Build or update the graph of a run folder from its results now; graph queries do so automatically."""
    from kgscore.graph.building import build as made

    with progress("cases") as tell:
        made(run, tell)


@app.command()
def optimize(run: RunFolder) -> None:
    """Compact the store of a run folder, as happens when it is built: useful after many runs or updates. It temporarily needs
    the same disk space again."""
    from kgscore.graph.store import compact

    compact(run)


@app.command()
def compare(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN…", help="Run folders or endpoints; RUN@N is run N only, RUN all its runs.")
    ],
    top: Annotated[int, typer.Option(metavar="K", min=1, help="Look for the K most frequent subgraphs.")] = 100,
    by: Annotated[Literal["region", "modality"] | None, typer.Option(help="Also coverage by group.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Maximum number of concepts per list.")] = 10,
    format: LinesOrTable = "table",
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="A picture: .svg, .png, .pdf.")] = None,
) -> None:
    """Compare the knowledge of systems with that of the references, over whole runs (the questions of ReXKG).

    All shares lie between 0 and 1; higher is better. Weights are numbers of reports."""
    from kgscore.graph.compare import compare as compared
    from kgscore.knowledge import load_knowledge

    index = load_knowledge().index
    read = [corpora for one in runs for corpora in _corpora(one)]
    found = [compared(one, index, top) for one in read]
    if len({one.reference.cases for one in read}) > 1:
        say("the runs hold different numbers of references; compare systems on the same cases")
    if format == "jsonl":
        for one in found:
            write_json(asdict(one))
    else:
        _show(found, by, limit)
    if plot is not None:
        from kgscore.graph.picture import draw

        draw(read, index, plot)


@app.command()
def corpus(run: str, side: Side = "reference", format: Form = "graphml", output: Output = None) -> None:
    """Export the weighted graph of all references, or of all candidates, of a run (RUN or RUN@N)."""
    from kgscore.graph import exchange
    from kgscore.knowledge import load_knowledge

    (one, *others) = _corpora(run)
    if others:
        raise InputError(f"{run}: holds {1 + len(others)} runs; name one: {run}@1")
    chosen = one.reference if side == "reference" else one.candidate
    with output_stream(output) as stream:
        if format == "turtle":
            exchange.write_triples(exchange.corpus_triples(chosen, exchange.nodes_of(_split_run(run)[0])), stream)
        else:
            exchange.write_network(exchange.corpus_network(chosen, load_knowledge().index.label), format, stream)


@app.command()
def report(run: str, case: str, side: Side = "reference", format: Form = "graphml", output: Output = None) -> None:
    """Export the graph of one report of a run (RUN or RUN@N): its findings and their concepts."""
    from kgscore.graph import exchange
    from kgscore.graph.corpus import runs_of

    source, number = _split_run(run)
    make_graph_ready(source)
    wanted = number or max(runs_of(source))[0]
    network = None if format == "turtle" else exchange.report_network(source, wanted, case, side)
    with output_stream(output) as stream:
        if network is None:
            exchange.write_triples(exchange.report_triples(source, wanted, case, side), stream)
        else:
            exchange.write_network(network, format, stream)


def _split_run(run: str) -> tuple[str, int | None]:
    source, at, number = run.rpartition("@")
    return (source, int(number)) if at and number.isdigit() else (run, None)


def _corpora(run: str) -> list[RunCorpora]:
    from kgscore.graph.corpus import corpora, runs_of

    source, number = _split_run(run)
    make_graph_ready(source)
    there = runs_of(source)
    if number is not None:
        there = [(one, name) for one, name in there if one == number] or [(number, run)]
    names = [(one, Path(name).stem or name) for one, name in there]
    return [corpora(source, one, name if len(there) == 1 else f"{name} (run {one})") for one, name in names]


def _show(found: list[Comparison], by: str | None, limit: int) -> None:
    from rich.table import Table

    shares = (name.replace("_", " ") for name in _SHARES)
    table = Table("system", "group", "reports", "concepts", *shares, box=None, pad_edge=False)
    for one in found:
        table.add_row(one.system, "all", str(one.cases), *_coverage_cells(one.whole))
        groups = {"region": one.by_region, "modality": one.by_modality}.get(by or "", {})
        for name, coverage in groups.items():
            table.add_row("", name, "", *_coverage_cells(coverage))
    show(table)
    for one in found:
        lists = {"never says": one.never, "says too often": one.too_often, "says too rarely": one.too_rarely}
        for title, deviations in lists.items():
            if deviations and limit:
                print(f"\n{one.system} {title} ({len(deviations)}; reports of the references, of the system):")
                show(_deviation_rows(deviations[:limit]))


def _coverage_cells(coverage: Coverage) -> list[str]:
    shares = [getattr(coverage, name) for name in _SHARES]
    return [str(coverage.concepts), *("–" if share is None else f"{share:.3f}" for share in shares)]


def _deviation_rows(deviations: tuple[Deviation, ...]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for one in deviations:
        instead = f"says {one.instead}" if one.instead else "" if one.ratio in (None, 0.0) else f"× {one.ratio:.1f}"
        table.add_row(" ", one.kind, one.label, str(one.reference), str(one.candidate), instead)
    return table
