"""Pairs from two files of reports, references in one and candidates in the other, joined by id."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kgscore.kept import KeptTexts
from kgscore.records import BadRecord, Record, read_records


def joined(reference: str, candidate: str) -> Iterator[Record | BadRecord]:
    """Yield the pair of every id, in the order of the references, then what only the candidates have; an id that one file lacks
    is a bad record. Both files hold `id` and `report` (JSONL, CSV, Parquet, FHIR); further fields are those of the reference.

    Raises:
        InputError: a file as a whole cannot be read.
    """
    nameless: list[BadRecord] = []
    with KeptTexts() as candidates:
        for record in read_records(candidate, ("report",)):
            if record.id is not None:
                candidates.setdefault(record.id, _packed(record))
            elif isinstance(record, BadRecord):
                nameless.append(record)
        for record in read_records(reference, ("report",), extra=None):
            yield record if isinstance(record, BadRecord) else _pair(record, candidates.pop(record.id), candidate)
        for kept in candidates.values():
            where, id, _, _ = json.loads(kept)
            yield BadRecord(where, id, f"no report of this id in {reference}; use the same ids in both")
    yield from nameless


def _packed(record: Record | BadRecord) -> str:
    report, reason = (None, record.reason) if isinstance(record, BadRecord) else (record.fields["report"], None)
    return json.dumps([record.where, record.id, report, reason])


def _pair(record: Record, kept: str | None, candidate: str) -> Record | BadRecord:
    if kept is None:
        return BadRecord(record.where, record.id, f"no report of this id in {candidate}; use the same ids in both", record.extra)
    where, _, report, reason = json.loads(kept)
    if report is None:
        return BadRecord(where, record.id, f"the candidate: {reason}", record.extra)
    return Record(record.where, record.id, {"reference": record.fields["report"], "candidate": report}, extra=record.extra)
