"""`kgscore demo`: the shipped examples, scored and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import Jobs, Modules, Profile, progress, say, scorer, show

EXPLAINED = "chest-radiograph-mixed"


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="Run folder.")] = Path("kgscore-demo"),
    jobs: Jobs = 1,
    profile: Profile = "default",
    module: Modules = None,
) -> None:
    """Score the shipped example pairs to a run folder, print the table, and explain one pair line by line."""
    from kgscore.batch import Settings, score_source
    from kgscore.report.text import explain, table
    from kgscore.resources import resource
    from kgscore.results.database import load_case

    source = str(resource("examples", "pairs.jsonl"))
    settings = Settings(profile, modules=tuple(module or ()))
    with progress("pairs") as tell:
        outcomes = list(score_source(source, settings, jobs, out=out, progress=tell))
    show(table(outcomes))
    case = load_case(out, EXPLAINED)
    show(explain(case.result, scorer(profile, modules=module).label, reference=case.reference, candidate=case.candidate))
    say(f"Everything is in {out}. Go on with:")
    say(f"  kgscore explain {out} {outcomes[-1].id}")
    say(f"  kgscore sql {out} 'SELECT id, value FROM scores ORDER BY value'")
    say(f"  kgscore query {out} 'SELECT ?case ?text {{ ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:inReport/kgr:case ?case }}'")
