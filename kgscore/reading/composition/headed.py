"""Findings that a structure has as no more than words about others: predicates, kinds, devices, clauses of one word."""

from __future__ import annotations

from kgscore.reading.composition.scene import Scene, of_whole
from kgscore.reading.structure.values import Place, Statement, Structure

# What may stand between a verb and its subject.
_BETWEEN = frozenset(("M", "A", "meas", "num", "stop", "comma", "and", "sideword", "W"))


def headed(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which a number heads what it says ("the wall is 2 mm thick"), what was taken out is an operation, and
    a predicate ("the lesion is hypodense"), a kind of the finding ("dissection, type A"), a device, that it is whole and a clause
    that is one finding are said, though the structure has them as no more than words about others."""
    out: list[Statement] = []
    index, devices = scene.knowledge.index, scene.knowledge.words.devices
    heads = {one.head for one in structure}
    for one in structure:
        items, bearer = scene.items, (Place((one.head,), None),)
        if items[one.head].kind == "stop":
            number = next((at for at in one.modifiers if items[at].kind == "meas"), one.head)
            one = one._replace(head=number, modifiers=tuple(at for at in one.modifiers if at != number))
        elif items[one.head].kind == "change" and one.status == "past" and of_whole(scene, one.head) == "removed":
            one = one._replace(status="present")
        named = [at for at in one.modifiers if at not in heads and items[at].kind == "F"]
        below = {at for at in named if at > one.head and items[at].id != items[one.head].id}
        kinds = {at for at in below if index.is_a(items[at].id, items[one.head].id)}
        predicates = {at for at in named if items[at - 1].kind == "cop" and one.head < at} - kinds
        fitted = {at for at in named if items[at].id in devices} - kinds - predicates
        out += [Statement(at, one.status, one.places, (), (one.head,)) for at in sorted(kinds)]
        out += [Statement(at, one.status, bearer) for at in sorted(predicates)]
        sound = one.head - 1 if one.head and items[one.head - 1].kind == "N" and items[one.head].id in devices else -1
        if sound >= 0 and sound not in heads and one.status == "present":  # "intact leads"
            out.append(Statement(sound, "normal", bearer))
        out += [Statement(at, one.status, one.places or bearer) for at in sorted(fitted)]
        out.append(one._replace(modifiers=tuple(at for at in one.modifiers if at not in kinds | predicates | fitted)))
    places = {at for one in structure for place in one.places for at in place.items} - heads
    out += [Statement(at, "present") for at in places if scene.items[at].kind == "F" and whole_clause(scene, at)]
    return tuple(sorted(out, key=lambda one: one.head))


def subject(scene: Scene, verb: int) -> int:
    """Return the finding or structure of which a verb says something, the nearest before it in its clause, or -1."""
    for at in range(verb - 1, -1, -1):
        if scene.items[at].kind in ("F", "A"):
            return at
        if scene.items[at].kind not in _BETWEEN:
            break
    return -1


def whole_clause(scene: Scene, at: int) -> bool:
    """Whether a clause is nothing but a finding whose words hold its verb ("the placenta is anterior, without previa")."""
    before, after = scene.items[at - 1].kind if at else "semi", scene.items[at + 1].kind if at + 1 < len(scene.items) else "stop"
    verb = {"is", "are"} & {*scene.words(at)}
    return bool(verb) and before in ("semi", "but") and after in ("comma", "semi", "but", "stop")


def by_itself(scene: Scene, at: int) -> bool:
    """Whether an adjective is a finding by itself: it names one, or is the predicate of its clause ("it is hypodense")."""
    return scene.items[at].id in scene.knowledge.words.own or (at > 0 and scene.items[at - 1].kind == "cop")
