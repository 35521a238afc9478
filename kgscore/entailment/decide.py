"""Decides whether a report entails or contradicts a statement, or is neutral."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from kgscore.entailment.cases.assertions import REST, cases_of_assertion
from kgscore.entailment.cases.denials import denial_verdict
from kgscore.entailment.cases.places import by_only_or_largest
from kgscore.entailment.cases.report import NEUTRAL, Report, first_verdict
from kgscore.entailment.statement_cues import StatementCues, is_supported, sentence_at, statement_cues
from kgscore.entailment.wording import (
    count_findings,
    partly_seen,
    with_alternatives,
    with_named_devices,
    with_named_side,
    with_side_of_report,
)
from kgscore.matching.relation import Relator
from kgscore.matching.residues import find_reversal, modifiers
from kgscore.matching.statements import findings_of_wholes
from kgscore.model import OTHER_SIDE, Change, Entailment, Finding
from kgscore.ontology.index import Index

_OTHER_WAY: Mapping[str, Change] = {"increased": "decreased", "decreased": "increased"}


def entailment(
    relator: Relator,
    report: Sequence[Finding],
    statement: Sequence[Finding],
    words: str = "",
    source: str = "",
    residue: Sequence[str] = (),
) -> Entailment:
    """Return the verdict on a statement: entailed if all its findings are, contradicted if any of them is, else neutral.

    An asserted finding is entailed by a narrower assertion that shows its qualities, a denied one by a broader denial. An
    assertion overrides a broader denial in the same report; a denial of the remainder ("otherwise clear", "no other fracture")
    covers only what no assertion of the report is related to. If the `words` of the statement only give the side of something
    already mentioned, it is contradicted if the report has that only on the other side. A cause that is not a finding must be
    named in the text of the report, its `source`; so must evidence such as histology, and the `residue`: words of the statement
    that no concept covers.
    """
    index, cues = relator.index, statement_cues(words)
    report = with_alternatives(count_findings(index, with_named_side(index, report, source), source), source)
    report = [f for f in with_named_devices(index, report, report) if not partly_seen(f, source, words)]
    statement = _in_context(index, statement, words, cues, report)
    said = Report(relator, _mark_bilateral([*report, *findings_of_wholes(index, report)]))
    statement = [part for one in statement for part in said.parted(one)]
    verdicts = [_verdict(said, cues, wanted) for wanted in _mark_bilateral(statement)]
    if not cues.each and NEUTRAL in verdicts:
        verdicts = _regardless_of_side(relator, report, statement, verdicts)
    verdicts += filter(None, (by_only_or_largest(said, cues, wanted) for wanted in statement))
    if contradicted := next((one for one in verdicts if one.verdict == "contradicted"), None):
        return contradicted
    if not verdicts or NEUTRAL in verdicts or not is_supported(statement, words, source):
        return NEUTRAL
    return _by_wording(_join_verdicts("entailed", verdicts), words, source, residue)


def _in_context(
    index: Index, statement: Sequence[Finding], words: str, cues: StatementCues, report: Sequence[Finding]
) -> Sequence[Finding]:
    """Return the findings of a statement with what its words and the report add: counts, named devices, the examined side."""
    statement = with_named_devices(index, count_findings(index, statement, words), report)
    if not cues.each:
        statement = with_side_of_report(index, statement, report)
    if cues.suspected:
        statement = [replace(one, certainty="possible") if one.certainty == "probable" else one for one in statement]
    return statement


def _regardless_of_side(
    relator: Relator, report: Sequence[Finding], statement: Sequence[Finding], verdicts: Sequence[Entailment]
) -> list[Entailment]:
    """Return verdicts, the neutral ones replaced by entailments by findings of the report without a side."""
    unsided = Report(relator, [f for f in _mark_bilateral(report) if f.side is None or not f.asserts])
    return [
        other if one == NEUTRAL and (other := _verdict(unsided, statement_cues(""), wanted)).verdict == "entailed" else one
        for one, wanted in zip(verdicts, _without_sides(statement), strict=True)
    ]


def _by_wording(found: Entailment, words: str, source: str, residue: Sequence[str]) -> Entailment:
    """Return an entailment unless the words that no finding covers contradict it, or are missing from the report."""
    if turned := find_reversal(words, *(sentence_at(source, start) for start, _ in found.by)):
        return Entailment("contradicted", found.by, (f"{turned[1]} and {turned[0]} exclude each other",))
    return found if all(word in source.lower() for word in modifiers(residue, words)) else NEUTRAL


def _mark_bilateral(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with bilateral denials marked, however both sides were stated ("neither", "the right and the left")."""
    sides = _sides(f for f in findings if not f.asserts)
    return [replace(f, both=True) if not f.asserts and OTHER_SIDE.keys() <= sides[_key_without_side(f)] else f for f in findings]


def _without_sides(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without a side where the same is asserted on both."""
    sides = _sides(f for f in findings if f.asserts)
    return [replace(f, side=None) if f.asserts and len(sides[_key_without_side(f)]) > 1 else f for f in findings]


def _sides(findings: Iterable[Finding]) -> dict[tuple[object, ...], set[str | None]]:
    """Return the sides on which each finding is stated."""
    sides: dict[tuple[object, ...], set[str | None]] = defaultdict(set)
    for finding in findings:
        sides[_key_without_side(finding)].add(finding.side)
    return sides


def _key_without_side(finding: Finding) -> tuple[object, ...]:
    return (finding.concept, finding.sites, finding.details, finding.change)


def _verdict(report: Report, cues: StatementCues, wanted: Finding) -> Entailment:
    """Return the verdict on one finding; if the statement denies a change in one direction, one in the other entails it too."""
    other = _OTHER_WAY.get(cues.unmoved or "") if wanted.change == "stable" else None
    found = _verdict_as_said(report, cues, replace(wanted, change=other)) if other else NEUTRAL
    return found if found.verdict == "entailed" else _verdict_as_said(report, cues, wanted)


def _verdict_as_said(report: Report, cues: StatementCues, wanted: Finding) -> Entailment:
    """Return the verdict on one finding; one of unstated side is contradicted if both sides are, not only by a remainder."""
    if own := report.of_some(wanted):
        return report.entailment_by(own, wanted)
    if not wanted.asserts:
        return denial_verdict(report, wanted)
    found = first_verdict(cases_of_assertion(report, cues, wanted))
    if found is not NEUTRAL or wanted.side is not None or not report.paired(wanted.sites):
        return found
    sides = [first_verdict(cases_of_assertion(report, cues, replace(wanted, side=side))) for side in ("right", "left")]
    refuted = all(one.verdict == "contradicted" and REST not in one.proof for one in sides)
    return _join_verdicts("contradicted", sides) if refuted else found


def _join_verdicts(verdict: Literal["entailed", "contradicted"], parts: Sequence[Entailment]) -> Entailment:
    """Return a verdict with the spans and proofs of its parts."""
    spans = dict.fromkeys(span for one in parts for span in one.by)
    return Entailment(verdict, tuple(spans), tuple(dict.fromkeys(line for one in parts for line in one.proof)))
