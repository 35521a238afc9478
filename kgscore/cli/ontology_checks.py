"""`kgscore ontology test`: consistency checks generated from the ontology."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import progress, say, write_json
from kgscore.cli._options import Jobs, LinesOrTable
from kgscore.errors import OntologyError, did_you_mean

if TYPE_CHECKING:
    from kgscore.authoring.ontology_checks.run import Failure, Tested
    from kgscore.authoring.ontology_checks.world import Check
    from kgscore.ontology.tables import Term

_SHOWN = 10


def oracle(
    module: Annotated[
        list[str] | None,
        typer.Option(metavar="M", help="Only its terms: a shipped module by name, your own by path; repeatable."),
    ] = None,
    concept: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this concept; repeatable.")] = None,
    sample: Annotated[int, typer.Option(metavar="N", min=0, help="Number of checks, drawn at random; 0: all.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the draw.")] = 0,
    exceptions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Further exceptions, as in ontologies/exceptions.tsv.")
    ] = None,
    clinical: Annotated[bool, typer.Option("--clinical", help="Check `clinical` verdicts instead of relations.")] = False,
    format: LinesOrTable = "table",
    every: Annotated[bool, typer.Option("--all", help="List every failure, not the first ten of a kind.")] = False,
    jobs: Jobs = 1,
) -> None:
    """Test the ontology with itself: wordings agree, parts and wholes are part–whole, negations and opposites contradict.

    The checks are generated from the terms and run through reader and matcher. The exit code is 1 if a failure is not covered
    by the reviewed exceptions, if more than one check in a hundred is excepted, or if an exception is no longer needed. With
    --clinical, the checks are pairs of reports where one must not score above the other: an invented finding never raises …"""
    from kgscore.authoring.ontology_checks import clinical as orders
    from kgscore.authoring.ontology_checks import run as relations
    from kgscore.authoring.ontology_checks.exceptions import exemptions
    from kgscore.authoring.ontology_checks.run import sample as sampled
    from kgscore.authoring.ontology_checks.run import without_exempted
    from kgscore.ontology.modules import shipped_names
    from kgscore.runs.batch import Settings, scorer_for

    shipped, given = shipped_names(), module or []
    paths = tuple(name for name in given if name not in shipped or Path(name).exists())
    names = {*given}.difference(paths).union(map(_module_name, paths))
    settings = Settings(modules=paths)
    scorer = scorer_for(settings)
    _known(concept or (), scorer.index.concepts)

    def wanted(term: Term) -> bool:
        return (not names or term.module in names) and (not concept or term.id in concept)

    source: Any = orders if clinical else relations
    with progress("checks") as tell:
        asked = source.generate(scorer, paths, wanted)
        asked = sampled(asked, sample or len(asked), seed)
        checks, failures = _runnable(asked, source.run(asked, settings, jobs, tell))
    rows = [row for row in exemptions(exceptions) if row.kind.startswith(orders.CLINICAL) == clinical]
    tested = without_exempted(checks, failures, rows, whole=not (sample or names or concept))
    if sample:
        tested = replace(tested, stale=())  # a check left out may need the exception
    if format == "jsonl":
        _as_json(tested)
    else:
        _as_text(tested, every)
    if not tested.passed:
        raise typer.Exit(1)


def _module_name(path: str) -> str:
    return Path(path).resolve().name if Path(path).is_dir() else Path(path).stem


def _runnable(checks: Sequence[Check], failures: Sequence[Failure]) -> tuple[Sequence[Check], Sequence[Failure]]:
    """Return checks and failures without the checks that cannot be run, and report their number."""
    if unasked := {one.check for one in failures if not one.found}:
        say(f"{len(unasked):,} checks cannot be run: a sentence is not read as exactly its finding")
    return [check for check in checks if check not in unasked], [one for one in failures if one.found]


def _known(wanted: Iterable[str], concepts: Iterable[str]) -> None:
    for name in wanted:
        if name not in concepts:
            hint = did_you_mean(name, concepts) or "search with: kgscore ontology show"
            raise OntologyError(f"'{name}' is no concept; {hint}")


def _as_json(tested: Tested) -> None:
    for failure in tested.failures:
        check = failure.check
        named = {name: getattr(check, name) for name in ("concept", "about", "first", "second", "wanted")}
        write_json({"check": check.kind, **named, "found": failure.found, "read": failure.read})
    write_json({
        "checks": tested.checks, "failed": len(tested.failures), "excepted": len(tested.excepted),
        "stale": [str(row) for row in tested.stale],
        "kinds": {kind: dict(zip(("checks", "failed", "excepted"), row, strict=True)) for kind, *row in _table(tested)},
    })


def _as_text(tested: Tested, every: bool) -> None:
    shown: Counter[str] = Counter()
    for failure in tested.failures:
        check = failure.check
        shown[check.kind] += 1
        if every or shown[check.kind] <= _SHOWN:
            said, wanted = f"'{check.second}' beside '{check.first}'", " or ".join(check.wanted)
            print(f"{check.kind}: {check.concept} ({check.about}): {said} is {failure.found}, not {wanted}")
    for row in tested.stale:
        print(f"stale exception: {row}: no matching check fails; remove it")
    print(f"{'check':<32}{'made':>8}{'failed':>8}{'excepted':>10}")
    for kind, made, failed, excepted in _table(tested):
        print(f"{kind:<32}{made:>8}{failed:>8}{excepted:>10}")
    say(f"{tested.checks:,} checks: {len(tested.failures):,} fail, {len(tested.excepted):,} excepted")
    if tested.too_many:
        say("more than one check in a hundred is excepted; fix some")


def _table(tested: Tested) -> Iterator[tuple[str, int, int, int]]:
    failed, excepted = (Counter(one.check.kind for one in rows) for rows in (tested.failures, tested.excepted))
    for kind, made in tested.counts.items():
        yield kind, made, failed[kind], excepted[kind]
