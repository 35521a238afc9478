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
    subject = scene.items[statement.head]
    head.sites, head.side, head.inherited, head.shared = list(place.sites), place.side, place.weak, place.weak
    if not head.sites and subject.kind == ANATOMY:
        head.sites = [((subject.id, subject.side or head.side),)]
    sides = {*sides_in(head.sites)}
    head.sites = _fitting(scene, head)
    if head.concept == scene.role("altered"):  # "stable heart size and mediastinal contours"
        head.sites = [(site,) for places in head.sites for site in places]
    if not head.sites:
        _put_without_site(scene, head)
    elif len(sides) == 1 and not sides_in(head.sites) and head.concept in scene.vocabulary.devices:
        head.side = head.side or sides.pop()  # "a right frontal shunt with its tip in the third ventricle"
    if head.side is None and not sides_in(head.sites):
        head.side = _side_of_words(scene, head)
    _moved(scene, head)
    _narrow(scene, statement, head)
    _count_from(scene, statement, head)


def _put_without_site(scene: ParsedSentence, head: FindingDraft) -> None:
    named = (head.item.types[kind].site for kind in (QUALITY, NORMAL) if kind in head.item.types)
    if own := next(filter(None, named), None):
        head.sites = [((own, head.side),)]
    elif scene.label:
        head.sites, head.inherited = list(scene.label), True
        head.side = head.side or scene.label_side


def _side_of_words(scene: ParsedSentence, head: FindingDraft) -> str | None:
    if not head.sites and head.status == "present" and _of_both(scene, head.item):
        return "both"
    if head.item.kind == FINDING:
        return head.item.side
    return None if head.sites else scene.label_side


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
    word = last.norm.lower()
    if item.last == item.first or word == scene.text[last.start : last.end].lower():
        return False
    paired = scene.vocabulary.paired.intersection(scene.index.soft_sites.get(item.id, ()))
    return any(entry.id in paired for entry in scene.knowledge.lexicon.lookup((word,)))


def _moved(scene: ParsedSentence, head: FindingDraft) -> None:
    """Convert the side of a shift of an unpaired structure to its direction ("Trachea deviated left")."""
    words = scene.vocabulary
    sides = {*sides_in(head.sites), head.side} - {None}
    way = next((name for name, side in OF_MOVEMENT.items() if sides == {side}), None)
    if way is None or not is_shift(scene, head.concept) or scene.is_any(head.concept, "raised", "lowered"):
        return
    names = names_in(head.sites) or scene.index.sites_implied(head.concept)
    if names and names.isdisjoint(words.lateral | words.sided):
        head.sites, head.side = unsided(head.sites), None
        if OF_MOVEMENT.keys().isdisjoint(detail.value for detail in head.details):
            head.details.append(words.detail(way))


def _narrow(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Resolve a direction of a finding to the part of its site with that name ("HUMERUS: distal fracture")."""
    if scene.is_any(head.concept, "moving", "shifts", "local_shifts"):
        return
    said = scene.of_kind(DESCRIPTOR, sorted({*statement.modifiers, *statement.placed}))
    for at in (at for at in said if scene.kind(at - 1) not in ("greater", "less", "change")):  # not "worse medially"
        if scene.vocabulary.parents.get(scene.items[at].id) in scene.flagged("placing"):
            _narrow_to(scene, head, scene.items[at].id)


def _narrow_to(scene: ParsedSentence, head: FindingDraft, way: str) -> None:
    """Replace the sites of a finding by their parts in a direction."""
    labels, names = scene.vocabulary.labels, names_in(head.sites)
    entries = {name: exact_entry(scene, f"{labels[way]} {labels[name]}".split(), ANATOMY) for name in names}
    parts = {name: part.id for name, part in entries.items() if part and scene.index.inside(part.id, name)}
    if parts or any(labels[name].startswith(f"{labels[way]} ") for name in names):
        head.details = [detail for detail in head.details if detail.value != way]  # "FEMUR, DISTAL: distal …"
    head.sites = [tuple((parts.get(name, name), side) for name, side in one) for one in head.sites]


def _count_from(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Handle the reference point of a distance ("4 cm above the carina"): it is a detail, not a site."""
    device = head.concept in scene.vocabulary.devices
    for items in (place.items for place in statement.places if place.items >= (2,)):
        at = max(1, scene.beyond(items[0], -1, ("stop", "sideword")))
        if detail := _distance(scene, at, scene.items[items[-1]].end, device=device):
            head.details = [*(one for one in head.details if one.text != detail.value), detail]
            head.sites = [one for one in head.sites if names_in((one,)).isdisjoint(scene.ids(items))]
            head.tip_at_home = device and "tip" in scene.run(statement.head - 2, at)
    told = {*statement.modifiers, *statement.placed}
    sizes = {_size(scene, at - 1) for at in told if scene.items[at].id in scene.flagged("counted_from")}  # "4 cm from the nipple"
    head.details = [replace(one, category="distance") if one.text in sizes - {""} else one for one in head.details]


def _distance(scene: ParsedSentence, at: int, end: int, *, device: bool) -> Detail | None:
    """Return the distance from a point after a preposition, or for a device its position; None if neither is stated."""
    joint, text = scene.items[at], _size(scene, at - 1)
    if not (text or device) or not _FROM.match(scene.text, joint.start, joint.end):
        return None
    counted = f"{text} {scene.text[joint.start : end]}".strip()
    return Detail("distance", text, counted) if text else Detail("position", counted, counted)


def _size(scene: ParsedSentence, at: int) -> str:
    return measurement(scene.items[at].id, scene.vocabulary.units)[1] if scene.kind(at) == "meas" else ""
