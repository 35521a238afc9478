"""`kgscore radsem`: RadSEM's stage files, out and in."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from kgscore.cli._common import ColumnNames, Modules, Output, ReaderName, columns_of, complain, finish, put, scorer, sink
from kgscore.errors import InputError
from kgscore.records import PAIR_FIELDS, BadRecord, Record, complaint, read_named, read_records

app = typer.Typer(help="RadSEM's stage files: findings, labelled pairs, what is unmatched; JSON lines.", no_args_is_help=True)
_EXAMINED = ("Examined_Area", "Examined_Type")


@app.command()
def export(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="As for `kgscore score`.")],
    output: Output = None,
    columns: ColumnNames = None,
    profile: Annotated[str, typer.Option("--profile", metavar="P", help="The profile that matches.")] = "radsem-published",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Write a stage record for each pair of reports: what a language model would be asked for, and can be corrected by hand."""
    from kgscore.metrics.radsem_stages import stage_record

    engine = scorer(profile, modules=module, reader=reader)
    failed = 0
    with sink(output) as stream:
        for record in read_records(pairs, (*PAIR_FIELDS, *_EXAMINED), PAIR_FIELDS, columns=columns_of(columns)):
            result = engine.score_record(record)
            if result.status == "failed":
                failed += 1
                complain(complaint(record.where, record.id, result.reason))
            examined = record.fields if isinstance(record, Record) else {}
            line = stage_record(
                result, engine.label, area=examined.get("Examined_Area", ""), kind=examined.get("Examined_Type", "")
            )
            stream.write(f"{json.dumps(line, ensure_ascii=False, allow_nan=False)}\n".encode())
    finish(failed)


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
            complain(BadRecord(where, name, str(error)))
            put({"id": name, "status": "failed", "scores": none, "reason": str(error), "parts": {}})
            continue
        first = scores["radsem"]
        values = {metric: found.value for metric, found in scores.items()}
        parts = {metric: dict(found.parts) for metric, found in scores.items()}
        reason = first.reason and str(row.get("reason") or first.reason)
        put({"id": name, "status": first.status, "scores": values, "reason": reason, "parts": parts})
    finish(failed)
