"""The places of a structure as sites of the ontology with their sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise, product, starmap
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.model import OTHER_SIDE
from kgscore.ontology.index import level_of
from kgscore.reading.composition.anatomy import is_plural, names_in, sides_in, sites_of, stretch_of, with_side
from kgscore.reading.composition.parsed_sentence import ASSERTED, LISTING, ParsedSentence
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Statement
from kgscore.reading.structure.values import Place as Said

OF_MOVEMENT = {"left_to_right": "right", "right_to_left": "left", "leftward": "left", "rightward": "right"}
_SIDES = {**OF_MOVEMENT, **dict.fromkeys(("both", "each", "either", "bilateral"), "both"), "left": "left", "right": "right"}
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
_PREDICATING = frozenset(("cop", "comma", "open", "and"))  # kinds of items before a predicative adjective of a finding

# Kinds of items that can be findings, and so the bearers of others.
_BEARING = frozenset((FINDING, DESCRIPTOR, UNKNOWN, "up", "down", "lost", "abnormal", "signalword"))


class Location(NamedTuple):
    """The location of a head: `sites`, one tuple for each finding, or a `side` alone; `bearers` are the items of the findings
    that it is about. `weak` sites are those of a bearer or a label, and apply only if they fit."""

    sites: tuple[tuple[SiteAndSide, ...], ...] = ()
    side: str | None = None
    bearers: tuple[int, ...] = ()
    weak: bool = False


class _Part(NamedTuple):
    """What one place of a statement gives: sites, those of bearers (to be given its side), the side of the head, the sides of
    its surroundings, the bearers, and whether it has words after the label."""

    sites: Sequence[tuple[SiteAndSide, ...]] = ()
    borne: Sequence[tuple[tuple[SiteAndSide, ...], str | None]] = ()
    side: str | None = None
    around: Sequence[str | None] = ()
    bearers: Sequence[int] = ()
    spoken: bool = False


_Known = dict[int, Location | None]


def location_of(scene: ParsedSentence, structure: Parse, statement: Statement, known: _Known | None = None) -> Location:
    """Return the location of a head; `known` holds those of the findings that bear it, None for one being determined."""
    known = {statement.head: None} if known is None else known
    places = _with_ranges(scene, _with_modifiers(scene, statement))
    parts = [_part(scene, structure, statement, place, known) for place in places]
    own = [*dict.fromkeys(chain.from_iterable(part.sites for part in parts))]
    bearers = tuple(chain.from_iterable(part.bearers for part in parts))
    side = _both(_sides(scene, statement, parts, names_in(own)))
    if not own:
        borne = _borne(parts)
        return Location(borne, None if borne else side, bearers, weak=bool(borne))
    sites = _told(scene, statement, own)
    both = any(_side(scene, place.side, statement) == "both" for place in statement.places) and not sides_in(sites)
    labelled = scene.items[statement.head].start >= scene.spoken and not any(part.spoken for part in parts)
    return Location(tuple(with_side(one, side) for one in sites), "both" if both else None, bearers, labelled)


def _sides(scene: ParsedSentence, statement: Statement, parts: Sequence[_Part], names: set[str]) -> list[str | None]:
    """Return the sides of a head at sites with some names: also those of its surroundings if the sites have sides."""
    sides = [part.side for part in parts]
    if not any(sides) and any(map(level_of, names)):  # "the disc protrudes to the left"
        sides += _sides_of_movement(scene, statement)
    if not names or not names.isdisjoint(scene.vocabulary.lateral):
        sides += chain.from_iterable(part.around for part in parts)
    return sides


def _part(scene: ParsedSentence, structure: Parse, statement: Statement, place: Said, known: _Known) -> _Part:
    side = _side(scene, place.side, statement)
    if _only_beside(scene, place, statement):
        return _Part(around=(side,))
    found, heads = _found(scene, statement, place, side), {one.head for one in structure}
    spoken = any(scene.items[at].start >= scene.spoken for at in place.items)
    bearing = [at for at in place.items if at in heads and scene.kind(at) in _BEARING]
    if found or not bearing:
        return _Part(found, side=None if found else side, bearers=bearing, spoken=spoken)
    there = [*filter(None, (_of_bearer(scene, structure, at, known) for at in bearing))]
    return _of_bearers(there, side)._replace(bearers=bearing, spoken=spoken)


def _of_bearers(there: Sequence[Location], side: str | None) -> _Part:
    """Return what the locations of bearers and the side of their place give."""
    around = [one.side for one in there if not one.sites]
    return _Part(borne=[(site, side) for one in there for site in one.sites], around=[*around, side] if around else ())


def _borne(parts: Sequence[_Part]) -> tuple[tuple[SiteAndSide, ...], ...]:
    borne: list[tuple[SiteAndSide, ...]] = []
    for one, side in chain.from_iterable(part.borne for part in parts):
        borne += [with_side(one, side)] if one not in borne else []
    return tuple(dict.fromkeys(borne))


def _found(scene: ParsedSentence, statement: Statement, place: Said, side: str | None) -> list[tuple[SiteAndSide, ...]]:
    single, device = len(statement.places) == 1, scene.items[statement.head].id in scene.vocabulary.devices
    found = sites_of(scene, place, side, pairs=single and not device and statement.status in ASSERTED | {"presupposed"})
    if side != "both" or len(statement.places) < 2:
        return found
    # "stenosis on the right at L3-4 and on both sides at L4-5"
    apart = [("right", "left") if all(map(level_of, names_in((one,)))) and not sides_in((one,)) else (None,) for one in found]
    return [with_side(one, each) for one, sides in zip(found, apart, strict=True) for each in sides]


def _told(scene: ParsedSentence, statement: Statement, own: list[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return the places of a statement, merged unless they are coordinated."""
    if len(own) < 2 or (statement.status == "absent" and _are_alternatives(scene, statement)):
        return own
    firsts = [place.items[0] if place.items else -1 for place in statement.places]
    named = statement.status == "normal" and min(firsts, default=scene.spoken) >= scene.spoken
    return own if named else _innermost(scene, _at_levels(scene, own))


