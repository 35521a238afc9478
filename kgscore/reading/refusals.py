"""Refusals to report: "no findings can be assessed", "I cannot interpret this image", "n/a".

Such a clause is recognized by its construction, not by its sentence: `mappings/reading/refusals.txt` holds classes of words
and their possible orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kgscore.errors import OntologyError
from kgscore.linking.cues import forms_by_class
from kgscore.resources import resource

_FILE = "refusals.txt"
_GAP = re.compile(r"…(\d)\Z")
# Every construct has one of these classes; most sentences contain none of their words, and are skipped.
_TELLING = ("excuse", "judge", "judged", "possible", "not_judged", "is_not", "announce", "exposed")
_EDGES = " \t\r\n.,;:!?-–—*_'\"()[]<>"


class Refusals:
    """Recognizes the clauses of a report that refuse to report.

    Raises:
        OntologyError: a construct names a class that the file does not have, or has none that indicates a refusal.
    """

    def __init__(self) -> None:
        classes = forms_by_class(resource("mappings", "reading", _FILE))
        orders = classes.pop("construct")
        self._bare = frozenset(classes.pop("bare"))
        self._end = re.compile(_either(classes.pop("end")))
        self._made = re.compile("|".join(_construct(order, classes) for order in orders))
        self._hints = frozenset(max(form.split(), key=len) for name in _TELLING for form in classes[name])

    def bare(self, report: str) -> bool:
        """Return whether a report is only a word for none ("N/A", "null"), or contains no word."""
        words = " ".join(report.lower().split()).strip(_EDGES)
        return not words or words in self._bare

    def refuse(self, text: str) -> bool:
        """Return whether any clause of a text is a refusal."""
        return self._made.search(_plain(text)) is not None

    def said(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of a sentence that are not refusals: usually one, the sentence itself."""
        plain = _plain(text[start:end])
        words = {word.strip(_EDGES) for word in plain.split()}
        if words.isdisjoint(self._hints) or self._made.search(plain) is None:
            yield start, end
            return
        cuts = [0, *(match.start() for match in self._end.finditer(plain)), len(plain)]
        for first, last in pairwise(cuts):
            if plain[first:last].strip(_EDGES) and self._made.search(plain, first, last) is None:
                yield start + first, start + last


def _plain(text: str) -> str:
    """Return a text in lower case with straight apostrophes, of the same length."""
    lower = text.lower()
    return (lower if len(lower) == len(text) else text).replace("’", "'")


def _either(forms: list[str]) -> str:
    """Return the pattern of any of some forms, the longest first, as whole words."""
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    within = "|".join(r"\s+".join(map(re.escape, form.split())) for form in ordered)
    return rf"(?<![\w'])(?:{within})(?![\w'])"


def _construct(order: str, classes: dict[str, list[str]]) -> str:
    """Return the pattern of an order of classes; "…N" between two of them allows up to N other words."""
    found, gap = "", 0
    for part in order.split():
        wide = _GAP.match(part)
        if wide:
            gap = int(wide[1])
            continue
        if part not in classes or not set(_TELLING) & set(order.split()):
            raise OntologyError(f"{_FILE}: construct '{order}': no class '{part}', or none of {', '.join(_TELLING)}")
        between = rf"[\s,]+(?:[\w'/-]+[\s,]+){{0,{gap}}}" if found else ""
        found, gap = found + between + _either(classes[part]), 0
    return f"(?:{found})"
