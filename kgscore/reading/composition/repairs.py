"""What no sentence can mean: decisions of a model that contradict each other or the words, set right before composition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kgscore.reading.composition.scene import Scene
from kgscore.reading.structure.values import Place, Statement, Structure

_JOINING = frozenset(("and", "comma", "slash"))
# What stands between the first of some places and the noun that they share.
_BEFORE_NOUN = frozenset(("A", "and", "or", "comma", "slash", "sideword"))
_LISTING = _JOINING | {"A", "F", "M", "prep", "stop", "colon"}
_DENYING = frozenset(("absent", "normal"))
# Cues of an examination that shows less than it should.
_HAMPERED = frozenset(("quality", "limitation"))
_BEFORE_QUALITY = frozenset(("stop", "N", "M", "and", "or"))
# What stands between a quality and what is said of it ("the curvature of the cervical spine is lost").
_TO_PREDICATE = frozenset(("A", "prep", "stop", "sideword", "cop"))


def repaired(scene: Scene, structure: Structure) -> Structure:
    """Return a structure without what its words rule out."""
    found: list[Statement] = []
    for one in _losses(scene, structure):
        if scene.items[one.head].kind == "stop" and one.status == "normal" and found:
            found[-1] = found[-1]._replace(places=found[-1].places or one.places)  # "straightening of the normal lordosis"
            continue
        if _of_technique(scene, one) or _valued(scene, structure, one):
            continue
        if _hampers(scene, one):
            one = one._replace(status="none")
        if _only_labels(scene, structure, one) or _bare_place(scene, structure, one) or _said_of_it(scene, structure, one):
            continue
        found.append(_of_it(scene, structure, _at_itself(scene, _noun(scene, structure, _scored(scene, one)))))
    found = [_where_they_are(scene, found, _at_named(scene, _of_its_device(scene, one))) for one in found]
    found = _without_grown(scene, found)
    return tuple(dict.fromkeys(_listed_whole(scene, found, one) for one in found))


def _without_grown(scene: Scene, structure: Sequence[Statement]) -> list[Statement]:
    """Return statements without those of structures found all over that another one says to be large ("nodes are seen, some
    enlarged")."""
    index, grown = scene.knowledge.index, scene.knowledge.words.role("grown")
    saying = [one for one in structure if index.is_a(scene.items[one.head].id, grown)]
    large = {at for one in saying for place in one.places for at in place.items}
    return [one for one in structure if one.head not in large or scene.items[one.head].id not in index.local]


def _at_named(scene: Scene, one: Statement) -> Statement:
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


def _where_they_are(scene: Scene, structure: Sequence[Statement], one: Statement) -> Statement:
    """Return what is said of structures found all over as said of them where they were said to be ("nodes are visible in the
    axillae and the groins, some mildly enlarged")."""
    for other in structure:
        local = scene.items[other.head].kind == "A" and scene.items[other.head].id in scene.knowledge.index.local
        ahead = tuple(p for p in other.places if p.items and max(other.head, *p.items) < one.head and other.head not in p.items)
        repeated = set(one.places) == set(ahead) and scene.items[one.head].adjective
        if local and ahead and other.status == "present" and (repeated or one.places == (Place((other.head,), None),)):
            return one._replace(places=tuple(Place(tuple(sorted((other.head, *p.items))), p.side) for p in ahead))
    return one


def _listed_whole(scene: Scene, structure: Sequence[Statement], one: Statement) -> Statement:
    """Return a statement as said of each member of the list that it is said of, where one between others is left out ("the
    orbits, globes and optic nerves are normal, without enhancement")."""
    own = sorted(at for place in one.places if len(place.items) == 1 for at in place.items)
    if one.status not in _DENYING or len(own) < 2 or len(own) != len(one.places):
        return one
    listed = [place for other in structure if other.status in _DENYING for place in other.places]
    more: list[Place] = []
    for first, last in pairwise(own):
        between = range(first + 1, last)
        if {scene.items[at].kind for at in between} <= {"A", *_JOINING}:
            more += [place for place in listed if len(place.items) == 1 and place.items[0] in between]
    return one._replace(places=tuple(sorted({*one.places, *more}, key=lambda place: place.items))) if more else one


def _scored(scene: Scene, one: Statement) -> Statement:
    """Return what a number is said of as the head of its statement, where that is a finding ("Agatston score 240")."""
    named = [at for at in one.modifiers if scene.items[at].kind == "F" and not scene.items[at].adjective]
    if scene.items[one.head].kind != "num" or len(named) != 1:
        return one
    return one._replace(head=named[0], modifiers=tuple(sorted({*one.modifiers, one.head} - {named[0]})))


def _of_its_device(scene: Scene, one: Statement) -> Statement:
    """Return what is said of the shadow of a device as said of the device ("a stent opacity is seen in the pelvis")."""
    words, at = scene.knowledge.words, one.head - 1
    name = scene.items[one.head].id
    shows = name in words.empty or name in words.flagged("appearances")
    if scene.items[one.head].kind != "F" or not shows or at not in one.modifiers:
        return one
    if scene.items[at].id not in words.devices or scene.items[at].id in words.states:
        return one
    return one._replace(head=at, modifiers=tuple(other for other in one.modifiers if other != at))


def _losses(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which what is lost is said to be ("loss of the normal lordosis", "the normal lordosis of the neck is
    absent"), and not that it is normal."""
    out: list[Statement] = []
    heads = {one.head for one in structure}
    lost = {at: _quality_after(scene, at) for at, item in enumerate(scene.items) if item.kind == "lost"}
    lost = {at: quality for at, quality in lost.items() if quality >= 0}
    for one in structure:
        at = next((at for at, quality in lost.items() if at <= one.head <= quality), -1)
        later = range(one.head, len(scene.items)) if one.status == "normal" else ()
        gone = next((at for at in later if _gone(scene, one, at)), -1)
        if at < 0 and gone >= 0 and gone not in heads:
            out.append(Statement(gone, "present", one.places, tuple(sorted({*one.modifiers} - {gone}))))
        elif at < 0:
            out.append(one)
        elif one.head != at or not any(other.head == at for other in out):
            status = "present" if one.status == "normal" else one.status
            places = tuple(place for place in one.places if lost[at] not in place.items)
            out.append(Statement(at, status, places, tuple(sorted({*one.modifiers, lost[at]} - {at}))))
    return tuple(dict.fromkeys(out))


def _gone(scene: Scene, one: Statement, at: int) -> bool:
    """Whether an item says that the quality that a statement calls normal is not there ("the normal lordosis … is absent")."""
    if scene.items[at].kind != "lost" or not (scene.said(at).startswith(("is ", "are ")) or scene.items[at - 1].kind == "cop"):
        return False
    before = next((other for other in reversed(range(at)) if scene.items[other].kind not in _TO_PREDICATE), -1)
    return before > one.head and before in one.modifiers and scene.items[before].kind == "Q"


def _quality_after(scene: Scene, at: int) -> int:
    """Return the quality of whose phrase an item is the first word, "normal" and adjectives passed over ("absent arterial and
    venous flow"), or -1."""
    after = at + 1
    while after < len(scene.items) and (scene.items[after].kind in _BEFORE_QUALITY or scene.items[after].adjective):
        after += 1
    return after if after < len(scene.items) and scene.items[after].kind == "Q" else -1


def _of_technique(scene: Scene, one: Statement) -> bool:
    """Whether what is normal is the examination itself ("the sequences are adequate")."""
    kinds = {scene.items[at].kind for at in one.modifiers}
    return one.status == "normal" and "drop" in kinds and kinds <= {"drop", "stop", "M"}


def _hampers(scene: Scene, one: Statement) -> bool:
    """Whether what is there is only said to hamper the examination ("streak artifact limits the study", "degraded by motion")."""
    named, words = scene.items[one.head].types.get("F"), scene.knowledge.words
    if named is None or not scene.knowledge.index.is_any(named.id, words.flagged("hampering")):
        return False
    others = (other for at, other in enumerate(scene.items) if at != one.head)
    return named.adjective or any(other.kind == "lost" or other.id in _HAMPERED for other in others)


def _valued(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement only names a quality whose value another one is ("abnormal lumbar curvature is noted")."""
    if scene.items[one.head].kind != "Q" or one.modifiers:
        return False
    return any(one.head in other.modifiers and scene.items[other.head].kind == "abnormal" for other in structure)


def _bare_place(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement says no more than where another one is ("at L4-5, arthrosis on both sides")."""
    if scene.items[one.head].kind != "A" or one.modifiers or any(place.items for place in one.places):
        return False
    return one.status == "present" and any(one.head in place.items for other in structure for place in other.places)


def _said_of_it(scene: Scene, structure: Structure, one: Statement) -> bool:
    """Whether a statement of a structure only repeats what a finding "of" it says of that and of others ("no enlargement of the
    axillary or inguinal nodes")."""
    nouns = _nouns_of(scene, one) if scene.items[one.head].kind == "A" else []
    said = [other for other in structure if other.head in nouns and other.status == one.status]
    return any(one.head in place.items for other in said for place in other.places)


def _at_itself(scene: Scene, one: Statement) -> Statement:
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


def _of_it(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return what is said of a structure that heads a statement by a finding "of" it as a statement of the finding ("no
    enlargement of the right hilar nodes")."""
    nouns = _nouns_of(scene, one)
    if scene.items[one.head].kind != "A" or len(nouns) != 1 or any(other.head == nouns[0] for other in structure):
        return one
    places = tuple(place if place.items else Place((one.head,), place.side) for place in one.places)
    status = "present" if one.status == "presupposed" else one.status
    modifiers = tuple(at for at in one.modifiers if at != nouns[0])
    return Statement(nouns[0], status, places or (Place((one.head,), None),), modifiers, one.names)


def _noun(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return what is said of a quality by a finding among its modifiers as a statement of the finding ("kyphotic reversal of
    the cervical curvature")."""
    if scene.items[one.head].kind != "Q":
        return one
    heads = {other.head for other in structure}
    nouns = [at for at in one.modifiers if scene.items[at].kind == "F" and not scene.items[at].adjective and at not in heads]
    if len(nouns) != 1 or any(scene.items[at].kind in ("up", "down", "lost") for at in one.modifiers):
        return one
    return one._replace(head=nouns[0], modifiers=tuple(at for at in one.modifiers if at != nouns[0]))


def _in_label(scene: Scene, at: int) -> bool:
    return scene.items[at].start < scene.spoken


def _lists(scene: Scene, kinds: str) -> bool:
    """Whether the label lists several things of some kinds."""
    label = [item.kind for at, item in enumerate(scene.items) if _in_label(scene, at)]
    return not _JOINING.isdisjoint(label) and _LISTING.issuperset(label) and sum(kind in kinds for kind in label) > 1


def _only_labels(scene: Scene, structure: Structure, one: Statement) -> bool:
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
