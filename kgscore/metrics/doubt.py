"""Errors that may be reading errors: their sentence was not understood completely, or the wording of the other report contradicts
them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from kgscore.clinical.settings import settings
from kgscore.matching.axes import sides_meet
from kgscore.metrics.base import Matched
from kgscore.metrics.lines import line_at, lines_of
from kgscore.model import WORDING, Finding, Reading
from kgscore.ontology.index import Index, shared
from kgscore.reading.tokens import phrase_key
from kgscore.verdict import Aligned

# Words of four letters or more, and levels of the spine.
_WORD = re.compile(r"[a-z]{4,}|\b[ctls]\d{1,2}\b")
# Words are compared by their first letters, this many.
_STEM = 5
_DENYING = re.compile(
    r"\b(?:no|not|without|nor|neither|absent|absence|free(?! (?:air|gas|fluid|intra|peritoneal|pelvic|fragment|wall))|normal"
    r"|intact|unremarkable|preserved)\b"
)
_SIDE, _BOTH = re.compile(r"\b(left|right)\b"), re.compile(r"\b(?:both|bilateral)")
# The dimensions of errors that other words for the same would make: of class and place.
_TOLD = frozenset(("presence", "place", "specificity", "overinterpretation"))


def with_doubts(index: Index, pair: Matched, found: Sequence[Aligned]) -> Iterator[Aligned]:
    """Yield the findings of a verdict, errors with the reasons for doubt, if any (`docs/clinical.md`). A finding that the
    candidate denies outright is not doubtful."""
    reports = None
    if any(map(_may_be_doubtful, found)):
        missed = [one.reference[0] for one in found if one.category == "missed"]
        invented = [one.candidate[0] for one in found if one.category == "invented"]
        reference = _Report("reference", index, pair.reference_text, pair.reference, missed)
        reports = reference, _Report("candidate", index, pair.candidate_text, pair.candidate, invented)
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
    major = {error.dimension for error in one.errors if error.major and one.category == "wrong"}
    unknown = dict.fromkeys((*reference.unknown(one.reference[:1]), *candidate.unknown(one.candidate[:1])))
    if unknown and major != {"side"} and not _is_head_on(one, reference, candidate):
        yield f"doubtful: no concept covers {_quoted(unknown)} beside it"
    if not major <= _TOLD:
        return
    if one.category == "invented":
        yield from _doubts_of_words(one, candidate, reference, one.candidate[0])
    else:
        yield from _doubts_of_words(one, reference, candidate, one.reference[0])
    if "specificity" in major:
        yield "doubtful: only a broader term is said"


def _is_head_on(one: Aligned, reference: _Report, candidate: _Report) -> bool:
    """Whether the reference denies the very finding that is invented."""
    if one.category != "invented" or not one.reference:
        return False
    return reference.findings[one.reference[0]].concept == candidate.findings[one.candidate[0]].concept


def _doubts_of_words(one: Aligned, own: _Report, other: _Report, number: int) -> Iterator[str]:
    """Yield the reasons for doubt in a finding of one report that are in the words of the other."""
    wrong, denied = one.category == "wrong", one.category == "invented" and bool(one.reference)
    if line := other.alike(own, number, placed=wrong, denial=one.reference[0] if denied else None):
        yield f"doubtful: the {other.name} says nearly the same, “{line}”"
    elif not (wrong or denied) and other.says_elsewhere(own.findings[number]):
        yield f"doubtful: the {other.name} says the same of another place"
    elif line := other.naming(own.findings[number], placed=wrong):
        yield f"doubtful: the {other.name} has words for it in “{line}”"
    if denied:
        yield from _doubts_of_denial(own, own.findings[number], other, other.findings[one.reference[0]])
    nearest, share = other.nearest(own, number)
    if share >= settings().some_words:
        if nearest in other.passed_over and not wrong:
            yield f"doubtful: no concept covers {_quoted(other.passed_over[nearest])} in “{other.sentence(nearest)}”"
        if not any(own.words_of(number)[1:]):
            yield "doubtful: its sentence names neither the finding nor its place"


def _doubts_of_denial(own: _Report, finding: Finding, other: _Report, denial: Finding) -> Iterator[str]:
    """Yield the reasons for doubt in a finding of one report that the other denies."""
    if any(one.concept == finding.concept and not one.asserts and _may_meet(one, finding) for one in own.findings):
        yield f"doubtful: the {own.name} denies it too"
    if denial.concept != finding.concept and any(set(other.findings[i].sites) & set(finding.sites) for i in other.unmatched):
        yield f"doubtful: the {other.name} denies something else, and reports another finding there"


def _may_meet(one: Finding, other: Finding) -> bool:
    """Whether two findings may be at one place and side, as far as both say where they are."""
    apart = one.sites and other.sites and set(one.sites).isdisjoint(other.sites)
    return not apart and sides_meet(one, other)


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


class _Report:
    """A report by its lines: the words of each, and the findings read from them."""

    def __init__(self, name: str, index: Index, text: str, reading: Reading, unmatched: Sequence[int]) -> None:
        self.name, self.index, self.text, self.findings, self.unmatched = name, index, text, reading.findings, unmatched
        self.lines = lines_of(text)
        said = [text[line.start : line.end].lower() for line in self.lines]
        self.words = [content_words(line) for line in said]
        self.denies = [_DENYING.search(line) is not None for line in said]
        self.sides = [_sides(line) for line in said]
        self.said = frozenset[str]().union(*self.words)
        self.passed_over: dict[int, list[str]] = {}
        for one in reading.unlinked:
            if content_words(one.text):
                self.passed_over.setdefault(self.line(one.start), []).append(" ".join(one.text.split()))

    @cached_property
    def keys(self) -> list[frozenset[str]]:
        """The words of each line in their normal forms, as those of wordings."""
        return [frozenset(phrase_key(self.text[start:end])) for start, end in self.lines]

    def line(self, offset: int) -> int:
        """Return the number of the line that holds a character."""
        return line_at(self.lines, offset)

    def unknown(self, numbers: tuple[int, ...]) -> list[str]:
        """Return the words that no concept covers in the sentences of some findings."""
        return [words for number in numbers for words in self.passed_over.get(self.line(self.findings[number].start), ())]

    def sentence(self, line: int) -> str:
        """Return the words of a line."""
        return " ".join(self.text[self.lines[line].start : self.lines[line].end].split())

    def words_of(self, number: int) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """Return the content words of the sentence of a finding, and those of them that name it and its places."""
        finding = self.findings[number]
        said = self.words[self.line(finding.start)] if self.lines else frozenset()
        return said, said & content_words(finding.label), said & content_words(" ".join(finding.sites).replace("_", " "))

    def nearest(
        self, own: _Report, number: int, wanted: Iterable[str] = (), *, undenied: bool = False, but: int | None = None
    ) -> tuple[int, float]:
        """Return the line that shares most words with the sentence of another report's finding, and their share of it, 0 for one:
        a line with the `wanted` words, that does not name only the other side, is not the line `but`, nor, if `undenied`, adds a
        negation."""
        said, side, at = own.words_of(number)[0], own.findings[number].side, own.line(own.findings[number].start)
        lines = [
            line for line, words in enumerate(self.words)
            if line != but and words.issuperset(wanted) and (not side or not self.sides[line] or side in self.sides[line])
            and not (undenied and self.denies[line] > own.denies[at])
        ]  # fmt: skip
        best = max(lines, key=lambda line: (len(said & self.words[line]), -line), default=-1)
        shared = len(said & self.words[best]) if lines else 0
        return best, shared / len(said) if shared > 1 else 0.0

    def alike(self, own: _Report, number: int, *, placed: bool, denial: int | None) -> str:
        """Return the sentence that shares enough words with that of another report's finding, and those that name it (its place
        too if `placed`; otherwise the report names that): half of them, and no unmatched finding there, if its `denial` is
        given, whose own sentence says no such thing."""
        _, named, place = own.words_of(number)
        said = self.line(self.findings[denial].start) if denial is not None and self.lines else None
        but = said if said is not None and self.denies[said] else None
        line, share = self.nearest(own, number, named | place if placed else named, undenied=True, but=but)
        alone = not placed and all(self.line(self.findings[i].start) != line for i in self.unmatched)
        enough = (share >= settings().same_words and denial is None) or (share >= settings().half_words and alone)
        return self.sentence(line) if enough and place <= self.said else ""

    def says_elsewhere(self, finding: Finding) -> bool:
        """Whether the report asserts the same at another location, not on the other side, in some of the same words."""
        words = content_words(finding.text)
        return len(words & self.said) * 2 >= len(words) > 0 and any(
            one.concept == finding.concept and one.asserts and sides_meet(one, finding) for one in self.findings
        )

    def naming(self, finding: Finding, *, placed: bool) -> str:
        """Return the sentence with all words of some wording of a finding in any order, and of its place if `placed`; otherwise
        the report names that, and wordings of kinds of it count. It is asserted or denied there as the finding is, and not of the
        other side only."""
        places = [words for site in finding.sites if (words := content_words(site.replace("_", " ")))]
        names = _names(self.index, finding.concept, not placed)
        for line, said in enumerate(self.keys):
            one_side = finding.side and self.sides[line] and finding.side not in self.sides[line]
            there = self.words[line] if placed else self.said
            fits = self.denies[line] != finding.asserts and not one_side and any(place <= there for place in places)
            if fits and any(words <= said for words in names):
                return self.sentence(line)
        return ""


@shared
def _kinds(index: Index) -> Mapping[str, Sequence[str]]:
    """Return the concepts right below each."""
    below = defaultdict[str, list[str]](list)
    for name, one in index.concepts.items():
        for parent in one.parents:
            below[parent].append(name)
    return below


def _names(index: Index, concept: str | None, kinds: bool) -> frozenset[frozenset[str]]:
    """Return the words of each wording of a finding, and of the `kinds` right below it."""

    def words() -> frozenset[frozenset[str]]:
        below = _kinds(index).get(concept or "", ()) if kinds else ()
        wordings = (phrase_key(wording) for name in (concept, *below) for wording in index.wordings.get(name or "", ()))
        return frozenset(filter(None, (frozenset(key) - settings().joining for key in wordings)))

    return index.once(("names", concept, kinds), words)


def _sides(text: str) -> frozenset[str]:
    """Return the sides that a text names."""
    return frozenset(("left", "right") if _BOTH.search(text) else _SIDE.findall(text))


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text, by their first letters, without an s of the plural."""
    passing = settings().passing
    return frozenset(word.removesuffix("s")[:_STEM] for word in _WORD.findall(text.lower()) if word not in passing)
