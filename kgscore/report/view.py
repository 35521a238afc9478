"""A case as plain values for a page: the two reports with their findings, verdicts, proofs, costs and corrections.

The same values are in the HTML file and in the explorer's API.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from kgscore.model import FORMER_OUTCOMES, Contribution, Correction, Finding, Link, PairResult, Reading, Score, clash_outcome
from kgscore.report.breakdown import breakdown_lines
from kgscore.report.items import KINDS
from kgscore.report.words import Label, agreement, finding_name, place_text
from kgscore.results.cases import LOST, Item

_EPSILON = 1e-9
_ORDER = (*KINDS, "shared")
Severity = Callable[[str | None], int]
_Amounts = tuple[float | None, float | None]


def verdicts(result: PairResult) -> dict[tuple[str, int], str]:
    """Return the outcome of each finding in the matching, by report and number, as in the run's view `finding_outcomes`:
    "correct" or "minor" by the best of its links; without a link by its contradiction, else "missed" or "invented"."""
    found: dict[tuple[str, int], str] = {("reference", number): "missed" for number in result.unmatched_reference}
    found |= {("candidate", number): "invented" for number in result.unmatched_candidate}
    for link in result.contradictions:
        found["reference", link.reference] = found["candidate", link.candidate] = _contradiction_outcome(result, link)
    best: dict[tuple[str, int], float] = {}
    for link in result.links:
        for key in (("reference", link.reference), ("candidate", link.candidate)):
            best[key] = max(link.relation.weight, best.get(key, 0.0))
    return found | {key: "correct" if weight >= 1 else "minor" for key, weight in best.items()}


def _contradiction_outcome(result: PairResult, link: Link) -> str:
    reference, candidate = result.findings
    return clash_outcome(reference[link.reference], candidate[link.candidate])


def case_view(
    result: PairResult, label: Label, severity: Severity, *, reference: str, candidate: str, position: int = 0,
    corrections: Sequence[Correction] = (),
) -> dict[str, Any]:
    """Return one case as JSON values. Offsets are code points in the original reports.

    `items` are the outcomes of the findings, the most severe first: those of the clinical verdict if there is one, and of
    the matching for the rest. `label` and `severity` look up a concept; costs and credits are those of the first metric with
    contributions in the result, or of `clinical` for the items of its verdict.
    """
    became, made_of = verdicts(result), result.contributions
    priced = next(filter(made_of.get, result.scores), "")
    reports = {
        name: _report(name, text, reading, became, label, severity)
        for name, text, reading in (("reference", reference, result.reference), ("candidate", candidate, result.candidate))
    }
    judged = sorted(_verdict_items(result), key=_order)
    _mark(reports, judged)
    items = sorted((*judged, *_match_items(result, became, reports, _Prices(made_of.get(priced, ())))), key=_order)
    return {
        "position": position, "id": result.id, "status": result.status, "reason": result.reason,
        "verdict": result.verdict.sentence if result.verdict else "", "priced": "clinical" if result.verdict else priced,
        # The items show the contributions to `clinical`.
        "scores": [_score(score, made_of.get(name, ()) if name != "clinical" else ()) for name, score in result.scores.items()],
        **reports, "items": items, "corrections": [_correction(one) for one in corrections],
    }  # fmt: skip


def _verdict_items(result: PairResult) -> list[dict[str, Any]]:
    """Return the items of the clinical verdict, with the amounts of its contributions, which are in the same order."""
    found = result.verdict.findings if result.verdict else ()
    amounts = [(piece.credit, piece.cost) for piece in result.contributions.get("clinical", ())]
    return [
        _item(
            one.category, one.tier, (one.reference, one.candidate), amounts[at] if amounts else (None, None), one.what, at,
            proof=one.because, errors=[[error.dimension, error.major, error.because] for error in one.errors],
        )
        for at, one in enumerate(found)
    ]  # fmt: skip


def _item(
    kind: str, tier: int, numbers: tuple[Sequence[int], Sequence[int]], amounts: _Amounts, what: str = "",
    number: int | None = None, *, denial: bool = False, words: str = "", proof: Sequence[str] = (), errors: Sequence[object] = (),
) -> dict[str, Any]:
    """Return the outcome of findings, by their numbers in both reports; those of a verdict have their `number` in it."""
    return {
        "kind": kind, "denial": denial, "tier": tier, "reference": list(numbers[0]), "candidate": list(numbers[1]),
        "what": what, "number": number, "words": words, "errors": errors, "credit": amounts[0], "cost": amounts[1],
        "proof": _lines(proof),
    }  # fmt: skip


def _match_items(
    result: PairResult, became: Mapping[tuple[str, int], str], reports: Mapping[str, dict[str, Any]], prices: _Prices
) -> list[dict[str, Any]]:
    """Return an item for each link, contradiction and other finding; with a verdict, only for negations that it lacks."""
    items = [_pair(link, _link_outcome(link), result, prices, reports) for link in result.links]
    items += (_pair(link, _contradiction_outcome(result, link), result, prices, reports) for link in result.contradictions)
    told = set().union(*(_places_of(item, reports) for item in items))
    lost = (key for key in became if became[key] in ("missed", "invented") and key not in told)
    items += [_lost_item(*key, result, prices, reports) for key in lost]
    if not result.verdict:
        return items
    judged = {(name, at) for one in result.verdict.findings for name in reports for at in getattr(one, name)}
    return [item for item in items if item["denial"] and judged.isdisjoint(_places_of(item, reports))]


def _places_of(item: Mapping[str, Any], reports: Iterable[str]) -> set[tuple[str, int]]:
    return {(name, at) for name in reports for at in item[name]}


def _mark(reports: Mapping[str, dict[str, Any]], items: Sequence[Mapping[str, Any]]) -> None:
    """Set the outcome and tier of each finding, by the most severe of these items that contains it; other findings keep
    those of the matching and the ontology, as does the tier of a negation."""
    for name, report in reports.items():
        for item in reversed(items):
            for number in item[name]:
                finding = report["findings"][number]
                finding |= {"kind": item["kind"]} | ({} if finding["denial"] else {"tier": item["tier"]})


class _Prices:
    """Credits and costs by the places they refer to; each is returned once, in order."""

    def __init__(self, pieces: Sequence[Contribution]) -> None:
        self._by_place: dict[tuple[Any, Any], list[_Amounts]] = defaultdict(list)
        for piece in pieces:
            self._by_place[piece.reference, piece.candidate].append((piece.credit, piece.cost))

    def take(self, reference: Finding | None, candidate: Finding | None) -> _Amounts:
        """Return (credit, cost) of a link (both given) or of an unmatched finding (one given), None if nothing is counted."""
        key = _offsets(reference), _offsets(candidate)
        return self._by_place[key].pop(0) if self._by_place.get(key) else (None, None)


def _offsets(finding: Finding | None) -> tuple[int, int] | None:
    return None if finding is None else (finding.start, finding.end)


def _link_outcome(link: Link) -> str:
    if link.flow <= _EPSILON:
        return "shared"
    return "correct" if link.relation.weight >= 1 else "minor"


def _pair(link: Link, kind: str, result: PairResult, prices: _Prices, reports: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    reference, candidate = result.findings
    pair = reference[link.reference], candidate[link.candidate]
    if kind in LOST:
        costs = [cost for _, cost in (prices.take(pair[0], None), prices.take(None, pair[1])) if cost is not None]
        amounts: _Amounts = (0.0, fsum(costs)) if costs else (None, None)
    else:
        amounts = prices.take(*pair)
    shown = reports["reference"]["findings"][link.reference], reports["candidate"]["findings"][link.candidate]
    tiers = [one["tier"] for one in shown if not one["denial"]]
    return _item(
        kind, max(tiers or [one["tier"] for one in shown]), ([link.reference], [link.candidate]), amounts, denial=not tiers,
        words=agreement(link.relation), proof=link.relation.proof,
    )


def _lost_item(
    name: str, number: int, result: PairResult, prices: _Prices, reports: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    shown, missed = reports[name]["findings"][number], name == "reference"
    finding = result.findings[0 if missed else 1][number]
    _, cost = prices.take(finding, None) if missed else prices.take(None, finding)
    kind, numbers = ("missed", ([number], ())) if missed else ("invented", ((), [number]))
    return _item(kind, shown["tier"], numbers, (None, cost), denial=shown["denial"])


def _order(item: Mapping[str, Any]) -> tuple[int, int, list[int], list[int]]:
    grave = Item(item["kind"], "", item["tier"], item["denial"]).grave
    return -grave, _ORDER.index(item["kind"]), item["reference"], item["candidate"]


def _report(
    name: str, text: str, reading: Reading | None, became: Mapping[tuple[str, int], str], label: Label, severity: Severity
) -> dict[str, Any]:
    findings = [
        {
            "start": finding.start, "end": finding.end, "concept": finding.concept, "name": finding_name(finding, label),
            "where": place_text(finding, label), "denial": not finding.asserts, "kind": became[name, number],
            "tier": severity(finding.concept),
        }
        for number, finding in enumerate(reading.findings if reading else ())
    ]  # fmt: skip
    unlinked = [[words.start, words.end] for words in reading.unlinked] if reading else []
    return {"text": text, "read": reading is not None, "findings": findings, "unlinked": unlinked}


def _score(score: Score, made_of: Sequence[Contribution]) -> dict[str, Any]:
    pieces = [
        {
            "kind": FORMER_OUTCOMES.get(piece.kind, piece.kind), "what": " ".join(piece.what.split()),
            "reference": _span(piece.reference), "candidate": _span(piece.candidate), "credit": piece.credit, "cost": piece.cost,
            "because": _lines(piece.because),
        }
        for piece in sorted(made_of, key=lambda piece: (-piece.cost, -piece.credit))
    ]  # fmt: skip
    return {
        "metric": score.metric, "status": score.status, "value": score.value, "reason": score.reason,
        "lines": [] if score.value is None else breakdown_lines(score), "pieces": pieces,
    }  # fmt: skip


def _correction(one: Correction) -> dict[str, Any]:
    return {
        "action": one.action, "line": one.line, "old_text": one.old_text, "new_text": one.new_text, "severity": one.severity,
        "comment": one.comment, "proof": _lines(one.proof), "candidate": _span(one.spans[0]), "reference": _span(one.spans[1]),
    }  # fmt: skip


def _span(span: tuple[int, int] | None) -> list[int] | None:
    return list(span) if span else None


def _lines(steps: Sequence[str]) -> list[str]:
    return [step for step in steps if step]
