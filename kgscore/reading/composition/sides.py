"""On which side each place of a statement is, as far as the words around it settle it."""

from __future__ import annotations

from itertools import pairwise

from kgscore.reading.composition.scene import LISTING, Scene, named
from kgscore.reading.composition.sites import plural
from kgscore.reading.structure.values import Place, Statement, Structure

# What stands between a finding and the side that it is seen on.
_SEEN = ("seen", "cop", "stop")


def _says_where(scene: Scene, at: int) -> bool:
    """Whether an item is a site whose words hold their preposition ("within the skull")."""
    return at < len(scene.items) and scene.items[at].kind == "A" and scene.words(at)[0] in ("in", "within", "inside", "of", "at")


def _next_site(scene: Scene, at: int) -> int:
    """Return the position of the site that stands right after an item, or -1."""
    for other in range(at + 1, len(scene.items)):
        if scene.items[other].kind == "A":
            return other
        if scene.items[other].kind not in ("sideword", "stop"):
            break
    return -1


def at_next_site(scene: Scene, one: Statement) -> Statement:
    """Return a finding of no place with the site after it whose words hold their preposition ("bleeding within the skull")."""
    bare = scene.items[one.head].kind == "F" and not one.places and _says_where(scene, one.head + 1)
    return one._replace(places=(Place((one.head + 1,), None),)) if bare else one


def on_own_side(scene: Scene, one: Statement) -> Statement:
    """Return a statement with the side that it has as a word about its finding as where that is ("a left-sided laryngocele"),
    where no other side is said."""
    side = next((at for at in one.modifiers if scene.items[at].kind == "sideword"), None)
    if side is None or any(place.side is not None for place in one.places):
        return one
    return one._replace(modifiers=tuple(at for at in one.modifiers if at != side), places=(*one.places, Place((), side)))


def on_own_sides(scene: Scene, one: Statement) -> tuple[Place, ...]:
    """Return the places of a statement, each on the sides that stand right before its site; a side right before another site
    is no side of a structure that has none."""
    out: list[Place] = []
    pairs = [place.side for place in one.places if place.side is not None and _opens_pair(scene, place.side)]
    opening = _side_of_pair(scene, pairs[0], one) if pairs else None
    for place in one.places:
        if place.side is not None and (place.side in pairs or _of_one_before(scene, place)):
            place = place._replace(side=None)
        if opening is not None and place.side is None and place.items and min(place.items) > opening:
            place = place._replace(side=opening)
        if not place.items and place.side is None:
            continue
        own = next((sides for at in place.items if (sides := _sides_before(scene, at))), ())
        if own and place.side not in own and not _said_later(scene, place):
            out += [place._replace(side=side) for side in own]
        elif place.items and not own and place.side is not None and _of_another(scene, place):
            out.append(place._replace(side=None))
        else:
            out.append(place)
    return _compared(scene, _without_lent(scene, _on_last_side(scene, tuple(dict.fromkeys(out)))))


