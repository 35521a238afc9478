"""The sites and sides that a finding takes over from the headings above it or from earlier sentences ("the same side")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kgscore.model import OTHER_SIDE
from kgscore.ontology.index import Index
from kgscore.reading.finding_draft import FindingDraft, Places, SiteAndSide
from kgscore.reading.levels import Levels, is_beside, is_everywhere
from kgscore.reading.memo import RecordedAccess
from kgscore.reading.site_constraints import SiteConstraints

_SPOKEN = frozenset(("same", "opposite"))


def inherited_places(
    head: FindingDraft, concept: str, side: str | None, context: RecordedAccess, levels: Levels
) -> tuple[Places, str | None]:
    """Return the sites and side that a head inherits from headings, or from earlier sentences if it has none of its own."""
    omitted = _Omitted(head, concept, context, levels, levels.fitting, levels.fitting.index.default_sites(concept))
    if omitted.of_examination():
        return (), side
    for alternative in context.heading:
        if fits := omitted.under(alternative):
            return fits, side or (context.heading_side if any(levels.fitting.has_sides(name) for name, _ in fits) else None)
    if context.heading and not levels.fitting.at_one(concept):
        side = side or context.heading_side
    if omitted.of_whole_region():
        return (), side
    return omitted.of_lesion() or omitted.of_topic() or omitted.of_preceding(side), side


def regional_site(fitting: SiteConstraints, concept: str, side: str | None, context: RecordedAccess) -> tuple[str, ...]:
    """Return the default site of a bare finding in the regions of the report; for a side, preferably one that has sides."""
    homes = [found for region in context.regions if (found := fitting.regional(concept, region))]
    sided = [found for found in homes if not fitting.single(found)] if side is not None else []
    return next(((found,) for found in sided or homes if not _far(fitting, found, context.near)), ())


def _far(fitting: SiteConstraints, home: str, spoken: Sequence[SiteAndSide]) -> bool:
    """Whether a structure is in another part of the body than all those mentioned."""
    index = fitting.index
    around, kin = index.within[home] - {index.role("whole_body")}, index.concepts[home].module
    return bool(spoken) and all(
        around.isdisjoint(index.within[name]) and index.concepts[name].module != kin for name, _ in spoken
    )


@dataclass(frozen=True, slots=True)
class _Omitted:
    """A head without a fitting site, in its context, and the default sites of its concept: where it may take one over."""

    head: FindingDraft
    concept: str
    context: RecordedAccess
    levels: Levels
    fitting: SiteConstraints
    default: tuple[str, ...]

    def of_examination(self) -> bool:
        """Whether a denial is of the whole examination, and not of the organ mentioned before ("No active disease")."""
        return self.head.status == "absent" and not self.context.heading and self.concept in self.fitting.index.marked("anywhere")

    def of_whole_region(self) -> bool:
        """Whether a denial after lesions at several places is of the whole region ("no high signal on DWI")."""
        head, index = self.head, self.fitting.index
        denied = head.status == "absent" and not head.definite and index.is_a(self.concept, index.role("any_signal"))
        return denied and bool(self.context.lesions_spread)

    def under(self, heading: Places) -> Places:
        """Return the sites under a heading that fit, or those named in the sentence inside it ("Discs: L1/2 disc bulges")."""
        index, fitting = self.fitting.index, self.fitting
        if self.elsewhere(heading):
            return ()
        near = tuple(p for p in self.context.near if any(p[0] != name and index.inside(p[0], name) for name, _ in heading))
        around = ((fitting.at_heading(self.concept, name), side) for name, side in near or heading)
        fits = tuple(p for p in around if fitting.belongs(self.concept, p[0]))
        return () if fits and self.head.status != "present" and self.levels.beside_disc(self.concept, fits[0][0]) else fits

    def elsewhere(self, heading: Places) -> bool:
        """Whether the sentence is about another organ than the heading ("Liver: normal. Kidneys normal, no stones.")."""
        index, near = self.fitting.index, self.context.near
        apart = not any(index.either_inside(name, above) for name, _ in near for above, _ in heading)
        return bool(near) and apart and all(index.is_any(name, index.flagged("organs")) for name, _ in (*near, *heading))

    def of_lesion(self) -> Places:
        """Return the sites of the lesion mentioned before, for its attributes and what is around it ("Perilesional oedema.")."""
        head, index, lesion = self.head, self.fitting.index, self.context.lesion_sites
        if not lesion or head.overall or (self.default and self.head.status != "present"):
            return ()
        told_of = index.flagged("attributes") | (index.flagged("lumps") if head.definite else frozenset())
        around = not self.context.near and is_beside(head, index)
        return lesion if around or index.is_any(self.concept, told_of) else ()

    def of_topic(self) -> Places:
        """Return the sites of the last finding that is present, if this one only occurs with it."""
        topic = self.context.topic
        home = self.default or regional_site(self.fitting, self.concept, None, self.context) if topic else ()
        return topic if all(self.levels.attends(self.head, self.concept, home, name) for name, _ in topic) else ()

    def of_preceding(self, side: str | None) -> Places:
        """Return the sites of the preceding sentence that can have the finding, unless it has others."""
        head, denied = self.head, self.head.status == "absent"
        rest = head.otherwise and denied  # "no uptake elsewhere" is not at the site of the preceding finding
        if rest or not self.context.last_sites or not self.takes_over() or self.at_home(side):
            return ()
        apart = self.fitting.index.local if denied and not self.default else ()  # "cortex intact; no spur"
        fits = [p for p in self.spoken(side) if self.fitting.bears(self.concept, p[0]) and p[0] not in apart]
        return tuple((name, None) for name, _ in fits) if side else tuple(fits)

    def named(self) -> bool:
        """Whether the finding has a name of its own at a site of the preceding sentence."""
        return any(self.fitting.index.fold(self.concept, (name,)) != self.concept for name, _ in self.context.last_sites)

    def of_vessel(self) -> bool:
        """Whether the finding is of any artery, and is at the one mentioned before ("Mural thrombus. No rupture.")."""
        vascular = self.default == (self.fitting.index.role("any_artery"),)
        return vascular and (self.head.status == "present" or self.named() or bool(self.context.near))

    def takes_over(self) -> bool:
        """Whether the finding has no site of its own, or one around a site of the preceding sentence."""
        head, index = self.head, self.fitting.index
        bound = is_everywhere(head, index) or (index.sites_implied(self.concept) and not head.taken)
        told = head.status == "present" and not bound
        around = any(index.inside_any(name, self.default) for name, _ in self.context.last_sites)
        return not self.default or (around and (told or self.of_vessel()))

    def at_home(self, side: str | None) -> bool:
        """Whether the finding is at its default site in the current region: a denial, or one on a side after an unpaired
        structure ("Vascular congestion; small effusions on both sides")."""
        if not self.fitting.regional(self.concept, self.context.regions[0]):
            return False
        if self.head.status != "present" and not (self.context.near and self.of_vessel()):
            return True
        spreading = self.fitting.index.is_any(self.concept, self.fitting.index.flagged("spreading")) and not self.named()
        return side is not None and (spreading or all(self.fitting.single(name) for name, _ in self.context.last_sites))

    def spoken(self, side: str | None) -> Places:
        """Return the places of the last finding for a denial that fits nothing after it, those of the last structure on both
        sides for a side ("Patent iliac arteries; mild narrowing of the right one"), else those of the preceding sentence."""
        topic: Places = self.context.topic
        near: Places = self.context.near
        last: Places = self.context.last_sites
        denied = self.head.status == "absent" and not self.default and topic
        if denied and not self.named() and not any(self.fitting.bears(self.concept, name) for name, _ in near):
            return topic
        paired = side is not None and any(not self.fitting.single(name) for name, _ in near)
        return near if paired else last


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
    """Return the side of a heading: for structures under it, for others only unless `inside` ("Other sinuses clear")."""
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
