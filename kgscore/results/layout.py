"""The tables of a run: their definitions, and the encoding of cases as batches of rows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from kgscore.io.records import Record
from kgscore.model import (
    Contribution,
    Correction,
    Entity,
    EntityRelation,
    Finding,
    Link,
    Reading,
    Relation,
    Score,
    Unlinked,
)
from kgscore.results.outcome import Case
from kgscore.results.rows import Rows, concatenate
from kgscore.results.schema import Json, Split, Table
from kgscore.results.tabular import json_line
from kgscore.verdict import Aligned, Verdict

Batches = Mapping[str, Rows]
REPORTS = ("reference", "candidate")
_AT_ONCE = 20_000  # rows


@dataclass(frozen=True, slots=True)
class RunModule:
    """A user's module that a run was scored with: its name, the hash of its files, and its path at the time."""

    name: str
    hash: str
    path: str


@dataclass(frozen=True, slots=True)
class RunKey:
    """The identity of a run: the input's bytes, the settings, and the signature of everything that affects scores. `modules` are
    those besides the profile's, and `reader` is a name or a path: their hashes are in the signature, their paths only stored."""

    input: str
    input_hash: str
    profile: str
    metrics: tuple[str, ...]
    signature: Mapping[str, Any]
    modules: tuple[RunModule, ...] = ()
    reader: str = "default"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A record of the input: its status, its place, the reports as read, and its further fields."""

    status: str
    reason: str
    place: str
    reference: str | None
    candidate: str | None
    fields: Json
    reference_read: bool
    candidate_read: bool


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A finding without a link, by its number."""

    finding: int


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """A concept of the ontology, as used by a run."""

    concept: str
    label: str
    kind: str
    region: str | None
    severity: int


@dataclass(frozen=True, slots=True)
class Above:
    """A concept and an ancestor class."""

    concept: str
    ancestor: str


def canonical(signature: Mapping[str, Any]) -> str:
    """Return a signature as canonical JSON: equal signatures give equal texts."""
    return json.dumps(dict(signature), sort_keys=True, ensure_ascii=False)


def _span(name: str) -> Split:
    """Return the encoding of offsets, or None, as two columns."""
    return Split({f"{name}_start": int, f"{name}_end": int}, lambda span: span or (None, None), _ends)


def _ends(start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start, end)


_RELATION = Split(
    {"relation": str, "anatomy": str, "finding": str, "detail": str, "weight": float, "proof": tuple[str, ...],
     "anatomy_depth": int, "finding_depth": int},
    lambda r: (r.relation, r.anatomy, r.finding, r.detail, r.weight, r.proof, *r.depths),
    lambda *cells: Relation(*cells[:6], cells[6:]),  # type: ignore[call-arg]
)  # fmt: skip
_SAID = Split(
    {"said_tiers": tuple[int, ...], "said_right": tuple[bool, ...]},
    lambda said: ([tier for tier, _ in said], [right for _, right in said]),
    lambda tiers, right: tuple(zip(tiers, right, strict=True)),
)
_SPANS = Split(
    {f"{report}_{end}": int for report in reversed(REPORTS) for end in ("start", "end")},
    lambda spans: tuple(at for span in spans for at in span or (None, None)),
    lambda *ends: (_ends(*ends[:2]), _ends(*ends[2:])),
)
_SIGNATURE = Split({"signature": str}, lambda signature: (canonical(signature),), json.loads)
_RUN = {"run": int}
_CASE = {**_RUN, "position": int, "id": str}
_NUMBERED = {**_CASE, "number": int}
_SIDED = {**_CASE, "report": str, "number": int}
_OFFSETS = {"start": "start_char", "end": "end_char"}
_LINKED = {"relation": _RELATION}
TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        Table(
            "runs", RunKey, {**_RUN, "started": datetime, "finished": datetime}, split={"signature": _SIGNATURE},
            without=("modules", "reader"),
        ),
        Table("modules", RunModule, _RUN),
        Table("readers", RunKey, _RUN, without=("input", "input_hash", "profile", "metrics", "signature", "modules")),
        Table("cases", CaseRow, _CASE),
        Table("scores", Score, _NUMBERED),
        Table("findings", Finding, _SIDED, {**_OFFSETS, "both": "both_sides"}),
        Table("pairs", Link, _NUMBERED, split=_LINKED),
        Table("contradictions", Link, _NUMBERED, split=_LINKED),
        Table("unmatched", Unmatched, _SIDED),
        Table("unlinked", Unlinked, _SIDED, _OFFSETS),
        Table("entities", Entity, _SIDED, _OFFSETS),
        Table("entity_relations", EntityRelation, _SIDED),
        Table("corrections", Correction, _NUMBERED, split={"spans": _SPANS}),
        Table(
            "contributions", Contribution, {**_NUMBERED, "metric": str, "reference": int, "candidate": int},
            split={report: _span(report) for report in REPORTS},
        ),
        Table("verdicts", Verdict, _NUMBERED, split={"said": _SAID}, without=("findings",)),
        Table("judged", Aligned, {**_NUMBERED, "actionable": bool}),
        Table("concepts", ConceptRow, _RUN),
        Table("ancestors", Above, _RUN),
    )
}  # fmt: skip
OF_A_CASE = tuple(name for name, table in TABLES.items() if "position" in table.front)


