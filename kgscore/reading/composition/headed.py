"""Findings that a structure only has as modifiers of others: predicates, kinds, devices, one-word clauses."""

from __future__ import annotations

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL
from kgscore.reading.composition.parsed_sentence import PHRASE, ParsedSentence, of_whole
from kgscore.reading.structure.values import Parse, Place, Statement


def headed(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a number heads its statement ("the wall is 2 mm thick"), a removal is an operation, and a
    predicate ("the lesion is hypodense"), a kind of the finding ("dissection, type A"), a device, its intactness and a clause
    that is one finding are statements, although the structure only has them as modifiers."""
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
        named = [at for at in one.modifiers if at not in heads and items[at].kind == FINDING]
        below = {at for at in named if at > one.head and items[at].id != items[one.head].id}
        kinds = {at for at in below if index.is_a(items[at].id, items[one.head].id)}
        predicates = {at for at in named if items[at - 1].kind == "cop" and one.head < at} - kinds
        fitted = {at for at in named if items[at].id in devices} - kinds - predicates
        out += [Statement(at, one.status, one.places, (), (one.head,)) for at in sorted(kinds)]
        out += [Statement(at, one.status, bearer) for at in sorted(predicates)]
        sound = one.head - 1 if one.head and items[one.head - 1].kind == NORMAL and items[one.head].id in devices else -1
        if sound >= 0 and sound not in heads and one.status == "present":  # "intact leads"
            out.append(Statement(sound, "normal", bearer))
        out += [Statement(at, one.status, one.places or bearer) for at in sorted(fitted)]
        out.append(one._replace(modifiers=tuple(at for at in one.modifiers if at not in kinds | predicates | fitted)))
    return _of_misplaced_devices(scene, tuple(sorted(out, key=lambda one: one.head)))


def _of_misplaced_devices(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a misplaced device is the head, and not the site of a displacement ("the tube is
    displaced")."""
    words, items = scene.knowledge.words, scene.items
    misplaced = words.flagged("misplaced")
    of_device: dict[int, int] = {}
    for one in structure:
        value, borne = items[one.head].types.get(DESCRIPTOR), [at for place in one.places for at in place.items]
        named = items[one.head].kind == FINDING and value is not None and value.id in misplaced and one.status == "present"
        if named and len(borne) == 1 and items[borne[0]].id in words.devices and items[one.head - 1].kind == "cop":
            of_device[one.head] = borne[0]
    told = {device: at for at, device in of_device.items()}
    kept = (one for one in structure if one.head not in of_device)
    return tuple(one._replace(modifiers=(*one.modifiers, told[one.head])) if one.head in told else one for one in kept)


def subject(scene: ParsedSentence, verb: int) -> int:
    """Return the finding or structure that is the subject of a verb, the nearest before it in its clause, or -1."""
    for at in range(verb - 1, -1, -1):
        if scene.items[at].kind in (FINDING, ANATOMY):
            return at
        if scene.items[at].kind not in PHRASE:
            break
    return -1


def opens(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding opens its clause as the subject of the part after a comma ("shallow inspiration, causing crowding")."""
    after = [item.kind for item in scene.items[at + 1 : at + 3]]
    before = next((item.kind for item in reversed(scene.items[:at]) if item.kind not in (DESCRIPTOR, "meas", "num")), "semi")
    return after == ["comma", "cause"] and before in ("semi", "but")


def by_itself(scene: ParsedSentence, at: int) -> bool:
    """Whether an adjective is a finding by itself: it names one, or is the predicate of its clause ("it is hypodense")."""
    return scene.items[at].id in scene.knowledge.words.own or (at > 0 and scene.items[at - 1].kind == "cop")
