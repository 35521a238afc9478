"""What no sentence can mean: decisions of a model that contradict each other or the words, set right before composition."""

from __future__ import annotations

from kgscore.reading.composition.scene import Scene
from kgscore.reading.structure.values import Place, Statement, Structure

_JOINING = frozenset(("and", "comma", "slash"))
# What stands between the first of some places and the noun that they share.
_BEFORE_NOUN = frozenset(("A", "and", "or", "comma", "slash", "sideword"))
_LISTING = _JOINING | {"A", "F", "M", "prep", "stop", "colon"}
# Cues of an examination that shows less than it should.
_HAMPERED = frozenset(("quality", "limitation"))


def straightened(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which a curve that is straightened has the place of the normal one ("straightening of the normal
    lordosis")."""
    found: list[Statement] = []
    for one in structure:
        if scene.items[one.head].kind == "stop" and one.status == "normal" and found:
            found[-1] = found[-1]._replace(places=found[-1].places or one.places)
        else:
            found.append(one)
    return tuple(found)


def of_technique(scene: Scene, one: Statement) -> bool:
    """Whether what is normal is the examination itself ("the sequences are adequate")."""
    kinds = {scene.items[at].kind for at in one.modifiers}
    return one.status == "normal" and "drop" in kinds and kinds <= {"drop", "stop", "M"}


def hampering(scene: Scene, one: Statement) -> Statement:
    """Return what is only said to hamper the examination as no finding ("streak artifact limits the study", "degraded by
    motion")."""
    named, words = scene.items[one.head].types.get("F"), scene.knowledge.words
    if named is None or not scene.knowledge.index.is_any(named.id, words.flagged("hampering")):
        return one
    others = (other for at, other in enumerate(scene.items) if at != one.head)
    told = named.adjective or any(other.kind == "lost" or other.id in _HAMPERED for other in others)
    return one._replace(status="none") if told else one


def valued(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement only names a quality whose value another one is ("abnormal lumbar curvature is noted")."""
    if scene.items[one.head].kind != "Q" or one.modifiers:
        return False
    return any(one.head in other.modifiers and scene.items[other.head].kind == "abnormal" for other in structure)


def bare_place(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement says no more than where another one is ("at L4-5, arthrosis on both sides")."""
    if scene.items[one.head].kind != "A" or one.modifiers or any(place.items for place in one.places):
        return False
    return one.status == "present" and any(one.head in place.items for other in structure for place in other.places)


def said_of_it(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement of a structure only repeats what a finding "of" it says of that and of others ("no enlargement of the
    axillary or inguinal nodes")."""
    nouns = _nouns_of(scene, one) if scene.items[one.head].kind == "A" else []
    said = [other for other in structure if other.head in nouns and other.status == one.status]
    return any(one.head in place.items for other in said for place in other.places)


def at_itself(scene: Scene, one: Statement) -> Statement:
    """Return what adjectives say of a structure that heads a statement as said of it at each place right before it ("calcified
    mediastinal and hilar lymph ...")."""
    adjectives = any(scene.items[at].kind == "F" and scene.items[at].adjective for at in one.modifiers)
    if scene.items[one.head].kind != "A" or not (adjectives or _nouns_of(scene, one)):
        return one

    specific, name = scene.knowledge.index.specific, scene.items[one.head].id

    def within(place: Place) -> Place:
        own = tuple(at for at in place.items if at < one.head)
        between = scene.items[own[0] : one.head] if own else []
        named = between and all(item.kind in _BEFORE_NOUN for item in between) and specific(name, between[0].id) is not None
        return Place((*own, one.head), place.side) if named else place

    return one._replace(places=tuple(map(within, one.places)))


def _nouns_of(scene: Scene, one: Statement) -> list[int]:
    """Return the findings among the modifiers that are "of" what heads a statement ("enlargement of the right hilar nodes")."""
    items = scene.items
    nouns = (at for at in one.modifiers if at < one.head and items[at].kind == "F" and not items[at].adjective)
    return [at for at in nouns if items[at + 1].kind == "prep"]


def _in_label(scene: Scene, at: int) -> bool:
    return scene.items[at].start < scene.spoken


def _lists(scene: Scene, kinds: str) -> bool:
    """Whether the label lists several things of some kinds."""
    label = [item.kind for at, item in enumerate(scene.items) if _in_label(scene, at)]
    return not _JOINING.isdisjoint(label) and _LISTING.issuperset(label) and sum(kind in kinds for kind in label) > 1


def only_labels(scene: Scene, structure: Structure, one: Statement) -> bool:
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
