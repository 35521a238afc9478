"""Pairs from two files of reports, references in one and candidates in the other, joined by id."""

from __future__ import annotations

from collections.abc import Iterator

from kgscore.records import BadRecord, Record, read_records


def joined(reference: str, candidate: str) -> Iterator[Record | BadRecord]:
    """Yield the pair of every id, in the order of the references, then what only the candidates have; an id that one file lacks
    is a bad record. Both files hold `id` and `report` (JSONL, CSV, Parquet, FHIR); further fields are those of the reference.

    Raises:
        InputError: a file as a whole cannot be read.
    """
    candidates: dict[str, Record | BadRecord] = {}
    nameless: list[BadRecord] = []
    for record in read_records(candidate, ("report",)):
        if record.id is not None:
            candidates.setdefault(record.id, record)
        elif isinstance(record, BadRecord):
            nameless.append(record)
    for record in read_records(reference, ("report",), extra=None):
        if isinstance(record, BadRecord):
            yield record
            continue
        other = candidates.pop(record.id, None)
        if other is None:
            reason = f"no report of this id in {candidate}; use the same ids in both"
            yield BadRecord(record.where, record.id, reason, record.extra)
        elif isinstance(other, BadRecord):
            yield BadRecord(other.where, record.id, f"the candidate: {other.reason}", record.extra)
        else:
            fields = {"reference": record.fields["report"], "candidate": other.fields["report"]}
            yield Record(record.where, record.id, fields, extra=record.extra)
    for record in candidates.values():
        yield BadRecord(record.where, record.id, f"no report of this id in {reference}; use the same ids in both")
    yield from nameless
