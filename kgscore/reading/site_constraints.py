"""The sites that fit a concept: inside, around or overlapping its own, by default, by region, and in its own kind of
structure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from kgscore.linking.lexicon import FINDING
from kgscore.ontology.index import LEVEL, Index, level_of, only
from kgscore.reading.finding_draft import FindingDraft, Places

_REGIONS = frozenset(("head", "chest", "abdomen"))
_SPINE = frozenset(("spine", "msk", "core"))
# Regions whose structures are possible sites of any finding without a hard site.
_EVERYWHERE = ("msk", "spine", "core")


class SiteConstraints:
    """The constraints of index and defaults on one concept at one site, independent of sentences.

    `defaults` maps (concept, region) to the site of a bare finding.
    """

    def __init__(self, index: Index, defaults: Mapping[tuple[str, str], str]) -> None:
        self.index = index
        self._defaults = defaultdict[str, dict[str, str]](dict)
        for (concept, region), site in defaults.items():
            self._defaults[region][concept] = site
        self._wide = frozenset(region[2:] for region in self._defaults if region.startswith("@<"))
        self.fits, self.counterpart, self.joint_around = cache(self._fits), cache(self._counterpart), cache(self._joint_around)
        self._by_label = {" ".join(index.label(name).split()): name for name in index.within}
        self._by_first, self._by_last = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for label, name in ((index.label(name).split(), name) for name in index.within):
            if len(label) > 1:
                self._by_first[label[0]].append(name)
                self._by_last[label[-1]].append(name)

    def _fits(self, concept: str, site: str) -> bool:
        """Return whether a finding of this concept can be at this site: inside, around or overlapping its own sites."""
        index = self.index
        implied = index.sites_implied(concept)
        places = set(self.index.default_sites(concept)) | set(implied)
        if not places:
            return True
        if site in index.concepts and index.concepts[site].module in _EVERYWHERE and (not implied or self._of_tissue(places)):
            return True
        folded = index.fold(concept, (site,))
        if folded != concept and not (implied and index.is_a(folded, concept)):
            return True  # "emphysema of the cheek" is another finding
        return any(self._suits(site, place) for place in places)

    def _of_tissue(self, places: Iterable[str]) -> bool:
        """Whether structures are ubiquitous tissues (soft tissue, bone)."""
        return all(is_ubiquitous(self.index, one) for one in places)

    def with_said(self, concept: str, fits: Places, places: Places) -> Places:
        """Return the places that fit, with the others of the region if they are only the finding's default sites."""
        concepts = self.index.concepts
        if not fits or not all(name in self.index.default_sites(concept) for name, _ in fits):
            return fits
        home = concepts[fits[0][0]].module
        return (*fits, *(place for place in places if place not in fits and concepts[place[0]].module == home))

    def _suits(self, site: str, place: str) -> bool:
        """Whether one structure is inside the other, or the site inside one that overlaps the place or around one of its kind."""
        index, within = self.index, self.index.within.get(site, frozenset((site,)))
        meets = place in within or index.inside(place, site) or not within.isdisjoint(index.overlaps.get(place, ()))
        return meets or (place in index.generic and index.holds(site, place))

    def belongs(self, concept: str, site: str) -> bool:
        """Return whether a finding that only accompanies another can be at the other's site: if it has a site of its own, the
        site must meet that, and not only a wider one ("haemorrhage in the putamen with midline shift")."""
        index = self.index
        own = [name for name in self.index.default_sites(concept) if name in index.sites_implied(concept)]
        if not own or self._of_tissue(own):
            return self.fits(concept, site)
        # "No adenopathy or mass in the mediastinum": there are nodes in it.
        return any(self._suits(site, name) for name in own) or bool(self.said_around(concept, site))

    def yardstick(self, concept: str, site: str) -> bool:
        """Whether a bone only gives the height of the end of a device outside bone ("tip at the level of T9")."""
        concepts = self.index.concepts
        bony = concepts[site].module in ("msk", "spine") or self.index.is_a(site, self.index.role("any_bone"))
        return bony and concept in concepts and concepts[concept].module in ("core", "chest", "abdomen", "vascular")

    def sole(self, concept: str) -> str:
        """Return the default site of a concept that has exactly one, else ""."""
        return only(self.index.default_sites(concept)) or ""

    def regional(self, concept: str, region: str) -> str:
        """Return the site of a bare finding in a report of this region ("no haemorrhage" in a head CT: the brain), or ""."""
        index = self.index
        sites = self._defaults.get(region, {})
        if concept not in sites and self.index.default_sites(concept) and not region.startswith("@"):
            return ""  # it has a site of its own
        named = [name for name in index.ancestors.get(concept, ()) if name in sites] if sites else []
        site = sites[max(named, key=lambda name: (len(index.ancestors[name]), name))] if named else ""
        return site if site in index.concepts else ""

    def said_around(self, concept: str, place: str) -> str:
        """Return the site of a finding if only `@place`, or a place inside `@<place`, around it is given; else ""."""
        around = sorted(self._wide.intersection(self.index.within.get(place, ())))
        told = (self.regional(concept, region) for region in (f"@{place}", *(f"@<{whole}" for whole in around)))
        return next(filter(None, told), "")

    def at_said(self, concept: str, place: str) -> str:
        """Return the site of a finding at a structure: its own site there, or else that structure."""
        return self.said_around(concept, place) or place

    def ends(self, device: str, tips: Iterable[str]) -> tuple[str, ...]:
        """Return the sites of the ends of a device: one below the diaphragm is in the abdomen."""
        return tuple(dict.fromkeys(self.at_said(device, tip) for tip in tips))

    def bears(self, concept: str, name: str) -> bool:
        """Whether a structure in the context can have the finding: a curvature is of a stretch of the spine, not of a joint."""
        if self.index.is_any(concept, self.index.flagged("of_stretches")) and not name.endswith("spine"):
            return False
        return self.fits(concept, name)

    def own_stretch(self, concept: str, name: str) -> str:
        """Return the stretch of the spine around its vertebrae, for findings of stretches: a curvature is not in the bodies."""
        index = self.index
        own = all(one.endswith("spine") for one in self.index.default_sites(concept))
        if level_of(name) or not own or not index.is_any(concept, index.flagged("of_stretches")):
            return name
        around = [whole for whole in index.within.get(name, ()) if whole.endswith("spine")]
        return min(around, key=lambda whole: (-len(index.within[whole]), whole), default=name)

    def unimplied(self, concept: str, name: str) -> str:
        """Return the default site of a finding instead of a place that it implies: "dilatation of the lactiferous ducts"."""
        return name if name not in self.index.sites_implied(concept) else self.sole(concept) or name

    def own_joint(self, concept: str, name: str) -> str:
        """Return the joint around the current structure, for findings of joints: an effusion is not in the meniscus."""
        if not self.of_joint(concept) or self.index.is_a(name, self.index.role("any_joint")):
            return name
        return self.joint_around(name) or name

    def of_joint(self, concept: str) -> bool:
        """Return whether a finding is of a whole joint: an effusion."""
        return self.index.is_any(concept, self.index.flagged("of_joints"))

    def side_of_whole(self, sites: tuple[str, ...], spoken: Places, before: Places) -> str | None:
        """Return the side of the preceding paired structure, for a part of it ("the left kidney, and its lower pole"); `before`:
        that of an earlier sentence ("The left kidney is small. There is a cyst in the lower pole")."""
        return self._side_of_one(sites, spoken) or self._side_of_one(sites, before, itself=True)

    def _side_of_one(self, sites: tuple[str, ...], spoken: Places, *, itself: bool = False) -> str | None:
        """Return the side of a single structure or, unless `itself`, of one in it, for a part."""
        if len(spoken) != 1 or spoken[0][1] not in ("left", "right"):
            return None
        concepts, within = self.index.concepts, self.index.within
        around = within.get(spoken[0][0], ())
        for site in sites:
            wholes = [w for w in within.get(site, ()) if w != site and w in concepts and "paired" in concepts[w].flags]
            if spoken[0][0] in wholes if itself else wholes and max(wholes, key=lambda one: (len(within[one]), one)) in around:
                return spoken[0][1]
        return None

    def names_region_of(self, joint: str, other: str) -> bool:
        """Whether a joint names the region of another structure ("the shoulder, involving the supraspinatus")."""
        index, any_joint = self.index, self.index.role("any_joint")
        regions = (whole for whole in index.within.get(joint, ()) if whole.endswith("_region"))
        return index.is_a(joint, any_joint) and not index.is_a(other, any_joint) and any(index.inside(other, w) for w in regions)

    def _joint_around(self, name: str) -> str | None:
        """Return the widest joint that a structure is part of."""
        within, kind = self.index.within, self.index.role("any_joint")
        joints = (whole for whole in within.get(name, ()) if whole != kind and self.index.is_a(whole, kind))
        return min(joints, key=lambda whole: (len(within[whole]), whole), default=None)

    def within_region(self, concept: str, site: str) -> str:
        """Return the concept's own kind of structure within a region ("lymphadenopathy in the mediastinum": its lymph nodes)."""
        for own in self.index.default_sites(concept):
            if own in self.index.local and not self.index.inside(site, own):
                found = self.index.specific(own, site) or self._nodes_along(own, site)
                if found:
                    return found
        return site

    def own_before_tissue(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites of a finding without a ubiquitous tissue beside its own site ("marrow signal of the bodies")."""
        default = self.index.default_sites(concept)
        own = [site for site in sites if site in default or self.index.inside_any(site, default)]
        return tuple(site for site in sites if not own or site in own or site not in self.index.local)

    def at_heading(self, concept: str, name: str) -> str:
        """Return the site of a finding under the heading of a structure ("Pelvis: no free fluid")."""
        own = self.sole(concept)
        if self.index.is_a(own, name):
            return own  # "LYMPH NODES: no inguinal adenopathy"
        return self.in_tissue(concept, name) if self.fits(concept, name) else self.around_or_within(concept, name)

    def at_own_level(self, concept: str, name: str) -> str:
        """Return a site with a level, or else the concept's own site around or within it."""
        return name if LEVEL.search(name) else self.around_or_within(concept, name)

    def around_or_within(self, concept: str, name: str) -> str:
        """Return the concept's own site that a structure surrounds, or its own kind of structure within that."""
        return self.said_around(concept, name) or self.within_region(concept, name)

    def _nodes_along(self, kind: str, site: str) -> str | None:
        """Return the lymph nodes that share their name with a site ("adenopathy along the external iliac vessels")."""
        name = self.index.label(site).rpartition(" ")[0]
        return self._by_label.get(f"{name} {self.index.label(kind)}") if kind == self.index.role("any_lymph_node") else None

    def tissue(self, kind: str, region: str) -> str | None:
        """Return the tissue of a region or joint ("soft tissue" of the wrist), if it has a concept."""
        index = self.index
        if not self.of_regions(kind):
            return None
        label = index.label(region).removesuffix(" region").removesuffix(" joint").partition(" compartment of ")
        return self._by_label.get(f"{index.label(kind)} of {label[2] or label[0]}")

    def of_regions(self, kind: str) -> bool:
        """Return whether a structure is a tissue with a part in each region."""
        return kind in self.index.generic and self.index.is_any(kind, self.index.flagged("tissues"))

    def in_tissue(self, concept: str, site: str) -> str:
        """Return a site, or its part of the tissue that a finding is in ("subcutaneous edema of the calf")."""
        return self.tissue(self.sole(concept), site) or site

    def _counterpart(self, concept: str, site: str) -> str:
        """Return the structure of the finding's own kind with a region's name: a "frontal" fracture is of the frontal bone, and
        atrophy of the "supraspinatus" of the muscle, not the tendon."""
        own, label = self.index.default_sites(concept), self.index.label(site)
        region = label.endswith((" lobe", " bone")) and self.index.concepts[site].module == "head"
        if own and region and not self.belongs(concept, site):
            named = (name for name in self._by_first[label.partition(" ")[0]] if self.index.inside_any(name, own))
            return min(named, key=lambda name: (len(self.index.label(name)), name), default=site)
        if own == (self.index.role("any_muscle"),) and label.endswith(" tendon"):
            return self._by_label.get(label.removesuffix("tendon") + "muscle", site)
        return site

    def part(self, site: str, whole: str) -> str | None:
        """Return the only topmost part of a structure with the last word of its name ("neck" of the pancreas), or None."""
        named = [name for name in self._by_last.get(self.index.label(site), ()) if self.index.inside(name, whole)]
        return only(self.index.topmost([name for name in named if name != site]))

    def foreign(self, concept: str, site: str) -> bool:
        """Whether a site belongs to another region than the finding ("lobar microhaemorrhage" is in no lobe of the lung)."""
        index = self.index
        home, away = index.concepts[concept].module if concept in index.concepts else "", index.concepts[site].module
        if not self.index.default_sites(concept) or home == away:
            return False
        if (away == "spine" and LEVEL.search(site) and home not in _SPINE) or (site.endswith("oclock") and home != "core"):
            return True  # "T3 rectal cancer", "a calculus at the level of L3", "a fistula at 6 o'clock"
        return home in _REGIONS and away in _REGIONS and not self.fits(concept, site)

    def meant(self, head: FindingDraft, concept: str, places: Places) -> str:
        """Return the one of the findings that a form may name that fits the given site ("collapsed": a lung or a vertebra)."""
        if head.kind != FINDING or not places:
            return concept
        named = (concept, *(entry.id for entry in head.item.choices if entry.type == FINDING))
        fitting = next((one for one in named if self._fits_any(one, places)), None)
        loose = head.item.adjective or getattr(head.item.types.get(FINDING), "scope", "") == "broad"
        generic = loose or head.item.first == head.item.last
        return fitting or (self._general(concept, places, loose=loose) if generic else concept)

    def _general(self, concept: str, places: Places, *, loose: bool) -> str:
        """Return the class that a word of one organ's finding names at another organ: an "ectopic" spleen is no renal ectopia. An
        adjective or broad wording without such a class means the nearest class above that fits the given site."""
        above = self.index.ancestors.get(concept, frozenset()) - {concept}
        fitting = [one for one in above if self._fits_any(one, places)]
        meant = [one for one in fitting if one in self.index.flagged("elsewhere")] or (fitting if loose else [])
        return max(meant, key=lambda one: (len(self.index.ancestors[one]), one), default=concept)

    def _fits_any(self, concept: str, places: Places) -> bool:
        return any(self.fits(concept, name) for name, _ in places)

    def folded(self, kind: str, concept: str, sites: tuple[str, ...]) -> str:
        """Return the concept of a finding at its sites, primarily at the first ("haematoma of the scalp over the lobe")."""
        folded = self.index.fold(concept, sites) if sites else concept
        first = self.index.fold(concept, sites[:1]) if kind == FINDING and len(sites) > 1 else folded
        return folded if first == concept or self.index.is_a(folded, first) else first

    def inmost(self, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites without those that contain another one."""
        if len(sites) < 2:
            return sites
        inside = self.index.inside
        return tuple(s for s in dict.fromkeys(sites) if not any(o != s and inside(o, s) and not inside(s, o) for o in sites))

    def in_organ(self, concept: str, site: str) -> str:
        """Return the organ instead of its wall for a finding of the organ ("Gallbladder wall not thickened, no stones")."""
        organ = self.index.wall_of.get(site)
        return organ if organ is not None and organ in self.index.sites_implied(concept) else site

    def walls(self, concept: str, sites: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return thickening of the wall of X as wall thickening of X."""
        of_wall = self.index.role("wall_thickened")
        if concept in (self.index.role("thickened"), of_wall) and any(s in self.index.wall_of for s in sites):
            return of_wall, tuple(self.index.wall_of.get(s, s) for s in sites)
        return concept, sites

    def halves(self, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the half of each unpaired structure that has halves, for findings on one side (the hemidiaphragm)."""
        return tuple(half if self.index.inside(half := f"hemi{name}", name) else name for name in sites)

    def single(self, site: str) -> bool:
        """Whether a structure is unpaired: a bare "small left effusion" is not of the heart mentioned before."""
        return self.index.concepts[site].flags.isdisjoint(("paired", "sided"))

    def at_one(self, concept: str) -> bool:
        """Whether a concept has default sites, and all are unpaired."""
        own = self.index.default_sites(concept)
        return bool(own) and all(map(self.single, own))

    def has_sides(self, site: str) -> bool:
        """Whether a structure, or one that contains it, exists on both sides."""
        return not all(self.single(name) for name in self.index.within.get(site, ()))


def is_ubiquitous(index: Index, site: str) -> bool:
    """Return whether a structure is a ubiquitous tissue (soft tissue, bone); nodes are named by what they lie beside."""
    return site in index.generic and index.concepts[site].module == "core" and site != index.role("any_lymph_node")
