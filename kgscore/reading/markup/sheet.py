"""A text whose marks become blanks, letter for letter: every offset in it is one in the report."""

from __future__ import annotations

_WIDE = "："


class Sheet:
    """The letters of a text, some of which are written over."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = list(text)

    def blank(self, start: int, end: int) -> None:
        """Leave nothing of a stretch."""
        self._letters[start:end] = " " * max(0, end - start)

    def put(self, start: int, end: int, words: str) -> None:
        """Write words over a stretch, as many as it has room for, and leave nothing else of it."""
        end = min(end, len(self._letters))
        self._letters[start:end] = words[: end - start].ljust(end - start)

    def fit(self, start: int, end: int, *forms: str) -> None:
        """Write the first of some forms that a stretch has room for, or leave nothing of it."""
        self.put(start, end, next((form for form in forms if len(form) <= end - start), ""))

    def done(self) -> str:
        """Return the text as it is now."""
        return "".join(self._letters)
