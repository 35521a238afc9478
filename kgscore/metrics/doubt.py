"""Errors that may be reading errors: their sentence was not understood completely, or the wording of the other report contradicts
them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgscore.clinical.settings import settings
from kgscore.metrics.base import Matched
from kgscore.metrics.lines import line_at, lines_of
from kgscore.model import Finding, Reading
from kgscore.verdict import Aligned

# Words of four letters or more, and levels of the spine.
_WORD = re.compile(r"[a-z]{4,}|\b[ctls]\d{1,2}\b")
# Words are compared by their first letters, this many.
_STEM = 5


def with_doubts(pair: Matched, found: Sequence[Aligned]) -> Iterator[Aligned]:
    """Yield the findings of a verdict, errors with the reasons for doubt, if any: words beside them that no concept covers;
    nearly the same words in the other report, where these assert something; or the same finding there at another location. A
    finding that the other report denies outright is not doubtful."""
    reports = None
    if any(map(_may_be_doubtful, found)):
        reference = _Report("reference", pair.reference_text, pair.reference)
        reports = reference, _Report("candidate", pair.candidate_text, pair.candidate)
    for one in found:
        doubts = tuple(_doubts(one, *reports)) if reports and _may_be_doubtful(one) else ()
        yield replace(one, doubts=doubts) if doubts else one


def _may_be_doubtful(one: Aligned) -> bool:
    """Whether the outcome is an error of a finding, and not a denial that the candidate states outright."""
    return one.is_error and bool(one.reference or one.candidate) and not (one.category == "missed" and one.candidate)


def _doubts(one: Aligned, reference: _Report, candidate: _Report) -> Iterator[str]:
    unknown = dict.fromkeys((*reference.unknown(one.reference[:1]), *candidate.unknown(one.candidate[:1])))
    if unknown:
        yield f"doubtful: no concept covers {', '.join(f'“{words}”' for words in unknown)} beside it"
    if one.reference and one.candidate:
        return
    own, other = (reference, candidate) if one.reference else (candidate, reference)
    number = (one.reference or one.candidate)[0]
    if line := other.alike(own, number):
        yield f"doubtful: the {other.name} says nearly the same, “{line}”"
    elif other.says_elsewhere(own.findings[number]):
        yield f"doubtful: the {other.name} says the same of another place"


class _Report:
    """A report by its lines: the words of each, and the findings read from them."""

    def __init__(self, name: str, text: str, reading: Reading) -> None:
        self.name, self.text, self.findings = name, text, reading.findings
        self.lines = lines_of(text)
        self.words = [_words(text[line.start : line.end]) for line in self.lines]
        self.said = frozenset[str]().union(*self.words)
        self.passed_over: dict[int, list[str]] = {}
        for one in reading.unlinked:
            self.passed_over.setdefault(self.line(one.start), []).append(" ".join(one.text.split()))
        self.read: dict[int, list[Finding]] = {}
        for finding in reading.findings:
            self.read.setdefault(self.line(finding.start), []).append(finding)

    def line(self, offset: int) -> int:
        """Return the number of the line that holds a character."""
        return line_at(self.lines, offset)

    def unknown(self, numbers: tuple[int, ...]) -> list[str]:
        """Return the words that no concept covers in the sentences of some findings."""
        return [words for number in numbers for words in self.passed_over.get(self.line(self.findings[number].start), ())]

    def alike(self, own: _Report, number: int) -> str:
        """Return the sentence that shares most words with that of another report's finding, if these are enough, include those
        that name the finding and its place, and the sentence does not assert only the other side; empty if there is none."""
        finding = own.findings[number]
        wanted = own.words[own.line(finding.start)] if own.lines else frozenset()
        best = max(range(len(self.lines)), key=lambda at: (len(wanted & self.words[at]), -at), default=-1)
        shared = wanted & self.words[best] if best >= 0 else frozenset()
        if len(shared) < max(2, settings().same_words * len(wanted)) or not wanted & _named(finding) <= shared:
            return ""
        read = self.read.get(best, ())
        if read and not any(one.asserts and _may_be_of(one, finding) for one in read):
            return ""
        line = self.lines[best]
        return " ".join(self.text[line.start : line.end].split())

    def says_elsewhere(self, finding: Finding) -> bool:
        """Whether the report asserts the same at another location, not on the other side, in some of the same words."""
        words = _words(finding.text)
        return len(words & self.said) * 2 >= len(words) > 0 and any(
            one.concept == finding.concept and one.asserts and _may_be_of(one, finding) for one in self.findings
        )


def _may_be_of(one: Finding, other: Finding) -> bool:
    """Whether two findings are not on opposite sides."""
    return one.side is None or other.side is None or one.side == other.side


def _named(finding: Finding) -> frozenset[str]:
    """Return the words that name a finding and its place."""
    return _words(" ".join((finding.label, *finding.sites)).replace("_", " "))


def _words(text: str) -> frozenset[str]:
    """Return the content words of a text, by their first letters."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower()) if word not in settings().passing)
