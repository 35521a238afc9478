"""The shape of what the commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgscore.model import Contradiction, Entailment, Finding, Reading, Relation

if TYPE_CHECKING:
    from kgscore.metrics.base import Corrected


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as `kgscore read` prints it."""
    return {
        "text": finding.text, "start": finding.start, "end": finding.end, "concept": finding.concept,
        "label": finding.label, "sites": list(finding.sites), "side": finding.side, "status": finding.status,
        "certainty": finding.certainty, "details": [detail.text for detail in finding.details], "change": finding.change,
    }


def reading_json(id: str, reading: Reading) -> dict[str, Any]:
    """Return a reading as `kgscore read` prints it."""
    return {
        "id": id,
        "findings": [finding_json(finding) for finding in reading.findings],
        "entities": [
            {"text": entity.text, "start": entity.start, "end": entity.end, "type": entity.type, "concept": entity.concept}
            for entity in reading.entities
        ],
        "relations": [{"source": link.source, "target": link.target, "type": link.type} for link in reading.relations],
        "unlinked": [{"text": words.text, "start": words.start, "end": words.end} for words in reading.unlinked],
    }


def relation_json(id: str, relation: Relation) -> dict[str, Any]:
    """Return a relation as `kgscore relate` prints it."""
    return {
        "id": id, "relation": relation.relation, "anatomy": relation.anatomy, "finding": relation.finding,
        "detail": relation.detail, "weight": relation.weight, "proof": list(relation.proof),
    }


def entailment_json(id: str, report: str, entailment: Entailment) -> dict[str, Any]:
    """Return an entailment as `kgscore entails` prints it."""
    by = [{"start": start, "end": end, "text": report[start:end]} for start, end in entailment.by]
    return {"id": id, "verdict": entailment.verdict, "by": by, "proof": list(entailment.proof)}


def contradiction_json(report: str, found: Contradiction) -> dict[str, Any]:
    """Return a contradiction as `kgscore consistency` prints it."""
    spans = {
        name: {"start": start, "end": end, "text": report[start:end]}
        for name, (start, end) in (("first", found.first), ("second", found.second))
    }
    return {**spans, "proof": list(found.proof)}


def corrected_json(result: Corrected) -> dict[str, Any]:
    """Return the corrections of a pair as `kgscore correct` prints them."""
    score = result.score
    return {
        "id": result.id, "status": result.status,
        "corrections": [
            {
                "line": one.line, "action": one.action, "old_text": one.old_text, "new_text": one.new_text,
                "severity": one.severity, "categories": list(one.categories), "comment": one.comment, "proof": list(one.proof),
                "radevalx": {"categories": list(one.radevalx), "significant": one.significant},
            }
            for one in result.corrections
        ],
        "score": None if score is None else score.value,
        "max_severity": None if score is None else int(score.parts["max_severity"]),
        "reason": result.reason,
    }  # fmt: skip
