"""Errors that may be reading errors: their sentence was not understood completely, or the wording of the other report contradicts
them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgscore.clinical.settings import settings
from kgscore.metrics.base import Matched
from kgscore.metrics.lines import line_at, lines_of
from kgscore.model import WORDING, Finding, Reading
from kgscore.verdict import Aligned

# Words of four letters or more, and levels of the spine.
_WORD = re.compile(r"[a-z]{4,}|\b[ctls]\d{1,2}\b")
# Words are compared by their first letters, this many.
_STEM = 5
_DENYING = re.compile(r"\b(?:no|not|without|nor|neither|absent|absence|free|normal|intact|unremarkable|preserved)\b")
_SIDE, _BOTH = re.compile(r"\b(left|right)\b"), re.compile(r"\b(?:both|bilateral)")
# The dimensions of errors that other words for the same would make.
_TOLD = frozenset(("presence", "place", "specificity", "overinterpretation"))


def with_doubts(pair: Matched, found: Sequence[Aligned]) -> Iterator[Aligned]:
    """Yield the findings of a verdict, errors with the reasons for doubt, if any: words that say less, or a sign; words beside
    them that no concept covers; nearly the same words in the other report, of the same side and not denied; or the same finding
    there at another location. A finding that the other report denies outright is not doubtful."""
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


def _loose(finding: Finding) -> Iterator[str]:
    """Yield that a finding is named by words that say less, or by a sign of it."""
    words = {detail.value: detail.text for detail in finding.details if detail.category == WORDING}
    if "broad" in words:
        yield f"doubtful: “{words['broad']}” is also said of other findings"
    if "sign" in words:
        yield f"doubtful: “{words['sign']}” is a sign of it"


def _doubts(one: Aligned, reference: _Report, candidate: _Report) -> Iterator[str]:
    for report, numbers in ((reference, one.reference[:1]), (candidate, one.candidate[:1])):
        yield from (reason for number in numbers for reason in _loose(report.findings[number]))
    unknown = dict.fromkeys((*reference.unknown(one.reference[:1]), *candidate.unknown(one.candidate[:1])))
    if unknown:
        yield f"doubtful: no concept covers {', '.join(f'“{words}”' for words in unknown)} beside it"
    wrong = one.category == "wrong"
    if (one.reference and one.candidate and not wrong) or (wrong and not _of_words(one)):
        return
    own, other = (reference, candidate) if one.reference else (candidate, reference)
    number = (one.reference or one.candidate)[0]
    if line := other.alike(own, number, placed=wrong):
        yield f"doubtful: the {other.name} says nearly the same, “{line}”"
    elif not wrong and other.says_elsewhere(own.findings[number]):
        yield f"doubtful: the {other.name} says the same of another place"


def _of_words(one: Aligned) -> bool:
    """Whether all major errors of a finding are of its class or place, which the words tell."""
    return all(error.dimension in _TOLD for error in one.errors if error.major)


class _Report:
    """A report by its lines: the words of each, and the findings read from them."""

    def __init__(self, name: str, text: str, reading: Reading) -> None:
        self.name, self.text, self.findings = name, text, reading.findings
        self.lines = lines_of(text)
        said = [text[line.start : line.end].lower() for line in self.lines]
        self.words = [_words(line) for line in said]
        self.denies = [_DENYING.search(line) is not None for line in said]
        self.sides = [_sides(line) for line in said]
        self.said = frozenset[str]().union(*self.words)
        self.passed_over: dict[int, list[str]] = {}
        for one in reading.unlinked:
            if _words(one.text):
                self.passed_over.setdefault(self.line(one.start), []).append(" ".join(one.text.split()))

    def line(self, offset: int) -> int:
        """Return the number of the line that holds a character."""
        return line_at(self.lines, offset)

    def unknown(self, numbers: tuple[int, ...]) -> list[str]:
        """Return the words that no concept covers in the sentences of some findings."""
        return [words for number in numbers for words in self.passed_over.get(self.line(self.findings[number].start), ())]

    def alike(self, own: _Report, number: int, *, placed: bool) -> str:
        """Return the sentence that shares most words with that of another report's finding, if these are enough and include those
        that name the finding (with its place, if `placed`; otherwise the report says that somewhere); empty if there is none.
        A sentence with a negation that the other lacks, or that names only the other side, is not considered."""
        finding = own.findings[number]
        at = own.line(finding.start)
        wanted = own.words[at] if own.lines else frozenset()
        place = wanted & _words(" ".join(finding.sites).replace("_", " "))
        if not place <= self.said:
            return ""
        named = wanted & _words(finding.label) | (place if placed else frozenset())
        lines = [
            line for line, words in enumerate(self.words)
            if named <= words and self.denies[line] <= own.denies[at]
            and (not finding.side or not self.sides[line] or finding.side in self.sides[line])
        ]  # fmt: skip
        best = max(lines, key=lambda line: (len(wanted & self.words[line]), -line), default=-1)
        if best < 0 or len(wanted & self.words[best]) < max(2, settings().same_words * len(wanted)):
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


def _sides(text: str) -> frozenset[str]:
    """Return the sides that a text names."""
    return frozenset(("left", "right") if _BOTH.search(text) else _SIDE.findall(text))


def _words(text: str) -> frozenset[str]:
    """Return the content words of a text, by their first letters, without an s of the plural."""
    passing = settings().passing
    return frozenset(word.removesuffix("s")[:_STEM] for word in _WORD.findall(text.lower()) if word not in passing)