def _without_lent(scene: Scene, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the places of a list, the structures in the midline without the side that another one has ("the superior sagittal
    sinus and the transverse sinus on the left")."""

    def lent(place: Place) -> bool:
        if place.side is None or _has_sides(scene, place) or _tissue(scene, place):
            return False
        shared = any(other.side == place.side and other is not place and _has_sides(scene, other) for other in places)
        return shared and not any(place.side in _sides_before(scene, at) for at in place.items)

    return tuple(place._replace(side=None) if lent(place) else place for place in places)


def _has_sides(scene: Scene, place: Place) -> bool:
    """Whether a place is in a structure of a pair."""
    return any(scene.items[at].id in scene.knowledge.words.lateral for at in place.items)


def _tissue(scene: Scene, place: Place) -> bool:
    """Whether a place names no structure, or a kind that is found all over."""
    words = scene.knowledge.words
    named = (scene.items[at].id for at in place.items if scene.items[at].kind == "A")
    return all(name in words.kinds or name in words.local for name in named)


def _compared(scene: Scene, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return places with the side that another one is compared with ("pleural effusions, left greater than right")."""
    pairs = [
        (at - 1, at + 1)
        for at, item in enumerate(scene.items[1:-1], start=1)
        if item.kind in ("greater", "less") and {scene.items[at - 1].id, scene.items[at + 1].id} == {"left", "right"}
    ]
    other = {one: two for pair in pairs for one, two in (pair, pair[::-1])}
    mostly = {place for place in places if _mostly(scene, place, places)}
    places = tuple(place for place in places if place not in mostly)
    more = (place._replace(side=other[place.side]) for place in places if place.side is not None and place.side in other)
    return tuple(dict.fromkeys((*places, *more)))


def _mostly(scene: Scene, place: Place, places: tuple[Place, ...]) -> bool:
    """Whether a place only says on which of both sides there is more ("in both cavities, more prominent on the left")."""
    if not place.side or scene.items[place.side - 1].kind != "greater":
        return False
    return any(other.items == place.items and other.side and scene.items[other.side].id == "both" for other in places)


def _on_last_side(scene: Scene, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the places of a list on the side that is said right after it ("in the frontal and parietal lobes on the left")."""
    sides = [place.side for place in places]
    items = [at for place in places for at in place.items]
    after = sides[-1] if sides else None
    if after is None or any(side is not None for side in sides[:-1]) or not items or after != max(items) + 1:
        return places
    between = (item for one, other in pairwise(items) for item in scene.items[one + 1 : other])
    return tuple(place._replace(side=after) for place in places) if all(item.kind in LISTING for item in between) else places


def on_side_of_list(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where the side that opens a list of denials is that of all its members ("no left renal mass or
    stone")."""
    out: list[Statement] = []
    for one in sorted(structure, key=lambda one: one.head):
        before = out[-1] if out else one
        side = before.places[0].side if len(before.places) == 1 and not before.places[0].items else None
        between = {item.kind for item in scene.items[before.head + 1 : one.head]}
        goes_on = any(item.kind == "or" for item in scene.items[before.head + 1 :])
        listed = goes_on and bool(between) and between <= {"or", "comma", "M"} and scene.items[one.head].kind == "F"
        if listed and not one.places and side is not None and side < before.head and one.status == before.status == "absent":
            one = one._replace(places=before.places)
        out.append(one)
    return tuple(out)


def on_side_after(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a finding on the side that ends its phrase and that the structure leaves out, where it has them from
    before ("thickening in both maxillary sinuses with an air-fluid level on the left"), or has none on a side at all ("mild
    thickening is present bilaterally")."""
    side = one.head + 1
    while side < len(scene.items) and scene.items[side].kind in _SEEN:
        side += 1
    if side >= len(scene.items) or scene.items[side].kind != "sideword" or _next_site(scene, side) >= 0:
        return one.places
    used = any(place.side == side for other in structure for place in other.places)
    before = all(max((*place.items, place.side or 0)) < one.head for place in one.places)
    if used or not before or scene.items[one.head].kind != "F":
        return one.places
    if side > one.head + 1 and all(place.side is None for place in one.places):
        return tuple(place._replace(side=side) for place in one.places) or (Place((), side),)
    if scene.items[side].id not in ("left", "right") or not any(place.items for place in one.places):
        return one.places
    return tuple(dict.fromkeys(place._replace(side=side) for place in one.places))


def _opens_pair(scene: Scene, at: int) -> bool:
    """Whether "both" only opens a pair of different things ("both the liver and the spleen", "both a cyst and a mass"), or of
    structures with sides of their own ("both the left kidney and the right ureter")."""
    if scene.said(at) != "both":
        return False
    rest = scene.items[at + 1 : at + 4]
    kinds = [item.kind for item in rest]
    if kinds[:1] == ["sideword"]:
        return True
    if kinds == ["F", "and", "F"]:
        word = scene.tokens[rest[0].first]
        single = scene.text[word.start : word.end].lower() == word.norm.lower() and not plural(scene, rest[0])
        return single and not rest[2].adjective
    if kinds[1:] not in (["and", "A"], ["and", "sideword"]) or kinds[0] not in ("A", "M", "W"):
        return False
    noun = rest[0] if kinds[0] == "A" and not rest[0].adjective else rest[2]  # "both the upper and lower lobes"
    return noun.kind == "A" and not plural(scene, noun)


def _side_of_pair(scene: Scene, both: int, one: Statement) -> int | None:
    """Return the side that opens a statement about a pair ("On the left, both the origin and the bifurcation are normal")."""
    sides = (place.side for place in one.places if place.side is not None)
    opened = (at for at in sides if at < both and scene.items[at].id in ("left", "right"))
    return next((at for at in opened if all(item.kind in ("stop", "comma", "prep") for item in scene.items[at + 1 : both])), None)


def _of_one_before(scene: Scene, place: Place) -> bool:
    """Whether the side of a place is that of one organ of a list before it, and the place both of another pair ("the right
    kidney, the adrenal glands")."""
    words, index, after = scene.knowledge.words, scene.knowledge.index, _next_site(scene, place.side or 0)
    if len(place.items) != 1 or not (place.side or 0) < after < place.items[0] or place.items[0] - after > 3:
        return False
    one, own = scene.items[after], scene.items[place.items[0]]
    between = {item.kind for item in scene.items[after + 1 : place.items[0]]}
    organs = all(index.is_any(item.id, words.flagged("organs")) and item.id in words.lateral for item in (one, own))
    return organs and between <= LISTING and bool(between) and not one.adjective and not plural(scene, one) and plural(scene, own)


def _said_later(scene: Scene, place: Place) -> bool:
    """Whether the side of a place stands after its structure and before no other ("the right kidney is normal, the left is
    atrophic")."""
    later = place.side is not None and bool(place.items) and place.side > place.items[-1]
    return later and _next_site(scene, place.side or 0) < 0


def in_clause(scene: Scene, one: Statement) -> tuple[Place, ...]:
    """Return the places of a statement without those that only name the other side, in another clause ("on the left, a mass; on
    the right, a normal canal")."""

    cuts = [at for at, item in enumerate(scene.items) if item.kind == "semi"]

    def same(at: int) -> bool:
        return not any(min(at, one.head) <= cut < max(at, one.head) for cut in cuts)

    def here(place: Place) -> bool:
        return place.side is None or same(place.side)

    def trimmed(place: Place) -> Place:
        inner = tuple(at for at in place.items if same(at))
        return place if not inner or inner == place.items else Place(inner, place.side if here(place) else None)

    one = one._replace(places=tuple(trimmed(place) for place in one.places))
    near = {place.items for place in one.places if place.side is not None and here(place)}
    opening = _opening_side(scene, one.head)
    if opening is not None and all(place.side is None for place in one.places):
        return tuple(place._replace(side=opening) for place in one.places)
    return tuple(place for place in one.places if place.items not in near or here(place))


def _opening_side(scene: Scene, at: int) -> int | None:
    """Return the side that opens the clause of an item ("on the right, a normal canal"), or None."""
    start = max((n + 1 for n in range(at) if scene.items[n].kind == "semi"), default=0)
    kinds = [item.kind for item in scene.items[start : start + 2]]
    return start if kinds == ["sideword", "comma"] else None


def _sides_before(scene: Scene, at: int) -> tuple[int, ...]:
    """Return the positions of the sides right before an item that says none itself ("right and left")."""
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


def _first_numbered(scene: Scene, at: int) -> int:
    """Return the first member of the list from which a bare numeral has its noun ("left levels II, III and IV"), or the item."""
    first = at
    while scene.items[first].kind == "A" and named(scene, scene.words(first), "A") is None:
        before = first - 1
        while before > 0 and (scene.items[before].kind in LISTING or scene.items[before].kind == "prep"):
            before -= 1
        if before < 0 or before == first - 1 or scene.items[before].kind != "A":
            break
        first = before
    return first


def _of_another(scene: Scene, place: Place) -> bool:
    """Whether the side of a place stands before another site, and none of the place has sides."""
    words = scene.knowledge.words
    sited = {scene.items[at].id for at in place.items if scene.items[at].kind == "A"}
    after = _next_site(scene, place.side) if place.side is not None else -1
    apart = bool(sited) and sited.isdisjoint(words.lateral) and sited.isdisjoint(words.sided)
    return after >= 0 and after not in place.items and apart
