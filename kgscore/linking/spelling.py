"""Misspelt words: the one known word that is a letter away."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 6


class Speller:
    """Corrects words by a vocabulary; its table of near words is made when the first correction is asked for."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        self._near: dict[str, set[str]] | None = None
        self._corrections: dict[str, str | None] = {}

    def corrected(self, word: str) -> str | None:
        """Return the one known word that a misspelt one stands for: one letter missing, doubled, changed or swapped, in a word of
        six letters or more; None where no or several words are that near."""
        if len(word) < _SHORTEST or not word.isalpha() or word in self.words:
            return None
        if word not in self._corrections:
            self._corrections[word] = self._correct(word)
        return self._corrections[word]

    def _correct(self, word: str) -> str | None:
        if self._near is None:
            self._near = _by_deletion(known for known in self.words if len(known) >= _SHORTEST)
        near = {known for variant in _deletions(word) for known in self._near.get(variant, ())}
        near = {known for known in near if known[0] == word[0] and _one_edit(word, known)}
        return near.pop() if len(near) == 1 else None


def _by_deletion(words: Iterable[str]) -> dict[str, set[str]]:
    """Return the words that each string becomes when a letter is left out."""
    found: dict[str, set[str]] = {}
    for word in words:
        for variant in _deletions(word):
            found.setdefault(variant, set()).add(word)
    return found


def _deletions(word: str) -> set[str]:
    return {word} | {word[:i] + word[i + 1 :] for i in range(len(word))}


def _one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter put in, left out or changed, or two neighbours swapped."""
    if len(one) == len(other):
        differ = [i for i in range(len(one)) if one[i] != other[i]]
        if len(differ) == 1:
            return True
        return (
            len(differ) == 2
            and differ[1] == differ[0] + 1
            and one[differ[0]] == other[differ[1]]
            and one[differ[1]] == other[differ[0]]
        )
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
