"""What a report misstates about a finding that it otherwise reports correctly: its number and its certainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.entailment.wording import COUNT, count_findings
from kgscore.matching.details import conflicting
from kgscore.metrics.base import Matched
from kgscore.metrics.comparison import DEGREE, in_certainty
from kgscore.metrics.differences import Difference
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.verdict import Aligned, Error


def miscounted(
    index: Index, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the findings at one place that the reports count differently, by their positions, with both numbers in words, unless
    the candidate has another statement with the right number."""
    ours, theirs = count_findings(index, left, pair.reference_text), count_findings(index, right, pair.candidate_text)
    apart, agreed = dict[tuple[int, int], tuple[str, str]](), set[int]()
    for link in pair.links:
        a, b = ours[link.reference], theirs[link.candidate]
        if not (a.asserts and b.asserts) or a.place != b.place:
            continue
        differing = [(one, other) for one, other in conflicting(a, b) if one.category in (COUNT, "quantity")]
        if differing:
            apart[link.reference, link.candidate] = differing[0][0].text, differing[0][1].text
        elif any(one.category == COUNT for one in a.details):
            agreed.add(link.reference)
    return {ends: words for ends, words in apart.items() if ends[0] not in agreed}


def with_miscounts(index: Index, pair: Matched, found: Iterable[Aligned], share: float) -> Iterator[Aligned]:
    """Yield the findings of a verdict; another number is a minor error that costs a share of their credit."""
    apart = miscounted(index, pair, pair.reference.findings, pair.candidate.findings)
    for one in found:
        said = next((words for (i, j), words in apart.items() if i in one.reference and j in one.candidate), None)
        if said and not (one.is_error or any(error.dimension == "severity" for error in one.errors)):
            errors, lost = (*one.errors, Error("severity", False, share, f"{said[1]}, not {said[0]}")), one.credit * share
            one = replace(one, category="minor", errors=errors, credit=one.credit - lost, cost=one.cost + lost)
        yield one


def misstated(index: Index, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Difference]:
    """Yield the differences in number, and in certainty where one of the reports is certain, and neither has it elsewhere as the
    other does."""
    for (i, j), (ours, theirs) in miscounted(index, pair, left, right).items():
        yield Difference(frozenset((DEGREE,)), i, j, f"{ours}, not {theirs}")
    apart = [link for link in pair.links if left[link.reference].certainty != right[link.candidate].certainty]
    agreed = [link for link in pair.links if link not in apart]
    for link in apart:
        a, b = left[link.reference], right[link.candidate]
        told = any(link.reference == one.reference or link.candidate == one.candidate for one in agreed)
        if a.asserts and b.asserts and "definite" in (a.certainty, b.certainty) and not told:
            category, why = in_certainty(a, b)
            yield Difference(frozenset((category,)), link.reference, link.candidate, why)
