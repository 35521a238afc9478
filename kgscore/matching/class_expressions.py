"""Findings as class expressions: what a finding belongs to and what it shows, whether a noun or an adjective says it.

"Hypodense nodule" and "nodular hypodensity" are both a nodule and a hypodensity, and both show what these show: two findings are
compared on what they unfold to, not on the words of which one was chosen for the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kgscore.caches import BoundedDict
from kgscore.model import Finding
from kgscore.ontology.index import Index

# Details whose value is a class of finding that the finding is as well ("calcified", "aneurysmal" before a noun).
_NATURE = "nature"
_NONE: frozenset[str] = frozenset()


class ClassExpression(NamedTuple):
    """The classes that a finding belongs to at its sites, with what it is said to show, and all descriptors that follow."""

    classes: frozenset[str]
    shown: frozenset[str]


class ClassExpressions:
    """Unfolds findings by the definitions of an index, and remembers what it found."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._known: dict[tuple[object, ...], ClassExpression] = BoundedDict()
        # Only these descriptors make another class of a finding.
        self._telling = frozenset(index.differentiae)
        # Classes of what has a place of its own, of which there may be another one beside it.
        self.circumscribed = index.flagged("lesions") | index.flagged("lumps")

    def __call__(self, finding: Finding) -> ClassExpression:
        """Return what a finding unfolds to; nothing for one that no concept covers."""
        if finding.concept is None:
            return ClassExpression(_NONE, _NONE)
        values = tuple(sorted({d.value for d in finding.details if d.category == _NATURE or d.value in self._telling}))
        key = (finding.concept, finding.genus, finding.sites, values)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._unfold(finding.concept, finding.genus, finding.sites, values)
        return found

    def following(self, finding: Finding) -> Iterator[tuple[str, str, frozenset[str]]]:
        """Yield what follows from a finding: the class that implies, what it implies, and the classes that this belongs to there.

        What a circumscribed thing implies is of its kind only: a calcification is hyperdense, and in a sulcus no bleeding.
        """
        index = self.index
        for name in sorted(self(finding).classes & index.implied.keys()):
            for implied in index.implied[name]:
                classes = index.ancestors[implied] if name in self.circumscribed else index.derived(implied, finding.sites)
                yield name, implied, classes

    def _unfold(self, concept: str, genus: str | None, sites: tuple[str, ...], values: tuple[str, ...]) -> ClassExpression:
        index = self.index
        natures = [value for value in values if value in index.concepts and index.is_a(value, index.role("any_abnormality"))]
        told = tuple(value for value in values if value in self._telling)
        classes = index.derived(concept, sites, told)
        if genus is not None:
            classes |= index.derived(genus, sites, told)
        for nature in natures:
            classes |= index.derived(nature, sites, told)
        return ClassExpression(classes, index.shown(classes))


def class_expressions_of(index: Index) -> ClassExpressions:
    """Return the unfolding of an ontology, one object for all who compare by it."""
    return index.once(ClassExpressions, lambda: ClassExpressions(index))
