"""What no sentence can mean: decisions of a model that contradict each other or the words, set right before composition."""

from __future__ import annotations

from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

_JOINING = frozenset(("and", "comma", "slash"))
_LISTING = _JOINING | {"A", "F", "M", "prep", "stop", "colon"}
# Cues of an examination that shows less than it should.
_HAMPERED = frozenset(("quality", "limitation"))


def hampering(scene: ParsedSentence, one: Statement) -> Statement:
    """Return what is only said to hamper the examination as no finding ("streak artifact limits the study", "degraded by
    motion")."""
    named, words = scene.items[one.head].types.get("F"), scene.knowledge.words
    if named is None or not scene.knowledge.index.is_any(named.id, words.flagged("hampering")):
        return one
    others = (other for at, other in enumerate(scene.items) if at != one.head)
    told = named.adjective or any(other.kind == "lost" or other.id in _HAMPERED for other in others)
    return one._replace(status="none") if told else one


def at_named(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement under a label that lists several structures as said of the one that it names again, or of its part
    ("Kidneys and ureters: the right kidney is small")."""
    index = scene.knowledge.index
    label = [at for at, item in enumerate(scene.items) if item.kind == "A" and _in_label(scene, at)]
    if len(label) < 2 or _in_label(scene, one.head) or not _lists(scene, "A"):
        return one

    def again(at: int) -> bool:
        item = scene.items[at]
        return item.kind == "A" and at not in label and any(index.inside(item.id, scene.items[other].id) for other in label)

    named = [place for place in one.places if any(map(again, place.items))]
    if not named:
        return one
    places = (Place(tuple(at for at in place.items if at not in label), place.side) for place in one.places)
    return one._replace(places=tuple(dict.fromkeys(place for place in places if place.items)))


def of_its_device(scene: ParsedSentence, one: Statement) -> Statement:
    """Return what is said of the shadow of a device as said of the device ("a stent opacity is seen in the pelvis")."""
    words, at = scene.knowledge.words, one.head - 1
    name = scene.items[one.head].id
    shows = name in words.empty or name in words.flagged("appearances")
    if scene.items[one.head].kind != "F" or not shows or at not in one.modifiers:
        return one
    if scene.items[at].id not in words.devices or scene.items[at].id in words.states:
        return one
    return one._replace(head=at, modifiers=tuple(other for other in one.modifiers if other != at))


def scored(scene: ParsedSentence, one: Statement) -> Statement:
    """Return what a number is said of as the head of its statement, where that is a finding ("Agatston score 240")."""
    named = [at for at in one.modifiers if scene.items[at].kind == "F" and not scene.items[at].adjective]
    if scene.items[one.head].kind != "num" or len(named) != 1:
        return one
    return one._replace(head=named[0], modifiers=tuple(sorted({*one.modifiers, one.head} - {named[0]})))


def _in_label(scene: ParsedSentence, at: int) -> bool:
    return scene.items[at].start < scene.spoken


def _lists(scene: ParsedSentence, kinds: str) -> bool:
    """Whether the label lists several things of some kinds."""
    label = [item.kind for at, item in enumerate(scene.items) if _in_label(scene, at)]
    return not _JOINING.isdisjoint(label) and _LISTING.issuperset(label) and sum(kind in kinds for kind in label) > 1


def only_labels(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a finding only is the label of what its line says of such findings ("Free fluid: no ascites"), or one of the things
    that a label lists ("Nodes and masses: …")."""
    said = [scene.items[other.head].id for other in structure if not _in_label(scene, other.head)]
    verb = any(item.kind in ("have", "seen", "cop") and _in_label(scene, at) for at, item in enumerate(scene.items))
    if not said or verb or not _in_label(scene, one.head):
        return False
    if _lists(scene, "AF"):
        return True
    if one.modifiers or any(_in_label(scene, at) for place in one.places for at in place.items):
        return False
    is_a, name = scene.knowledge.index.is_a, scene.items[one.head].id
    return any(is_a(other, name) or is_a(name, other) for other in said)
