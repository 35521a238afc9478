"""The default reader: composes findings from the structure that a small trained model predicts for each sentence; needs no
network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import TypeVar

from kgscore.linking.lexicon import Lexicon
from kgscore.model import Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.files import table
from kgscore.ontology.index import Index
from kgscore.reading.anaphora import LaterMentions, interpreted_sites, with_exceptions
from kgscore.reading.build import Builder, Source, deduplicate, without_repetitions
from kgscore.reading.composition.sentences import Composed, Predict, Sentences
from kgscore.reading.discourse import NO_FRAME, NO_VOTES, Discourse, leave_level, remember_places
from kgscore.reading.entities import entities_of
from kgscore.reading.finding_draft import FindingDraft, Places
from kgscore.reading.headings import coordinated
from kgscore.reading.mentions import Mention
from kgscore.reading.remarks import FINDINGS, HEADING, NOT_COMPOSED, OVER_BUDGET, TECHNIQUE, kind_of, only_remarks, remark_words
from kgscore.reading.report_parts import Cutter, Parts
from kgscore.reading.sections import Sentence
from kgscore.reading.segments import Segment
from kgscore.reading.titles import FILM, is_location_line
from kgscore.reading.trace import Step
from kgscore.reading.unlinked import unlinked_finding, unlinked_sentence, unlinked_words
from kgscore.resources import resource

# A line in capitals that names no finding is the title of an examination ("CHEST, PORTABLE AP").
_TITLE = re.compile(
    r"(?=.*\b(?:CTA?|MR[IA]?|US|ULTRASOUND|XR|X-RAY|RADIOGRAPHS?|VIEWS?|AP|PA|PORTABLE|CONTRAST|DOPPLER|DUPLEX|EXAM\w*|STUDY)\b)[^a-z.;]+\s*"
)
_Piece = TypeVar("_Piece", Finding, Unlinked, Entity)
# Default number of sentences whose reading is cached.
REMEMBERED = 10_000


@dataclass(slots=True)
class _Progress:
    """What was read of a report so far: the context, the findings and unlinked words, the items and heads of each sentence, and
    the heads, `pending`, that the lines below a label give sites to."""

    context: Discourse
    findings: list[Finding] = field(default_factory=list)
    unlinked: list[Unlinked] = field(default_factory=list)
    parsed: list[tuple[Source, list[Mention], list[FindingDraft]]] = field(default_factory=list)
    pending: list[tuple[FindingDraft, Source]] = field(default_factory=list)


class Reader:
    """Reads reports into findings with an index and a lexicon. The context-free reading of the last `remembered` sentences is
    cached; placement depends on the preceding sentences."""

    def __init__(
        self, index: Index, lexicon: Lexicon, predict: Predict, identity: Mapping[str, str], remembered: int = REMEMBERED
    ) -> None:
        self.identity = identity
        self.index = index
        self.lexicon = lexicon
        own = index.brought("defaults")
        shipped = table(resource("mappings", "reading", "defaults.txt"))
        self.builder = Builder(index, {(concept, region): site for concept, region, site in (*shipped, *own)})
        self.own_regions = tuple(dict.fromkeys(region for _, region, _ in own if not region.startswith("@")))
        self.composition = Sentences(index, lexicon, predict, self.builder.placement.fitting, remembered)
        self.remarks = remark_words()
        self.cutter = Cutter(index, lexicon, self.composition.cut, self.remarks)
        self.markup = self.cutter.markup
        self.later = LaterMentions(index, self.composition.vocabulary, self.builder)
        self._prepared: dict[str, Parts] = {}
        self._spoken = lru_cache(64)(lambda report: self.cutter.parts(report).votes)

    def prepare(self, reports: Iterable[str]) -> None:
        """Prepare for the reports to be read next: predict the structure of all their sentences in one batch."""
        self._prepared = {report: self.cutter.parts(report) for report in dict.fromkeys(reports)}
        self.composition.ahead([cut for one in self._prepared.values() for cut in one.cuts()])

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        return self._read(report, None)

    def read_within(self, statement: str, report: str) -> Reading:
        """Return the reading of a statement about a report; ambiguous words are resolved to the regions of the report."""
        return self._read(statement, None, self._spoken(report))

    def trace(self, report: str) -> list[Step]:
        """Return how a report is read: each sentence that is not skipped with its items, structure and findings."""
        steps = [Step(report[start:end], start, 0, kind) for start, end, kind in self.cutter.parts(report).passed]
        self._read(report, steps)
        return sorted(steps, key=lambda step: step.offset + step.begin)

    def _read(self, report: str, steps: list[Step] | None, about: Mapping[str, int] = NO_VOTES) -> Reading:
        """Return the reading of a report, and append a step for each sentence to `steps` unless that is None. `about` holds
        the region votes of another text that the report is about."""
        prepared = self._prepared.get(report)
        parts = prepared or self.cutter.parts(report)
        if about or prepared is None:
            self.composition.ahead(parts.cuts(about))
        done = _Progress(Discourse(about=about, limb_side=parts.side, examined=parts.examined))
        findings, unlinked = done.findings, done.unlinked
        for sentence, cut, source in parts.sentences:
            before, unknown = len(findings), len(unlinked)
            composed = self._sentence(sentence, cut, source, parts, done)
            done.parsed.append((source, composed.items, composed.heads))
            fate = FINDINGS if len(findings) > before else self._fate(sentence, source, composed)
            if fate in (NOT_COMPOSED, OVER_BUDGET) and len(unlinked) == unknown:
                unlinked.append(unlinked_sentence(sentence, source))
            if steps is not None:
                written = report[source.offset : source.offset + len(source.text)]
                begin = cut.span[0] if cut.label_tokens else cut.start
                told = composed.items, composed.structure, tuple(findings[before:]), composed.rules
                steps.append(Step(written, source.offset, begin, fate, *told))
        if not parts.sentences and not parts.passed and any(map(str.isalnum, report)):  # markup and nothing else
            begin, text = len(report) - len(report.lstrip()), report.strip()
            unlinked.append(Unlinked(text, begin, begin + len(text)))
        if parts.plain.text != report:
            findings, unlinked = _as_written(findings, report), _as_written(unlinked, report)

        def graph() -> tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]:
            entities, relations = entities_of(done.parsed, self.index)
            return tuple(_as_written(entities, report)), tuple(relations)

        return Reading(tuple(deduplicate(findings)), unlinked=tuple(unlinked), make=graph)

    def _fate(self, sentence: Sentence, source: Source, composed: Composed) -> str:
        """Return the fate of a sentence that yielded no finding of its own."""
        if composed.over:
            return OVER_BUDGET
        if composed.titles or (composed.line is not None and sentence.alone and sentence.label is None):
            return HEADING
        if composed.heads or composed.told:
            return FINDINGS  # details of a finding of an earlier sentence
        if not composed.silent:
            return kind_of(composed.items, composed.structure)
        begin = sentence.start - source.offset
        title = sentence.alone and _TITLE.fullmatch(source.text, begin)
        film = FILM.search(source.text, begin) and is_location_line(self.index, source.text, composed.items)
        return TECHNIQUE if title or film or only_remarks(composed.items, self.remarks) else NOT_COMPOSED

    # ---- one sentence in its report ------------------------------------------------------------------------------
    def _sentence(self, sentence: Sentence, cut: Segment, source: Source, parts: Parts, done: _Progress) -> Composed:
        """Read one sentence: add its findings and unlinked words, and return its items and heads."""
        said = self._composed(sentence, cut, parts, done.context)
        entered = self._label(said, source, done) if cut.labelled else self._line(said, sentence, done)
        if entered is not None:
            return entered
        said = self.later.told(self._of_all(said, sentence, cut, done.context), done.context, done.findings)
        if said.told and not said.heads:
            return said
        if self._only_explains(said, sentence, source, done):
            return said._replace(told=True)
        if said.silent and not cut.labelled and len(places := coordinated(said.items)) == 1:
            done.context.last_sites = done.context.topic = places[0]  # "The biceps tendon lies in the groove. It is thickened."
        if said.silent and not (sentence.alone and _TITLE.fullmatch(source.text, sentence.start - source.offset)):
            told = said.items, source, sentence.section, done.unlinked, self.index, self.remarks
            done.findings += unlinked_finding(*told, self.composition.vocabulary.units)
        else:
            unlinked_words(said.unknown, source, done.unlinked, self.remarks)
        return said

    def _composed(self, sentence: Sentence, cut: Segment, parts: Parts, context: Discourse) -> Composed:
        """Return the reading of a sentence under the labels that apply to it; a line without a label leaves them."""
        context.regions = self._regions(parts.near(cut))
        context.level_here = False
        elsewhere = sentence.opens_line and self.composition.headings.elsewhere(cut.label, cut.label_tokens, context)
        if elsewhere:
            context.last_sites = context.topic = ()
        if elsewhere or (sentence.opens_line and sentence.label is None):
            context.heading, context.heading_side = context.title, context.title_side
        frame = context.frame() if cut.labelled else NO_FRAME
        around = context.around(heading=not cut.labelled) if cut.partial else None
        return self.composition.composed(cut, parts.ranks(cut, context.about), frame, around)

    def _label(self, said: Composed, source: Source, done: _Progress) -> Composed | None:
        """Record what a label applies to the text after it, and return its reading if it has none."""
        context = done.context
        context.level = None
        context.enter(said.frame)
        if said.placed:
            context.last_sites = context.topic = ()
        if not said.titles:
            return None
        done.pending = [(head, source) for head in said.heads]
        return said._replace(heads=[])

    def _line(self, said: Composed, sentence: Sentence, done: _Progress) -> Composed | None:
        """Return the reading of a line that only names sites, of the findings above it or as a title; else None."""
        context = done.context
        if sentence.alone and sentence.label is None and said.line is not None:
            read, places = said._replace(items=said.line, heads=[]), coordinated(said.line)
            if sentence.bullet and done.pending:
                for (head, source), place in product(done.pending, places):
                    placed = FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [place])
                    placed.details, placed.status, placed.certainty = [*head.details], head.status, head.certainty
                    done.findings += self.builder.build(placed, source, sentence.section, context)
                return read
            if places and not sentence.bullet:
                context.heading = context.title = tuple(places)
                context.heading_side = context.title_side = next((i.id for i in said.line if i.kind == "sideword"), None)
                return read
        done.pending = done.pending if sentence.bullet else []
        return None

    def _only_explains(self, said: Composed, sentence: Sentence, source: Source, done: _Progress) -> bool:
        """Add the findings of a sentence, or return True if they only interpret those of the preceding one."""
        context, findings, latest = done.context, done.findings, range(*done.context.latest)
        words = source.text[said.items[0].start :] if said.heads else ""
        context.return_to(interpreted_sites(words[:40], said.heads, findings))
        new = self._built(said.heads, source, sentence.section, context, findings)
        if not new:
            return False
        if self.later.explained(words[: said.items[0].end - said.items[0].start], said.heads, findings, latest, new):
            return True
        leave_level(context, [findings[at] for at in latest], new)
        context.latest = latest.start if said.told else len(findings), len(findings) + len(new)
        if any(one.status != "absent" for one in new) or any(head.sites for head in said.heads):  # "No calcification. It …"
            context.shown = context.latest
        findings.extend(new)
        return False

    def _of_all(self, said: Composed, sentence: Sentence, cut: Segment, context: Discourse) -> Composed:
        """Return what a sentence says, applied to the whole examination if it only states normality."""
        spoken = context.heading or (context.last_sites and not sentence.opens_line)
        if not said.heads or spoken or not self.cutter.only_normal(cut):
            return said
        return said._replace(heads=[replace(head, whole=True, details=[]) for head in said.heads])

    def _regions(self, votes: dict[str, int]) -> tuple[str, ...]:
        """Return the regions whose defaults apply, in order of precedence: those of the user's modules that are mentioned, the
        three with the most votes, the other regions of the user's modules, and the core."""
        spoken = [name for name in self.own_regions if votes.get(name)]
        most = sorted(votes, key=lambda name: (-votes[name], name))[:3]
        return tuple(dict.fromkeys((*spoken, *most, *self.own_regions, "core")))

    def _built(
        self, heads: list[FindingDraft], source: Source, section: str, context: Discourse, findings: list[Finding]
    ) -> list[Finding]:
        """Return the findings of the heads of a sentence, without those merged into earlier ones, and record their sites."""
        built: list[tuple[FindingDraft, list[Finding]]] = []
        context.near = context.spoken = ()
        fresh: Places = ()
        for head in heads:
            result = self.builder.build(head, source, section, context)
            result = self.later.new(result, head, findings, context, alone=len(heads) == 1)
            built.append((head, result))
            if result and head.status == "present" and not fresh:
                fresh = tuple((site, result[0].side if len(result) == 1 else None) for site in result[0].sites)
                context.topic = fresh
            if result:
                remember_places(context, head, result, self.builder.placement)
        context.topic = context.topic if built else ()
        context.last_sites = tuple((site, None if side == "both" else side) for site, side in context.last_sites)
        return without_repetitions(_surest(with_exceptions(built)))


def _as_written(pieces: Sequence[_Piece], report: str) -> list[_Piece]:
    """Return items with their text as in the original report, before markup was removed."""
    return [replace(one, text=report[one.start : one.end]) for one in pieces]


def _surest(findings: list[Finding]) -> list[Finding]:
    """Drop uncertain findings that only repeat a definite one of the sentence ("flap, consistent with dissection")."""
    sure = {(f.concept, f.sites, f.side, f.status) for f in findings if f.certainty == "definite"}
    return [f for f in findings if f.certainty == "definite" or f.details or (f.concept, f.sites, f.side, f.status) not in sure]


