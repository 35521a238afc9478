"""Findings that a sentence joins and of which it says once where they are."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.reading.composition.scene import Scene
from kgscore.reading.composition.status import ASSERTING
from kgscore.reading.structure.values import Place, Statement, Structure

# What joins two findings, and what may stand around a joint before the noun of the other one.
_JOINTS = frozenset(("and", "or", "slash", "but"))
_TO_NEXT = _JOINTS | {"comma", "neg", "change", "hedge", "M", "stop"}
_FROM_LAST = frozenset(("comma", "but", "seen", "stop", "and", "or", "neg", "M"))
# What a place between two findings consists of.
_PLACE = frozenset(("prep", "A", "sideword", "stop", "M", "num", "meas", "cop", "seen"))
# Verbs that stand for one said before.
_AGAIN = frozenset(("does", "do", "did", "is", "are", "was", "were"))


def denied_elsewhere(scene: Scene, structure: Structure) -> Structure:
    """Return a structure with what is denied of one place after it was said of another ("the liver contains a cyst, the
    spleen does not")."""
    out = list(structure)
    for at in range(2, len(scene.items)):
        ends = at + 1 == len(scene.items) or scene.said(at + 1) == "." or scene.items[at + 1].kind in ("semi", "but")
        if scene.said(at) != "not" or scene.said(at - 1) not in _AGAIN or scene.items[at - 2].kind != "A" or not ends:
            continue
        said = [one for one in out if one.head < at - 2 and scene.items[one.head].kind == "F" and one.status in ASSERTING]
        side = at - 3 if at > 2 and scene.items[at - 3].kind == "sideword" else None
        for one in said[-1:]:
            out[out.index(one)] = one._replace(places=tuple(place for place in one.places if at - 2 not in place.items))
            out.append(Statement(one.head, "absent", (Place((at - 2,), side),)))
    return tuple(sorted(out, key=lambda one: one.head))


def placed_together(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which a finding of which no place is said is where the one is that it is joined to: that after it
    ("tortuous and ectatic aorta", "a mass but no cyst in the liver"), or before it, where it is denied ("a mass in the liver
    without calcification")."""
    out = list(structure)
    for number, one in enumerate(out):
        if any(place.items for place in one.places) or scene.items[one.head].kind != "F":
            continue
        found = _of_the_next(scene, out, one) or (_of_the_last(scene, out[:number], one) if not one.places else ())
        out[number] = one._replace(places=found or one.places)
    return tuple(out)


def _of_the_next(scene: Scene, structure: Sequence[Statement], one: Statement) -> tuple[Place, ...]:
    """Return the places that stand after the next finding and are those of one too."""
    instead = one.head > 0 and scene.items[one.head - 1].kind == "rather"  # "instead of a cyst, there is a mass"
    for other in structure:
        between = scene.items[one.head + 1 : other.head]
        kinds = {item.kind for item in between if not (item.kind == "F" and item.adjective)}
        joined = kinds <= {"comma", "seen", "M"} if instead else bool(kinds & _JOINTS) and kinds <= _TO_NEXT
        if other.head <= one.head or scene.items[other.head].kind != "F" or not joined:
            continue
        beside = len(between) == 1 and other.status == one.status  # "tortuous and ectatic aorta"
        after = all(min((*place.items, place.side or len(scene.items))) > other.head for place in other.places)
        alike = other.status == one.status or "but" in kinds or instead
        theirs = {place.side for place in other.places}
        own = any(place.side not in theirs for place in one.places)
        shared = (beside or (after and alike)) and not own and _can_be(scene, one.head, other.places)
        return other.places if shared else ()
    return ()


def _of_the_last(scene: Scene, before: Sequence[Statement], one: Statement) -> tuple[Place, ...]:
    """Return the places of the last finding before one that is denied right after them."""
    if one.status != "absent":
        return ()
    first = one.head - 1
    while first >= 0 and scene.items[first].kind in _FROM_LAST:
        first -= 1
    denied = any(item.kind == "neg" for item in scene.items[first + 1 : one.head])
    last = next((other for other in reversed(before) if other.places and scene.items[other.head].kind == "F"), None)
    if not denied or last is None or last.status not in (*ASSERTING, "absent"):
        return ()
    between = {item.kind for item in scene.items[last.head + 1 : first + 1]} - {"F" if last.status == "absent" else ""}
    return last.places if between <= _PLACE and _can_be(scene, one.head, last.places, own=True) else ()


def _can_be(scene: Scene, at: int, places: Sequence[Place], *, own: bool = False) -> bool:
    """Whether a finding that has no place of its own, or only a wider one, can be at places; `own` counts those places too where
    it is in a report of one region or another."""
    index, fitting, name = scene.knowledge.index, scene.knowledge.fitting, scene.items[at].id
    sites = [scene.items[n].id for place in places for n in place.items if scene.items[n].kind == "A"]
    homes = fitting.default(name) or (fitting.homes(name) if own else ())
    homes = tuple(one for one in homes if one not in index.generic)
    wider = not homes or all(any(index.inside(site, one) for one in homes) for site in sites)
    return bool(sites) and wider and all(fitting.bears(name, site) for site in sites)
