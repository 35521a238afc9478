"""References of a sentence to earlier findings: "It has grown", "The nodule measures 3 mm", "No change since", "the largest"."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Change, Detail, Finding
from kgscore.ontology.index import Index
from kgscore.reading.build import Builder
from kgscore.reading.composition.descriptors import details_of, directional_change, of_change
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import CERTAINTY_PREFIX, FindingDraft, SiteAndSide
from kgscore.reading.headings import coordinated
from kgscore.reading.mentions import Mention
from kgscore.reading.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kgscore.reading.composition.sentences import Composed

_CHANGES: Mapping[str, Change] = {"increased": "increased", "decreased": "decreased", "stable": "stable"}
# A sentence with one of these kinds has a subject of its own.
_OWN = frozenset((
    FINDING, ANATOMY, QUALITY, NORMAL, UNKNOWN, "sideword", "up", "down", "lost", "abnormal", "signalword", "drop", "history",
    "spoken",
))  # fmt: skip
# Pronouns for the findings of the preceding sentence.
_PRONOUNS = frozenset(("this", "these", "it", "they"))
# The beginning of a sentence that says what all findings before it mean.
_INTERPRETING = re.compile(r"(?:(?:these|the|overall|imaging) )?(?:findings|features|appearances?)\b|this\b", re.IGNORECASE)
_POINTING = re.compile(r"(?:this|these|it|they|that|those|its|their)(?!\S)", re.IGNORECASE)
# Kinds of items in a sentence that only describes those: words around descriptors and sizes.
_AROUND = frozenset((
    DESCRIPTOR, "stop", "cop", "have", "with", "cause", "and", "comma", "colon", "open", "close", "prep", "change", "past",
    "meas",
))  # fmt: skip
# Kinds of items that are details themselves.
_TELLING = (DESCRIPTOR, "meas")
# The reference to one of several findings, and the kinds of items that name something else.
_LARGEST = re.compile(
    r"(?:the )?(?:larg|bigg)(?:est|er)(?: ones?| of (?:them|these|which))? (?:is|was|lies|measures|measuring|being|located"
    r"|situated|seen|in|at|within)\b",
    re.IGNORECASE,
)
_NAMING = frozenset((FINDING, QUALITY, NORMAL, "neg", "negpost", "up", "down", "lost", "abnormal", "signalword"))
# How many earlier findings are searched for the antecedent of "The nodule"; reports hold fewer than a hundred.
_LOOK_BACK = 300
# Maximum distance of a negation before a word of change.
_BEFORE = 3


def stated_change(items: Sequence[Mention], heads: Sequence[FindingDraft]) -> Change | None:
    """Return the change of earlier findings that a sentence without a subject of its own states, or None."""
    own = (at for at, item in enumerate(items) if item.kind in _OWN)
    if heads or any(items[at].kind != UNKNOWN or not at or items[at - 1].kind != "past" for at in own):  # "since the last study"
        return None
    told = [at for at, item in enumerate(items) if item.kind == "change" and item.id in _CHANGES]
    if len({items[at].id for at in told}) != 1:
        return None
    denied = any(item.kind == "neg" for item in items[max(0, told[0] - _BEFORE) : told[0]])
    return "stable" if denied else _CHANGES[items[told[0]].id]


def described_details(scene: ParsedSentence, begin: int) -> tuple[Detail, ...]:
    """Return the details of earlier findings in a sentence that contains nothing else except enhancement or signal ("It is
    large and measures 3 cm", "Size: 3 cm")."""
    items, own = scene.items, scene.knowledge.words.own
    adjectives = [at for at in range(len(items)) if _may_describe(scene, at)]
    apart = {at for at in adjectives if items[at].id in own}
    told = [at for at in _details(scene, {*adjectives} - apart) if at + 1 not in apart]
    sized = not apart and {items[at].kind for at in told} <= {"meas"}
    around = {item.kind for at, item in enumerate(items) if at not in adjectives}
    if not around <= _AROUND | {QUALITY if sized else ""}:
        return ()
    return tuple(details_of(scene, told)) if sized or _POINTING.match(scene.text[begin:].lstrip()) else ()


def _details(scene: ParsedSentence, adjectives: Container[int]) -> list[int]:
    """Return the positions of the details of a sentence, of which some are adjectives of findings."""
    told = (at for at, item in enumerate(scene.items) if item.kind in _TELLING or at in adjectives)
    return [at for at in told if not of_change(scene, at)]


def _may_describe(scene: ParsedSentence, at: int) -> bool:
    """Whether an adjective of a finding may be a detail."""
    adjective = scene.items[at].is_adjective and DESCRIPTOR in scene.items[at].types
    return adjective and directional_change(scene, at) is None


def member_details(scene: ParsedSentence, begin: int) -> tuple[Detail, ...] | None:
    """Return the details of the largest of several earlier findings in a sentence that gives its site ("The largest one is in
    the left lobe and measures 2 cm"); None for other sentences."""
    kinds = {item.kind for item in scene.items}
    if ANATOMY not in kinds or kinds & _NAMING or not _LARGEST.match(scene.text, begin):
        return None
    return tuple(details_of(scene, [at for at, item in enumerate(scene.items) if item.kind in _TELLING]))


def independent_drafts(heads: Sequence[FindingDraft], told: Sequence[Detail], own: Container[str]) -> list[FindingDraft]:
    """Return the heads of a sentence that are separate findings, without the details of earlier ones."""
    return [replace(head, details=[one for one in head.details if one not in told]) for head in heads if head.concept in own]


def apply_change(findings: list[Finding], latest: Iterable[int], change: Change) -> bool:
    """Set the change of the findings of the preceding sentence that have none, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and findings[at].change is None]
    for at in mine:
        findings[at] = replace(findings[at], change=change)
    return bool(mine)


def _interpretations(heads: Sequence[FindingDraft]) -> bool:
    hedged = all(head.certainty != "definite" and head.status == "present" and not head.sites for head in heads)
    return bool(heads) and hedged


def interpreted_sites(opening: str, heads: Sequence[FindingDraft], findings: Sequence[Finding]) -> tuple[SiteAndSide, ...]:
    """Return the places of the last finding that is present, if a sentence only interprets what was found, and not the normal
    structure before it ("These findings are suspicious for malignancy"); else nothing."""
    if not _INTERPRETING.match(opening) or not _interpretations(heads):
        return ()
    shown = next((one for one in reversed(findings) if one.status == "present" and one.sites), None)
    return tuple((site, shown.side) for site in shown.sites) if shown else ()


def explained(findings: list[Finding], latest: Iterable[int], readings: Sequence[Finding]) -> bool:
    """Attach interpretations to findings of the preceding sentence, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and not findings[at].alternatives]
    details = tuple(Detail("inference", one.concept or "", CERTAINTY_PREFIX[one.certainty] + one.label) for one in readings)
    names = tuple(dict.fromkeys(one.concept or "" for one in readings))
    for at in mine:
        findings[at] = replace(findings[at], details=(*findings[at].details, *details), alternatives=names)
    return bool(mine)


