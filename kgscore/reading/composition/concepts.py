"""The concepts that a statement of a structure names: findings, deviations of qualities, values, or what a normal word denies."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition import compound_terms as terms
from kgscore.reading.composition.compound_terms import NamedConcept, findings_named
from kgscore.reading.composition.descriptors import LARGEST, MOVED, comparative_change, direction_since, is_graded, is_limiting
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ASSERTED, ParsedSentence, follows_nothing, of_whole
from kgscore.reading.composition.qualities import (
    DEVIATION,
    denied_deviation,
    deviation,
    other_way,
    qualities_of,
    quality_id,
    signals,
    signals_on,
)
from kgscore.reading.composition.sizes import sizes_of
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.measurement import bounded
from kgscore.reading.mentions import Mention
from kgscore.reading.normal_ranges import Meaning, NormalRange
from kgscore.reading.structure.values import Statement

_SURGERY = re.compile(r"(?:surgery|operation)\Z", re.IGNORECASE)  # an operation named by its indication
# The roles of the directions of a structure without a quality.
_DEVIATING = {"up": "grown", "down": "shrunken", "lost": "effaced", "abnormal": "any_abnormality"}
_LEVELS = {"low": "lowered", "lower": "lowered", "high": "raised", "higher": "raised"}
_VALUES = ("signalword", "up", "down", "lost", "abnormal")
_CHANGED = {"increased": "up", "decreased": "down"}  # changes that are values of a quality ("the disc has decreased T2 signal")
_OF_QUALITY = {**_CHANGED, "resolved": "lost"}  # the same for a quality: one that has disappeared is lost
_AT_MOST = re.compile(rf"\b(?:up to|as (?:much|wide) as)\s*\Z|{LARGEST.pattern}")  # "up to 16 mm", "the largest measuring 16 mm"
_NOUN_OF_CHANGE = re.compile(r"(?:increase|decrease|reduction) (?:in|of)\b")
# Wordings for something seen or not seen ("visible nodes", "are not seen").
_SHOWN = re.compile(
    r"contain|visible|free of"
    r"|(?:is|are|was|were|not|no|could|cannot)\b.*\b(?:seen|shown|visible|visuali[sz]ed|identified|displayed)\Z"
)
_PRESENT = re.compile(r"\b(?:present|in place)\b")

_OF_NODE = frozenset((DESCRIPTOR, "stop", "change", "less", "greater", "cop"))  # kinds of modifiers of a node that is only seen
# Wordings for a value that is not abnormal ("the density is not increased").
_NOT_MOVED = re.compile(r"not (?:\w+ly )?(?:(increased|raised|elevated)|decreased|reduced|diminished|lowered)\Z")
_ALTERED = re.compile(r"(?:has |have )?(?:changed|altered)\Z")


def named_concepts(scene: ParsedSentence, statement: Statement, place: Location) -> list[NamedConcept]:
    """Return the concepts that a statement names."""
    item, normal = scene.items[statement.head], statement.status == "normal"
    may_be = normal and item.kind != "change" and (NORMAL in item.types or item.id in scene.flagged("normal_for"))
    if item.kind == NORMAL or may_be:
        return _normal(scene, statement, item)
    if item.kind == FINDING and not (normal and _is_sound(scene, statement, item)):
        return _of_finding(scene, statement, item, place)
    found = _described(scene, statement, item, place) if item.kind == DESCRIPTOR else []
    if _at_site(place):
        found = found or _unmoved(scene, statement, item) or _whole(scene, statement, item)
    return found or (_without(scene, statement, item) if normal else _named(scene, statement, item, place))



def _is_sound(scene: ParsedSentence, statement: Statement, item: Mention) -> bool:
    return item.adjective and bool(statement.places) and not scene.index.is_a(item.id, scene.role("any_abnormality"))


def _at_site(place: Location) -> bool:
    return bool(place.sites) and not place.bearers


def _named(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a word of no finding names: a value, a size, a structure, or with a noun that it shares."""
    valued = item.kind in _VALUES or "signalword" in item.types or (item.id in _OF_QUALITY and qualities_of(scene, statement))
    if valued and (found := _value(scene, statement, item, place)):
        return found
    if item.kind == QUALITY:
        return _quality(scene, statement, item)
    if item.kind == DESCRIPTOR and not place.bearers and (found := _sized(scene, statement, item, place)):
        return found
    if entry := terms.finding_of(scene, statement, item):
        return findings_named((entry.id,), item, terms.shared_in(scene, statement, entry))
    if item.kind == "stop":
        return findings_named(filter(None, (_of_filler(scene, statement),)), item)
    if item.kind == ANATOMY:
        return _of_structure(scene, statement, item)
    return _changed(scene, statement, item) if _at_site(place) else []


