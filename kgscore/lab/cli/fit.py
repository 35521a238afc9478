"""`kgscore fit`: fit the parameters of a metric to pairs with human scores or error counts, or to preferences."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import typer

from kgscore.cli._common import Failures, columns_of, complain, output_stream, progress, say, write_json
from kgscore.cli._options import ENGINE, ColumnNames, Engine, Modules, ReaderName, Scale, output_to, split_names
from kgscore.errors import KgscoreError

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.lab.fitting.goals import Fitted
    from kgscore.lab.fitting.rated import Gathered, RatedTable
    from kgscore.lab.published.downloads import RatedPair
    from kgscore.metrics.base import Matched

app = typer.Typer(help="Fit a metric to pairs with human scores or error counts, or to preferences.", no_args_is_help=True)
_T = TypeVar("_T")

_COLUMNS = "JSONL, CSV or Parquet: id, study, reference, candidate, and human, or total and significant; or a download."
Table = Annotated[str, typer.Argument(metavar="TABLE", help=_COLUMNS)]
Layout = Annotated[
    str, typer.Option("--layout", metavar="L", help="Layout of TABLE: csv, preferences, rexval, radevalx, refisco or rate-eval.")
]
NewProfile = Annotated[Path, output_to("FILE", "The profile to write, a .yaml file.")]
_OBJECTIVES = "pearson, spearman or kendall; for preferences, the share ordered as people do."
Objective = Annotated[str, typer.Option("--objective", metavar="O", help=_OBJECTIVES)]
Trials = Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Trials for each fold, and for the final fit.")]
Folds = Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Folds of whole studies.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]
_NO_GAIN = "it did not help: held out, the agreement does not rise by more than chance explains; keep the profile you have"
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Description of the pairs, stored with the result.")]


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """Human ratings of the pairs: the layout of TABLE, the rating to fit, and others to monitor."""

    layout: Layout = "csv"
    columns: ColumnNames = None
    target: Annotated[
        str, typer.Option(metavar="T", help="The rating to fit to: preference, human, total, significant, severity …")
    ] = ""
    beside: Annotated[
        list[str] | None, typer.Option(metavar="[L:]FILE", help="Further ratings, in layout L: only monitored for harm.")
    ] = None
    scale: Scale = "1:5"
    feedback: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Feedback from the pages of a run: its error counts are the ratings.")
    ] = None

    def tables(self, table: str, output: Path) -> list[RatedTable]:
        """Return the table to learn from, then those given with --beside, each with its layout unless it is a plain table."""
        from kgscore.lab.published.downloads import layouts

        if output.suffix not in (".yaml", ".yml"):
            raise typer.BadParameter("a profile is a .yaml file", param_hint="--output")
        found = [replace(_source(table, self.layout, self.columns, self.target, self.scale), feedback=self.feedback)]
        for text in self.beside or ():
            layout, colon, file = text.partition(":")
            named = bool(colon) and layout in layouts()
            found.append(_source(file if named else text, layout if named else "csv", None, scale=self.scale))
        return found


TOLD = RatingOptions()


@app.command()
def radsem(
    table: Table,
    output: NewProfile,
    told: RatingOptions = TOLD,
    search: Annotated[str, typer.Option(metavar="C,…", help="Only these coefficients.")] = "",
    objective: Objective = "spearman",
    trials: Trials = 100,
    folds: Folds = 5,
    seed: Seed = 0,
    note: Note = "",
    engine: Engine = ENGINE,
) -> None:
    """Search the coefficients of RadSEM, and write them as a profile.

    Each fold of studies is scored with coefficients searched without it: `held_out` is the figure to compare with `before`.
    """
    from kgscore.lab.fitting.radsem import fit, profile_values, relate_pair

    tables, scorer = told.tables(table, output), engine.scorer()
    work = _Work.gathered(tables, scorer, objective, note, partial(relate_pair, scorer))
    chosen = {"names": split_names(search), "trials": trials, "folds": folds, "seed": seed}
    fitted = work.searched(fit, scorer.profile, scorer.index, **chosen)
    values = partial(profile_values, fitted.found, scorer.profile, name=output.stem)
    work.finish(fitted, output, engine.profile, values, _search_text(trials, folds, seed, fitted), coefficients=fitted.found)


@app.command()
def clinical(
    table: Table,
    output: NewProfile,
    told: RatingOptions = TOLD,
    objective: Objective = "kendall",
    trials: Trials = 100,
    folds: Folds = 5,
    seed: Seed = 0,
    note: Note = "",
    engine: Engine = ENGINE,
) -> None:
    """Learn the constants of the clinical verdict, and write them as a profile. Signs and order are fixed.

    Each fold of studies is scored with constants searched without it; `gain` says whether that helped over those of the profile.
    """
    from kgscore.lab.fitting.clinical import fit, profile_values, rated

    tables, scorer = told.tables(table, output), engine.scorer()
    metric = _metric("clinical", scorer)
    work = _Work.gathered(tables, scorer, objective, note, partial(rated, metric))
    fitted = work.searched(partial(fit, metric), trials=trials, folds=folds, seed=seed)
    values = partial(profile_values, fitted.found, name=output.stem)
    searched = _search_text(trials, folds, seed, fitted)
    work.finish(fitted, output, engine.profile, values, searched, constants=asdict(fitted.found))


@app.command()
def ratescore(
    table: Table,
    output: NewProfile,
    told: RatingOptions = TOLD,
    objective: Objective = "pearson",
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="How many matrices to try.")] = 300,
    seed: Seed = 0,
    note: Note = "",
    engine: Engine = ENGINE,
) -> None:
    """Learn the weights and the penalty of RaTEScore, and write them as a profile.

    One study in five, by its hash, is held out; its figures are printed with those of the shipped matrices.
    """
    from kgscore.lab.fitting.ratescore import fit, match_entities, profile_values
    from kgscore.metrics import options

    tables, scorer = told.tables(table, output), engine.scorer()
    work = _Work.gathered(tables, scorer, objective, note, partial(match_entities, _metric("ratescore", scorer)))
    given = work.given
    fitted = fit(given.ready, given.goal, beside=given.beside, objective=objective, trials=trials, seed=seed)
    chosen = options("ratescore", scorer.profile)
    model = ("model", "pooling", "tokens") if chosen.similarity == "embedding" else ()
    kept = {name: getattr(chosen, name) for name in ("entities", "similarity", *model, "empty")} | {"floor": 0.0}
    train, test = fitted.counts.values()
    said = {
        matrix: f"{f['train']:.3f} on {train} pairs for fitting, {f['test']:.3f} on {test} held out"
        for matrix, f in fitted.figures.items()
    }
    apart = {"held out": "studies whose sha256 starts with a byte divisible by 5", "trials": trials, "seed": seed}
    values = partial(profile_values, fitted.found, options=kept, name=output.stem)
    work.finish(fitted, output, engine.profile, values, apart | said)


@app.command()
def radot(
    table: Table,
    output: Annotated[Path | None, output_to("FILE", "The readout file to write (.json).")] = None,
    layout: Layout = "csv",
    columns: ColumnNames = None,
    form: Annotated[str, typer.Option(metavar="F", help="ontology or published.")] = "ontology",
    priors: Annotated[str, typer.Option(metavar="P,…", help="Weight priors to try, or all.")] = "all",
    entropies: Annotated[str, typer.Option(metavar="E,…", help="Entropies to try.")] = "0.2,0.1,0.05",
    transport: Annotated[str, typer.Option(metavar="T", help="balanced, partial or unbalanced.")] = "balanced",
    folds: Folds = 5,
    note: Note = "",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Fit the readout of RadOT-Eval, and select prior, entropy and ridge by rank correlation on held-out studies.

    `total` and `significant` are error counts of a pair (means of several readers may have fractions). Use the readout in a
    profile: `metrics: {radot: {readout: FILE}}`.
    """
    from kgscore.lab.fitting.radot import fit, report
    from kgscore.lab.fitting.rated import read_rated_units
    from kgscore.metrics.radot_align import Aligner, Settings
    from kgscore.metrics.radot_units import Units, tables

    if output is not None and output.suffix != ".json":
        raise typer.BadParameter("a readout is a .json file", param_hint="--output")
    try:
        sizes = [float(size) for size in entropies.split(",")]
    except ValueError:
        raise typer.BadParameter("give numbers, separated by commas", param_hint="--entropies") from None
    known = list(tables().priors) if priors == "all" else list(split_names(priors))
    settings = [Settings(form, prior, entropy, transport) for prior, entropy in product(known, sizes)]  # in order of preference
    if find_spec("scipy") is None:
        raise KgscoreError("fitting needs scipy; install it with: pip install 'kgscore[fit]'")
    source, scorer = _source(table, layout, columns), Engine("default", module, reader).scorer()
    units = Units(scorer.index, tables(), Settings(form=form).published, scorer.profile.depth_decay)
    aligner, failures = Aligner(units), Failures()
    pairs = list(failures.left(read_rated_units(source, scorer, aligner)))
    with progress("settings") as tell:
        name = output.stem if output else "radot"
        readout, trials = fit(pairs, settings, aligner, name=name, folds=folds, tell=tell)
    write_json(report(readout, trials))
    if output is not None:
        counts = (len(pairs), 0, failures.count)
        made = _provenance([source], scorer, "spearman", note, counts, "total, significant, insignificant")
        with output_stream(output) as stream:
            stream.write(replace(readout, provenance={**readout.provenance, **made}).as_json().encode())
        say(f"readout written to {output}")
    failures.finish()


