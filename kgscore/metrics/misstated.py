"""What a report misstates about a finding that it otherwise reports correctly: its number and its certainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.entailment.counts import COUNT, count_findings
from kgscore.matching.details import conflicting
from kgscore.metrics.base import Matched
from kgscore.metrics.comparison import DEGREE, in_certainty
from kgscore.metrics.differences import Difference
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.verdict import Aligned, Error


def miscounted(index: Index, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Difference]:
    """Yield the findings at one place that the reports count differently ("two nodules", "four nodules"), unless the candidate
    has another statement with the right number."""
    for (reference, candidate), (ours, theirs) in _miscounts(index, pair, left, right).items():
        yield Difference(frozenset((DEGREE,)), reference, candidate, f"{ours}, not {theirs}")


def with_miscounts(index: Index, pair: Matched, found: Iterable[Aligned], share: float) -> Iterator[Aligned]:
    """Yield the findings of a verdict, those that are counted differently with a minor error that costs a share of their credit."""
    apart = _miscounts(index, pair, pair.reference.findings, pair.candidate.findings)
    for one in found:
        said = next((words for (i, j), words in apart.items() if i in one.reference and j in one.candidate), None)
        if said is None or one.is_error or any(error.dimension == "severity" for error in one.errors):
            yield one
        else:
            errors = (*one.errors, Error("severity", False, share, f"{said[1]}, not {said[0]}"))
            lost = one.credit * share
            yield replace(one, category="minor", errors=errors, credit=one.credit - lost, cost=one.cost + lost)


def _miscounts(
    index: Index, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the findings that are counted differently, by their positions, with the numbers in words."""
    ours, theirs = count_findings(index, left, pair.reference_text), count_findings(index, right, pair.candidate_text)
    apart, agreed = dict[tuple[int, int], tuple[str, str]](), set[int]()
    for link in pair.links:
        a, b = ours[link.reference], theirs[link.candidate]
        if not (a.asserts and b.asserts) or (a.sites, a.side) != (b.sites, b.side):
            continue
        differing = [(one, other) for one, other in conflicting(a, b) if one.category in (COUNT, "quantity")]
        if differing:
            apart[link.reference, link.candidate] = differing[0][0].text, differing[0][1].text
        elif any(one.category == COUNT for one in a.details):
            agreed.add(link.reference)
    return {ends: words for ends, words in apart.items() if ends[0] not in agreed}


def hedged(pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Difference]:
    """Yield the findings that one report states as certain and the other only as probable or possible."""
    for link in pair.links:
        a, b = left[link.reference], right[link.candidate]
        if a.asserts and b.asserts and a.certainty != b.certainty and "definite" in (a.certainty, b.certainty):
            category, why = in_certainty(a, b)
            yield Difference(frozenset((category,)), link.reference, link.candidate, why)
