"""`kgscore perturb`: stress tests made from any reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import Modules, Profile, finish, names, progress, reports, say, sink
from kgscore.errors import did_you_mean
from kgscore.records import BadRecord, Record, complaint

_COLUMNS = (("report",), ("reference",))
_KINDS = ("ssree", "headct", "rexerr")


def perturb(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="JSONL, CSV or Parquet with id and report or reference, or a text; '-': JSON lines."),
    ],
    kind: Annotated[str, typer.Option(metavar="K", help="ssree, headct or rexerr.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write JSON lines to a file instead of standard output.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed makes other choices.")] = 0,
    column: Annotated[str | None, typer.Option(metavar="NAME", help="The column that holds the report.")] = None,
    errors: Annotated[str, typer.Option(metavar="E,…", help="rexerr: kinds of error instead of all but slips of the pen.")] = "",
    count: Annotated[int, typer.Option(metavar="N", min=1, help="rexerr: errors a report.")] = 3,
    profile: Profile = "default",
    module: Modules = None,
) -> None:
    """Make a stress test for metrics from any reports, with a record of every change: one JSON line a report.

    ssree: levels L1 (same meaning) to L5 (all inverted), for `bench ssree`. headct: a rewording and reports with errors of one
    kind, for `bench variants`. rexerr: reports with errors, and the corrections that are due, for `bench corrections`. A report
    that cannot be changed as wanted is named on standard error and left out.
    """
    if kind not in _KINDS:
        raise typer.BadParameter(f"no kind '{kind}'; there are: {', '.join(_KINDS)}", param_hint="--kind")
    from kgscore.perturbing.outcome import Broken, Unfit
    from kgscore.perturbing.perturber import Perturber

    modules = tuple(module or ())
    perturber = Perturber(kind, seed=seed, errors=_errors(errors, kind), count=count, profile=profile, modules=modules)
    made = unfit = failed = 0
    with sink(output) as out, progress("reports") as tell:
        for record in _records(file, column):
            if isinstance(record, BadRecord):
                failed += 1
                say(str(record))
                continue
            report = next(iter(record.fields.values()))
            try:
                line = perturber.perturb(report, id=record.id, modality=str(record.extra.get("modality") or ""))
            except Unfit as reason:
                unfit += 1
                say(complaint(record.where, record.id, f"{reason}; left out"))
                continue
            except Broken as error:
                failed += 1
                say(complaint(record.where, record.id, str(error)))
                continue
            made += 1
            out.write(f"{json.dumps(line, ensure_ascii=False, allow_nan=False)}\n".encode())
            tell(made)
    say(f"{made + unfit + failed} reports: {made} perturbed, {unfit} left out, {failed} failed")
    finish(failed)


def _records(file: str, column: str | None) -> Iterator[Record | BadRecord]:
    from kgscore.records import is_lines, read_records

    if is_lines(file):
        choices = ((column,),) if column else _COLUMNS
        return read_records(file, *choices, extra=("modality",))
    return reports([file])


def _errors(given: str, kind: str) -> tuple[str, ...]:
    """Return the kinds of errors asked for.

    Raises:
        typer.BadParameter: there is no such kind, or the stress test takes none.
    """
    from kgscore.perturbing.rexerr import CLINICAL, KINDS

    if not given:
        return CLINICAL
    if kind != "rexerr":
        raise typer.BadParameter(f"'{kind}' takes no kinds of errors; rexerr does", param_hint="--errors")
    wanted = names(given)
    for name in wanted:
        if name not in KINDS:
            hint = did_you_mean(name, KINDS) or f"there are: {', '.join(KINDS)}"
            raise typer.BadParameter(f"no kind of error '{name}'; {hint}", param_hint="--errors")
    return wanted
