"""What the words of a sentence settle in any case, whatever its structure says: the status of a head, sides right before a
site, and modifiers that belong to one thing said in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kgscore.reading.composition.given import given
from kgscore.reading.composition.modifiers import details_of, graded_by_side, limits
from kgscore.reading.composition.scene import Scene, completed, named, noun_after, noun_before
from kgscore.reading.composition.status import ASSERTING, by_cue
from kgscore.reading.structure.values import Place, Statement, Structure

_LIST = frozenset(("comma", "and", "or", "slash"))
# A bare noun phrase.
_TERSE = frozenset(("F", "A", "M", "N", "sideword", "meas", "num", "stop", "ask"))
# A structure, or qualities of it, and how they changed.
_UNCHANGED = _LIST | frozenset(("A", "Q", "cop", "change", "sideword", "stop"))


def settled(scene: Scene, structure: Structure) -> Structure:
    """Return a structure as far as the words of its sentence settle it."""
    found = structure or _terse(scene)
    found = tuple(by_cue(scene, one)._replace(places=_on_own_sides(scene, _near_places(scene, one))) for one in found)
    found = tuple(part for one in found for own in _named_apart(scene, one) for part in _excepted(scene, own))
    found = tuple(part for one in found for part in _alternating(scene, one))
    found = tuple(one._replace(places=_in_clause(scene, one)) for one in found)
    found = tuple(one._replace(places=_with_shared_parts(scene, one.places)) for one in found)
    found = tuple(one._replace(places=_of_company(scene, found, one)) for one in found)
    found = tuple(one._replace(places=_on_side_after(scene, found, one)) for one in found)
    found = tuple(one._replace(places=_not_of_its_part(scene, found, one)) for one in found)
    return given(scene, _once(scene, _without_kind(scene, _joined_by_head(scene, _without_empty(scene, found)))))


def _not_of_its_part(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a device without those of a part of it ("a pacemaker whose lead is in the ventricle"), and those of
    the part without the side of the whole."""
    devices = scene.knowledge.words.devices
    heads = sorted(other.head for other in structure if scene.items[other.head].id in devices)
    parts = [at for at in heads if at and scene.said(at - 1) == "whose"]
    if one.head in parts:
        said = (place for place in one.places if place.items)
        return tuple(place if place.side is None or place.side > one.head else place._replace(side=None) for place in said)
    part = next((at for at in parts if at > one.head), None)
    if part is None or one.head not in heads:
        return one.places
    return tuple(place for place in one.places if not place.items or place.items[0] < part)


def _without_kind(scene: Scene, structure: Structure) -> Structure:
    """Return the structure without a label that only names the kind of the finding after it ("PE: saddle embolus")."""
    if len(scene.items) < 2 or scene.items[1].kind != "colon" or scene.items[0].kind != "F":
        return structure
    is_a, name = scene.knowledge.index.is_a, scene.items[0].id
    told = any(one.head > 0 and scene.items[one.head].kind == "F" and is_a(scene.items[one.head].id, name) for one in structure)
    return tuple(one for one in structure if one.head > 0) if told else structure


def _terse(scene: Scene) -> Structure:
    """Return the statements of a line that is nothing but a noun phrase of a finding ("Shallow inspiration.", "?Dissection"), or
    of a structure that is normal ("Conus ends at L1.") or unchanged ("stable heart size")."""
    kinds = [item.kind for item in scene.items]
    if "A" in kinds and _UNCHANGED.issuperset(kinds):
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == "A")
        return tuple(Statement(at, "normal", sites) for at, item in enumerate(scene.items) if item.id == "stable")
    if not _TERSE.issuperset(kinds):
        return ()
    if "N" in kinds:
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == "A")
        return tuple(Statement(at, "normal", sites) for at, kind in enumerate(kinds) if kind == "N") if "F" not in kinds else ()
    status = "possible" if "ask" in kinds else "present"
    return tuple(Statement(at, status) for at, item in enumerate(scene.items) if item.kind == "F" and not item.adjective)


