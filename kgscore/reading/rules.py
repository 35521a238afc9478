"""The default reader: rules over the lexicon, no model, no network."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from kgscore.linking.cues import table
from kgscore.linking.lexicon import Lexicon, Mention
from kgscore.model import Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import Builder, deduplicate
from kgscore.reading.compose.composer import Composer
from kgscore.reading.compose.phrases import Head
from kgscore.reading.entities import entities_of
from kgscore.reading.headings import Headings, Opening, coordinated
from kgscore.reading.items import Item, items_of
from kgscore.reading.placement import LIMBS, Context
from kgscore.reading.sections import SILENT, Sentence, sentences
from kgscore.reading.sharing import share_empty_noun, share_head_noun, share_number, spread_levels
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
_LESIONS = ("lesion", "infarct", "hematoma", "collection", "demyelination", "plaque")


class Cut(NamedTuple):
    """A sentence cut into tokens and mentions, its label too, with the regions it speaks of."""

    sentence: Sentence
    tokens: list[Token]
    mentions: list[Mention]
    label_tokens: list[Token]
    label: list[Mention]
    votes: dict[str, int]


class Reader:
    """Reads reports into findings with the help of an index and a lexicon."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self.index = index
        self.lexicon = lexicon
        self.builder = Builder(index, {(c[0], c[1]): c[2] for c in table(resource("mappings", "reading", "defaults.txt"))})
        self.vocabulary = vocabulary_of(index)
        self.headings = Headings(index, lexicon, self.vocabulary.empty)

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        findings: list[Finding] = []
        unlinked: list[Unlinked] = []
        parsed: list[tuple[list[Item], list[Head]]] = []
        context = Context([])
        pending: list[Head] = []
        cut = [self._cut(report, sentence) for sentence in sentences(report) if not _silent(report, sentence)]
        votes: dict[str, int] = {}
        for part in cut:
            for name, count in part.votes.items():
                votes[name] = votes.get(name, 0) + count
        sides = {t.norm for part in cut for t in (*part.tokens, *part.label_tokens) if t.norm in ("left", "right")}
        if len(sides) == 1:
            context.limb_side = sides.pop()
        for part in cut:
            parsed.append(self._sentence(report, part, votes, context, findings, unlinked, pending))
        return Reading(tuple(deduplicate(findings)), unlinked=tuple(unlinked), make=lambda: self._entities(report, parsed))

    def _entities(
        self, report: str, parsed: list[tuple[list[Item], list[Head]]]
    ) -> tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]:
        """Return the entities and relations of all sentences."""
        entities: list[Entity] = []
        relations: list[EntityRelation] = []
        for items, heads in parsed:
            entities_of(items, heads, report, self.index, entities, relations)
        return tuple(entities), tuple(relations)

    # ---- one sentence --------------------------------------------------------------------------------------------
    def _cut(self, report: str, sentence: Sentence) -> Cut:
        """Cut a sentence into tokens, misspelt words corrected, and mentions."""
        tokens = tokenize(report[sentence.start : sentence.end], sentence.start)
        words = self.lexicon.words
        for position, token in enumerate(tokens):
            if token.kind == WORD and token.norm not in words and (known := self.lexicon.corrected(token.norm)) is not None:
                tokens[position] = token._replace(norm=known)
        mentions = self.lexicon.scan(tokens)
        label_tokens = tokenize(report[sentence.label[0] : sentence.label[1]], sentence.label[0]) if sentence.label else []
        label = self.lexicon.scan(label_tokens)
        return Cut(sentence, tokens, mentions, label_tokens, label, _votes(mentions, label))

    def _items(self, tokens: list[Token], mentions: list[Mention], votes: dict[str, int]) -> list[Item]:
        """Return the items of a sentence or label, with all that coordinated items share."""
        items = spread_levels(items_of(tokens, mentions, votes), self.lexicon)
        share_head_noun(items, tokens, self.lexicon)
        share_number(items, tokens, self.lexicon)
        share_empty_noun(items, tokens, self.lexicon, self.vocabulary.empty)
        return items

    def _sentence(
        self,
        report: str,
        part: Cut,
        votes: dict[str, int],
        context: Context,
        findings: list[Finding],
        unlinked: list[Unlinked],
        pending: list[Head],
    ) -> tuple[list[Item], list[Head]]:
        """Read one sentence: append its findings and unlinked words, and return its items and heads."""
        sentence = part.sentence
        local = {name: count + 4 * part.votes.get(name, 0) for name, count in votes.items()}
        context.regions = (*sorted(local, key=lambda name: (-local[name], name))[:3], "core")
        items = self._items(part.tokens, part.mentions, local)
        sequence = next((m.form.types["seq"].id for m in part.label if m.form is not None and "seq" in m.form.types), None)
        items = signals(items, self.index.concepts, sequence)
        if sequence is not None and _only_a_sequence(part.label):
            sentence = sentence._replace(label=None, alone=False)
        elif sentence.label is None and sentence.opens_line:
            context.heading, context.heading_side = context.title, context.title_side
        opening = Opening(items)
        if sentence.label is not None:
            named = self._items(part.label_tokens, part.label, local)
            opening = self.headings.open(report, sentence, named, items, context)
            if opening.listed:
                pending[:] = Composer(self.vocabulary, report).run(opening.items, [], None)
                return opening.items, []
            if not opening.items:
                pending.clear()
                return named, []
        elif sentence.alone and self._placed_line(report, sentence, items, context, findings, pending):
            return items, []
        if sentence.label is None and not sentence.bullet:
            pending.clear()
        if opening.sites:
            context.heading = [*opening.sites, *(h for h in context.title if h not in opening.sites)]
        items = opening.items
        self.headings.name_parts(items, part.tokens, part.sentence, context)
        composer = Composer(self.vocabulary, report)
        heads = composer.run(items, opening.sites, opening.side)
        findings.extend(self._built(heads, report, sentence.section, context, findings))
        if not heads and not composer.dropped and not composer.history:
            findings.extend(unlinked_finding(items, report, sentence, unlinked))
        else:
            unlinked_words(items, report, unlinked)
        return items, heads

    def _placed_line(
        self,
        report: str,
        sentence: Sentence,
        items: list[Item],
        context: Context,
        findings: list[Finding],
        pending: list[Head],
    ) -> bool:
        """Read a line that only names sites: one of a list of places of the findings above it, or a title."""
        if not items or any(item.kind not in _PLACING for item in items):
            return False
        places = coordinated(items)
        if pending and sentence.bullet:
            for head in pending:
                for place in places:
                    placed = Head(head.kind, head.concept, head.item, head.start, head.end, [place])
                    placed.status, placed.certainty, placed.details = head.status, head.certainty, list(head.details)
                    findings.extend(self.builder.build(placed, report, sentence.section, context))
            return True
        if places and not sentence.bullet:
            context.heading = context.title = places
            context.heading_side = context.title_side = next((item.id for item in items if item.kind == "sideword"), None)
            return True
        return False

    def _built(self, heads: list[Head], report: str, section: str, context: Context, earlier: list[Finding]) -> list[Finding]:
        """Return the findings of the heads of a sentence, and keep in the context where they are."""
        built: list[tuple[Head, list[Finding]]] = []
        context.near = ()
        for head in heads:
            result = self.builder.build(head, report, section, context)
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
        if first.status == "present" and first.concept and any(self.index.is_a(first.concept, kind) for kind in _LESIONS):
            context.lesion_sites = sites
        for finding in findings:
            limb = finding.sites and any(self.index.inside(finding.sites[0], name) for name in LIMBS)
            if limb and finding.side and not finding.both:
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


def _silent(report: str, sentence: Sentence) -> bool:
    """Whether a sentence reports nothing: by its section, or because it is conditional advice, a question or a request."""
    return sentence.section == SILENT or _ADVICE.match(report, sentence.start, sentence.end) is not None


def _only_a_sequence(label: list[Mention]) -> bool:
    """Whether a label only names an MRI sequence ("T2 signal:")."""
    return all(m.form is None or "seq" in m.form.types or m.form.kind in ("stop", "Q", "prep") for m in label)


def _votes(*mentions: list[Mention]) -> dict[str, int]:
    """Return how many mentions speak of each region, those that can only mean one."""
    votes: dict[str, int] = {}
    for group in mentions:
        for mention in group:
            form = mention.form
            if form is not None and form.module is not None:
                votes[form.module] = votes.get(form.module, 0) + 1
    return votes