@app.command()
def corruptions(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="JSON lines with `text` or `texts` (wordings) and `modality`.")
    ],
    copies: Annotated[int, typer.Option(metavar="N", min=1, help="Copies with errors of each report.")] = 5,
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Make pairs with known error counts: sentences joined to reports, and copies with inserted errors. Deterministic."""
    from kgscore.lab.fitting.corruptions import pairs, sentences
    from kgscore.lab.perturbing.inventions import Inserter
    from kgscore.lab.perturbing.sets import build_means

    scorer = Engine("default", module, reader).scorer()
    rows = [json.loads(line) for source in sources for line in Path(source).read_text(encoding="utf-8").splitlines() if line]
    for row in pairs(sentences(rows, scorer.read), Inserter(build_means(scorer, module or ())), copies):
        write_json(row)


def _source(table: str, layout: str, columns: list[str] | None, target: str = "", scale: str = "1:5") -> RatedTable:
    from kgscore.lab.fitting.rated import RatedTable
    from kgscore.lab.published.preferences import scale_of

    if table == "-":
        raise typer.BadParameter("the table must be a file, since its hash is stored", param_hint="TABLE")
    return RatedTable(table, layout, dict(columns_of(columns).given), target, scale_of(scale))


def _metric(name: str, scorer: Scorer) -> Any:
    from kgscore.metrics import build

    return build((name,), scorer.profile, scorer.index)[name]


@dataclass(frozen=True, slots=True)
class _Work(Generic[_T]):
    """A fit to pairs gathered from tables, from the search to the profile and what is printed."""

    tables: Sequence[RatedTable]
    scorer: Scorer
    objective: str
    note: str
    given: Gathered[_T]

    @classmethod
    def gathered(
        cls, tables: Sequence[RatedTable], scorer: Scorer, objective: str, note: str, ready: Callable[[Matched, str], _T | None]
    ) -> _Work[_T]:
        """Return a fit to the pairs of some tables; `ready` converts a matched pair and its study."""
        from kgscore.lab.fitting.rated import gather_pairs, match_pair

        def prepared(pair: RatedPair) -> _T | None:
            found = match_pair(scorer, pair)
            return None if found is None else ready(found, pair.study)

        with progress("pairs") as tell:
            return cls(tables, scorer, objective, note, gather_pairs(tables, prepared, complain, tell))

    def searched(self, fit: Callable[..., Fitted[Any]], *about: Any, **how: Any) -> Fitted[Any]:
        """Return what a fit with folds finds."""
        given = self.given
        with progress("folds") as tell:
            return fit(given.ready, given.goal, *about, beside=given.beside, objective=self.objective, tell=tell, **how)

    def finish(
        self, fitted: Fitted[Any], output: Path, profile: str, values: Callable[..., Mapping[str, Any]],
        searched: Mapping[str, Any], **more: Any,
    ) -> None:  # fmt: skip
        """Write the profile, print the fit and the changes in monitored ratings, warn of harm, and end the command."""
        from kgscore.lab.fitting.rated import base_profile, write_profile

        given = self.given
        objective = self.objective if given.goal.groups is None else "preference"
        counts = (len(given.goal.at), given.unused, given.failed)
        made = _provenance(self.tables, self.scorer, objective, self.note, counts, given.goal.name)
        watched = {f"beside, {number}": str(one) for number, one in enumerate(fitted.beside, 1)}
        write_profile(output, values(base=base_profile(profile, output)), {**made, **searched, **watched})
        say(f"profile written to {output}")
        for one in fitted.beside:
            if one.harmed:
                say(f"the fit to {given.goal.name} harms {one}")
        beside = [{**asdict(one), "harmed": one.harmed} for one in fitted.beside]
        figures = {"objective": objective, **fitted.counts, "unused": given.unused, **fitted.figures, **more}
        if (gain := fitted.figures.get("gain")) is not None:
            figures["gain"] = {"low": gain.low, "high": gain.high, "helped": gain.helped}
            if not gain.helped:
                say(_NO_GAIN)
        write_json(_rounded({**figures, **({"beside": beside} if beside else {})}))
        Failures(given.failed).finish()


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def _search_text(trials: int, folds: int, seed: int, fitted: Fitted[Any]) -> dict[str, Any]:
    """Return how values were searched, and the agreement that they reach, for the profile."""
    before, learnt, held_out = (f"{fitted.figures[name]:.3f}" for name in ("before", "learnt", "held_out"))
    of = f"{fitted.counts['pairs']} pairs of {fitted.counts['studies']} studies"
    agreement = f"{before} before, {learnt} learnt, {held_out} held out ({of})"
    return {"trials": f"{trials} for each of {folds} folds and the final fit", "seed": seed, "agreement": agreement}


def _provenance(
    tables: Sequence[RatedTable], scorer: Scorer, objective: str, note: str, counts: tuple[int, int, int], target: str
) -> dict[str, Any]:
    """Return the provenance of a result: the tables with their hashes, the number of pairs, and the versions."""
    from kgscore.lab.fitting.rated import file_hashes

    used, unused, failed = counts
    return {
        "table": "; ".join(file_hashes(table.source, table.layout) for table in tables),
        **({"feedback": file_hashes(str(tables[0].feedback), "csv")} if tables[0].feedback else {}),
        "layout": ", ".join(table.layout for table in tables),
        "target": target,
        "pairs used": f"{used}; {unused} without findings or entities, {failed} unusable",
        "objective": objective,
        "signature": ", ".join(f"{key} {value}" for key, value in scorer.signature.items()),
        **({"note": note} if note else {}),
    }
