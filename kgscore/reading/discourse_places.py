"""Sites of findings, kept for later sentences that omit them."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.model import OTHER_SIDE, Finding
from kgscore.ontology.index import level_of
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.placement import Placement


def remember_places(context: Discourse, head: FindingDraft, findings: Sequence[Finding], placement: Placement) -> None:
    """Record in a context the sites of the findings of a head, for later sentences that omit them."""
    index = placement.index
    first = findings[0]
    side: str | None = first.side if len(findings) == 1 else None
    if side is None and {finding.side for finding in findings} == {"left", "right"} and not first.both:
        side = "both"
    other = "opposite" in (head.side, *(one for places in head.sites for _, one in places))  # "the contralateral lung"
    if side in OTHER_SIDE and (head.status == "present" or context.last_side is None) and not other:
        context.last_side = side
    sites = tuple((site, side) for site in first.sites)
    context.spoken = sites
    context.near = tuple((site, None) for site in first.sites)
    joint = placement.fitting.joint_around(first.sites[0]) if first.sites else None
    if joint is not None and "paired" in index.concepts[joint].flags:
        context.joint = joint
    levels = {level for site in first.sites if (level := level_of(site))}
    if levels and len({level_of(site) for finding in findings for site in finding.sites}) > 1:
        sites = ()  # "C3-4 to C6-7 disc desiccation; cord signal normal"
    disc = context.level_here and (context.level or "").startswith("disc_") and not "".join(first.sites[:1]).startswith("disc_")
    if levels and head.status == "present" and not disc:
        context.level = first.sites[0] if len(levels) == 1 and len(head.sites) < 2 else None
        context.level_here = True
    shown = index.is_any(first.concept or "", index.flagged("showing"))  # an infiltrate of the lung is only an opacity
    if first.concept and not shown and index.is_any(first.concept, index.flagged("invading")):
        return  # "extension into the third ventricle": following findings are at the site of the lesion
    if not context.last_sites or head.status == "present" or (head.sites and not head.inherited):
        context.last_sites = sites
    leading, limbs = index.flagged("leading_lesions"), index.flagged("limbs")
    if first.status == "present" and first.concept and index.is_any(first.concept, leading):
        context.lesion_sites = sites
        context.lesions_spread = len({finding.sites for finding in findings}) > 1
    for finding in findings if len({finding.side for finding in findings}) == 1 else ():
        if finding.side and not finding.both and finding.sites and index.inside_any(finding.sites[0], limbs):
            context.limb_side = finding.side


def leave_level(context: Discourse, before: Sequence[Finding], findings: Sequence[Finding]) -> None:
    """Reset the current level after two sentences that state the same at different levels of the spine ("The L3-4 disc
    protrudes. The L4-5 disc protrudes. The dural sac is compressed.")."""
    said = {frozenset((one.concept, one.status) for one in found) for found in (before, findings)}
    first, second = ({level_of(site) for one in found for site in one.sites} for found in (before, findings))
    if len(said) == 1 and None not in first | second and first.isdisjoint(second):
        context.level = None
