"""Where pairs come from: a file of them, two files of reports joined by id, or two files of as many lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Literal

from kgscore.columns import AS_THEY_ARE, Columns
from kgscore.errors import InputError
from kgscore.kept import KeptTexts
from kgscore.records import PAIR_FIELDS, BadRecord, Record, pairs_of, read_lines, read_records, read_text


@dataclass(frozen=True, slots=True)
class Source:
    """A file of pairs; or, with a `candidate`, two files: of reports joined by `ids`, of `lines` that are reports, or `texts` of
    one report each. `columns` says what the fields are called."""

    path: str
    candidate: str | None = None
    how: Literal["ids", "lines", "texts"] = "ids"
    columns: Columns = AS_THEY_ARE

    @property
    def files(self) -> tuple[str, ...]:
        """The files, in the order in which they are given."""
        return (self.path,) if self.candidate is None else (self.path, self.candidate)

    @property
    def name(self) -> str:
        """What a run calls its input."""
        return " + ".join(self.files)

    def records(
        self, stdin: BinaryIO | None = None, *, extra: Sequence[str] | None = (), lists: Sequence[str] = ()
    ) -> Iterator[Record | BadRecord]:
        """Yield every pair, good or bad, in order; `stdin`, `extra` and `lists` are those of `read_records`.

        Raises:
            InputError: a file as a whole cannot be read, or the files have different numbers of lines.
        """
        if self.candidate is None:
            return read_records(self.path, PAIR_FIELDS, stdin=stdin, lists=lists, extra=extra, columns=self.columns)
        if self.how == "texts":
            texts = {"reference": read_text(self.path), "candidate": read_text(self.candidate)}
            return iter([Record(self.candidate, self.candidate, texts)])
        return by_line(self.path, self.candidate) if self.how == "lines" else joined(self.path, self.candidate, self.columns)


def digest_of(hashes: Sequence[str]) -> str:
    """Return the hash of an input: of the bytes of one file, or of the hashes of several."""
    return hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()


def by_line(reference: str, candidate: str) -> Iterator[Record | BadRecord]:
    """Yield a pair for each line of two text files; its id is the number of the line.

    Raises:
        InputError: a file cannot be read, or they have different numbers of lines.
    """
    left, right = (read_lines(name) for name in (reference, candidate))
    if len(left) != len(right):
        raise InputError(
            f"{candidate}: has {len(right):,} lines and {reference} has {len(left):,}; line N of both is one pair"
            " (write a line break inside a report as a blank)"
        )
    yield from pairs_of(left, right, lambda number: f"{candidate}:{number}")


def joined(reference: str, candidate: str, columns: Columns = AS_THEY_ARE) -> Iterator[Record | BadRecord]:
    """Yield the pair of every id, in the order of the references, then what only the candidates have; an id that one file lacks
    is a bad record. Both files hold `id` and `report` (JSONL, CSV, Parquet, FHIR); further fields are those of the reference.

    Raises:
        InputError: a file as a whole cannot be read.
    """
    nameless: list[BadRecord] = []
    with KeptTexts() as candidates:
        for record in read_records(candidate, ("report",), columns=columns):
            if record.id is not None:
                candidates.setdefault(record.id, _packed(record))
            elif isinstance(record, BadRecord):
                nameless.append(record)
        for record in read_records(reference, ("report",), extra=None, columns=columns):
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
