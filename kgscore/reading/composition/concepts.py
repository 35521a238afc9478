"""The concepts that a statement of a structure names: findings, deviations of qualities, values, or what a normal word denies."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition import compound_terms as terms
from kgscore.reading.composition.compound_terms import NamedConcept, findings_named
from kgscore.reading.composition.descriptors import LARGEST, MOVED, is_limiting
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ParsedSentence, follows_nothing, of_whole
from kgscore.reading.composition.qualities import DEVIATION, denied_deviation, deviation, qualities_of, quality_id
from kgscore.reading.composition.signals import on_sequences, other_way, signals, signals_on
from kgscore.reading.composition.temporality import GRADED, comparative_change, direction_since
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.normal_ranges import Meaning, NormalRange
from kgscore.reading.structure.values import Statement

# An operation named by its indication.
_SURGERY = re.compile(r"(?:surgery|operation)\Z", re.IGNORECASE)
# The roles of the directions of a structure without a quality.
_DEVIATING = {"up": "grown", "down": "shrunken", "lost": "effaced", "abnormal": "any_abnormality"}
_LEVELS = {"low": "lowered", "lower": "lowered", "high": "raised", "higher": "raised"}
_VALUES = ("signalword", "up", "down", "lost", "abnormal")
# Changes that are values of a quality ("the disc has decreased T2 signal").
_CHANGED = {"increased": "up", "decreased": "down"}
# The same for a quality: one that has disappeared is lost.
_OF_QUALITY = {**_CHANGED, "resolved": "lost"}
_NOUN_OF_CHANGE = re.compile(r"(?:increase|decrease|reduction) (?:in|of)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_REACHING = re.compile(r"\b(?:up to|as (?:much|wide) as)\s*\Z")
# Wordings for something seen or not seen ("visible nodes", "are not seen").
_SHOWN = re.compile(
    r"contain|visible|free of"
    r"|(?:is|are|was|were|not|no|could|cannot)\b.*\b(?:seen|shown|visible|visuali[sz]ed|identified|displayed)\Z"
)
_PRESENT = re.compile(r"\b(?:present|in place)\b")
_ASSERTED = ("present", "possible", "probable")
# Kinds of modifiers of a node that is only seen.
_OF_NODE = frozenset((DESCRIPTOR, "stop", "change", "less", "greater", "cop"))
# Wordings for a value that is not abnormal ("the density is not increased").
_NOT_MOVED = re.compile(r"not (?:\w+ly )?(?:increased|decreased|reduced|diminished|lowered|raised|elevated)\Z")
_ALTERED = re.compile(r"(?:has |have )?(?:changed|altered)\Z")


def named_concepts(scene: ParsedSentence, statement: Statement, place: Location) -> list[NamedConcept]:
    """Return the concepts that a statement names."""
    item, words, normal = scene.items[statement.head], scene.knowledge.words, statement.status == "normal"
    may_be = normal and item.kind != "change" and (NORMAL in item.types or item.id in words.flagged("normal_for"))
    if item.kind == NORMAL or may_be:
        return _normal(scene, statement, item)
    if item.kind == FINDING and not (normal and _is_sound(scene, statement, item)):
        return _of_finding(scene, statement, item, place)
    if item.kind == DESCRIPTOR and (found := _described(scene, statement, item, place)):
        return found
    if _at_site(place) and (found := _unmoved(scene, statement, item) or _whole(scene, statement, item)):
        return found
    return _without(scene, statement, item, place) if normal else _named(scene, statement, item, place)


def _is_sound(scene: ParsedSentence, statement: Statement, item: Mention) -> bool:
    """Whether an adjective of structures names no abnormality."""
    any_abnormality = scene.knowledge.words.role("any_abnormality")
    return item.adjective and bool(statement.places) and not scene.knowledge.index.is_a(item.id, any_abnormality)


def _at_site(place: Location) -> bool:
    """Whether a place has sites, and not only those of another finding."""
    return bool(place.sites) and not place.bearers


def _named(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a word of no finding names: a value, a size, a structure, or with a noun that it shares."""
    kind = item.kind
    if _is_value(scene, statement, item) and (found := _value(scene, statement, item, place)):
        return found
    if kind == QUALITY:
        return _quality(scene, statement, item)
    if kind == DESCRIPTOR and not place.bearers and (found := _sized(scene, statement, item, place)):
        return found
    if (entry := terms.finding_of(scene, statement, item)) is not None:
        return findings_named((entry.id,), item, terms.shared_in(scene, statement, entry))
    if kind == "stop" and _SURGERY.match(scene.said(statement.head)):
        return findings_named((scene.knowledge.words.role("operated"),), item)  # "after renal tumour surgery"
    if kind == "stop" and (own := terms.finding_of_modifier(scene, statement)):
        return findings_named((own,), item)  # "there is a focus of high attenuation"
    if kind == ANATOMY:
        return _of_structure(scene, statement, item, place)
    return _changed(scene, statement, item) if _at_site(place) else []


