"""`kgscore correct`: candidates to their references, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import Failures, complain, pair_source, put
from kgscore.cli._json import corrected_json
from kgscore.cli._language import with_model
from kgscore.cli._options import ENGINE, Candidate, ColumnNames, Engine, Jobs, Pairs, Reference
from kgscore.errors import InputError
from kgscore.records import BadRecord, Record, complaint

if TYPE_CHECKING:
    from kgscore.engine import Scorer

Context = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="KEY=VALUE", help="age, indication or setting, for records that do not say; repeatable."),
]


@with_model
def correct(
    pairs: Pairs = None,
    reference: Reference = None,
    candidate: Candidate = None,
    columns: ColumnNames = None,
    context: Context = None,
    engine: Engine = ENGINE,
    jobs: Jobs = 1,
) -> None:
    """Correct candidates line by line, with a severity each: one JSON line a pair, in input order.

    A candidate is a text, cut at full stops, or a list of lines. The score is the sum of severities: 0 with nothing to
    correct, lower is better. A record may hold a context: an object with age, sex, indication, procedure, setting.
    """
    from kgscore.runs.batch import answered

    source = pair_source(pairs, reference, candidate, columns=columns)
    work = partial(_line, _given(context or ()))
    settings = engine.settings(("fineradscore",))
    failures = Failures()
    for record, made in answered(source.records(lists=("candidate",), extra=("context",)), work, settings, jobs):
        line, reason = made or _bad(record)
        if line["status"] != "scored":
            (failures.add if line["status"] == "failed" else complain)(complaint(record.where, record.id, reason))
        put(line)
    failures.finish()


def _given(context: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in context:
        key, equals, value = one.partition("=")
        if not equals:
            raise typer.BadParameter("give KEY=VALUE: age=71, setting=icu …", param_hint="--context")
        found[key.strip()] = value.strip()
    return found


def _line(given: Mapping[str, str], engine: Scorer, record: Record) -> tuple[dict[str, Any], str]:
    """Return the line to print for a record, and what is wrong with it, if anything."""
    from kgscore.clinical.context import context_of

    own = record.extra.get("context") or {}
    try:
        if not isinstance(own, Mapping):
            raise InputError("field 'context' must be an object with age, sex, indication, procedure, setting")
        context = context_of({**given, **own}) if given or own else None
    except InputError as error:
        return _bad(BadRecord(record.where, record.id, str(error)))
    candidate = record.lines.get("candidate", record.fields["candidate"])
    result = engine.correct(reference=record.fields["reference"], candidate=candidate, id=record.id, context=context)
    return corrected_json(result), result.reason


def _bad(record: Record | BadRecord) -> tuple[dict[str, Any], str]:
    empty: dict[str, Any] = {"corrections": [], "score": None, "max_severity": None}
    reason = record.reason if isinstance(record, BadRecord) else ""
    return {"id": record.id, "status": "failed", **empty, "reason": reason}, reason
