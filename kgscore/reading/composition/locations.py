"""The places of a structure as sites of the ontology with their sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.model import OTHER_SIDE
from kgscore.ontology.index import level_of
from kgscore.reading.composition.anatomy import is_plural, sites_of, stretch_of, with_side
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.structure.values import Parse, Statement
from kgscore.reading.structure.values import Place as Said

_SIDES = {"left": "left", "right": "right", "both": "both", "each": "both", "either": "both", "bilateral": "both"}
OF_MOVEMENT = {"left_to_right": "right", "right_to_left": "left", "leftward": "left", "rightward": "right"}
_AS_FAR_AS = re.compile(
    r"\b(?:to|down to|out to|as far as|through) (?:the )?(?:level of )?(?:the )?\Z|\bto (?:the )?[\w-]+ levels? of (?:the )?\Z",
    re.IGNORECASE,
)
_LIKENED = re.compile(r"\b(?:to|with)\s+(?:the\s+)?\Z", re.IGNORECASE)
# Before the point from which a distance is counted.
_COUNTED_FROM = re.compile(
    r"\d ?[cm]m (?:from|above|below|beyond|(?:proxim|dist|crani|caud)al to) (?:the |its )?(?:left |right )?\Z", re.IGNORECASE
)
_TOWARD = re.compile(r"\btowards?\s+(?:the\s+)?\Z", re.IGNORECASE)
_PROJECTED = re.compile(
    r"\b(?:project\w*|overl(?:ies|ying|ie|ay\w*)|superimposed)(?: (?:over|on|upon|onto))?(?: the)?"
    r"(?: (?:right|left|anterior|posterior))?\s+\Z",
    re.IGNORECASE,
)
_THROUGH = re.compile(r"\s*(?:to|through|thru|[-–])\s*(?:the )?", re.IGNORECASE)
# Kinds of items before a predicative adjective of a finding.
_PREDICATING = frozenset(("cop", "comma", "open", "and"))
_ASSERTING = ("present", "possible", "probable", "presupposed")
# Kinds of items that can be findings, and so the bearers of others.
_BEARING = frozenset((FINDING, DESCRIPTOR, UNKNOWN, "up", "down", "lost", "abnormal", "signalword"))


class Location(NamedTuple):
    """The location of a head: `sites`, one tuple for each finding, or a `side` alone; `bearers` are the items of the findings
    that it is about. `weak` sites are those of a bearer or a label, and apply only if they fit."""

    sites: tuple[tuple[SiteAndSide, ...], ...] = ()
    side: str | None = None
    bearers: tuple[int, ...] = ()
    weak: bool = False


_Known = dict[int, Location | None]


def location_of(scene: ParsedSentence, structure: Parse, statement: Statement, known: _Known | None = None) -> Location:
    """Return the location of a head according to its statement. `known` holds the locations of the findings that bear it,
    directly or indirectly; None for one being determined."""
    known = {statement.head: None} if known is None else known
    own: list[tuple[SiteAndSide, ...]] = []
    borne: list[tuple[SiteAndSide, ...]] = []
    sides: list[str] = []
    bearers: list[int] = []
    inside: list[int] = []
    around: list[str] = []
    for place in _with_ranges(scene, _with_modifiers(scene, statement)):
        side = _side(scene, place.side, statement)
        if _only_beside(scene, place, statement):
            around += [side] if side is not None else []
            continue
        device = scene.items[statement.head].id in scene.knowledge.words.devices
        pairs = len(statement.places) == 1 and statement.status in _ASSERTING and not device
        found = sites_of(scene, place, side, pairs=pairs)
        if side == "both" and len(statement.places) > 1:  # "stenosis on the right at L3-4 and on both sides at L4-5"
            found = [with_side(one, each) for one in found for each in (("right", "left") if _of_level(one) else (None,))]
        own += (one for one in found if one not in own)
        inside += [at for at in place.items if scene.items[at].start >= scene.spoken]
        bearing = [at for at in place.items if scene.items[at].kind in _BEARING and _heads(structure, at)]
        if not found and not bearing and side is not None:
            sides.append(side)
        for at in bearing:
            bearers.append(at)
            if not found and (bearer := _of_bearer(scene, structure, at, known)) is not None:
                borne += (with_side(one, side) for one in bearer.sites if one not in borne)
                around += [one for one in (bearer.side, side) if one and not bearer.sites]
    if not sides and any(level_of(name) for one in own for name, _ in one):  # "the disc protrudes to the left"
        sides += _sides_of_movement(scene, statement)
    single = bool(own) and all(scene.knowledge.words.lateral.isdisjoint(name for name, _ in one) for one in own)
    side = _both(sides if single else sides + around)
    if len(own) > 1:
        named = statement.status == "normal" and all(place.items and place.items[0] >= scene.spoken for place in statement.places)
        apart = statement.status == "absent" and _are_alternatives(scene, statement)
        own = list(own) if named or apart else _innermost(scene, _at_levels(scene, own))
    if own:
        both = "both" if any(_side(scene, place.side, statement) == "both" for place in statement.places) else None
        told = any(found for one in own for _, found in one)
        sites = tuple(one if side is None else with_side(one, side) for one in own)
        labelled = not inside and scene.items[statement.head].start >= scene.spoken
        return Location(sites, None if told else both, tuple(bearers), labelled)
    if borne:
        return Location(tuple(dict.fromkeys(borne)), None, tuple(bearers), weak=True)
    return Location((), side, tuple(bearers))


def _are_alternatives(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether the places of a denial are alternatives ("no nodes in the abdomen or retroperitoneum")."""
    at = sorted(one for place in statement.places for one in place.items)
    between = [{item.kind for item in scene.items[one + 1 : other]} for one, other in pairwise(at)]
    return bool(between) and "or" in between[-1] and all(kinds & {"or", "comma"} for kinds in between)


