"""`kgscore radsem`: write and score RadSEM stage files."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscore.cli._common import Failures, columns_of, output_stream, write_json
from kgscore.cli._options import ColumnNames, Engine, Output
from kgscore.errors import InputError
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, complaint, read_named, read_records

app = typer.Typer(help="RadSEM stage files: findings, labelled pairs, unmatched findings; JSON lines.", no_args_is_help=True)
_EXAMINED = ("Examined_Area", "Examined_Type")
_PUBLISHED = Engine("radsem-published")


@app.command()
def export(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="As for `kgscore score`.")],
    output: Output = None, columns: ColumnNames = None, engine: Engine = _PUBLISHED,
) -> None:
    """Write a stage record for each pair of reports: what a language model would produce, for manual correction if needed."""
    from kgscore.metrics.radsem_stages import stage_record

    scorer, failures = engine.scorer(), Failures()
    with output_stream(output) as stream:
        for record in read_records(pairs, (*PAIR_FIELDS, *_EXAMINED), PAIR_FIELDS, columns=columns_of(columns)):
            result = scorer.score_record(record)
            if result.status == "failed":
                failures.add(complaint(record.where, record.id, result.reason))
            examined = record.fields if isinstance(record, Record) else {}
            line = stage_record(
                result, scorer.label, area=examined.get("Examined_Area", ""), kind=examined.get("Examined_Type", "")
            )
            write_json(line, stream)
    failures.finish()


@app.command()
def score(
    stages: Annotated[str, typer.Argument(metavar="FILE", help="Stage records, JSON lines; '-' is standard input.")]
) -> None:
    """Score stage records as published: RadSEM and RadSEM-Alt, one JSON line a record, with the counts behind them."""
    from kgscore.metrics.radsem_stages import score_stages

    failures = Failures()
    none = {"radsem": None, "radsem_alt": None}
    for where, name, row in read_named(stages):
        try:
            if isinstance(row, str):
                raise InputError(row)
            scores = score_stages(row)
        except InputError as error:
            failures.add(BadRecord(where, name, str(error)))
            write_json({"id": name, "status": "failed", "scores": none, "reason": str(error), "parts": {}})
            continue
        first = scores["radsem"]
        values = {metric: found.value for metric, found in scores.items()}
        parts = {metric: dict(found.parts) for metric, found in scores.items()}
        reason = first.reason and str(row.get("reason") or first.reason)
        write_json({"id": name, "status": first.status, "scores": values, "reason": reason, "parts": parts})
    failures.finish()
