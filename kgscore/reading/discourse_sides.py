"""Sides of findings that depend on their sites, or on preceding sentences: "the same side", "the contralateral kidney"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kgscore.model import OTHER_SIDE
from kgscore.ontology.index import Index
from kgscore.reading.finding_draft import FindingDraft, Places, SiteAndSide
from kgscore.reading.memo import RecordedAccess
from kgscore.reading.site_constraints import SiteConstraints

_SPOKEN = frozenset(("same", "opposite"))


def resolve_side(head: FindingDraft, places: Places, context: RecordedAccess) -> tuple[FindingDraft, Places]:
    """Return a head and its places with "the same" or the opposite side resolved to the side of the preceding finding."""
    lent = head.lent[1] if head.lent else None
    if _SPOKEN.isdisjoint((head.side, lent, *(side for _, side in places))):
        return head, places
    spoken: str | None = context.last_side
    told = {"same": spoken, "opposite": OTHER_SIDE.get(spoken or "")}
    own = head.lent and (head.lent[0], told.get(head.lent[1], lent) or "", head.lent[2])
    places = tuple((name, told.get(side, side) if side else None) for name, side in places)
    return replace(head, side=told.get(head.side or "", head.side), lent=own if own and own[1] else None), places


def last_side(places: Iterable[SiteAndSide]) -> str | None:
    """Return the side of the last place that has one."""
    return next((side for _, side in reversed(tuple(places)) if side), None)


def fixed_side(index: Index, sites: Iterable[str]) -> str | None:
    """Return the side on which a structure always lies (the spleen)."""
    return next((side for site in sites if (side := index.concepts[site].values.get("side"))), None)


def side_of_heading(fitting: SiteConstraints, sites: tuple[str, ...], context: RecordedAccess, *, inside: bool) -> str | None:
    """Return the side inherited from a sided heading: by structures under it ("LEFT BREAST: … upper outer quadrant"), by others
    only unless `inside` ("Left maxillary sinus: opacified. Other sinuses clear")."""
    told: list[SiteAndSide] = [place for alternative in context.heading for place in alternative]
    for name, side in told:
        if side in ("left", "right", "both") and any(fitting.index.inside(s, name) and fitting.has_sides(s) for s in sites):
            return side
    around: str | None = None if inside else context.heading_side
    sided = around in ("left", "right") and all(side == around for _, side in told)
    return around if sided and not any(map(fitting.single, sites)) else None


def lent_side(fitting: SiteConstraints, head: FindingDraft, concept: str, sites: tuple[str, ...], *, bare: bool) -> str | None:
    """Return the side of the finding that this one is caused by or accompanies, if both are in one region and this one is in a
    paired structure; `bare` if it has no site."""
    if head.lent is None or not sites:
        return None
    index, (other, side, beside) = fitting.index, head.lent
    one, two = index.concepts[concept], index.concepts[other]
    operated = one.kind == two.kind == "devices"  # "left mastectomy with an implant"
    together = any(index.either_inside(site, own) for site in sites for own in index.default_sites(other))
    near = two.module == one.module or (beside and two.module == index.concepts[sites[0]].module)
    paired = index.inside_any(sites[0], index.marked("paired"))
    return side if (not bare or beside or operated or together) and near and paired else None


def _side_of_title(index: Index, site: str, context: RecordedAccess) -> str | None:
    """Return the side of the one part of a limb that the title of the examination names, if a site lies inside it."""
    named: list[SiteAndSide] = [place for alternative in context.title for place in alternative]
    sides = {side for _, side in named} if all(site != name and index.inside(site, name) for name, _ in named) else set()
    return next(iter(sides), None) if sides < {"left", "right"} else None


def sides_of(
    fitting: SiteConstraints, head: FindingDraft, sites: tuple[str, ...], side: str | None, context: RecordedAccess
) -> tuple[tuple[str | None, ...], bool]:
    """Return the sides, one per finding, and whether they are both: a denial of a paired structure covers both. In an examination
    of one limb, both of its structures are on its side ("both collateral ligaments")."""
    index, site, both = fitting.index, next(iter(sites), ""), False
    limb = index.inside_any(site, index.flagged("limbs"))
    if side == "both" and limb:
        side = _side_of_title(index, site, context) or side
    if side == "both" and index.inside_any(site, index.flagged("unpaired_space")) and fitting.single(site):
        side = None  # "bilateral hilar and mediastinal nodes"
    if side is None and site in index.marked("paired"):
        side = context.limb_side if limb else None
        both = not side and head.status != "present"
    return (("right", "left") if both or side == "both" else (side,)), both
