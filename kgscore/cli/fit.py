"""`kgscore fit`: what a metric learns from pairs with human scores or error counts, or from preferences."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kgscore.cli._common import (
    ColumnNames,
    Modules,
    Profile,
    ReaderName,
    columns_of,
    complain,
    finish,
    progress,
    put,
    say,
    scorer,
)
from kgscore.cli.statistics import Scale
from kgscore.errors import KgscoreError
from kgscore.records import BadRecord

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.studies.fit.goals import Change
    from kgscore.studies.fit.rated import Gathered, RatedTable
    from kgscore.studies.published.downloads import RatedPair

app = typer.Typer(
    help="Fit what a metric learns from pairs with human scores or error counts, or from preferences.", no_args_is_help=True
)
_T = TypeVar("_T")

Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="JSONL, CSV or Parquet: id, study, reference, candidate, and human, or total and significant; or a download.",
    ),
]
Layout = Annotated[
    str,
    typer.Option(
        "--layout", metavar="L", help="How TABLE is laid out: csv, preferences, rexval, radevalx, refisco or rate-eval."
    ),
]
Beside = Annotated[
    list[str] | None,
    typer.Option(
        "--beside", metavar="[L:]FILE", help="What else people said, in layout L: nothing is learnt from it; say if it is harmed."
    ),
]
Target = Annotated[
    str, typer.Option("--target", metavar="T", help="The rating to fit to: preference, human, total, significant, severity …")
]
NewProfile = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The profile to write, a .yaml file.")]
Objective = Annotated[
    str,
    typer.Option(
        "--objective", metavar="O", help="pearson, spearman or kendall; of preferences, the share ordered as people do."
    ),
]
Folds = Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Folds of whole studies.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="What the pairs are; kept with the result.")]


@app.command()
def radsem(
    table: Table,
    output: NewProfile,
    profile: Profile = "default",
    layout: Layout = "csv",
    columns: ColumnNames = None,
    target: Target = "",
    beside: Beside = None,
    scale: Scale = "1:5",
    search: Annotated[str, typer.Option("--search", metavar="C,…", help="Only these coefficients.")] = "",
    objective: Objective = "spearman",
    trials: Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Trials for each fold, and at last.")] = 100,
    folds: Folds = 5,
    seed: Seed = 0,
    note: Note = "",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Search the few coefficients of RadSEM, and write them as a profile.

    Each fold of studies is scored with coefficients searched without it: `held_out` is the figure to compare with `before`.
    """
    from kgscore.studies.fit.radsem import figures_said, fit, profile_values, rated
    from kgscore.studies.fit.rated import matched

    source = _source(table, layout, columns, target, output, scale)
    engine = scorer(profile, modules=module, reader=reader)

    def ready(pair: RatedPair) -> Any:
        found = matched(engine, pair)
        return None if found is None else rated(engine, found, pair.study)

    tables = [source, *_tables(beside, scale)]
    given = _gathered(tables, ready)
    names = [name.strip() for name in search.split(",") if name.strip()]
    with progress("folds") as tell:
        fitted = fit(
            given.ready, given.goal, engine.profile, engine.index, beside=given.beside,
            names=names, objective=objective, trials=trials, folds=folds, seed=seed, tell=tell,
        )  # fmt: skip
    said = {"trials": f"{trials} for each of {folds} folds and at last", "seed": seed, **figures_said(fitted)}
    made = _provenance(tables, engine, objective, note, given) | said | _watched(fitted.beside)
    _freeze(output, profile, lambda base: profile_values(fitted, base=base, name=output.stem), made)
    figures = {name: round(value, 4) for name, value in fitted.figures.items()}
    put({"objective": _objective(given, objective), "pairs": fitted.pairs, "studies": fitted.studies, "unused": given.unused,
         **figures, "coefficients": {name: round(value, 4) for name, value in fitted.coefficients.items()},
         **_beside(given, fitted.beside)})  # fmt: skip
    finish(given.failed)