def _are_alternatives(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether the places of a denial are alternatives ("no nodes in the abdomen or retroperitoneum")."""
    between = [{*scene.run(one + 1, other)} for one, other in pairwise(sorted(statement.placed))]
    return bool(between) and "or" in between[-1] and all(kinds & {"or", "comma"} for kinds in between)


def _at_levels(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return places with structures at the levels beside them ("thecal sac narrowing at L4/5")."""
    levels = [one for one in sites if all(map(level_of, names_in((one,))))]
    others = [one for one in sites if not any(map(level_of, names_in((one,))))]
    pairs = product(names_in(others), (places[0][0] for places in levels))
    if not all(starmap(scene.index.specific, pairs)):
        return list(sites)
    return [(*one, *level) for one in others for level in levels] or list(sites)


def _only_beside(scene: ParsedSentence, place: Said, statement: Statement) -> bool:
    """Whether a place is no site of the head: an extent, a direction, a likeness, its surroundings or a bone it projects on."""
    if not place.items:
        return False
    head, words, first = scene.items[statement.head].id, scene.vocabulary, place.items[0]
    joint = scene.beyond(first, -1, ("sideword", "stop"))
    if scene.kind(joint) == "near" and statement.head < joint and head in words.settled:
        return head in words.placed
    before = scene.text[max(0, scene.items[first].start - 60) : scene.items[first].start]
    compared = head == scene.role("like_tissue") and _LIKENED.search(before)
    as_far = statement.status in ("absent", "unlikely") and _AS_FAR_AS.search(before)
    if compared or as_far or _leads_away(scene, before, place, statement):
        return True
    return head not in words.devices and bool(_PROJECTED.search(before)) and _is_bone(scene, place)


def _is_bone(scene: ParsedSentence, place: Said) -> bool:
    index, sites = scene.index, scene.of_kind(ANATOMY, place.items)
    return bool(sites) and all(index.is_a(scene.items[at].id, index.role("any_bone")) for at in sites)


def _leads_away(scene: ParsedSentence, before: str, place: Said, statement: Statement) -> bool:
    """Whether a place is a direction, or the point from which the distance of a finding with another place is counted."""
    device = scene.items[statement.head].id in scene.vocabulary.devices
    elsewhere = any(other.items and other != place for other in statement.places)
    return bool(_TOWARD.search(before) or (elsewhere and not device and _COUNTED_FROM.search(before)))


def _with_modifiers(scene: ParsedSentence, statement: Statement) -> tuple[Said, ...]:
    """Return the places of a statement, with the structures among its modifiers, which specify each ("perihilar")."""
    told = {at for place in statement.places for at in place.items if _predicated(scene, statement, place)}
    places = tuple(place for place in statement.places if told.isdisjoint(place.items))
    if not scene.of_kind(ANATOMY, chain.from_iterable(place.items for place in places)):
        told, places = set(), statement.places
    more = (*scene.of_kind(ANATOMY, statement.modifiers), *told)
    if not more:
        return places
    return tuple(place._replace(items=tuple(sorted({*place.items, *more}))) for place in places) or (Said(more, None),)


def _predicated(scene: ParsedSentence, statement: Statement, place: Said) -> bool:
    """Whether an adjective after a single finding only specifies its site ("a cavernoma in the pons is subcortical")."""
    at = place.items[0] if len(place.items) == 1 else -1
    if at <= statement.head or not scene.items[at].adjective or is_plural(scene, scene.items[statement.head]):
        return False
    listed = [at + 2 * step for step in (-1, 1) if scene.kind(at + step) in LISTING]
    return scene.kind(at - 1) in _PREDICATING and ANATOMY not in map(scene.kind, listed)


def _with_ranges(scene: ParsedSentence, places: Sequence[Said]) -> list[Said]:
    """Return places with the two ends of a range, or the two vertebrae of a slip, merged ("the third through eighth ribs")."""
    out: list[Said] = []
    for place in places:
        if ends := _ends_of_range(scene, out[-1], place) if out else ():
            out[-1] = place._replace(items=ends)
        else:
            out.append(place)
    return out


def _ends_of_range(scene: ParsedSentence, before: Said, place: Said) -> tuple[int, ...]:
    """Return the items of a range with its ends in two places ("the third through eighth ribs"), or none."""
    if not before.items or not place.items or before.side != place.side:
        return ()
    part = len(before.items) == len(place.items) == 2 and before.items[0] == place.items[0]  # "heads of …"
    rest = place.items[part:]
    through = _THROUGH.fullmatch(scene.text, scene.items[before.items[-1]].end, scene.items[rest[0]].start)
    return (*before.items, *rest) if through and stretch_of(scene, (*before.items, *rest)) else ()


def _innermost(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return places without those around another one ("KIDNEYS: cyst in the left upper pole"), which takes their side."""
    kept = _parts_of_places(scene, sites)
    for whole in tuple(kept):
        parts = [at for at, part in enumerate(kept) if part != whole and _holds(scene, whole, part)]
        for at in parts:
            kept[at] = with_side(kept[at], next(iter(sides_in((whole,))), None))
        if parts and whole in kept:
            kept.remove(whole)
    return kept


def _holds(scene: ParsedSentence, whole: tuple[SiteAndSide, ...], part: tuple[SiteAndSide, ...]) -> bool:
    inside, inner = scene.index.inside, names_in((part,))
    elsewhere = {*sides_in((whole,))[:1], *sides_in((part,))[:1]} == {"left", "right"}
    return not elsewhere and all(any(one != name and inside(one, name) for one in inner) for name, _ in whole)


def _parts_of_places(scene: ParsedSentence, sites: Sequence[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return places with parts of the structure before them ("the medial meniscus is torn in its posterior horn")."""
    specific, kept = scene.index.specific, list(sites)
    for at in range(len(kept) - 2, -1, -1):
        (part, side), (other, its_side) = kept[at][-1], kept[at + 1][-1]
        if name := _of_whole_after(scene, part, other):
            kept[at] = (*kept[at][:-1], (name, side or its_side))
    for at in range(1, len(kept)):
        (whole, side), (part, its_side) = kept[at - 1][-1], kept[at][-1]
        if its_side in (None, side) and (name := specific(part, whole)):
            kept[at] = (*kept[at][:-1], (name, side))
    return kept


def _of_whole_after(scene: ParsedSentence, part: str, other: str) -> str | None:
    """Return the part of the structure named after its other part ("anterior horn and body of the lateral meniscus")."""
    index = scene.index
    if part not in index.generic:
        return None
    kinds = index.within.get(part, frozenset()) & index.generic - {part}
    wholes = [name for name in index.within.get(other, frozenset()) - {other} if index.is_any(name, kinds)]
    wholes.sort(key=lambda name: (-len(index.within[name]), name))
    return next(filter(None, (index.specific(part, whole) for whole in wholes)), None)


def _of_bearer(scene: ParsedSentence, structure: Parse, at: int, known: _Known) -> Location | None:
    """Return the location of a bearer in all its statements, or in the name of one that is gone; None while undetermined."""
    if at in known:
        return known[at]
    known[at] = None
    said = [one for one in structure if one.head == at]
    there = [one for one in said if one.status not in ("absent", "unlikely", "none")] or said
    found = [location_of(scene, structure, one, known) for one in there]
    sites, side = tuple(dict.fromkeys(chain.from_iterable(one.sites for one in found))), _both([one.side for one in found])
    if not sites and {one.status for one in said} == {"none"}:
        implied = scene.knowledge.fitting.inmost(tuple(sorted(scene.index.sites_implied(scene.items[at].id))))
        sites = tuple(((name, side),) for name in implied)
    bearer = known[at] = Location(sites, side, (at,))
    return bearer


def _both(sides: Sequence[str | None]) -> str | None:
    """Return the only one of several sides, "both" if they differ."""
    told = {*sides} - {None}
    return "both" if len(told) > 1 else next(iter(told), None)


def _side(scene: ParsedSentence, at: int | None, statement: Statement) -> str | None:
    if at is None:
        return None
    item = scene.items[at]
    if item.id in OF_MOVEMENT and _is_of_shift(scene, at, statement.head):
        return None  # a shift to the right is not on a side, and gives none to its context
    if item.kind == "sideword" and item.id in ("same", "opposite"):
        return _relative_side(scene, at)
    return _SIDES.get(item.id) or item.side


def _is_of_shift(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a movement is the direction of a shift: the head, or the finding directly before it."""
    told = (head, at - 1) if at < head and scene.kind(at - 1) == FINDING else (head,)
    return any(is_shift(scene, scene.items[one].id) for one in told)


def _relative_side(scene: ParsedSentence, at: int) -> str:
    """Return the side that "the same" or "the opposite" refers to, or that word if none is named before it."""
    name = scene.items[at].id
    told = next((side for one in reversed(scene.items[:at]) if (side := _side_before(one)) in OTHER_SIDE), None)
    return name if told is None else told if name == "same" else OTHER_SIDE[told]


def _side_before(item: Mention) -> str | None:
    return item.id if item.kind == "sideword" else OF_MOVEMENT.get(item.id) or item.side


def is_shift(scene: ParsedSentence, concept: str) -> bool:
    """Whether a finding is a shift, whose direction is given by a movement to a side."""
    return scene.is_any(concept, "shifts") and not scene.is_any(concept, "local_shifts")


def _sides_of_movement(scene: ParsedSentence, statement: Statement) -> list[str]:
    """Return the sides named by the directions of a finding that is not a shift: it is on that side."""
    head = scene.items[statement.head].id
    if scene.is_any(head, "moving") and not scene.is_any(head, "local_shifts"):
        return []
    return [OF_MOVEMENT[name] for name in scene.ids(statement.modifiers) if name in OF_MOVEMENT]
