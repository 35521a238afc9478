"""The default reader: rules over the lexicon, no model, no network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from kgscore.linking.cues import table
from kgscore.linking.lexicon import Form, Lexicon, Mention
from kgscore.model import Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import Builder, Source, deduplicate
from kgscore.reading.compose.composer import Composer
from kgscore.reading.compose.phrases import Head
from kgscore.reading.entities import entities_of
from kgscore.reading.headings import Headings, Opening, coordinated
from kgscore.reading.items import Item, items_of
from kgscore.reading.placement import LIMBS, NO_FRAME, Context, Frame
from kgscore.reading.sections import SILENT, Sentence, sentences
from kgscore.reading.sharing import share_empty_noun, share_head_noun, share_number, share_prefix, spread_levels
from kgscore.reading.signals import signals
from kgscore.reading.tokens import WORD, Token, tokenize
from kgscore.reading.unlinked import unlinked_finding, unlinked_words
from kgscore.reading.vocabulary import vocabulary_of
from kgscore.resources import resource

_ADVICE = re.compile(
    r"(?:if|should|consider|recommend|suggest|please|advise|correlat\w+|follow[- ]?up|further|query|exclude"
    r"|to exclude|to assess|to evaluate|to rule out|evaluate|assess|is there|are there|does|question)\b",
    re.IGNORECASE,
)
# Items of a line that only says where.
_PLACING = ("A", "sideword", "stop", "and", "comma", "M", "slash", "colon")
# How many characters before a word composition looks at; it sees no further than a full stop or semicolon.
_BEHIND = 45
_LESIONS = ("lesion", "infarct", "hematoma", "collection", "demyelination", "plaque")


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
    a line that only says where, and `unknown` words that nobody knows; `silent` tells that nothing was understood.
    """

    items: list[Item]
    heads: list[Head]
    frame: Frame
    titles: bool = False
    placed: bool = False
    line: list[Item] | None = None
    unknown: tuple[Item, ...] = ()
    silent: bool = False


