"""The JSON output of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgscore.model import Contradiction, Entailment, Finding, Reading, Relation, as_plain

if TYPE_CHECKING:
    from kgscore.metrics.base import Corrected


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as `kgscore read` prints it."""
    names = ("text", "start", "end", "concept", "label", "sites", "side", "status", "certainty", "details", "change")
    return _fields(finding, *names) | {"details": [detail.text for detail in finding.details]}


def reading_json(id: str, reading: Reading) -> dict[str, Any]:
    """Return a reading as `kgscore read` prints it."""
    made = {name: [as_plain(one) for one in getattr(reading, name)] for name in ("entities", "relations", "unlinked")}
    return {"id": id, "findings": [finding_json(finding) for finding in reading.findings], **made}


def relation_json(id: str, relation: Relation) -> dict[str, Any]:
    """Return a relation as `kgscore relate` prints it."""
    return {"id": id, **_fields(relation, "relation", "anatomy", "finding", "detail", "weight", "proof")}


def entailment_json(id: str, report: str, entailment: Entailment) -> dict[str, Any]:
    """Return an entailment as `kgscore entails` prints it."""
    by = [_span(report, span) for span in entailment.by]
    return {"id": id, "verdict": entailment.verdict, "by": by, "proof": list(entailment.proof)}


def contradiction_json(report: str, found: Contradiction) -> dict[str, Any]:
    """Return a contradiction as `kgscore consistency` prints it."""
    return {"first": _span(report, found.first), "second": _span(report, found.second), "proof": list(found.proof)}


def corrections_json(result: Corrected) -> dict[str, Any]:
    """Return the corrections of a pair as `kgscore correct` prints them."""
    names = ("line", "action", "old_text", "new_text", "severity", "categories", "comment", "proof")
    corrections = [
        _fields(one, *names) | {"radevalx": {"categories": list(one.radevalx), "significant": one.significant}}
        for one in result.corrections
    ]
    value, most = (result.score.value, int(result.score.parts["max_severity"])) if result.score else (None, None)
    found = {"id": result.id, "status": result.status, "corrections": corrections}
    return found | {"score": value, "max_severity": most, "reason": result.reason}


def _fields(value: object, *names: str) -> dict[str, Any]:
    plain = as_plain(value)
    return {name: plain[name] for name in names}


def _span(report: str, span: tuple[int, int]) -> dict[str, Any]:
    start, end = span
    return {"start": start, "end": end, "text": report[start:end]}
