"""Decoding the rows of a run back into cases, equal to those that were stored."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kgscore.model import PairResult, Reading
from kgscore.results.layout import REPORTS, TABLES, Batches, CaseRow
from kgscore.results.outcome import Outcome, count_words
from kgscore.results.rows import Rows
from kgscore.results.schema import Table
from kgscore.verdict import Verdict


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A stored case: its position, its result, the two reports, and the further fields of its record."""

    position: int
    result: PairResult
    reference: str
    candidate: str
    fields: Mapping[str, Any]


def stored_cases(tables: Batches, signature: Mapping[str, Any]) -> Iterator[StoredCase]:
    """Yield the cases in these tables, whose rows are ordered by position and number; a missing table counts as empty."""
    if "cases" not in tables:
        return
    held = {name: _rows_by_case(TABLES[name], rows) for name, rows in tables.items()}
    for id, at in _cells(tables, "cases", "id", "position"):
        ((row, _),) = held["cases"][at]
        mine = {name: rows.get(at, []) for name, rows in held.items()}
        result = _result(id or "", row, mine, signature)
        yield StoredCase(at, result, row.reference or "", row.candidate or "", json.loads(row.fields))


def _rows_by_case(table: Table, rows: Rows) -> dict[int, list[tuple[Any, str]]]:
    """Return the rows of each position, each with what it belongs to, a report or a metric."""
    found: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    of = next((name for name in ("report", "metric") if name in table.front), "id")
    for position, owner, value in zip(rows.column("position"), rows.column(of), table.values(rows), strict=True):
        found[position].append((value, owner))
    return found


def _result(id: str, case: CaseRow, held: Mapping[str, list[tuple[Any, str]]], signature: Mapping[str, Any]) -> PairResult:
    def values_of(table: str, of: str | None = None) -> tuple[Any, ...]:
        return tuple(value for value, mine in held.get(table, ()) if of in (None, mine))

    def reading(report: str) -> Reading:
        graph = values_of("entities", report), values_of("entity_relations", report)
        return Reading(values_of("findings", report), values_of("unlinked", report), lambda: graph)

    missed, invented = (tuple(one.finding for one in values_of("unmatched", report)) for report in REPORTS)
    metrics = dict.fromkeys(metric for _, metric in held.get("contributions", ()))
    verdicts = [Verdict(one.sentence, values_of("judged"), one.said) for one in values_of("verdicts")]
    return PairResult(
        id, case.status, {score.metric: score for score in values_of("scores")},  # type: ignore[arg-type]
        reading("reference") if case.reference_read else None, reading("candidate") if case.candidate_read else None,
        values_of("pairs"), values_of("contradictions"), missed, invented, case.reason, signature,
        values_of("corrections"), {name: values_of("contributions", name) for name in metrics}, verdicts[0] if verdicts else None,
    )  # fmt: skip


def outcomes_of(tables: Batches) -> Iterator[Outcome]:
    """Yield the lines of the cases in these tables, which are in input order."""
    scores: dict[int, dict[str, float | None]] = defaultdict(dict)
    for at, metric, status, value in _cells(tables, "scores", "position", "metric", "status", "value"):
        scores[at][metric] = value if status == "scored" else None
    unlinked: Counter[int] = Counter()
    for at, report, text in _cells(tables, "unlinked", "position", "report", "text"):
        unlinked[at] += count_words(text) if report == "candidate" else 0
    of_a_case = ("position", "id", "status", "reason", "place", "candidate", "candidate_read")
    for at, id, status, reason, place, text, was_read in _cells(tables, "cases", *of_a_case):
        yield Outcome(id, status, scores[at], reason, place, count_words(text) if was_read else 0, unlinked[at])


def _cells(tables: Batches, name: str, *columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(tables[name].column(one) for one in columns), strict=True) if name in tables else iter(())