def definitions() -> str:
    """Return the SQL that creates the tables."""
    return "CREATE TABLE IF NOT EXISTS layout (version INTEGER NOT NULL);" + "".join(table.sql() for table in TABLES.values())


@contextmanager
def in_memory(tables: Batches) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to an in-memory database that holds these rows."""
    with duckdb.connect() as connection:
        connection.execute(definitions())
        for name, batch in tables.items():
            insert(connection, name, batch)
        yield connection


def insert(connection: duckdb.DuckDBPyConnection, table: str, batch: Rows) -> None:
    """Write rows to a table."""
    for start in range(0, len(batch), _AT_ONCE):  # they are loaded as one text
        batch.slice(start + _AT_ONCE, start).load(connection, f"INSERT INTO {table} BY NAME")


def join_parts(parts: Sequence[Batches]) -> Batches:
    """Return the rows of several parts of a run concatenated, in order."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: concatenate([part[name] for part in parts if name in part]) for name in names}


def write_parquet(tables: Batches, folder: Path) -> None:
    """Write every table of cases as a Parquet file (zstd) of a folder, without rows too: equal rows, equal bytes."""
    with in_memory(tables) as connection:
        for name in OF_A_CASE:
            connection.table(name).write_parquet(str(folder / f"{name}.parquet"), compression="zstd")


class _Rows:
    """Collects the rows of a table, with its front columns."""

    def __init__(self) -> None:
        self.front: dict[str, list[Any]] = defaultdict(list)
        self.values: list[Any] = []

    def add(self, case: Case, values: Sequence[Any], **front: Any) -> None:
        """Add rows of a case; a front value is either a list with one value per row, or one value for all."""
        count = len(values)
        self.values += values
        told = {"position": case.position, "id": case.record.id, "number": range(count)} | front
        for name, given in told.items():
            self.front[name] += given if isinstance(given, (list, range)) else [given] * count


def tables_of(run: int, cases: Iterable[Case]) -> Batches:
    """Return some cases encoded as rows, by table; a table without rows is omitted. The scoring process does this,
    so that the speed of filling a run folder is limited by writing only."""
    rows: dict[str, _Rows] = defaultdict(_Rows)
    for case in cases:
        result = case.result
        rows["cases"].add(case, [_case_row(case)])
        rows["scores"].add(case, list(result.scores.values()))
        rows["pairs"].add(case, result.links)
        rows["contradictions"].add(case, result.contradictions)
        rows["corrections"].add(case, result.corrections)
        for report in REPORTS:
            unmatched: Sequence[int] = getattr(result, f"unmatched_{report}")
            rows["unmatched"].add(case, [Unmatched(number) for number in unmatched], report=report)
            reading: Reading | None = getattr(result, report)
            if reading is not None:
                rows["findings"].add(case, reading.findings, report=report)
                rows["unlinked"].add(case, reading.unlinked, report=report)
                rows["entities"].add(case, reading.entities, report=report)
                rows["entity_relations"].add(case, reading.relations, report=report)
        if result.contributions:
            _contributions(rows["contributions"], case)
        if result.verdict is not None:
            rows["verdicts"].add(case, [result.verdict])
            judged = result.verdict.findings
            rows["judged"].add(case, judged, actionable=[one.actionable for one in judged])
    return {
        name: table.batch({"run": [run] * len(rows[name].values), **rows[name].front}, rows[name].values)
        for name, table in TABLES.items() if name in rows and rows[name].values
    }  # fmt: skip


def _case_row(case: Case) -> CaseRow:
    record, result = case.record, case.result
    given = record.fields if isinstance(record, Record) else {}
    read = (result.reference is not None, result.candidate is not None)
    texts = (given.get("reference"), given.get("candidate"))
    return CaseRow(result.status, result.reason, record.where, *texts, Json(json_line(record.extra)), *read)


def _contributions(rows: _Rows, case: Case) -> None:
    """Add the contributions to the scores of a case, with the numbers of the findings at their offsets."""
    result, first = case.result, 0
    numbers: dict[str, dict[tuple[int, int] | None, int]] = {report: {} for report in REPORTS}
    for report, known in numbers.items():
        reading: Reading | None = getattr(result, report)
        for number, finding in enumerate(() if reading is None else reading.findings):
            known.setdefault((finding.start, finding.end), number)
    for metric, pieces in result.contributions.items():
        at = {report: [known.get(getattr(one, report)) for one in pieces] for report, known in numbers.items()}
        rows.add(case, pieces, number=range(first, first + len(pieces)), metric=metric, **at)
        first += len(pieces)
