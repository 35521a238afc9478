"""`kgscore demo`: the shipped examples, scored and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import progress, say, show
from kgscore.cli._options import ENGINE, Engine, Jobs

EXPLAINED = "chest-radiograph-mixed"


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="Run folder.")] = Path("kgscore-demo"),
    jobs: Jobs = 1,
    engine: Engine = ENGINE,
) -> None:
    """Score the shipped example pairs to a run folder, print the table, and explain one pair line by line."""
    from kgscore.report.text import explain, table
    from kgscore.resources import resource
    from kgscore.results.cases import load_case
    from kgscore.runs.batch import score_source
    from kgscore.runs.input import Source

    source = str(resource("examples", "pairs.jsonl"))
    with progress("pairs") as tell:
        outcomes = list(score_source(Source(source), engine.settings(), jobs, out=output, progress=tell))
    show(table(outcomes))
    case = load_case(output, EXPLAINED)
    show(explain(case.result, engine.scorer().label, reference=case.reference, candidate=case.candidate))
    query = "SELECT ?case ?text { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:inReport/kgr:case ?case }"
    say(f"Everything is in {output}. Go on with:")
    say(f"  kgscore explain {output} {outcomes[-1].id}")
    say(f"  kgscore sql {output} 'SELECT id, value FROM scores ORDER BY value'")
    say(f"  kgscore query {output} '{query}'")