def _is_value(scene: ParsedSentence, statement: Statement, item: Mention) -> bool:
    changed = item.id in _OF_QUALITY and bool(qualities_of(scene, statement))
    return changed or item.kind in _VALUES or "signalword" in item.types


def _of_finding(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a finding with the words around it: its signal on a sequence, the kind of a deviation."""
    words = scene.knowledge.words
    if named_by := signals(scene, statement, item):
        return findings_named(named_by, item)
    empty = item.id in words.empty
    if empty and (shown := terms.signals_of_modifiers(scene, statement, item)):
        return shown
    own = terms.finding_of_modifier(scene, statement) if empty else terms.abnormal_of(scene, statement, item, place)
    own = own or denied_deviation(scene, statement, item)
    if own and (named_by := on_sequences(scene, statement, own)):
        return findings_named(named_by, item)
    concept, part = (own, None) if own else terms.specific(scene, statement)
    walled = concept == words.role("thickened") and terms.is_of_wall(scene, statement)
    return findings_named((words.role("wall_thickened") if walled else concept,), item, part)


def _whole(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a predicate of a whole structure: absent, not seen, abnormal."""
    role = of_whole(scene, statement.head)
    if item.kind == "seen" and statement.status == "normal" and _PRESENT.search(scene.said(statement.head)):
        role = "missing"  # "both ovaries are present": none is absent
    if role == "missing" and any(_SURGERY.match(scene.said(at)) for at in range(statement.head + 1, len(scene.items))):
        role = "removed"  # "absence of the right upper lobe following surgery"
    return findings_named((scene.knowledge.words.role(role),) if role else (), item)


def _sized(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a word of size for a structure or its qualities ("the heart is not large")."""
    words = scene.knowledge.words
    if item.id not in words.flagged("size_values") and DIRECTIONS.isdisjoint(item.types):
        return []
    small = "down" in item.types or item.id in words.flagged("little")
    turn = "lost" if "lost" in item.types and "up" not in item.types else "down" if small else "up"
    named = ((one, words.qualities.get(quality_id(one), {}).get(turn)) for one in qualities_of(scene, statement))
    valued = [NamedConcept(QUALITY, concept, quality, quality_id(quality), item) for quality, concept in named if concept]
    # "lung markings are prominent"
    return valued or ([NamedConcept(QUALITY, words.role(_DEVIATING[turn]), item)] if place.sites else [])


def _changed(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of an interval change of the size of a structure ("the heart has become larger")."""
    changed = comparative_change(scene, statement.head) or (item.id if item.kind == "change" else "")
    if changed not in _CHANGED:
        return []
    way = direction_since(scene, statement.head, _CHANGED[changed])
    dev = deviation(scene, scene.knowledge.words.role("overall_size"), way)
    return [NamedConcept(QUALITY, dev, item, None, item)] if dev else []


def _unmoved(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the deviations that a word denies ("the density is not increased"), or a change ("the heart has changed")."""
    said, since = scene.said(statement.head), scene.kind(statement.head + 1) == "past"
    if item.kind == "abnormal" and _ALTERED.match(said) and (since or scene.kind(statement.head - 1) == "have"):
        return [] if qualities_of(scene, statement) else findings_named((scene.knowledge.words.role("altered"),), item)
    if item.kind != "change" or since or not _NOT_MOVED.match(said):
        return []
    return _deviations(scene, statement, "up" if re.search(r"increased|raised|elevated", said) else "down", item)


def _deviations(scene: ParsedSentence, statement: Statement, way: str | None, item: Mention | None = None) -> list[NamedConcept]:
    """Return the deviations of the qualities of a statement in a direction, which an item gives."""
    named = ((one, deviation(scene, quality_id(one), way)) for one in qualities_of(scene, statement))
    return [NamedConcept(QUALITY, concept, one, quality_id(one), item) for one, concept in named if concept]


def _of_structure(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a structure that heads a statement ("nodes: enlarged", "abnormal liver signal")."""
    kinds = (scene.items[at].kind for at in statement.modifiers if not is_limiting(scene, at))
    moved = next((kind for kind in kinds if kind in MOVED), "")
    if (adjective := terms.adjective_of(scene, statement)) is not None:
        return findings_named((terms.abnormal_of(scene, statement, adjective, place) or adjective.id,), adjective)
    if moved in ("up", "down") and statement.status == "present":
        return [NamedConcept(QUALITY, scene.knowledge.words.role(_DEVIATING[moved]), item)]
    if bounded_size := of_bounded_size(scene, statement, item):
        return bounded_size
    if (noun := terms.after_label(scene, statement)) is not None:
        return findings_named((noun.id,), noun)
    visible = not moved and _is_visible_node(scene, statement, item)
    return findings_named((scene.knowledge.words.role("visible_node"),) if visible else (), item)


def _is_visible_node(scene: ParsedSentence, statement: Statement, item: Mention) -> bool:
    """Whether a statement is that lymph nodes can be seen ("several nodes are visible in the left axilla")."""
    if statement.status not in ("present", "absent") or not _OF_NODE.issuperset(scene.kinds_at(statement.modifiers)):
        return False
    node = scene.knowledge.index.is_any(item.id, frozenset((scene.knowledge.words.role("any_lymph_node"),)))
    listed = scene.kind(statement.head - 1) == "colon"  # "RIGHT AXILLA: lymph nodes"
    shown = "have" in scene.run(0, statement.head) and bool(statement.placed)
    stable = "stable" in scene.ids(statement.modifiers)  # "stable axillary lymph nodes"
    told = (one.kind == "seen" or _SHOWN.match(scene.said(at)) for at, one in enumerate(scene.items))
    return node and (listed or shown or stable or any(told))


def of_bounded_size(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept given by a bound of the size of a structure, or by that of the largest ("nodes under 1 cm")."""
    limit, units = scene.knowledge.words.limits.get(item.id), scene.knowledge.words.units
    if limit is None:
        return []
    for at in scene.of_kind("meas", statement.modifiers):
        start = scene.items[at].start
        kind, text = measurement(scene.items[at].id, units)
        sizes = [float(number) for number in _NUMBER.findall(text)]
        before = scene.text[max(0, start - 30) : start].lower()
        most = bool(_REACHING.search(before) or LARGEST.search(before))  # "up to 16 mm", "the largest measuring 16 mm"
        bound = "<=" if most else bounded(before, units)
        if kind == "length" and sizes and bound:
            told = _meaning(limit, bound, sizes, most=most, asserted=statement.status in _ASSERTED)
            return findings_named((name for said, name in told[:1] if said == FINDING), item, None if most else at)
    return []


def _meaning(limit: NormalRange, bound: str, sizes: list[float], *, most: bool, asserted: bool) -> Meaning:
    """Return the meaning of a bound of a size, or of the largest size."""
    if asserted and bound[0] == "<" and max(sizes) <= (limit.abnormal if bound == "<" else limit.normal):
        return limit.within
    large = (bound[0] == ">" and min(sizes) >= limit.normal) or (most and min(sizes) >= limit.abnormal)
    return limit.beyond if large else ()


def _described(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a descriptor of a structure denies or asserts ("Nothing acute", "the liver is heterogeneous")."""
    words, asserted = scene.knowledge.words, statement.status in _ASSERTED
    if statement.status == "absent" and follows_nothing(scene, statement.head):
        everything = words.role("all_acute" if item.id == words.role("acutely") else "any_abnormality")
        return findings_named((item.types[FINDING].id if FINDING in item.types else everything,), item)
    if asserted and item.id == words.role("like_tissue"):
        return findings_named(terms.isointensities(scene, statement), item)
    if _at_site(place) and item.id in words.flagged("reads_midline"):
        return [NamedConcept(NORMAL, words.role("at_midline"), item)]
    shown = scene.knowledge.index.features
    names = words.flagged("predicated") if asserted and _at_site(place) else ()
    return findings_named((name for name in names if item.id in shown.get(name, ())), item)


def _without(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a negation denies in a normal statement ("no abnormal signal", "negative chest")."""
    if item.kind == QUALITY:  # "maintains a physiological curvature"
        graded = any(GRADED.match(scene.said(at)) for at in statement.modifiers)
        dev = deviation(scene, item.id, "down" if graded else None)
        return [NamedConcept(QUALITY, dev, item, item.id)] if dev else []
    if item.kind not in ("neg", "negpost", "seen"):
        return []
    denied = _deviations(scene, statement, None)
    if item.kind == "seen":  # "the physiological curvature is present": a quality that can be lost is present
        return [one for one in denied if "lost" in scene.knowledge.words.qualities.get(one.quality or "", {})]
    plain = [NamedConcept(NORMAL, scene.knowledge.words.role("plain_normal"), item)] if place.sites else []
    return denied if denied and item.kind == "neg" else plain


def _normal(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return what a normal word denies: the deviation of each quality ("Normal in size and shape"), or its own ("clear")."""
    if shown := terms.implied_finding(scene, item):
        return findings_named((shown,), item)
    denied = _deviations(scene, statement, None) or _things(scene, statement)
    plain, said = scene.knowledge.words.role("plain_normal"), scene.words(statement.head)
    if denied:
        # "Normal in size", a single form of the lexicon, "and contour".
        bare = item.id in scene.knowledge.words.flagged("bare_normals") or item.id == plain
        whole = item.kind == NORMAL and item.last > item.first and not {"in", "normal"}.isdisjoint(said)
        return [NamedConcept(NORMAL, item.id, item), *denied] if whole and not bare else denied
    after = terms.quality_after(scene, statement.head) if item.kind == NORMAL and said[0] == "no" else ""
    if after and (dev := deviation(scene, after, None)):
        return [NamedConcept(QUALITY, dev, item, after)]
    word = item.id if item.kind == NORMAL else item.types[NORMAL].id if NORMAL in item.types else plain
    return [NamedConcept(NORMAL, word, item)]


def _things(scene: ParsedSentence, statement: Statement) -> list[NamedConcept]:
    """Return the finding denied by a plain normal word directly before it ("normal radiolucency")."""
    item, after = scene.items[statement.head], statement.head + 1
    plain = item.kind == NORMAL and item.id == scene.knowledge.words.role("plain_normal")
    thing = scene.items[after] if plain and after in statement.modifiers else item
    return [NamedConcept(QUALITY, thing.id, thing, thing.id)] if thing.kind == FINDING and thing is not item else []


def _value(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a value: of a signal on each sequence, of each quality, or of the structure itself."""
    direction = next((name for name in DEVIATION if name in item.types or name == item.kind), _OF_QUALITY.get(item.id, ""))
    way = item.types["signalword"].id if "signalword" in item.types else direction
    if way in MOVED and (names := signals_on(scene, statement, way) or other_way(scene, statement.head, way)):
        return findings_named(names, item)
    found = _deviations(scene, statement, direction_since(scene, statement.head, way), item)
    if found or item.kind == "signalword" or (place.bearers and direction in MOVED):
        return found
    return _of_direction(scene, statement, item, direction if place.sites or scene.label else "")


def _of_direction(scene: ParsedSentence, statement: Statement, item: Mention, direction: str) -> list[NamedConcept]:
    """Return the concept of a direction by itself: a finding, or the deviation of a structure."""
    if FINDING in item.types or not direction:
        return findings_named((entry.id for kind, entry in item.types.items() if kind == FINDING), item)
    role = _LEVELS.get(scene.said(statement.head).split()[0], _DEVIATING[direction])
    return [NamedConcept(QUALITY, scene.knowledge.words.role(role), item, None, item)]


def _quality(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a quality that is present or absent, or has its value beside it ("Flow is absent")."""
    word = next((scene.items[at] for at in statement.modifiers if _directs(scene, at, statement.head)), None)
    if word is None:
        return _existing(scene, statement, item)
    # "abnormal lumbar curvature"
    off = word.id == scene.knowledge.words.role("any_abnormality")
    direction = "abnormal" if off else _CHANGED.get(word.id, word.kind)
    concept = deviation(scene, item.id, direction)
    # "decreased mineralization", "mineralization is decreased"
    predicated = scene.kind(scene.items.index(word) - 1) == "cop"
    valued = direction == "abnormal" or word.start < item.start or predicated
    return [NamedConcept(QUALITY, concept, item, item.id, word if valued else None)] if concept else []


def _existing(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a quality without a value: its loss, or for a denial any deviation ("no abnormal signal")."""
    values, absences = scene.knowledge.words.qualities.get(item.id, {}), scene.knowledge.words.flagged("absences")
    if "lost" in values or scene.knowledge.index.is_any(values.get("down", ""), absences):
        concept = deviation(scene, item.id, "lost" if "lost" in values else "down")
        return [NamedConcept(QUALITY, concept, item, item.id)] if concept else []
    denied = values.get("dev", "") if statement.status in ("absent", "unlikely") else ""
    return [NamedConcept(QUALITY, denied, item, item.id, item)] if denied else []


def _directs(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a modifier is the value of a quality: a direction, or a noun of change before it ("an increase in")."""
    item = scene.items[at]
    if item.kind in DIRECTIONS or item.id == scene.knowledge.words.role("any_abnormality"):
        return True
    return item.kind == "change" and at < head and _NOUN_OF_CHANGE.match(scene.said(at)) is not None
