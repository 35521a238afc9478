"""Statements without a match in the other report that it nevertheless states in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgscore.clinical.compare import Comparer
from kgscore.clinical.details import readings_of
from kgscore.matching.relatedness import same_length
from kgscore.model import Finding


@dataclass(frozen=True, slots=True)
class Stated:
    """One assertion of a report: the most specific finding, with the details that others add, and the positions of all."""

    finding: Finding
    members: tuple[int, ...]


class Reworded:
    """Determines which statements of one report (`own`) are only reworded in the other: in its statements (`others`) or in some
    of its `findings`. `said` are the statements that the other report has without a conflict."""

    def __init__(
        self, comparer: Comparer, own: Sequence[Stated], others: Sequence[Stated], findings: Sequence[Finding], said: set[int]
    ) -> None:
        self.comparer, self.own, self.others, self.said = comparer, own, others, said
        self.absorbed = list(_merged_findings(others, findings))

    def of(self, lone: set[int]) -> set[int]:
        """Return the unmatched statements that are only reworded."""
        return {number for number in lone if self._is_stated(number, lone)}

    def _is_stated(self, number: int, lone: set[int]) -> bool:
        """Whether the other report implies a statement, or has the same lesion by its size."""
        finding = self.own[number].finding
        return (
            any(self._finding_implies(other.finding, finding) for other in self.others)
            or (not self._recurs(finding, lone) and any(self._is_one_lesion(finding, one.finding) for one in self.others))
            or self._shares_words(finding)
            or self._is_in_merged(finding)
        )

    def _finding_implies(self, other: Finding, finding: Finding) -> bool:
        """Whether a finding of the other report implies one, has it as a detail, or is the one that it is a mere sign of."""
        comparer = self.comparer
        sign = comparer.signs.appears(finding) or comparer.signs.empty(finding)
        return (
            (not readings_of(finding) and comparer.kinship.implies(other, finding))
            or comparer.offers(other, finding)
            or comparer.signs.told_of(finding, other)
            or (sign and comparer.signs.sign_of(finding, other))
        )

    def _is_one_lesion(self, finding: Finding, other: Finding) -> bool:
        """Whether a finding is one of the other report by its size, and described without a conflict."""
        comparer = self.comparer
        if not comparer.one_lesion(finding, other):
            return False
        comparison = comparer.between(other, finding, (comparer.number(other), comparer.number(finding)))
        return comparison is None or comparison.open

    def _recurs(self, finding: Finding, lone: set[int]) -> bool:
        """Whether the report has the same finding of the same size at another place, matched: then there are several."""
        return any(
            number not in lone and other.finding.concept == finding.concept and same_length(other.finding, finding)
            for number, other in enumerate(self.own)
        )

    def _shares_words(self, finding: Finding) -> bool:
        """Whether a finding was read from the words of another one that the other report has and that matters as much."""
        severity = self.comparer.index.severity
        return any(
            severity(other.concept) >= severity(finding.concept)
            and other.concept != finding.concept
            and other.start < finding.end
            and finding.start < other.end
            for other in (self.own[number].finding for number in self.said)
        )

    def _is_in_merged(self, finding: Finding) -> bool:
        """Whether the other report states a finding in a statement merged into a fuller one ("consolidation in both lungs … the
        consolidation in the right lower lobe")."""
        comparer, number = self.comparer, self.comparer.number(finding)
        said = (other for other in self.absorbed if not comparer.broader(other, finding))
        found = (comparer.between(other, finding, (comparer.number(other), number)) for other in said)
        return any(comparison is not None and comparison.open for comparison in found)


def _merged_findings(statements: Sequence[Stated], findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings of a report that were merged into a fuller statement."""
    heads = {(one.finding.start, one.finding.concept, one.finding.sites, one.finding.side) for one in statements}
    members = (findings[number] for one in statements for number in one.members if len(one.members) > 1)
    yield from (one for one in members if (one.start, one.concept, one.sites, one.side) not in heads)