def _near_places(scene: Scene, one: Statement) -> Statement:
    """ "Central trachea, normal heart size": a normal word right before a structure is not said of the one before the comma, and
    what comes with a normal structure is not in it ("left adenoma with a normal right adrenal gland")."""
    if scene.items[one.head].kind == "F" and one.status in ASSERTING:
        return one._replace(places=tuple(place for place in one.places if not _of_normal(scene, one.head, place)))
    after = _next_site(scene, one.head)
    before = scene.items[one.head - 1].kind if one.head else ""
    if scene.items[one.head].kind != "N" or before not in _LIST or not any(after in place.items for place in one.places):
        return one
    return one._replace(places=tuple(place for place in one.places if not place.items or place.items[-1] > one.head))


def _of_normal(scene: Scene, head: int, place: Place) -> bool:
    """Whether a place stands after "with" and a normal word that speak of it, and a finding before both."""
    after = range(head + 1, len(scene.items))
    normal = (n for n in after if scene.items[n].kind == "N" and scene.items[n - 1].kind == "with")
    return any(_next_site(scene, n) in place.items for n in normal)


def _next_site(scene: Scene, at: int) -> int:
    """Return the position of the site that stands right after an item, or -1."""
    for other in range(at + 1, len(scene.items)):
        if scene.items[other].kind == "A":
            return other
        if scene.items[other].kind not in ("sideword", "stop"):
            break
    return -1


def _on_own_sides(scene: Scene, one: Statement) -> tuple[Place, ...]:
    """Return the places of a statement, each on the sides that stand right before its site; a side right before another site
    is no side of a structure that has none."""
    out: list[Place] = []
    for place in one.places:
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
        own = any(place.side in _sides_before(scene, at) for at in place.items)
        shared = any(other.side == place.side and other is not place and _has_sides(scene, other) for other in places)
        return place.side is not None and not own and shared and not _has_sides(scene, place) and not _tissue(scene, place)

    return tuple(place._replace(side=None) if lent(place) else place for place in places)


def _has_sides(scene: Scene, place: Place) -> bool:
    """Whether a place is in a structure of a pair."""
    words = scene.knowledge.words
    return any(scene.items[at].id in words.paired | words.lateral for at in place.items)


def _tissue(scene: Scene, place: Place) -> bool:
    """Whether a place names no structure, or a kind that is found all over."""
    words = scene.knowledge.words
    return all(scene.items[at].kind != "A" or scene.items[at].id in words.kinds | words.local for at in place.items)