@app.command()
def ratescore(
    table: Table,
    output: NewProfile,
    profile: Profile = "default",
    layout: Layout = "csv",
    columns: ColumnNames = None,
    target: Target = "",
    beside: Beside = None,
    scale: Scale = "1:5",
    objective: Objective = "pearson",
    trials: Annotated[int, typer.Option("--trials", metavar="N", min=1, help="How many matrices to try.")] = 300,
    seed: Seed = 0,
    note: Note = "",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Learn the weights and the penalty of RaTEScore, and write them as a profile.

    One study in five, by its hash, is kept apart; the figures on these are printed beside those of the shipped matrices.
    """
    from kgscore.metrics import build, options
    from kgscore.metrics.ratescore import Ratescore
    from kgscore.studies.fit.rated import matched
    from kgscore.studies.fit.ratescore import figures_said, fit, profile_values, rated

    source = _source(table, layout, columns, target, output, scale)
    engine = scorer(profile, modules=module, reader=reader)
    metric = build(("ratescore",), engine.profile, engine.index)["ratescore"]
    assert isinstance(metric, Ratescore)

    def ready(pair: RatedPair) -> Any:
        found = matched(engine, pair)
        return None if found is None else rated(metric, found, pair.study)

    tables = [source, *_tables(beside, scale)]
    given = _gathered(tables, ready)
    fitted = fit(given.ready, given.goal, beside=given.beside, objective=objective, trials=trials, seed=seed)
    chosen = options("ratescore", engine.profile)
    model = ("model", "pooling", "tokens") if chosen.similarity == "embedding" else ()
    kept = {name: getattr(chosen, name) for name in ("entities", "similarity", *model, "empty")} | {"floor": 0.0}
    made = _provenance(tables, engine, objective, note, given)
    made |= {"kept apart": "studies whose sha256 starts with a byte divisible by 5", "trials": trials, "seed": seed}
    made |= figures_said(fitted) | _watched(fitted.beside)
    _freeze(output, profile, lambda base: profile_values(fitted, base=base, options=kept, name=output.stem), made)
    figures = {matrix: {part: round(value, 4) for part, value in found.items()} for matrix, found in fitted.figures.items()}
    put({"objective": _objective(given, objective), "learnt from": fitted.train, "kept apart": fitted.test,
         "unused": given.unused, **figures, **_beside(given, fitted.beside)})  # fmt: skip
    finish(given.failed)


@app.command()
def radot(
    table: Table,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the readout here, a .json file.")
    ] = None,
    layout: Layout = "csv",
    columns: ColumnNames = None,
    form: Annotated[str, typer.Option("--form", metavar="F", help="ontology or published.")] = "ontology",
    priors: Annotated[str, typer.Option("--priors", metavar="P,…", help="Weight priors to try, or all.")] = "all",
    entropies: Annotated[str, typer.Option("--entropies", metavar="E,…", help="Entropies to try.")] = "0.2,0.1,0.05",
    transport: Annotated[str, typer.Option("--transport", metavar="T", help="balanced, partial or unbalanced.")] = "balanced",
    folds: Folds = 5,
    note: Note = "",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Fit the readout of RadOT-Eval, and choose prior, entropy and ridge by rank correlation on held-out studies.

    `total` and `significant` are error counts of a pair (means of several readers may have fractions). Use the readout in a
    profile: `metrics: {radot: {readout: FILE}}`.
    """
    from kgscore.metrics.radot_tables import tables
    from kgscore.studies.fit.radot import Rated, fit, grid, report
    from kgscore.studies.fit.rated import aligner_for, rated

    if output is not None and output.suffix != ".json":
        raise typer.BadParameter("a readout is a .json file", param_hint="--output")
    try:
        sizes = [float(size) for size in entropies.split(",")]
    except ValueError:
        raise typer.BadParameter("give numbers, separated by commas", param_hint="--entropies") from None
    known = list(tables().priors) if priors == "all" else [name.strip() for name in priors.split(",")]
    settings = grid(form, known, sizes, transport)
    if find_spec("scipy") is None:
        raise KgscoreError("fitting needs scipy; install it with: pip install 'kgscore[fit]'")
    source = _source(table, layout, columns)
    engine = scorer("default", modules=module, reader=reader)
    aligner = aligner_for(engine, form)
    pairs: list[Rated] = []
    failed = 0
    for one in rated(source, engine, aligner):
        if isinstance(one, BadRecord):
            failed += 1
            complain(one)
        else:
            pairs.append(one)
    with progress("settings") as tell:
        name = output.stem if output else "radot"
        fitted = fit(pairs, settings, aligner, name=name, folds=folds, tell=tell)
    put(report(fitted))
    if output is not None:
        made = _made_of([source], engine, "spearman", note, (len(pairs), 0, failed))
        made["target"] = "total, significant, insignificant"
        output.write_text(replace(fitted.readout, provenance={**fitted.readout.provenance, **made}).as_json(), encoding="utf-8")
        say(f"readout written to {output}")
    finish(failed)


@app.command()
def corruptions(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="JSON lines with `text` or `texts` (wordings) and `modality`.")
    ],
    copies: Annotated[int, typer.Option("--copies", metavar="N", min=1, help="Copies with errors of each report.")] = 5,
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Make pairs with known error counts: sentences joined to reports, and copies with errors put in. Same input, same pairs."""
    from kgscore.studies.fit.corruptions import pairs, sentences
    from kgscore.studies.perturbing.inventions import Inserter
    from kgscore.studies.perturbing.sets import means_of

    engine = scorer("default", modules=module, reader=reader)
    rows = [json.loads(line) for source in sources for line in Path(source).read_text(encoding="utf-8").splitlines() if line]
    for row in pairs(sentences(rows, engine.read), Inserter(means_of(engine, module or ())), copies):
        put(row)


def _source(
    table: str, layout: str, columns: list[str] | None, target: str = "", out: Path | None = None, scale: str = "1:5"
) -> RatedTable:
    """Return where the pairs come from, with the options checked."""
    from kgscore.studies.fit.rated import RatedTable
    from kgscore.studies.published.preferences import scale_of

    if out is not None and out.suffix not in (".yaml", ".yml"):
        raise typer.BadParameter("a profile is a .yaml file", param_hint="--output")
    if table == "-":
        raise typer.BadParameter("the table must be a file, for its hash is kept", param_hint="TABLE")
    return RatedTable(table, layout, dict(columns_of(columns).given), target, scale_of(scale))


def _tables(beside: Sequence[str] | None, scale: str) -> list[RatedTable]:
    """Return the tables that --beside names, each with its layout before it where it is no table of one's own."""
    from kgscore.studies.published.downloads import layouts

    found = []
    for text in beside or ():
        layout, colon, file = text.partition(":")
        named = bool(colon) and layout in layouts()
        found.append(_source(file if named else text, layout if named else "csv", None, scale=scale))
    return found


