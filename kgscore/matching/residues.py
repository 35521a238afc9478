"""Words that no concept covers (residues), and words that a negating prefix reverses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgscore.model import NARROW, WORDING, Finding
from kgscore.ontology.index import Index

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NEGATING = ("non", "un", "in", "im", "ir", "il", "a")
_JOINING = r"(?:and|or|to|of|in|on|at|by|with|within|from|for|than|as|is|are|was|were)"
_JOINED = re.compile(rf"{_JOINING}|the|an?")
# Derived words differ after this many letters (prosthesis, prosthetic).
_BEGINNING = 7
_EXCLUSIVE = {
    "outside": ("within", "inside", "in"), "within": ("outside",), "inside": ("outside",),
    "unilateral": ("bilateral",), "bilateral": ("unilateral",),
}  # fmt: skip
_DENYING = frozenset(("no", "not", "without", "never", "nor", "neither", "none"))
# Shorter stems are parts of words ("aware", "ware").
_STEM = 5


def words_of(*texts: str) -> frozenset[str]:
    """Return the words of texts in lower case, without hyphens and plural endings.

    >>> sorted(words_of("Non-calcified nodules"))
    ['nodule', 'noncalcified']
    """
    words = (word.replace("-", "") for text in texts for word in _WORD.findall(text.lower()))
    return frozenset(word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word for word in words)


def inexact(index: Index, finding: Finding) -> dict[str, frozenset[str]]:
    """Return how the words of a finding differ from its concept (`WORDING`), with the stems of those that a narrower one adds
    to the words of the concept: a "broken screw" is a "screw fracture" where both are broken hardware."""
    found = (detail for detail in finding.details if detail.category == WORDING)
    return {one.value: added(index, finding.concept or "", one.text) if one.value == NARROW else frozenset() for one in found}


def added(index: Index, concept: str, text: str) -> frozenset[str]:
    """Return the stems of the words of a text that no exact wording of a concept has, or of all if each is in one."""
    said = stems_of(text)
    return said - stems_of(" ".join(index.words.get(concept, ()))) or said


def stems_of(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, without those that join them.

    >>> sorted(stems_of("loosening of the prosthesis"))
    ['looseni', 'prosthe']
    """
    return frozenset(word[:_BEGINNING] for word in words_of(text) if not _JOINED.fullmatch(word))


def modifiers(residue: Iterable[str], statement: str) -> frozenset[str]:
    """Return the words of a residue that precede another word of a statement, as modifiers do.

    >>> modifiers(["Marbled", "contribute"], "Marbled masses contribute to it.")
    frozenset({'marbled'})
    """
    text = statement.lower()
    words = (word.lower() for word in residue if " " not in word and len(word) >= _STEM)
    return frozenset(word for word in words if re.search(rf"\b{re.escape(word)}\s(?!{_JOINING}\b)[a-z]", text))


def find_reversal(statement: str, *sentences: str) -> tuple[str, str] | None:
    """Return a word of a statement and one of its supporting sentences that exclude each other: one stem with and without a
    negating prefix, inside and outside. None if there are none, or if a word of negation occurs.

    >>> find_reversal("Palpable mass.", "A nonpalpable mass."), find_reversal("Displaced bone.", "The bone is not displaced.")
    (('palpable', 'nonpalpable'), None)
    """
    words, known = words_of(statement), words_of(*sentences)
    if not _DENYING.isdisjoint(words | known):
        return None
    for word in sorted(words - known):
        longer = (prefix + word for prefix in _NEGATING if len(word) >= _STEM)
        cut = (word.removeprefix(prefix) for prefix in _NEGATING if word.startswith(prefix))
        shorter = (stem for stem in cut if len(stem) >= _STEM)
        found = next((other for other in (*longer, *shorter, *_EXCLUSIVE.get(word, ())) if other in known), None)
        if found is not None:
            return word, found
    return None
