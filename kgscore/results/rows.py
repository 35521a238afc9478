"""Cases as rows of the run tables, and back. What goes in comes out equal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from kgscore.model import (
    Contribution,
    Correction,
    Detail,
    Entity,
    EntityRelation,
    Finding,
    Link,
    PairResult,
    Reading,
    Relation,
    Score,
    Unlinked,
)
from kgscore.records import Record
from kgscore.results.outcome import Case

Row = dict[str, Any]
REPORTS = ("reference", "candidate")


def rows_of(run: int, cases: Iterable[Case]) -> dict[str, list[Row]]:
    """Return the rows of a batch of cases, by table."""
    tables: dict[str, list[Row]] = {}

    def put(table: str, key: Row, **values: Any) -> None:
        tables.setdefault(table, []).append(key | values)

    for case in cases:
        record, result = case.record, case.result
        key: Row = {"run": run, "position": case.position, "id": record.id}
        fields = record.fields if isinstance(record, Record) else {}
        put(
            "cases", key, status=result.status, reason=result.reason, place=record.where,
            reference=fields.get("reference"), candidate=fields.get("candidate"), fields=_json(record.extra),
            reference_read=result.reference is not None, candidate_read=result.candidate is not None,
        )
        if result.status == "failed":
            put("failures", key, place=record.where, reason=result.reason)
        for report in REPORTS:
            reading: Reading | None = getattr(result, report)
            if reading is not None:
                for table, values in _reading_rows(reading):
                    put(table, key, report=report, **values)
            for number, finding in enumerate(getattr(result, f"unmatched_{report}")):
                put("unmatched", key, report=report, number=number, finding=finding)
        for table, links in (("pairs", result.links), ("contradictions", result.contradictions)):
            for number, link in enumerate(links):
                put(table, key, number=number, **_link_row(link))
        for number, score in enumerate(result.scores.values()):
            put(
                "scores", key, number=number, metric=score.metric, status=score.status, value=score.value,
                reason=score.reason, parts=list(score.parts.items()),
            )
        for number, (metric, one) in enumerate((m, one) for m, found in result.contributions.items() for one in found):
            put("contributions", key, number=number, metric=metric, **_contribution_row(one, result))
        for number, correction in enumerate(result.corrections):
            put("corrections", key, number=number, **_correction_row(correction))
    return tables


def _json(extra: Mapping[str, Any]) -> str:
    """Return the further fields of a record as JSON; what JSON has no form for becomes text, a number that is none null."""
    plain = {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in extra.items()}
    try:
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:  # a number that is none, deeper down
        return json.dumps({name: str(value) for name, value in plain.items()}, ensure_ascii=False)


def _contribution_row(one: Contribution, result: PairResult) -> Row:
    row: Row = {"kind": one.kind, "what": one.what, "credit": one.credit, "cost": one.cost, "because": list(one.because)}
    for report in REPORTS:
        span: tuple[int, int] | None = getattr(one, report)
        reading: Reading | None = getattr(result, report)
        row |= {f"{report}_start": span[0], f"{report}_end": span[1]} if span else {}
        if span and reading:
            row[report] = next((i for i, f in enumerate(reading.findings) if (f.start, f.end) == span), None)
    return row


def _reading_rows(reading: Reading) -> Iterable[tuple[str, Row]]:
    for number, finding in enumerate(reading.findings):
        yield (
            "findings",
            {
                "number": number, "text": finding.text, "start_char": finding.start, "end_char": finding.end,
                "concept": finding.concept, "label": finding.label, "sites": list(finding.sites), "side": finding.side,
                "status": finding.status, "certainty": finding.certainty,
                "details": [{"category": d.category, "value": d.value, "text": d.text} for d in finding.details],
                "change": finding.change, "alternatives": list(finding.alternatives), "restricted": finding.restricted,
                "tip": list(finding.tip), "section": finding.section,
                "both_sides": finding.both, "words": sorted(finding.words),
            },
        )
    for number, entity in enumerate(reading.entities):
        yield "entities", _span_row(number, entity) | {"type": entity.type, "concept": entity.concept}
    for number, relation in enumerate(reading.relations):
        yield (
            "entity_relations",
            {"number": number, "source": relation.source, "target": relation.target, "type": relation.type},
        )
    for number, words in enumerate(reading.unlinked):
        yield "unlinked", _span_row(number, words)


def _span_row(number: int, span: Entity | Unlinked) -> Row:
    return {"number": number, "text": span.text, "start_char": span.start, "end_char": span.end}


def _link_row(link: Link) -> Row:
    relation = link.relation
    return {
        "reference": link.reference, "candidate": link.candidate, "relation": relation.relation,
        "anatomy": relation.anatomy, "finding": relation.finding, "detail": relation.detail, "weight": relation.weight,
        "flow": link.flow, "anatomy_depth": relation.depths[0], "finding_depth": relation.depths[1],
        "proof": list(relation.proof),
    }


def _correction_row(one: Correction) -> Row:
    (start, end), (begin, stop) = (span or (None, None) for span in one.spans)
    return {
        "line": one.line, "action": one.action, "severity": one.severity, "categories": list(one.categories),
        "radevalx": list(one.radevalx), "comment": one.comment, "old_text": one.old_text, "new_text": one.new_text,
        "proof": list(one.proof), "candidate_start": start, "candidate_end": end, "reference_start": begin, "reference_end": stop,
    }


def result_of(case: Row, tables: Mapping[str, list[Row]], signature: Mapping[str, Any]) -> PairResult:
    """Return the pair result that the rows of one case hold (rows in order of `number`)."""
    return PairResult(
        id=case["id"] or "",
        status=case["status"],
        scores={
            row["metric"]: Score(row["metric"], row["status"], row["value"], row["reason"], dict(row["parts"]))
            for row in tables["scores"]
        },
        reference=_reading(tables, "reference", case),
        candidate=_reading(tables, "candidate", case),
        links=tuple(map(_link, tables["pairs"])),
        contradictions=tuple(map(_link, tables["contradictions"])),
        unmatched_reference=_unmatched(tables, "reference"),
        unmatched_candidate=_unmatched(tables, "candidate"),
        reason=case["reason"],
        signature=signature,
        contributions=_contributions(tables["contributions"]),
        corrections=tuple(map(_correction, tables["corrections"])),
    )


def _contributions(rows: Iterable[Row]) -> dict[str, tuple[Contribution, ...]]:
    found: dict[str, list[Contribution]] = {}
    for row in rows:
        spans = ((row[f"{report}_start"], row[f"{report}_end"]) for report in REPORTS)
        reference, candidate = (None if span[0] is None else span for span in spans)
        one = Contribution(row["kind"], row["what"], reference, candidate, row["credit"], row["cost"], tuple(row["because"]))
        found.setdefault(row["metric"], []).append(one)
    return {metric: tuple(ones) for metric, ones in found.items()}


def _unmatched(tables: Mapping[str, list[Row]], report: str) -> tuple[int, ...]:
    return tuple(row["finding"] for row in tables["unmatched"] if row["report"] == report)


def _reading(tables: Mapping[str, list[Row]], report: str, case: Row) -> Reading | None:
    if not case[f"{report}_read"]:
        return None

    def mine(table: str) -> Iterable[Row]:
        return (row for row in tables[table] if row["report"] == report)

    entities = tuple(
        Entity(row["text"], row["start_char"], row["end_char"], row["type"], row["concept"]) for row in mine("entities")
    )
    relations = tuple(EntityRelation(row["source"], row["target"], row["type"]) for row in mine("entity_relations"))
    return Reading(
        tuple(map(_finding, mine("findings"))),
        tuple(Unlinked(row["text"], row["start_char"], row["end_char"]) for row in mine("unlinked")),
        lambda: (entities, relations),
    )


def _finding(row: Row) -> Finding:
    return Finding(
        text=row["text"], start=row["start_char"], end=row["end_char"], concept=row["concept"], label=row["label"],
        sites=tuple(row["sites"]), side=row["side"], status=row["status"], certainty=row["certainty"],
        details=tuple(Detail(**detail) for detail in row["details"]), change=row["change"],
        alternatives=tuple(row["alternatives"]), restricted=row["restricted"], tip=tuple(row["tip"]),
        section=row["section"], both=row["both_sides"], words=frozenset(row["words"]),
    )


def _link(row: Row) -> Link:
    relation = Relation(
        row["relation"], row["anatomy"], row["finding"], row["detail"], row["weight"], tuple(row["proof"]),
        (row["anatomy_depth"], row["finding_depth"]),
    )
    return Link(row["reference"], row["candidate"], relation, row["flow"])


def _correction(row: Row) -> Correction:
    ends = ((row[f"{side}_start"], row[f"{side}_end"]) for side in ("candidate", "reference"))
    spans = tuple(None if start is None else (start, end) for start, end in ends)
    return Correction(
        row["line"], row["action"], row["new_text"], row["severity"], tuple(row["categories"]), row["comment"],
        tuple(row["proof"]), tuple(row["radevalx"]), row["old_text"], (spans[0], spans[1]),
    )
