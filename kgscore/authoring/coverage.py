"""What reports say that no module knows: runs of unknown words, ranked, with existing concepts that may be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kgscore.authoring.suggest import Suggester, Suggestion
from kgscore.engine import Scorer
from kgscore.reading.tokens import WORD, tokenize

_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that no concept covers: how often they stand in how many reports, the phrase they stand in most often, and what
    may be meant."""

    text: str
    count: int
    reports: int
    phrase: str
    suggestions: tuple[Suggestion, ...]


@dataclass(slots=True)
class Coverage:
    """Counts the words of reports that no concept covers, and the findings that are linked."""

    scorer: Scorer
    reports: int = 0
    findings: int = 0
    linked: int = 0
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
        for phrase in _joined(report, sorted((one.start, one.end) for one in reading.unlinked), " -–"):
            for text in self._unknown(phrase) or [_plain(phrase)]:
                self._count[text] += 1
                self._phrases.setdefault(text, Counter())[_plain(phrase)] += 1
                seen.add(text)
        self._in.update(seen)

    def _unknown(self, phrase: str) -> list[str]:
        """Return the runs of words in a phrase that no form of the lexicon holds."""
        tokens = tokenize(phrase)
        spans = []
        for mention in self.scorer.lexicon.scan(tokens):
            first, last = tokens[mention.first], tokens[mention.last]
            if mention.form is None and first.kind == WORD and len(first.norm) >= _SHORTEST:
                spans.append((first.start, last.end))
        return [_plain(run) for run in _joined(phrase, spans, " -")]

    def unknown(self, top: int | None = None, most: int = 3) -> Iterator[Unknown]:
        """Yield what is not covered, the most frequent first, each with at most so many suggestions."""
        suggester = Suggester(self.scorer.lexicon) if self._count and most else None
        for text, count in sorted(self._count.items(), key=lambda item: (-item[1], item[0]))[:top]:
            phrase = min(self._phrases[text].items(), key=lambda item: (-item[1], item[0]))[0]
            found = suggester.suggest(text, phrase, most=most) if suggester else []
            yield Unknown(text, count, self._in[text], phrase, tuple(found))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _joined(text: str, spans: Sequence[tuple[int, int]], between: str) -> Iterator[str]:
    """Yield the texts of spans; those with nothing but the signs `between` them are one."""
    start = end = -1
    for first, last in spans:
        if last <= end:
            continue
        if end >= 0 and not text[end:first].strip(between):
            end = last
            continue
        if end >= 0:
            yield text[start:end]
        start, end = first, last
    if end >= 0:
        yield text[start:end]
