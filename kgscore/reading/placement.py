"""Placement of heads: at explicit sites, refined and checked, or else at those of headings or of the preceding sentence, or by
default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kgscore.linking.lexicon import FINDING, NORMAL, QUALITY
from kgscore.ontology.index import ANYWHERE, LEVEL, Index, is_disc
from kgscore.reading.discourse_sides import resolve_side
from kgscore.reading.finding_draft import FindingDraft, Placed, SiteAndSide
from kgscore.reading.levels import Levels, is_everywhere
from kgscore.reading.memo import RecordedAccess
from kgscore.reading.site_constraints import SiteConstraints

_NOWHERE = Placed("", (), (), False)


class Placement:
    """Places heads in their context; `defaults` maps (concept, region) to the default site of a bare finding."""

    def __init__(self, index: Index, defaults: Mapping[tuple[str, str], str]) -> None:
        self.index, self.fitting = index, SiteConstraints(index, defaults)
        self.levels = Levels(self.fitting)

    def place(self, head: FindingDraft, places: tuple[SiteAndSide, ...], context: RecordedAccess) -> Placed:
        """Return the concept, sites and sides of a head at one of its alternatives; without sides if it yields no finding."""
        index, fitting, levels = self.index, self.fitting, self.levels
        head, places = resolve_side(head, places, context)
        concept = head.concept
        if head.kind == NORMAL and not (head.whole and not places):
            places = places or self._normal_places(head, context)
        if not places and (found := self._of_everything(head, context)) is not None:
            return found
        if head.kind == NORMAL:
            rows = [index.denied_by(head.normals or [head.concept], name) for name, _ in reversed(places)]
            concept = next((row for row in rows if row.site != ANYWHERE), rows[0]).genus
        of_break = head.host or (head.concept if head.definite and head.kind == FINDING else "")
        if of_break and not places and index.is_a(of_break, index.role("broken")):
            places = tuple(p for p in context.last_sites if index.inside_any(p[0], index.flagged("limbs")))
        if head.host and not places:  # "loosening of the hip prosthesis"
            named = (name for name in fitting.default(head.host) if name not in index.generic)
            places = tuple((name, None) for name in named if fitting.fits(concept, name))
        places = levels.levelled(places)
        concept = fitting.meant(head, concept, places)
        fits, said = self._fitting(head, concept, places, context)
        sites = tuple((fitting.said_around(concept, name) or (fitting.within_region(concept, name),))[0] for name, _ in fits)
        side = next((s for _, s in reversed(fits) if s), None) or said
        if side is None and head.status == "present" and places and not head.inherited:
            side = fitting.side_of_whole(sites, context.spoken, context.last_sites)
        if not sites and not index.sites_implied(concept) and all(d in index.generic for d in fitting.default(concept)):
            sites = self._home(concept, side, context)
        concept, sites = fitting.walls(concept, sites)
        folded = fitting.folded(head.kind, concept, levels.bearing(concept, fitting.inmost(sites))) if sites else concept
        if folded != concept:  # "the scalp over the left frontal bone is swollen"
            named = (fitting.counterpart(folded, site) for site in sites)
            sites = tuple((fitting.said_around(folded, site) or (site,))[0] for site in named)
        if not places or head.inherited:
            sites = tuple(fitting.in_organ(folded, site) for site in sites)
        if not places:
            sites = tuple(fitting.own_joint(folded, site) for site in sites)
        sites = tuple(dict.fromkeys(fitting.unimplied(folded, fitting.own_stretch(folded, site)) for site in sites))
        if folded != concept:  # "osteophytes of the thoracic spine": of its vertebral bodies
            near = (s if LEVEL.search(s) else fitting.around_or_within(folded, s) for s in sites)
            sites = fitting.own_before_tissue(folded, tuple(dict.fromkeys(near)))
        sites = tuple(levels.own_level(folded, site) for site in self._narrowest(folded, sites))
        sites = self._spoken_or_own(head, folded, sites, places, context)
        side = self._fixed_side(sites) or side or self._side_around(sites, context, inside=head.otherwise)
        side = side or self._lent_side(head, places, folded, sites)
        if head.kind == QUALITY and not sites:
            around = context.heading[0] if context.heading else context.lesion_sites or context.last_sites
            sites = tuple(name for name, _ in around)
            if not sites:
                return _NOWHERE
        if side is not None:
            sites = tuple(half if index.inside(half := f"hemi{name}", name) else name for name in sites)
        sides, both = self._sides(head, sites, side, context)
        return Placed(folded, sites, sides, both, concept)

    def _spoken_or_own(
        self, head: FindingDraft, concept: str, sites: tuple[str, ...], places: tuple[SiteAndSide, ...], context: RecordedAccess
    ) -> tuple[str, ...]:
        """Return the sites of a finding, or if none is given its own: at the current level or joint, or where a device ends."""
        index = self.index
        device = concept in index.concepts and index.concepts[concept].kind == "devices"
        told = head.status == "present"
        if not sites and (told or not device):
            sites = self.fitting.default(concept)
        if not places and context.level is not None and told:
            sites = self.levels.at_level_said(head, concept, sites, context.level)
        if sites == (index.role("any_joint"),) and context.joint is not None and self.fitting.of_joint(concept):
            sites = (context.joint,)  # an effusion of the joint mentioned in the report
        if not head.tips:
            return sites
        ends = tuple(tip for tip in self.fitting.ends(concept, head.tips) if not self.fitting.yardstick(concept, tip))
        return ends or self.fitting.default(concept)

    def _of_everything(self, head: FindingDraft, context: RecordedAccess) -> Placed | None:
        """Return the placement of a head without a site that applies to the whole examination, nowhere for a normal word that
        does not, and None for a finding."""
        if head.whole:
            titled = context.title[0] if context.title else context.examined
            examined = tuple(name for name, _ in titled) if len(context.title) < 2 else ()
            return Placed(self.index.role("any_abnormality"), examined, (None,), False)
        if head.kind != NORMAL:
            return None
        plain = head.concept == self.index.role("plain_normal") and (head.otherwise or head.inherited)
        return Placed(self.index.role("any_abnormality"), (), (None,), False) if plain else _NOWHERE

    def _home(self, concept: str, side: str | None, context: RecordedAccess) -> tuple[str, ...]:
        """Return the regional default site of a bare finding in the regions that the report mentions; if a side is given,
        preferably one that has sides."""
        homes = [found for region in context.regions if (found := self.fitting.regional(concept, region))]
        if self.fitting.of_joint(concept):
            homes = [found for found in homes if self.fitting.fits(concept, found[0])]
        sided = [found for found in homes if not self.fitting.single(found[0])] if side is not None else []
        return next((found for found in sided or homes if not self._far(found[0], context.near)), ())

    def _lent_side(self, head: FindingDraft, places: tuple[SiteAndSide, ...], concept: str, sites: tuple[str, ...]) -> str | None:
        """Return the side of the finding that this one is caused by or accompanies, if both are in one region and this one is
        in a paired structure."""
        concepts = self.index.concepts
        if head.lent is None or not sites or concept not in concepts:
            return None
        operated = concepts[concept].kind == concepts[head.lent[0]].kind == "devices"  # "left mastectomy with an implant"
        index, around = self.index, self.fitting.default(head.lent[0])
        together = any(index.inside(site, own) or index.inside(own, site) for site in sites for own in around)
        if not (places or head.lent[2] or operated or together):
            return None
        paired = any("paired" in concepts[whole].flags for whole in self.index.within[sites[0]] if whole in concepts)
        home = {concepts[concept].module, concepts[sites[0]].module if head.lent[2] else ""}
        return head.lent[1] if paired and concepts[head.lent[0]].module in home else None

    def _normal_places(self, head: FindingDraft, context: RecordedAccess) -> tuple[SiteAndSide, ...]:
        """Return the sites of a normal word that has none: its default sites, or those of the heading or the preceding
        sentence."""
        index = self.index
        own: tuple[SiteAndSide, ...] = tuple((name, None) for normal in head.normals for name in index.soft_sites.get(normal, ()))
        rows = [row for normal in head.normals for row in index.denials.get(normal, ())]
        if rows and all(row.site != ANYWHERE for row in rows):
            own = own or ((rows[0].site, None),)
        places = own[:1] or (context.heading[0] if context.heading else ()) or context.last_sites
        return tuple((name, None) for name, _ in places) if head.side is not None else places

    def _fitting(
        self, head: FindingDraft, concept: str, places: tuple[SiteAndSide, ...], context: RecordedAccess
    ) -> tuple[tuple[SiteAndSide, ...], str | None]:
        """Return the explicit sites that fit the concept, or else the inherited ones, and the side given with them."""
        fitting = self.fitting
        places = tuple((fitting.in_tissue(concept, fitting.counterpart(concept, name)), side) for name, side in places)
        places = tuple(p for p in self._nested(concept, places, context, head.kind) if not fitting.foreign(concept, p[0]))
        if any(name.endswith("oclock") for name, _ in places):  # "tear of the labrum from 1 to 4 o'clock"
            homes = {self.index.concepts[name].module for name, _ in places}
            places = tuple(p for p in places if len(homes) < 2 or not p[0].endswith("oclock"))
        places = tuple((n if fitting.fits(concept, n) else fitting.within_region(concept, n), side) for n, side in places)
        weak = head.inherited or head.shared
        suits = fitting.belongs if head.shared else fitting.fits
        fits = tuple(p for p in places if suits(concept, p[0])) if weak or len(places) > 1 else places
        if not weak:
            fits = fitting.with_said(concept, fits, places)
        if not fits and not weak and head.kind != FINDING:
            fits = places
        said = head.side or next((side for _, side in reversed(places) if side), None)
        default = fitting.default(concept)
        if head.shared and not fits and default and all(fitting.single(name) for name in default):
            said = None  # "left rib fractures with mediastinal shift"
        if head.inherited and head.kind == FINDING and len(fits) == 1 and len(context.near) == 1:
            fits = self.levels.nearer(concept, fits, context.near)
        if head.inherited and head.kind == FINDING and fits and any(fits == alternative for alternative in context.heading):
            fits = tuple((self._own_within(concept, name), side) for name, side in fits)
        if not weak and head.kind == FINDING and len(fits) == 1:
            fits = tuple((self._own_of_name(concept, name), side) for name, side in fits)
        return (fits, said) if fits else self._inherit(head, concept, said, context)

    def _own_of_name(self, concept: str, name: str) -> str:
        """Return the finding's own site if only a region around it is given ("a liver cyst in the upper abdomen")."""
        own, index = self.fitting.default(concept), self.index
        wider = len(own) == 1 and own[0] in index.hard_sites.get(concept, ()) and not index.inside(name, own[0])
        return own[0] if wider and own[0] not in index.generic and index.inside(own[0], name) else name

    def _own_within(self, concept: str, name: str) -> str:
        """Return the finding's own site if it is inside the site of a label ("Intracranial: no intraventricular blood")."""
        own = self.fitting.default(concept)
        inside = len(own) == 1 and own[0] != name and own[0] not in self.index.generic and self.index.inside(own[0], name)
        return own[0] if inside else name

    def _fixed_side(self, sites: Iterable[str]) -> str | None:
        """Return the side on which a structure always lies (the spleen)."""
        concepts = (self.index.concepts[site] for site in sites if site in self.index.concepts)
        return next((side for concept in concepts if (side := concept.values.get("side"))), None)

    def _nested(
        self, concept: str, places: tuple[SiteAndSide, ...], context: RecordedAccess, kind: str
    ) -> tuple[SiteAndSide, ...]:
        """Resolve a generic structure within a named one to the specific one ("lymph nodes" of the mediastinum, "labrum" of
        the hip): within one named in the sentence or the heading, else within the finding's own site or the one mentioned
        before."""
        index = self.index
        out = []
        for name, side in places:
            if tissue := self.levels.tissue_around(name, places, context):
                name, side = tissue[0], side or tissue[1]
            elif name in index.generic or name in index.local:
                named = [n for n, _ in places] + [n for alternative in context.heading for n, _ in alternative]
                # "L4-L5: disc height is normal"
                name = next((other for other in named if other != name and name in index.ancestors.get(other, ())), name)
                # "The medial meniscus is torn, and the meniscus is extruded."
                near = (
                    near for near, _ in context.near if kind == FINDING and index.label(near).endswith(" " + index.label(name))
                )
                name = next(near, name)
                if name in index.local:
                    named += [*index.sites_implied(concept), *self.fitting.default(concept), *(n for n, _ in context.last_sites)]
                for other in named:
                    if other == name:
                        continue
                    own = other in self.fitting.default(concept) and index.is_a(other, name)  # "Nodes: hilar adenopathy"
                    found = other if own else index.specific(name, other)
                    if found:
                        name = found
                        break
                else:
                    name = self._in_wholes(concept, name)
            elif not self.fitting.fits(concept, name) and index.concepts[name].module != index.concepts[concept].module:
                name = next((part for own in self.fitting.default(concept) if (part := self.fitting.part(name, own))), name)
            out.append((name, side))
        return tuple(out)

    def _in_wholes(self, concept: str, name: str) -> str:
        """Return the part of this name in the wholes of the finding's own site ("Fibroids, the largest at the fundus")."""
        index = self.index
        if name in index.local and index.fold(concept, (name,)) == concept:
            wholes = {whole for own in self.fitting.default(concept) for whole in index.within.get(own, ())}
            for whole in sorted(wholes, key=lambda whole: (-len(index.within.get(whole, ())), whole)):
                found = index.specific(name, whole)
                if found:
                    return found
        return name

    def _under_heading(
        self, head: FindingDraft, concept: str, side: str | None, context: RecordedAccess
    ) -> tuple[tuple[SiteAndSide, ...], str | None] | None:
        """Return the sites and side that a head inherits from the headings above it, or None if none of them fits."""
        several = len(context.heading) > 1 and all(LEVEL.search(name) for places in context.heading for name, _ in places[:1])
        for alternative in context.heading if not several else ():
            # "Discs: L1/2 disc bulges or protrudes": sites named in the sentence inside the structure of the heading.
            near = tuple(p for p in context.near if any(p[0] != h and self.index.inside(p[0], h) for h, _ in alternative))
            if self._elsewhere(alternative, context.near):
                continue  # "Liver: normal. Kidneys normal, no stones."
            around = tuple((self.fitting.at_heading(concept, n), s) for n, s in near or alternative)
            fits = tuple(p for p in around if self.fitting.belongs(concept, p[0]))
            if fits and head.status != "present" and self.levels.beside_disc(concept, fits[0][0]):
                fits = ()
            if fits:
                return fits, side or (context.heading_side if any(self.fitting.has_sides(name) for name, _ in fits) else None)
        return None

    def _inherit(
        self, head: FindingDraft, concept: str, side: str | None, context: RecordedAccess
    ) -> tuple[tuple[SiteAndSide, ...], str | None]:
        """Return the sites a head inherits from headings, or from the preceding sentence if the concept has no site of its
        own."""
        index = self.index
        if head.status == "absent" and not context.heading and concept in index.marked("anywhere"):
            return (), side  # "No active disease" applies to the whole examination, not to the organ mentioned before
        if under := self._under_heading(head, concept, side, context):
            return under
        default = self.fitting.default(concept)
        at_one = bool(default) and all(self.fitting.single(name) for name in default)
        if context.heading and context.heading_side and not side and not at_one:
            side = context.heading_side
        said = head.status == "present" or not default  # no leptomeningeal enhancement is no attribute
        told_of = index.flagged("attributes") | (index.flagged("lumps") if head.definite else frozenset())
        signal = head.status == "absent" and not head.definite and index.is_any(concept, {index.role("any_signal")})
        if signal and context.lesions_spread and self.fitting.regional(concept, context.regions[0]):
            return (), side  # after lesions at several places, "no high signal on DWI" is of the whole brain
        around = not context.near and any(d.value == index.role("beside") for d in head.details)  # "Perilesional oedema."
        if context.lesion_sites and said and not head.overall and (around or index.is_any(concept, told_of)):
            return context.lesion_sites, side
        home = default or self._home(concept, None, context) if context.topic else ()
        if context.topic and all(self.levels.attends(head, concept, home, name) for name, _ in context.topic):
            return context.topic, side
        told = head.status == "present" and not is_everywhere(head, index) and (head.taken or not index.hard_sites.get(concept))
        if head.kind == NORMAL or (default and default != (index.role("any_artery"),) and not told):
            return (), side
        named = any(index.fold(concept, (name,)) != concept for name, _ in context.last_sites)
        here = named or head.status == "present" or context.near  # "Mural thrombus. No rupture."
        vessel = bool(default == (index.role("any_artery"),) and here)
        soft = (vessel or told) and any(index.inside_any(name, default) for name, _ in context.last_sites)
        single = all(self.fitting.single(name) for name, _ in context.last_sites)
        if not single and index.is_any(concept, index.flagged("spreading")):
            single = not named  # "Vascular congestion; small effusions on both sides"
        regional = bool(self.fitting.regional(concept, context.regions[0]))
        at_home = regional and ((head.status != "present" and not (vessel and context.near)) or (side is not None and single))
        rest = head.otherwise and head.status == "absent"  # "no uptake elsewhere" is not at the site of the preceding finding
        if context.last_sites and (not default or soft) and not at_home and not rest:
            one = side is not None and any(not self.fitting.single(name) for name, _ in context.near)
            spoken = context.near if one else context.last_sites  # "Patent iliac arteries; mild narrowing of the right one"
            here = any(self.fitting.bears(concept, name) for name, _ in context.near)
            if head.status == "absent" and not default and context.topic and not (here or named):
                spoken = context.topic
            fits = tuple(p for p in spoken if self.fitting.bears(concept, p[0]))
            if head.status == "absent" and not default:  # "cortex intact; no spur"
                fits = tuple(p for p in fits if p[0] not in index.local)
            if fits:
                return (tuple((n, None) for n, _ in fits), side) if side else (fits, side)
        return (), side

    def _elsewhere(self, heading: tuple[SiteAndSide, ...], near: tuple[SiteAndSide, ...]) -> bool:
        """Whether the sentence is about a different organ than the heading: neither is inside the other."""
        index = self.index
        apart = not any(index.inside(n, h) or index.inside(h, n) for n, _ in near for h, _ in heading)
        return bool(near) and apart and all(index.is_any(name, index.flagged("organs")) for name, _ in (*near, *heading))

    def _far(self, home: str, spoken: Sequence[SiteAndSide]) -> bool:
        """Whether a structure is in another part of the body than all those mentioned: bare findings in the neck are not
        assigned to the brain, even if the report also covers the head."""
        index = self.index
        around = index.within.get(home, frozenset()) - {index.role("whole_body")}
        kin = index.concepts[home].module
        return bool(spoken) and all(
            around.isdisjoint(index.within.get(name, ())) and name in index.concepts and index.concepts[name].module != kin
            for name, _ in spoken
        )

    def _side_around(self, sites: tuple[str, ...], context: RecordedAccess, *, inside: bool) -> str | None:
        """Return the side inherited from a sided heading: by structures under it ("LEFT BREAST: … upper outer quadrant"), by
        others only unless `inside` ("Left maxillary sinus: opacified. Other sinuses clear")."""
        heading: tuple[tuple[SiteAndSide, ...], ...] = context.heading
        for alternative in heading:
            for name, side in alternative:
                inside_it = (s for s in sites if self.index.inside(s, name))
                if side in ("left", "right", "both") and any(map(self.fitting.has_sides, inside_it)):
                    return side
        if inside:
            return None
        said = {side for alternative in heading for _, side in alternative}
        around: str | None = context.heading_side
        if around in ("left", "right") and said <= {around}:
            return None if any(self.fitting.single(site) for site in sites) else around
        return None

    def _narrowest(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites without those that contain another one or are wider than the concept's own."""
        index = self.index
        kept = []
        for site in self.fitting.inmost(sites):
            if any(other != site and self._tells_more(concept, other, site) for other in sites):
                continue
            kept.append(site)
        own = [d for d in self.fitting.default(concept) if d in index.sites_implied(concept)]
        if own and kept and concept in index.concepts:
            # A site wider than the concept's own adds nothing: "effusion in the chest" is in the pleural space.
            kept = [
                own[0] if any(o != site and index.inside(o, site) for o in own) and site not in own else site for site in kept
            ]
        return tuple(dict.fromkeys(kept))

    def _tells_more(self, concept: str, other: str, site: str) -> bool:
        """Whether `other` makes `site` redundant: a disc beside another structure at its level ("the cord at C5-C6"), a kind
        of part beside its bone or joint ("bone marrow of the condyle"), or the finding's own site beside a more particular one
        ("pleura thickened at the apex")."""
        index, own = self.index, self.fitting.default(concept)
        if site in own and other not in own and self.fitting.fits(concept, other):
            return not index.inside(site, other) and other not in index.generic and other not in index.local
        if self.fitting.names_region_of(site, other) and not self.fitting.of_joint(concept) and self.fitting.fits(concept, other):
            return True
        level = LEVEL.search(site)
        if level is not None and is_disc(site):
            return other.endswith(level[0]) and site not in self.fitting.default(concept) and not self.levels.of_disc(concept)
        return (
            (site in index.local or site in index.flagged("tissues"))
            and other not in index.local
            and other not in index.generic
            and self.fitting.fits(concept, other)
        )

    def _sides(
        self, head: FindingDraft, sites: tuple[str, ...], side: str | None, context: RecordedAccess
    ) -> tuple[tuple[str | None, ...], bool]:
        """Return the sides, one per finding, and whether they are both: a denial of a paired structure without a side covers
        both."""
        index = self.index
        paired = bool(sites) and sites[0] in index.concepts and "paired" in index.concepts[sites[0]].flags
        both = False
        space = side == "both" and bool(sites) and index.inside_any(sites[0], index.flagged("unpaired_space"))
        if space and self.fitting.single(sites[0]):
            side = None  # "bilateral hilar and mediastinal nodes"
        if side is None and paired:
            if context.limb_side and index.inside_any(sites[0], index.flagged("limbs")):
                side = context.limb_side
            elif head.status != "present":
                side, both = "both", True
        return (("right", "left") if side == "both" else (side,)), both
