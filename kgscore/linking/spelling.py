"""Misspelt words: the one known word that is a letter away."""

from __future__ import annotations

from collections.abc import Iterator

_SHORTEST = 6


class Speller:
    """Corrects words by a vocabulary: whatever one slip makes of a word is looked up in it."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        self._letters = "".join(sorted(set("".join(words))))
        self._corrections: dict[str, str | None] = {}

    def corrected(self, word: str) -> str | None:
        """Return the one known word that a misspelt one stands for: one letter missing, doubled, changed or swapped, in a word of
        six letters or more; None where no or several words are that near."""
        if len(word) < _SHORTEST or not word.isalpha() or word in self.words:
            return None
        if word not in self._corrections:
            near = [known for known in self.words.intersection(self._slips(word)) if len(known) >= _SHORTEST]
            self._corrections[word] = near[0] if len(near) == 1 else None
        return self._corrections[word]

    def _slips(self, word: str) -> Iterator[str]:
        """Yield what is left of a word, its first letter kept, where one is left out, swapped, changed or put in."""
        for at in range(1, len(word) + 1):
            head, tail = word[:at], word[at:]
            yield head + tail[1:]
            yield head + tail[1:2] + tail[:1] + tail[2:]
            for letter in self._letters:
                yield head + letter + tail[1:]
                yield head + letter + tail