def _gathered(tables: Sequence[RatedTable], ready: Callable[[RatedPair], _T | None]) -> Gathered[_T]:
    from kgscore.studies.fit.rated import gathered

    with progress("pairs") as tell:
        return gathered(tables, ready, complain, tell)


def _objective(given: Gathered[Any], objective: str) -> str:
    return objective if given.goal.groups is None else "preference"


def _watched(changes: Sequence[Change]) -> dict[str, str]:
    """Return what became of what was watched, for people who read the result."""
    return {f"beside, {number}": str(one) for number, one in enumerate(changes, 1)}


def _beside(given: Gathered[Any], changes: Sequence[Change]) -> dict[str, Any]:
    """Return what became of what was watched, as data, and say what is harmed."""
    for one in changes:
        if one.harmed:
            say(f"the fit to {given.goal.name} harms {one}")
    rows = [{name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(one).items()}
            | {"harmed": one.harmed} for one in changes]  # fmt: skip
    return {"beside": rows} if rows else {}


def _provenance(tables: Sequence[RatedTable], engine: Scorer, objective: str, note: str, given: Gathered[Any]) -> dict[str, Any]:
    counts = (len(given.goal.at), given.unused, given.failed)
    return _made_of(tables, engine, _objective(given, objective), note, counts) | {"target": given.goal.name}


def _made_of(
    tables: Sequence[RatedTable], engine: Scorer, objective: str, note: str, counts: tuple[int, int, int]
) -> dict[str, Any]:
    """Return what a result was made of: the tables with their hashes, how many pairs, and the versions."""
    from kgscore.studies.fit.rated import hashes

    used, unused, failed = counts
    return {
        "table": "; ".join(hashes(table.source, table.layout) for table in tables),
        "layout": ", ".join(table.layout for table in tables),
        "target": "",
        "pairs used": f"{used}; {unused} without findings or entities, {failed} unusable",
        "objective": objective,
        "signature": ", ".join(f"{key} {value}" for key, value in engine.signature.items()),
        **({"note": note} if note else {}),
    }


def _freeze(out: Path, profile: str, values: Callable[[str], dict[str, Any]], provenance: dict[str, Any]) -> None:
    from kgscore.studies.fit.rated import base_of, write_profile

    write_profile(out, values(base_of(profile, out)), provenance)
    say(f"profile written to {out}")
