"""What a statement of a structure names: findings, deviations of qualities, values, or what a normal word denies."""

from __future__ import annotations

import re
from typing import NamedTuple

from kgscore.linking.lexicon import Entry
from kgscore.reading.choices import DIRECTIONS
from kgscore.reading.composition.changes import GRADED, tells_of_time, way_since
from kgscore.reading.composition.modifiers import MOVED, limits
from kgscore.reading.composition.places import Where
from kgscore.reading.composition.qualities import DEVIATION, denied_deviation, deviation, qualities_of, quality_id
from kgscore.reading.composition.scene import Scene, completed, led, named, noun_after, noun_before, of_whole, says_nothing
from kgscore.reading.composition.signals import on_sequences, other_way, sequences, signals
from kgscore.reading.items import Item
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.structure.values import Statement

# The roles of what a direction is of a structure, where no quality is said.
_DEVIATING = {"up": "grown", "down": "shrunken", "lost": "effaced", "abnormal": "any_abnormality"}
_LEVELS = {"low": "lowered", "lower": "lowered", "high": "raised", "higher": "raised"}
# What may be said of nodes that are only seen ("nodes of less than 1 cm are seen").
_VALUES = ("signalword", "up", "down", "lost", "abnormal")
# A change that is the value of a quality ("the disc has decreased T2 signal").
_CHANGED = {"increased": "up", "decreased": "down"}
# The same of a quality: one that has disappeared is lost.
_OF_QUALITY = {**_CHANGED, "resolved": "lost"}
# How a descriptor opens that says that something is not there ("without enhancement").
_WITHOUT = ("no", "without")
# How one opens that likens a finding to something else ("similar to cerebrospinal fluid").
_LIKE = ("similar", "resembl", "like", "close", "follow", "isointense", "isodense", "approach", "approximat", "of")
_NOUN_OF_CHANGE = re.compile(r"(?:increase|decrease|reduction) (?:in|of)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_REACHING = re.compile(r"\bup to\s*\Z")
# What tells that something is seen, or is not ("visible nodes", "are not seen").
_SHOWN = re.compile(
    r"contain|visible|free of"
    r"|(?:is|are|was|were|not|no|could|cannot)\b.*\b(?:seen|shown|visible|visuali[sz]ed|identified|displayed)\Z"
)
_ASSERTED = ("present", "possible", "probable")
# That a value is not other than it should be ("the density is not increased").
_NOT_MOVED = re.compile(r"not (?:\w+ly )?(?:increased|decreased|reduced|diminished|lowered|raised|elevated)\Z")
_ALTERED = re.compile(r"(?:has |have )?(?:changed|altered)\Z")


class Said(NamedTuple):
    """A concept that a statement names, the kind of head it is, the item that names it, the quality that it is a value of with
    its direction, and the modifier that is `part` of the name."""

    kind: str
    concept: str
    item: Item
    quality: str | None = None
    direction: Item | None = None
    part: int | None = None


def said_by(scene: Scene, statement: Statement, place: Where) -> list[Said]:
    """Return what a statement names."""
    item = scene.items[statement.head]
    kind, normal = item.kind, statement.status == "normal"
    if normal and kind not in ("N", "change") and ("N" in item.types or item.id in scene.knowledge.words.flagged("normal_for")):
        kind = "N"
    if kind == "N":
        return _normal(scene, statement, item)
    if kind == "F" and not (normal and item.adjective and statement.places):
        if named_by := signals(scene, statement, item):
            return [Said("F", name, item) for name in named_by]
        if item.id in scene.knowledge.words.empty and (named_by := _signal_meant(scene, statement, item)):
            return named_by
        own = _meant(scene, statement) if item.id in scene.knowledge.words.empty else _abnormal(scene, statement, item, place)
        own = own or denied_deviation(scene, statement, item)
        if own and (named_by := on_sequences(scene, statement, own)):
            return [Said("F", name, item) for name in named_by]
        concept, part = (own, None) if own else _specific(scene, statement)
        if concept == scene.knowledge.words.role("thickened") and _of_wall(scene, statement):
            concept = scene.knowledge.words.role("wall_thickened")
        return [Said("F", concept, item, part=part)]
    if kind == "M" and (found := _described(scene, statement, item, place)):
        return found
    if place.sites and not place.bearers and (found := _unmoved(scene, statement, item)):
        return found
    if place.sites and not place.bearers and (role := of_whole(scene, statement.head)):
        if (unseen := _unseen(scene, statement)) is not None:
            return [Said("F", unseen.id, item)]
        return [Said("F", scene.knowledge.words.role(role), item)]
    if normal:
        return _without(scene, statement, item, placed=bool(place.sites))
    if kind in _VALUES or "signalword" in item.types or (item.id in _OF_QUALITY and qualities_of(scene, statement)):
        found = _value(scene, statement, item, place)
        if found:
            return found
    if kind == "Q":
        return _quality(scene, statement, item)
    sized = kind == "M" and (item.id in scene.knowledge.words.flagged("size_values") or not DIRECTIONS.isdisjoint(item.types))
    if sized and place.sites and not place.bearers:  # "the heart is not large"
        small = "down" in item.types or item.id in scene.knowledge.words.flagged("little")
        lost = "lost" in item.types and "up" not in item.types  # "the angle is blurred"
        turn = "lost" if lost else "down" if small else "up"
        qualities = scene.knowledge.words.qualities
        named = ((quality, qualities.get(quality_id(quality), {}).get(turn)) for quality in qualities_of(scene, statement))
        valued = [Said("Q", concept, quality, quality_id(quality), item) for quality, concept in named if concept]
        return valued or [Said("Q", scene.knowledge.words.role(_DEVIATING[turn]), item)]  # "lung markings are prominent"
    entry = _finding(scene, statement, item)
    if entry is not None:
        return [Said("F", entry.id, item, part=_shared_in(scene, statement, entry))]
    if kind == "stop" and (own := _meant(scene, statement)):
        return [Said("F", own, item)]  # "there is a focus of high attenuation"
    if kind == "A":
        return _of_structure(scene, statement, item, place)
    changed = tells_of_time(scene, statement.head) or (item.id if kind == "change" else "")
    if changed not in _CHANGED or not place.sites or place.bearers:
        return []
    way = way_since(scene, statement.head, _CHANGED[changed])
    dev = deviation(scene, scene.knowledge.words.role("overall_size"), way)
    return [Said("Q", dev, item, None, item)] if dev else []


def _unmoved(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """Return the deviation of qualities that a word denies ("the density is not increased"), or the change since before that
    one tells of ("the heart has changed")."""
    said, qualities = scene.said(statement.head), qualities_of(scene, statement)
    after = [one.kind for one in scene.items[statement.head + 1 : statement.head + 2]]
    before = [one.kind for one in scene.items[max(0, statement.head - 1) : statement.head]]
    if item.kind == "abnormal" and _ALTERED.match(said) and not qualities and (after == ["past"] or before == ["have"]):
        return [Said("F", scene.knowledge.words.role("altered"), item)]
    if item.kind != "change" or after == ["past"] or not _NOT_MOVED.match(said):
        return []
    way = "up" if re.search(r"increased|raised|elevated", said) else "down"
    named = ((one, deviation(scene, quality_id(one), way)) for one in qualities)
    return [Said("Q", concept, one, quality_id(one), item) for one, concept in named if concept]


def _unseen(scene: Scene, statement: Statement) -> Entry | None:
    """Return what it is called that a structure is not seen, if that has a name ("Ovary: not seen")."""
    places = (at for place in statement.places for at in place.items)
    found = (named(scene, (*scene.words(at), *scene.words(statement.head)), "F") for at in places)
    return next((one for one in found if one is not None and not one.adjective), None)


def _of_wall(scene: Scene, statement: Statement) -> bool:
    """Whether the wall of an organ is spoken of ("the wall of the splenic artery is thickened"); the chest wall is none."""
    of_none = scene.knowledge.words.flagged("no_organ")
    places = [at for place in statement.places for at in place.items if "wall" in scene.words(at)]
    return bool(places) and all(scene.items[at].id not in of_none for at in places)


def _of_structure(scene: Scene, statement: Statement, item: Item, place: Where) -> list[Said]:
    """What is said of a structure that heads a statement: "nodes: enlarged", "enlarged axillary nodes", "abnormal liver
    signal"."""
    kinds = [scene.items[at].kind for at in statement.modifiers if not limits(scene, at)]
    moved = next((kind for kind in kinds if kind in MOVED), None)
    if (adjective := _adjective(scene, statement)) is not None:
        return [Said("F", _abnormal(scene, statement, adjective, place) or adjective.id, adjective)]
    if moved in ("up", "down") and statement.status == "present":
        return [Said("Q", scene.knowledge.words.role(_DEVIATING[moved]), item)]
    if bounded_size := _of_bounded_size(scene, statement, item):
        return bounded_size
    index, words = scene.knowledge.index, scene.knowledge.words
    if (noun := _after_label(scene, statement)) is not None:
        return [Said("F", noun.id, noun)]
    described = ("M", "stop", "change", "meas", "num", "less", "greater", "cop")
    plain = moved is None and all(scene.items[at].kind in described for at in statement.modifiers)
    listed = statement.head > 0 and scene.items[statement.head - 1].kind == "colon"  # "RIGHT AXILLA: lymph nodes"
    node = plain and index.is_any(item.id, frozenset((words.role("any_lymph_node"),)))
    told = (one.kind in ("seen", "meas") or _SHOWN.match(scene.said(at)) for at, one in enumerate(scene.items))
    shown = any(one.kind == "have" for one in scene.items[: statement.head]) and any(place.items for place in statement.places)
    if node and statement.status in ("present", "absent") and (listed or shown or any(told)):
        return [Said("F", words.role("visible_node"), item)]  # "several nodes are visible in the left axilla"
    return []


def _of_bounded_size(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """What a bound of its size says of a structure: "groin nodes smaller than 1 cm" are subcentimetre nodes, and "no node larger
    than 1 cm" denies that any is enlarged."""
    limit, units = scene.knowledge.words.limits.get(item.id), scene.knowledge.words.units
    for at in statement.modifiers if limit is not None else ():
        one = scene.items[at]
        if one.kind != "meas" or limit is None:
            continue
        kind, text = measurement(one.id, units)
        sizes = [float(number) for number in _NUMBER.findall(text)]
        before = scene.text[max(0, one.start - 30) : one.start].lower()
        bound = "<=" if _REACHING.search(before) else bounded(before, units)
        if kind != "length" or not sizes or not bound:
            continue
        small = bound[0] == "<" and max(sizes) <= (limit.abnormal if bound == "<" else limit.normal)
        large = bound[0] == ">" and min(sizes) >= limit.normal
        told = limit.within if small and statement.status in _ASSERTED else limit.beyond if large else ()
        return [Said("F", name, item, part=at) for said, name in told[:1] if said == "F"]
    return []


def _described(scene: Scene, statement: Statement, item: Item, place: Where) -> list[Said]:
    """ "Nothing acute", "the midline is undisplaced", "the liver is heterogeneous": what a descriptor denies or asserts that is
    said of a structure."""
    words = scene.knowledge.words
    if statement.status == "absent" and says_nothing(scene, statement.head):
        entry = item.types.get("F")
        everything = words.role("all_acute" if item.id == words.role("acutely") else "any_abnormality")
        return [Said("F", entry.id if entry else everything, item)]
    if item.id == words.role("like_tissue") and statement.status in _ASSERTED:
        names = (f"{one}_isointensity" for one in sequences(scene, statement))
        return [Said("F", name, item) for name in names if name in scene.knowledge.index.concepts]
    if item.id in words.flagged("reads_midline") and place.sites and not place.bearers:
        return [Said("N", words.role("at_midline"), item)]
    if statement.status in _ASSERTED and place.sites and not place.bearers:
        shown = scene.knowledge.index.features
        return [Said("F", name, item) for name in words.flagged("predicated") if item.id in shown.get(name, ())]
    return []


def _finding(scene: Scene, statement: Statement, item: Item) -> Entry | None:
    """Return the finding that an item of another kind names, by itself or with words that it shares."""
    entry = completed(scene, statement.head, "F") or item.types.get("F")
    entry = entry or next((one for one in item.choices if one.type == "F"), None)
    if item.kind == "A":
        entry = entry or noun_after(scene, statement.head) or noun_before(scene, statement.head)
    if item.kind == "M" and statement.head + 2 < len(scene.items) and scene.items[statement.head + 1].kind in ("and", "or"):
        entry = entry or noun_after(scene, statement.head)  # "patchy and linear opacities"
    return entry or _noun_within(scene, statement) or _with_noun(scene, statement)


def _abnormal(scene: Scene, statement: Statement, item: Item, place: Where) -> str | None:
    """Return what an abnormality of a quality is ("no attenuation abnormality"), and what a broken device is."""
    words = scene.knowledge.words
    borne = (scene.items[at].id for at in place.bearers)
    if item.id == words.role("broken") and any(name in words.devices and name not in words.states for name in borne):
        return words.role("broken_device")  # "broken left L5 screw"
    if item.id != words.role("any_abnormality"):
        return None
    found = (scene.knowledge.words.qualities.get(one.id, {}).get("dev") for one in qualities_of(scene, statement))
    after = _quality_after(scene, statement.head)
    return next((name for name in found if name), None) or (after and deviation(scene, after, None)) or None


def _quality_after(scene: Scene, at: int) -> str:
    """Return the quality that stands right after an item ("abnormal in size", "no abnormality in the size of"), or ""."""
    after = at + 1
    words = scene.words(after) if after < len(scene.items) and scene.items[after].kind == "stop" else ()
    entry = named(scene, words[1:], "Q") if words[:1] == ("in",) and len(words) > 1 else None
    return entry.id if entry is not None else ""


def _without(scene: Scene, statement: Statement, item: Item, *, placed: bool) -> list[Said]:
    """Return what a negation denies that heads a normal statement: the deviation of qualities ("no abnormal signal"), or whatever
    could be at a place ("negative chest")."""
    if item.kind == "Q":  # "maintains a physiological curvature"
        graded = any(GRADED.match(scene.said(at)) for at in statement.modifiers)
        dev = deviation(scene, item.id, "down" if graded else None)
        return [Said("Q", dev, item, item.id)] if dev else []
    if item.kind not in ("neg", "negpost", "seen"):
        return []
    named = [(one, quality_id(one)) for one in qualities_of(scene, statement)]
    denied = [Said("Q", dev, one, name) for one, name in named if (dev := deviation(scene, name, None))]
    if item.kind == "seen":  # "the physiological curvature is present": what may be lost is there
        return [one for one in denied if "lost" in scene.knowledge.words.qualities.get(one.quality or "", {})]
    plain = [Said("N", scene.knowledge.words.role("plain_normal"), item)] if placed else []
    return denied if denied and item.kind == "neg" else plain


def _noun_within(scene: Scene, statement: Statement) -> Entry | None:
    """Return the finding that the last words of a head name with what stands before it: "small retroperitoneal lymph nodes" are
    small lymph nodes, "heterogeneous enhancement", one descriptor, is an enhancement."""
    item, words = scene.items[statement.head], scene.words(statement.head)
    if item.kind not in ("A", "M") or words[0].startswith((*_WITHOUT, *_LIKE)):
        return None
    before = [scene.words(at) for at in statement.modifiers if scene.items[at].kind == "M" and at < statement.head]
    for cut in range(1, len(words)):
        for said in (*before, ()) if item.kind == "A" else ((),):
            entry = named(scene, (*said, *words[cut:]), "F") if said or item.kind == "M" else None
            if entry is not None and not entry.adjective:
                return entry
    return None


def _shared_in(scene: Scene, statement: Statement, entry: Entry) -> int | None:
    """Return the descriptor before a structure that is part of the name of the finding ("subcentimeter hilar nodes")."""
    words, before = scene.words(statement.head), [at for at in statement.modifiers if scene.items[at].kind == "M"]
    if scene.items[statement.head].kind != "A":
        return None
    said = ((at, named(scene, (*scene.words(at), *words[cut:]), "F")) for cut in range(1, len(words)) for at in before)
    return next((at for at, one in said if at < statement.head and one is not None and one.id == entry.id), None)


def _with_noun(scene: Scene, statement: Statement) -> Entry | None:
    """Return the finding that a descriptor names with the structure right after it, where that is its place ("no suspicious
    cervical lymph nodes")."""
    after = statement.head + 1
    if scene.items[statement.head].kind != "M" or not any(after in place.items for place in statement.places):
        return None
    noun, words = scene.words(after), scene.words(statement.head)
    found = (named(scene, (*words, *noun[cut:]), "F") for cut in range(len(noun)))
    return next((one for one in found if one is not None and not one.adjective), None)


def _adjective(scene: Scene, statement: Statement) -> Item | None:
    """Return the finding among the modifiers of a structure that heads a statement."""
    items = (scene.items[at] for at in statement.modifiers)
    return next((item for item in items if item.kind == "F" and item.adjective), None)


def _after_label(scene: Scene, statement: Statement) -> Item | None:
    """Return the finding that stands after a structure and a colon, or "of", as its only modifier ("RIGHT HILAR NODES: high
    density", "nodes of increased density")."""
    after = statement.head + 2
    colon = after < len(scene.items) and (scene.items[after - 1].kind == "colon" or scene.said(after - 1) == "of")
    noun = colon and statement.modifiers == (after,) and scene.items[after].kind == "F" and statement.status == "present"
    return scene.items[after] if noun else None


def own_findings(scene: Scene, statement: Statement, concept: str) -> list[Said]:
    """Return the modifiers of a finding that are findings of their own: its enhancement and its signal."""
    own, found = scene.knowledge.words.own, list[Said]()
    for at in statement.modifiers:
        item = scene.items[at]
        entry = item.id if item.kind == "F" else _own_noun(scene, at) if item.kind == "M" else _shown(scene, item)
        if entry in own and entry != concept and (concept not in own or item.kind == "F"):
            names = signals(scene, statement, item) if item.kind == "F" else []
            found += [Said("F", name, item) for name in names or [entry]]
    return found


def _shown(scene: Scene, item: Item) -> str:
    """Return the finding of its own that a normal word of organs is where a lesion is spoken of ("the mass enhances
    homogeneously"), or ""."""
    words, entry = scene.knowledge.words, item.types.get("M") if item.kind == "N" else None
    if entry is None or not any(_lesion_beside(scene, at, item) for at, one in enumerate(scene.items) if one.kind == "F"):
        return ""
    noun = named(scene, words.labels[entry.id].split()[-1:], "F")
    return noun.id if noun is not None and noun.id in words.own else ""


def _lesion_beside(scene: Scene, at: int, item: Item) -> bool:
    """Whether a finding is a lesion that is there, in the clause of an item."""
    words, other = scene.knowledge.words, scene.items.index(item)
    between = {one.kind for one in scene.items[max(0, min(at, other) - 2) : max(at, other)]}
    index, name = scene.knowledge.index, scene.items[at].id
    lesion = index.is_any(name, words.flagged("lesions")) or index.is_any(name, words.lumps)
    return lesion and between.isdisjoint(("neg", "semi", "but"))


def _own_noun(scene: Scene, at: int) -> str:
    """Return the finding that a descriptor names, or its last words do ("heterogeneous enhancement"), or ""."""
    words = scene.words(at)
    entry = next((one for one in scene.items[at].choices if one.type == "F"), None)
    lasts = (named(scene, words[cut:], "F") for cut in range(1, len(words)) if not words[0].startswith(_WITHOUT))
    found = entry or next((one for one in lasts if one is not None and not one.adjective), None)
    return found.id if found is not None else ""


def _meant(scene: Scene, statement: Statement) -> str | None:
    """Return the finding that a modifier of an empty noun names: "hypodense area", "fluid shadow"."""
    empty = scene.knowledge.words.empty
    # "a dot of hyperdensity", "a valve prosthesis shadow"
    places = [at for place in statement.places for at in place.items if at >= statement.head - 1]
    items = [scene.items[at] for at in (*places, *statement.modifiers)]
    nouns = [item.id for item in items if item.kind == "F" and item.id not in empty]
    values = [entry.id for item in items if item.kind == "M" for entry in item.choices if entry.type == "F"]
    return next(iter((*reversed(nouns), *values)), None)


def _signal_meant(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """Return the signals on a sequence that modifiers of an empty noun name: "a bright area on T2-weighted images"."""
    words, concepts, spoken = scene.knowledge.words, scene.knowledge.index.concepts, sequences(scene, statement)
    for at in statement.modifiers if spoken else ():
        one = scene.items[at]
        if one.kind == "M" and one.id == words.role("like_tissue"):
            named_by = [name for seq in spoken if (name := f"{seq}_isointensity") in concepts]
        else:
            named_by = signals(scene, statement, one) if one.kind == "F" else []
        if named_by:
            return [Said("F", name, item, part=at) for name in named_by]
    return []


def _specific(scene: Scene, statement: Statement) -> tuple[str, int | None]:
    """Return the finding that the head of a statement names, with the words that it shares with its list, or with a modifier that
    stands apart from it ("acute osseous abnormality") or is the kind of lesion that it is ("no renal mass lesion"), and that
    modifier."""
    item, before = scene.items[statement.head], statement.head - 1
    if item.id == scene.knowledge.words.role("any_lesion") and before in statement.modifiers:
        kind = scene.items[before]
        if kind.kind == "F" and not kind.adjective and kind.id != item.id and scene.knowledge.index.is_a(kind.id, item.id):
            return kind.id, before
    whole = completed(scene, statement.head, "F") if item.adjective else led(scene, statement)
    if whole is not None and not whole.adjective:
        return whole.id, None
    colon = statement.head + 1 < len(scene.items) and scene.items[statement.head + 1].kind == "colon"  # "Hernia: hiatal"
    for at in statement.modifiers:
        if (scene.items[at].kind == "M" and at < statement.head) or (colon and scene.items[at].kind in ("M", "W")):
            entry = named(scene, (*scene.words(at), *scene.words(statement.head)), "F")
            if entry is not None and not entry.adjective:
                return entry.id, at
    return item.id, None


def _normal(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """ "Normal in size and shape", "clear": a denial of the deviation of each quality, or of what the word itself denies."""
    if shown := _shown(scene, item):
        return [Said("F", shown, item)]
    found = [(quality, deviation(scene, quality_id(quality), None)) for quality in qualities_of(scene, statement)]
    denied = [Said("Q", concept, quality, quality_id(quality)) for quality, concept in found if concept is not None]
    denied = denied or [Said("Q", thing.id, thing, thing.id) for thing in _things(scene, statement)]
    entry = item.types.get("N")
    word = item.id if item.kind == "N" else entry.id if entry is not None else scene.knowledge.words.role("plain_normal")
    own = Said("N", word, item)
    absent = not denied and item.kind == "N" and scene.words(statement.head)[0] == "no"
    after = _quality_after(scene, statement.head) if absent else ""
    if after and (dev := deviation(scene, after, None)):
        return [Said("Q", dev, item, after)]
    if not denied:
        return [own]
    # "Normal in size", one word of the lexicon, "and contour".
    bare = item.id in scene.knowledge.words.flagged("bare_normals") or item.id == scene.knowledge.words.role("plain_normal")
    whole = item.kind == "N" and item.last > item.first and {"in", "normal"} & {*scene.words(statement.head)}
    return [own, *denied] if whole and not bare else denied


def _things(scene: Scene, statement: Statement) -> list[Item]:
    """Return the findings that a plain normal word right before them denies ("normal radiolucency")."""
    item, after = scene.items[statement.head], statement.head + 1
    plain = item.kind == "N" and item.id == scene.knowledge.words.role("plain_normal")
    return [scene.items[after]] if plain and after in statement.modifiers and scene.items[after].kind == "F" else []


def _value(scene: Scene, statement: Statement, item: Item, place: Where) -> list[Said]:
    """A value: of a signal on each sequence, of each quality, or of the structure itself."""
    known = scene.knowledge.index.concepts
    direction = next((name for name in DEVIATION if name in item.types or name == item.kind), _OF_QUALITY.get(item.id, ""))
    way = item.types["signalword"].id if "signalword" in item.types else direction
    names = [f"{one}_{'hyper' if way == 'up' else 'hypo'}intensity" for one in sequences(scene, statement)]
    if way in MOVED and (signals := [name for name in names if name in known]):
        return [Said("F", name, item) for name in signals]
    if way in MOVED and (names := other_way(scene, statement.head, way)):
        return [Said("F", name, item) for name in names]
    since, found = way_since(scene, statement.head, way), list[Said]()
    for quality in qualities_of(scene, statement):
        concept = deviation(scene, quality_id(quality), since)
        if concept is not None:
            found.append(Said("Q", concept, quality, quality_id(quality), item))
    if found or item.kind == "signalword" or (place.bearers and direction in MOVED):
        return found
    if "F" in item.types:
        return [Said("F", item.types["F"].id, item)]
    if not direction or not (place.sites or scene.label):
        return []
    role = _LEVELS.get(scene.said(statement.head).split()[0], _DEVIATING[direction])
    return [Said("Q", scene.knowledge.words.role(role), item, None, item)]


def _quality(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """ "Flow is absent", "with increased attenuation": a quality whose value is whether it is there, or stands beside it."""
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
        return [Said("Q", values.get("dev", ""), item, item.id, item)] if values.get("dev") else []
    concept = deviation(scene, item.id, direction or ("lost" if "lost" in values else "down"))
    # "decreased mineralization", "mineralization is decreased"
    valued = word is not None and (direction == "abnormal" or word.start < item.start or _predicated(scene, word))
    return [Said("Q", concept, item, item.id, word if valued else None)] if concept else []


def _predicated(scene: Scene, word: Item) -> bool:
    """Whether a word is said of what stands before it ("is decreased")."""
    at = scene.items.index(word) - 1
    return at >= 0 and scene.items[at].kind == "cop"


def _directs(scene: Scene, at: int, head: int) -> bool:
    """Whether a modifier is the value of a quality: a direction, or a noun of change right before it ("an increase in")."""
    item = scene.items[at]
    if item.kind in DIRECTIONS or item.id == scene.knowledge.words.role("any_abnormality"):
        return True
    return item.kind == "change" and at < head and _NOUN_OF_CHANGE.match(scene.said(at)) is not None