def _at_levels(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return places with structures at the levels beside them ("thecal sac narrowing at L4/5")."""
    levels = [one for one in sites if all(level_of(name) for name, _ in one)]
    others = [one for one in sites if not any(level_of(name) for name, _ in one)]
    specific = scene.knowledge.index.specific
    if any(specific(name, level) is None for one in others for name, _ in one for places in levels for level, _ in places[:1]):
        return list(sites)
    return [(*one, *level) for one in others for level in levels] or list(sites)


def _of_level(places: tuple[SiteAndSide, ...]) -> bool:
    """Whether places without a side are at a level of the spine."""
    return all(side is None and level_of(name) for name, side in places)


def _only_beside(scene: ParsedSentence, place: Said, statement: Statement) -> bool:
    """Whether a place is not the site of the head: the extent of a denial ("no embolism to the level of the segmental
    arteries"), a direction ("retropulsed towards the canal"), a comparison ("isointense to muscle"), the surroundings of a
    finding with its own site ("perinephric stranding around the left kidney"), the point from which its distance is counted
    ("a mass in the trachea 2 cm above the carina"), or the bone over which a finding outside bone is projected ("a nodule
    projecting over the third rib")."""
    if not place.items:
        return False
    joint = next((item for item in reversed(scene.items[: place.items[0]]) if item.kind not in ("sideword", "stop")), None)
    head = scene.items[statement.head]
    if joint is not None and joint.kind == "near" and head.start < joint.start and head.id in scene.knowledge.words.settled:
        return head.id in scene.knowledge.words.placed
    before = scene.text[max(0, scene.items[place.items[0]].start - 60) : scene.items[place.items[0]].start]
    if head.id == scene.knowledge.words.role("like_tissue") and _LIKENED.search(before):
        return True
    if statement.status in ("absent", "unlikely") and _AS_FAR_AS.search(before):
        return True
    if _leads_away(scene, before, place, statement):
        return True
    if not _PROJECTED.search(before) or scene.items[statement.head].id in scene.knowledge.words.devices:
        return False
    index = scene.knowledge.index
    sites = [scene.items[at].id for at in place.items if scene.items[at].kind == ANATOMY]
    return bool(sites) and all(index.is_a(site, index.role("any_bone")) for site in sites)


def _leads_away(scene: ParsedSentence, before: str, place: Said, statement: Statement) -> bool:
    """Whether a place is a direction, or the point from which the distance of a finding with another place is counted."""
    device = scene.items[statement.head].id in scene.knowledge.words.devices
    elsewhere = any(other.items and other != place for other in statement.places)
    return bool(_TOWARD.search(before) or (elsewhere and not device and _COUNTED_FROM.search(before)))


def _with_modifiers(scene: ParsedSentence, statement: Statement) -> tuple[Said, ...]:
    """Return the places of a statement, with the structures among its modifiers, which specify each ("perihilar")."""
    told = {at for place in statement.places for at in place.items if _predicated(scene, statement, place)}
    places = tuple(place for place in statement.places if told.isdisjoint(place.items))
    if not any(scene.items[at].kind == ANATOMY for place in places for at in place.items):
        told, places = set(), statement.places
    more = (*(at for at in statement.modifiers if scene.items[at].kind == ANATOMY), *told)
    if not more:
        return places
    joined = [Said(tuple(sorted({*place.items, *more})), place.side) for place in places]
    return tuple(joined) or (Said(more, None),)


def _predicated(scene: ParsedSentence, statement: Statement, place: Said) -> bool:
    """Whether an adjective after a single finding only specifies its site ("a cavernoma in the pons is subcortical")."""
    at = place.items[0] if len(place.items) == 1 else -1
    if at <= statement.head or not scene.items[at].adjective or is_plural(scene, scene.items[statement.head]):
        return False
    inside = range(len(scene.items))
    listed = [at + step for step in (-1, 1) if at + 2 * step in inside and scene.items[at + step].kind in LISTING]
    return scene.items[at - 1].kind in _PREDICATING and all(scene.items[2 * one - at].kind != ANATOMY for one in listed)


def _with_ranges(scene: ParsedSentence, places: Sequence[Said]) -> list[Said]:
    """Return places with the two ends of a range, or the two vertebrae of a slip, merged ("the third through eighth ribs")."""
    out: list[Said] = []
    for place in places:
        before = out[-1] if out else place
        if place is not before and before.items and place.items and before.side == place.side:
            part = 1 if len(before.items) == len(place.items) == 2 and before.items[0] == place.items[0] else 0  # "heads of …"
            between = scene.items[before.items[-1]].end, scene.items[place.items[part]].start
            ends = (*before.items, *place.items[part:])
            if _THROUGH.fullmatch(scene.text, *between) and stretch_of(scene, ends):
                out[-1] = Said(ends, place.side)
                continue
        out.append(place)
    return out


def _innermost(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return the places without those that contain another one ("KIDNEYS: cyst in the left upper pole"), which takes their
    side if it has none."""
    index, kept = scene.knowledge.index, _parts_of_places(scene, sites)
    for whole in tuple(kept):
        around = [name for name, _ in whole]
        side = next((found for _, found in whole if found), None)
        parts = 0
        for at, part in enumerate(kept):
            inner = [name for name, _ in part]
            held = all(any(one != name and index.inside(one, name) for one in inner) for name in around)
            elsewhere = {side, next((found for _, found in part if found), None)} == {"left", "right"}
            if part != whole and held and not elsewhere:
                kept[at] = with_side(part, side)
                parts += 1
        if parts and whole in kept:
            kept.remove(whole)
    return kept


def _parts_of_places(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return places in which a kind of part is resolved to the part of the preceding structure ("the medial meniscus is torn
    in its posterior horn")."""
    specific, kept = scene.knowledge.index.specific, list(sites)
    for at in range(len(kept) - 2, -1, -1):
        name = _of_whole_after(scene, kept[at][-1][0], kept[at + 1][-1][0])
        kept[at] = (*kept[at][:-1], (name, kept[at][-1][1] or kept[at + 1][-1][1])) if name is not None else kept[at]
    for at, one in enumerate(kept):
        around = kept[at - 1] if at else ()
        if around and one[-1][1] in (None, around[-1][1]):
            name = specific(one[-1][0], around[-1][0])
            kept[at] = (*one[:-1], (name, around[-1][1])) if name is not None else one
    return kept


def _of_whole_after(scene: ParsedSentence, part: str, other: str) -> str | None:
    """Return the part of the structure whose other part is named after it ("the anterior horn and body of the lateral
    meniscus"), or None."""
    index = scene.knowledge.index
    around = index.within.get(part, frozenset()) if part in index.generic else frozenset()
    kinds = {name for name in around if name in index.generic and name != part}
    wholes = [name for name in index.within.get(other, ()) if name != other and any(index.is_a(name, kind) for kind in kinds)]
    wholes.sort(key=lambda name: (-len(index.within[name]), name))
    return next((name for whole in wholes if (name := index.specific(part, whole)) is not None), None)


def _heads(structure: Parse, at: int) -> bool:
    return any(statement.head == at for statement in structure)


def _of_bearer(scene: ParsedSentence, structure: Parse, at: int, known: _Known) -> Location | None:
    """Return the location of a finding that bears another: all the places of its statements, or, for one that is gone, the
    site in its name ("resection of a left renal tumor"); None while it is being determined."""
    if at in known:
        return known[at]
    known[at] = None
    said = [one for one in structure if one.head == at]
    there = [one for one in said if one.status not in ("absent", "unlikely", "none")] or said
    found = [location_of(scene, structure, one, known) for one in there]
    kept = [one for one in found if one.sites or one.side] or found
    sites = tuple(dict.fromkeys(site for one in kept for site in one.sites))
    side = _both([one.side for one in kept if one.side])
    if not sites and said and all(one.status == "none" for one in said):
        implied = tuple(sorted(scene.knowledge.index.sites_implied(scene.items[at].id)))
        sites = tuple(((name, side),) for name in scene.knowledge.fitting.inmost(implied))
    bearer = known[at] = Location(sites, side, (at,))
    return bearer


def _both(sides: Sequence[str]) -> str | None:
    """Return the only one of several sides, "both" if they differ."""
    return None if not sides else sides[0] if len(set(sides)) == 1 else "both"


def _side(scene: ParsedSentence, at: int | None, statement: Statement) -> str | None:
    """Return the side that an item names."""
    if at is None:
        return None
    item = scene.items[at]
    moved = (one for one in scene.items[max(0, at - 1) : at] if at < statement.head and one.kind == FINDING)
    if item.id in OF_MOVEMENT and any(is_shift(scene, one.id) for one in (scene.items[statement.head], *moved)):
        return None  # a shift to the right is not on a side, and gives none to its context
    if item.kind == "sideword" and item.id in ("same", "opposite"):
        before = next((one for one in reversed(_sides_before(scene, at)) if one in OTHER_SIDE), None)
        return item.id if before is None else before if item.id == "same" else OTHER_SIDE[before]
    return _SIDES.get(item.id) or OF_MOVEMENT.get(item.id) or item.side


def is_shift(scene: ParsedSentence, concept: str) -> bool:
    """Whether a finding is a shift, whose direction is given by a movement to a side."""
    is_any, flagged = scene.knowledge.index.is_any, scene.knowledge.words.flagged
    return is_any(concept, flagged("shifts")) and not is_any(concept, flagged("local_shifts"))


def _sides_of_movement(scene: ParsedSentence, statement: Statement) -> list[str]:
    """Return the sides named by the directions of a finding that is not a shift: it is on that side."""
    is_any, flagged, head = scene.knowledge.index.is_any, scene.knowledge.words.flagged, scene.items[statement.head].id
    if is_any(head, flagged("moving")) and not is_any(head, flagged("local_shifts")):
        return []
    return [OF_MOVEMENT[name] for at in statement.modifiers if (name := scene.items[at].id) in OF_MOVEMENT]


def _sides_before(scene: ParsedSentence, at: int) -> list[str]:
    return [item.id if item.kind == "sideword" else OF_MOVEMENT.get(item.id) or item.side or "" for item in scene.items[:at]]
