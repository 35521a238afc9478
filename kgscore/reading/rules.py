"""The default reader: rules over the lexicon, no model, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgscore.linking.lexicon import Lexicon, Mention, table
from kgscore.model import Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import Builder, Context, deduplicate
from kgscore.reading.clauses import Composer, Head, Place, Vocabulary
from kgscore.reading.entities import entities_of
from kgscore.reading.mentions import (
    Item,
    items_of,
    join_sequences,
    share_empty_noun,
    share_head_noun,
    share_number,
    spread_levels,
)
from kgscore.reading.sections import SILENT, Sentence, sentences
from kgscore.reading.tokens import WORD, Token, tokenize
from kgscore.resources import resource

# Heads that only show something: what "likely …" adds to them is a detail, not a second finding.
_GENERIC = (
    "opacity",
    "lesion",
    "nodule",
    "mass",
    "density_abnormality",
    "signal_abnormality",
    "lucency",
    "collection",
    "cyst",
    "shadow",
    "focus",
    "area",
    "thickening",
    "enhancement",
    "fluid",
    "filling_defect",
    "abnormality_unspecified",
)


_ADVICE = re.compile(
    r"(?:if|should|consider|recommend|suggest|please|advise|correlat\w+|follow[- ]?up|further|query|exclude|to exclude|to assess|to evaluate|to rule out"
    r"|evaluate|assess|is there|are there|does|question)\b", re.IGNORECASE,
)
# Headings that name the examination, not a place of it.
_FILM = re.compile(
    r"\b(?:films?|radiographs?|x-?rays?|views?|scans?|images?|CT|MRI|MR|ultrasound|study|exam\w*|MRA|CTA)\b", re.IGNORECASE
)
# Headings that name a kind of finding without stating one.
_NEUTRAL = frozenset(
    ("device", "support_line", "abnormality", "change", "finding", "postsurgical_change", "area", "incidental_finding")
)


_LESIONS = ("lesion", "infarct", "hematoma", "collection", "demyelination", "plaque")


class Cut(NamedTuple):
    """A sentence cut into tokens and mentions, its label too, with the regions it speaks of."""

    sentence: Sentence
    tokens: list[Token]
    mentions: list[Mention]
    label_tokens: list[Token]
    label: list[Mention]
    votes: dict[str, int]


def _votes(*mentions: list[Mention]) -> dict[str, int]:
    """Return how many mentions speak of each region, those that can only mean one."""
    votes: dict[str, int] = {}
    for group in mentions:
        for mention in group:
            form = mention.form
            if form is not None and form.module is not None:
                votes[form.module] = votes.get(form.module, 0) + 1
    return votes


class Reader:
    """Reads reports into findings with the help of an index and a lexicon."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self.index = index
        self.lexicon = lexicon
        self.builder = Builder(index, {(c[0], c[1]): c[2] for c in table(resource("mappings", "reading", "defaults.txt"))})
        concepts = index.concepts
        findings = [c for c in concepts.values() if c.kind in ("findings", "devices")]
        self._parts: dict[tuple[str, str], str | None] = {}
        self._by_noun: dict[str, list[str]] = {}
        for concept in concepts.values():
            if concept.kind == "anatomy" and " " in concept.label:
                self._by_noun.setdefault(concept.label.rsplit(" ", 1)[1], []).append(concept.id)
        self.vocabulary = Vocabulary(
            empty=frozenset(c.id for c in concepts.values() if "empty" in c.flags),
            qualities=index.qualities,
            generic=frozenset(
                c.id for c in findings if any(index.is_a(c.id, g) for g in _GENERIC) and not index.is_a(c.id, "malignancy")
            ),
            labels={c.id: c.label for c in concepts.values()},
            parents={c.id: self._category(c.id) for c in concepts.values() if c.kind == "descriptors"},
            devices=frozenset(c.id for c in concepts.values() if c.kind == "devices"),
            placed=frozenset(c.id for c in findings if index.soft_sites.get(c.id)),
            states=frozenset(c.id for c in findings if "status" in c.flags or c.values.get("kind") == "procedure"),
            paired=frozenset(c.id for c in concepts.values() if "paired" in c.flags),
            kinds=index.generic | {"joint", "vessel", "artery", "vein"},
            own=frozenset(c.id for c in findings if c.id == "enhancement" or index.is_a(c.id, "signal_abnormality")),
        )

    def _category(self, concept: str) -> str:
        above = self.index.ancestors[concept]
        top = [a for a in above if "descriptor" in self.index.concepts[a].parents]
        return top[0] if top else "descriptor"

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        findings: list[Finding] = []
        unlinked: list[Unlinked] = []
        parsed: list[tuple[list[Item], list[Head]]] = []
        context = Context([])
        pending: list[Head] = []
        cut = [self._cut(report, sentence) for sentence in sentences(report) if sentence.section != SILENT and not self._silent(report, sentence)]
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
        entities: list[Entity] = []
        relations: list[EntityRelation] = []
        for items, heads in parsed:
            entities_of(items, heads, report, self.index, entities, relations)
        return tuple(entities), tuple(relations)

    # ---- one sentence --------------------------------------------------------------------------------------------
    def _cut(self, report: str, sentence: Sentence) -> Cut:
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
        items = spread_levels(items_of(tokens, mentions, votes), self.lexicon)
        share_head_noun(items, tokens, self.lexicon)
        share_number(items, tokens, self.lexicon)
        share_empty_noun(items, tokens, self.lexicon, self.vocabulary.empty)
        return items

    def _signals(self, items: list[Item], label: str | None) -> list[Item]:
        if label is None and not any("seq" in item.types for item in items):
            for item in items:
                if item.kind == "signalword":
                    item.kind = "W"
            return items
        return join_sequences(items, self.index.concepts, label)

    def _silent(self, report: str, sentence: Sentence) -> bool:
        """Conditional advice, questions and requests report nothing."""
        return _ADVICE.match(report, sentence.start, sentence.end) is not None

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
        sentence = part.sentence
        local = {name: count + 4 * part.votes.get(name, 0) for name, count in votes.items()}
        context.regions = (*sorted(local, key=lambda name: (-local[name], name))[:3], "core")
        items = self._items(part.tokens, part.mentions, local)
        label: list[tuple[Place, ...]] = []
        side: str | None = None
        sequence = next((m.form.types["seq"].id for m in part.label if m.form is not None and "seq" in m.form.types), None)
        items = self._signals(items, sequence)
        if sequence is not None and all(
            m.form is None or "seq" in m.form.types or m.form.kind in ("stop", "Q", "prep") for m in part.label
        ):
            sentence = sentence._replace(label=None, alone=False)
        elif sentence.label is None and sentence.opens_line:
            context.heading, context.heading_side = context.title, context.title_side
        if sentence.label is not None:
            named = self._items(part.label_tokens, part.label, local)
            if any(item.kind in ("cop", "have", "seen", "neg", "negpost") for item in named):
                items, named = [*named, Item("colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0), *items], []
            if (
                items
                and items[0].kind not in ("neg", "negpost", "seen", "ask")
                and {item.id for item in named if item.kind == "F"} <= _NEUTRAL
            ):
                named = [item for item in named if item.kind != "F"]
            if any(item.kind == "F" and not item.adjective and item.id not in self.vocabulary.empty for item in items):
                named = [item for item in named if item.kind != "F"]
            if any(item.kind == "F" and not item.adjective for item in named):
                colon = Item(
                    "colon" if items and items[0].kind in ("neg", "negpost", "seen", "hedge", "change", "N") else "comma",
                    "",
                    None,
                    False,
                    sentence.label[1],
                    sentence.label[1],
                    0,
                    0,
                )
                if not items:
                    pending[:] = Composer(self.vocabulary, report).run(named, [], None)
                    return named, []
                items = [*named, colon, *items]
            else:
                films = _FILM.search(report, *sentence.label) is not None
                places = [] if films else self._label_places(named, report, sentence, context)
                sides = {item.id for item in named if item.kind == "sideword"} | {item.side for item in named if item.side}
                side = next((s for s in ("left", "right", "both") if s in sides), None)
                if {"left", "right"} <= sides:
                    side = "both"
                if not items:
                    context.heading = context.title = places
                    context.heading_side = context.title_side = side
                    pending.clear()
                    return named, []
                side = side or context.title_side
                if not places and side:
                    places = [tuple((name, side) for name, _ in alternative) for alternative in context.title or context.heading]
                if places and any(item.kind == "Q" for item in named):
                    items = [item for item in named if item.kind == "Q"] + items
                if not places and any(item.kind == "Q" for item in named):
                    items = [*named, Item("colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0), *items]
                if not places and not side and any(item.kind == "F" for item in named):
                    items = [*named, Item("colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0), *items]
                label = places
                context.heading_side = side if places or side else context.heading_side
                if places:
                    context.last_sites = ()
        elif (
            sentence.alone
            and items
            and all(item.kind in ("A", "sideword", "stop", "and", "comma", "M", "slash", "colon") for item in items)
        ):
            if pending and sentence.bullet:
                for head in pending:
                    for place in self._coordinated(items):
                        clone = Head(
                            head.kind,
                            head.concept,
                            head.item,
                            head.start,
                            head.end,
                            [place],
                            None,
                            head.status,
                            head.certainty,
                            list(head.details),
                        )
                        findings.extend(self.builder.build(clone, report, sentence.section, context))
                return items, []
            places = self._coordinated(items)
            if places and not sentence.bullet:
                context.heading = context.title = places
                context.heading_side = context.title_side = next((item.id for item in items if item.kind == "sideword"), None)
                return items, []
        if sentence.label is None and not sentence.bullet:
            pending.clear()
        if label:
            context.heading = [*label, *(h for h in context.title if h not in label)]
        self._name_parts(items, part, context)
        composer = Composer(self.vocabulary, report)
        heads = composer.run(items, label, side)
        built: list[tuple[Head, list[Finding]]] = []
        for head in heads:
            result = self.builder.build(head, report, sentence.section, context)
            if head.definite and head.status == "present" and len(heads) > 1:
                result = [finding for finding in result if not self._mentioned(finding, findings)]
            built.append((head, result))
            if (result and not context.last_sites) or (result and head.status == "present"):
                context.last_sites = tuple((site, result[0].side if len(result) == 1 else None) for site in result[0].sites)
            if (
                result
                and result[0].status == "present"
                and result[0].concept
                and any(self.index.is_a(result[0].concept, k) for k in _LESIONS)
            ):
                context.lesion_sites = tuple((site, result[0].side if len(result) == 1 else None) for site in result[0].sites)
            for finding in result:
                if (
                    finding.side
                    and not finding.both
                    and finding.sites
                    and any(self.index.inside(finding.sites[0], limb) for limb in ("upper_limb", "lower_limb"))
                ):
                    context.limb_side = finding.side
        findings.extend(self._exceptions(built))
        if not heads and not composer.dropped and not composer.history:
            findings.extend(self._unlinked(items, report, sentence, unlinked))
        else:
            self._unlinked_words(items, report, unlinked)
        return items, heads

    def _name_parts(self, items: list[Item], part: Cut, context: Context) -> None:
        """ "Pancreas: … duct not dilated": a noun that names a part of the structure spoken of is that part."""
        around = [name for alternative in context.heading for name, _ in alternative] or [name for name, _ in context.last_sites]
        for position, item in enumerate(items):
            if item.kind == "A":
                around = [item.id]
            elif item.kind == "W" and around and item.last == item.first:
                found = self._part(part.tokens[item.first].norm.lower(), around[0]) if item.start >= part.sentence.start else None
                if found is not None:
                    item.kind, item.id = "A", found
                    around = [around[0]]

    def _part(self, noun: str, whole: str) -> str | None:
        key = (noun, whole)
        if key not in self._parts:
            named = [n for n in self._by_noun.get(noun, ()) if n != whole and self.index.inside(n, whole)]
            tops = [n for n in named if not any(o != n and self.index.inside(n, o) for o in named)]
            self._parts[key] = tops[0] if len(tops) == 1 else None
        return self._parts[key]

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

    def _label_places(self, named: list[Item], report: str, sentence: Sentence, context: Context) -> list[tuple[Place, ...]]:
        places = self._coordinated(named)
        if context.title and sentence.label is not None:
            # "Main:" below "PULMONARY ARTERIES" is the main pulmonary artery.
            words = [
                t.norm.lower() for t in tokenize(report[sentence.label[0] : sentence.label[1]]) if t.norm not in ("left", "right")
            ]
            above = context.title[0][-1][0] if context.title[0] else ""
            tail = [t.norm.lower() for t in tokenize(self.index.label(above))]
            for form in ([*words, *tail], [*tail, *words]):
                entries = [e for e in self.lexicon.lookup(form) if e.type == "A"] if words else []
                if entries:
                    return [((entries[0].id, None),)]
        return places

    def _coordinated(self, items: Sequence[Item]) -> list[tuple[Place, ...]]:
        """Return the sites named in a heading, one alternative each."""
        found: list[tuple[Place, ...]] = []
        side: str | None = None
        sides = {item.id for item in items if item.kind == "sideword"}
        for item in items:
            if item.kind == "sideword":
                side = item.id
            elif item.kind == "A":
                found.append(((item.id, item.side or side or (next(iter(sides)) if len(sides) == 1 else None)),))
        return found

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
                    finding = _replace(finding, details=details, restricted=False)
                out.append(finding)
        return out

    # ---- what was not understood ---------------------------------------------------------------------------------
    def _unlinked(self, items: list[Item], report: str, sentence: Sentence, unlinked: list[Unlinked]) -> list[Finding]:
        """A sentence about a structure in words that no concept covers is an unlinked finding: it can only match its like."""
        words = [item for item in items if item.kind in ("W", "A", "M", "Q", "N", "up", "down", "lost", "abnormal")]
        unknown = [item for item in words if item.kind == "W" and len(item.id) > 2]
        if not unknown:
            return []
        start, end = words[0].start, words[-1].end
        unlinked.append(Unlinked(report[start:end], start, end))
        if not any(item.kind in ("A", "Q") for item in words):
            return []
        denied = any(item.kind in ("neg", "negpost") for item in items)
        side = next((item.id for item in items if item.kind == "sideword" and item.id in ("left", "right")), None)
        sites = tuple(dict.fromkeys(item.id for item in words if item.kind == "A"))
        text = report[start:end]
        bag = frozenset(item.id for item in words)
        return [
            Finding(
                text, start, end, None, text, sites, side, "absent" if denied else "present", section=sentence.section, words=bag
            )
        ]  # type: ignore[arg-type]

    def _unlinked_words(self, items: list[Item], report: str, unlinked: list[Unlinked]) -> None:
        for item in items:
            if item.kind == "W" and len(item.id) > 2 and not item.used:
                unlinked.append(Unlinked(report[item.start : item.end], item.start, item.end))


def _replace(finding: Finding, **changes: object) -> Finding:
    from dataclasses import replace

    return replace(finding, **changes)  # type: ignore[arg-type]
