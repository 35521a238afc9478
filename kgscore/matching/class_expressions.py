"""Findings as class expressions: the classes and descriptors of a finding, whether a noun or an adjective states them.

"Hypodense nodule" and "nodular hypodensity" are both a nodule and a hypodensity, with the same descriptors: two findings are
compared by their class expressions, not by the word that was read as the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kgscore.caches import MemoizedDict
from kgscore.model import Finding
from kgscore.ontology.index import Index, shared

# Details whose value is another class of the finding ("calcified", "aneurysmal" before a noun).
_NATURE = "nature"
_NONE: frozenset[str] = frozenset()


class ClassExpression(NamedTuple):
    """The classes of a finding at its sites, given its details, and all descriptors that follow from them."""

    classes: frozenset[str]
    shown: frozenset[str]


class ClassExpressions:
    """Unfolds findings into class expressions by the definitions of an index; results are cached."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._known = MemoizedDict(self._unfold)
        # Only these descriptors define subclasses of a finding.
        self._telling = frozenset(index.differentiae)
        # Circumscribed classes: several instances may exist beside each other.
        self.circumscribed = index.flagged("lesions") | index.flagged("lumps")

    def __call__(self, finding: Finding) -> ClassExpression:
        """Return the class expression of a finding; empty if no concept covers it."""
        if finding.concept is None:
            return ClassExpression(_NONE, _NONE)
        values = tuple(sorted(finding.values(_NATURE) | finding.values() & self._telling)) if finding.details else ()
        return self._known[finding.concept, finding.genus, finding.sites, values]

    def descriptors(self, finding: Finding) -> frozenset[str]:
        """Return the descriptors of a finding: the values of its details, and what its classes show."""
        return self(finding).shown | finding.values()

    def following(self, finding: Finding) -> Iterator[tuple[str, str, frozenset[str]]]:
        """Yield the implications of a finding: the implying class, the implied class, and the classes that this belongs to there.

        The implied class of a circumscribed finding is independent of its site: a calcification is hyperdense, and in a sulcus
        no bleeding.
        """
        index = self.index
        for name in sorted(self(finding).classes & index.implied.keys()):
            for implied in index.implied[name]:
                classes = index.ancestors[implied] if name in self.circumscribed else index.derived(implied, finding.sites)
                yield name, implied, classes

    def _unfold(self, said: tuple[str, str | None, tuple[str, ...], tuple[str, ...]]) -> ClassExpression:
        (concept, genus, sites, values), index = said, self.index
        natures = (value for value in values if value in index.concepts and index.is_a(value, index.role("any_abnormality")))
        told = tuple(value for value in values if value in self._telling)
        classes = _NONE.union(*(index.derived(name, sites, told) for name in (concept, genus, *natures)))
        return ClassExpression(classes, index.shown(classes))


class_expressions_of = shared(ClassExpressions)
