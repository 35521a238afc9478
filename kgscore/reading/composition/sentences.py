"""The context-free reading of a sentence: composed from its structure once, and cached, since reports repeat sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from kgscore.caches import BoundedDict
from kgscore.linking.lexicon import ANATOMY, FINDING, UNKNOWN, Lexicon
from kgscore.model import Detail
from kgscore.ontology.index import Index
from kgscore.reading.anaphora import described_details, member_details
from kgscore.reading.composition.compose import compose
from kgscore.reading.composition.parsed_sentence import CompositionKnowledge, ParsedSentence, completed_entry
from kgscore.reading.composition.rules import corrected, steps
from kgscore.reading.discourse import Discourse, Frame
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.headings import Headings, Opening
from kgscore.reading.mentions import Mention, mentions_of
from kgscore.reading.segments import Segment, Segmenter, Votes
from kgscore.reading.site_constraints import SiteConstraints
from kgscore.reading.structure.typed import TypedSentence, typed_sentence
from kgscore.reading.structure.values import Parse, Statement, mentioned_items
from kgscore.reading.titles import is_location_line
from kgscore.reading.vocabulary import vocabulary_of

Predict = Callable[[Sequence[TypedSentence]], Sequence[Parse]]
_AT_ONCE = 4096  # minimum size of the cache of structures: those of several reports are predicted in a batch before composition
_PASSED_OVER = ("drop", "history", "past", "ref")  # cues of sentences without findings: technique, advice, history


class Composed(NamedTuple):
    """The reading of a sentence in any context: its heads, or, for a label without text, those that the lines below give sites
    to.

    `frame` is the effect of its label on the lines below; `placed` is True if the label gives a site. `line` are the items of
    a line that only gives sites, and `unknown` the unknown words. `silent` is True if nothing was understood, `told` if the
    sentence is about findings of the preceding one, whose details are `described`, or those of one of them `member`.
    `structure` is what the heads were composed from, over `items`, and `rules` the ids of those that corrected it; `over` is
    True if it would exceed the budget of a sentence.
    """

    items: list[Mention]
    heads: list[FindingDraft]
    frame: Frame
    titles: bool = False
    placed: bool = False
    line: list[Mention] | None = None
    unknown: tuple[Mention, ...] = ()
    silent: bool = False
    structure: Parse = ()
    told: bool = False
    described: tuple[Detail, ...] = ()
    member: tuple[Detail, ...] | None = None
    over: bool = False
    rules: tuple[str, ...] = ()


class Sentences:
    """Segments sentences, and composes them from the structures that `predict` returns for a batch. The reading of a sentence
    depends on its text, the labels above it and the regions that the report mentions; it is cached for the last `remembered`
    sentences."""

    def __init__(self, index: Index, lexicon: Lexicon, predict: Predict, fitting: SiteConstraints, remembered: int) -> None:
        self.vocabulary = vocabulary_of(index)
        self.headings = Headings(index, lexicon, self.vocabulary.empty)
        self.cut = Segmenter(lexicon, self.headings, self.vocabulary.units, remembered).cut
        self.rules = steps()
        self._predict = predict
        self._knowledge = CompositionKnowledge(index, lexicon, self.vocabulary, fitting)
        self._found: dict[tuple[Segment, Votes], tuple[TypedSentence, Parse]] = BoundedDict(max(remembered, _AT_ONCE))
        self.composed = lru_cache(remembered)(self._compose)

    def ahead(self, cuts: Sequence[tuple[Segment, Votes]]) -> None:
        """Predict the structures of the sentences to be composed next in one batch, which is faster than one by one."""
        new = [key for key in dict.fromkeys(cuts) if key not in self._found]
        sentences = [self._typed(cut, votes) for cut, votes in new]
        for key, sentence, structure in zip(new, sentences, self._predict(sentences) if new else (), strict=True):
            self._found[key] = sentence, structure

    def _typed(self, cut: Segment, votes: Votes) -> TypedSentence:
        known = self._knowledge
        if not cut.label_tokens:
            return TypedSentence(cut.text, cut.tokens, mentions_of(cut.tokens, cut.mentions, known.index, dict(votes)))
        return typed_sentence(cut.text, known.lexicon, known.index, dict(votes), cut.span[0], units=self.vocabulary.units)

    def _compose(self, cut: Segment, votes: Votes, frame: Frame, around: str | None) -> Composed:
        """Return the reading of a sentence: `votes` ranks regions, `frame` is the effect of labels, `around` a structure."""
        self.ahead([(cut, votes)])
        sentence, structure = self._found[cut, votes]
        context = Discourse(last_sites=((around, None),) if around else ())
        context.enter(frame)
        opening = self._opening(cut, dict(votes), context)
        if opening.sites:
            context.heading = (*opening.sites, *(h for h in context.title if h not in opening.sites))
        items, sites, spoken = list(sentence.items), tuple(opening.sites), cut.start if cut.labelled else 0
        placing = not cut.labelled and is_location_line(self._knowledge.index, cut.text, items)
        line = list(items) if placing else None
        self.headings.name_parts(items, sentence.tokens, cut.start, context)
        scene = ParsedSentence(self._knowledge, cut.text, sentence.tokens, items, sites, opening.side, cut.sequence, spoken)
        if cut.label_tokens and not cut.tokens:
            return self._title(scene, structure, context.frame(), listed=bool(opening.listed))
        if not structure and FINDING in scene.kinds:
            return Composed(items, [], context.frame(), over=True)
        structure, fired = corrected(scene, structure, self.rules)
        begin, heads = cut.span[0] if cut.label_tokens else cut.start, compose(scene, structure)
        described, unknown = () if sites else described_details(scene, begin), _unknown(scene, structure, heads)
        read = Composed(items, heads, context.frame(), False, bool(sites), None, unknown, False, structure)
        read = read._replace(described=described, rules=fired)
        if heads:
            return read
        return read._replace(line=line, silent=not _is_remark(items, structure), member=member_details(scene, begin))

    def _title(self, scene: ParsedSentence, structure: Parse, frame: Frame, *, listed: bool) -> Composed:
        """Return the reading of a label without text, which names a site or findings ("Nodules:")."""
        items = list(scene.items)
        if scene.label:
            return Composed(items, [], frame, titles=True)
        if not structure and FINDING in scene.kinds:
            return Composed(items, [], frame, over=True)
        named = tuple(Statement(at, "present") for at, item in enumerate(items) if item.is_noun)
        heads = compose(scene, corrected(scene, structure, self.rules)[0]) or (compose(scene, named) if listed else [])
        return Composed(items, heads, frame, titles=True)

    def _opening(self, cut: Segment, votes: dict[str, int], context: Discourse) -> Opening:
        """Return the effect of a label on its sentence, and keep in the context what applies to the lines below."""
        if not cut.labelled:
            return Opening([])
        index = self._knowledge.index
        named = mentions_of(cut.label_tokens, cut.label, index, votes)
        rest = mentions_of(cut.tokens, cut.mentions, index, votes)
        return self.headings.open(cut.text, cut.span, named, rest, context)


def _is_remark(items: list[Mention], structure: Parse) -> bool:
    """Whether a sentence without a head is about technique, advice or history, by its structure or a cue."""
    placed = mentioned_items(structure)
    lost = any(item.kind == FINDING and at not in placed for at, item in enumerate(items))
    said = any(one.status in ("none", "past") for one in structure)
    return not lost and (said or any(item.kind in _PASSED_OVER for item in items))


def _unknown(scene: ParsedSentence, structure: Parse, heads: list[FindingDraft]) -> tuple[Mention, ...]:
    """Return the unknown words that neither head a finding nor name a site with the noun of their list."""
    named = {head.item.start for head in heads}
    placed = {*chain.from_iterable(one.placed for one in structure)}
    unknown = [at for at in scene.all_of(UNKNOWN) if at not in placed or completed_entry(scene, at, ANATOMY) is None]
    return tuple(scene.items[at] for at in unknown if scene.items[at].start not in named)
