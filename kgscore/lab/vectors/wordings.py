"""The wordings of the ontology as training data (synonyms, negatives, wordings withheld for evaluation), and an encoder's vectors
of their words and of its own vocabulary."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.knowledge import Knowledge
from kgscore.linking.suggest import wordings_of
from kgscore.metrics.embeddings import Embedder
from kgscore.ontology.index import Index
from kgscore.reading.tokens import normal_form

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


_SHORTEST = 3  # minimum letters of a word of the encoder's vocabulary


def encode_words(folder: Path, given: Wordings) -> Mapping[str, Any]:
    """Return the vectors of words from the sentence-transformers model in a folder, with its vocabulary in `vocab.txt`."""
    try:
        listed = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{folder / 'vocab.txt'}: {error.strerror}") from None
    own = {normal_form(word) for word in listed if len(word) >= _SHORTEST and word.isascii() and word.isalpha()}
    said = {word for text in given.kept for word in text.split()}
    return Embedder(str(folder), "mean", where="--encoder").vectors(sorted(own | said | {"no", "left", "right"}))
