"""Findings of a sentence that refer to those of earlier ones: "It has grown", "The nodule measures 3 mm", "the largest one"."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from kgscore.linking.lexicon import FINDING
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.reading.anaphora import apply_change, explained, explains, independent_drafts, stated_change
from kgscore.reading.build import Builder
from kgscore.reading.composition.sentences import Composed
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.headings import coordinated
from kgscore.reading.vocabulary import Vocabulary

# How many earlier findings are searched for the antecedent of "The nodule"; reports hold fewer than a hundred.
_LOOK_BACK = 300


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
        first, places = said.items[0], coordinated(said.items, self.index.inside)[:1]
        details = [*(said.member or ())]
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
        """Attach new findings that only interpret those of the preceding sentence to them; return whether they do."""
        if not new or not explains(opening, heads):
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
        """Return the antecedents of "the mass": those in the preceding sentence or, if no site is given, the only earlier one;
        "the findings" are all findings of that sentence."""
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
        """Return the findings of a kind."""
        return [at for at in among if self.index.is_a(findings[at].concept, head.concept)]

    def _denied_before(self, finding: Finding, earlier: list[Finding]) -> bool:
        """Whether a definite finding ("the nodule") was denied earlier in the report; a tube that was removed is none."""
        no = (one for one in earlier[-_LOOK_BACK:] if one.status == "absent" and one.change is None and not one.restricted)
        return any(self._within(finding, one) for one in no)

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
