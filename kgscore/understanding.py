"""Whether a report is understood: it is in English, and has findings or nothing but known words, or is a refusal."""

from __future__ import annotations

from collections.abc import Callable

from kgscore.model import Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.language import english_test
from kgscore.reading.refusals import Refusals
from kgscore.results.outcome import NOT_UNDERSTOOD, SAYS_NOTHING

FOREIGN = "the {}report seems to be in another language; reports are read in English"
UNREAD = "nothing in the {}report was understood; reports are read in English"


class Understanding:
    """Tells silence and texts that are not understood from reports."""

    def __init__(self, index: Index) -> None:
        self._altered = index.role("altered")
        self._language = english_test()
        self._refusals = Refusals()

    def is_foreign(self, text: str) -> bool:
        """Return whether a text is in another language."""
        return not self._language(text).possible

    def is_unread(self, text: str, reading: Reading) -> bool:
        """Return whether nothing in a text was understood, so that it may be in any language: it has no finding, but unknown
        words, and nothing specific to English."""
        if reading.findings or not reading.unlinked:
            return False
        return not (self._language(text).certain or self._refusals.bare(text) or self._refusals.refuse(text))

    def read_candidate(self, text: str, read: Callable[[str], Reading]) -> Reading:
        """Return the reading of a candidate; empty if it is blank or in another language."""
        if not text.strip():
            return Reading(())
        return Reading((), (Unlinked(text, 0, len(text)),)) if self.is_foreign(text) else read(text)

    def silence(self, candidate: str, reading: Reading) -> str:
        """Return why a candidate counts as all missed: it says nothing, or is not understood; "" if it has findings. Model
        output that is not understood counts like silence, and only references fail."""
        if reading.findings:
            return ""
        if self.is_foreign(candidate):
            return f"{NOT_UNDERSTOOD}: it seems to be in another language"
        return NOT_UNDERSTOOD if self.is_unread(candidate, reading) else SAYS_NOTHING

    def says_only_unchanged(self, reading: Reading) -> bool:
        """Return whether a report only says that nothing changed ("Stable."); a candidate then counts as all missed."""
        return bool(reading.findings) and all(one.concept == self._altered and not one.sites for one in reading.findings)
