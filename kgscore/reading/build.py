"""Conversion of heads to findings: one finding per side, details in canonical form, duplicates dropped."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple, cast

from kgscore.caches import MemoizedDict
from kgscore.linking.lexicon import FINDING
from kgscore.model import NARROW, WORDING, Certainty, Change, Detail, Finding, Side, Status
from kgscore.ontology.index import Index
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import FindingDraft, Placed, Places
from kgscore.reading.levels import is_beside, is_everywhere
from kgscore.reading.memo import Memo, RecordedAccess
from kgscore.reading.placement import Placement

Sites = tuple[str, ...]
Details = tuple[Detail, ...]
# The attributes of a head that its placement depends on, besides its places and lists, and what a finding states.
_placing = attrgetter(
    "kind", "concept", "side", "inherited", "shared", "otherwise", "whole", "overall", "definite", "taken", "lent", "host"
)
_stated = attrgetter("concept", "side", "status", "certainty", "change", "alternatives", "tip")
# The status of a lack, and that of what is lacking.
_TURNED = {"present": "absent", "absent": "present"}


class Source(NamedTuple):
    """The text that a sentence is read from, and its offset in the report."""

    text: str
    offset: int


class Builder:
    """Builds findings from heads."""

    def __init__(self, index: Index, defaults: Mapping[tuple[str, str], str]) -> None:
        self.index = index
        self.placement = Placement(index, defaults)
        self.restricting = index.narrowing_categories()
        self._placed = MemoizedDict[Hashable, Memo[Placed]](lambda _: Memo(), 50_000)

    def build(self, head: FindingDraft, source: Source, section: str, context: Discourse) -> list[Finding]:
        """Return the findings of a head: one per site alternative and side. A sentence repeated in the same context yields the
        same findings, at another offset."""
        known = head.built.setdefault(section, Memo())
        before = known.get(context)
        if before is None:
            asked = RecordedAccess(context)
            found = self._build(head, source, section, asked)
            known.put(asked, (source.offset, found))
            return found
        offset, found = before
        return found if offset == source.offset else [_moved(finding, source.offset - offset) for finding in found]

    def _build(self, head: FindingDraft, source: Source, section: str, context: RecordedAccess) -> list[Finding]:
        """Return the findings of a head that is not cached for this context."""
        found: list[Finding] = []
        bare = not head.details and head.status == "present" and (head.inherited or not head.sites)
        for alternative in self.placement.levels.apart(head.concept, head.sites) or [()]:
            placed = self._place(head, alternative, context)
            found += [self._finding(head, placed, side, source, section) for side in placed.sides]
        if bare and head.concept in self.index.marked("empty"):
            # "A pattern", "the area" by themselves; but "a shadow" of the lung is an opacity.
            return [finding for finding in found if head.sites and finding.concept != head.concept]
        return found

    def _place(self, head: FindingDraft, places: Places, context: RecordedAccess) -> Placed:
        """Return the placement of a head at one alternative; equivalent heads in the same context are placed once."""
        choices = head.item.choices if head.kind == FINDING else None
        apart = is_everywhere(head, self.index), is_beside(head, self.index)
        key = (_placing(head), places, tuple(head.normals), tuple(head.tips), choices, head.status == "present", apart)
        known = self._placed[key]
        placed = known.get(context)
        if placed is None:
            placed = self.placement.place(head, places, context)
            known.put(context, placed)
        return placed

    def _finding(self, head: FindingDraft, placed: Placed, side: str | None, source: Source, section: str) -> Finding:
        concept, sites, details, status = placed.concept, placed.sites, self._details(head, side), head.status
        if status == "present":
            concept, sites, details = self._refined(concept, sites, details)
        details += self._wording(head, concept, placed.said, source)
        if concept in self.index.flagged("lacks") and status in _TURNED:  # "nonenhancing": no enhancement
            concept, status = min(self.index.opposites[concept]), _TURNED[status]
        details, others = self._inferences(head, concept, sites, details)
        restricted = head.otherwise or head.change == "new" or any(self._restricts(d) for d in details)
        details = (*details, Detail("restriction", "otherwise", "otherwise")) if head.otherwise else details
        genus = None if placed.said not in self.index.concepts or self.index.is_a(concept, placed.said) else placed.said
        return Finding(
            source.text[head.start : head.end],
            *(source.offset + head.start, source.offset + head.end),
            concept,
            self.index.label(concept),
            sites,
            cast("Side | None", side),
            cast("Status", status),
            cast("Certainty", head.certainty),
            details,
            cast("Change | None", head.change),
            others,
            restricted=restricted and head.status != "present",
            tip=self.placement.fitting.ends(head.concept, head.tips) or (sites if head.tip_at_home else ()),
            section=section,
            both=placed.both,
            genus=genus,
        )

    def _inferences(self, head: FindingDraft, concept: str, sites: Sites, details: Details) -> tuple[Details, Sites]:
        """Return details and alternatives without what only repeats the concept ("a filling defect in the artery, consistent
        with embolism" is the embolism, without an inference)."""
        inferred = (d.value for d in details if d.category == "inference" and d.text == self.index.label(d.value))
        said = {value for value in inferred if self.index.is_a(concept, value)}
        others = dict.fromkeys(self.index.fold(other, sites) for other in head.alternatives if other not in said)
        return tuple(d for d in details if d.category != "inference" or d.value not in said), tuple(others)

    def _restricts(self, detail: Detail) -> bool:
        """Whether a detail of a negation restricts it to part of its class."""
        return detail.category in self.restricting or detail.value == NARROW

    def _wording(self, head: FindingDraft, concept: str, said: str, source: Source) -> tuple[Detail, ...]:
        """Return the words of a finding that are not exact: by the ontology, or as their class does not occur at the site."""
        item, is_a = head.item, self.index.is_a
        entry = item.types.get(FINDING)
        if entry is None or entry.id != head.concept:
            return ()
        above = said != head.concept and is_a(head.concept, said) and not is_a(concept, head.concept)
        completed = entry.scope == "broad" and head.sites and not head.inherited
        text = " ".join(source.text[item.start : item.end].split())
        named = concept != head.concept and text.lower() in self.index.label(concept)  # "carcinoma" at the thyroid
        scope = NARROW if above else "" if completed or named else entry.scope
        return (Detail(WORDING, scope, text),) if scope else ()

    def told_more(
        self, finding: Finding, details: Sequence[Detail], change: Change | None, others: Sequence[str] = ()
    ) -> Finding:
        """Return a finding with details and a change from a later sentence."""
        known = {detail.text for detail in finding.details}
        every = (*finding.details, *(detail for detail in details if detail.text not in known))
        concept, sites, every = self._refined(finding.concept or "", finding.sites, every)
        others = tuple(dict.fromkeys((*finding.alternatives, *others)))
        told = replace(finding, details=every, change=finding.change or change, alternatives=others)
        return replace(told, concept=concept, label=self.index.label(concept), sites=sites)

    def _refined(self, concept: str, sites: Sites, details: Details) -> tuple[str, Sites, Details]:
        """Return the named concept for a concept with some of its details, its sites, and the remaining details ("the rib
        fracture is healed" is a "healed rib fracture"). A default site of the first concept becomes that of the named one."""
        default = self.index.default_sites
        stated = () if sites == default(concept) else sites
        for detail in details:
            named = self.index.refined(concept, detail.value, stated)
            if named is not None:
                named = self.index.fold(named, stated)
                rest = tuple(one for one in details if one is not detail)
                return self._refined(named, stated or default(named) or sites, rest)
        return concept, sites, details

    def _details(self, head: FindingDraft, side: str | None) -> tuple[Detail, ...]:
        """Return the details that apply to a side, each text once, with the comparison of the sides."""
        found: dict[str, Detail] = {}
        localizing = self.index.role("localizing")
        for detail in head.details:
            if (detail.category == "previous" and not detail.value) or (detail.value == localizing and head.status != "present"):
                continue
            mark, _, rest = detail.text.partition(": ")
            if rest and mark in ("left", "right"):
                if mark != side:
                    continue
                detail = Detail(detail.category, detail.value, rest)
            found.setdefault(detail.text, detail)
        if head.compare and side in ("left", "right"):
            larger, smaller = head.compare
            text = f"larger than {smaller}" if side == larger else f"smaller than {larger}"
            found[text] = Detail("comparison", "larger" if side == larger else "smaller", text)
        return tuple(found.values())


def _moved(finding: Finding, by: int) -> Finding:
    return replace(finding, start=finding.start + by, end=finding.end + by)


def without_repetitions(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a sentence without those that repeat a part of another one ("slight scoliosis, convex to the
    right": one finding)."""
    kept: list[Finding] = []
    for finding in findings:
        alike = (at for at, other in enumerate(kept) if _same(finding, other))
        for at in alike if finding.concept is not None else ():
            few, many = sorted((finding, kept[at]), key=lambda one: len(one.details))
            if {*few.details} <= {*many.details} and len(few.details) < len(many.details):
                kept[at] = many
                break
        else:
            kept.append(finding)
    return kept


def _same(one: Finding, other: Finding) -> bool:
    """Whether two findings differ at most in their details."""
    return _stated(one) == _stated(other) and set(one.sites) == set(other.sites)


def deduplicate(findings: Sequence[Finding]) -> list[Finding]:
    """Drop exact duplicates, keeping the first (RadSEM 3.2)."""
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        kept.setdefault((finding.concept or finding.label, finding.sites, finding.details, *_stated(finding)[1:-1]), finding)
    return list(kept.values())
