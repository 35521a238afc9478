"""Placement of heads: at explicit sites, refined and checked, or else at those of headings or of the preceding sentence, or by
default."""

from __future__ import annotations

from collections.abc import Mapping

from kgscore.linking.lexicon import FINDING, NORMAL, QUALITY
from kgscore.ontology.index import ANYWHERE, Index, is_disc, level_of
from kgscore.reading.finding_draft import FindingDraft, Placed, Places, SiteAndSide
from kgscore.reading.inherited_sites import (
    fixed_side,
    inherited_places,
    last_side,
    lent_side,
    regional_site,
    resolve_side,
    side_of_heading,
    sides_of,
)
from kgscore.reading.levels import Levels
from kgscore.reading.memo import RecordedAccess
from kgscore.reading.site_constraints import SiteConstraints

_NOWHERE = Placed("", (), (), False)


class Placement:
    """Places heads in their context; `defaults` maps (concept, region) to the default site of a bare finding."""

    def __init__(self, index: Index, defaults: Mapping[tuple[str, str], str]) -> None:
        self.index, self.fitting = index, SiteConstraints(index, defaults)
        self.levels = Levels(self.fitting)

    def place(self, head: FindingDraft, places: Places, context: RecordedAccess) -> Placed:
        """Return the concept, sites and sides of a head at one of its alternatives; without sides if it yields no finding."""
        fitting, levels = self.fitting, self.levels
        head, places = resolve_side(head, places, context)
        if head.kind == NORMAL and not places and not head.whole:
            places = self._normal_places(head, context)
        if not places and (found := self._of_everything(head, context)) is not None:
            return found
        concept = self._denied(head, places) if head.kind == NORMAL else head.concept
        places = levels.levelled(places or self._of_host(head, concept, context))
        concept = fitting.meant(head, concept, places)
        sites, side = self._fitting(head, concept, places, context)
        concept, sites = fitting.walls(concept, sites or self._home(concept, side, context))
        folded = fitting.folded(head.kind, concept, levels.bearing(concept, fitting.inmost(sites)))
        sites = self._refined(head, folded, sites, named=folded != concept, bare=not places)
        sites = self._spoken_or_own(head, folded, sites, places, context)
        if head.kind == QUALITY and not sites:
            return _NOWHERE
        side = fixed_side(self.index, sites) or side or side_of_heading(fitting, sites, context, inside=head.otherwise)
        side = side or lent_side(fitting, head, folded, sites, bare=not places)
        sites = fitting.halves(sites) if side else sites
        return Placed(folded, sites, *sides_of(fitting, head, sites, side, context), concept)

    def _of_everything(self, head: FindingDraft, context: RecordedAccess) -> Placed | None:
        """Return the placement of a head without a site that applies to the whole examination, nowhere for a normal word that
        does not, and None for a finding."""
        if head.whole:
            examined = tuple(name for name, _ in context.examined)
            return Placed(self.index.role("any_abnormality"), examined, (None,), False)
        if head.kind != NORMAL:
            return None
        plain = head.otherwise and head.concept == self.index.role("plain_normal")
        return Placed(self.index.role("any_abnormality"), (), (None,), False) if plain else _NOWHERE

    def _normal_places(self, head: FindingDraft, context: RecordedAccess) -> Places:
        """Return the sites of a normal word that has none: its own, or those of the heading or the preceding sentence."""
        index = self.index
        own = [name for normal in head.normals for name in index.default_sites(normal)]
        denied = [row.site for normal in head.normals for row in index.denials.get(normal, ())]
        own += denied if ANYWHERE not in denied else []
        spoken = (context.heading[0] if context.heading else ()) or context.last_sites if not own else ()
        places = tuple((name, None) for name in own[:1]) or spoken
        return tuple((name, None) for name, _ in places) if head.side is not None else places

    def _denied(self, head: FindingDraft, places: Places) -> str:
        """Return the concept that a normal word denies at its places."""
        rows = [self.index.denied_by(head.normals or [head.concept], name) for name, _ in reversed(places)]
        return next((row for row in rows if row.site != ANYWHERE), rows[0]).genus

    def _of_host(self, head: FindingDraft, concept: str, context: RecordedAccess) -> Places:
        """Return the sites that the host of a head without one has: of an earlier fracture that of the limb, else the default."""
        index, places = self.index, Places()
        host = head.host or (head.concept if head.definite and head.kind == FINDING else "")
        if index.is_a(host, index.role("broken")):
            places = tuple(p for p in context.last_sites if index.inside_any(p[0], index.flagged("limbs")))
        organs, own = index.flagged("organs"), self.index.default_sites(head.host or "")
        named = (name for name in own if name not in index.generic or index.is_any(name, organs))
        return places or tuple((name, None) for name in named if self.fitting.fits(concept, name))

    def _home(self, concept: str, side: str | None, context: RecordedAccess) -> tuple[str, ...]:
        """Return the regional site of a finding that has none of its own."""
        own = self.index.sites_implied(concept) or not self.index.generic.issuperset(self.index.default_sites(concept))
        return () if own else regional_site(self.fitting, concept, side, context)

    def _refined(self, head: FindingDraft, concept: str, sites: tuple[str, ...], *, named: bool, bare: bool) -> tuple[str, ...]:
        """Return the sites as a finding has them: each as the structure of the finding's own kind there, if the site `named`
        its concept ("the scalp over the left frontal bone is swollen") or it is at that of an earlier one (`bare`)."""
        fitting = self.fitting
        for applies, own in (
            (named, fitting.counterpart),
            (named, fitting.at_said),
            (bare or head.inherited, fitting.in_organ),
            (bare, fitting.own_joint),
            (True, fitting.own_stretch),
            (True, fitting.unimplied),
            (named, fitting.at_own_level),
        ):
            if applies:
                sites = tuple(dict.fromkeys(own(concept, site) for site in sites))
        if named:  # "osteophytes of the thoracic spine": of its vertebral bodies
            sites = fitting.own_before_tissue(concept, sites)
        return tuple(self.levels.own_level(concept, site) for site in self._narrowest(concept, sites))

    def _spoken_or_own(
        self, head: FindingDraft, concept: str, sites: tuple[str, ...], places: Places, context: RecordedAccess
    ) -> tuple[str, ...]:
        """Return the sites of a finding, or if none is given its own: at the current level or joint, or where a device ends."""
        index, fitting = self.index, self.fitting
        told = head.status == "present"
        if not sites and (told or concept not in index.of_kind("devices")):
            sites = fitting.index.default_sites(concept)
        if told and not places and context.level is not None:
            sites = self.levels.at_level_said(head, concept, sites, context.level)
        if sites == (index.role("any_joint"),) and context.joint is not None and fitting.of_joint(concept):
            sites = (context.joint,)  # an effusion of the joint mentioned in the report
        if not head.tips:
            return sites
        ends = tuple(tip for tip in fitting.ends(concept, head.tips) if not fitting.yardstick(concept, tip))
        return ends or fitting.index.default_sites(concept)

    def _fitting(
        self, head: FindingDraft, concept: str, places: Places, context: RecordedAccess
    ) -> tuple[tuple[str, ...], str | None]:
        """Return the explicit sites that fit, or else inherited ones, and the side given with them or of the whole before."""
        explicit, fitting = bool(places) and not head.inherited and head.status == "present", self.fitting
        places = self._of_own_kind(head, concept, places, context)
        fits, side = self._suiting(head, concept, places), head.side or last_side(places)
        if fits:
            fits = self._particular(head, concept, fits, context)
        else:  # "left rib fractures with mediastinal shift"
            side = None if head.shared and fitting.at_one(concept) else side
            fits, side = inherited_places(head, concept, side, context, self.levels)
        sites = tuple(fitting.around_or_within(concept, name) for name, _ in fits)
        side = last_side(fits) or side
        return sites, fitting.side_of_whole(sites, context.spoken, context.last_sites) if explicit and side is None else side

    def _of_own_kind(self, head: FindingDraft, concept: str, places: Places, context: RecordedAccess) -> Places:
        """Return the explicit sites, each as the structure of the finding's own kind there, without those of another region."""
        fitting = self.fitting
        places = tuple((fitting.in_tissue(concept, fitting.counterpart(concept, name)), side) for name, side in places)
        places = tuple(self._nested(concept, place, places, context, head.kind) for place in places)
        places = tuple(place for place in places if not fitting.foreign(concept, place[0]))
        if len({self.index.concepts[name].module for name, _ in places}) > 1:  # "tear of the labrum from 1 to 4 o'clock"
            places = tuple(place for place in places if not place[0].endswith("oclock"))
        return tuple((n if fitting.fits(concept, n) else fitting.within_region(concept, n), side) for n, side in places)

    def _suiting(self, head: FindingDraft, concept: str, places: Places) -> Places:
        """Return the places that suit a finding: its only one always does, unless it is shared or inherited."""
        fitting, weak = self.fitting, head.inherited or head.shared
        if len(places) < 2 and not weak:
            return places
        suits = fitting.belongs if head.shared else fitting.fits
        fits = tuple(place for place in places if suits(concept, place[0]))
        return fits if weak else fitting.with_said(concept, fits, places) or (places if head.kind != FINDING else ())

    def _particular(self, head: FindingDraft, concept: str, fits: Places, context: RecordedAccess) -> Places:
        """Return the sites of a finding, or its own site inside the only one or inside that of a label."""
        index, own = self.index, self.fitting.sole(concept)
        if head.kind != FINDING:
            return fits
        if head.inherited and len(fits) == len(context.near) == 1:
            fits = self.levels.nearer(concept, fits, context.near)
        only = not head.shared and len(fits) == 1 and own in index.sites_implied(concept)
        if own in index.generic or not (fits in context.heading if head.inherited else only):
            return fits
        return tuple((own if index.inside(own, name) else name, side) for name, side in fits)

    def _nested(self, concept: str, place: SiteAndSide, places: Places, context: RecordedAccess, kind: str) -> SiteAndSide:
        """Resolve a generic structure within a named one to the specific one (the "labrum" of the hip)."""
        index, fitting, (name, side) = self.index, self.fitting, place
        if tissue := self.levels.tissue_around(name, places, context):
            return tissue[0], side or tissue[1]
        if name in index.generic or name in index.local:
            return self._specific(concept, name, places, context, kind), side
        if fitting.fits(concept, name) or index.concepts[name].module == index.concepts[concept].module:
            return place
        return next((part for own in fitting.index.default_sites(concept) if (part := fitting.part(name, own))), name), side

    def _specific(self, concept: str, name: str, places: Places, context: RecordedAccess, kind: str) -> str:
        """Return the specific structure that a generic one is within one named in the sentence or the heading, else within the
        finding's own site or the one mentioned before."""
        index, default = self.index, self.index.default_sites(concept)
        named = [n for alternative in (places, *context.heading) for n, _ in alternative]
        alike = (near for near, _ in context.near if kind == FINDING and index.label(near).endswith(f" {index.label(name)}"))
        # "L4-L5: disc height is normal", "The medial meniscus is torn, and the meniscus is extruded."
        name = next((n for n in named if n != name and index.is_a(n, name)), name)
        name = next(alike, name)
        if name in index.local:
            named += [*index.sites_implied(concept), *default, *dict(context.last_sites)]
        for other in named:
            own = other in default and index.is_a(other, name)  # "Nodes: hilar adenopathy"
            found = other if own else index.specific(name, other)
            if found and other != name:
                return found
        return self._in_wholes(concept, name)

    def _in_wholes(self, concept: str, name: str) -> str:
        """Return the part of this name in the wholes of the finding's own site ("Fibroids, the largest at the fundus")."""
        index = self.index
        if name not in index.local or index.fold(concept, (name,)) != concept:
            return name
        wholes = {whole for own in index.default_sites(concept) for whole in index.within[own]}
        narrowest = sorted(wholes, key=lambda whole: (-len(index.within[whole]), whole))
        return next((found for whole in narrowest if (found := index.specific(name, whole))), name)

    def _narrowest(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites without those that contain another one or are wider than the concept's own."""
        inside, own = self.index.inside, [d for d in self.index.default_sites(concept) if d in self.index.sites_implied(concept)]
        inmost = self.fitting.inmost(sites)
        kept = [s for s in inmost if not any(o != s and self._tells_more(concept, o, s) for o in sites)]
        # A site wider than the concept's own adds nothing: "effusion in the chest" is in the pleural space.
        wide = {s for s in kept if s not in own and any(inside(o, s) for o in own)}
        return tuple(dict.fromkeys(own[0] if site in wide else site for site in kept))

    def _tells_more(self, concept: str, other: str, site: str) -> bool:
        """Whether `other` makes `site` redundant: a disc beside another structure at its level ("the cord at C5-C6"), a kind
        of part beside its bone or joint ("bone marrow of the condyle"), or the finding's own site beside a more particular one
        ("pleura thickened at the apex")."""
        index, fitting, own = self.index, self.fitting, self.index.default_sites(concept)
        named = other not in index.generic and other not in index.local
        if site in own and fitting.fits(concept, other):
            return named and not index.inside(site, other)
        if fitting.names_region_of(site, other):
            return fitting.fits(concept, other)
        if is_disc(site) and (level := level_of(site)):
            return other.endswith(level) and not self.levels.of_disc(concept)
        return named and (site in index.local or site in index.flagged("tissues")) and fitting.fits(concept, other)
