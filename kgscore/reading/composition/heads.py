"""One statement of a structure as heads: what it asserts or denies, by the kind of word that heads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from kgscore.model import Detail
from kgscore.reading.compose.phrases import DIRECTIONS, Head, Place
from kgscore.reading.composition.modifiers import MOVED, change_of, details_by_side, details_of, persists
from kgscore.reading.composition.places import OF_MOVEMENT, Where, shifting
from kgscore.reading.composition.scene import Scene, completed, named, noun_after
from kgscore.reading.items import Item
from kgscore.reading.measurement import measurement
from kgscore.reading.structure.values import Statement

# What a status of a structure makes of a finding, and how sure it is.
_STATUS = {
    "present": ("present", "definite"),
    "presupposed": ("present", "definite"),
    "past": ("present", "definite"),
    "possible": ("present", "possible"),
    "probable": ("present", "probable"),
    "absent": ("absent", "definite"),
    "unlikely": ("absent", "probable"),
    "normal": ("normal", "definite"),
}
# The roles of what a direction is of a structure, where no quality is said.
_DEVIATING = {"up": "grown", "down": "shrunken", "lost": "effaced", "abnormal": "any_abnormality"}
_LEVELS = {"low": "lowered", "lower": "lowered", "high": "raised"}
_DEVIATION = {"up": "up", "down": "down", "lost": "lost", "abnormal": "off"}
_VALUES = ("signalword", "up", "down", "lost", "abnormal")
# What stands between a distance and the point from which it is counted.
FROM = re.compile(r"(?:from|above|below|beyond|(?:proxim|dist|crani|caud)al to|(?:super|infer)ior to)\Z", re.IGNORECASE)
# Opens a form of the lexicon that says by itself that something is not there ("no enhancement").
_ABSENCE = re.compile(r"(?:no|not|without)\b")
_SIZED = {"increased": "grown", "decreased": "shrunken"}


class Said(NamedTuple):
    """A concept that a statement names, the kind of head it is, the item that names it, the quality that it is a value of with
    its direction, and the modifier that is `part` of the name."""

    kind: str
    concept: str
    item: Item
    quality: str | None = None
    direction: Item | None = None
    part: int | None = None


def heads_of(scene: Scene, statement: Statement, place: Where) -> list[Head]:
    """Return the heads of a statement at its place: one a quality or sequence that it speaks of, mostly one; none where the
    words that head it name nothing."""
    said = _said(scene, statement, place)
    heads = [_head(scene, statement, place, one) for one in said]
    if heads and heads[0].kind == "F" and heads[0].status == "present":
        heads += [_head(scene, replace(statement, modifiers=()), place, one) for one in _own(scene, statement, heads[0].concept)]
    if statement.status == "absent" and heads:  # "evacuation of the haematoma": that was done, and this is gone
        acts = [scene.items[at] for at in statement.modifiers if scene.items[at].kind == "F"]
        done = [Said("F", item.id, item) for item in acts if item.id in scene.knowledge.words.states]
        for head in heads:
            head.details = [d for d in head.details if d.value not in {act.concept for act in done}]
        bare = replace(statement, status="present", modifiers=())
        heads += [_head(scene, bare, place, act) for act in done]
    return heads


def _said(scene: Scene, statement: Statement, place: Where) -> list[Said]:
    """Return what a statement names."""
    item = scene.items[statement.head]
    kind, normal = item.kind, statement.status == "normal"
    if normal and kind != "N" and "N" in item.types:
        kind = "N"
    if kind == "N":
        return _normal(scene, statement, item)
    if kind == "F" and not (normal and item.adjective and statement.places):
        signals = _signals(scene, statement, item)
        if signals:
            return signals
        own = _meant(scene, statement) if item.id in scene.knowledge.words.empty else None
        concept, part = (own, None) if own else _specific(scene, statement)
        return [Said("F", concept, item, part=part)]
    if normal:
        plain = kind in ("neg", "negpost") and bool(place.sites)  # "negative chest"
        return [Said("N", scene.knowledge.words.role("plain_normal"), item)] if plain else []
    if kind in _VALUES or "signalword" in item.types:
        found = _value(scene, statement, item, place)
        if found:
            return found
    if kind == "Q" and "F" not in item.types:
        return _quality(scene, statement, item)
    sized = kind == "M" and (item.id in scene.knowledge.words.flagged("size_values") or not DIRECTIONS.isdisjoint(item.types))
    if sized and place.sites and not place.bearers:  # "the heart is not large"
        small = "down" in item.types or item.id in scene.knowledge.words.flagged("little")
        return [Said("Q", scene.knowledge.words.role(_DEVIATING["down" if small else "up"]), item)]
    entry = completed(scene, statement.head, "F") or item.types.get("F")
    entry = entry or next((one for one in item.choices if one.type == "F"), None)
    entry = entry or (noun_after(scene, statement.head) if item.kind == "A" else None)
    if entry is not None:
        return [Said("F", entry.id, item)]
    moved = next((scene.items[at].kind for at in statement.modifiers if scene.items[at].kind in MOVED), None)
    if kind == "A" and (adjective := _adjective(scene, statement)) is not None:
        return [Said("F", adjective.id, adjective)]  # "nodes: enlarged"
    if kind == "A" and moved in ("up", "down") and statement.status == "present":
        return [Said("Q", scene.knowledge.words.role(_DEVIATING[moved]), item)]  # "enlarged axillary nodes"
    if kind == "change" and item.id in _SIZED and place.sites and not place.bearers:
        return [Said("Q", scene.knowledge.words.role(_SIZED[item.id]), item)]
    return []


def _signals(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """Return what a signal without a sequence is on the sequences spoken of ("DWI: hyperintense")."""
    values = scene.knowledge.words.qualities.get("signal", {})
    way = next((way for way in ("up", "down") if values.get(way) == item.id), None)
    if way is None:
        return []
    names = (f"{one}_{'hyper' if way == 'up' else 'hypo'}intensity" for one in _sequences(scene, statement))
    return [Said("F", name, item) for name in names if name in scene.knowledge.index.concepts]


def _adjective(scene: Scene, statement: Statement) -> Item | None:
    """Return the finding among the modifiers of a structure that heads a statement."""
    items = (scene.items[at] for at in statement.modifiers)
    return next((item for item in items if item.kind == "F" and item.adjective), None)


def _own(scene: Scene, statement: Statement, concept: str) -> list[Said]:
    """Return the modifiers of a finding that are findings of their own: its enhancement and its signal."""
    own, found = scene.knowledge.words.own, list[Said]()
    for at in statement.modifiers:
        item = scene.items[at]
        entry = item.id if item.kind == "F" else next((e.id for e in item.choices if e.type == "F" and item.kind == "M"), "")
        if entry in own and entry != concept and (concept not in own or item.kind == "F"):
            found.append(Said("F", entry, item))
    return found


def _meant(scene: Scene, statement: Statement) -> str | None:
    """Return the finding that a modifier of an empty noun names: "hypodense area", "fluid shadow"."""
    empty = scene.knowledge.words.empty
    places = [at for place in statement.places for at in place.items if at > statement.head]  # "a dot of hyperdensity"
    items = [scene.items[at] for at in (*places, *statement.modifiers)]
    nouns = [item.id for item in items if item.kind == "F" and item.id not in empty]
    values = [entry.id for item in items if item.kind == "M" for entry in item.choices if entry.type == "F"]
    return next(iter((*reversed(nouns), *values)), None)


def _specific(scene: Scene, statement: Statement) -> tuple[str, int | None]:
    """Return the finding that the head of a statement names, with the words that it shares with its list, or with a modifier that
    stands apart from it ("acute osseous abnormality"), and that modifier."""
    item = scene.items[statement.head]
    whole = completed(scene, statement.head, "F") if item.adjective else None
    if whole is not None and not whole.adjective:
        return whole.id, None
    for at in statement.modifiers:
        if scene.items[at].kind == "M" and at < statement.head:
            entry = named(scene, (*scene.words(at), *scene.words(statement.head)), "F")
            if entry is not None and not entry.adjective:
                return entry.id, at
    return item.id, None


def _qualities(scene: Scene, statement: Statement) -> list[Item]:
    """Return the qualities among the modifiers of a statement."""
    named = [at for place in statement.places for at in place.items if scene.items[at].kind == "Q"]
    items = (scene.items[at] for at in (*statement.modifiers, *named) if at != statement.head)
    return [item for item in items if item.kind == "Q" or ("Q" in item.types and item.kind in ("F", "A"))]


def _normal(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """ "Normal in size and shape", "clear": a denial of the deviation of each quality, or of what the word itself denies."""
    found = [(quality, deviation(scene, _quality_id(quality), None, normal=True)[0]) for quality in _qualities(scene, statement)]
    denied = [Said("Q", concept, quality, _quality_id(quality)) for quality, concept in found if concept is not None]
    own = Said("N", item.types["N"].id if item.kind != "N" else item.id, item)
    if not denied:
        return [own]
    # "Normal in size", one word of the lexicon, "and contour".
    bare = item.id in scene.knowledge.words.flagged("bare_normals") or item.id == scene.knowledge.words.role("plain_normal")
    return [own, *denied] if item.kind == "N" and item.last > item.first + 1 and not bare else denied


def _quality_id(item: Item) -> str:
    return item.types["Q"].id if item.kind != "Q" else item.id


def _sequences(scene: Scene, statement: Statement) -> list[str]:
    """Return the MRI sequences of which a statement speaks: those of its modifiers, or else that of the label."""
    items = [scene.items[at] for at in (*statement.modifiers, statement.head)]
    said = [item.types["seq"].id for item in items if "seq" in item.types]
    return list(dict.fromkeys(said)) or ([scene.sequence] if scene.sequence else [])


def _value(scene: Scene, statement: Statement, item: Item, place: Where) -> list[Said]:
    """A value: of a signal on each sequence, of each quality, or of the structure itself."""
    known = scene.knowledge.index.concepts
    direction = next((name for name in _DEVIATION if name in item.types or name == item.kind), "")
    way = item.types["signalword"].id if "signalword" in item.types else direction
    names = [f"{one}_{'hyper' if way == 'up' else 'hypo'}intensity" for one in _sequences(scene, statement)]
    if way in MOVED and (signals := [name for name in names if name in known]):
        return [Said("F", name, item) for name in signals]
    found = []
    for quality in _qualities(scene, statement):
        concept, _ = deviation(scene, _quality_id(quality), way)
        if concept is not None:
            found.append(Said("Q", concept, quality, _quality_id(quality), item))
    if found or item.kind == "signalword" or (place.bearers and direction in MOVED):
        return found
    if "F" in item.types:
        return [Said("F", item.types["F"].id, item)]
    if not direction or not (place.sites or scene.label):
        return []
    role = _LEVELS.get(scene.said(statement.head), _DEVIATING[direction])
    return [Said("Q", scene.knowledge.words.role(role), item, None, item)]


def _quality(scene: Scene, statement: Statement, item: Item) -> list[Said]:
    """ "Flow is absent", "with increased attenuation": a quality whose value is whether it is there, or stands beside it."""
    direction = next((scene.items[at].kind for at in statement.modifiers if scene.items[at].kind in DIRECTIONS), None)
    values = scene.knowledge.words.qualities.get(item.id, {})
    gone = values.get("lost") or values.get("down", "")
    denied = statement.status in ("absent", "unlikely")
    existing = "lost" in values or scene.knowledge.index.is_any(gone, scene.knowledge.words.flagged("absences"))
    if direction is None and not (existing or denied):
        return []
    if direction is None and denied and not existing:  # "no abnormal signal"
        return [Said("Q", values.get("dev", ""), item, item.id, item)] if values.get("dev") else []
    concept, _ = deviation(scene, item.id, direction or ("lost" if "lost" in values else "down"))
    return [Said("Q", concept, item, item.id)] if concept else []


def deviation(scene: Scene, quality: str, direction: str | None, *, normal: bool = False) -> tuple[str | None, bool]:
    """Return the finding that a value of a quality is (`direction`: up, down, lost or abnormal), and whether that is denied;
    None for a quality that the ontology does not have."""
    values = scene.knowledge.words.qualities.get(quality)
    if values is None:
        return None, normal
    chief = values.get("dev", scene.knowledge.words.role("any_abnormality"))
    return (chief if direction is None or normal else values.get(_DEVIATION[direction], chief)), normal


def _head(scene: Scene, statement: Statement, place: Where, said: Said) -> Head:
    """Return the head of what a statement names, at its place, with its modifiers."""
    status, certainty = _status(scene, statement, said)
    parts = [scene.items[at] for at in (statement.head, *statement.modifiers)]
    head = Head(said.kind, said.concept, said.item, min(i.start for i in parts), max(i.end for i in parts))
    head.status, head.certainty = status, certainty
    if said.kind == "N":
        head.normals = [entry.id for entry in said.item.choices if entry.type == "N"]
    head.quality, head.direction = said.quality, said.direction
    own = {one.item.start for one in _own(scene, statement, said.concept)} if status == "present" else set()
    describing = [at for at in _describing(scene, statement, said) if scene.items[at].start not in own]
    if status == "absent":
        describing = [at for at in describing if scene.items[at].kind != "N"]  # "clear of effusion"
        head.certainty = "probable" if _unlikely(scene, statement.head) else certainty
    head.details = details_by_side(scene, describing, said.concept) or details_of(scene, describing, said.concept)
    head.change = change_of(scene, statement.modifiers)
    if head.change == "resolved" and head.status == "present":
        head.change = "decreased"  # "clearing": on its way
    persisting = persists(scene, statement.modifiers)
    if persisting is not None:
        head.status, head.change = "present", persisting
    elif head.change == "stable" and status == "absent":
        head.status = "present"  # "has not changed" denies the change
    _put(scene, statement, head, place)
    _count_from(scene, statement, head)
    return head


def _unlikely(scene: Scene, at: int) -> bool:
    """Whether the clause of an item says that something is unlikely."""
    ends = [number for number, item in enumerate(scene.items) if item.kind in ("semi", "but")]
    first = max((end for end in ends if end < at), default=0)
    last = min((end for end in ends if end > at), default=len(scene.items))
    return any(item.kind == "hedge" and item.id == "unlikely" for item in scene.items[first:last])


def _count_from(scene: Scene, statement: Statement, head: Head) -> None:
    """ "4 cm above the carina": a distance has a point from which it is counted, and nothing is there."""
    for place in statement.places:
        if not place.items or place.items[0] < 2:
            continue
        at = place.items[0] - 1
        while at > 1 and scene.items[at].kind in ("stop", "sideword"):
            at -= 1
        joint, size = scene.items[at], scene.items[at - 1]
        if size.kind != "meas" or not FROM.match(scene.text, joint.start, joint.end):
            continue
        text = measurement(size.id, scene.knowledge.words.units)[1]
        counted = f"{text} {scene.text[joint.start : scene.items[place.items[-1]].end]}"
        head.details = [d for d in head.details if d.text != text]
        head.details.append(Detail("distance", text, counted))
        point = {scene.items[one].id for one in place.items}
        head.sites = [one for one in head.sites if not point & {name for name, _ in one}]
        tip = any(item.kind == "tip" for item in scene.items[max(0, statement.head - 2) : at])
        head.tip_at_home = tip and head.concept in scene.knowledge.words.devices


def _status(scene: Scene, statement: Statement, said: Said) -> tuple[str, str]:
    """Return status and certainty of a head: a normal word that is denied asserts what it would have denied, and a quality
    that is absent is lost."""
    status, certainty = _STATUS[statement.status]
    if said.kind == "F" and status == "normal":
        return "present", certainty  # "anteverted uterus": a variant that is there
    if said.kind == "F" and status == "absent" and _ABSENCE.match(scene.said(statement.head)):
        return "present", certainty  # "no enhancement" is one word of the lexicon: an absent enhancement
    if said.kind == "N" and status == "absent" and _ABSENCE.match(scene.said(statement.head)):
        return "normal", certainty  # "no abnormality" is one word too
    if said.kind == "N" or (said.quality is not None and said.direction is None and scene.items[statement.head].kind != "Q"):
        return ("present" if status == "absent" else "normal"), certainty
    if said.quality is not None and said.direction is None:
        return ("present" if status == "absent" else "normal"), certainty
    return status, certainty


def _describing(scene: Scene, statement: Statement, said: Said) -> Sequence[int]:
    """Return the modifiers that describe: not the qualities and sequences that are in the concept."""
    own = [at for at in statement.modifiers if scene.items[at] is not said.item and "seq" not in scene.items[at].types]
    own = [at for at in own if at != said.part and not _of_change(scene, at)]
    said_of_places = (
        at for place in statement.places for at in (*place.items, *((place.side,) if place.side is not None else ()))
    )
    return [*own, *(at for at in said_of_places if at not in own and _tells_more(scene, at, said.concept))]


def _of_change(scene: Scene, at: int) -> bool:
    """Whether a degree is that of the change that it stands before ("slightly larger")."""
    after = scene.items[at + 1].kind if at + 1 < len(scene.items) else ""
    return scene.items[at].kind == "M" and after in ("change", "greater", "less")


def _tells_more(scene: Scene, at: int, concept: str) -> bool:
    """Whether a word of a place describes: it names no structure ("the lateral midzone"), or is the way of a shift."""
    item = scene.items[at]
    if item.kind != "M" or "A" in item.types or completed(scene, at, "A") is not None:
        return False
    return item.id not in OF_MOVEMENT or shifting(scene, concept)


def _put(scene: Scene, statement: Statement, head: Head, place: Where) -> None:
    """Put a head where it is said to be, or where what it is said of is, or under its label."""
    head.sites, head.side = list(place.sites), place.side
    subject = scene.items[statement.head]
    if not head.sites and subject.kind == "A":
        head.sites = [((subject.id, subject.side or head.side),)]
    head.sites = _fitting(scene, head)
    head.inherited = head.shared = place.weak
    if not head.sites:
        own = next((entry.site for entry in head.item.types.values() if entry.type in ("Q", "N") and entry.site), None)
        if own is not None:
            head.sites = [((own, head.side),)]
    if not head.sites and scene.label:
        head.sites, head.inherited = list(scene.label), True
        head.side = head.side or scene.label_side
    if head.side is None and not any(side for one in head.sites for _, side in one):
        head.side = head.item.side if head.item.kind == "F" else scene.label_side if not head.sites else None


def _fitting(scene: Scene, head: Head) -> list[tuple[Place, ...]]:
    """Return the places of a head without those where it cannot be: of several, those that others are fit for; a quality that has
    a place of its own is there."""
    if head.kind == "N" or not head.sites:
        return head.sites
    fits = scene.knowledge.fitting.fits
    kept = [one for one in head.sites if any(fits(head.concept, name) for name, _ in one)]
    return kept or ([] if head.kind == "Q" else head.sites)
