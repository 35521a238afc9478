"""A case as plain values for a page: the two reports with their findings, verdicts, proofs, costs and corrections.

The same values stand in the HTML file and come from the explorer's API.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kgscore.model import Contribution, Correction, Finding, Link, PairResult, Reading, Score
from kgscore.report.sums import sum_lines
from kgscore.report.words import Label, agreement, describe

_EPSILON = 1e-9
Severity = Callable[[str | None], int]
_Amounts = tuple[float, float] | None


def verdicts(result: PairResult) -> dict[tuple[str, int], str]:
    """Return what became of each finding, by report and number, as the run's view `finding_outcomes` tells it: "agreed" or
    "partial" by the best of its links; without a link "contradicted", else "missed" or "invented"."""
    found: dict[tuple[str, int], str] = {("reference", number): "missed" for number in result.unmatched_reference}
    found |= {("candidate", number): "invented" for number in result.unmatched_candidate}
    for link in result.contradictions:
        found["reference", link.reference] = found["candidate", link.candidate] = "contradicted"
    best: dict[tuple[str, int], float] = {}
    for link in result.links:
        for key in (("reference", link.reference), ("candidate", link.candidate)):
            best[key] = max(link.relation.weight, best.get(key, 0.0))
    return found | {key: "agreed" if weight >= 1 else "partial" for key, weight in best.items()}


def case_view(
    result: PairResult,
    label: Label,
    severity: Severity,
    *,
    reference: str,
    candidate: str,
    position: int = 0,
    corrections: Sequence[Correction] = (),
) -> dict[str, Any]:
    """Return one case as values that JSON can hold. Offsets are code points of the reports as given.

    `label` and `severity` tell of a concept; credits and costs of findings and matches are those of the first metric of
    which the result holds contributions.
    """
    became, made_of = verdicts(result), result.contributions
    priced = next((name for name in result.scores if made_of.get(name)), "")
    prices = _Prices(made_of.get(priced, ()))
    matches = [_match(link, _verdict(link), result, prices) for link in result.links]
    matches += [_match(link, "contradicted", result, prices) for link in result.contradictions]
    return {
        "position": position,
        "id": result.id,
        "status": result.status,
        "reason": result.reason,
        "priced": priced,
        "scores": [_score(score, made_of.get(name, ())) for name, score in result.scores.items()],
        "reference": _report("reference", reference, result.reference, became, prices, label, severity),
        "candidate": _report("candidate", candidate, result.candidate, became, prices, label, severity),
        "matches": matches,
        "corrections": [_correction(one) for one in corrections],
    }


class _Prices:
    """Credits and costs by the places they are about; each is given out once, in its order."""

    def __init__(self, pieces: Sequence[Contribution]) -> None:
        self._by_place: dict[tuple[Any, Any], list[_Amounts]] = defaultdict(list)
        for piece in pieces:
            self._by_place[piece.reference, piece.candidate].append((piece.credit, piece.cost))

    def take(self, reference: Finding | None, candidate: Finding | None) -> _Amounts:
        """Return (credit, cost) of a link (both given) or of a lost finding (one given), or None where nothing is counted."""
        key = tuple((one.start, one.end) if one else None for one in (reference, candidate))
        found = self._by_place.get(key)  # type: ignore[arg-type]
        return found.pop(0) if found else None


def _verdict(link: Link) -> str:
    if link.flow <= _EPSILON:
        return "shared"
    return "agreed" if link.relation.weight >= 1 else "partial"


def _match(link: Link, verdict: str, result: PairResult, prices: _Prices) -> dict[str, Any]:
    assert result.reference is not None
    assert result.candidate is not None
    amounts = None
    if verdict != "contradicted":
        amounts = prices.take(result.reference.findings[link.reference], result.candidate.findings[link.candidate])
    return {
        "verdict": verdict,
        "reference": link.reference,
        "candidate": link.candidate,
        "relation": link.relation.relation,
        "words": agreement(link.relation),
        "weight": link.relation.weight,
        "flow": link.flow,
        "credit": amounts[0] if amounts else None,
        "cost": amounts[1] if amounts else None,
        "proof": _said(link.relation.proof),
    }


def _report(
    name: str, text: str, reading: Reading | None, became: Mapping[tuple[str, int], str], prices: _Prices, label: Label,
    severity: Severity,
) -> dict[str, Any]:
    findings = []
    for number, finding in enumerate(reading.findings if reading else ()):
        verdict = became[name, number]
        lost = verdict in ("contradicted", "missed", "invented")
        amounts = prices.take(*((finding, None) if name == "reference" else (None, finding))) if lost else None
        findings.append(
            {
                "text": " ".join(finding.text.split()), "start": finding.start, "end": finding.end, "concept": finding.concept,
                "label": finding.label, "status": finding.status, "says": describe(finding, label), "verdict": verdict,
                "severity": severity(finding.concept), "cost": amounts[1] if amounts else None,
            }
        )  # fmt: skip
    unlinked = [[words.start, words.end] for words in reading.unlinked] if reading else []
    return {"text": text, "read": reading is not None, "findings": findings, "unlinked": unlinked}


def _score(score: Score, made_of: Sequence[Contribution]) -> dict[str, Any]:
    return {
        "metric": score.metric,
        "status": score.status,
        "value": score.value,
        "reason": score.reason,
        "lines": [] if score.value is None else sum_lines(score),
        "pieces": [
            {
                "kind": piece.kind, "what": " ".join(piece.what.split()), "reference": _span(piece.reference),
                "candidate": _span(piece.candidate), "credit": piece.credit, "cost": piece.cost, "because": _said(piece.because),
            }
            for piece in made_of
        ],
    }  # fmt: skip


def _correction(one: Correction) -> dict[str, Any]:
    return {
        "action": one.action, "line": one.line, "old_text": one.old_text, "new_text": one.new_text, "severity": one.severity,
        "comment": one.comment, "proof": _said(one.proof), "candidate": _span(one.spans[0]), "reference": _span(one.spans[1]),
    }  # fmt: skip


def _span(span: tuple[int, int] | None) -> list[int] | None:
    return list(span) if span else None


def _said(steps: Sequence[str]) -> list[str]:
    return [step for step in steps if step]
