"""Parts and levels: a structure named by its whole, by the spinal level beside it, or by the vertebrae around it."""

from __future__ import annotations

from itertools import pairwise

from kgscore.ontology.index import LEVEL, Index, is_disc
from kgscore.reading.finding_draft import FindingDraft, Places, SiteAndSide
from kgscore.reading.memo import RecordedAccess
from kgscore.reading.site_constraints import SiteConstraints


def is_everywhere(head: FindingDraft, index: Index) -> bool:
    """Whether a head has no particular site ("diffuse osteopenia")."""
    return any(detail.value in index.flagged("everywhere") for detail in head.details)


def is_beside(head: FindingDraft, index: Index) -> bool:
    """Whether a head is beside another finding ("perilesional")."""
    return any(detail.value == index.role("beside") for detail in head.details)


class Levels:
    """Refines the sites of a finding by each other."""

    def __init__(self, fitting: SiteConstraints) -> None:
        self.fitting, self.index = fitting, fitting.index

    def apart(self, concept: str, sites: list[Places]) -> list[Places]:
        """Return the alternatives of a finding; those of discs from L3 to S1 are the discs between."""
        named = [name for places in sites for name, _ in places]
        levels = [name.removeprefix("vertebra_") for name in named if name != self.index.role("any_disc")]
        if not 2 < len(levels) == len(sites):
            return sites
        between = self.fitting.sole(concept) in self.index.flagged("between_vertebrae")  # "facet arthropathy from L3 to S1"
        of_discs = len(levels) < len(named) or self.of_disc(concept) or between
        discs = [f"disc_{one}_{other}" for one, other in pairwise(levels)]
        known = of_discs and all(disc in self.index.concepts for disc in discs)
        return [((disc, None),) for disc in discs] if known else sites

    def tissue_around(self, name: str, places: Places, context: RecordedAccess) -> SiteAndSide | None:
        """Return the tissue of the first region in the sentence or the context that has it ("no gas in the soft tissues" of a
        hand), with the side given there; None for other structures."""
        if not self.fitting.of_regions(name):
            return None
        around = (*places, *(one for told in context.heading for one in told), *context.near, *context.last_sites)
        return next(((own, side) for other, side in around if (own := self.fitting.tissue(name, other))), None)

    def attends(self, head: FindingDraft, concept: str, home: tuple[str, ...], place: str) -> bool:
        """Whether a finding is at the site of the preceding one: it only occurs with another ("a lytic lesion in the ilium. No
        pathologic fracture."), or is beside it, at a site of its own ("No surrounding edema.")."""
        if self.index.is_any(concept, self.index.flagged("attendants")):
            return self.fitting.bears(concept, place)
        return is_beside(head, self.index) and self.index.inside_any(place, home)

    def of_disc(self, concept: str) -> bool:
        """Whether a finding is of the disc itself."""
        return self.index.is_a(concept, self.index.role("any_disc_abnormality"))

    def levelled(self, places: Places) -> Places:
        """Return the level between two adjacent vertebrae of one finding ("L4 slips forward on L5")."""
        names = [name.removeprefix("vertebra_") for name, _ in places if name.startswith("vertebra_")]
        pairs = (names, names[::-1]) if len(names) == len(places) == 2 else ()
        disc = next((disc for pair in pairs if (disc := "_".join(("disc", *pair))) in self.index.concepts), None)
        return ((disc, places[0][1] or places[1][1]),) if disc else places

    def bearing(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites that bear a finding: a disc beside another structure only gives its level."""
        level = [site for site in sites if is_disc(site) and LEVEL.search(site)]
        others = tuple(site for site in sites if site not in level and self.index.concepts[site].module == "spine")
        return others if level and others and not self.of_disc(concept) else sites

    def own_level(self, concept: str, site: str) -> str:
        """Return the finding's own kind of structure at a level that names a disc ("L4-L5 stenosis" is of the canal)."""
        if not is_disc(site) or self.of_disc(concept):
            return site
        own = self.fitting.sole(concept)
        own = self.index.role("any_facet") if own == self.index.role("any_joint") else own
        return (self.index.specific(own, site) if own and own != self.index.role("any_disc") else None) or site

    def beside_disc(self, concept: str, site: str) -> bool:
        """Whether a disc only gives a level at which the finding's own kind of structure has no single part."""
        own = self.index.default_sites(concept)
        if not own or not is_disc(site) or self.of_disc(concept):
            return False
        hard = own[0] in self.index.sites_implied(concept)
        return hard and own[0] in self.index.generic and self.index.specific(own[0], site) is None

    def at_level_said(self, head: FindingDraft, concept: str, sites: tuple[str, ...], level: str) -> tuple[str, ...]:
        """Return the finding's own kind of structure at the current level, if it has one there and no level is given."""
        own = self.fitting.sole(concept)
        if sites != (own,) or is_everywhere(head, self.index):
            return sites
        return (self.index.specific(own, level) or own,)

    def nearer(self, concept: str, places: Places, near: Places) -> Places:
        """Return the site of the preceding finding if it is at a level inside that of the heading ("SPINE: fracture of L2 …")."""
        name = near[0][0]
        nearer = LEVEL.search(name) and self.index.inside(name, places[0][0]) and self.fitting.fits(concept, name)
        return near if nearer else places