class LaterMentions:
    """Resolves what a sentence says of earlier findings, and merges it into them."""

    def __init__(self, index: Index, vocabulary: Vocabulary, builder: Builder) -> None:
        self.index, self.vocabulary, self.builder = index, vocabulary, builder

    def told(self, said: Composed, context: Discourse, findings: list[Finding]) -> Composed:
        """Attach details and changes to the earlier findings that they refer to, and return the rest of the sentence."""
        sized = said.member is None and all(one.category in ("length", "previous") for one in said.described)
        bearers = self._bearers(findings, context, sized=sized) if said.described or said.member is not None else []
        if said.member is not None:
            return self._of_member(said, findings[bearers[0]].concept) if bearers else said
        change = stated_change(said.items, said.heads)
        for at in bearers:
            findings[at] = self.builder.told_more(findings[at], said.described, change)
        if not bearers and (change is None or not apply_change(findings, range(*context.latest), change)):
            if change != "stable" or said.heads:
                return said
            item = next(item for item in said.items if item.kind == "change")  # the whole examination: "Stable."
            head = FindingDraft(FINDING, self.index.role("altered"), item, item.start, item.end, status="absent")
            return said._replace(heads=[head], silent=False)
        return said._replace(heads=independent_drafts(said.heads, said.described, self.vocabulary.own), told=True)

    def _of_member(self, said: Composed, concept: str | None) -> Composed:
        """Return a sentence about the largest of the latest findings as one more finding of that concept, at its own site."""
        first, places, details = said.items[0], coordinated(said.items, self.index.inside)[:1], [*(said.member or ())]
        head = FindingDraft(FINDING, concept or "", first, first.start, said.items[-1].end, places, details=details)
        return said._replace(heads=[head], silent=False)

    def _bearers(self, findings: Sequence[Finding], context: Discourse, *, sized: bool) -> list[int]:
        """Return the possible antecedents of "it" among the latest findings: all of one concept, and lesions (after "the liver
        shows steatosis", it is the liver) or, if the sentence is only `sized`, verdicts on a size."""
        own, flagged = self.vocabulary.own, self.index.flagged
        mine = [at for at in range(*context.shown) if findings[at].status == "present" and findings[at].concept not in own]
        lesions = flagged("lesions") | flagged("leading_lesions") | flagged("showing")
        lesions |= flagged("size_verdicts") if sized else frozenset()
        concepts = {findings[at].concept for at in mine}
        return mine if len(concepts) == 1 and self.index.is_any(concepts.pop(), lesions) else []

    def explained(
        self, opening: str, heads: Sequence[FindingDraft], findings: list[Finding], latest: range, new: Sequence[Finding]
    ) -> bool:
        """Attach new findings that only interpret those of the preceding sentence ("These may represent granulomas") to them;
        return whether they do."""
        if not new or opening.lower() not in _PRONOUNS or not _interpretations(heads):
            return False
        return explained(findings, [at for at in latest if findings[at].concept in self.vocabulary.generic], new)

    def new(
        self, found: Iterable[Finding], head: FindingDraft, findings: list[Finding], context: Discourse, *, alone: bool
    ) -> list[Finding]:
        """Return the findings of a head, without those that "the nodule" refers to: denied before, or reported before, in which
        case the details are merged into the earlier one; `alone` if the sentence has no other head."""
        if not head.definite or head.status != "present":
            return list(found)
        kept = [one for one in found if not self._denied_before(one, findings)]
        return [one for one in kept if not self._said_before(one, head, findings, context, alone)]

    def _said_before(
        self, finding: Finding, head: FindingDraft, findings: list[Finding], context: Discourse, alone: bool
    ) -> bool:
        """Whether a finding was reported before, and its details, which one `alone` must have, are merged into that."""
        mine = self._pointed_at(finding, head, findings, range(*context.latest))
        otherwise = any(findings[at].change not in (None, finding.change or findings[at].change) for at in mine)
        if not mine or otherwise or (alone and not finding.details and not finding.change):
            before = (one for one in findings[-_LOOK_BACK:] if one.status == "present")
            return not alone and any(self._within(one, finding) for one in before)
        for at in mine:
            findings[at] = self.builder.told_more(findings[at], finding.details, finding.change, finding.alternatives)
        return True

    def _pointed_at(self, finding: Finding, head: FindingDraft, findings: list[Finding], latest: range) -> list[int]:
        """Return the antecedents of "the mass": in the preceding sentence or, if no site is given, the only earlier one."""
        present = [at for at in range(max(0, len(findings) - _LOOK_BACK), len(findings)) if findings[at].status == "present"]
        before = [at for at in present if at in latest]
        mine = [at for at in before if self._within(findings[at], finding)]
        if finding.concept == self.index.role("any_finding"):
            return before if mine else []
        if mine or head.sites:
            return mine
        such = self._such(head, findings, before) or self._such(head, findings, present)
        return such if len(such) == 1 and head.side in (None, findings[such[0]].side) else []

    def _such(self, head: FindingDraft, findings: Sequence[Finding], among: Iterable[int]) -> list[int]:
        return [at for at in among if self.index.is_a(findings[at].concept, head.concept)]

    def _denied_before(self, finding: Finding, earlier: list[Finding]) -> bool:
        """Whether a definite finding ("the nodule") was denied earlier in the report; a tube that was removed is none."""
        denials = (one for one in earlier[-_LOOK_BACK:] if one.status == "absent" and one.change is None and not one.restricted)
        return any(self._within(finding, one) for one in denials)

    def _within(self, one: Finding, other: Finding) -> bool:
        """Whether a finding is a subclass of another one, on its side and within its sites."""
        if other.side not in (None, one.side) or not self.index.is_a(one.concept, other.concept):
            return False
        return all(any(self.index.inside(place, site) for place in one.sites) for site in other.sites)


def with_exceptions(built: Sequence[tuple[FindingDraft, list[Finding]]]) -> list[Finding]:
    """Return the findings of heads; "Kidneys normal except …" only carries `otherwise` on the side of the exception."""
    out: list[Finding] = []
    for head, findings in built:
        sides = {f.side for other, fs in built if other is not head and other.status == "present" for f in fs}
        apart = head.otherwise and bool(sides) and None not in sides
        out += [_beside(finding, sides) if apart and finding.both else finding for finding in findings]
    return out


def _beside(finding: Finding, sides: Container[str | None]) -> Finding:
    """Return a normal statement of both sides as that of one: restricted if the exception is on that side."""
    if finding.side in sides:
        return replace(finding, both=False)
    details = tuple(d for d in finding.details if d.value != "otherwise")
    return replace(finding, both=False, details=details, restricted=False)
