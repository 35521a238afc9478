"""What a sentence says by itself: cut into mentions and composed once, and remembered, since reports repeat sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

from kgscore.linking.lexicon import Form, Lexicon, Mention
from kgscore.ontology.index import Index
from kgscore.reading.build import Source
from kgscore.reading.compose.composer import Composer
from kgscore.reading.compose.phrases import Head, Vocabulary
from kgscore.reading.examined import STUDIES, pass_over_study
from kgscore.reading.headings import Headings, Opening
from kgscore.reading.items import DIMENSIONS, Item, items_of
from kgscore.reading.parted import join_parted, share_around, share_finding, split_adjectives, split_of, split_qualities
from kgscore.reading.placement import Context, Frame
from kgscore.reading.sections import Sentence
from kgscore.reading.sharing import (
    CONJUNCTIONS,
    NUMBERS,
    PREFIXES,
    join_ranges,
    share_empty_noun,
    share_first_word,
    share_head_noun,
    share_number,
    share_part,
    share_prefix,
    spread_ranges,
)
from kgscore.reading.signals import signals
from kgscore.reading.spread import spread_levels
from kgscore.reading.structure.values import Structure
from kgscore.reading.tokens import MEASURE, PUNCTUATION, WORD, Token, tokenize
from kgscore.reading.vocabulary import vocabulary_of

# Items of a line that only says where.
PLACING = ("A", "sideword", "stop", "and", "comma", "M", "slash", "colon")
# How many characters before a word composition looks at; it sees no further than a full stop or semicolon.
_BEHIND = 45

Votes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A sentence cut into tokens and mentions, with its label, which stands at `span`. Offsets count in its own text.

    `votes` are the regions it speaks of, `contested` those between which some of its words must choose, and `sides` the
    sides it says. `labelled` tells that its label names more than an MRI `sequence`, and `partial` that it holds a noun
    which may name a part of the structure spoken of.
    """

    text: str
    start: int
    tokens: list[Token]
    mentions: list[Mention]
    span: tuple[int, int]
    label_tokens: list[Token]
    label: list[Mention]
    votes: dict[str, int]
    contested: frozenset[str]
    sides: frozenset[str]
    sequence: str | None
    labelled: bool
    partial: bool


class Composed(NamedTuple):
    """What a sentence says wherever it stands: its heads, or, in a label without text, those that the lines below place.

    `frame` is what its label leaves for the lines below, `placed` tells that the label says where; `line` are the items of
    a line that only says where, and `unknown` words that nobody knows; `silent` tells that nothing was understood. `structure`
    is what the heads were composed of, over `items`; the walk has none.
    """

    items: list[Item]
    heads: list[Head]
    frame: Frame
    titles: bool = False
    placed: bool = False
    line: list[Item] | None = None
    unknown: tuple[Item, ...] = ()
    silent: bool = False
    structure: Structure = ()


class Sentences(Protocol):
    """What reads a sentence by itself: the walk, or the composition of a structure."""

    @property
    def headings(self) -> Headings:
        """What reads the labels of sentences."""

    @property
    def vocabulary(self) -> Vocabulary:
        """What it knows of concepts."""

    def cut(self, report: str, sentence: Sentence) -> tuple[Cut, Source]:
        """Return a sentence of a report cut into tokens and mentions, and the text that it is read from."""

    def ahead(self, cuts: Sequence[tuple[Cut, Votes]]) -> None:
        """Make ready for sentences that will be asked for, where that is faster for all at once."""

    def composed(self, cut: Cut, votes: Votes, frame: Frame, around: str | None, /) -> Composed:
        """Return what a sentence says below these labels, `around` being the structure spoken of."""


