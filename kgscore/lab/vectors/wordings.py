"""The wordings of the ontology as training data: synonyms, negatives, and wordings withheld for evaluation."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgscore.knowledge import Knowledge
from kgscore.linking.suggest import wordings_of
from kgscore.ontology.index import Index

_WITHHELD = 32  # one in so many wordings is withheld


@dataclass(frozen=True, slots=True)
class Wordings:
    """Wordings with the concepts that each may mean: those for training, and those withheld, whose concepts have others."""

    kept: Mapping[str, frozenset[str]]
    withheld: Mapping[str, frozenset[str]]

    def apart(self) -> frozenset[str]:
        """Return the withheld wordings that share no word with any other wording of their concepts."""
        said: dict[str, set[str]] = {}
        for text, concepts in self.kept.items():
            for concept in concepts:
                said.setdefault(concept, set()).update(text.split())
        return frozenset(
            text for text, concepts in self.withheld.items()
            if not any(said[concept] & set(text.split()) for concept in concepts)
        )  # fmt: skip


def wordings(knowledge: Knowledge) -> Wordings:
    """Return the wordings of the ontology; which are withheld depends only on their letters."""
    found = {text: frozenset(one.id for one in entries) for text, entries in wordings_of(knowledge.lexicon).items()}
    chosen = {text for text in found if zlib.crc32(text.encode()) % _WITHHELD == 0}
    others = frozenset(concept for text, concepts in found.items() if text not in chosen for concept in concepts)
    withheld = {text: found[text] for text in chosen if found[text] <= others}
    return Wordings({text: ids for text, ids in found.items() if text not in withheld}, dict(sorted(withheld.items())))


def near_kin(index: Index, concepts: Sequence[str]) -> dict[str, list[str]]:
    """Return for each concept its opposites, its siblings, and itself."""
    below: dict[str, set[str]] = {}
    for one in concepts:
        for above in _parents(index, one):
            below.setdefault(above, set()).add(one)
    known = set(concepts)
    kin = {}
    for one in concepts:
        near = {other for above in _parents(index, one) for other in below[above]}
        kin[one] = sorted((near | known.intersection(index.opposites.get(one, ()))) - {one})
    return kin


def _parents(index: Index, concept: str) -> tuple[str, ...]:
    found = index.concepts.get(concept)
    return found.parents if found else ()
