"""`kgscore correct`: candidates to their references, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from kgscore.cli._common import Modules, Profile, ReaderName, finish, put, say, scorer
from kgscore.cli._json import corrected_json
from kgscore.errors import InputError
from kgscore.records import PAIR_FIELDS, BadRecord, Record, complaint, read_records, read_text

Context = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="KEY=VALUE", help="age, indication or setting, for records that do not say; repeatable."),
]


def correct(
    pairs: Annotated[
        str | None, typer.Argument(metavar="PAIRS", help="JSONL, CSV or Parquet with id, reference, candidate; '-': JSON lines.")
    ] = None,
    reference: Annotated[Path | None, typer.Option(metavar="FILE", help="One reference report, a text file.")] = None,
    candidate: Annotated[Path | None, typer.Option(metavar="FILE", help="One candidate report, a text file.")] = None,
    context: Context = None,
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Correct candidates line by line, with a severity each: one JSON line a pair, in input order.

    A candidate is a text, cut at full stops, or a list of lines. The score is the sum of severities: 0 with nothing to
    correct, lower is better. A record may hold a context: an object with age, indication, setting.
    """
    if (pairs is None) == (reference is None and candidate is None) or (reference is None) != (candidate is None):
        raise typer.BadParameter("give PAIRS, or both --reference and --candidate")
    given = _given(context or ())
    if pairs is None:
        fields = {"reference": read_text(str(reference)), "candidate": read_text(str(candidate))}
        records: Iterable[Record | BadRecord] = [Record(str(candidate), str(candidate), fields)]
    else:
        records = read_records(pairs, PAIR_FIELDS, lists=("candidate",), extra=("context",))
    engine = scorer(profile, ("fineradscore",), module, reader)
    failed = 0
    for record in records:
        line, reason = _bad(record) if isinstance(record, BadRecord) else _line(engine, record, given)
        if line["status"] != "scored":
            say(complaint(record.where, record.id, reason))
            failed += line["status"] == "failed"
        put(line)
    finish(failed)


def _given(context: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in context:
        key, equals, value = one.partition("=")
        if not equals:
            raise typer.BadParameter("give KEY=VALUE: age=71, setting=icu …", param_hint="--context")
        found[key.strip()] = value.strip()
    return found


def _line(engine: Any, record: Record, given: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Return the line to print for a record, and what is wrong with it, if anything."""
    from kgscore.metrics.severity import context_of

    own = record.extra.get("context") or {}
    try:
        if not isinstance(own, Mapping):
            raise InputError("field 'context' must be an object with age, indication, setting")
        context = context_of({**given, **own}) if given or own else None
    except InputError as error:
        return _bad(BadRecord(record.where, record.id, str(error)))
    candidate = record.lines.get("candidate", record.fields["candidate"])
    result = engine.correct(reference=record.fields["reference"], candidate=candidate, id=record.id, context=context)
    return corrected_json(result), result.reason


def _bad(record: BadRecord) -> tuple[dict[str, Any], str]:
    empty: dict[str, Any] = {"corrections": [], "score": None, "max_severity": None}
    return {"id": record.id, "status": "failed", **empty, "reason": record.reason}, record.reason
