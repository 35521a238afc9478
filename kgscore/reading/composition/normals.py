"""Normal words of several things: qualities and structures of one list, each of which is normal by itself."""

from __future__ import annotations

from kgscore.reading.composition.scene import LISTING, Scene
from kgscore.reading.structure.values import Place, Statement, Structure, spoken_of

_CLAUSE = frozenset(("semi", "but", "F", "neg"))
# What stands between what is normal and the word that says so.
_BEFORE_NORMAL = frozenset(("cop", "stop"))
# What stands between a normal word and the verb said of the same structure.
_OWN_PHRASE = frozenset(("cop", "stop", "prep", "A", "sideword"))


def each_normal(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which a normal word is said of each thing of its list as what that is: of a quality that names its
    bearer ("disc heights"), and of a structure as a whole ("disc heights and facet joints are normal")."""
    told = _once_normal(scene, tuple(_not_abnormal(scene, one) for one in structure))
    told = _placed_with_next(scene, _with_listed(scene, told))
    found = (part for one in told for part in _apart(scene, _without_others(scene, _of_word(scene, one))))
    return _with_findings(scene, tuple(found))


def _with_listed(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where a normal word has the qualities that go on its list and that nothing is said of ("normal splenic
    shape and dimensions")."""
    used = spoken_of(structure)
    out: list[Statement] = []
    for one in structure:
        told = [at for at in one.modifiers if scene.items[at].kind == "Q" and at > one.head]
        normal = one.status == "normal" and scene.items[one.head].kind == "N"
        more = [*_listed(scene, min(told), -1), *_listed(scene, max(told), 1)] if normal and told else []
        more = [at for at in more if at not in used]
        out.append(one._replace(modifiers=tuple(sorted({*one.modifiers, *more}))) if more else one)
    return tuple(out)


def _listed(scene: Scene, at: int, step: int) -> list[int]:
    """Return the qualities that go on a list from one of them in a direction."""
    found: list[int] = []
    ahead = at + 2 * step
    while 0 <= ahead < len(scene.items) and scene.items[ahead - step].kind in LISTING and scene.items[ahead].kind == "Q":
        found.append(ahead)
        ahead += 2 * step
    return found


def _placed_with_next(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where a normal word without a site is said of that of the next one on its list ("normally sized and
    normally shaped ventricles")."""
    out: list[Statement] = []
    for one in reversed(structure):
        after = out[-1] if out else one
        between = {item.kind for item in scene.items[one.head + 1 : after.head]}
        words = one.status == after.status == "normal" and scene.items[one.head].kind == scene.items[after.head].kind == "N"
        listed = words and bool(between & LISTING - {"comma"}) and between <= LISTING | {"Q", "M"}
        bare = not any(place.items for place in one.places) and any(place.items for place in after.places)
        out.append(one._replace(places=after.places) if listed and bare else one)
    return tuple(reversed(out))


def _not_abnormal(scene: Scene, one: Statement) -> Statement:
    """Return a denial that is itself the word for what is normal as a normal statement ("the shape of the arteries is not
    abnormal")."""
    denied = scene.items[one.head].kind in ("neg", "negpost") and scene.words(one.head)[-1:] == ("abnormal",)
    return one._replace(status="normal") if denied and one.status == "absent" else one


def _once_normal(scene: Scene, structure: Structure) -> Structure:
    """Return a structure without the verb that only says of what is normal that it is so ("normal width of the ventricles is
    maintained")."""

    def repeats(one: Statement, other: Statement) -> bool:
        kinds = [scene.items[at].kind for at in (other.head, one.head) if at < len(scene.items)]
        between = {item.kind for item in scene.items[other.head + 1 : one.head]}
        both = kinds == ["N", "N"] and one.status == other.status == "normal" and bool(one.places) and one.places == other.places
        return both and other.head < one.head and between <= _OWN_PHRASE and "cop" in between and not one.modifiers

    return tuple(one for one in structure if not any(repeats(one, other) for other in structure))


def _with_findings(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which a normal word is said of the finding right before it too, which the list of what is normal
    ends with ("bladder volume and wall thickening are within normal limits")."""
    ends: set[int] = set()
    for one in structure:
        at = one.head - 1
        while at > 1 and scene.items[at].kind in _BEFORE_NORMAL:
            at -= 1
        if one.status != "normal" or scene.items[one.head].kind != "N" or not 1 < at < one.head - 1:
            continue
        listed = {*one.modifiers, *(part for place in one.places for part in place.items)}
        if scene.items[at].kind == "F" and scene.items[at - 1].kind == "and" and at - 2 in listed:
            ends.add(at)
    said = {one.head for one in structure if one.modifiers or one.names or any(place.items for place in one.places)}
    plain = {at for at in ends - said if not scene.items[at].adjective}
    return tuple(one._replace(status="absent") if one.head in plain else one for one in structure)


def _of_word(scene: Scene, one: Statement) -> Statement:
    """Return what is normal of a quality as a statement of the normal word said of it ("of normal size and shape")."""
    item = scene.items[one.head]
    if one.status != "normal" or item.kind != "Q" or "N" in item.types:
        return one
    for step in (-1, 1):
        at = one.head + step
        while 0 <= at < len(scene.items) and scene.items[at].kind not in _CLAUSE:
            if scene.items[at].kind == "N":
                return one._replace(head=at, modifiers=tuple(sorted({*one.modifiers, one.head} - {at})))
            at += step
    return one


def _without_others(scene: Scene, one: Statement) -> Statement:
    """Return a statement of a normal word without the qualities of a structure that stands before its own in a list ("heart
    size, hila and diaphragm are normal")."""
    first = min((place.items[0] for place in one.places if place.items), default=0)
    if one.status != "normal" or scene.items[one.head].kind != "N" or one.head < first:
        return one
    kinds = [item.kind for item in scene.items]
    before = (at for at in one.modifiers if 0 < at < first and kinds[at - 1 : at + 1] == ["A", "Q"])
    away = {at for at in before if kinds[at + 1] in LISTING}
    return one._replace(modifiers=tuple(at for at in one.modifiers if at not in away))


def _apart(scene: Scene, one: Statement) -> list[Statement]:
    """Return a statement of a normal word apart by the qualities among its places that name their bearers."""
    if one.status != "normal" or scene.items[one.head].kind != "N":
        return [one]
    named = [place for place in one.places if place.items and all(_names_bearer(scene, at) for at in place.items)]
    if not named:
        return [one]
    first = named[0].items[0]
    others = tuple(place for place in one.places if place not in named and place.items and place.items[0] > first)
    before = tuple(place for place in one.places if place not in others and place not in named)  # "liver and spleen size"
    loose = [at for at in one.modifiers if _names_bearer(scene, at)] if len(named) == len(one.places) else []
    rest = tuple(at for at in one.modifiers if at not in loose)
    out = [one._replace(places=(*(before if place is named[0] else ()), place), modifiers=rest) for place in named]
    out += [one._replace(places=(Place((at,), None),), modifiers=()) for at in loose]
    return [*out, one._replace(places=others, modifiers=rest)] if others else out


def _names_bearer(scene: Scene, at: int) -> bool:
    """Whether an item is a quality that names of what it is ("disc height")."""
    item = scene.items[at]
    return item.kind == "Q" and any(entry.type == "Q" and entry.site for entry in item.types.values())
