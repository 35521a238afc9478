"""`kgscore demo`: the shipped examples, scored and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import Jobs, Modules, Profile, ReaderName, progress, say, scorer, show

EXPLAINED = "chest-radiograph-mixed"


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="Run folder.")] = Path("kgscore-demo"),
    jobs: Jobs = 1,
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Score the shipped example pairs to a run folder, print the table, and explain one pair line by line."""
    from kgscore.report.text import explain, table
    from kgscore.resources import resource
    from kgscore.results.cases import load_case
    from kgscore.runs.batch import Settings, score_source
    from kgscore.runs.input import Source

    source = str(resource("examples", "pairs.jsonl"))
    settings = Settings(profile, modules=tuple(module or ()), reader=reader)
    with progress("pairs") as tell:
        outcomes = list(score_source(Source(source), settings, jobs, out=output, progress=tell))
    show(table(outcomes))
    case = load_case(output, EXPLAINED)
    show(explain(case.result, scorer(profile, modules=module).label, reference=case.reference, candidate=case.candidate))
    query = "SELECT ?case ?text { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:inReport/kgr:case ?case }"
    say(f"Everything is in {output}. Go on with:")
    say(f"  kgscore explain {output} {outcomes[-1].id}")
    say(f"  kgscore sql {output} 'SELECT id, value FROM scores ORDER BY value'")
    say(f"  kgscore query {output} '{query}'")
