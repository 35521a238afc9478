"""`kgscore explain`: a pair in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Metrics, Modules, Profile, names, show
from kgscore.errors import InputError
from kgscore.records import BadRecord, read_records, read_text

if TYPE_CHECKING:
    from kgscore.batch import Settings


def explain(
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(metavar="RUN|PAIRS", help="A run folder, or a file of pairs.")] = None,
    id: Annotated[str | None, typer.Argument(metavar="ID", help="The pair to explain; without it, all are listed.")] = None,
    reference: Annotated[Path | None, typer.Option(metavar="FILE", help="One reference report, a text file.")] = None,
    candidate: Annotated[Path | None, typer.Option(metavar="FILE", help="One candidate report, a text file.")] = None,
    run: Annotated[int | None, typer.Option("--run", metavar="N", help="Which run of the folder; without it, the last.")] = None,
    metrics: Metrics = "radsem",
    profile: Profile = "default",
    module: Modules = None,
) -> None:
    """Explain a score line by line: every credit and penalty with its words, concept, weight and proof.

    A pair of a RUN is explained with the metrics and the profile of that run.
    """
    if (source is None) == (reference is None and candidate is None) or (reference is None) != (candidate is None):
        raise typer.BadParameter("give RUN or PAIRS, or both --reference and --candidate")
    from kgscore.batch import Settings

    settings = Settings(profile, names(metrics), tuple(module or ()))
    if source is None:
        _explain_texts(str(candidate), read_text(str(reference)), read_text(str(candidate)), settings)
    elif Path(source).is_dir():
        for name in ("metrics", "profile"):
            if (given := context.get_parameter_source(name)) is not None and given.name == "COMMANDLINE":
                raise typer.BadParameter(f"a pair of a run is explained as it was scored; leave out --{name}, or name the pairs")
        _explain_run(Path(source), id, run)
    else:
        _explain_file(source, id, settings)


def _explain_texts(id: str, reference: str, candidate: str, settings: Settings) -> None:
    from kgscore.batch import scorer_for
    from kgscore.report.text import explain as explained

    engine = scorer_for(settings)
    result = engine.score(reference=reference, candidate=candidate, id=id)
    made_of = engine.contributions(result, reference=reference, candidate=candidate)
    show(explained(result, engine.label, reference=reference, candidate=candidate, made_of=made_of))


def _explain_run(folder: Path, id: str | None, run: int | None) -> None:
    from kgscore.report.text import explain as explained
    from kgscore.report.text import table
    from kgscore.results.database import load_case, load_labels, load_outcomes

    if id is None:
        show(table(load_outcomes(folder, run)))
        return
    case = load_case(folder, id, run)
    labels = load_labels(folder, run)
    made_of = case.result.contributions

    def label(concept: str) -> str:
        return labels.get(concept, concept)

    show(explained(case.result, label, reference=case.reference, candidate=case.candidate, made_of=made_of))


def _explain_file(source: str, id: str | None, settings: Settings) -> None:
    if id is None:
        from kgscore.batch import score_source
        from kgscore.report.text import table

        show(table(score_source(source, settings)))
        return
    for record in read_records(source, ("reference", "candidate")):
        if record.id == id:
            if isinstance(record, BadRecord):
                raise InputError(str(record))
            _explain_texts(id, record.fields["reference"], record.fields["candidate"], settings)
            return
    raise InputError(f"{source}: has no record '{id}'; without an ID, all are listed")
