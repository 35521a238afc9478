"""Clauses of a sentence, each with a verb of its own, and places that a structure gives to findings of another clause."""

from __future__ import annotations

from itertools import pairwise

from kgscore.reading.composition.scene import RELATIVE, Scene
from kgscore.reading.structure.values import Place, Statement, Structure

# First words of verbs that make a clause.
_FINITE = frozenset((
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "may", "might", "can", "cannot", "could", "there",
    "appears", "appear", "seems", "seem", "remains", "remain", "shows", "show", "demonstrates", "demonstrate", "contains",
    "contain", "lies", "lie", "persists", "persist", "exhibits", "exhibit", "measures", "measure", "reveals", "reveal",
    "displays", "display",
))  # fmt: skip
_VERBAL = frozenset(("cop", "have", "seen", "with", "neg", "negpost", "change", "hedge", "prep"))
_JOINTS = frozenset(("and", "but", "comma", "semi"))
# What the subject of a clause consists of.
_SUBJECT = frozenset(
    ("A", "F", "M", "Q", "W", "N", "sideword", "num", "meas", "stop", "prep", "seq", "dash", "slash", "hedge", "neg")
)
_SUBJECTS = frozenset(("A", "F", "Q"))


def clauses(scene: Scene) -> list[int]:
    """Return the number of the clause in which each item stands; a joint belongs to the clause that it opens."""
    starts = set(_starts(scene))
    number, out = 0, []
    for at in range(len(scene.items)):
        number += at in starts
        out.append(number)
    return out


def _starts(scene: Scene) -> list[int]:
    verbs = [at for at, item in enumerate(scene.items) if _finite(scene, at) and item.kind in _VERBAL]
    found = [joint for one, other in pairwise(verbs) if (joint := _joint(scene, one, other)) >= 0]
    if verbs and (joint := _joint(scene, -1, verbs[0])) >= 0 and _verbless_before(scene, joint, verbs[0]):
        found.append(joint)
    return found + [at for at, item in enumerate(scene.items) if item.kind in ("but", "semi") and _opposes(scene, at)]


def _opposes(scene: Scene, at: int) -> bool:
    """Whether something is said of a place after a joint that opposes it to what stands before ("but a cyst in the spleen")."""
    end = next((n for n in range(at + 1, len(scene.items)) if scene.items[n].kind in _JOINTS), len(scene.items))
    after = {item.kind for item in scene.items[at + 1 : end] if not (item.kind == "F" and item.adjective)}
    return {"F", "A"} <= after and any(item.kind in ("F", "N") for item in scene.items[:at])


def _finite(scene: Scene, at: int) -> bool:
    relative = at > 0 and scene.said(at - 1).split()[-1] in RELATIVE
    return not relative and scene.said(at).partition(" ")[0] in _FINITE


def _joint(scene: Scene, one: int, verb: int) -> int:
    """Return the joint between a verb and the next that opens the clause of the latter, or -1 where none can be told."""
    joints = [at for at in range(one + 1, verb) if scene.items[at].kind in _JOINTS and _opens(scene, at, verb)]
    # Of "X, and Y" the comma opens what follows.
    joints = [at for at in joints if at - 1 not in joints]
    strong = [at for at in joints if scene.items[at].kind in ("but", "semi") or scene.items[at + 1].kind in _JOINTS]
    found = strong or joints
    return found[-1] if strong or len(joints) == 1 else -1


def _opens(scene: Scene, joint: int, verb: int) -> bool:
    """Whether what stands between a joint and a verb is its subject, or the verb needs none ("there is")."""
    subject = scene.items[joint + 1 : verb]
    kinds = {item.kind for item in subject if item.kind not in _JOINTS}
    there = scene.said(verb).startswith("there")
    relative = any(scene.said(at).split()[-1] in RELATIVE for at in range(joint + 1, verb))
    named = bool(kinds & _SUBJECTS) and kinds <= _SUBJECT
    return not relative and (named or (there and kinds <= {"stop"}))


def _verbless_before(scene: Scene, joint: int, verb: int) -> bool:
    """Whether what stands before the joint is a clause without a verb ("no mass in the axilla and the breast is normal"): the
    verb says of its subject what cannot be said of a finding, or the joint opposes both."""
    before = scene.items[:joint]
    if not any(item.kind in ("F", "N") for item in before):
        return False
    subject = {item.kind for item in scene.items[joint + 1 : verb]}
    said = scene.items[verb + 1 : verb + 2]
    normal = any(item.kind == "N" or (item.kind == "neg" and scene.said(verb + 1).endswith(" of")) for item in said)
    denied = before[0].kind == "neg" and scene.items[verb].kind in ("have", "with", "neg")
    strong = scene.items[joint].kind in ("but", "semi") or scene.items[joint + 1].kind in _JOINTS
    return strong or ("F" not in subject and (normal or denied))


def within_clauses(scene: Scene, structure: Structure, number: list[int]) -> Structure:
    """Return a structure in which no statement has the place of a later clause ("a mass in the left axilla, and the right
    breast is normal"), and one with a place in its own neither has that of an earlier one nor names what is there, nor is
    one ever where its finding cannot be ("the lobe is stable, and there is no pneumothorax"); what is said of a finding in
    another way of an earlier clause only is none of it. `number` gives the clause of each item."""
    if not structure or number[-1] == 0:
        return structure
    found = tuple(_within(scene, _named_once(scene, one, number), number) for one in structure)
    here = {one.head: one.status for one in found if _placed_here(one, number)}

    def kept(one: Statement) -> bool:
        return not one.places or here.get(one.head, one.status) == one.status or _placed_here(one, number)

    return tuple(filter(kept, found))


def _placed_here(one: Statement, number: list[int]) -> bool:
    """Whether a statement has a place in its own clause."""
    return any(number[at] == number[one.head] for place in one.places for at in _said_by(place))


def _named_once(scene: Scene, one: Statement, number: list[int]) -> Statement:
    """Return a statement whose places join a structure of its clause with one of another only where it is a part of that ("the
    right kidney is small, its cortex thin", not "the right breast is normal; a mass in the left breast")."""
    own, index = number[one.head], scene.knowledge.index

    def trimmed(place: Place) -> Place:
        here = tuple(at for at in place.items if number[at] == own)
        ids = [scene.items[at].id for at in here]
        others = [scene.items[at].id for at in place.items if at not in here]
        joined = all(any(one != other and index.specific(one, other) is not None for one in ids) for other in others)
        if not here or joined:
            return place
        return Place(here, place.side if place.side is not None and number[place.side] == own else None)

    return one._replace(places=tuple(dict.fromkeys(trimmed(place) for place in one.places)))


def _within(scene: Scene, one: Statement, number: list[int]) -> Statement:
    own = number[one.head]

    def possible(place: Place) -> bool:
        return not any(scene.knowledge.fitting.never_at(scene.items[one.head].id, scene.items[at].id) for at in place.items)

    where = {place: {number[at] for at in _said_by(place)} for place in one.places}
    here = any(own in places for places in where.values())
    kept = tuple(place for place, at in where.items() if own in at or (max(at) < own and not here and possible(place)))
    names = tuple(at for at in one.names if number[at] == own) if here else one.names
    return one._replace(places=kept, names=names)


def _said_by(place: Place) -> tuple[int, ...]:
    """Return the items that name a place: its structures, else its side."""
    return place.items or ((place.side,) if place.side is not None else ())
