"""`kgscore perturb`: stress tests made from any reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from kgscore.cli._common import Failures, columns_of, complain, names, output_stream, progress, reports, say, write_json
from kgscore.cli._options import ColumnNames, Modules, Output, Profile, check_known
from kgscore.errors import did_you_mean
from kgscore.io.records import BadRecord, Record, complaint

_COLUMNS = (("report",), ("reference",))
_KINDS = ("ssree", "headct", "rexerr")


def perturb(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="JSONL, CSV or Parquet with id and report or reference, or a text; '-': JSON lines."),
    ],
    kind: Annotated[str, typer.Option(metavar="K", help="ssree, headct or rexerr.")],
    output: Output = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    columns: ColumnNames = None,
    errors: Annotated[str, typer.Option(metavar="E,…", help="rexerr: kinds of error; default: all but typing slips.")] = "",
    count: Annotated[int, typer.Option(metavar="N", min=1, help="rexerr: errors a report.")] = 3,
    profile: Profile = "default",
    module: Modules = None,
) -> None:
    """Make a stress test for metrics from any reports, with a record of every change: one JSON line a report.

    ssree: levels L1 (same meaning) to L5 (all inverted), for `bench ssree`. headct: a rewording and reports with errors of one
    kind, for `bench variants`. rexerr: reports with errors, and the expected corrections, for `bench corrections`. A report
    that cannot be changed as required is named on standard error and skipped.
    """
    check_known("kind", kind, _KINDS, "--kind")
    from kgscore.lab.perturbing.sets import Broken, Unfit, perturber

    perturb = perturber(kind, seed=seed, errors=_errors(errors, kind), count=count, profile=profile, modules=module or ())
    failures, made, unfit = Failures(), 0, 0
    with output_stream(output) as out, progress("reports") as tell:
        for record in failures.left(_records(file, columns)):
            report = next(iter(record.fields.values()))
            try:
                line = perturb(report, record.id, str(record.extra.get("modality") or ""))
            except Unfit as reason:
                unfit += 1
                complain(complaint(record.where, record.id, f"{reason}; left out"))
                continue
            except Broken as error:
                failures.add(complaint(record.where, record.id, str(error)))
                continue
            made += 1
            write_json(line, out)
            tell(made)
    failed = failures.count
    say(f"{made + unfit + failed} reports: {made} perturbed, {unfit} left out, {failed} failed")
    failures.finish()


def _records(file: str, columns: list[str] | None) -> Iterator[Record | BadRecord]:
    from kgscore.io.records import is_lines, read_records

    named = columns_of(columns)
    return read_records(file, *_COLUMNS, extra=("modality",), columns=named) if is_lines(file) else reports([file])


def _errors(given: str, kind: str) -> tuple[str, ...]:
    from kgscore.lab.perturbing.sets import CLINICAL, KINDS

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
