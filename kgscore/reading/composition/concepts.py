"""The concepts that a statement of a structure names: findings, deviations of qualities, values, or what a normal word denies."""

from __future__ import annotations

import re
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.compound_terms import (
    abnormal_of,
    adjective_of,
    after_label,
    finding_of,
    finding_of_modifier,
    implied_finding,
    is_of_wall,
    own_noun,
    quality_after,
    shared_in,
    specific,
)
from kgscore.reading.composition.descriptors import LARGEST, MOVED, is_limiting
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ParsedSentence, follows_nothing, of_whole
from kgscore.reading.composition.qualities import DEVIATION, denied_deviation, deviation, qualities_of, quality_id
from kgscore.reading.composition.signals import on_sequences, other_way, sequences, signals
from kgscore.reading.composition.temporality import GRADED, comparative_change, direction_since
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The roles of the directions of a structure without a quality.
# An operation named by its indication.
_SURGERY = re.compile(r"(?:surgery|operation)\Z", re.IGNORECASE)
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
# Wordings for a value that is not abnormal ("the density is not increased").
_NOT_MOVED = re.compile(r"not (?:\w+ly )?(?:increased|decreased|reduced|diminished|lowered|raised|elevated)\Z")
_ALTERED = re.compile(r"(?:has |have )?(?:changed|altered)\Z")


class NamedConcept(NamedTuple):
    """A concept that a statement names, the kind of its head, the item that names it, the quality and direction if it is a
    value of a quality, and the modifier that is `part` of the name."""

    kind: str
    concept: str
    item: Mention
    quality: str | None = None
    direction: Mention | None = None
    part: int | None = None


def named_concepts(scene: ParsedSentence, statement: Statement, place: Location) -> list[NamedConcept]:
    """Return the concepts that a statement names."""
    item = scene.items[statement.head]
    kind, normal = item.kind, statement.status == "normal"
    if (
        normal
        and kind not in (NORMAL, "change")
        and (NORMAL in item.types or item.id in scene.knowledge.words.flagged("normal_for"))
    ):
        kind = NORMAL
    if kind == NORMAL:
        return _normal(scene, statement, item)
    index, words = scene.knowledge.index, scene.knowledge.words
    sound = normal and item.adjective and statement.places and not index.is_a(item.id, words.role("any_abnormality"))
    if kind == FINDING and not sound:
        return _of_finding(scene, statement, item, place)
    if kind == DESCRIPTOR and (found := _described(scene, statement, item, place)):
        return found
    if place.sites and not place.bearers and (found := _unmoved(scene, statement, item) or _whole(scene, statement, item)):
        return found
    if normal:
        return _without(scene, statement, item, placed=bool(place.sites))
    if kind in _VALUES or "signalword" in item.types or (item.id in _OF_QUALITY and qualities_of(scene, statement)):
        found = _value(scene, statement, item, place)
        if found:
            return found
    if kind == QUALITY:
        return _quality(scene, statement, item)
    if kind == DESCRIPTOR and not place.bearers and (found := _sized(scene, statement, item, placed=bool(place.sites))):
        return found
    entry = finding_of(scene, statement, item)
    if entry is not None:
        return [NamedConcept(FINDING, entry.id, item, part=shared_in(scene, statement, entry))]
    if kind == "stop" and _SURGERY.match(scene.said(statement.head)):
        return [NamedConcept(FINDING, scene.knowledge.words.role("operated"), item)]  # "after renal tumour surgery"
    if kind == "stop" and (own := finding_of_modifier(scene, statement)):
        return [NamedConcept(FINDING, own, item)]  # "there is a focus of high attenuation"
    if kind == ANATOMY:
        return _of_structure(scene, statement, item, place)
    return _changed(scene, statement, item) if place.sites and not place.bearers else []