class Reader:
    """Reads reports into findings with the help of an index and a lexicon.

    What a sentence says depends on its text, the label above it and the regions that the report speaks of, and is kept for
    the last `remembered` sentences. Where that is, the sentences before it decide.
    """

    def __init__(self, index: Index, lexicon: Lexicon, *, remembered: int = 20_000) -> None:
        self.index = index
        self.lexicon = lexicon
        self.builder = Builder(index, {(c[0], c[1]): c[2] for c in table(resource("mappings", "reading", "defaults.txt"))})
        self.vocabulary = vocabulary_of(index)
        self.headings = Headings(index, lexicon, self.vocabulary.empty)
        self._cut = lru_cache(remembered)(self._cut_anew)
        self._composed = lru_cache(remembered)(self._compose)

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        findings: list[Finding] = []
        unlinked: list[Unlinked] = []
        parsed: list[tuple[Source, list[Item], list[Head]]] = []
        context = Context([])
        pending: list[tuple[Head, Source]] = []
        parts: list[tuple[Sentence, Cut, Source]] = []
        for sentence in sentences(report):
            if not _silent(report, sentence):
                source = _source(report, sentence)
                start, label, offset = sentence.start, sentence.label, source.offset
                cut = self._cut(source.text, start - offset, (label[0] - offset, label[1] - offset) if label else None)
                parts.append((sentence, cut, source))
        votes: dict[str, int] = {}
        sides: set[str] = set()
        for _, cut, _ in parts:
            sides |= cut.sides
            for name, count in cut.votes.items():
                votes[name] = votes.get(name, 0) + count
        if len(sides) == 1:
            context.limb_side = sides.pop()
        for sentence, cut, source in parts:
            items, heads = self._sentence(sentence, cut, source, votes, context, findings, unlinked, pending)
            parsed.append((source, items, heads))
        return Reading(tuple(deduplicate(findings)), unlinked=tuple(unlinked), make=lambda: self._entities(parsed))

    def _entities(
        self, parsed: list[tuple[Source, list[Item], list[Head]]]
    ) -> tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]:
        """Return the entities and relations of all sentences."""
        entities: list[Entity] = []
        relations: list[EntityRelation] = []
        for source, items, heads in parsed:
            entities_of(items, heads, source, self.index, entities, relations)
        return tuple(entities), tuple(relations)

    # ---- one sentence, wherever it stands ------------------------------------------------------------------------
    def _cut_anew(self, text: str, start: int, span: tuple[int, int] | None) -> Cut:
        """Cut a sentence into tokens, misspelt words corrected, and mentions: from `start` on, and its label at `span`."""
        tokens = tokenize(text[start:], start)
        words = self.lexicon.words
        for position, token in enumerate(tokens):
            if token.kind == WORD and token.norm not in words and (known := self.lexicon.corrected(token.norm)) is not None:
                tokens[position] = token._replace(norm=known)
        mentions = self.lexicon.scan(tokens)
        label_tokens = tokenize(text[span[0] : span[1]], span[0]) if span else []
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

    def _items(self, tokens: list[Token], mentions: list[Mention], votes: dict[str, int]) -> list[Item]:
        """Return the items of a sentence or label, with all that coordinated items share."""
        items = spread_levels(items_of(tokens, mentions, votes), self.lexicon)
        share_prefix(items, tokens, self.lexicon)
        share_head_noun(items, tokens, self.lexicon)
        share_number(items, tokens, self.lexicon)
        share_empty_noun(items, tokens, self.lexicon, self.vocabulary.empty)
        return items

    def _compose(self, cut: Cut, votes: Votes, frame: Frame, around: str | None) -> Composed:
        """Return what a sentence says: `votes` ranks the regions that compete for its words, `frame` is what labels above
        it said, and `around` the structure spoken of, where they matter."""
        local = dict(votes)
        items = signals(self._items(cut.tokens, cut.mentions, local), self.index.concepts, cut.sequence)
        context = Context([], last_sites=((around, None),) if around else ())
        context.enter(frame)
        opening = Opening(items)
        line = None
        if cut.labelled:
            named = self._items(cut.label_tokens, cut.label, local)
            opening = self.headings.open(cut.text, cut.span, named, items, context)
            if opening.listed:
                heads = Composer(self.vocabulary, cut.text).run(opening.items, [], None)
                return Composed(opening.items, heads, context.frame(), titles=True)
            if not opening.items:
                return Composed(named, [], context.frame(), titles=True)
        elif items and all(item.kind in _PLACING for item in items):
            line = [replace(item) for item in items]
        if opening.sites:
            context.heading = [*opening.sites, *(h for h in context.title if h not in opening.sites)]
        items = opening.items
        self.headings.name_parts(items, cut.tokens, cut.start, context)
        composer = Composer(self.vocabulary, cut.text)
        heads = composer.run(items, opening.sites, opening.side)
        silent = not heads and not composer.dropped and not composer.history
        unknown = tuple(item for item in items if item.kind == "W" and not item.used)
        return Composed(items, heads, context.frame(), False, bool(opening.sites), line, unknown, silent)

    # ---- one sentence in its report ------------------------------------------------------------------------------
    def _sentence(
        self,
        sentence: Sentence,
        cut: Cut,
        source: Source,
        votes: dict[str, int],
        context: Context,
        findings: list[Finding],
        unlinked: list[Unlinked],
        pending: list[tuple[Head, Source]],
    ) -> tuple[list[Item], list[Head]]:
        """Read one sentence: append its findings and unlinked words, and return its items and heads."""
        local = {name: count + 4 * cut.votes.get(name, 0) for name, count in votes.items()}
        context.regions = (*sorted(local, key=lambda name: (-local[name], name))[:3], "core")
        if sentence.label is None and sentence.opens_line:
            context.heading, context.heading_side = context.title, context.title_side
        frame = context.frame() if cut.labelled else NO_FRAME
        around = context.around(heading=not cut.labelled) if cut.partial else None
        said = self._composed(cut, _ranked(cut.contested, local), frame, around)
        if cut.labelled:
            context.enter(said.frame)
            if said.placed:
                context.last_sites = ()
            if said.titles:
                pending[:] = [(head, source) for head in said.heads]
                return said.items, []
        else:
            alone = sentence.alone and sentence.label is None
            if alone and said.line is not None and self._placed_line(sentence, said.line, context, findings, pending):
                return said.line, []
            if not sentence.bullet:
                pending.clear()
        findings.extend(self._built(said.heads, source, sentence.section, context, findings))
        if said.silent:
            findings.extend(unlinked_finding(said.items, source, sentence.section, unlinked))
        else:
            unlinked_words(said.unknown, source, unlinked)
        return said.items, said.heads

    def _placed_line(
        self,
        sentence: Sentence,
        items: list[Item],
        context: Context,
        findings: list[Finding],
        pending: list[tuple[Head, Source]],
    ) -> bool:
        """Read a line that only names sites: one of a list of places of the findings above it, or a title."""
        places = coordinated(items)
        if pending and sentence.bullet:
            for head, source in pending:
                for place in places:
                    placed = Head(head.kind, head.concept, head.item, head.start, head.end, [place])
                    placed.status, placed.certainty, placed.details = head.status, head.certainty, list(head.details)
                    findings.extend(self.builder.build(placed, source, sentence.section, context))
            return True
        if places and not sentence.bullet:
            context.heading = context.title = places
            context.heading_side = context.title_side = next((item.id for item in items if item.kind == "sideword"), None)
            return True
        return False

    def _built(self, heads: list[Head], source: Source, section: str, context: Context, earlier: list[Finding]) -> list[Finding]:
        """Return the findings of the heads of a sentence, and keep in the context where they are."""
        built: list[tuple[Head, list[Finding]]] = []
        context.near = ()
        for head in heads:
            result = self.builder.build(head, source, section, context)
            if head.definite and head.status == "present" and len(heads) > 1:
                result = [finding for finding in result if not self._mentioned(finding, earlier)]
            built.append((head, result))
            if result:
                self._remember(head, result, context)
        return self._exceptions(built)

    def _remember(self, head: Head, findings: list[Finding], context: Context) -> None:
        """Keep where the findings of a head are for what later sentences leave out."""
        first = findings[0]
        sites = tuple((site, first.side if len(findings) == 1 else None) for site in first.sites)
        context.near = tuple((site, None) for site in first.sites)
        if first.concept and self.index.is_a(first.concept, "invasion"):
            return  # "extension into the third ventricle": what comes is where the lesion is
        if not context.last_sites or head.status == "present":
            context.last_sites = sites
        if first.status == "present" and first.concept and self.index.is_any(first.concept, _LESIONS):
            context.lesion_sites = sites
        for finding in findings:
            if finding.side and not finding.both and finding.sites and self.index.inside_any(finding.sites[0], LIMBS):
                context.limb_side = finding.side

    def _mentioned(self, finding: Finding, earlier: list[Finding]) -> bool:
        """Whether "the mass" only points at a finding that an earlier sentence reported, to say something else about it."""
        index = self.index
        return any(
            other.status == "present"
            and other.concept
            and finding.concept
            and index.is_a(other.concept, finding.concept)
            and (finding.side is None or finding.side == other.side)
            and all(any(index.inside(place, site) for place in other.sites) for site in finding.sites)
            for other in earlier
        )

    def _exceptions(self, built: list[tuple[Head, list[Finding]]]) -> list[Finding]:
        """ "Kidneys normal except …": the restricted normal statement carries `otherwise`, on the side of the exception only."""
        out: list[Finding] = []
        for head, findings in built:
            if not head.otherwise:
                out += findings
                continue
            sides = {f.side for other, fs in built if other is not head and other.status == "present" for f in fs}
            for finding in findings:
                if finding.both and sides and finding.side not in sides and None not in sides:
                    details = tuple(d for d in finding.details if d.value != "otherwise")
                    finding = replace(finding, details=details, restricted=False)
                out.append(finding)
        return out


def _source(report: str, sentence: Sentence) -> Source:
    """Return the text that a sentence is read from: its label, itself, and what stands right before it in the same clause."""
    first = sentence.label[0] if sentence.label else sentence.start
    back = max(0, first - _BEHIND)
    back = max(back, report.rfind(".", back, first), report.rfind(";", back, first))
    return Source(report[back : sentence.end], back)


def _silent(report: str, sentence: Sentence) -> bool:
    """Whether a sentence reports nothing: by its section, or because it is conditional advice, a question or a request."""
    return sentence.section == SILENT or _ADVICE.match(report, sentence.start, sentence.end) is not None


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


def _ranked(regions: frozenset[str], votes: Mapping[str, int]) -> Votes:
    """Return the rank of each of some regions by how often they are spoken of."""
    if not regions:
        return ()
    levels = sorted({votes.get(region, 0) for region in regions})
    return tuple((region, levels.index(votes.get(region, 0))) for region in sorted(regions))
