"""The sites and side of a draft: its own, those of its subject or its label, and the parts that its directions name."""

from __future__ import annotations

import re
from dataclasses import replace

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.model import Detail
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.locations import OF_MOVEMENT, Location, is_shift
from kgscore.reading.composition.parsed_sentence import ParsedSentence, exact_entry
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.measurement import measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The preposition between a distance and its reference point.
_FROM = re.compile(r"(?:from|above|below|beyond|(?:proxim|dist|crani|caud)al to|(?:super|infer)ior to)\Z", re.IGNORECASE)


def put(scene: ParsedSentence, statement: Statement, head: FindingDraft, place: Location) -> None:
    """Set the sites and side of a head, and the details that its place and directions give."""
    subject, words = scene.items[statement.head], scene.knowledge.words
    head.sites, head.side, head.inherited, head.shared = list(place.sites), place.side, place.weak, place.weak
    if not head.sites and subject.kind == ANATOMY:
        head.sites = [((subject.id, subject.side or head.side),)]
    sides = {*sides_in(head.sites)}
    head.sites = _fitting(scene, head)
    if head.concept == words.role("altered"):
        head.sites = _each(scene, head.sites)
    if len(sides) == 1 and head.sites and not sides_in(head.sites) and head.concept in words.devices:
        head.side = head.side or sides.pop()  # "a right frontal shunt with its tip in the third ventricle"
    if not head.sites:
        _put_without_site(scene, head)
    if head.side is None and not sides_in(head.sites):
        head.side = _side_of_words(scene, head)
    _moved(scene, head)
    _narrow(scene, statement, head)
    _count_from(scene, statement, head)


def _put_without_site(scene: ParsedSentence, head: FindingDraft) -> None:
    """Set the sites of a head to that which its quality or normal word names, or to those of the label."""
    own = next((entry.site for entry in head.item.types.values() if entry.type in (QUALITY, NORMAL) and entry.site), None)
    if own is not None:
        head.sites = [((own, head.side),)]
    elif scene.label:
        head.sites, head.inherited = list(scene.label), True
        head.side = head.side or scene.label_side


def _side_of_words(scene: ParsedSentence, head: FindingDraft) -> str | None:
    """Return the side that the words of a finding, or the label, give to a head."""
    if not head.sites and head.status == "present" and _of_both(scene, head.item):
        return "both"
    label = scene.label_side if not head.sites else None
    return head.item.side if head.item.kind == FINDING else label


def _fitting(scene: ParsedSentence, head: FindingDraft) -> list[tuple[SiteAndSide, ...]]:
    """Return the places where a head can be; if there are none, all of them, but none for a quality."""
    if head.kind == NORMAL or not head.sites:
        return head.sites
    fits = scene.knowledge.fitting.fits
    kept = [one for one in head.sites if any(fits(head.concept, name) for name, _ in one)]
    return kept or ([] if head.kind == QUALITY else head.sites)


def _of_both(scene: ParsedSentence, item: Mention) -> bool:
    """Whether the words of a finding end with a paired structure in the plural ("enlarged kidneys")."""
    last = scene.tokens[item.last]
    named = scene.knowledge.lexicon.lookup((last.norm.lower(),)) if item.last > item.first else ()
    plural = last.norm.lower() != scene.text[last.start : last.end].lower()
    own = scene.knowledge.index.soft_sites.get(item.id, ())
    return plural and any(entry.id in own and entry.id in scene.knowledge.words.paired for entry in named)