def _of_filler(scene: ParsedSentence, statement: Statement) -> str | None:
    """Return the finding that other words than terms name ("after renal tumour surgery", "a focus of high attenuation")."""
    operated = _SURGERY.match(scene.said(statement.head))
    return scene.role("operated") if operated else terms.finding_of_modifier(scene, statement)


def _of_finding(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a finding with the words around it: its signal on a sequence, the kind of a deviation."""
    if named_by := signals(scene, statement, item):
        return findings_named(named_by, item)
    empty = item.id in scene.vocabulary.empty
    if empty and (shown := terms.signals_of_modifiers(scene, statement, item)):
        return shown
    own = terms.finding_of_modifier(scene, statement) if empty else terms.abnormal_of(scene, statement, item, place)
    own = own or denied_deviation(scene, statement, item)

    concept, part = (own, None) if own else terms.specific(scene, statement)
    if concept == scene.role("thickened") and terms.is_of_wall(scene, statement):
        concept = scene.role("wall_thickened")
    return findings_named((concept,), item, part)


def _whole(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a predicate of a whole structure: absent, not seen, abnormal."""
    role, said = of_whole(scene, statement.head), [scene.said(at) for at in range(statement.head, len(scene.items))]
    if (item.kind, statement.status) == ("seen", "normal") and _PRESENT.search(said[0]):
        role = "missing"  # "both ovaries are present": none is absent
    if role == "missing" and any(map(_SURGERY.match, said[1:])):
        role = "removed"  # "absence of the right upper lobe following surgery"
    return findings_named(map(scene.role, filter(None, (role,))), item)


def _sized(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a word of size for a structure or its qualities ("the heart is not large")."""
    if item.id not in scene.flagged("size_values") and DIRECTIONS.isdisjoint(item.types):
        return []
    small = "down" in item.types or item.id in scene.flagged("little")
    turn = "lost" if "lost" in item.types else "down" if small else "up"
    values = scene.vocabulary.qualities
    valued = _of_qualities(scene, statement, lambda name: values.get(name, {}).get(turn), item)
    # "lung markings are prominent"
    return valued or ([NamedConcept(QUALITY, scene.role(_DEVIATING[turn]), item)] if place.sites else [])


def _changed(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of an interval change of the size of a structure ("the heart has become larger")."""
    changed = comparative_change(scene, statement.head) or (item.id if item.kind == "change" else "")
    if changed not in _CHANGED:
        return []
    way = direction_since(scene, statement.head, _CHANGED[changed])
    dev = deviation(scene, scene.role("overall_size"), way)
    return [NamedConcept(QUALITY, dev, item, None, item)] if dev else []


def _unmoved(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the deviations that a word denies ("the density is not increased"), or a change ("the heart has changed")."""
    said, since = scene.said(statement.head), scene.kind(statement.head + 1) == "past"
    if item.kind == "abnormal" and _ALTERED.match(said) and (since or scene.kind(statement.head - 1) == "have"):
        return [] if qualities_of(scene, statement) else findings_named((scene.role("altered"),), item)
    denied = _NOT_MOVED.match(said) if item.kind == "change" and not since else None
    return _deviations(scene, statement, "up" if denied[1] else "down", item) if denied else []


def _deviations(scene: ParsedSentence, statement: Statement, way: str | None, item: Mention | None = None) -> list[NamedConcept]:
    return _of_qualities(scene, statement, lambda name: deviation(scene, name, way), item)


def _of_qualities(
    scene: ParsedSentence, statement: Statement, of: Callable[[str], str | None], item: Mention | None
) -> list[NamedConcept]:
    qualities = qualities_of(scene, statement)
    return [NamedConcept(QUALITY, name, one, quality_id(one), item) for one in qualities if (name := of(quality_id(one)))]


def _of_structure(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concepts of a structure that heads a statement ("nodes: enlarged", "abnormal liver signal")."""
    told = (at for at in statement.modifiers if not is_limiting(scene, at))
    moved = next(filter(MOVED.__contains__, scene.kinds_at(told)), "")
    if adjective := terms.adjective_of(scene, statement):
        return findings_named((adjective.id,), adjective)
    if moved in ("up", "down") and statement.status == "present":
        return [NamedConcept(QUALITY, scene.role(_DEVIATING[moved]), item)]
    if bounded_size := of_bounded_size(scene, statement, item):
        return bounded_size
    if noun := terms.after_label(scene, statement):
        return findings_named((noun.id,), noun)
    visible = not moved and _is_visible_node(scene, statement, item)
    return findings_named((scene.role("visible_node"),) if visible else (), item)


def _is_visible_node(scene: ParsedSentence, statement: Statement, item: Mention) -> bool:
    """Whether a statement is that lymph nodes can be seen ("several nodes are visible in the left axilla")."""
    if statement.status not in ("present", "absent") or not _OF_NODE.issuperset(scene.kinds_at(statement.modifiers)):
        return False
    if not scene.index.is_a(item.id, scene.role("any_lymph_node")):
        return False
    listed = scene.kind(statement.head - 1) == "colon"  # "RIGHT AXILLA: lymph nodes"
    shown = bool(statement.placed) and "have" in scene.run(0, statement.head)  # "the axilla demonstrates a lymph node"
    stable = "stable" in scene.ids(statement.modifiers)  # "stable axillary lymph nodes"
    told = (_SHOWN.match(scene.said(at)) for at in range(len(scene.items)))
    return listed or shown or stable or "seen" in scene.kinds or any(told)


def of_bounded_size(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept given by a bound of the size of a structure, or by that of the largest ("nodes under 1 cm")."""
    limit = scene.vocabulary.limits.get(item.id)
    if limit is None:
        return []
    for at in scene.of_kind("meas", statement.modifiers):
        start = scene.items[at].start
        before = scene.text[max(0, start - 30) : start].lower()
        most = _AT_MOST.search(before) is not None
        bound = "<=" if most else bounded(before, scene.vocabulary.units)
        sizes = sizes_of(scene, at, "length")
        if sizes and bound:
            told = _meaning(limit, bound, sizes, most=most, asserted=statement.status in ASSERTED)
            return findings_named((name for said, name in told[:1] if said == FINDING), item, None if most else at)
    return []


def _meaning(limit: NormalRange, bound: str, sizes: list[float], *, most: bool, asserted: bool) -> Meaning:
    """Return the meaning of a bound of a size, or of the largest size."""
    if bound[0] == ">":
        return limit.beyond if min(sizes) >= limit.normal else ()
    if asserted and max(sizes) <= (limit.abnormal if bound == "<" else limit.normal):
        return limit.within
    return limit.beyond if most and min(sizes) >= limit.abnormal else ()


def _described(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a descriptor of a structure denies or asserts ("Nothing acute", "the liver is heterogeneous")."""
    asserted = statement.status in ASSERTED
    if statement.status == "absent" and follows_nothing(scene, statement.head):
        everything = scene.role("all_acute" if item.id == scene.role("acutely") else "any_abnormality")
        return findings_named((item.types[FINDING].id if FINDING in item.types else everything,), item)
    if asserted and item.id == scene.role("like_tissue"):
        return findings_named(terms.isointensities(scene, statement), item)
    if _at_site(place) and item.id in scene.flagged("reads_midline"):
        return [NamedConcept(NORMAL, scene.role("at_midline"), item)]
    names = scene.flagged("predicated") if asserted and _at_site(place) else ()
    return findings_named((name for name in names if item.id in scene.index.features.get(name, ())), item)


def _without(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the deviations that are denied by a quality in a normal statement ("maintains a physiological curvature"), or by
    one that can be lost and is seen."""
    if item.kind == "seen":
        qualities = scene.vocabulary.qualities
        return [one for one in _deviations(scene, statement, None) if "lost" in qualities.get(one.quality or "", {})]
    dev = deviation(scene, item.id, "down" if is_graded(scene, statement) else None) if item.kind == QUALITY else None
    return [NamedConcept(QUALITY, dev, item, item.id)] if dev else []


def _normal(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return what a normal word denies: the deviation of each quality ("Normal in size and shape"), or its own ("clear")."""
    if shown := terms.implied_finding(scene, item):
        return findings_named((shown,), item)
    denied = _deviations(scene, statement, None) or _things(scene, statement)
    plain, said = scene.role("plain_normal"), scene.words(statement.head)
    if denied:
        # "Normal in size", a single form of the lexicon, "and contour".
        whole = item.last > item.first and not {"in", "normal"}.isdisjoint(said) and item.id not in scene.flagged("bare_normals")
        return [NamedConcept(NORMAL, item.id, item), *denied] if whole else denied

    word = item if item.kind == NORMAL else item.types.get(NORMAL)
    return [NamedConcept(NORMAL, word.id if word else plain, item)]


def _things(scene: ParsedSentence, statement: Statement) -> list[NamedConcept]:
    """Return the finding denied by a plain normal word directly before it ("normal radiolucency")."""
    after = statement.head + 1
    if scene.items[statement.head].id != scene.role("plain_normal") or after not in statement.modifiers:
        return []
    thing = scene.items[after]
    return [NamedConcept(QUALITY, thing.id, thing, thing.id)] if thing.kind == FINDING else []


def _value(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a value: of a signal on each sequence, of each quality, or of the structure itself."""
    direction = next(filter(item.types.__contains__, DEVIATION), _OF_QUALITY.get(item.id, ""))
    way = item.types["signalword"].id if "signalword" in item.types else direction
    if way in MOVED and (names := signals_on(scene, statement, way) or other_way(scene, statement.head, way)):
        return findings_named(names, item)
    found = _deviations(scene, statement, direction_since(scene, statement.head, way), item)
    if found or item.kind == "signalword" or (place.bearers and direction in MOVED):
        return found
    return _of_direction(scene, statement, item, direction if place.sites or scene.label else "")


def _of_direction(scene: ParsedSentence, statement: Statement, item: Mention, direction: str) -> list[NamedConcept]:
    """Return the concept of a direction by itself: a finding ("irregular markings"), or the deviation of a structure."""
    if FINDING in item.types:
        return findings_named((item.types[FINDING].id,), item)
    if not direction:
        return []
    role = _LEVELS.get(scene.said(statement.head).split()[0], _DEVIATING[direction])
    return [NamedConcept(QUALITY, scene.role(role), item, None, item)]


def _quality(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a quality that is present or absent, or has its value beside it ("Flow is absent")."""
    at = next((at for at in statement.modifiers if _directs(scene, at, statement.head)), -1)
    if at < 0:
        return _existing(scene, statement, item)
    word, way = scene.items[at], _direction_of(scene.items[at])
    concept = deviation(scene, item.id, way)
    # "decreased mineralization", "mineralization is decreased"
    valued = way == "abnormal" or word.start < item.start or scene.kind(at - 1) == "cop"
    return [NamedConcept(QUALITY, concept, item, item.id, word if valued else None)] if concept else []


def _direction_of(word: Mention) -> str:
    """Return the direction of the value of a quality; a finding is "abnormal" ("abnormal lumbar curvature")."""
    return "abnormal" if word.kind == FINDING else _CHANGED.get(word.id, word.kind)


def _directs(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a modifier is the value of a quality: a direction, or a noun of change before it ("an increase in")."""
    of_change = scene.kind(at) == "change" and at < head and _NOUN_OF_CHANGE.match(scene.said(at)) is not None
    return of_change or scene.kind(at) in DIRECTIONS or scene.items[at].id == scene.role("any_abnormality")


def _existing(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a quality without a value: its loss, or for a denial any deviation ("no abnormal signal")."""
    values = scene.vocabulary.qualities.get(item.id, {})
    if "lost" in values:
        return [NamedConcept(QUALITY, values["lost"], item, item.id)]
    denied = values.get("dev", "") if statement.status in ("absent", "unlikely") else ""
    return [NamedConcept(QUALITY, denied, item, item.id, item)] if denied else []
