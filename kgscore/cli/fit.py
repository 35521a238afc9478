"""`kgscore fit`: what a metric learns from pairs with error counts."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import finish, progress, put, say, scorer
from kgscore.errors import KgscoreError
from kgscore.records import BadRecord

app = typer.Typer(help="Fit what a metric learns from pairs with error counts.", no_args_is_help=True)


@app.command()
def radot(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="JSONL, CSV or Parquet: id, study, reference, candidate, total, significant.")
    ],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the readout here, a .json file.")] = None,
    form: Annotated[str, typer.Option("--form", metavar="F", help="ontology or published.")] = "ontology",
    priors: Annotated[str, typer.Option("--priors", metavar="P,…", help="Weight priors to try, or all.")] = "all",
    entropies: Annotated[str, typer.Option("--entropies", metavar="E,…", help="Entropies to try.")] = "0.2,0.1,0.05",
    transport: Annotated[str, typer.Option("--transport", metavar="T", help="balanced, partial or unbalanced.")] = "balanced",
    folds: Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Folds of whole studies.")] = 5,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What the pairs are; kept in the readout.")] = "",
) -> None:
    """Fit the readout of RadOT-Eval, and choose prior, entropy and ridge by rank correlation on held-out studies.

    `total` and `significant` are error counts of a pair (means of several readers may have fractions). Use the readout in a
    profile: `metrics: {radot: {readout: FILE}}`.
    """
    from kgscore.fitting.radot import Rated, fit, grid, report
    from kgscore.fitting.rated import aligner_for, rated
    from kgscore.metrics.radot_tables import tables

    if out is not None and out.suffix != ".json":
        raise typer.BadParameter("a readout is a .json file", param_hint="--out")
    try:
        sizes = [float(size) for size in entropies.split(",")]
    except ValueError:
        raise typer.BadParameter("give numbers, separated by commas", param_hint="--entropies") from None
    known = list(tables().priors) if priors == "all" else [name.strip() for name in priors.split(",")]
    settings = grid(form, known, sizes, transport)
    if find_spec("scipy") is None:
        raise KgscoreError("fitting needs scipy; install it with: pip install 'kgscore[fit]'")
    engine = scorer("default")
    aligner = aligner_for(engine, form)
    pairs: list[Rated] = []
    failed = 0
    for one in rated(table, engine, aligner):
        if isinstance(one, BadRecord):
            failed += 1
            say(str(one))
        else:
            pairs.append(one)
    with progress("settings") as tell:
        name = out.stem if out else "radot"
        fitted = fit(pairs, settings, aligner, name=name, folds=folds, tell=tell)
    put(report(fitted))
    if out is not None:
        if note:
            fitted.readout.provenance["pairs_are"] = note  # type: ignore[index]
        out.write_text(fitted.readout.as_json(), encoding="utf-8")
        say(f"readout written to {out}")
    finish(failed)


@app.command()
def corruptions(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="JSON lines with `text` or `texts` (wordings) and `modality`.")
    ],
    copies: Annotated[int, typer.Option("--copies", metavar="N", min=1, help="Copies with errors of each report.")] = 5,
) -> None:
    """Make pairs with known error counts: sentences joined to reports, and copies with errors put in. Same input, same pairs."""
    from kgscore.fitting.corruptions import Corruptor, pairs, sentences

    engine = scorer("default")
    rows = [json.loads(line) for source in sources for line in Path(source).read_text(encoding="utf-8").splitlines() if line]
    for pair in pairs(sentences(rows, engine.read), Corruptor(engine.index), copies):
        put(pair.as_row())
