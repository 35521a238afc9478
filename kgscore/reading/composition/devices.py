"""Where devices end, and what they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.linking.lexicon import DESCRIPTOR
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.bearers import Made
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.structure.values import Statement


def devices_at_ends(scene: ParsedSentence, head: FindingDraft, at: int, statements: Sequence[Statement]) -> list[FindingDraft]:
    """Place a device at its end, and return those at the other ends ("leads ending in the atrium and the ventricle")."""
    if head.concept not in scene.knowledge.words.devices or head.inherited:
        return []
    ends = _ends(scene, at, statements)
    sites = [one for one in head.sites if ends & names_in((one,))]
    if not sites:
        return []
    if not sides_in(sites):
        head.side = head.side or next(iter(sides_in(head.sites)), None)
    several = scene.text[: head.item.end].lower().endswith("s")
    head.sites, head.tips = sites[:1], [name for one in sites[: 1 if several else None] for name, _ in one]
    twins = [_ending(head, one) for one in sites[1:] if several]
    own = _own_side(scene, at)
    if own is not None and {*sides_in(head.sites)} - {own}:
        head.side, head.sites = own, unsided(head.sites)
    return twins


def attached_to(scene: ParsedSentence, head: FindingDraft, at: int, made: Made) -> bool:
    """Place the device before a line at its end, if there is one ("a port with its catheter tip in the vena cava")."""
    words = scene.knowledge.words
    lines = words.flagged("lines")
    if not head.tips or head.concept not in lines:
        return False
    whole = [one for item in sorted(made) if item < at for one in made[item] if one.concept in words.devices]
    if not whole or whole[-1].concept in lines:
        return False
    whole[-1].sites, whole[-1].tips, whole[-1].inherited = head.sites, head.tips, False
    return True


def _own_side(scene: ParsedSentence, at: int) -> str | None:
    """Return the side of a device itself, regardless of where it ends ("right PICC with its tip in the left subclavian vein")."""
    before = scene.beyond(at, -1, ("stop", DESCRIPTOR))
    told = scene.items[before].id if scene.kind(before) == "sideword" else scene.items[at].side
    return told if told in ("left", "right") else None


def _ending(head: FindingDraft, site: tuple[SiteAndSide, ...]) -> FindingDraft:
    """Return another device like a head, with a different end."""
    twin = FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [site])
    twin.status, twin.certainty, twin.change, twin.side = head.status, head.certainty, head.change, head.side
    twin.details, twin.tips, twin.definite = list(head.details), [name for name, _ in site], head.definite
    return twin


def _ends(scene: ParsedSentence, at: int, statements: Sequence[Statement]) -> set[str]:
    """Return the sites that follow the tip of a device, or those where such a device ends ("feeding tube in the stomach")."""
    places = [place.items for one in statements for place in one.places if place.items]
    tipped = [items for items in places if "tip" in scene.run(min(at, items[0]) - 2, items[0])]
    found = {scene.items[one].id for items in tipped or places for one in items}
    return found if tipped else found.intersection(scene.knowledge.index.tips.get(scene.items[at].id, ()))
