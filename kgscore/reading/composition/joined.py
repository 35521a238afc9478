"""Merging of several statements of one head if their modifiers belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kgscore.linking.lexicon import DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.descriptors import details_of, graded_by_side, is_limiting
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

_ARTICLE = re.compile(r"\ban?\b", re.IGNORECASE)


def joined_by_head(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure with the statements of each head merged if they belong together."""
    out: list[Statement] = []
    for head in dict.fromkeys(one.head for one in structure):
        said = [one for one in structure if one.head == head]
        out += said if len(said) == 1 or len({one.status for one in said}) > 1 else _joined(scene, said)
    return tuple(out)


def _joined(scene: ParsedSentence, said: Sequence[Statement]) -> list[Statement]:
    """Return statements of one head and status, merged if their modifiers differ by side or are qualities of one list."""
    said = _without_both(scene, said)
    first = _joint(said[0], _modifiers(said))
    first = first._replace(names=tuple(sorted({*chain.from_iterable(one.names for one in said)})))
    places = tuple(dict.fromkeys(chain.from_iterable(one.places for one in said)))
    if graded_by_side(scene, first.modifiers):
        return [first._replace(places=_both_sides(scene, places))]
    if scene.kind(first.head) == NORMAL and _one_list(scene, first.modifiers):
        return [first._replace(places=places)]
    return _placed(scene, _measured_once(scene, _said_of_all(scene, said)))


def _placed(scene: ParsedSentence, said: list[Statement]) -> list[Statement]:
    """Return statements in which modifiers without a place apply to the places of the others."""
    placed, bare = [one for one in said if one.places], [one for one in said if not one.places]
    if not placed or not bare:
        return said
    more = [*_modifiers(bare)]
    out = [_with(scene, one, more) for one in placed]
    told = {*_modifiers(out)}
    return [*out, *(one for one in bare if not told.issuperset(one.modifiers))]


def _modifiers(said: Iterable[Statement]) -> Iterator[int]:
    return chain.from_iterable(one.modifiers for one in said)


def _with(scene: ParsedSentence, one: Statement, more: Sequence[int]) -> Statement:
    kinds = {detail.category for detail in details_of(scene, one.modifiers)}
    own = (at for at in more if kinds.isdisjoint(detail.category for detail in details_of(scene, (at,))))
    return _joint(one, own)


def _joint(one: Statement, more: Iterable[int]) -> Statement:
    return one._replace(modifiers=tuple(sorted({*one.modifiers, *more})))


def _measured_once(scene: ParsedSentence, said: Sequence[Statement]) -> list[Statement]:
    """Return statements of one place, merged if they share a size, one only bounds the other, or they describe one thing."""
    out: list[Statement] = []
    for one in said:
        same = (at for at, other in enumerate(out) if other.places == one.places)
        twin = next((at for at in same if _share_size(scene, out[at], one) or _of_one_thing(scene, out[at], one)), None)
        if twin is None:
            out.append(one)
        else:
            out[twin] = _joint(out[twin], one.modifiers)
    return out


def _share_size(scene: ParsedSentence, one: Statement, other: Statement) -> bool:
    if _only_bounds(scene, other) or _change_and_descriptors(scene, one, other):
        return True
    told = {at for at in one.modifiers if details_of(scene, (at,))}
    adds_nothing = told and told < {*other.modifiers}
    return bool(adds_nothing or scene.of_kind("meas", {*one.modifiers} & {*other.modifiers}))


def _only_bounds(scene: ParsedSentence, one: Statement) -> bool:
    return bool(one.modifiers) and all(is_limiting(scene, at) for at in one.modifiers)


def _change_and_descriptors(scene: ParsedSentence, one: Statement, other: Statement) -> bool:
    """Whether one of two statements gives the change of what the other describes ("several cysts, the left ones larger")."""
    kinds = [{*scene.kinds_at(said.modifiers)} for said in (one, other)]
    return bool(one.places) and {"change"} in kinds and {DESCRIPTOR} in kinds


def _of_one_thing(scene: ParsedSentence, one: Statement, other: Statement) -> bool:
    """Whether two statements describe one thing: its noun is singular, and the descriptions do not exclude each other."""
    own, more = {*one.modifiers} - {*other.modifiers}, {*other.modifiers} - {*one.modifiers}
    head = scene.items[one.head]
    if not own or not more or head.kind != FINDING or is_plural(scene, head):
        return False
    between = scene.text[scene.items[min(own | more)].start : scene.items[max(own | more)].start]
    kinds, others = ({_category(scene, at) for at in each} for each in (own, more))
    return kinds.isdisjoint(others) and not _ARTICLE.search(between)


def _without_both(scene: ParsedSentence, said: Sequence[Statement]) -> Sequence[Statement]:
    """Return statements without a bare one for both sides if each has its own ("bilateral effusions, right increased")."""
    own = chain.from_iterable(scene.ids(one.sides) for one in said if one.modifiers)
    if not {"left", "right"} <= {*own}:
        return said
    return [one for one in said if one.modifiers or {*scene.ids(one.sides)} != {"both"}]


def _said_of_all(scene: ParsedSentence, said: Sequence[Statement]) -> list[Statement]:
    """Return statements with the modifiers before all their places, and qualities after ("healed right 5th and 6th ribs")."""
    if len({one.places for one in said}) == 1:
        return list(said)
    places = sorted(chain.from_iterable(one.placed for one in said))
    first, last = (places[0], places[-1]) if places else (0, len(scene.items))
    shared = [at for at in _modifiers(said) if at < first or (at > last and scene.kind(at) == QUALITY)]
    kinds = [{_category(scene, at) for at in one.modifiers} for one in said]
    more = ([at for at in shared if one.places and _category(scene, at) not in own] for one, own in zip(said, kinds, strict=True))
    return list(map(_joint, said, more))


def _category(scene: ParsedSentence, at: int) -> str:
    details = details_of(scene, (at,))
    return details[0].category if details else scene.items[at].kind


def _both_sides(scene: ParsedSentence, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return the places of statements that differ by side, each site once with all its sides."""
    both = [place for place in places if place.side is not None and scene.items[place.side].id == "both"]
    whole = {place.items for place in both}
    return tuple(place for place in places if place.items not in whole or place in both)


def _one_list(scene: ParsedSentence, modifiers: Sequence[int]) -> bool:
    """Whether modifiers are the qualities of one list ("size, shape and density")."""
    listed = LISTING | {QUALITY, "stop"}
    return len(modifiers) > 1 and listed.issuperset(scene.run(modifiers[0], modifiers[-1] + 1))
