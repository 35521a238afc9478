"""Words of a report without findings: names of people, and marks that replace redacted words."""

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
_TAKEN = r"redacted|removed|masked|de-?identified|name|date|phi"
_MARK = rf"(?:X{{3,}}+|_{{2,}}+|█++|[\[<(](?:\*\*[^\]\n]{{0,40}}\*\*|[ _]*(?i:{_TAKEN})[ _]*)[\])>])"
_MARKED = re.compile(_MARK)
# A sentence that consists only of marks.
_ALONE = re.compile(rf"\W*(?:there (?:is|are|was|were) )?(?:{_MARK}[\s.]*)+\W*\Z", re.IGNORECASE)
# A clause whose predicate is a mark.
_UNTOLD = re.compile(
    rf"[^,;]*\b(?:is|are|was|were|appears?|remains?|seems?|measures?)\s+(?:{_MARK}[\s.]*)+(?:\Z|[,;])", re.IGNORECASE
)


def person_names(text: str) -> list[tuple[int, int]]:
    """Return the spans of names of people in a text."""
    return [match.span() for match in _PERSON.finditer(text)]


def unmasked_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a sentence whose predicate is not redacted: usually one, the sentence itself."""
    if not _MARKED.search(text, start, end):
        yield start, end
        return
    sentence = text[start:end]
    at = len(sentence) if _ALONE.match(sentence) else 0
    for match in _UNTOLD.finditer(sentence, at):
        if sentence[at : match.start()].strip(" ,;"):
            yield start + at, start + match.start()
        at = match.end()
    if sentence[at:].strip(" .,;"):
        yield start + at, end
