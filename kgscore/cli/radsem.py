"""`kgscore radsem`: RadSEM's stage files, out and in."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TextIO

import typer

from kgscore.cli._common import Modules, finish, put, say, scorer
from kgscore.errors import InputError
from kgscore.records import PAIR_FIELDS, BadRecord, Record, complaint, read_named, read_records

app = typer.Typer(help="RadSEM's stage files: findings, labelled pairs, what is unmatched; JSON lines.", no_args_is_help=True)
_EXAMINED = ("Examined_Area", "Examined_Type")


@app.command()
def export(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="As for `kgscore score`.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; '-' is standard output.")] = "-",
    profile: Annotated[str, typer.Option("--profile", metavar="P", help="The profile that matches.")] = "radsem-published",
    module: Modules = None,
) -> None:
    """Write a stage record for each pair of reports: what a language model would be asked for, and can be corrected by hand."""
    from kgscore.metrics.radsem_stages import stage_record

    engine = scorer(profile, modules=module)
    failed = 0
    with ExitStack() as stack:
        stream = _opened(out, stack)
        for record in read_records(pairs, (*PAIR_FIELDS, *_EXAMINED), PAIR_FIELDS):
            result = engine.score_record(record)
            if result.status == "failed":
                failed += 1
                say(complaint(record.where, record.id, result.reason))
            examined = record.fields if isinstance(record, Record) else {}
            line = stage_record(
                result, engine.label, area=examined.get("Examined_Area", ""), kind=examined.get("Examined_Type", "")
            )
            print(json.dumps(line, ensure_ascii=False, allow_nan=False), file=stream)
    finish(failed)


def _opened(out: str, stack: ExitStack) -> TextIO:
    if out == "-":
        return sys.stdout
    try:
        return stack.enter_context(Path(out).open("w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({(error.strerror or 'unknown').lower()}); choose another path") from None


@app.command()
def score(
    stages: Annotated[str, typer.Argument(metavar="FILE", help="Stage records, JSON lines; '-' is standard input.")],
) -> None:
    """Score stage records as published: RadSEM and RadSEM-Alt, one JSON line a record, with the counts behind them."""
    from kgscore.metrics.radsem_stages import score_stages

    failed = 0
    none = {"radsem": None, "radsem_alt": None}
    for where, name, row in read_named(stages):
        try:
            if isinstance(row, str):
                raise InputError(row)
            scores = score_stages(row)
        except InputError as error:
            failed += 1
            say(str(BadRecord(where, name, str(error))))
            put({"id": name, "status": "failed", "scores": none, "reason": str(error), "parts": {}})
            continue
        first = scores["radsem"]
        values = {metric: found.value for metric, found in scores.items()}
        parts = {metric: dict(found.parts) for metric, found in scores.items()}
        reason = first.reason and str(row.get("reason") or first.reason)
        put({"id": name, "status": first.status, "scores": values, "reason": reason, "parts": parts})
    finish(failed)
