"""`kgscore explain` and `demo`: a pair in plain words, and the shipped examples scored and explained."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import names, pair_source, progress, say, show
from kgscore.cli._options import ENGINE, Candidate, ColumnNames, Engine, Jobs, Metrics, Reference, RunNumber, output_to
from kgscore.config import HEADLINE
from kgscore.errors import InputError, did_you_mean
from kgscore.io.records import PAIR_FIELDS, BadRecord

if TYPE_CHECKING:
    from kgscore.runs.batch import Settings
    from kgscore.runs.input import Source

EXPLAINED = "chest-radiograph-mixed"


def explain(
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(metavar="RUN|PAIRS", help="A run folder, or a file of pairs.")] = None,
    id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The pair: its id, a prefix of it, or #3 for the third; without it, a list."),
    ] = None,
    reference: Reference = None, candidate: Candidate = None, columns: ColumnNames = None, run: RunNumber = None,
    metrics: Metrics = HEADLINE, engine: Engine = ENGINE,
) -> None:
    """Explain a score line by line, showing the words, concept, weight and proof of each credit and penalty.

    A pair of a RUN is explained as it was scored; --metrics selects among the metrics of the run."""
    if source is None or not Path(source).is_dir():
        _explain_pairs(pair_source(source, reference, candidate, columns=columns), id, engine.settings(names(metrics)))
        return
    sources = {name: context.get_parameter_source(name) for name in ("profile", "reader", "metrics")}
    given = [name for name, how in sources.items() if how is not None and how.name == "COMMANDLINE"]
    if given and given[0] != "metrics":
        raise typer.BadParameter(f"a pair of a run is explained as it was scored; leave out --{given[0]}, or name the pairs")
    _explain_run(Path(source), id, run, names(metrics) if given else ())


def _explain_run(folder: Path, id: str | None, run: int | None, metrics: tuple[str, ...]) -> None:
    from dataclasses import replace

    from kgscore.report import text
    from kgscore.results.cases import load_case, load_concepts, load_outcomes

    outcomes = load_outcomes(folder, run)
    scored = list(outcomes[0].scores) if outcomes else []
    if lacking := [name for name in metrics if name not in scored]:
        raise InputError(f"{folder}: was not scored with '{lacking[0]}'; it has {', '.join(scored)}")
    chosen = metrics or tuple(scored)
    if id is None:
        show(text.table(replace(one, scores={name: one.scores.get(name) for name in chosen}) for one in outcomes))
        return
    case = load_case(folder, _resolve_id(str(folder), id, [one.id for one in outcomes]), run)
    known = load_concepts(folder, run)
    scores = {name: score for name, score in case.result.scores.items() if not metrics or name in metrics}
    result, made_of = replace(case.result, scores=scores), case.result.contributions
    texts = {"reference": case.reference, "candidate": case.candidate}
    show(text.explain(result, lambda concept: known.get(concept, (concept,))[0], **texts, made_of=made_of))


def _explain_pairs(source: Source, id: str | None, settings: Settings) -> None:
    from kgscore.clinical.context import FIELDS, context_in
    from kgscore.report import text
    from kgscore.runs.batch import score_source, scorer_for

    if id is None and source.how != "texts":
        show(text.table(score_source(source, settings)))
        return
    records = list(source.records(extra=(*FIELDS, "context")))
    wanted = records[0].id if id is None else _resolve_id(source.name, id, [record.id for record in records])
    record = next(record for record in records if record.id == wanted)
    if isinstance(record, BadRecord):
        raise InputError(str(record))
    engine, context = scorer_for(settings), context_in(record.extra)
    texts = {name: record.fields[name] for name in PAIR_FIELDS}
    result = engine.score(**texts, id=record.id, context=context)
    made_of = engine.contributions(result, **texts, context=context)
    show(text.explain(result, engine.label, **texts, made_of=made_of))


def _resolve_id(source: str, wanted: str, ids: Iterable[str | None]) -> str:
    """Return the id, the only one with that prefix, or the one at position `#N`. Raises InputError if none or several match."""
    known = [id for id in ids if id is not None]
    if wanted in known:
        return wanted
    if wanted[:1] == "#" and wanted[1:].isdigit() and 0 < int(wanted[1:]) <= len(known):
        return known[int(wanted[1:]) - 1]
    begun = list(dict.fromkeys(id for id in known if id.startswith(wanted))) if wanted else []
    if len(begun) == 1:
        return begun[0]
    if begun:
        some = ", ".join(begun[:3]) + " …" * (len(begun) > 3)
        raise InputError(f"{source}: {len(begun)} ids begin with '{wanted}' ({some}); give a longer prefix")
    hint = did_you_mean(wanted, known) or "without an ID, all are listed"
    raise InputError(f"{source}: has no record '{wanted}' ({len(known):,} records; #1 is the first); {hint}")


def demo(
    output: Annotated[Path, output_to("RUN", "Run folder.")] = Path("kgscore-demo"), jobs: Jobs = 1, engine: Engine = ENGINE
) -> None:
    """Score the shipped example pairs into a run folder, print the table, and explain one pair line by line."""
    from kgscore.report import text
    from kgscore.resources import resource
    from kgscore.results.cases import load_case
    from kgscore.runs.batch import score_source
    from kgscore.runs.input import Source

    source = str(resource("examples", "pairs.jsonl"))
    with progress("pairs") as tell:
        outcomes = list(score_source(Source(source), engine.settings(), jobs, out=output, progress=tell))
    show(text.table(outcomes))
    case = load_case(output, EXPLAINED)
    show(text.explain(case.result, engine.scorer().label, reference=case.reference, candidate=case.candidate))
    query = "SELECT ?case ?text { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:inReport/kgr:case ?case }"
    say(f"All results are in {output}. Next steps:")
    say(f"  kgscore explain {output} {outcomes[-1].id}")
    say(f"  kgscore sql {output} 'SELECT id, value FROM scores ORDER BY value'")
    say(f"  kgscore query {output} '{query}'")
