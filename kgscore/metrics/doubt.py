"""Which errors may be the reader's: those in sentences with words that no concept covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgscore.metrics.base import Matched
from kgscore.metrics.lines import line_at, lines_of
from kgscore.model import Reading
from kgscore.verdict import Aligned


def with_doubts(pair: Matched, found: Sequence[Aligned]) -> Iterator[Aligned]:
    """Yield the findings of a verdict, errors with why they are doubtful, if they are."""
    left, right = _Words(pair.reference_text, pair.reference), _Words(pair.candidate_text, pair.candidate)
    for one in found:
        beside = (*left.beside(one.reference), *right.beside(one.candidate)) if one.is_error else ()
        words = ", ".join(dict.fromkeys(f"“{words}”" for words in beside))
        yield replace(one, doubts=(f"doubtful: no concept covers {words} beside it",)) if words else one


class _Words:
    """The words of a report that no concept covers, by the line that they are in."""

    def __init__(self, text: str, reading: Reading) -> None:
        self.findings, self.lines = reading.findings, lines_of(text) if reading.unlinked else []
        self.of_line: dict[int, list[str]] = {}
        for one in reading.unlinked:
            self.of_line.setdefault(line_at(self.lines, one.start), []).append(" ".join(one.text.split()))

    def beside(self, numbers: tuple[int, ...]) -> list[str]:
        """Return those in the sentence of the first of some findings."""
        if not self.of_line or not numbers:
            return []
        return self.of_line.get(line_at(self.lines, self.findings[numbers[0]].start), [])
