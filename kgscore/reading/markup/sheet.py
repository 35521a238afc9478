"""A text in which marks are replaced by blanks, so that offsets are kept."""

from __future__ import annotations


class Sheet:
    """The letters of a text, some of which are overwritten."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = list(text)

    def blank(self, start: int, end: int) -> None:
        """Replace a span by blanks."""
        self._letters[start:end] = " " * max(0, end - start)

    def put(self, start: int, end: int, words: str) -> None:
        """Overwrite a span with words, cut or padded to its length."""
        end = min(end, len(self._letters))
        self._letters[start:end] = words[: end - start].ljust(end - start)

    def fit(self, start: int, end: int, *forms: str) -> None:
        """Overwrite a span with the first of some forms that fits, or with blanks."""
        self.put(start, end, next((form for form in forms if len(form) <= end - start), ""))

    def done(self) -> str:
        """Return the current text."""
        return "".join(self._letters)
