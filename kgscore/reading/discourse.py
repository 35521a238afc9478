"""The context that earlier sentences of a report provide for later ones: labels, and sites of findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kgscore.model import OTHER_SIDE, Finding
from kgscore.ontology.index import Index, is_disc, level_of
from kgscore.reading.finding_draft import FindingDraft, Places

if TYPE_CHECKING:
    from kgscore.reading.placement import Placement


class Frame(NamedTuple):
    """The sites and sides that titles and labels apply to the lines below them."""

    heading: tuple[Places, ...]
    heading_side: str | None
    title: tuple[Places, ...]
    title_side: str | None


NO_FRAME = Frame((), None, (), None)
# The region votes of an empty text.
NO_VOTES: Mapping[str, int] = {}


@dataclass(slots=True)
class Discourse:
    """The context from earlier sentences of the report: heading sites and side, the last sites, a limb's side, which findings
    are of the preceding sentence, and which were shown last; `examined` is the only region that the technique names. Words of
    a text `about` another one are interpreted in the regions of that."""

    heading: tuple[Places, ...] = ()
    heading_side: str | None = None
    last_sites: Places = ()
    near: Places = ()
    spoken: Places = ()
    topic: Places = ()
    level: str | None = None
    level_here: bool = False
    joint: str | None = None
    lesion_sites: Places = ()
    lesions_spread: bool = False
    limb_side: str | None = None
    last_side: str | None = None
    title: tuple[Places, ...] = ()
    title_side: str | None = None
    regions: tuple[str, ...] = ("core",)
    about: Mapping[str, int] = field(default_factory=dict)
    examined: Places = ()
    latest: tuple[int, int] = (0, 0)
    shown: tuple[int, int] = (0, 0)

    def frame(self) -> Frame:
        """Return the current titles and labels."""
        return Frame(self.heading, self.heading_side, self.title, self.title_side)

    def enter(self, frame: Frame) -> None:
        """Set the titles and labels."""
        self.heading, self.heading_side, self.title, self.title_side = frame

    def return_to(self, places: Places) -> None:
        """Set the places of the preceding sentence, if there are any."""
        self.last_sites, self.spoken, self.near = places or self.last_sites, places or self.spoken, places or self.near

    def around(self, *, heading: bool) -> str | None:
        """Return the current structure: of the heading, if it counts, or of the preceding sentence."""
        named = [name for alternative in self.heading for name, _ in alternative] if heading else []
        return next(iter(named or [name for name, _ in self.last_sites]), None)


def remember_places(context: Discourse, head: FindingDraft, findings: Sequence[Finding], placement: Placement) -> None:
    """Record in a context the sites of the findings of a head, for later sentences that omit them."""
    index, first, side = placement.index, findings[0], _common_side(findings)
    if side in OTHER_SIDE and (head.status == "present" or context.last_side is None) and not _is_opposite(head):
        context.last_side = side
    context.near = tuple((site, None) for site in first.sites)
    context.spoken = tuple((site, side) for site in first.sites)
    joints = {placement.fitting.joint_around(site) for site in first.sites[:1]} & index.marked("paired")
    context.joint = next(iter(joints), context.joint)
    levels = _levels(findings[:1]) - {None}
    if levels and head.status == "present" and not _of_disc_before(context, first.sites[0]):
        context.level = first.sites[0] if len(levels) == 1 and len(head.sites) < 2 else None
        context.level_here = True
    shown = index.is_any(first.concept, index.flagged("showing"))  # an infiltrate of the lung is only an opacity
    if shown or not index.is_any(first.concept, index.flagged("invading")):
        _remember_site(context, head, findings, index)  # but "extension into the third ventricle" leaves that of the lesion


def _remember_site(context: Discourse, head: FindingDraft, findings: Sequence[Finding], index: Index) -> None:
    """Record the last site, that of the lesion, and the side of the limb."""
    first, sites = findings[0], context.spoken
    if len(_levels(findings)) > 1 and any(map(level_of, first.sites)):
        sites = ()  # "C3-4 to C6-7 disc desiccation; cord signal normal"
    if not context.last_sites or head.status == "present" or (head.sites and not head.inherited):
        context.last_sites = sites
    if first.status == "present" and index.is_any(first.concept, index.flagged("leading_lesions")):
        context.lesion_sites, context.lesions_spread = sites, len({finding.sites for finding in findings}) > 1
    limbs, sides = index.flagged("limbs"), {finding.side for finding in findings}
    if sides < {"left", "right"} and any(index.inside_any(site, limbs) for one in findings for site in one.sites[:1]):
        context.limb_side = first.side


def _levels(findings: Sequence[Finding]) -> set[str | None]:
    """Return the spinal levels of the sites of findings; None for a site without one."""
    return {level_of(site) for finding in findings for site in finding.sites}


def _common_side(findings: Sequence[Finding]) -> str | None:
    """Return the side of the findings of a head; "both" if both are given."""
    if len(findings) == 1:
        return findings[0].side
    return "both" if {finding.side for finding in findings} == {"left", "right"} and not findings[0].both else None


def _is_opposite(head: FindingDraft) -> bool:
    """Whether a head is on the other side than what precedes it ("the contralateral lung")."""
    return "opposite" in (head.side, *(side for places in head.sites for _, side in places))


def _of_disc_before(context: Discourse, site: str) -> bool:
    """Whether a site is beside the disc that the sentence named before it."""
    return context.level_here and is_disc(context.level or "") and not is_disc(site)


def leave_level(context: Discourse, before: Sequence[Finding], findings: Sequence[Finding]) -> None:
    """Reset the current level after two sentences that state the same at different levels of the spine."""
    said = {frozenset((one.concept, one.status) for one in found) for found in (before, findings)}
    first, second = map(_levels, (before, findings))
    if len(said) == 1 and None not in first | second and first.isdisjoint(second):
        context.level = None