def _of_finding(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a finding that heads a statement, with the words around it: its signal on a sequence, the kind of
    a deviation."""
    words = scene.knowledge.words
    if named_by := signals(scene, statement, item):
        return [NamedConcept(FINDING, name, item) for name in named_by]
    if item.id in words.empty and (shown := _signals_of_modifiers(scene, statement, item)):
        return shown
    own = finding_of_modifier(scene, statement) if item.id in words.empty else abnormal_of(scene, statement, item, place)
    own = own or denied_deviation(scene, statement, item)
    if own and (named_by := on_sequences(scene, statement, own)):
        return [NamedConcept(FINDING, name, item) for name in named_by]
    concept, part = (own, None) if own else specific(scene, statement)
    if concept == words.role("thickened") and is_of_wall(scene, statement):
        concept = words.role("wall_thickened")
    return [NamedConcept(FINDING, concept, item, part=part)]


def _whole(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a predicate of a whole structure: absent, not seen, abnormal."""
    role = of_whole(scene, statement.head)
    if item.kind == "seen" and statement.status == "normal" and _PRESENT.search(scene.said(statement.head)):
        role = "missing"  # "both ovaries are present": none is absent
    if role == "missing" and any(_SURGERY.match(scene.said(at)) for at in range(statement.head + 1, len(scene.items))):
        role = "removed"  # "absence of the right upper lobe following surgery"
    name = scene.knowledge.words.role(role) if role else ""
    return [NamedConcept(FINDING, name, item)] if name else []


def _sized(scene: ParsedSentence, statement: Statement, item: Mention, *, placed: bool) -> list[NamedConcept]:
    """Return the concepts of a word of size for a structure or its qualities ("the heart is not large", "the angle is
    blurred")."""
    words = scene.knowledge.words
    if item.id not in words.flagged("size_values") and DIRECTIONS.isdisjoint(item.types):
        return []
    small = "down" in item.types or item.id in words.flagged("little")
    turn = "lost" if "lost" in item.types and "up" not in item.types else "down" if small else "up"
    named = ((one, words.qualities.get(quality_id(one), {}).get(turn)) for one in qualities_of(scene, statement))
    valued = [NamedConcept(QUALITY, concept, quality, quality_id(quality), item) for quality, concept in named if concept]
    return valued or (
        [NamedConcept(QUALITY, words.role(_DEVIATING[turn]), item)] if placed else []
    )  # "lung markings are prominent"


def _changed(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of an interval change of the size of a structure ("the heart has become larger")."""
    changed = comparative_change(scene, statement.head) or (item.id if item.kind == "change" else "")
    if changed not in _CHANGED:
        return []
    way = direction_since(scene, statement.head, _CHANGED[changed])
    dev = deviation(scene, scene.knowledge.words.role("overall_size"), way)
    return [NamedConcept(QUALITY, dev, item, None, item)] if dev else []


def _unmoved(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the deviations of qualities that a word denies ("the density is not increased"), or the interval change of a
    structure ("the heart has changed")."""
    said, qualities = scene.said(statement.head), qualities_of(scene, statement)
    after = [one.kind for one in scene.items[statement.head + 1 : statement.head + 2]]
    before = [one.kind for one in scene.items[max(0, statement.head - 1) : statement.head]]
    if item.kind == "abnormal" and _ALTERED.match(said) and not qualities and (after == ["past"] or before == ["have"]):
        return [NamedConcept(FINDING, scene.knowledge.words.role("altered"), item)]
    if item.kind != "change" or after == ["past"] or not _NOT_MOVED.match(said):
        return []
    way = "up" if re.search(r"increased|raised|elevated", said) else "down"
    named = ((one, deviation(scene, quality_id(one), way)) for one in qualities)
    return [NamedConcept(QUALITY, concept, one, quality_id(one), item) for one, concept in named if concept]


def _of_structure(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a structure that heads a statement: "nodes: enlarged", "enlarged axillary nodes", "abnormal liver
    signal"."""
    kinds = [scene.items[at].kind for at in statement.modifiers if not is_limiting(scene, at)]
    moved = next((kind for kind in kinds if kind in MOVED), None)
    if (adjective := adjective_of(scene, statement)) is not None:
        return [NamedConcept(FINDING, abnormal_of(scene, statement, adjective, place) or adjective.id, adjective)]
    if moved in ("up", "down") and statement.status == "present":
        return [NamedConcept(QUALITY, scene.knowledge.words.role(_DEVIATING[moved]), item)]
    if bounded_size := of_bounded_size(scene, statement, item):
        return bounded_size
    index, words = scene.knowledge.index, scene.knowledge.words
    if (noun := after_label(scene, statement)) is not None:
        return [NamedConcept(FINDING, noun.id, noun)]
    described = (DESCRIPTOR, "stop", "change", "less", "greater", "cop")
    plain = moved is None and all(scene.items[at].kind in described for at in statement.modifiers)
    listed = statement.head > 0 and scene.items[statement.head - 1].kind == "colon"  # "RIGHT AXILLA: lymph nodes"
    node = plain and index.is_any(item.id, frozenset((words.role("any_lymph_node"),)))
    told = (one.kind == "seen" or _SHOWN.match(scene.said(at)) for at, one in enumerate(scene.items))
    stable = any(scene.items[at].id == "stable" for at in statement.modifiers)  # "stable axillary lymph nodes"
    shown = any(one.kind == "have" for one in scene.items[: statement.head]) and any(place.items for place in statement.places)
    if node and statement.status in ("present", "absent") and (listed or shown or stable or any(told)):
        return [NamedConcept(FINDING, words.role("visible_node"), item)]  # "several nodes are visible in the left axilla"
    return []


def of_bounded_size(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept given by a bound of the size of a structure, or by the size of the largest: "groin nodes smaller than
    1 cm" are subcentimetre nodes, and "no node larger than 1 cm" denies that any is enlarged."""
    limit, units = scene.knowledge.words.limits.get(item.id), scene.knowledge.words.units
    for at in statement.modifiers if limit is not None else ():
        one = scene.items[at]
        if one.kind != "meas" or limit is None:
            continue
        kind, text = measurement(one.id, units)
        sizes = [float(number) for number in _NUMBER.findall(text)]
        before = scene.text[max(0, one.start - 30) : one.start].lower()
        most = bool(_REACHING.search(before) or LARGEST.search(before))  # "up to 16 mm", "the largest measuring 16 mm"
        bound = "<=" if most else bounded(before, units)
        if kind != "length" or not sizes or not bound:
            continue
        small = bound[0] == "<" and max(sizes) <= (limit.abnormal if bound == "<" else limit.normal)
        large = (bound[0] == ">" and min(sizes) >= limit.normal) or (most and min(sizes) >= limit.abnormal)
        told = limit.within if small and statement.status in _ASSERTED else limit.beyond if large else ()
        return [NamedConcept(FINDING, name, item, part=None if most else at) for said, name in told[:1] if said == FINDING]
    return []


def _described(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts that a descriptor of a structure denies or asserts ("Nothing acute", "the midline is undisplaced",
    "the liver is heterogeneous")."""
    words = scene.knowledge.words
    if statement.status == "absent" and follows_nothing(scene, statement.head):
        entry = item.types.get(FINDING)
        everything = words.role("all_acute" if item.id == words.role("acutely") else "any_abnormality")
        return [NamedConcept(FINDING, entry.id if entry else everything, item)]
    if item.id == words.role("like_tissue") and statement.status in _ASSERTED:
        names = (f"{one}_isointensity" for one in sequences(scene, statement))
        return [NamedConcept(FINDING, name, item) for name in names if name in scene.knowledge.index.concepts]
    if item.id in words.flagged("reads_midline") and place.sites and not place.bearers:
        return [NamedConcept(NORMAL, words.role("at_midline"), item)]
    if statement.status in _ASSERTED and place.sites and not place.bearers:
        shown = scene.knowledge.index.features
        return [NamedConcept(FINDING, name, item) for name in words.flagged("predicated") if item.id in shown.get(name, ())]
    return []


def _without(scene: ParsedSentence, statement: Statement, item: Mention, *, placed: bool) -> list[NamedConcept]:
    """Return the concepts denied by a negation that heads a normal statement: the deviation of qualities ("no abnormal
    signal"), or any abnormality at a place ("negative chest")."""
    if item.kind == QUALITY:  # "maintains a physiological curvature"
        graded = any(GRADED.match(scene.said(at)) for at in statement.modifiers)
        dev = deviation(scene, item.id, "down" if graded else None)
        return [NamedConcept(QUALITY, dev, item, item.id)] if dev else []
    if item.kind not in ("neg", "negpost", "seen"):
        return []
    named = [(one, quality_id(one)) for one in qualities_of(scene, statement)]
    denied = [NamedConcept(QUALITY, dev, one, name) for one, name in named if (dev := deviation(scene, name, None))]
    if item.kind == "seen":  # "the physiological curvature is present": a quality that can be lost is present
        return [one for one in denied if "lost" in scene.knowledge.words.qualities.get(one.quality or "", {})]
    plain = [NamedConcept(NORMAL, scene.knowledge.words.role("plain_normal"), item)] if placed else []
    return denied if denied and item.kind == "neg" else plain


def own_findings(scene: ParsedSentence, statement: Statement, concept: str) -> list[NamedConcept]:
    """Return the modifiers of a finding that are separate findings: its enhancement and its signal."""
    own, found = scene.knowledge.words.own, list[NamedConcept]()
    for at in statement.modifiers:
        item = scene.items[at]
        entry = (
            item.id if item.kind == FINDING else own_noun(scene, at) if item.kind == DESCRIPTOR else implied_finding(scene, item)
        )
        if entry in own and entry != concept and (concept not in own or item.kind == FINDING):
            names = signals(scene, statement, item) if item.kind == FINDING else []
            found += [NamedConcept(FINDING, name, item) for name in names or [entry]]
    return found


def _signals_of_modifiers(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the signals on a sequence named by modifiers of an empty noun: "a bright area on T2-weighted images"."""
    words, concepts, spoken = scene.knowledge.words, scene.knowledge.index.concepts, sequences(scene, statement)
    for at in statement.modifiers if spoken else ():
        one = scene.items[at]
        if one.kind == DESCRIPTOR and one.id == words.role("like_tissue"):
            named_by = [name for seq in spoken if (name := f"{seq}_isointensity") in concepts]
        else:
            named_by = signals(scene, statement, one) if one.kind == FINDING else []
        if named_by:
            return [NamedConcept(FINDING, name, item, part=at) for name in named_by]
    return []


def _normal(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return what a normal word denies: the deviation of each quality ("Normal in size and shape"), or what the word itself
    denies ("clear")."""
    if shown := implied_finding(scene, item):
        return [NamedConcept(FINDING, shown, item)]
    found = [(quality, deviation(scene, quality_id(quality), None)) for quality in qualities_of(scene, statement)]
    denied = [NamedConcept(QUALITY, concept, quality, quality_id(quality)) for quality, concept in found if concept is not None]
    denied = denied or [NamedConcept(QUALITY, thing.id, thing, thing.id) for thing in _things(scene, statement)]
    entry = item.types.get(NORMAL)
    word = item.id if item.kind == NORMAL else entry.id if entry is not None else scene.knowledge.words.role("plain_normal")
    own = NamedConcept(NORMAL, word, item)
    absent = not denied and item.kind == NORMAL and scene.words(statement.head)[0] == "no"
    after = quality_after(scene, statement.head) if absent else ""
    if after and (dev := deviation(scene, after, None)):
        return [NamedConcept(QUALITY, dev, item, after)]
    if not denied:
        return [own]
    # "Normal in size", a single form of the lexicon, "and contour".
    bare = item.id in scene.knowledge.words.flagged("bare_normals") or item.id == scene.knowledge.words.role("plain_normal")
    whole = item.kind == NORMAL and item.last > item.first and {"in", "normal"} & {*scene.words(statement.head)}
    return [own, *denied] if whole and not bare else denied


def _things(scene: ParsedSentence, statement: Statement) -> list[Mention]:
    """Return the findings denied by a plain normal word directly before them ("normal radiolucency")."""
    item, after = scene.items[statement.head], statement.head + 1
    plain = item.kind == NORMAL and item.id == scene.knowledge.words.role("plain_normal")
    return [scene.items[after]] if plain and after in statement.modifiers and scene.items[after].kind == FINDING else []


def _value(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> list[NamedConcept]:
    """Return the concepts of a value: of a signal on each sequence, of each quality, or of the structure itself."""
    known = scene.knowledge.index.concepts
    direction = next((name for name in DEVIATION if name in item.types or name == item.kind), _OF_QUALITY.get(item.id, ""))
    way = item.types["signalword"].id if "signalword" in item.types else direction
    names = [f"{one}_{'hyper' if way == 'up' else 'hypo'}intensity" for one in sequences(scene, statement)]
    if way in MOVED and (signals := [name for name in names if name in known]):
        return [NamedConcept(FINDING, name, item) for name in signals]
    if way in MOVED and (names := other_way(scene, statement.head, way)):
        return [NamedConcept(FINDING, name, item) for name in names]
    since, found = direction_since(scene, statement.head, way), list[NamedConcept]()
    for quality in qualities_of(scene, statement):
        concept = deviation(scene, quality_id(quality), since)
        if concept is not None:
            found.append(NamedConcept(QUALITY, concept, quality, quality_id(quality), item))
    if found or item.kind == "signalword" or (place.bearers and direction in MOVED):
        return found
    if FINDING in item.types:
        return [NamedConcept(FINDING, item.types[FINDING].id, item)]
    if not direction or not (place.sites or scene.label):
        return []
    role = _LEVELS.get(scene.said(statement.head).split()[0], _DEVIATING[direction])
    return [NamedConcept(QUALITY, scene.knowledge.words.role(role), item, None, item)]


def _quality(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the concept of a quality that is present or absent, or has its value beside it ("Flow is absent", "with increased
    attenuation")."""
    word = next((scene.items[at] for at in statement.modifiers if _directs(scene, at, statement.head)), None)
    direction = _CHANGED.get(word.id, word.kind) if word is not None else None
    if word is not None and word.id == scene.knowledge.words.role("any_abnormality"):
        direction = "abnormal"  # "abnormal lumbar curvature"
    values = scene.knowledge.words.qualities.get(item.id, {})
    gone = values.get("lost") or values.get("down", "")
    denied = statement.status in ("absent", "unlikely")
    existing = "lost" in values or scene.knowledge.index.is_any(gone, scene.knowledge.words.flagged("absences"))
    if direction is None and not (existing or denied):
        return []
    if direction is None and denied and not existing:  # "no abnormal signal"
        return [NamedConcept(QUALITY, values.get("dev", ""), item, item.id, item)] if values.get("dev") else []
    concept = deviation(scene, item.id, direction or ("lost" if "lost" in values else "down"))
    # "decreased mineralization", "mineralization is decreased"
    valued = word is not None and (direction == "abnormal" or word.start < item.start or _predicated(scene, word))
    return [NamedConcept(QUALITY, concept, item, item.id, word if valued else None)] if concept else []


def _predicated(scene: ParsedSentence, word: Mention) -> bool:
    """Whether a word is a predicate ("is decreased")."""
    at = scene.items.index(word) - 1
    return at >= 0 and scene.items[at].kind == "cop"


def _directs(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a modifier is the value of a quality: a direction, or a noun of change before it ("an increase in")."""
    item = scene.items[at]
    if item.kind in DIRECTIONS or item.id == scene.knowledge.words.role("any_abnormality"):
        return True
    return item.kind == "change" and at < head and _NOUN_OF_CHANGE.match(scene.said(at)) is not None
