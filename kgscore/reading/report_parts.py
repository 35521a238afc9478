"""The parts of a report: the sentences that may hold findings, and those that are skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, NORMAL, Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.build import Source
from kgscore.reading.discourse import NO_VOTES
from kgscore.reading.finding_draft import Places
from kgscore.reading.markup.plain import Markup, Plain
from kgscore.reading.refusals import Refusals
from kgscore.reading.remarks import FINDINGS, REDACTED, REFUSAL, TECHNIQUE, opening, remark_of, unmasked_spans
from kgscore.reading.running import clauses_begin
from kgscore.reading.sections import Sentence, sentences
from kgscore.reading.segments import Segment, Votes, ranked
from kgscore.reading.tokens import WORD

# A line of at most _TITLE_WORDS words counts as a title; its votes for a region have the weight _TITLE_VOTES.
_TITLE_WORDS, _TITLE_VOTES = 6, 3
# Kinds of items allowed beside "normal" in a sentence that states nothing else.
_AROUND_NORMAL = frozenset(("stop", "seen", "cop", "have", "prep", DESCRIPTOR, "change", "past"))


Cut = Callable[[str, Sentence], tuple[Segment, Source]]


class Parts(NamedTuple):
    """A report without markup, split into sentences: those that may hold findings, the spans of the skipped ones with their
    kind of remark, the votes for each region, the only side mentioned, and, for a sentence that only says "normal", the
    structure examined according to the technique."""

    plain: Plain
    sentences: list[tuple[Sentence, Segment, Source]]
    passed: list[tuple[int, int, str]]
    votes: dict[str, int]
    side: str | None
    examined: Places

    def near(self, cut: Segment) -> dict[str, int]:
        """Return the region votes as weighted for one of the sentences."""
        return {name: count + 12 * cut.votes.get(name, 0) for name, count in self.votes.items()}

    def ranks(self, cut: Segment, about: Mapping[str, int]) -> Votes:
        """Return the ranks of the regions that compete for words of a sentence; `about`: the votes of the text it is about."""
        if not cut.contested:
            return ()
        near = self.near(cut)
        return ranked(cut.contested, {name: near.get(name, 0) + about.get(name, 0) for name in cut.contested})

    def cuts(self, about: Mapping[str, int] = NO_VOTES) -> list[tuple[Segment, Votes]]:
        """Return what the composition of each sentence depends on."""
        return [(cut, self.ranks(cut, about)) for _, cut, _ in self.sentences]


class Cutter:
    """Cuts reports into their parts; `cut` segments a sentence, and `remarks` are the words on the examination."""

    def __init__(self, index: Index, lexicon: Lexicon, cut: Cut, remarks: Collection[str]) -> None:
        self.index, self.cut, self.remarks = index, cut, remarks
        self.refusals, self.markup = Refusals(), Markup(index, lexicon)

    def parts(self, report: str) -> Parts:
        """Return the sentences of a report that may hold findings and those that are skipped."""
        plain = self.markup.plain(report)
        report = plain.text
        found: list[tuple[Sentence, Segment, Source]] = []
        passed = [*plain.passed]
        for sentence in sentences(report):
            said, remark = self._said(report, sentence)
            for start, end in said:
                part = self._without_technique(report, sentence._replace(start=start, end=end), passed)
                found += self._clauses(report, part)
            if not said:
                passed.append((sentence.start, sentence.end, remark))
        votes = Counter[str]()
        for sentence, cut, _ in found:
            weight = _TITLE_VOTES if sentence.alone and len(cut.tokens) <= _TITLE_WORDS else 1
            votes.update({name: weight * count for name, count in cut.votes.items()})
        sides = {side for _, cut, _ in found for side in cut.sides}
        examined = self._examined(report, passed) if any(self.only_normal(cut) for _, cut, _ in found) else ()
        return Parts(plain, found, passed, votes, next(iter(sides)) if len(sides) == 1 else None, examined)

    def _said(self, report: str, sentence: Sentence) -> tuple[list[tuple[int, int]], str]:
        """Return the spans of a sentence that may hold findings, and the kind of remark of one that has none."""
        if kind := remark_of(report, sentence):
            return [], kind
        shown = list(unmasked_spans(report, sentence.start, sentence.end))
        return [part for span in shown for part in self.refusals.said(report, *span)], REFUSAL if shown else REDACTED

    def _without_technique(self, report: str, part: Sentence, passed: list[tuple[int, int, str]]) -> Sentence:
        """Return a sentence without the examination that opens it, unless that is an MRI sequence or no structure follows."""
        shown = part._replace(start=opening(report, part.start, part.end, self.remarks))
        if shown.start == part.start or not self.cut(report, shown)[0].places:
            return part
        named = self.cut(report, part._replace(end=shown.start))[0]
        if any(mention.form is not None and "seq" in mention.form.types for mention in named.mentions):
            return part
        passed.append((part.start, shown.start, TECHNIQUE))
        return shown

    def _clauses(self, report: str, part: Sentence) -> list[tuple[Sentence, Segment, Source]]:
        """Cut a sentence, first into its clauses if it is dictated without punctuation."""
        cut, source = self.cut(report, part)
        begin = [source.offset + at for at in clauses_begin(cut.tokens, cut.mentions)]
        if not begin:
            return [(part, cut, source)]
        parts = [part._replace(end=begin[0], alone=False)]
        for start, end in pairwise((*begin, part.end)):
            start += len(report[start:end]) - len(report[start:end].lstrip())
            parts.append(part._replace(start=start, end=end, label=None, opens_line=False, alone=False))
        return [(one, *self.cut(report, one)) for one in parts]

    def only_normal(self, cut: Segment) -> bool:
        """Whether a sentence only states normality, without a subject ("Normal.", "No abnormality detected.")."""
        if cut.labelled or any(m.form is None and cut.tokens[m.first].kind == WORD for m in cut.mentions):
            return False
        forms = [m.form for m in cut.mentions if m.form]
        named = [form.types[NORMAL].id for form in forms if NORMAL in form.types and form.kind in (NORMAL, "neg", "negpost")]
        around = {form.kind for form in forms if NORMAL not in form.types}
        return named == [self.index.role("plain_normal")] and around <= _AROUND_NORMAL

    def _examined(self, report: str, passed: Iterable[tuple[int, int, str]]) -> Places:
        """Return the only structure that the sentences on technique name, if it is no group ("abdomen and pelvis")."""
        told = (Sentence(start, end, FINDINGS, False, None, True, False) for start, end, kind in passed if kind == TECHNIQUE)
        mentions = (mention for one in told for mention in self.cut(report, one)[0].mentions)
        named = {m.form.types[ANATOMY].id: m.side for m in mentions if m.form and m.form.kind == ANATOMY}
        return tuple(named.items()) if len(named) == 1 and self.index.marked("group").isdisjoint(named) else ()
