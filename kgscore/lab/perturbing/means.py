"""Resources for changing a report (reader, ontology, words), and the tests that a re-read change must pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.clinical.significance import Significances
from kgscore.lab.perturbing.words import Words
from kgscore.linking.lexicon import Lexicon
from kgscore.matching.denials import denial_of_all
from kgscore.matching.relation import Relator
from kgscore.model import Finding, Reading
from kgscore.ontology.index import Index

Key = tuple[object, ...]
_SAME = ("equivalent", "part_whole")


@dataclass(frozen=True, slots=True)
class Delta:
    """The findings lost and gained in the reading of a changed report."""

    lost: tuple[Finding, ...]
    gained: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Means:
    """Reader, ontology, words and severities, shared by all changes."""

    read: Callable[[str], Reading]
    index: Index
    lexicon: Lexicon
    relator: Relator
    words: Words
    significances: Significances

    @property
    def lists(self) -> Mapping[str, Any]:
        """The lists of `mappings/perturb.yaml`."""
        return self.words.lists

    def key(self, finding: Finding) -> Key:
        """Return the content of a finding, independent of its words."""
        concept = self.index.fold(finding.concept, finding.sites) if finding.concept else finding.label.lower()
        details = frozenset((d.category, d.value) for d in finding.details)
        return (
            concept, frozenset(finding.sites), finding.side, finding.asserts, finding.certainty, details, finding.change,
            frozenset(finding.tip), frozenset(finding.alternatives),
        )  # fmt: skip

    def keys(self, findings: Iterable[Finding]) -> set[Key]:
        """Return the contents of findings."""
        return set(map(self.key, findings))

    def delta(self, before: Sequence[Finding], after: Sequence[Finding]) -> Delta:
        """Return the findings that differ between two readings."""
        had, has = (Counter(map(self.key, side)) for side in (before, after))
        return Delta(tuple(self._not_in(before, has)), tuple(self._not_in(after, had)))

    def _not_in(self, findings: Sequence[Finding], others: Counter[Key]) -> Iterable[Finding]:
        left = Counter(others)
        for finding in findings:
            key = self.key(finding)
            if left[key] > 0:
                left[key] -= 1
            else:
                yield finding

    def same(self, before: Sequence[Finding], text: str) -> bool:
        """Return whether a text has exactly these findings."""
        found = self.delta(before, self.read(text).findings)
        return not found.lost and not found.gained

    def contradict(self, one: Finding, other: Finding) -> bool:
        """Return whether two findings cannot both hold, one of them asserted and the other negated ("the rest is normal" is taken
        literally)."""
        if one.asserts == other.asserts:
            return False
        yes, no = (one, denial_of_all(other)) if one.asserts else (other, denial_of_all(one))
        said = {(d.category, d.value) for d in yes.details}
        whole = (yes.concept, set(yes.sites), yes.side) == (no.concept, set(no.sites), no.side)
        if whole and yes.concept is not None and {(d.category, d.value) for d in no.details} <= said:
            return True  # the negated class includes the asserted one, even an old infarct
        return self.relator.relate(denial_of_all(one), denial_of_all(other)).relation == "contradiction"

    def turned(self, finding: Finding, by: Iterable[Finding]) -> bool:
        """Return whether some finding contradicts this one."""
        return any(self.contradict(finding, other) for other in by)

    def all_turned(self, findings: Iterable[Finding], by: Sequence[Finding]) -> bool:
        """Return whether each of some findings is contradicted."""
        return all(self.turned(finding, by) for finding in findings)

    def agrees(self, finding: Finding, others: Iterable[Finding]) -> bool:
        """Return whether some finding is equivalent, broader or narrower, with the same polarity."""
        return any(o.asserts == finding.asserts and self.relator.relate(finding, o).relation in _SAME for o in others)

    def severity(self, finding: Finding, categories: Sequence[int], other: Finding | None = None) -> int:
        """Return the clinical severity of an error about a finding (FineRadScore, appendix A), 1 to 4."""
        return self.significances.of(finding, categories=categories, other=other).tier
