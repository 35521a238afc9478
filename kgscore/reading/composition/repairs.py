"""Repairs of impossible structures before composition: decisions of the model that contradict each other or the words."""

from __future__ import annotations

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

_JOINING = frozenset(("and", "comma", "slash"))
# Kinds of items between the first of several sites and their shared noun.
_BEFORE_NOUN = frozenset((ANATOMY, "and", "or", "comma", "slash", "sideword"))
_LISTING = _JOINING | {ANATOMY, FINDING, DESCRIPTOR, "prep", "stop", "colon"}
# Cues of a limited examination.
_HAMPERED = frozenset(("quality", "limitation"))


def hampering(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement that only names a limitation of the examination with status none ("streak artifact limits the study",
    "degraded by motion")."""
    named, words = scene.items[one.head].types.get(FINDING), scene.knowledge.words
    if named is None or not scene.knowledge.index.is_any(named.id, words.flagged("hampering")):
        return one
    others = (other for at, other in enumerate(scene.items) if at != one.head)
    told = named.adjective or any(other.kind == "lost" or other.id in _HAMPERED for other in others)
    return one._replace(status="none") if told else one


def at_itself(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement headed by a structure with adjectives as one at each of the sites directly before it ("calcified
    mediastinal and hilar lymph ...")."""
    adjectives = any(scene.items[at].kind == FINDING and scene.items[at].adjective for at in one.modifiers)
    if scene.items[one.head].kind != ANATOMY or not (adjectives or _nouns_of(scene, one)):
        return one

    specific, name = scene.knowledge.index.specific, scene.items[one.head].id

    def within(place: Place) -> Place:
        own = tuple(at for at in place.items if at < one.head)
        between = scene.items[own[0] : one.head] if own else []
        named = between and all(item.kind in _BEFORE_NOUN for item in between) and specific(name, between[0].id) is not None
        return Place((*own, one.head), place.side) if named else place

    return one._replace(places=tuple(map(within, one.places)))


def at_named(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement under a label of several structures as one about the structure that it names again, or its part
    ("Kidneys and ureters: the right kidney is small")."""
    index = scene.knowledge.index
    label = [at for at, item in enumerate(scene.items) if item.kind == ANATOMY and _in_label(scene, at)]
    if len(label) < 2 or _in_label(scene, one.head) or not _lists(scene, ANATOMY):
        return one

    def again(at: int) -> bool:
        item = scene.items[at]
        return item.kind == ANATOMY and at not in label and any(index.inside(item.id, scene.items[other].id) for other in label)

    named = [place for place in one.places if any(map(again, place.items))]
    if not named:
        return one
    places = (Place(tuple(at for at in place.items if at not in label), place.side) for place in one.places)
    return one._replace(places=tuple(dict.fromkeys(place for place in places if place.items)))


def of_its_device(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement about the shadow of a device as one about the device ("a stent opacity is seen in the pelvis")."""
    words, at = scene.knowledge.words, one.head - 1
    name = scene.items[one.head].id
    shows = name in words.empty or name in words.flagged("appearances")
    if scene.items[one.head].kind != FINDING or not shows or at not in one.modifiers:
        return one
    if scene.items[at].id not in words.devices or scene.items[at].id in words.states:
        return one
    return one._replace(head=at, modifiers=tuple(other for other in one.modifiers if other != at))


def scored(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement headed by a number with the finding it quantifies as its head ("Agatston score 240")."""
    named = [at for at in one.modifiers if scene.items[at].kind == FINDING and not scene.items[at].adjective]
    if scene.items[one.head].kind != "num" or len(named) != 1:
        return one
    return one._replace(head=named[0], modifiers=tuple(sorted({*one.modifiers, one.head} - {named[0]})))


def _nouns_of(scene: ParsedSentence, one: Statement) -> list[int]:
    """Return the findings among the modifiers that are "of" the head of a statement ("enlargement of the right hilar nodes")."""
    items = scene.items
    nouns = (at for at in one.modifiers if at < one.head and items[at].kind == FINDING and not items[at].adjective)
    return [at for at in nouns if items[at + 1].kind == "prep"]


def _in_label(scene: ParsedSentence, at: int) -> bool:
    return scene.items[at].start < scene.spoken


def _lists(scene: ParsedSentence, kinds: str) -> bool:
    """Whether the label lists several things of some kinds."""
    label = [item.kind for at, item in enumerate(scene.items) if _in_label(scene, at)]
    return not _JOINING.isdisjoint(label) and _LISTING.issuperset(label) and sum(kind in kinds for kind in label) > 1


def only_labels(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a finding is only the label of such findings in its line ("Free fluid: no ascites"), or a member of a list in a
    label ("Nodes and masses: …")."""
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


def denied_with_normal(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a normal word also applies to the finding directly before it that ends the list of its
    subjects ("bladder volume and wall thickening are within normal limits")."""
    ends: set[int] = set()
    for one in structure:
        at = one.head - 1
        while at > 1 and scene.items[at].kind in ("cop", "stop"):
            at -= 1
        if one.status != "normal" or scene.items[one.head].kind != NORMAL or not 1 < at < one.head - 1:
            continue
        listed = {*one.modifiers, *(part for place in one.places for part in place.items)}
        if scene.items[at].kind == FINDING and scene.items[at - 1].kind == "and" and at - 2 in listed:
            ends.add(at)
    said = {one.head for one in structure if one.modifiers or one.names or any(place.items for place in one.places)}
    plain = {at for at in ends - said if not scene.items[at].adjective}
    return tuple(one._replace(status="absent") if one.head in plain else one for one in structure)
