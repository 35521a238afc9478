"""What composition works on: noun phrases of items, heads in the making, and what it must know of concepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kgscore.model import Detail
from kgscore.reading.items import Item
from kgscore.reading.units import Units

Place = tuple[str, str | None]
DIRECTIONS = frozenset(("up", "down", "lost", "abnormal"))
_IN_PHRASE = DIRECTIONS | {"A", "F", "M", "Q", "N", "sideword", "meas", "num", "W", "stop", "dash", "hash"}
_BOTH = {"left", "right"}
_ADVERB = re.compile(r"ly\Z", re.IGNORECASE)
# The noun of a change.
_CHANGING = re.compile(r"(?:ment|crease|gression|lution|ening|growth|clearing|duction)(?: (?:in|of)\b.*)?\Z", re.IGNORECASE)
_ACTS_ON = re.compile(r"[a-z]+(?:s|ing)\s+(?:the|both|its|exiting|descending|traversing)\b", re.IGNORECASE)
_BARE_ACT = re.compile(
    r"(?:indent|compress|contact|efface|displace|deform|flatten|narrow|encase|invade|distort)\s+(?:the|both|its)\b", re.IGNORECASE
)
_ACTING = re.compile(r"(?:ing|es|[^s]s)\Z", re.IGNORECASE)


# The list of a phrase in which items of a kind stand.
LISTS = {
    "A": "sites", "F": "heads", "M": "modifiers", "Q": "qualities", "N": "normals",
    "sideword": "sides", "meas": "measures", "W": "unknown", **dict.fromkeys(DIRECTIONS, "directions"),
}  # fmt: skip


@dataclass(slots=True)
class Head:
    """One finding in the making. `sites` is a list of alternatives (coordination); each is the nested sites of one finding.
    `within` are structures spoken of before those, and `lent` concept and side of the finding that this one
    goes with, and whether it is its cause; where none is said, it is at the place of `host`. `whole`: it is said of all
    that was examined; `overall`: of no lesion spoken of before. `built` remembers its findings, by what stood around it."""

    kind: str
    concept: str
    item: Item
    start: int
    end: int
    sites: list[tuple[Place, ...]] = field(default_factory=list)
    side: str | None = None
    status: str = "present"
    certainty: str = "definite"
    details: list[Detail] = field(default_factory=list)
    change: str | None = None
    alternatives: list[str] = field(default_factory=list)
    quality: str | None = None
    compare: tuple[str, str] | None = None
    inherited: bool = False
    shared: bool = False
    otherwise: bool = False
    whole: bool = False
    overall: bool = False
    tips: list[str] = field(default_factory=list)
    tip_at_home: bool = False
    dead: bool = False
    joined: bool = True
    outer: list[tuple[Place, ...]] = field(default_factory=list)
    definite: bool = False
    direction: Item | None = None
    normals: list[str] = field(default_factory=list)
    within: tuple[str, ...] = ()
    within_side: str | None = None
    lent: tuple[str, str, bool] | None = None
    host: str | None = None
    built: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)


@dataclass(slots=True)
class Phrase:
    """A noun phrase: its items by type."""

    items: list[Item]
    sites: list[Item] = field(default_factory=list)
    heads: list[Item] = field(default_factory=list)
    modifiers: list[Item] = field(default_factory=list)
    qualities: list[Item] = field(default_factory=list)
    normals: list[Item] = field(default_factory=list)
    directions: list[Item] = field(default_factory=list)
    sides: list[Item] = field(default_factory=list)
    measures: list[Item] = field(default_factory=list)
    unknown: list[Item] = field(default_factory=list)


def phrases(items: list[Item], text: str) -> list[Phrase | Item]:
    """Cut items into noun phrases and operators."""
    out: list[Phrase | Item] = []
    current: Phrase | None = None
    for position, item in enumerate(items):
        kind = item.kind
        if kind == "stop" or (kind == "dash" and current is None) or _how_much(items, position, text):
            continue
        if kind == "dash" and len(out) > 1 and current is not None and _concludes(items, position, current):
            item.kind = kind = "semi"
        if _acts(item, current, text) or _acts_after(items, position, current, text) or _acts_from(item, out, text):
            out.append(Item("cause", "", None, False, item.start, item.start, item.first, item.first))
            current = None
        bare = kind in ("A", "sideword") and current is not None and current.sites and not current.heads
        if bare and text[max(0, item.start - 4) : item.start].lower() == "the ":
            current = None  # "apart from scarring at the apices the lungs are clear"
        if kind in _IN_PHRASE:
            if current is None:
                current = Phrase([])
                out.append(current)
            current.items.append(item)
            if kind in LISTS:
                getattr(current, LISTS[kind]).append(item)
        else:
            current = None
            out.append(item)
    return _sides_completed(_normals_joined(_adjectives_joined(out)), text)


def _how_much(items: list[Item], position: int, text: str) -> bool:
    """Whether a word only tells how much something changed ("slightly larger", "marked improvement")."""
    item = items[position]
    after = items[position + 1] if item.kind == "M" and position + 1 < len(items) else None
    if after is None or after.kind not in ("change", "greater", "less"):
        return False
    return _ADVERB.search(text, item.start, item.end) is not None or _CHANGING.search(text, after.start, after.end) is not None


def _concludes(items: list[Item], position: int, current: Phrase) -> bool:
    """Whether a noun phrase of a finding follows a dash that ends a clause ("dilated loops - bowel obstruction")."""
    after = next((i for i in items[position + 1 :] if i.kind not in ("stop", "M", "sideword")), None)
    if after is not None and after.kind == "neg" and current.heads:
        return True  # "thickening at both hila - no consolidation"
    return after is not None and after.kind == "F" and not after.adjective and bool(current.sites or current.heads)


def _sides_completed(chunks: list[Phrase | Item], text: str) -> list[Phrase | Item]:
    """Give a bare side the noun that it shares with the other one: "moderate right and mild left foraminal narrowing"."""
    for at in range(len(chunks) - 2):
        one, joint, other = chunks[at : at + 3]
        if _is(joint, "and") and at > 1 and _is(chunks[at - 1], "cop"):
            _predicate_completed(chunks[at - 2], one, other)
            _adverb_completed(one, other, chunks[at + 3 : at + 5])
        if not isinstance(one, Phrase) or not isinstance(other, Phrase) or not _is(joint, "and", "or", "comma", "slash"):
            continue
        if not _is(joint, "and", "or") and not one.modifiers:
            continue
        if len(one.sides) != 1 or len(other.sides) != 1 or one.items[-1] is not one.sides[0] or not other.heads:
            continue
        if one.sites or one.heads or one.normals or one.qualities or one.unknown or {one.sides[0].id, other.sides[0].id} != _BOTH:
            continue
        if text[one.sides[0].start : one.sides[0].end].lower() not in _BOTH or other.sides[0].first > other.heads[0].first:
            continue
        shared = [item for item in other.items if item.first > other.sides[0].first and item.kind in ("A", "F")]
        twins = {id(item): replace(item) for item in shared}
        one.items += twins.values()
        one.sites = [twins[id(item)] for item in other.sites if id(item) in twins]
        one.heads = [twins[id(item)] for item in other.heads if id(item) in twins]
    return chunks


def _place_explained(chunks: list[Phrase | Item]) -> list[Phrase | Item]:
    """Put a finding into one phrase with its place and another one in brackets ("right cerebellar (PICA) infarct")."""
    for at in range(len(chunks) - 4):
        place, around, finding = chunks[at], chunks[at + 2], chunks[at + 4]
        if not _is(chunks[at + 1], "open") or not _is(chunks[at + 3], "close"):
            continue
        if not (isinstance(place, Phrase) and isinstance(around, Phrase) and isinstance(finding, Phrase)):
            continue
        bare = {item.kind for item in (*place.items, *around.items)} <= {"A", "sideword", "M"}
        if bare and place.sites and around.sites and finding.heads and not (finding.sites or finding.sides):
            finding.items[:0], finding.modifiers[:0] = [*place.items, *around.items], [*place.modifiers, *around.modifiers]
            finding.sites, finding.sides = [*place.sites, *around.sites], [*place.sides, *around.sides]
            return [*chunks[:at], *_place_explained(chunks[at + 4 :])]
    return chunks


def _unbracketed(chunks: list[Phrase | Item]) -> list[Phrase | Item]:
    """Take the size in brackets after the adjectives that open a sentence for one of them ("dilated (11 mm), thick-walled")."""
    if len(chunks) < 5 or not _is(chunks[1], "open") or not _is(chunks[3], "close") or not _describes(chunks[0]):
        return chunks
    first, size = chunks[0], chunks[2]
    if not isinstance(first, Phrase) or not isinstance(size, Phrase) or any(item.kind != "meas" for item in size.items):
        return chunks
    first.items += size.items
    first.measures += size.measures
    return [first, *chunks[4:]]


def _adverb_completed(one: Phrase | Item, other: Phrase | Item, rest: list[Phrase | Item]) -> None:
    """Give an adverb the adjective of the next clause: "the canal is severely and both foramina are moderately narrowed"."""
    if not isinstance(one, Phrase) or not isinstance(other, Phrase) or len(rest) < 2 or not _is(rest[0], "cop"):
        return
    predicate = rest[1]
    if not isinstance(predicate, Phrase) or not predicate.heads or not predicate.heads[-1].adjective or predicate.sites:
        return
    if other.sites and not other.heads and one.modifiers and len(one.modifiers) == len(one.items):
        twin = replace(predicate.heads[-1])
        one.items.append(twin)
        one.heads.append(twin)


def _predicate_completed(subject: Phrase | Item, one: Phrase | Item, other: Phrase | Item) -> None:
    """Give an adverb the adjective that it shares: "the right foramen is severely and the left moderately narrowed"."""
    if not isinstance(subject, Phrase) or not isinstance(one, Phrase) or not isinstance(other, Phrase):
        return
    if not subject.sites or not other.sides:
        return
    side = subject.sides[-1].id if subject.sides else subject.sites[-1].side
    if {side, other.sides[0].id} != _BOTH:
        return
    if not one.modifiers or len(one.modifiers) < len(one.items) or other.items[0] is not other.sides[0] or other.sites:
        return
    head = other.heads[-1] if other.heads else None
    if head is None or not head.adjective:
        return
    twin, place = replace(head), replace(subject.sites[-1], side=None)
    one.items.append(twin)
    one.heads.append(twin)
    other.items.insert(1, place)
    other.sites.append(place)


def _adjectives_joined(chunks: list[Phrase | Item]) -> list[Phrase | Item]:
    """Join adjectives that open a sentence to the structure after their comma ("grossly enlarged, globular cardiac outline")."""
    chunks = _place_explained(_unbracketed(chunks))
    before: list[Phrase] = []
    at = 0
    while at + 2 < len(chunks) and _describes(chunks[at]) and _is(chunks[at + 1], "comma", "and"):
        before.append(chunks[at])  # type: ignore[arg-type]
        at += 1 + 1 + _is(chunks[at + 2], "and")
    last = chunks[at] if any(phrase.heads for phrase in before) and at < len(chunks) else None
    if not isinstance(last, Phrase) or not last.sites or last.normals or last.qualities:
        return chunks
    if last.items[0].kind in ("A", "sideword"):
        return chunks
    if any(not head.adjective or head.first > last.sites[0].first for head in last.heads):
        return chunks
    joined = Phrase([item for phrase in before for item in phrase.items] + last.items, last.sites)
    for phrase in (*before, last):
        joined.heads += phrase.heads
        joined.modifiers += phrase.modifiers
        joined.directions += phrase.directions
        joined.measures += phrase.measures
    joined.sides, joined.unknown = last.sides, last.unknown
    return [joined, *chunks[at + 1 :]]


def _normals_joined(chunks: list[Phrase | Item]) -> list[Phrase | Item]:
    """Join a normal word that opens a sentence to the next one, of the same structure ("clear, well-inflated lungs")."""
    if len(chunks) < 3 or not _is(chunks[1], "comma", "and"):
        return chunks
    first, last = chunks[0], chunks[2]
    if not isinstance(first, Phrase) or not isinstance(last, Phrase) or not first.normals or not last.normals or not last.sites:
        return chunks
    alone = all(item.kind == "N" for item in first.items) and not (last.heads or last.qualities or last.directions)
    if not alone or last.normals[0].first > last.sites[0].first:
        return chunks
    last.items[:0], last.normals[:0] = first.items, first.normals
    return chunks[2:]


def _describes(chunk: Phrase | Item) -> bool:
    """Whether a phrase holds nothing but adjectives and descriptors."""
    return (
        isinstance(chunk, Phrase)
        and bool(chunk.heads or chunk.modifiers)
        and all(head.adjective for head in chunk.heads)
        and not (chunk.sites or chunk.sides or chunk.normals or chunk.qualities or chunk.unknown)
    )


def _is(chunk: Phrase | Item, *kinds: str) -> bool:
    return isinstance(chunk, Item) and chunk.kind in kinds


def _acts(item: Item, current: Phrase | None, text: str) -> bool:
    """Whether a word is a verb between two findings ("mass compressing the cord", "bulge contacts the root"): it begins a
    phrase of its own."""
    if item.kind != "F" or current is None or all(head.adjective for head in current.heads):
        return False
    if _BARE_ACT.match(text, item.start):
        return True  # "complexes indent the thecal sac"
    if item.adjective:
        return _ACTING.search(text, item.start, item.end) is not None
    return item.first == item.last and _ACTS_ON.match(text, item.start) is not None


def _acts_after(items: list[Item], position: int, current: Phrase | None, text: str) -> bool:
    """Whether an adjective is a verb after the place of what acts ("a bulge at L3-L4 indenting the thecal sac")."""
    item = items[position]
    if item.kind != "F" or not item.adjective or current is None or not current.sites or current.heads:
        return False
    after = [other.kind for other in items[position + 1 : position + 4] if other.kind != "stop"]
    before = next((other for other in reversed(items[:position]) if other not in current.items and other.kind != "stop"), None)
    if before is None or before.kind not in ("prep", "and") or "A" not in after[:2] or "F" in after[:2]:
        return False
    return (_BARE_ACT.match(text, item.start) or _ACTING.search(text, item.start, item.end)) is not None


def _acts_from(item: Item, chunks: list[Phrase | Item], text: str) -> bool:
    """Whether an adjective is a verb after the place of a finding ("mass in the lobe invading the chest wall")."""
    if item.kind != "F" or not item.adjective or len(chunks) < 3 or not _is(chunks[-2], "prep"):
        return False
    place, before = chunks[-1], chunks[-3]
    if not isinstance(place, Phrase) or not place.sites or place.heads or place.items[-1].kind not in ("A", "sideword", "num"):
        return False
    noun = isinstance(before, Phrase) and any(not head.adjective for head in before.heads)
    return noun and _ACTING.search(text, item.start, item.end) is not None


_NOBODY: frozenset[str] = frozenset()


@dataclass(slots=True)
class Vocabulary:
    """The few facts about concepts that composition asks for."""

    empty: frozenset[str]
    qualities: dict[str, dict[str, str]]
    generic: frozenset[str]
    labels: dict[str, str]
    parents: dict[str, str]
    devices: frozenset[str]
    own: frozenset[str]
    placed: frozenset[str]
    settled: frozenset[str]
    kinds: frozenset[str]
    states: frozenset[str]
    paired: frozenset[str]
    local: frozenset[str]
    lateral: frozenset[str]
    limits: Mapping[str, Any]
    seen: frozenset[str]
    lumps: frozenset[str]
    units: Units
    roles: Mapping[str, frozenset[str]]

    def flagged(self, role: str) -> frozenset[str]:
        """Return the concepts that have a role (`kgscore.ontology.roles`)."""
        return self.roles.get(role, _NOBODY)

    def role(self, role: str) -> str:
        """Return the one concept of a role, or "" where the ontology has none."""
        return min(self.roles.get(role, _NOBODY), default="")

    def detail(self, concept: str) -> Detail:
        """Return a descriptor as a detail: category, value, text."""
        return Detail(self.parents.get(concept, "nature"), concept, self.labels.get(concept, concept))