class Composition:
    """Cuts and composes sentences. What a sentence says depends on its text, the labels above it and the regions that the
    report speaks of; it is kept for the last `remembered` sentences."""

    def __init__(self, index: Index, lexicon: Lexicon, remembered: int) -> None:
        self.index = index
        self.lexicon = lexicon
        self.vocabulary = vocabulary_of(index)
        self.headings = Headings(index, lexicon, self.vocabulary.empty)
        self._known = lru_cache(remembered)(self._cut)
        self.composed = lru_cache(remembered)(self._compose)

    def cut(self, report: str, sentence: Sentence) -> tuple[Cut, Source]:
        """Return a sentence of a report cut into tokens and mentions, and the text that it is read from."""
        source = _source(report, sentence)
        offset, label = source.offset, sentence.label
        span = (label[0] - offset, label[1] - offset) if label else None
        return self._known(source.text, sentence.start - offset, span), source

    def ahead(self, cuts: Sequence[tuple[Cut, Votes]]) -> None:
        """Nothing is faster for all at once here."""

    def _cut(self, text: str, start: int, span: tuple[int, int] | None) -> Cut:
        """Cut a sentence into tokens, misspelt words corrected, and mentions: from `start` on, and its label at `span`."""
        tokens = tokenize(text[start:], start, self.vocabulary.units)
        words = self.lexicon.words
        for position, token in enumerate(tokens):
            if position and tokens[position - 1].kind == MEASURE and token.norm in DIMENSIONS:
                tokens[position] = token._replace(norm="", kind=PUNCTUATION)  # "a 2 mm thick wall" is no thick wall
            elif token.kind == WORD and token.norm not in words and (known := self.lexicon.corrected(token.norm)) is not None:
                tokens[position] = token._replace(norm=known)
        mentions = self.lexicon.scan(tokens)
        label_tokens = tokenize(text[span[0] : span[1]], span[0], self.vocabulary.units) if span else []
        label = self.lexicon.scan(label_tokens)
        forms = [m.form for m in (*mentions, *label) if m.form is not None]
        sequence = next((m.form.types["seq"].id for m in label if m.form is not None and "seq" in m.form.types), None)
        return Cut(
            text,
            start,
            tokens,
            mentions,
            span or (0, 0),
            label_tokens,
            label,
            _votes(forms),
            frozenset(entry.module for form in forms if form.contested for entry in form.entries),
            frozenset(t.norm for t in (*tokens, *label_tokens) if t.norm in ("left", "right")),
            sequence,
            span is not None and (sequence is None or not _only_a_sequence(label)),
            any(m.first == m.last and self.headings.names_part(tokens[m.first]) for m in mentions),
        )

    def items(self, tokens: list[Token], mentions: list[Mention], votes: dict[str, int]) -> list[Item]:
        """Return the items of a sentence or label, with all that coordinated items share."""
        lexicon = self.lexicon
        words = {token.norm for token in tokens}
        items = items_of(tokens, mentions, self.index, votes)
        if not words.isdisjoint(STUDIES):
            pass_over_study(items, tokens, self.index)
        if any("-" in word[1:] for word in words):
            items = spread_levels(items, tokens, lexicon)
        if not words.isdisjoint(NUMBERS):
            items = spread_ranges(items, tokens, lexicon)
        if "from" in words:
            join_ranges(items, tokens)
        kinds = {item.kind for item in items}
        listed = not kinds.isdisjoint(CONJUNCTIONS)
        if not words.isdisjoint(PREFIXES):
            share_prefix(items, tokens, lexicon)
        if listed:
            share_head_noun(items, tokens, lexicon)
            share_first_word(items, tokens, lexicon)
            share_number(items, tokens, lexicon)
        if listed or "of" in words:
            share_part(items, tokens, lexicon, self.index.label)
        if listed:
            share_empty_noun(items, tokens, lexicon, self.vocabulary.empty)
        if listed or "M" in kinds or "F" in kinds:
            join_parted(items, tokens, lexicon)
        if listed:
            share_around(items, tokens, lexicon)
            items = split_adjectives(split_qualities(items, tokens, lexicon), tokens, lexicon)
            items = split_of(share_finding(items, tokens, lexicon), tokens, lexicon)
        return items

    def _compose(self, cut: Cut, votes: Votes, frame: Frame, around: str | None) -> Composed:
        """Return what a sentence says: `votes` ranks the regions that compete for its words, `frame` is what labels above
        it said, and `around` the structure spoken of, where they matter."""
        local = dict(votes)
        items = signals(self.items(cut.tokens, cut.mentions, local), self.index.concepts, cut.sequence)
        context = Context(last_sites=((around, None),) if around else ())
        context.enter(frame)
        opening = Opening(items)
        line = None
        if cut.labelled:
            named = self.items(cut.label_tokens, cut.label, local)
            opening = self.headings.open(cut.text, cut.span, named, items, context)
            if opening.listed:
                heads = Composer(self.vocabulary, cut.text).run(opening.items, [], None)
                return Composed(opening.items, heads, context.frame(), titles=True)
            if not opening.items:
                return Composed(named, [], context.frame(), titles=True)
        elif items and all(item.kind in PLACING for item in items):
            line = [replace(item) for item in items]
        if opening.sites:
            context.heading = (*opening.sites, *(h for h in context.title if h not in opening.sites))
        items = opening.items
        self.headings.name_parts(items, cut.tokens, cut.start, context)
        composer = Composer(self.vocabulary, cut.text)
        heads = composer.run(items, opening.sites, opening.side)
        silent = not heads and not composer.dropped and not composer.history
        unknown = tuple(item for item in items if item.kind == "W" and not item.used)
        return Composed(items, heads, context.frame(), False, bool(opening.sites), line, unknown, silent)


def _source(report: str, sentence: Sentence) -> Source:
    """Return the text that a sentence is read from: its label, itself, and what stands right before it in the same clause."""
    first = sentence.label[0] if sentence.label else sentence.start
    back = max(0, first - _BEHIND)
    stop = max(report.rfind(".", back, first), report.rfind(";", back, first))
    if sentence.opens_line:
        stop = max(stop, report.rfind("\n", back, first))
    back = max(back, stop + 1)
    while back < first and report[back].isspace():
        back += 1
    return Source(report[back : sentence.end], back)


def _only_a_sequence(label: list[Mention]) -> bool:
    """Whether a label only names an MRI sequence ("T2 signal:")."""
    return all(m.form is None or "seq" in m.form.types or m.form.kind in ("stop", "Q", "prep") for m in label)


def _votes(forms: list[Form]) -> dict[str, int]:
    """Return how many forms speak of each region, those that can only mean one."""
    votes: dict[str, int] = {}
    for form in forms:
        if form.module is not None:
            votes[form.module] = votes.get(form.module, 0) + 1
    return votes


def ranked(regions: frozenset[str], votes: Mapping[str, int]) -> Votes:
    """Return the rank of each of some regions by how often they are spoken of."""
    if not regions:
        return ()
    levels = sorted({votes.get(region, 0) for region in regions})
    return tuple((region, levels.index(votes.get(region, 0))) for region in sorted(regions))
