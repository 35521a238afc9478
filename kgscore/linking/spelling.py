"""Spelling correction: the only known word that is one letter away, or that differs in doubled letters only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from kgscore.caches import MemoizedDict

_SHORTEST = 6
# Minimum length of a misspelt word ("rigth", "kidny").
_LOOKED_AT = 5
# Minimum length of a word in which letters are doubled ("accute").
_DOUBLING = 5
_DOUBLED = re.compile(r"(.)\1+")


class Speller:
    """Corrects words by a vocabulary: every single edit of a word is looked up in it."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        self._letters = "".join(sorted(set("".join(words))))
        self._corrections = MemoizedDict[str, str | None](self._corrected)

    def corrected(self, word: str) -> str | None:
        """Return the only known word of six letters or more that a misspelt word can be: a letter missing, inserted, changed
        or swapped (swapped in five letters too), or letters doubled or not; None if there is none or more than one."""
        if len(word) < _LOOKED_AT or not word.isalpha() or word in self.words:
            return None
        return self._corrections[word]

    def _corrected(self, word: str) -> str | None:
        swaps = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1))
        near = (known for known in self.words.intersection(self._single_edits(word)) if len(known) >= _SHORTEST)
        found = [*self.words.intersection(swaps)] or [*near] or self._otherwise_doubled(word)
        return found[0] if len(found) == 1 else None

    def _otherwise_doubled(self, word: str) -> list[str]:
        """Return the known words that differ in doubled letters only ("hemorhage")."""
        single = _DOUBLED.sub(r"\1", word)
        return [known for known in self._by_ends.get((word[0], word[-1]), ()) if _DOUBLED.sub(r"\1", known) == single]

    @cached_property
    def _by_ends(self) -> dict[tuple[str, str], list[str]]:
        """The known words by their first and last letters."""
        found = defaultdict[tuple[str, str], list[str]](list)
        for known in self.words:
            if len(known) >= _DOUBLING:
                found[known[0], known[-1]].append(known)
        return found

    def _single_edits(self, word: str) -> Iterator[str]:
        """Yield the edits of a word, its first letter kept, with one letter deleted, swapped, replaced or inserted."""
        for at in range(1, len(word) + 1):
            head, tail = word[:at], word[at:]
            yield head + tail[1:]
            yield head + tail[1:2] + tail[:1] + tail[2:]
            for letter in self._letters:
                yield head + letter + tail[1:]
                yield head + letter + tail
