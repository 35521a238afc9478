"""From heads to findings: sites that fit, defaults, named concepts, one finding a side, details in canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kgscore.model import Detail, Finding
from kgscore.ontology.index import ANYWHERE, Index
from kgscore.reading.clauses import Head, Place

_RESTRICTING = (
    "size",
    "severity",
    "temporality",
    "fracture",
    "malignancy",
    "calcification",
    "patency",
    "occupancy",
    "shape",
    "margin",
    "composition",
)
_REGIONS = frozenset(("head", "chest", "abdomen"))
# Said of a lesion spoken of before: its signal, enhancement and margin.
_ATTRIBUTES = ("enhancement", "absent_enhancement", "signal_abnormality")
_LIMBS = ("upper_limb", "lower_limb")
_NOWHERE: tuple[str, tuple[str, ...], tuple[str | None, ...], bool] = ("", (), (), False)


@dataclass(slots=True)
class Context:
    """What earlier sentences of the report say about later ones: heading sites and side, the last sites, a limb's side."""

    heading: list[tuple[Place, ...]]
    heading_side: str | None = None
    last_sites: tuple[Place, ...] = ()
    lesion_sites: tuple[Place, ...] = ()
    limb_side: str | None = None
    title: list[tuple[Place, ...]] = field(default_factory=list)
    title_side: str | None = None
    regions: tuple[str, ...] = ("core",)