def _each(scene: ParsedSentence, sites: list[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return coordinated structures as separate places ("stable heart size and mediastinal contours"), unless nested."""
    inside = scene.knowledge.index.inside
    apart = [not any(one != other and inside(one, other) for one, _ in place for other, _ in place) for place in sites]
    return [one for place, split in zip(sites, apart, strict=True) for one in ([(each,) for each in place] if split else [place])]


def _moved(scene: ParsedSentence, head: FindingDraft) -> None:
    """Convert the side of a shift of an unpaired structure to its direction ("Trachea deviated left")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    sides = {*sides_in(head.sites), head.side} - {None}
    way = next((name for name, side in OF_MOVEMENT.items() if sides == {side}), None)
    upright = words.flagged("raised") | words.flagged("lowered")
    if way is None or not is_shift(scene, head.concept) or index.is_any(head.concept, upright):
        return
    names = names_in(head.sites) or index.sites_implied(head.concept)
    if names and names.isdisjoint(words.lateral) and names.isdisjoint(words.sided):
        head.sites, head.side = unsided(head.sites), None
        if all(detail.value not in OF_MOVEMENT for detail in head.details):
            head.details.append(words.detail(way))


def _narrow(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Resolve a direction of a finding to the part of its site with that name ("HUMERUS: distal fracture")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    if index.is_any(head.concept, words.flagged("moving") | words.flagged("shifts") | words.flagged("local_shifts")):
        return
    compared = {at + 1 for at, item in enumerate(scene.items) if item.kind in ("greater", "less", "change")}  # "worse medially"
    said = sorted({*statement.modifiers, *statement.placed} - compared)
    for way in scene.ids(scene.of_kind(DESCRIPTOR, said)):
        if words.parents.get(way) in words.flagged("placing"):
            _narrow_to(scene, head, way)


def _narrow_to(scene: ParsedSentence, head: FindingDraft, way: str) -> None:
    """Replace the sites of a finding by their parts in a direction."""
    labels, parts = scene.knowledge.words.labels, [_parts(scene, way, one) for one in head.sites]
    if any(parts) or any(labels[name].startswith(f"{labels[way]} ") for name in names_in(head.sites)):
        head.details = [detail for detail in head.details if detail.value != way]  # "FEMUR, DISTAL: distal …"
    sites = zip(head.sites, parts, strict=True)
    head.sites = [tuple((inner.get(name, name), side) for name, side in one) for one, inner in sites]


def _parts(scene: ParsedSentence, way: str, places: tuple[SiteAndSide, ...]) -> dict[str, str]:
    """Return the parts of places in a direction that have their own concept."""
    labels, inside = scene.knowledge.words.labels, scene.knowledge.index.inside
    names = {name: exact_entry(scene, f"{labels[way]} {labels[name]}".split(), ANATOMY) for name, _ in places}
    return {name: part.id for name, part in names.items() if part is not None and inside(part.id, name)}


def _count_from(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Handle the reference point of a distance ("4 cm above the carina"): it is a detail, not a site."""
    device = head.concept in scene.knowledge.words.devices
    for items in (place.items for place in statement.places if place.items >= (2,)):
        at = max(1, scene.beyond(items[0], -1, ("stop", "sideword")))
        if (detail := _distance(scene, at, scene.items[items[-1]].end, device=device)) is not None:
            head.details = [*(one for one in head.details if one.text != detail.value), detail]
            head.sites = [one for one in head.sites if names_in((one,)).isdisjoint(scene.ids(items))]
            head.tip_at_home = device and "tip" in scene.run(statement.head - 2, at)
    points = scene.knowledge.words.flagged("counted_from")
    for at in scene.of_kind(DESCRIPTOR, sorted({*statement.modifiers, *statement.placed})):
        if scene.items[at].id in points and (text := _size(scene, at - 1)):  # "4 cm from the nipple"
            head.details = [replace(one, category="distance") if one.text == text else one for one in head.details]


def _distance(scene: ParsedSentence, at: int, end: int, *, device: bool) -> Detail | None:
    """Return the distance from a point after a preposition, or for a device its position; None if neither is stated."""
    joint, text = scene.items[at], _size(scene, at - 1)
    if not (text or device) or not _FROM.match(scene.text, joint.start, joint.end):
        return None
    counted = f"{text} {scene.text[joint.start : end]}".strip()
    return Detail("distance", text, counted) if text else Detail("position", counted, counted)


def _size(scene: ParsedSentence, at: int) -> str:
    """Return a measurement with its unit, an empty string if the item is none."""
    return measurement(scene.items[at].id, scene.knowledge.words.units)[1] if scene.kind(at) == "meas" else ""
