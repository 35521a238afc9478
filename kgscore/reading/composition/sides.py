"""The side of each place of a statement, as far as the words around it determine it."""

from __future__ import annotations

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, exact_entry
from kgscore.reading.structure.values import Place, Statement


def _next_site(scene: ParsedSentence, at: int) -> int:
    """Return the position of the site directly after an item, or -1."""
    other = scene.beyond(at, 1, ("sideword", "stop"))
    return other if scene.kind(other) == ANATOMY else -1


def on_own_sides(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement with each place on the sides directly before its site, and not on those of other sites."""
    out: list[Place] = []
    pairs = [side for side in one.sides if _opens_pair(scene, side)]
    opening = _side_of_pair(scene, pairs[0], one) if pairs else None
    for place in one.places:
        side = place.side
        if side in pairs or _of_one_before(scene, place):
            side = None
        if opening is not None and side is None and place.items and min(place.items) > opening:
            side = opening
        if place.items or side is not None:
            out += _on_sides(scene, place._replace(side=side))
    return one._replace(places=_compared(scene, tuple(dict.fromkeys(out))))


def _on_sides(scene: ParsedSentence, place: Place) -> list[Place]:
    """Return a place on each of the sides directly before its site."""
    own = next((sides for at in place.items if (sides := _sides_before(scene, at))), ())
    if own and place.side not in own and not _said_later(scene, place):
        return [place._replace(side=side) for side in own]
    return [place._replace(side=None)] if not own and _of_another(scene, place) else [place]


def _compared(scene: ParsedSentence, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return places with the side that another one is compared with ("pleural effusions, left greater than right")."""
    joints = [at for at in range(1, len(scene.items) - 1) if scene.items[at].kind in ("greater", "less")]
    pairs = [(at + step, at - step) for at in joints for step in (-1, 1)]
    other = {one: two for one, two in pairs if {scene.items[one].id, scene.items[two].id} == {"left", "right"}}
    places = tuple(place for place in places if not _mostly(scene, place, places))
    more = (place._replace(side=other[place.side]) for place in places if place.side is not None and place.side in other)
    return tuple(dict.fromkeys((*places, *more)))


def _mostly(scene: ParsedSentence, place: Place, places: tuple[Place, ...]) -> bool:
    """Whether a place only gives the side with more of a bilateral finding ("in both cavities, more prominent on the left")."""
    alike = (other.side for other in places if other.items == place.items and other.side)
    more = bool(place.side) and scene.kind((place.side or 0) - 1) == "greater"
    return more and any(scene.items[side].id == "both" for side in alike)


def _opens_pair(scene: ParsedSentence, at: int) -> bool:
    """Whether "both" only coordinates two things ("both the liver and the spleen"), or structures with their own sides."""
    if scene.said(at) != "both":
        return False
    rest = scene.items[at + 1 : at + 4]
    kinds = [item.kind for item in rest]
    if kinds[:1] == ["sideword"]:
        return True
    if kinds == [FINDING, "and", FINDING]:
        word = scene.tokens[rest[0].first]
        single = scene.text[word.start : word.end].lower() == word.norm.lower() and not is_plural(scene, rest[0])
        return single and not rest[2].adjective
    if kinds[1:] not in (["and", ANATOMY], ["and", "sideword"]) or kinds[0] not in (ANATOMY, DESCRIPTOR, UNKNOWN):
        return False
    noun = rest[0] if kinds[0] == ANATOMY and not rest[0].adjective else rest[2]  # "both the upper and lower lobes"
    return noun.kind == ANATOMY and not is_plural(scene, noun)


def _side_of_pair(scene: ParsedSentence, both: int, one: Statement) -> int | None:
    """Return the side that opens a statement about a pair ("On the left, both the origin and the bifurcation are normal")."""
    opened = (at for at in one.sides if at < both and scene.items[at].id in ("left", "right"))
    return next((at for at in opened if scene.beyond(at, 1, ("stop", "comma", "prep")) >= both), None)


def _of_one_before(scene: ParsedSentence, place: Place) -> bool:
    """Whether the side of a place belongs to an organ before it in a list ("the right kidney, the adrenal glands")."""
    after = _next_site(scene, place.side or 0)
    if len(place.items) != 1 or not (place.side or 0) < after < place.items[0] or place.items[0] - after > 3:
        return False
    one, own = scene.items[after], scene.items[place.items[0]]
    between = {*scene.run(after + 1, place.items[0])}
    listed = between and between <= LISTING and not one.adjective and not is_plural(scene, one) and is_plural(scene, own)
    words = scene.knowledge.words
    organs = (item.id in words.lateral and scene.knowledge.index.is_any(item.id, words.flagged("organs")) for item in (one, own))
    return bool(listed) and all(organs)


def _said_later(scene: ParsedSentence, place: Place) -> bool:
    """Whether a side follows its structure and precedes no other ("the right kidney is normal, the left is atrophic")."""
    later = place.side is not None and bool(place.items) and place.side > place.items[-1]
    return later and _next_site(scene, place.side or 0) < 0


def _sides_before(scene: ParsedSentence, at: int) -> tuple[int, ...]:
    """Return the positions of the sides directly before an item without a side of its own ("right and left")."""
    if scene.items[at].side is not None:
        return ()
    found: list[int] = []
    for other in range(_first_numbered(scene, at) - 1, -1, -1):
        kind = scene.items[other].kind
        if _opens_pair(scene, other):
            break
        if kind == "sideword" and scene.items[other].id in ("left", "right", "both"):
            found.append(other)
        elif kind not in ("and", "or", "slash", "stop") or (kind != "stop" and not found):
            break
    return tuple(reversed(found))


def _first_numbered(scene: ParsedSentence, at: int) -> int:
    """Return the first member of the list that gives a bare numeral its noun ("left levels II, III and IV"), or the item."""
    first = at
    while scene.items[first].kind == ANATOMY and exact_entry(scene, scene.words(first), ANATOMY) is None:
        before = scene.beyond(first, -1, LISTING | {"prep"})
        if before == first - 1 or scene.kind(before) != ANATOMY:
            break
        first = before
    return first


def _of_another(scene: ParsedSentence, place: Place) -> bool:
    """Whether the side of a place directly precedes another site, and no structure of the place has sides."""
    words = scene.knowledge.words
    sited = {*scene.ids(scene.of_kind(ANATOMY, place.items))}
    after = _next_site(scene, place.side) if place.side is not None and sited else -1
    return after >= 0 and after not in place.items and sited.isdisjoint(words.lateral) and sited.isdisjoint(words.sided)
