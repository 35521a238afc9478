"""Segmentation of sentences into tokens and mentions, cached because reports repeat sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kgscore.linking.lexicon import ANATOMY, QUALITY, Form, Lexicon, LexiconMatch
from kgscore.reading.build import Source
from kgscore.reading.headings import Headings
from kgscore.reading.sections import Sentence
from kgscore.reading.structure.typed import words_of
from kgscore.reading.tokens import Token, tokenize
from kgscore.reading.units import Units

# Number of characters before a sentence visible to composition; it sees no further than a full stop or semicolon.
_BEHIND = 45

Votes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A sentence as tokens and mentions, with its label at `span`. Offsets are relative to its own text.

    `votes` counts its mentions of each region, `contested` are the regions that compete for some of its words, and `sides` the
    sides it names. `labelled` is True if its label names more than an MRI `sequence`, `partial` if it contains a noun that may
    name a part of the current structure, and `places` if it names a structure.
    """

    text: str
    start: int
    tokens: list[Token]
    mentions: list[LexiconMatch]
    span: tuple[int, int]
    label_tokens: list[Token]
    label: list[LexiconMatch]
    votes: dict[str, int]
    contested: frozenset[str]
    sides: frozenset[str]
    sequence: str | None
    labelled: bool
    partial: bool
    places: bool


class Segmenter:
    """Segments sentences; the last `remembered` are cached."""

    def __init__(self, lexicon: Lexicon, headings: Headings, units: Units, remembered: int) -> None:
        self.lexicon = lexicon
        self.headings = headings
        self.units = units
        self._known = lru_cache(remembered)(self._cut)

    def cut(self, report: str, sentence: Sentence) -> tuple[Segment, Source]:
        """Return a sentence of a report as tokens and mentions, and the text that it is read from."""
        source = _source(report, sentence)
        offset, label = source.offset, sentence.label
        span = (label[0] - offset, label[1] - offset) if label else None
        return self._known(source.text, sentence.start - offset, span), source

    def _cut(self, text: str, start: int, span: tuple[int, int] | None) -> Segment:
        """Split a sentence into tokens, with misspelt words corrected, and mentions: from `start` on, and its label at `span`."""
        tokens = words_of(text[start:], start, self.lexicon, self.units)
        mentions = self.lexicon.scan(tokens)
        label_tokens = tokenize(text[span[0] : span[1]], span[0], self.units) if span else []
        label = self.lexicon.scan(label_tokens)
        named, said = _forms(label), _forms(mentions)
        forms = (*said, *named)
        sequence = next((form.types["seq"].id for form in named if "seq" in form.types), None)
        return Segment(
            text,
            start,
            tokens,
            mentions,
            span or (0, 0),
            label_tokens,
            label,
            _votes(forms),
            frozenset(entry.module for form in forms if form.contested for entry in form.entries),
            frozenset(t.norm for t in (*tokens, *label_tokens)) & {"left", "right"},
            sequence,
            span is not None and not (sequence and all(map(_is_of_sequence, named))),
            any(m.first == m.last and self.headings.names_part(tokens[m.first]) for m in mentions),
            any(form.kind == ANATOMY for form in said),
        )


def _forms(found: Iterable[LexiconMatch]) -> list[Form]:
    return [one.form for one in found if one.form is not None]


def _votes(forms: Iterable[Form]) -> dict[str, int]:
    """Return the number of forms for each region, counting those with only one."""
    return dict(Counter(form.module for form in forms if form.module is not None))


def _source(report: str, sentence: Sentence) -> Source:
    """Return the text that a sentence is read from: its label, itself, and the directly preceding text in the same clause."""
    first = sentence.label[0] if sentence.label else sentence.start
    back = max(0, first - _BEHIND)
    stop = max(report.rfind(".", back, first), report.rfind(";", back, first))
    if sentence.opens_line:
        stop = max(stop, report.rfind("\n", back, first))
    back = max(back, stop + 1)
    while back < first and report[back].isspace():
        back += 1
    return Source(report[back : sentence.end], back)


def _is_of_sequence(form: Form) -> bool:
    """Whether a word of a label belongs to the name of an MRI sequence ("T2 signal:")."""
    return "seq" in form.types or form.kind in ("stop", QUALITY, "prep")


def ranked(regions: frozenset[str], votes: Mapping[str, int]) -> Votes:
    """Return the rank of each of some regions by their votes."""
    levels = sorted({votes.get(region, 0) for region in regions})
    return tuple((region, levels.index(votes.get(region, 0))) for region in sorted(regions))
