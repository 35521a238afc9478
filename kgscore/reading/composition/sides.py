"""The side of each place of a statement, as far as the words around it determine it."""

from __future__ import annotations

from kgscore.linking.lexicon import ANATOMY, FINDING
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, exact_entry
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Place, Statement


def _next_site(scene: ParsedSentence, at: int) -> int:
    other = scene.beyond(at, 1, ("sideword", "stop"))
    return other if scene.kind(other) == ANATOMY else -1


def on_own_sides(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement with each place on the sides directly before its site, and not on those of other sites."""
    out: list[Place] = []
    pairs = [side for side in one.sides if _opens_pair(scene, side)]
    opening = _side_of_pair(scene, pairs[0], one) if pairs else None
    for place in one.places:
        apart = place.side in pairs or _of_one_before(scene, place)
        own = _with_opening(place._replace(side=None) if apart else place, opening)
        if own.items or own.side is not None:
            out += _on_sides(scene, own)
    return one._replace(places=_compared(scene, tuple(dict.fromkeys(out))))


def _on_sides(scene: ParsedSentence, place: Place) -> list[Place]:
    own = next(filter(None, (_sides_before(scene, at) for at in place.items)), ())
    if not own:
        return [place._replace(side=None) if _of_another(scene, place) else place]
    if place.side in own or _said_later(scene, place):
        return [place]
    return [place._replace(side=side) for side in own]


def _compared(scene: ParsedSentence, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return places with the side that another one is compared with ("pleural effusions, left greater than right")."""
    other: dict[int | None, int] = {}
    for at in (at for at in range(1, len(scene.items) - 1) if scene.kind(at) in ("greater", "less")):
        if {*scene.ids((at - 1, at + 1))} == {"left", "right"}:
            other |= {at - 1: at + 1, at + 1: at - 1}
    places = tuple(place for place in places if not _mostly(scene, place, places))
    more = (place._replace(side=other[place.side]) for place in places if place.side in other)
    return tuple(dict.fromkeys((*places, *more)))


def _mostly(scene: ParsedSentence, place: Place, places: tuple[Place, ...]) -> bool:
    """Whether a place only gives the side with more of a bilateral finding ("in both cavities, more prominent on the left")."""
    alike = (other.side for other in places if other.items == place.items and other.side)
    return bool(place.side) and scene.kind((place.side or 0) - 1) == "greater" and "both" in scene.ids(alike)


def _opens_pair(scene: ParsedSentence, at: int) -> bool:
    """Whether "both" only coordinates two things ("both the liver and the spleen"), or structures with their own sides."""
    if scene.said(at) != "both":
        return False
    rest, kinds = scene.items[at + 1 : at + 4], scene.run(at + 1, at + 4)
    if kinds[:1] == ["sideword"]:
        return True
    if kinds == [FINDING, "and", FINDING]:
        return _is_singular(scene, rest[0]) and not rest[2].adjective
    if kinds[1:] not in (["and", ANATOMY], ["and", "sideword"]):
        return False
    noun = rest[0] if kinds[0] == ANATOMY and not rest[0].adjective else rest[2]  # "both the upper and lower lobes"
    return noun.kind == ANATOMY and not is_plural(scene, noun)


def _is_singular(scene: ParsedSentence, item: Mention) -> bool:
    word = scene.tokens[item.first]
    return scene.text[word.start : word.end].lower() == word.norm.lower() and not is_plural(scene, item)


def _with_opening(place: Place, opening: int | None) -> Place:
    """Return a place without a side on the side that opens its statement, if one does."""
    opened = place.side is None and opening is not None and min(place.items, default=-1) > opening
    return place._replace(side=opening) if opened else place


def _side_of_pair(scene: ParsedSentence, both: int, one: Statement) -> int | None:
    """Return the side that opens a statement about a pair ("On the left, both the origin and the bifurcation are normal")."""
    opened = (at for at in one.sides if at < both and scene.items[at].id in ("left", "right"))
    return next((at for at in opened if scene.beyond(at, 1, ("stop", "comma", "prep")) >= both), None)


def _of_one_before(scene: ParsedSentence, place: Place) -> bool:
    """Whether the side of a place belongs to an organ before it in a list ("the right kidney, the adrenal glands")."""
    after, at = _next_site(scene, place.side or 0), place.items[0] if len(place.items) == 1 else -1
    between = {*scene.run(after + 1, at)} if (place.side or 0) < after < at <= after + 3 else set[str]()
    one, own = scene.items[after], scene.items[at]
    if not between or not between <= LISTING or one.adjective or is_plural(scene, one) or not is_plural(scene, own):
        return False
    return all(_is_paired_organ(scene, item.id) for item in (one, own))


def _is_paired_organ(scene: ParsedSentence, name: str) -> bool:
    return name in scene.vocabulary.lateral and scene.is_any(name, "organs")


def _said_later(scene: ParsedSentence, place: Place) -> bool:
    """Whether a side follows its structure and precedes no other ("the right kidney is normal, the left is atrophic")."""
    if place.side is None or not place.items:
        return False
    return place.side > place.items[-1] and _next_site(scene, place.side) < 0


def _sides_before(scene: ParsedSentence, at: int) -> tuple[int, ...]:
    """Return the positions of the sides directly before an item without a side of its own ("right and left")."""
    if scene.items[at].side is not None:
        return ()
    found: list[int] = []
    for other in range(_first_numbered(scene, at) - 1, -1, -1):
        kind = scene.kind(other)
        if _opens_pair(scene, other):
            break
        if kind == "sideword" and scene.items[other].id in ("left", "right", "both"):
            found.insert(0, other)
        elif kind not in (("and", "or", "slash", "stop") if found else ("stop",)):
            break
    return tuple(found)


def _first_numbered(scene: ParsedSentence, at: int) -> int:
    """Return the first member of the list that gives a bare numeral its noun ("left levels II, III and IV"), or the item."""
    if scene.kind(at) != ANATOMY or exact_entry(scene, scene.words(at), ANATOMY):
        return at
    before = scene.beyond(at, -1, LISTING | {"prep"})
    return at if before == at - 1 or scene.kind(before) != ANATOMY else _first_numbered(scene, before)


def _of_another(scene: ParsedSentence, place: Place) -> bool:
    """Whether the side of a place directly precedes another site, and no structure of the place has sides."""
    sited = {*scene.ids(scene.of_kind(ANATOMY, place.items))}
    if place.side is None or not all(map(sited.isdisjoint, (scene.vocabulary.lateral, scene.vocabulary.sided))):
        return False
    after = _next_site(scene, place.side)
    return bool(sited) and after >= 0 and after not in place.items
