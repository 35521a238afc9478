"""`kgscore fit`: what a metric learns from pairs with human scores or error counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kgscore.cli._common import Modules, Profile, finish, progress, put, say, scorer
from kgscore.errors import KgscoreError
from kgscore.records import BadRecord

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.fitting.rated import RatedTable
    from kgscore.layouts.tables import RatedPair

app = typer.Typer(help="Fit what a metric learns from pairs with human scores or error counts.", no_args_is_help=True)
_T = TypeVar("_T")

Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="JSONL, CSV or Parquet: id, study, reference, candidate, and human or total and significant; or a download.",
    ),
]
Layout = Annotated[
    str, typer.Option("--layout", metavar="L", help="How TABLE is laid out: csv, rexval, radevalx, refisco or rate-eval.")
]
Columns = Annotated[list[str] | None, typer.Option("--column", metavar="OURS=NAME", help="What a column is called; repeatable.")]
Target = Annotated[
    str, typer.Option("--target", metavar="T", help="The rating to fit to: human, total, significant, insignificant, severity …")
]
NewProfile = Annotated[Path, typer.Option("--out", metavar="FILE", help="The profile to write, a .yaml file.")]
Objective = Annotated[str, typer.Option("--objective", metavar="O", help="pearson, spearman or kendall.")]
Folds = Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Folds of whole studies.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="What the pairs are; kept with the result.")]


@app.command()
def radsem(
    table: Table,
    out: NewProfile,
    profile: Profile = "default",
    layout: Layout = "csv",
    column: Columns = None,
    target: Target = "",
    search: Annotated[str, typer.Option("--search", metavar="C,…", help="Only these coefficients.")] = "",
    objective: Objective = "spearman",
    trials: Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Trials for each fold, and at last.")] = 100,
    folds: Folds = 5,
    seed: Seed = 0,
    note: Note = "",
    module: Modules = None,
) -> None:
    """Search the few coefficients of RadSEM, and write them as a profile.

    Each fold of studies is scored with coefficients searched without it: `held_out` is the figure to compare with `before`.
    """
    from kgscore.fitting.radsem import figures_said, fit, profile_values, rated
    from kgscore.fitting.rated import matched

    source = _source(table, layout, column, target, out)
    engine = scorer(profile, modules=module)

    def ready(pair: RatedPair) -> Any:
        found = matched(engine, pair)
        return None if found is None else rated(engine, found, pair.study, source.rating(pair))

    pairs, failed, unused = _pairs(source, ready)
    names = [name.strip() for name in search.split(",") if name.strip()]
    with progress("folds") as tell:
        fitted = fit(
            pairs, engine.profile, engine.index,
            names=names, objective=objective, trials=trials, folds=folds, seed=seed, tell=tell,
        )  # fmt: skip
    made = {"trials": f"{trials} for each of {folds} folds and at last", "seed": seed, **figures_said(fitted)}
    made = _provenance(source, engine, objective, note, (len(pairs), unused, failed)) | made
    _freeze(out, profile, lambda base: profile_values(fitted, base=base, name=out.stem), made)
    figures = {name: round(value, 4) for name, value in fitted.figures.items()}
    put({"objective": objective, "pairs": fitted.pairs, "studies": fitted.studies, "unused": unused, **figures,
         "coefficients": {name: round(value, 4) for name, value in fitted.coefficients.items()}})  # fmt: skip
    finish(failed)


@app.command()
def ratescore(
    table: Table,
    out: NewProfile,
    profile: Profile = "default",
    layout: Layout = "csv",
    column: Columns = None,
    target: Target = "",
    objective: Objective = "pearson",
    trials: Annotated[int, typer.Option("--trials", metavar="N", min=1, help="How many matrices to try.")] = 300,
    seed: Seed = 0,
    note: Note = "",
    module: Modules = None,
) -> None:
    """Learn the weights and the penalty of RaTEScore, and write them as a profile.

    One study in five, by its hash, is kept apart; the figures on these are printed beside those of the shipped matrices.
    """
    from kgscore.fitting.rated import matched
    from kgscore.fitting.ratescore import figures_said, fit, profile_values, rated
    from kgscore.metrics import build, options
    from kgscore.metrics.ratescore import Ratescore

    source = _source(table, layout, column, target, out)
    engine = scorer(profile, modules=module)
    metric = build(("ratescore",), engine.profile, engine.index)["ratescore"]
    assert isinstance(metric, Ratescore)

    def ready(pair: RatedPair) -> Any:
        found = matched(engine, pair)
        return None if found is None else rated(metric, found, source.rating(pair), pair.study)

    pairs, failed, unused = _pairs(source, ready)
    fitted = fit(pairs, objective=objective, trials=trials, seed=seed)
    chosen = options("ratescore", engine.profile)
    model = ("model", "pooling", "tokens") if chosen.similarity == "embedding" else ()
    kept = {name: getattr(chosen, name) for name in ("entities", "similarity", *model, "empty")} | {"floor": 0.0}
    made = _provenance(source, engine, objective, note, (len(pairs), unused, failed))
    made |= {"kept apart": "studies whose sha256 starts with a byte divisible by 5", "trials": trials, "seed": seed}
    made |= figures_said(fitted)
    _freeze(out, profile, lambda base: profile_values(fitted, base=base, options=kept, name=out.stem), made)
    figures = {matrix: {part: round(value, 4) for part, value in found.items()} for matrix, found in fitted.figures.items()}
    put({"objective": objective, "learnt from": fitted.train, "kept apart": fitted.test, "unused": unused, **figures})
    finish(failed)


@app.command()
def radot(
    table: Table,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the readout here, a .json file.")] = None,
    layout: Layout = "csv",
    column: Columns = None,
    form: Annotated[str, typer.Option("--form", metavar="F", help="ontology or published.")] = "ontology",
    priors: Annotated[str, typer.Option("--priors", metavar="P,…", help="Weight priors to try, or all.")] = "all",
    entropies: Annotated[str, typer.Option("--entropies", metavar="E,…", help="Entropies to try.")] = "0.2,0.1,0.05",
    transport: Annotated[str, typer.Option("--transport", metavar="T", help="balanced, partial or unbalanced.")] = "balanced",
    folds: Folds = 5,
    note: Note = "",
    module: Modules = None,
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
    source = _source(table, layout, column)
    engine = scorer("default", modules=module)
    aligner = aligner_for(engine, form)
    pairs: list[Rated] = []
    failed = 0
    for one in rated(source, engine, aligner):
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
        made = _provenance(source, engine, "spearman", note, (len(pairs), 0, failed))
        made["target"] = "total, significant, insignificant"
        out.write_text(replace(fitted.readout, provenance={**fitted.readout.provenance, **made}).as_json(), encoding="utf-8")
        say(f"readout written to {out}")
    finish(failed)


@app.command()
def corruptions(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="JSON lines with `text` or `texts` (wordings) and `modality`.")
    ],
    copies: Annotated[int, typer.Option("--copies", metavar="N", min=1, help="Copies with errors of each report.")] = 5,
    module: Modules = None,
) -> None:
    """Make pairs with known error counts: sentences joined to reports, and copies with errors put in. Same input, same pairs."""
    from kgscore.fitting.corruptions import Corruptor, pairs, sentences

    engine = scorer("default", modules=module)
    rows = [json.loads(line) for source in sources for line in Path(source).read_text(encoding="utf-8").splitlines() if line]
    for pair in pairs(sentences(rows, engine.read), Corruptor(engine.index), copies):
        put(pair.as_row())


def _source(table: str, layout: str, columns: list[str] | None, target: str = "", out: Path | None = None) -> RatedTable:
    """Return where the pairs come from, with the options checked."""
    from kgscore.fitting.rated import RatedTable

    if out is not None and out.suffix not in (".yaml", ".yml"):
        raise typer.BadParameter("a profile is a .yaml file", param_hint="--out")
    if table == "-":
        raise typer.BadParameter("the table must be a file, for its hash is kept", param_hint="TABLE")
    given = dict(one.partition("=")[::2] for one in columns or ())
    if not all(given.values()):
        raise typer.BadParameter("give OURS=NAME, as in candidate=model_report", param_hint="--column")
    return RatedTable(table, layout, given, target)


def _pairs(source: RatedTable, ready: Callable[[RatedPair], _T | None]) -> tuple[list[_T], int, int]:
    """Return the pairs made ready, how many records cannot be used, and how many pairs hold nothing to score."""
    pairs: list[_T] = []
    failed = unused = 0
    with progress("pairs") as tell:
        for number, pair in enumerate(source.pairs(), 1):
            tell(number)
            if isinstance(pair, BadRecord):
                failed += 1
                say(str(pair))
                continue
            one = ready(pair)
            if one is None:
                unused += 1
            else:
                pairs.append(one)
    return pairs, failed, unused


def _provenance(
    source: RatedTable, engine: Scorer, objective: str, note: str, counts: tuple[int, int, int]
) -> dict[str, Any]:
    """Return what a result was made of: the table with its hash, how many pairs, and the versions."""
    from kgscore.fitting.frozen import hashes

    used, unused, failed = counts
    return {
        "table": hashes(source.source, source.layout),
        "layout": source.layout,
        "target": source.target or "human, else the total of errors",
        "pairs used": f"{used}; {unused} without findings or entities, {failed} unusable",
        "objective": objective,
        "signature": ", ".join(f"{key} {value}" for key, value in engine.signature.items()),
        **({"note": note} if note else {}),
    }


def _freeze(out: Path, profile: str, values: Callable[[str], dict[str, Any]], provenance: dict[str, Any]) -> None:
    from kgscore.fitting.frozen import base_of, write_profile

    write_profile(out, values(base_of(profile, out)), provenance)
    say(f"profile written to {out}")
