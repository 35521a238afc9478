"""Words that no concept covers (residues), and words that a negating prefix reverses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgscore.model import NARROW, WORDING, Finding

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NEGATING = ("non", "un", "in", "im", "ir", "il", "a")
_JOINING = r"(?:and|or|to|of|in|on|at|by|with|within|from|for|than|as|is|are|was|were)"
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


def inexact(finding: Finding) -> dict[str, frozenset[str]]:
    """Return how the words of a finding differ from its concept (`WORDING`), with the words of a narrower one."""
    found = (detail for detail in finding.details if detail.category == WORDING)
    return {one.value: words_of(one.text) if one.value == NARROW else frozenset() for one in found}


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
