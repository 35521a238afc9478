"""The default reader: composes findings from the structure that a small trained model predicts for each sentence; needs no
network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, Lexicon
from kgscore.model import Detail, Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.files import table
from kgscore.ontology.index import Index
from kgscore.reading.anaphora import (
    apply_change,
    explained,
    explains,
    independent_drafts,
    interpreted_sites,
    stated_change,
)
from kgscore.reading.build import Builder, Source, deduplicate, without_repetitions
from kgscore.reading.composition.sentences import Composed, Predict, Sentences
from kgscore.reading.discourse import NO_FRAME, NO_VOTES, Discourse
from kgscore.reading.discourse_places import leave_level, remember_places
from kgscore.reading.entities import entities_of
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.headings import coordinated
from kgscore.reading.markup.plain import Markup, Plain
from kgscore.reading.masks import unmasked_spans
from kgscore.reading.mentions import Mention
from kgscore.reading.refusals import Refusals
from kgscore.reading.remarks import (
    FINDINGS,
    HEADING,
    NOT_COMPOSED,
    OVER_BUDGET,
    REDACTED,
    REFUSAL,
    TECHNIQUE,
    kind_of,
    only_remarks,
    opening,
    remark_of,
    remark_words,
)
from kgscore.reading.running import clauses_begin
from kgscore.reading.sections import Sentence, sentences
from kgscore.reading.segments import Segment, Votes, ranked
from kgscore.reading.titles import FILM, is_location_line
from kgscore.reading.tokens import WORD
from kgscore.reading.trace import Step
from kgscore.reading.unlinked import unlinked_finding, unlinked_sentence, unlinked_words
from kgscore.resources import resource

# A line in capitals that names no finding is the title of an examination ("CHEST, PORTABLE AP").
_TITLE = re.compile(
    r"(?=.*\b(?:CTA?|MR[IA]?|US|ULTRASOUND|XR|X-RAY|RADIOGRAPHS?|VIEWS?|AP|PA|PORTABLE|CONTRAST|DOPPLER|DUPLEX|EXAM\w*|STUDY)\b)[^a-z.;]+\s*"
)
# A line of at most _TITLE_WORDS words counts as a title; its votes for a region have the weight _TITLE_VOTES.
_TITLE_WORDS, _TITLE_VOTES = 6, 3

# How many earlier findings are searched for the antecedent of "The nodule"; reports hold fewer than a hundred.
_LOOK_BACK = 300

# Kinds of items allowed beside "normal" in a sentence that states nothing else.
_AROUND_NORMAL = frozenset(("stop", "seen", "cop", "have", "prep", DESCRIPTOR, "change", "past"))
_Piece = TypeVar("_Piece", Finding, Unlinked, Entity)
# Default number of sentences whose reading is cached.
REMEMBERED = 10_000


class _Parts(NamedTuple):
    """A report without markup, split into sentences: those that may hold findings, the spans of the skipped ones with their
    kind of remark, the votes for each region, the only side mentioned, and, for a sentence that only says "normal", the
    structure examined according to the technique."""

    plain: Plain
    sentences: list[tuple[Sentence, Segment, Source]]
    passed: list[tuple[int, int, str]]
    votes: dict[str, int]
    side: str | None
    examined: tuple[SiteAndSide, ...]

    def cuts(self, about: Mapping[str, int] = NO_VOTES) -> list[tuple[Segment, Votes]]:
        """Return what the composition of each sentence depends on; `about` holds the region votes of the text that this one is
        about."""
        return [(cut, ranked(cut.contested, _region_votes(_near(self.votes, cut), about))) for _, cut, _ in self.sentences]


class Reader:
    """Reads reports into findings with an index and a lexicon. The context-free reading of the last `remembered` sentences is
    cached; placement depends on the preceding sentences."""

    def __init__(
        self,
        index: Index,
        lexicon: Lexicon,
        predict: Predict,
        identity: Mapping[str, str],
        remembered: int = REMEMBERED,
    ) -> None:
        self.identity = identity
        self.index = index
        self.lexicon = lexicon
        own = index.brought("defaults")
        shipped = table(resource("mappings", "reading", "defaults.txt"))
        self.builder = Builder(index, {(concept, region): site for concept, region, site in (*shipped, *own)})
        self.own_regions = tuple(dict.fromkeys(region for _, region, _ in own if not region.startswith("@")))
        self.composition = Sentences(index, lexicon, predict, self.builder.placement.fitting, remembered)
        self.refusals = Refusals()
        self.markup = Markup(index, lexicon)
        self._prepared: dict[str, _Parts] = {}
        self._spoken = lru_cache(64)(lambda report: self._cut(report).votes)
        self.remarks = remark_words()

    def prepare(self, reports: Iterable[str]) -> None:
        """Prepare for the reports to be read next: predict the structure of all their sentences in one batch."""
        self._prepared = {report: self._cut(report) for report in dict.fromkeys(reports)}
        self.composition.ahead([cut for one in self._prepared.values() for cut in one.cuts()])

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        return self._read(report, None)

    def read_within(self, statement: str, report: str) -> Reading:
        """Return the reading of a statement about a report; ambiguous words are resolved to the regions that the report
        mentions."""
        return self._read(statement, None, self._spoken(report))

    def trace(self, report: str) -> list[Step]:
        """Return how a report is read: each sentence that is not skipped with its items, structure and findings."""
        steps: list[Step] = []
        self._read(report, steps)
        return steps

    def _read(self, report: str, steps: list[Step] | None, about: Mapping[str, int] = NO_VOTES) -> Reading:
        """Return the reading of a report, and append a step for each sentence to `steps` unless that is None. `about` holds
        the region votes of another text that the report is about."""
        findings: list[Finding] = []
        unlinked: list[Unlinked] = []
        parsed: list[tuple[Source, list[Mention], list[FindingDraft]]] = []
        context = Discourse(about=about)
        pending: list[tuple[FindingDraft, Source]] = []
        prepared = self._prepared.pop(report, None)
        parts = prepared or self._cut(report)
        if about or prepared is None:
            self.composition.ahead(parts.cuts(about))
        if steps is not None:
            steps += [Step(report[start:end], start, 0, kind) for start, end, kind in parts.passed]
        context.limb_side, context.examined = parts.side, parts.examined
        for sentence, cut, source in parts.sentences:
            before, unknown = len(findings), len(unlinked)
            composed = self._sentence(sentence, cut, source, parts.votes, context, findings, unlinked, pending)
            parsed.append((source, composed.items, composed.heads))
            fate = FINDINGS if len(findings) > before else self._fate(sentence, source, composed)
            if fate in (NOT_COMPOSED, OVER_BUDGET) and len(unlinked) == unknown:
                unlinked.append(unlinked_sentence(sentence, source))
            if steps is not None:
                begin = cut.span[0] if cut.label_tokens else cut.start
                said_here = tuple(findings[before:])
                written = report[source.offset : source.offset + len(source.text)]
                read = composed.items, composed.structure, said_here, composed.rules
                steps.append(Step(written, source.offset, begin, fate, *read))
        if not parts.sentences and not parts.passed and any(map(str.isalnum, report)):  # markup and nothing else
            begin, text = len(report) - len(report.lstrip()), report.strip()
            unlinked.append(Unlinked(text, begin, begin + len(text)))
        if steps is not None:
            steps.sort(key=lambda step: step.offset + step.begin)
        if parts.plain.text != report:
            findings, unlinked = _as_written(findings, report), _as_written(unlinked, report)
        return Reading(tuple(deduplicate(findings)), unlinked=tuple(unlinked), make=lambda: self._entities(parsed, report))

    def _cut(self, report: str) -> _Parts:
        """Split a report into the sentences that may hold findings and those that are skipped."""
        plain = self.markup.plain(report)
        report = plain.text
        found: list[tuple[Sentence, Segment, Source]] = []
        passed = [*plain.passed]
        for sentence in sentences(report):
            kind = remark_of(report, sentence)
            said = [] if kind else list(unmasked_spans(report, sentence.start, sentence.end))
            kind = kind or ("" if said else REDACTED)
            said = [part for start, end in said for part in self.refusals.said(report, start, end)]
            for start, end in said:
                part = sentence._replace(start=start, end=end)
                cut, source = self.composition.cut(report, part)
                shown = part._replace(start=opening(report, start, end, self.remarks))
                named = shown.start > start and self._of_sequence(report, part._replace(end=shown.start))
                if shown.start > start and not named and (rest := self.composition.cut(report, shown))[0].places:
                    passed.append((start, shown.start, TECHNIQUE))
                    part, (cut, source) = shown, rest
                found += self._clauses(report, part, cut, source)
            if not said:
                passed.append((sentence.start, sentence.end, kind or REFUSAL))
        votes: dict[str, int] = {}
        for sentence, cut, _ in found:
            weight = _TITLE_VOTES if sentence.alone and len(cut.tokens) <= _TITLE_WORDS else 1
            for name, count in cut.votes.items():
                votes[name] = votes.get(name, 0) + weight * count
        sides = {side for _, cut, _ in found for side in cut.sides}
        examined = self._examined(report, passed) if any(self._only_normal(cut) for _, cut, _ in found) else ()
        return _Parts(plain, found, passed, votes, next(iter(sides)) if len(sides) == 1 else None, examined)

    def _clauses(self, report: str, part: Sentence, cut: Segment, source: Source) -> list[tuple[Sentence, Segment, Source]]:
        """Split a sentence into its clauses if it is dictated without punctuation."""
        begin = [source.offset + at for at in clauses_begin(cut.tokens, cut.mentions)]
        if not begin:
            return [(part, cut, source)]
        parts = [part._replace(end=begin[0], alone=False)]
        for start, end in pairwise((*begin, part.end)):
            start += len(report[start:end]) - len(report[start:end].lstrip())
            parts.append(part._replace(start=start, end=end, label=None, opens_line=False, alone=False))
        return [(one, *self.composition.cut(report, one)) for one in parts]

    def _only_normal(self, cut: Segment) -> bool:
        """Whether a sentence only states normality, without a subject ("Normal.", "No abnormality detected.")."""
        words = any(m.form is None and cut.tokens[m.first].kind == WORD for m in cut.mentions)
        forms = [m.form for m in cut.mentions if m.form]
        named = [form.types[NORMAL].id for form in forms if NORMAL in form.types and form.kind in (NORMAL, "neg", "negpost")]
        around = {form.kind for form in forms if NORMAL not in form.types}
        plain = named == [self.index.role("plain_normal")]
        return plain and not words and not cut.labelled and around <= _AROUND_NORMAL

    def _examined(self, report: str, passed: Iterable[tuple[int, int, str]]) -> tuple[SiteAndSide, ...]:
        """Return the structure named by the sentences on technique, if there is exactly one."""
        told = (Sentence(start, end, FINDINGS, False, None, True, False) for start, end, kind in passed if kind == TECHNIQUE)
        mentions = [m for one in told for m in self.composition.cut(report, one)[0].mentions if m.form and m.form.kind == ANATOMY]
        named = {m.form.types[ANATOMY].id: m.side for m in mentions if m.form}
        return tuple(named.items()) if len(named) == 1 and all(self._is_one(name) for name in named) else ()

    def _is_one(self, name: str) -> bool:
        """Whether a structure is not a group of several ("abdomen and pelvis")."""
        return "group" not in self.index.concepts[name].flags

    def _of_sequence(self, report: str, part: Sentence) -> bool:
        """Whether a part of a sentence names an MRI sequence that the rest refers to ("FLAIR shows …")."""
        return any(m.form is not None and "seq" in m.form.types for m in self.composition.cut(report, part)[0].mentions)

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

    def _entities(
        self, parsed: list[tuple[Source, list[Mention], list[FindingDraft]]], report: str
    ) -> tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]:
        """Return the entities and relations of all sentences."""
        entities: list[Entity] = []
        relations: list[EntityRelation] = []
        for source, items, heads in parsed:
            entities_of(items, heads, source, self.index, entities, relations)
        return tuple(_as_written(entities, report)), tuple(relations)

    # ---- one sentence in its report ------------------------------------------------------------------------------
    def _sentence(
        self,
        sentence: Sentence,
        cut: Segment,
        source: Source,
        votes: dict[str, int],
        context: Discourse,
        findings: list[Finding],
        unlinked: list[Unlinked],
        pending: list[tuple[FindingDraft, Source]],
    ) -> Composed:
        """Read one sentence: append its findings and unlinked words, and return its items and heads."""
        local = _near(votes, cut)
        context.regions = self._regions(local)
        if sentence.opens_line and sentence.label is None:
            context.heading, context.heading_side = context.title, context.title_side
        elif sentence.opens_line and self.composition.headings.elsewhere(cut.label, cut.label_tokens, context):
            context.heading, context.heading_side = context.title, context.title_side
            context.last_sites = context.topic = ()
        frame = context.frame() if cut.labelled else NO_FRAME
        around = context.around(heading=not cut.labelled) if cut.partial else None
        said = self.composition.composed(cut, ranked(cut.contested, _region_votes(local, context.about)), frame, around)
        context.level_here = False
        if cut.labelled:
            context.level = None
            context.enter(said.frame)
            if said.placed:
                context.last_sites = context.topic = ()
            if said.titles:
                pending[:] = [(head, source) for head in said.heads]
                return said._replace(heads=[])
        else:
            alone = sentence.alone and sentence.label is None
            if alone and said.line is not None and self._placed_line(sentence, said.line, context, findings, pending):
                return said._replace(items=said.line, heads=[])
            if not sentence.bullet:
                pending.clear()
        said = self._of_all(said, sentence, cut, context)
        latest, said = range(*context.latest), self._told(said, context, findings)
        if said.told and not said.heads:
            return said
        opening = source.text[said.items[0].start : said.items[0].start + 40] if said.heads else ""
        context.return_to(interpreted_sites(opening, said.heads, findings))
        new = self._built(said.heads, source, sentence.section, context, findings)
        if new and explains(source.text[said.items[0].start : said.items[0].end], said.heads):
            shown = [at for at in latest if findings[at].concept in self.composition.vocabulary.generic]
            if all(one.concept for one in new) and explained(findings, shown, new):
                return said._replace(told=True)
        if new:
            leave_level(context, [findings[at] for at in latest], new)
            context.latest = latest.start if said.told else len(findings), len(findings) + len(new)
            if any(one.status != "absent" for one in new) or any(head.sites for head in said.heads):  # "No calcification. It …"
                context.shown = context.latest
        findings.extend(new)
        if said.silent and not cut.labelled and len(places := coordinated(said.items)) == 1:
            context.last_sites = context.topic = places[0]  # "The biceps tendon lies in the groove. It is thickened."
        if said.silent and not (sentence.alone and _TITLE.fullmatch(source.text, sentence.start - source.offset)):
            units = self.composition.vocabulary.units
            found = unlinked_finding(said.items, source, sentence.section, unlinked, self.index, self.remarks, units)
            findings.extend(found)
        else:
            unlinked_words(said.unknown, source, unlinked, self.remarks)
        return said

    def _of_all(self, said: Composed, sentence: Sentence, cut: Segment, context: Discourse) -> Composed:
        """Return what a sentence says, applied to the whole examination if it only states normality."""
        spoken = context.heading or (context.last_sites and not sentence.opens_line)
        if not said.heads or spoken or not self._only_normal(cut):
            return said
        return said._replace(heads=[replace(head, whole=True, details=[]) for head in said.heads])

    def _told(self, said: Composed, context: Discourse, findings: list[Finding]) -> Composed:
        """Attach details and changes to the findings of the preceding sentence that they refer to, and return the rest of the
        sentence."""
        if said.member is not None:
            return self._of_member(said, said.member, findings, context)
        change = stated_change(said.items, said.heads)
        sized = all(one.category in ("length", "previous") for one in said.described)
        bearers = self._bearers(findings, context, sized=sized) if said.described else []
        for at in bearers:
            findings[at] = self.builder.told_more(findings[at], said.described, change)
        if not bearers and (change is None or not apply_change(findings, range(*context.latest), change)):
            return said._replace(heads=[self._unchanged(said)], silent=False) if change == "stable" and not said.heads else said
        return said._replace(heads=independent_drafts(said.heads, said.described, self.composition.vocabulary.own), told=True)

    def _of_member(
        self, said: Composed, details: tuple[Detail, ...], findings: Sequence[Finding], context: Discourse
    ) -> Composed:
        """Return a sentence about the largest of the latest findings as one more finding of that concept, at its own site."""
        bearers = self._bearers(findings, context, sized=False)
        concept = findings[bearers[0]].concept if bearers else None
        if concept is None:
            return said
        first, places = said.items[0], coordinated(said.items, self.index.inside)[:1]
        head = FindingDraft(FINDING, concept, first, first.start, said.items[-1].end, places, details=[*details])
        return said._replace(heads=[head], silent=False)

    def _unchanged(self, said: Composed) -> FindingDraft:
        """Return the head of a sentence that only states that the whole examination is unchanged ("Stable.")."""
        item = next(item for item in said.items if item.kind == "change")
        return FindingDraft(FINDING, self.index.role("altered"), item, item.start, item.end, status="absent")

    def _bearers(self, findings: Sequence[Finding], context: Discourse, *, sized: bool) -> list[int]:
        """Return the possible antecedents of "it" among the latest findings: all of one concept, and lesions (after "the liver
        shows steatosis", it is the liver) or, if the sentence is only `sized`, verdicts on a size."""
        own, index = self.composition.vocabulary.own, self.index
        mine = [at for at in range(*context.shown) if findings[at].status == "present" and findings[at].concept not in own]
        lesions = index.flagged("lesions") | index.flagged("leading_lesions") | index.flagged("showing")
        lesions |= index.flagged("size_verdicts") if sized else frozenset()
        if any(findings[at].concept in self.composition.vocabulary.devices for at in mine):
            return []  # "it is malpositioned" is a finding
        meant = all(index.is_any(findings[at].concept or "", lesions) for at in mine)
        return mine if meant and len({findings[at].concept for at in mine}) == 1 else []

    def _regions(self, votes: dict[str, int]) -> tuple[str, ...]:
        """Return the regions whose defaults apply, in order of precedence: those of the user's modules that are mentioned, the
        three with the most votes, the other regions of the user's modules, and the core."""
        spoken = [name for name in self.own_regions if votes.get(name)]
        most = sorted(votes, key=lambda name: (-votes[name], name))[:3]
        return tuple(dict.fromkeys((*spoken, *most, *self.own_regions, "core")))

    def _placed_line(
        self,
        sentence: Sentence,
        items: list[Mention],
        context: Discourse,
        findings: list[Finding],
        pending: list[tuple[FindingDraft, Source]],
    ) -> bool:
        """Read a line that only names sites: as an entry in a list of sites of the findings above it, or as a title."""
        places = coordinated(items)
        if pending and sentence.bullet:
            for head, source in pending:
                for place in places:
                    placed = FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [place])
                    placed.status, placed.certainty, placed.details = head.status, head.certainty, list(head.details)
                    findings.extend(self.builder.build(placed, source, sentence.section, context))
            return True
        if places and not sentence.bullet:
            context.heading = context.title = tuple(places)
            context.heading_side = context.title_side = next((item.id for item in items if item.kind == "sideword"), None)
            return True
        return False

    def _built(
        self, heads: list[FindingDraft], source: Source, section: str, context: Discourse, findings: list[Finding]
    ) -> list[Finding]:
        """Return the findings of the heads of a sentence, and record their sites in the context; a finding that only refers to
        one of the preceding sentence is merged into that."""
        built: list[tuple[FindingDraft, list[Finding]]] = []
        context.near = context.spoken = ()
        fresh: tuple[SiteAndSide, ...] = ()
        for head in heads:
            result = self.builder.build(head, source, section, context)
            if head.definite and head.status == "present":
                alone = len(heads) == 1
                result = [one for one in result if not self._denied_before(one, findings)]
                result = [one for one in result if not self._said_before(one, head, findings, context, alone)]
            built.append((head, result))
            if result and head.status == "present" and not fresh:
                fresh = tuple((site, result[0].side if len(result) == 1 else None) for site in result[0].sites)
                context.topic = fresh
            if result:
                remember_places(context, head, result, self.builder.placement)
        context.topic = (fresh or context.topic) if built else ()
        context.last_sites = tuple((site, None if side == "both" else side) for site, side in context.last_sites)
        return without_repetitions(_surest(self._exceptions(built)))

    def _said_before(
        self, finding: Finding, head: FindingDraft, findings: list[Finding], context: Discourse, alone: bool
    ) -> bool:
        """Whether a finding was reported before, in which case its details are merged into the earlier one; a finding that
        comes `alone` must have some."""
        mine = self._pointed_at(finding, head, findings, range(*context.latest))
        told = finding.details or finding.change or finding.alternatives
        otherwise = any(findings[at].change not in (None, finding.change or findings[at].change) for at in mine)
        if not mine or otherwise or (alone and not told):
            return not alone and self._mentioned(finding, findings)
        for at in mine:
            findings[at] = self.builder.told_more(findings[at], finding.details, finding.change, finding.alternatives)
        return True

    def _pointed_at(self, finding: Finding, head: FindingDraft, findings: list[Finding], latest: range) -> list[int]:
        """Return the antecedents of "the mass": those in the preceding sentence or, if no site is given, the only earlier one;
        "the findings" are all findings of that sentence."""
        recent = range(max(0, len(findings) - _LOOK_BACK), len(findings))
        present = [at for at in recent if findings[at].status == "present"]
        mine = [at for at in present if at in latest and self._mentioned(finding, findings[at : at + 1])]
        if finding.concept == self.index.role("any_finding"):
            return [at for at in present if at in latest] if mine else []
        if mine or head.sites or finding.both:
            return mine
        such = [at for at in present if self.index.is_a(findings[at].concept or "", head.concept)]
        such = [at for at in such if at in latest] or such
        return such if len(such) == 1 and head.side in (None, findings[such[0]].side) else []

    def _mentioned(self, finding: Finding, earlier: list[Finding]) -> bool:
        """Whether "the mass" only refers to a finding reported in an earlier sentence, to add something else about it."""
        return any(other.status == "present" and self._within(other, finding) for other in earlier[-_LOOK_BACK:])

    def _denied_before(self, finding: Finding, earlier: list[Finding]) -> bool:
        """Whether a definite finding ("the nodule") was denied earlier in the report. Statements about a tube that was removed
        are kept."""
        no = (one for one in earlier[-_LOOK_BACK:] if one.status == "absent" and one.change is None and not one.restricted)
        return any(self._within(finding, one) for one in no)

    def _within(self, one: Finding, other: Finding) -> bool:
        """Whether a finding is a subclass of another one, on its side and within its sites."""
        kind = bool(one.concept and other.concept) and self.index.is_a(one.concept or "", other.concept or "")
        if not kind or other.side not in (None, one.side):
            return False
        return all(any(self.index.inside(place, site) for place in one.sites) for site in other.sites)

    def _exceptions(self, built: list[tuple[FindingDraft, list[Finding]]]) -> list[Finding]:
        """Restrict the normal statement of "Kidneys normal except …": it carries `otherwise`, on the side of the exception
        only."""
        out: list[Finding] = []
        for head, findings in built:
            if not head.otherwise:
                out += findings
                continue
            sides = {f.side for other, fs in built if other is not head and other.status == "present" for f in fs}
            for finding in findings:
                if finding.both and sides and None not in sides:
                    finding = replace(finding, both=False)
                    if finding.side not in sides:
                        details = tuple(d for d in finding.details if d.value != "otherwise")
                        finding = replace(finding, details=details, restricted=False)
                out.append(finding)
        return out


def _as_written(pieces: Sequence[_Piece], report: str) -> list[_Piece]:
    """Return items with their text as in the original report, before markup was removed."""
    return [replace(one, text=report[one.start : one.end]) for one in pieces]


def _near(votes: dict[str, int], cut: Segment) -> dict[str, int]:
    """Return the region votes of a report as weighted for one of its sentences."""
    return {name: count + 12 * cut.votes.get(name, 0) for name, count in votes.items()}


def _region_votes(votes: dict[str, int], about: Mapping[str, int]) -> dict[str, int]:
    """Return the region votes used to disambiguate words, including those of the text that this one is `about`."""
    return {name: votes.get(name, 0) + about.get(name, 0) for name in dict.fromkeys((*votes, *about))} if about else votes


def _surest(findings: list[Finding]) -> list[Finding]:
    """Drop uncertain findings that only repeat a definite one of the sentence ("intimal flap in the aorta, consistent with
    dissection")."""
    sure = {(f.concept, f.sites, f.side, f.status) for f in findings if f.certainty == "definite"}
    return [f for f in findings if f.certainty == "definite" or f.details or (f.concept, f.sites, f.side, f.status) not in sure]
