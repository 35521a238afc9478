"""What a record says of the patient, beside its reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields

from kgscore.clinical.context import Context, context_from_report, context_of, years

UNKNOWN = Context()
FIELDS = frozenset(field.name for field in fields(Context))
# Without one of these a report has no section on the patient.
_TELLING = re.compile(r"\b(?:indication|histor|clinical|reason|techni|procedure|exam|study|compari|\d+[ -]?y)", re.IGNORECASE)


def context_in(extra: Mapping[str, object]) -> Context:
    """Return what the further fields of a record say of the patient: age, sex, indication, procedure and setting, by themselves
    or under `context`. What cannot be used (an age that holds no number) is not known.

    >>> context_in({"age": "71 years", "modality": "CT"}).age, context_in({"age": "unknown"}).age
    (71.0, None)
    """
    inner = extra.get("context")
    told = {**extra, **inner} if isinstance(inner, Mapping) else extra
    if FIELDS.isdisjoint(told):
        return UNKNOWN
    known = {name: str(told[name]) for name in sorted(FIELDS) if told.get(name) not in (None, "")}
    if years(known.get("age", "")) is None:
        known.pop("age", None)
    return context_of(known)


def with_report(context: Context, text: str) -> Context:
    """Return a context with what a report's own sections say beside it."""
    return context.over(context_from_report(text)) if _TELLING.search(text) else context