def _compared(scene: Scene, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return places with the side that another one is compared with ("pleural effusions, left greater than right")."""
    pairs = [
        (at - 1, at + 1)
        for at, item in enumerate(scene.items[1:-1], start=1)
        if item.kind in ("greater", "less") and {scene.items[at - 1].id, scene.items[at + 1].id} == {"left", "right"}
    ]
    other = {one: two for pair in pairs for one, two in (pair, pair[::-1])}
    more = (place._replace(side=other[place.side]) for place in places if place.side is not None and place.side in other)
    return tuple(dict.fromkeys((*places, *more)))


def _on_last_side(scene: Scene, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the places of a list on the side that is said right after it ("in the frontal and parietal lobes on the left")."""
    sides = [place.side for place in places]
    items = [at for place in places for at in place.items]
    after = sides[-1] if sides else None
    if after is None or any(side is not None for side in sides[:-1]) or not items or after != max(items) + 1:
        return places
    between = (item for one, other in pairwise(items) for item in scene.items[one + 1 : other])
    return tuple(place._replace(side=after) for place in places) if all(item.kind in _LIST for item in between) else places


def _on_side_after(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a finding on the side that ends its phrase and that the structure leaves out, where it has them from
    before ("thickening in both maxillary sinuses with an air-fluid level on the left")."""
    side = one.head + 1
    if side >= len(scene.items) or scene.items[side].id not in ("left", "right") or _next_site(scene, side) >= 0:
        return one.places
    used = any(place.side == side for other in structure for place in other.places)
    before = all(max((*place.items, place.side or 0)) < one.head for place in one.places)
    noun = scene.items[one.head].kind == "F" and scene.items[side].kind == "sideword"
    if used or not noun or not before or not any(place.items for place in one.places):
        return one.places
    return tuple(dict.fromkeys(place._replace(side=side) for place in one.places))


def _said_later(scene: Scene, place: Place) -> bool:
    """Whether the side of a place stands after its structure and before no other ("the right kidney is normal, the left is
    atrophic")."""
    later = place.side is not None and bool(place.items) and place.side > place.items[-1]
    return later and _next_site(scene, place.side or 0) < 0


def _in_clause(scene: Scene, one: Statement) -> tuple[Place, ...]:
    """Return the places of a statement without those that only name the other side, in another clause ("on the left, a mass; on
    the right, a normal canal")."""

    def same(at: int) -> bool:
        return all(item.kind != "semi" for item in scene.items[min(at, one.head) : max(at, one.head)])

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
    """Return the positions of the sides right before an item ("right and left")."""
    found: list[int] = []
    for other in range(_first_numbered(scene, at) - 1, -1, -1):
        kind = scene.items[other].kind
        if kind == "sideword" and scene.items[other].id in ("left", "right", "both") and scene.items[at].side is None:
            found.append(other)
        elif kind not in ("and", "or", "slash", "stop") or (kind != "stop" and not found):
            break
    return tuple(reversed(found))


def _first_numbered(scene: Scene, at: int) -> int:
    """Return the first member of the list from which a bare numeral has its noun ("left levels II, III and IV"), or the item."""
    first = at
    while scene.items[first].kind == "A" and named(scene, scene.words(first), "A") is None:
        before = first - 1
        while before > 0 and (scene.items[before].kind in _LIST or scene.items[before].kind == "prep"):
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
    apart = bool(sited) and sited.isdisjoint(words.paired | words.lateral | words.sided)
    return after >= 0 and after not in place.items and apart


def _joined_by_head(scene: Scene, structure: Structure) -> Structure:
    """Return the structure with one statement for what is said of one head in several that belong together."""
    out: list[Statement] = []
    for head in dict.fromkeys(one.head for one in structure):
        said = [one for one in structure if one.head == head]
        out += said if len(said) == 1 or len({one.status for one in said}) > 1 else _joined(scene, said)
    return tuple(out)


def _joined(scene: Scene, said: Sequence[Statement]) -> list[Statement]:
    """Return statements of one head and status: as one where their modifiers differ by side ("severe on the right and mild on
    the left") or are qualities of one list; what is said of no place is said of the places of the others."""
    said = _with_nearest(scene, _without_both(scene, said))
    modifiers = tuple(sorted({at for one in said for at in one.modifiers}))
    first = said[0]._replace(modifiers=modifiers, names=tuple(sorted({at for one in said for at in one.names})))
    if graded_by_side(scene, modifiers):
        return [first._replace(places=_both_sides(scene, said))]
    if scene.items[first.head].kind == "N" and _one_list(scene, modifiers):
        return [first._replace(places=tuple(dict.fromkeys(place for one in said for place in one.places)))]
    said = _measured_once(scene, _said_of_all(scene, said))
    placed, bare = [one for one in said if one.places], [one for one in said if not one.places]
    if not placed or not bare:
        return list(said)
    more = tuple(at for one in bare for at in one.modifiers)
    out: list[Statement] = []
    for one in placed:
        kinds = {detail.category for detail in details_of(scene, one.modifiers)}
        own = (at for at in more if kinds.isdisjoint(detail.category for detail in details_of(scene, (at,))))
        out.append(one._replace(modifiers=tuple(sorted({*one.modifiers, *own}))))
    told = {at for one in out for at in one.modifiers}
    return [*out, *(one for one in bare if not told.issuperset(one.modifiers))]


def _measured_once(scene: Scene, said: Sequence[Statement]) -> list[Statement]:
    """Return statements of one place as one where they share a measurement ("stenosis of 70 % with a peak velocity of
    285 cm/s") or one only bounds that of another ("70 % or more")."""
    out: list[Statement] = []
    for one in said:
        twin = next((at for at, other in enumerate(out) if other.places == one.places and _share_size(scene, other, one)), None)
        if twin is None:
            out.append(one)
        else:
            out[twin] = out[twin]._replace(modifiers=tuple(sorted({*out[twin].modifiers, *one.modifiers})))
    return out


def _share_size(scene: Scene, one: Statement, other: Statement) -> bool:
    if other.modifiers and all(limits(scene, at) for at in other.modifiers):
        return True
    return any(scene.items[at].kind == "meas" for at in {*one.modifiers} & {*other.modifiers})


def _with_nearest(scene: Scene, said: Sequence[Statement]) -> Sequence[Statement]:
    """Return statements of one head with the adjectives right before it, which hold for all ("round and oval dense foci"), and
    without those that then say less than another at the same places."""
    near, at = set[int](), said[0].head - 1
    while at >= 0 and (scene.items[at].kind == "M" or (scene.items[at].kind == "F" and scene.items[at].adjective)):
        near.add(at)
        at -= 1
    near &= {at for one in said for at in one.modifiers if scene.items[at].kind == "F"}
    if not near:
        return said
    out = dict.fromkeys(one._replace(modifiers=tuple(sorted({*one.modifiers, *near}))) for one in said)
    return [one for one in out if not any(one.places == o.places and {*one.modifiers} < {*o.modifiers} for o in out)]


def _of_company(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of what a finding is with or caused by: those of that finding, where it is only said to be under the same
    label ("liver: cyst in segment 4 with calcification"), or is the device of an operation ("fusion of L3-S1 with screws")."""
    at = one.head - 1
    while at > 0 and scene.items[at].kind in ("M", "stop"):
        at -= 1
    if at <= 0 or scene.items[at].kind not in ("with", "cause"):
        return one.places
    words = scene.knowledge.words
    if not one.places and scene.items[one.head].id not in words.devices:
        return one.places
    with_it = next((other for other in reversed(structure) if other.head < at and scene.items[other.head].kind == "F"), None)
    if not one.places and (with_it is None or scene.items[with_it.head].id not in words.states):
        return one.places
    own, whole = ({item for place in said.places for item in place.items} for said in (one, with_it or one))
    return with_it.places if with_it is not None and own < whole and with_it.status in ASSERTING else one.places


def _without_empty(scene: Scene, structure: Structure) -> Structure:
    """Return the structure without bare nouns that say nothing where what they are taken for is said at the same place ("changes
    in the left lower lobe consistent with pneumonia")."""

    def empty(one: Statement) -> bool:
        return scene.items[one.head].id in scene.knowledge.words.empty and one.status == "present" and not one.modifiers

    taken = {
        (one.places, at)
        for one in structure
        if not empty(one) and scene.items[one.head].kind == "F"
        for at in range(one.head)
        if any(item.kind in ("infer", "hedge") for item in scene.items[at : one.head])
    }
    return tuple(one for one in structure if not one.places or not empty(one) or (one.places, one.head) not in taken)


def _without_both(scene: Scene, said: Sequence[Statement]) -> Sequence[Statement]:
    """Return statements without a bare one of both sides where each side has one of its own ("bilateral effusions, right
    increased and left unchanged")."""
    sides = [{scene.items[place.side].id for place in one.places if place.side is not None} for one in said]
    own = {side for one, names in zip(said, sides, strict=True) if one.modifiers for side in names}
    if not {"left", "right"} <= own:
        return said
    return [one for one, names in zip(said, sides, strict=True) if one.modifiers or names != {"both"}]


def _named_apart(scene: Scene, one: Statement) -> list[Statement]:
    """Return a statement apart from those of its places that stand in a list with the finding itself and share its noun or its
    adjective: "no cord or nerve root compression", "mild cerebellar and moderate cerebral atrophy"."""
    own, kept = list[Statement](), list[Place]()
    for place in one.places:
        at = next((at for at in place.items if _beside(scene, at, one.head)), -1)
        if at < 0 or scene.items[one.head].kind != "F" or not _shares(scene, at, one.head):
            kept.append(place)
            continue
        rest = tuple(item for item in place.items if item != at)
        around = (Place(rest, place.side),) if rest or place.side is not None else ()
        modifiers = tuple(m for m in one.modifiers if m < at or at > one.head)
        own.append(Statement(at, one.status, around, modifiers))
        kept += [Place(rest, None)] if rest else []
    if not own:
        return [one]
    given = {m for part in own for m in part.modifiers if m < part.head < one.head}
    left = one._replace(places=tuple(dict.fromkeys(kept)), modifiers=tuple(m for m in one.modifiers if m not in given))
    return sorted([left, *own], key=lambda statement: statement.head)


def _alternating(scene: Scene, one: Statement) -> list[Statement]:
    """Return a statement apart by two descriptors that exclude each other, of which one makes a finding with a name of its own
    ("linear and patchy opacities")."""
    item = scene.items[one.head]
    kinds = [at for at in one.modifiers if scene.items[at].kind == "M" and at < one.head]
    for first, last in pairwise(kinds) if item.kind == "F" and not item.adjective else ():
        between = [between.kind for between in scene.items[first + 1 : last]]
        if between in (["and"], ["comma", "and"]) and _names_one(scene, one, first) != _names_one(scene, one, last):
            return [one._replace(modifiers=tuple(m for m in one.modifiers if m != other)) for other in (last, first)]
    return [one]


def _names_one(scene: Scene, one: Statement, at: int) -> bool:
    """Whether a finding at its place with a descriptor has a name of its own."""
    index = scene.knowledge.index
    sites = tuple(scene.items[n].id for place in one.places for n in place.items if scene.items[n].kind == "A")
    concept = index.fold(scene.items[one.head].id, sites)
    return any(index.refined(concept, detail.value, sites) is not None for detail in details_of(scene, (at,)))


def _beside(scene: Scene, at: int, head: int) -> bool:
    """Whether a structure and a finding are neighbours in a list, each perhaps with adjectives."""
    between = scene.items[min(at, head) + 1 : max(at, head)]
    joined = bool(between) and between[0].kind in (_LIST if at < head else ("and", "or", "slash"))
    inner = ("M", "stop", "A", "sideword") if at < head else ("M", "stop")
    listed = not {"and", "or", "slash"}.isdisjoint(item.kind for item in between)
    if at and at < head and not listed and scene.items[at - 1].kind == "prep":
        return False  # "at L4-5, a broad-based bulge"
    return scene.items[at].kind == "A" and joined and all(item.kind in _LIST or item.kind in inner for item in between)


def _shares(scene: Scene, at: int, head: int) -> bool:
    """Whether a structure names a finding with words that it shares with another one."""
    entry = completed(scene, at, "F") or (noun_after(scene, at) if at < head else noun_before(scene, at))
    return entry is not None and entry.id != scene.items[head].id


def _excepted(scene: Scene, one: Statement) -> list[Statement]:
    """Return a statement apart from its denial elsewhere: "dilated on the left but not on the right"."""
    denied = [n for n, item in enumerate(scene.items) if item.kind == "neg" and n > one.head and _opposed(scene, n)]
    if one.status != "present" or not denied:
        return [one]
    there = tuple(place for place in one.places if min((*place.items, place.side or len(scene.items))) < denied[0])
    gone = tuple(place for place in one.places if (place.side if place.side is not None else place.items[0]) > denied[0])
    if not gone or any(item.kind == "F" and not item.adjective for item in scene.items[denied[0] :]):
        return [one]
    rest = tuple(place for place in there if place not in gone)
    return [one._replace(places=rest), one._replace(status="absent", places=gone, modifiers=())]


def _opposed(scene: Scene, at: int) -> bool:
    """Whether a denial opposes what comes to what was said: "but not", ", not"."""
    return scene.said(at) == "not" and at > 0 and scene.items[at - 1].kind in ("but", "comma")


def _with_shared_parts(scene: Scene, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return places with a part that is said once of all of a list: "superior endplates of L1 and L2", "heads of the second and
    third metacarpals"."""
    out: list[Place] = []
    part = -1
    for place in places:
        before = out[-1].items[-1] if out and out[-1].items else -1
        joined = 0 <= before < (place.items[0] if place.items else -1)
        gap = scene.items[before + 1 : place.items[0]] if joined else ()
        if len(place.items) > 1:
            part = place.items[0] if _is_part_of(scene, place) else -1
            out.append(place)
        elif part >= 0 and gap and all(item.kind in _LIST for item in gap) and _made_specific(scene, part, place.items[0]):
            out.append(place._replace(items=(part, *place.items)))
        else:
            out.append(place)
    return tuple(out)


def _is_part_of(scene: Scene, place: Place) -> bool:
    between = [item.kind for item in scene.items[place.items[0] + 1 : place.items[1]]]
    return "prep" in between and scene.items[place.items[0]].kind == "A"


def _made_specific(scene: Scene, part: int, whole: int) -> bool:
    site = completed(scene, whole, "A") if scene.items[whole].kind != "A" else None
    name = site.id if site is not None else scene.items[whole].id
    return scene.knowledge.index.specific(scene.items[part].id, name) is not None


def _said_of_all(scene: Scene, said: Sequence[Statement]) -> list[Statement]:
    """Return statements with what stands before all of their places, and qualities after the last: "healed right 5th and 6th rib
    fractures", "mediastinal and hilar contours are normal". What is of a kind that a statement has already is not its own."""
    if len({one.places for one in said}) == 1:
        return list(said)
    places = sorted(at for one in said for place in one.places for at in place.items)
    first, last = (places[0], places[-1]) if places else (0, len(scene.items))
    shared = [at for one in said for at in one.modifiers if at < first or (at > last and scene.items[at].kind == "Q")]
    out: list[Statement] = []
    for one in said:
        kinds = {_category(scene, at) for at in one.modifiers}
        more = (at for at in shared if one.places and _category(scene, at) not in kinds)
        out.append(one._replace(modifiers=tuple(sorted({*one.modifiers, *more}))))
    return out


def _category(scene: Scene, at: int) -> str:
    """Return of what kind a modifier is: a quality, or the category of its detail."""
    details = details_of(scene, (at,))
    return details[0].category if details else scene.items[at].kind


def _both_sides(scene: Scene, said: Sequence[Statement]) -> tuple[Place, ...]:
    """Return the places of statements that differ by side, each site once on all the sides that are said of it."""
    places = dict.fromkeys(place for one in said for place in one.places)
    whole = {place.items for place in places if place.side is not None and scene.items[place.side].id == "both"}
    return tuple(place for place in places if place.items not in whole or scene.items[place.side or 0].id == "both")


def _one_list(scene: Scene, modifiers: Sequence[int]) -> bool:
    """Whether modifiers are the qualities of one list ("size, shape and density")."""
    between = scene.items[modifiers[0] : modifiers[-1] + 1] if modifiers else ()
    return len(modifiers) > 1 and all(item.kind == "Q" or item.kind in _LIST or item.kind == "stop" for item in between)


def _once(scene: Scene, structure: Structure) -> Structure:
    """Return the structure without statements of a modifier about what it is said of already ("nodes are enlarged"), or where
    what it is said of is ("the ribs are fractured with displacement")."""
    said = {(at, one.head, one.status) for one in structure for at in one.modifiers}
    there = {(at, one.places, one.status) for one in structure for at in one.modifiers if one.places}
    return tuple(
        one
        for one in structure
        if not any(len(place.items) == 1 and (one.head, place.items[0], one.status) in said for place in one.places)
        and not (scene.items[one.head].kind == "M" and (one.head, one.places, one.status) in there)
    )