class Builder:
    """Makes findings of heads."""

    def __init__(self, index: Index, defaults: Mapping[tuple[str, str], str]) -> None:
        self.index = index
        self.defaults = defaults
        self._placed: dict[tuple[object, ...], tuple[str, tuple[str, ...], tuple[str | None, ...], bool]] = {}
        self._counterparts: dict[tuple[str, str], str] = {}
        self._fit: dict[tuple[str, str], bool] = {}
        self._default: dict[str, tuple[str, ...]] = {}

    def build(self, head: Head, text: str, section: str, context: Context) -> list[Finding]:
        """Return the findings of a head: one a site alternative and side."""
        found: list[Finding] = []
        concept = self.index.concepts.get(head.concept)
        if (
            concept is not None
            and "empty" in concept.flags
            and (head.inherited or not head.sites)
            and not head.details
            and head.status == "present"
        ):
            return found  # "a pattern", "the area" by themselves say nothing
        alternatives = head.sites or [()]
        for alternative in alternatives:
            found += self._alternative(head, alternative, text, section, context)
        return found

    def _alternative(self, head: Head, places: tuple[Place, ...], text: str, section: str, context: Context) -> list[Finding]:
        heading = tuple(context.heading)
        key = (
            head.kind,
            head.concept,
            tuple(head.normals),
            places,
            head.side,
            head.inherited,
            head.item.choices if head.kind == "F" else None,
            head.status == "present",
            tuple(head.tips),
            heading,
            context.heading_side,
            context.last_sites,
            context.lesion_sites,
            context.limb_side,
            context.regions,
        )
        placed = self._placed.get(key)
        if placed is None:
            placed = self._placed[key] = self._place(head, places, context)
        concept, sites, sides, both = placed
        return [self._finding(head, concept, sites, side, both, text, section) for side in sides]

    def _place(
        self, head: Head, places: tuple[Place, ...], context: Context
    ) -> tuple[str, tuple[str, ...], tuple[str | None, ...], bool]:
        """Return concept, sites, the sides (a finding each) and whether the sides stand for both at once."""
        index = self.index
        concept = head.concept
        side = head.side
        if head.kind == "N":
            own = tuple((name, None) for normal in head.normals for name in index.soft_sites.get(normal, ()))
            if not places:
                rows = [row for normal in head.normals for row in index.denials.get(normal, ())]
                if rows and all(row.site != ANYWHERE for row in rows):
                    own = own or ((rows[0].site, None),)
                places = own[:1] or (context.heading[0] if context.heading else ()) or context.last_sites
                if side is not None:
                    places = tuple((name, None) for name, _ in places)
            if not places:
                return _NOWHERE
            rows = [index.denied_by(head.normals or [head.concept], name) for name, _ in reversed(places)]
            concept = next((row for row in rows if row.site != ANYWHERE), rows[0]).genus
        concept = self._meant(head, concept, places)
        places = tuple((self._counterpart(concept, name), side_) for name, side_ in places)
        places = tuple(p for p in self._nested(places, context) if not self._foreign(concept, p[0]))
        places = tuple((name if self.fits(concept, name) else self._within_region(concept, name), side_) for name, side_ in places)
        fits = tuple(p for p in places if self.fits(concept, p[0])) if head.inherited or len(places) > 1 else places
        if not fits and places and not head.inherited:
            fits = places if head.kind != "F" else ()
        said = side or next((s for _, s in reversed(places) if s), None)
        if not fits:
            fits, said = self._inherit(head, concept, said, context)
        sites = tuple((self._said_around(concept, name) or (self._within_region(concept, name),))[0] for name, _ in fits)
        side = next((s for _, s in reversed(fits) if s), None) or said
        if not sites and not index.sites_implied(concept) and all(d in index.generic for d in self.default(concept)):
            sites = next((found for region in context.regions if (found := self._regional(concept, region))), ())
        concept, sites = self._walls(concept, sites)
        folded = index.fold(concept, sites) if sites else concept
        sites = self._narrowest(folded, sites)
        if not sites and not (head.status != "present" and folded in index.concepts and index.concepts[folded].kind == "devices"):
            sites = self.default(folded)
        if head.tips:
            sites = tuple(dict.fromkeys(head.tips))
        fixed = next(
            (index.concepts[s].values.get("side") for s in sites if s in index.concepts and index.concepts[s].values.get("side")),
            None,
        )
        side = fixed or side or self._side_around(sites, context)
        if head.kind == "Q" and not sites:
            sites = (
                tuple(n for n, _ in context.lesion_sites or context.last_sites)
                if not context.heading
                else tuple(n for n, _ in context.heading[0])
            )
            if not sites:
                return _NOWHERE
        if side is not None:
            sites = tuple(f"hemi{name}" if f"hemi{name}" in index.concepts else name for name in sites)
        sides, both = self._sides(head, sites, side, context)
        return folded, sites, sides, both

    def _meant(self, head: Head, concept: str, places: tuple[Place, ...]) -> str:
        """Of the findings a form may name, the one that fits the site said ("collapsed": a lung or a vertebra)."""
        others = (
            [entry.id for entry in head.item.choices if entry.type == "F" and entry.id != concept] if head.kind == "F" else []
        )
        if others and places and not any(self.fits(concept, name) for name, _ in places):
            return next((o for o in others if any(self.fits(o, name) for name, _ in places)), concept)
        return concept

    def _counterpart(self, concept: str, site: str) -> str:
        """The structure of the finding's own kind that shares a region's name: a "frontal" fracture is of the frontal bone."""
        key = (concept, site)
        known = self._counterparts.get(key)
        if known is None:
            known = site
            own = self.default(concept)
            label = self.index.label(site)
            if own and label.endswith(" lobe") and self.index.concepts[site].module == "head" and not self.fits(concept, site):
                first = label.split()[0] + " "
                named = [
                    name
                    for name, above in self.index.within.items()
                    if self.index.label(name).startswith(first) and any(o in above for o in own)
                ]
                known = min(named, key=lambda name: (len(self.index.label(name)), name), default=site)
            self._counterparts[key] = known
        return known

    def _within_region(self, concept: str, site: str) -> str:
        """The concept's own kind of structure within a region said ("lymphadenopathy in the mediastinum": mediastinal lymph node)."""
        for own in self.default(concept):
            if own in self.index.local and not self.index.inside(site, own):
                found = self.index.specific(own, site)
                if found:
                    return found
        return site

    def _walls(self, concept: str, sites: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Thickening of the wall of X is wall thickening of X."""
        if concept in ("thickening", "wall_thickening") and any(s in self.index.wall_of for s in sites):
            return "wall_thickening", tuple(self.index.wall_of.get(s, s) for s in sites)
        return concept, sites

    def _side_around(self, sites: tuple[str, ...], context: Context) -> str | None:
        """A structure inside a sided heading is on that side ("LEFT BREAST: … upper outer quadrant")."""
        for alternative in context.heading:
            for name, side in alternative:
                if side in ("left", "right") and any(self.index.inside(s, name) for s in sites):
                    return side
        return None

    def _nested(self, places: tuple[Place, ...], context: Context) -> tuple[Place, ...]:
        """A generic structure within a named one is the specific one ("lymph nodes" of the mediastinum, "labrum" of the hip)."""
        index = self.index
        around = [n for n, _ in places] + [n for alternative in context.heading for n, _ in alternative]
        out = []
        for name, side in places:
            if name in index.generic or name in index.local:
                for other in around:
                    found = index.specific(name, other) if other != name else None
                    if found:
                        name = found
                        break
            out.append((name, side))
        return tuple(out)

    def _foreign(self, concept: str, site: str) -> bool:
        """Whether a site belongs to another region than the finding ("lobar microhaemorrhage" is in no lobe of the lung)."""
        index = self.index
        home, away = index.concepts[concept].module if concept in index.concepts else "", index.concepts[site].module
        return (
            home != away
            and home in _REGIONS
            and away in _REGIONS
            and bool(self.default(concept))
            and not self.fits(concept, site)
        )

    def _inherit(self, head: Head, concept: str, side: str | None, context: Context) -> tuple[tuple[Place, ...], str | None]:
        """Return the sites a head takes from headings, or from the sentence before where the concept has no place of its own."""
        for alternative in context.heading:
            fits = tuple(p for p in alternative if self.fits(concept, p[0]))
            if fits:
                return fits, side or context.heading_side
        if context.heading and context.heading_side and not side:
            side = context.heading_side
        if context.lesion_sites and any(index_is(self.index, concept, kind) for kind in _ATTRIBUTES):
            return context.lesion_sites, side
        default = self.default(concept)
        soft = (
            default and head.status == "present" and any(self.index.inside(p[0], d) for p in context.last_sites for d in default)
        )
        at_home = head.status != "present" and bool(self._regional(concept, context.regions[0]))
        if context.last_sites and (not default or soft) and head.kind != "N" and not at_home:
            fits = tuple(p for p in context.last_sites if self.fits(concept, p[0]))
            if fits:
                return (tuple((n, None) for n, _ in fits), side) if side else (fits, side)
        return (), side

    def fits(self, concept: str, site: str) -> bool:
        """Return whether a finding of this concept can be at this site: inside, around or overlapping its own sites."""
        key = (concept, site)
        known = self._fit.get(key)
        if known is None:
            known = self._fit[key] = self._fits(concept, site)
        return known

    def _fits(self, concept: str, site: str) -> bool:
        index = self.index
        implied = index.sites_implied(concept)
        places = set(self.default(concept)) | set(implied)
        if not places:
            return True
        if not implied and site in index.concepts and index.concepts[site].module in ("msk", "spine", "core"):
            return True
        within = index.within.get(site, frozenset((site,)))
        for place in places:
            if place in within or site in index.within.get(place, ()) or site in index.overlaps.get(place, ()):
                return True
            if place in index.generic and index.holds(site, place):
                return True
        return False

    def default(self, concept: str) -> tuple[str, ...]:
        """Return the sites of a concept when none is said."""
        return self.index.soft_sites.get(concept, ())

    def _regional(self, concept: str, region: str) -> tuple[str, ...]:
        """Return where a bare finding is in a report of this region ("no haemorrhage" in a head CT: the brain)."""
        index = self.index
        named = [name for name in index.ancestors.get(concept, ()) if (name, region) in self.defaults]
        if not named:
            return ()
        site = self.defaults[max(named, key=lambda name: (len(index.ancestors[name]), name)), region]
        return (site,) if site in index.concepts else ()

    def _said_around(self, concept: str, place: str) -> tuple[str, ...]:
        """Return where a finding is when only the structure around it was said: `@place` exactly, `@<place` anywhere inside."""
        found = self._regional(concept, f"@{place}")
        if not found:
            found = next((r for whole in sorted(self.index.within.get(place, ())) if (r := self._regional(concept, f"@<{whole}"))), ())
        return found

    def _narrowest(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        index = self.index
        kept = []
        for site in dict.fromkeys(sites):
            if any(other != site and index.inside(other, site) and not index.inside(site, other) for other in sites):
                continue
            kept.append(site)
        own = [d for d in self.default(concept) if d in index.sites_implied(concept)]
        if own and kept and concept in index.concepts:
            # A site wider than the concept's own says nothing: "effusion in the chest" is in the pleural space.
            kept = [
                own[0] if any(o != site and index.inside(o, site) for o in own) and site not in own else site for site in kept
            ]
        return tuple(dict.fromkeys(kept))

    def _sides(
        self, head: Head, sites: tuple[str, ...], side: str | None, context: Context
    ) -> tuple[tuple[str | None, ...], bool]:
        """Return one side a finding: a denial of an unsided paired structure speaks of both."""
        index = self.index
        paired = bool(sites) and sites[0] in index.concepts and "paired" in index.concepts[sites[0]].flags
        both = False
        if side is None and paired:
            if context.limb_side and any(index.inside(sites[0], limb) for limb in _LIMBS):
                side = context.limb_side
            elif head.status != "present":
                side, both = "both", True
        return (("right", "left") if side == "both" else (side,)), both

    def _finding(
        self, head: Head, concept: str, sites: tuple[str, ...], side: str | None, both: bool, text: str, section: str
    ) -> Finding:
        details = self._details(head, side)
        restricted = head.status != "present" and (
            any(d.category.startswith(_RESTRICTING) for d in details) or head.change == "new" or head.otherwise
        )
        if head.otherwise:
            details = (*details, Detail("restriction", "otherwise", "otherwise"))
        status = head.status
        if status == "normal" and head.kind == "F":
            status = "normal"
        return Finding(
            text[head.start : head.end],
            head.start,
            head.end,
            concept,
            self.index.label(concept),
            sites,
            side,  # type: ignore[arg-type]
            status,
            head.certainty,
            details,
            head.change,
            tuple(dict.fromkeys(head.alternatives)),
            restricted,  # type: ignore[arg-type]
            tuple(head.tips),
            section,
            both,
        )

    def _details(self, head: Head, side: str | None) -> tuple[Detail, ...]:
        found: dict[str, Detail] = {}
        for detail in head.details:
            if detail.category == "previous" and not detail.value:
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


def index_is(index: Index, concept: str, kind: str) -> bool:
    """Return whether a concept is of a kind, unknown ids included."""
    return kind in index.ancestors.get(concept, ())


def deduplicate(findings: Sequence[Finding]) -> list[Finding]:
    """Drop exact duplicates, keeping the first (RadSEM 3.2)."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for finding in findings:
        key = (
            finding.concept or finding.label,
            finding.sites,
            finding.side,
            finding.status,
            finding.certainty,
            finding.details,
            finding.change,
            finding.alternatives,
        )
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return kept


__all__ = ["ANYWHERE", "Builder", "Context", "deduplicate"]
