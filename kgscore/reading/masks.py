"""Words of a report that tell nothing that is seen: names of people, and marks that stand for words that were taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"(?:[A-Z]\.\s*){0,2}[A-Z][\w'’-]+"
_LAST = r"(?:\s[A-Z][\w'’-]+(?=\s*(?:[,.;:)]|\Z|(?:on|at|by|in|and|was|were|is|of|from|via|to)\b)))?"
# "Dr. Cyst", "John Stone, MD".
_PERSON = re.compile(
    rf"\b(?:(?:Drs?|Prof|Professor|Doctor|Mr|Mrs|Ms|Miss|Nurse)\b\.?\s+{_NAME}{_LAST}|dr\b\.?\s+[a-z]+"
    rf"|{_NAME}\s[A-Z][\w'’-]+,?\s(?:MD|M\.D\.|MBBS|FRCR|RN|DO|NP|PA-C|PhD)\b)"
)
_MARK = r"(?:X{3,}+|_{2,}+|█++|[\[<(](?:\*\*[^\]\n]{0,40}\*\*|[ _]*(?i:redacted|removed|masked|deidentified|de-identified|name|date|phi)[ _]*)[\])>])"
_MARKED = re.compile(_MARK)
# A clause that is nothing but a mark, that a mark is the predicate of, or in which it stands for what comes before a bare noun.
_UNTOLD = re.compile(
    rf"\W*(?:{_MARK}[\s.]*)+\Z|[^\n]*\b(?:is|are|was|were|appears?|remains?|seems?|measures?)\s+(?:{_MARK}[\s.]*)+\Z"
    rf"|\W*(?:there (?:is|are|was|were) )?(?:{_MARK}\s+)+(?:[a-z]+ ){{0,2}}[a-z]+\W*\Z",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,;]+")


def people(text: str) -> list[tuple[int, int]]:
    """Return where a text names people."""
    return [match.span() for match in _PERSON.finditer(text)]


def told(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a sentence of which a mark has not taken out what they say: mostly one, itself."""
    if not _MARKED.search(text, start, end):
        yield start, end
        return
    clauses = [match.span() for match in _CLAUSE.finditer(text, start, end)]
    if any(_UNTOLD.match(text[first:last]) for first, last in clauses):
        yield from (span for span in clauses if not _UNTOLD.match(text[span[0] : span[1]]))
    else:
        yield start, end
