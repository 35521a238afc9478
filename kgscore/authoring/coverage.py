"""What is not understood in reports: runs of unknown words, ranked, with suggested concepts; sentences without findings; and
the classification of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgscore.engine import Scorer
from kgscore.linking.lexicon import FINDING
from kgscore.linking.suggest import Suggester, Suggestion, wordings_of
from kgscore.model import Reading
from kgscore.reading.protocol import Traced
from kgscore.reading.remarks import FINDINGS, HEADING, NOT_COMPOSED
from kgscore.reading.tokens import WORD, tokenize
from kgscore.reading.trace import Step

_SHORTEST = 3
# Kinds of items that denote a finding or change.
_TELLING = frozenset((FINDING, "change", "up", "down", "lost", "abnormal"))


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that no concept covers: how often they occur in how many reports, the phrase they occur in most often, and
    suggestions."""

    text: str
    count: int
    reports: int
    phrase: str
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A sentence that was not composed: how often it occurs in how many reports, and whether it has (`holds`) a finding or
    change word."""

    sentence: str
    count: int
    reports: int
    holds: bool


@dataclass(slots=True)
class Coverage:
    """Counts the words of reports that no concept covers, the findings that are linked, and, if the reader supports tracing, the
    sentences by kind (`fates`, from `kgscore.reading.remarks`), and the words skipped as remarks of each kind (`passed`)."""

    scorer: Scorer
    reports: int = 0
    findings: int = 0
    linked: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    _lost: dict[str, Lost] = field(default_factory=dict)
    _count: Counter[str] = field(default_factory=Counter)
    _in: Counter[str] = field(default_factory=Counter)
    _phrases: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, report: str) -> None:
        """Read a report and count what is not covered."""
        reading = self.scorer.read(report)
        self.reports += 1
        self.findings += len(reading.findings)
        self.linked += sum(finding.concept is not None for finding in reading.findings)
        seen = set()
        for phrase in unlinked_phrases(report, reading):
            for text in self._unknown_runs(phrase) or [_plain(phrase)]:
                self._count[text] += 1
                self._phrases.setdefault(text, Counter())[_plain(phrase)] += 1
                seen.add(text)
        self._in.update(seen)
        if isinstance(self.scorer.reader, Traced):
            self._add_sentences(self.scorer.reader.trace(report))

    def _add_sentences(self, steps: Sequence[Step]) -> None:
        self.fates.update(step.fate for step in steps)
        for step in steps:
            if step.fate not in (FINDINGS, HEADING, NOT_COMPOSED):
                self.passed[step.fate] += len(step.sentence.split())
        lost = [(_plain(step.sentence), step) for step in steps]
        here = Counter(sentence for sentence, step in lost if step.fate == NOT_COMPOSED)
        for sentence, step in lost:
            if count := here.pop(sentence, 0):
                holds = any(item.kind in _TELLING for item in step.items)
                known = self._lost.get(sentence, Lost(sentence, 0, 0, holds))
                self._lost[sentence] = replace(known, count=known.count + count, reports=known.reports + 1)

    def lost_sentences(self, top: int | None = None) -> list[Lost]:
        """Return the sentences that were not composed: those with a finding or change word first, then the most frequent."""
        return sorted(self._lost.values(), key=lambda one: (not one.holds, -one.count, one.sentence))[:top]

    def _unknown_runs(self, phrase: str) -> list[str]:
        """Return the runs of words in a phrase that are in no form of the lexicon."""
        tokens = tokenize(phrase)
        spans = []
        for mention in self.scorer.lexicon.scan(tokens):
            first, last = tokens[mention.first], tokens[mention.last]
            if mention.form is None and first.kind == WORD and len(first.norm) >= _SHORTEST:
                spans.append((first.start, last.end))
        return [_plain(run) for run in _merge_spans(phrase, spans, " -")]

    def unknown(self, top: int | None = None, most: int = 3) -> Iterator[Unknown]:
        """Yield what is not covered, most frequent first, each with a limited number of suggestions."""
        suggester = Suggester(wordings_of(self.scorer.lexicon)) if self._count and most else None
        for text, count in sorted(self._count.items(), key=lambda item: (-item[1], item[0]))[:top]:
            phrase = min(self._phrases[text].items(), key=lambda item: (-item[1], item[0]))[0]
            found = suggester.suggest(text, phrase, most=most) if suggester else []
            yield Unknown(text, count, self._in[text], phrase, tuple(found))


def unlinked_phrases(report: str, reading: Reading) -> Iterator[str]:
    """Yield the unlinked words of a report, adjacent ones as one phrase."""
    return _merge_spans(report, sorted((one.start, one.end) for one in reading.unlinked), " -–")


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _merge_spans(text: str, spans: Sequence[tuple[int, int]], between: str) -> Iterator[str]:
    """Return the texts of spans, merging those separated only by the characters `between`."""
    merged: list[tuple[int, int]] = []
    for first, last in spans:
        start, end = merged[-1] if merged else (first, first)
        if merged and not text[end:first].strip(between):  # nothing lies between overlapping ones
            merged[-1] = (start, max(end, last))
        else:
            merged.append((first, last))
    return (text[start:end] for start, end in merged)
