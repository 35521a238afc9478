"""Which errors may be the reader's: those in sentences with words that no concept covers."""

from __future__ import annotations

from kgscore.metrics.base import Matched
from kgscore.metrics.lines import line_at, lines_of
from kgscore.model import Reading
from kgscore.verdict import Aligned

_ERRORS = ("missed", "wrong", "invented")


def doubts(pair: Matched, one: Aligned) -> tuple[str, ...]:
    """Return why an error is doubtful, in words; nothing where it is none, or sure."""
    if one.category not in _ERRORS:
        return ()
    left = _beside(pair.reference_text, pair.reference, one.reference)
    right = _beside(pair.candidate_text, pair.candidate, one.candidate)
    words = ", ".join(dict.fromkeys(f"“{words}”" for words in (*left, *right)))
    return (f"doubtful: no concept covers {words} beside it",) if words else ()


def _beside(text: str, reading: Reading, numbers: tuple[int, ...]) -> list[str]:
    """Return the words that no concept covers in the sentence of the first of these findings."""
    if not reading.unlinked or not numbers:
        return []
    lines = lines_of(text)
    line = line_at(lines, reading.findings[numbers[0]].start)
    return [" ".join(one.text.split()) for one in reading.unlinked if line_at(lines, one.start) == line]
