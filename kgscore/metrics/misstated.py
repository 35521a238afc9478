"""What a report misstates about a finding that it otherwise reports correctly: its number and its certainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscore.entailment.counts import COUNT, count_findings
from kgscore.matching.details import conflicting
from kgscore.metrics.base import Matched
from kgscore.metrics.comparison import DEGREE, in_certainty
from kgscore.metrics.differences import Difference
from kgscore.model import Finding
from kgscore.ontology.index import Index


def miscounted(index: Index, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Difference]:
    """Yield the findings at one place that the reports count differently ("two nodules", "four nodules"), unless the candidate
    has another statement with the right number."""
    ours, theirs = count_findings(index, left, pair.reference_text), count_findings(index, right, pair.candidate_text)
    apart, agreed = dict[tuple[int, int], str](), set[int]()
    for link in pair.links:
        a, b = ours[link.reference], theirs[link.candidate]
        if not (a.asserts and b.asserts) or (a.sites, a.side) != (b.sites, b.side):
            continue
        differing = [(one, other) for one, other in conflicting(a, b) if one.category in (COUNT, "quantity")]
        if differing:
            apart[link.reference, link.candidate] = f"{differing[0][0].text}, not {differing[0][1].text}"
        elif any(one.category == COUNT for one in a.details):
            agreed.add(link.reference)
    for (reference, candidate), text in apart.items():
        if reference not in agreed:
            yield Difference(frozenset((DEGREE,)), reference, candidate, text)


def hedged(pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Difference]:
    """Yield the findings that one report states as certain and the other only as possible."""
    for link in pair.links:
        a, b = left[link.reference], right[link.candidate]
        if a.asserts and b.asserts and {a.certainty, b.certainty} == {"definite", "possible"}:
            category, why = in_certainty(a, b)
            yield Difference(frozenset((category,)), link.reference, link.candidate, why)
