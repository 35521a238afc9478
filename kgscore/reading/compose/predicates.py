"""Values that a list of qualities shares where each has a structure of its own: "heart size and mediastinal contours are normal",
"normal heart size and pulmonary vascularity"."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from kgscore.reading.compose.phrases import DIRECTIONS, LISTS, Phrase
from kgscore.reading.items import Item

_LISTING = frozenset(("and", "or", "comma", "slash"))
_BEFORE_VALUE = frozenset(("neg", "change", "hedge", "past", "other"))
_OF_VALUE = DIRECTIONS | {"N", "M", "sideword", "stop"}

Chunk = Phrase | Item
Span = tuple[int, int]


def values_repeated(chunks: list[Chunk]) -> list[Chunk]:
    """Say the value of such a list of each of its members: "heart size is normal and mediastinal contours are normal"."""
    _share_quality(chunks)
    for at, chunk in enumerate(chunks):
        if isinstance(chunk, Phrase) and at > 1 and (told := _with_verb(chunk)):
            said = [*chunks[:at], *told, *chunks[at + 1 :]]
            members = _members(said, at + 1)
            if members:
                return _after_members(said, members, told[1:])
        if isinstance(chunk, Item) and chunk.kind == "cop" and (end := _value_after(chunks, at)) is not None:
            members = _members(chunks, at)
            if members:
                return _after_members(chunks, members, chunks[at : end + 1])
    for at in range(len(chunks)):
        _into_members(chunks, at)
    return chunks


def _value_after(chunks: list[Chunk], verb: int) -> int | None:
    """Return where the value after a verb stands; one that a quality refines ("normal in size") is said of all anyway."""
    at = verb + 1
    while at < len(chunks) and isinstance(cue := chunks[at], Item) and cue.kind in _BEFORE_VALUE:
        at += 1
    value = chunks[at] if at < len(chunks) else None
    if not isinstance(value, Phrase) or not (value.normals or value.directions):
        return None
    if any(item.kind not in _OF_VALUE for item in value.items):
        return None
    joint, refining = (*chunks[at + 1 : at + 3], None, None)[:2]
    refined = isinstance(joint, Item) and joint.kind == "prep" and isinstance(refining, Phrase) and bool(refining.qualities)
    return None if refined else at


def _with_verb(phrase: Phrase) -> list[Chunk]:
    """Return subject, verb and value of a phrase that says its value last ("hilar contours within normal limits")."""
    values = [item for item in phrase.items if item.kind == "N" or item.kind in DIRECTIONS]
    last = max((item.first for item in (*phrase.sites, *phrase.qualities)), default=-1)
    if not values or phrase.heads or phrase.measures or phrase.items[-len(values) :] != values or values[0].first < last:
        return []
    subject, value = (Phrase(items) for items in (phrase.items[: -len(values)], values))
    for part in (subject, value):
        for item in part.items:
            if item.kind in LISTS:
                getattr(part, LISTS[item.kind]).append(item)
    start = values[0]
    return [subject, Item("cop", "", None, False, start.start, start.start, start.first, start.first), value]


def _members(chunks: list[Chunk], verb: int) -> list[Span]:
    """Return the members of the list before a verb, each with what refines it; none if one value holds for all alike."""
    spans: list[Span] = []
    at = verb - 1
    while at >= 0 and _names(chunk := chunks[at]):
        start = at
        if at > 1 and _is_bare(chunk) and _is_waiting(chunks[at - 2]) and _joins(chunks[at - 1], "prep"):
            start = at - 2  # "the size of the heart"
        spans.insert(0, (start, at + 1))
        at = start - 1
        if at < 0 or not _joins(chunks[at], *_LISTING):
            break
        while at >= 0 and _joins(chunks[at], *_LISTING):
            at -= 1
    merged: list[Span] = []
    for start, stop in spans:
        of_list = merged and _is_waiting(chunks[merged[-1][0]]) and (_is_bare(chunks[start]) or stop - start > 1)
        if merged and (of_list or not (_is_placed(chunks[start]) or stop - start > 1)):
            merged[-1] = (merged[-1][0], stop)  # "heart size and shape", "size and shape of the heart and the aorta"
        else:
            merged.append((start, stop))
    own = [not _is_bare(chunks[start]) for start, _ in merged]
    return merged if any(own[:-1]) and (own[0] or sum(own) > 1) else []


def _after_members(chunks: list[Chunk], members: list[Span], predicate: list[Chunk]) -> list[Chunk]:
    """Repeat verb and value after each member but the last."""
    out = chunks[: members[0][0]]
    for (start, stop), (following, _) in pairwise(members):
        out += [*chunks[start:stop], *(_copy(chunk) for chunk in predicate), *chunks[stop:following]]
    return [*out, *chunks[members[-1][0] :]]


def _share_quality(chunks: list[Chunk]) -> None:
    """Give an adjective the quality that it shares with the next one: "mediastinal and hilar contours"."""
    for at in range(len(chunks) - 3, -1, -1):
        one, joint, other = chunks[at : at + 3]
        if not _joins(joint, *_LISTING) or not isinstance(one, Phrase) or not isinstance(other, Phrase):
            continue
        if not one.sites or not one.sites[-1].adjective or one.items[-1] is not one.sites[-1] or one.heads or one.qualities:
            continue
        if other.sites and other.qualities and other.sites[0].first < other.qualities[0].first and not other.heads:
            twins = [replace(quality) for quality in other.qualities]
            one.items += twins
            one.qualities += twins


def _into_members(chunks: list[Chunk], at: int) -> None:
    """Put the value that begins a list into its later members: "normal heart size and pulmonary vascularity"."""
    first = chunks[at]
    if not isinstance(first, Phrase) or not first.qualities or not _is_placed(first) or first.heads:
        return
    values = [item for item in (*first.normals, *first.directions) if item.first < first.qualities[0].first]
    if not values or first.items[0] is not values[0]:
        return
    later: list[Phrase] = []
    while at + 2 < len(chunks) and _joins(chunks[at + 1], *_LISTING) and _names(chunk := chunks[at + 2]):
        if not isinstance(chunk, Phrase) or not _is_placed(chunk) or (first.directions and not chunk.qualities):
            break
        later.append(chunk)
        at += 2
    if at + 1 < len(chunks) and _joins(chunks[at + 1], "cop", "have", "seen"):
        return
    for phrase in later:
        for value in reversed([replace(value) for value in values]):
            phrase.items.insert(0, value)
            (phrase.normals if value.kind == "N" else phrase.directions).insert(0, value)


def _names(chunk: Chunk) -> bool:
    """Whether a phrase names qualities or structures, and states nothing by itself."""
    if not isinstance(chunk, Phrase) or not (chunk.qualities or chunk.sites):
        return False
    return not (chunk.heads or chunk.normals or chunk.directions or chunk.measures or chunk.unknown)


def _is_placed(chunk: Chunk) -> bool:
    """Whether a phrase says where: by a structure, or by a quality that is always of one ("vertebral body height")."""
    if not isinstance(chunk, Phrase):
        return False
    return bool(chunk.sites) or any(e.site for q in chunk.qualities for e in q.types.values() if e.type == "Q")


def _is_bare(chunk: Chunk) -> bool:
    """Whether a phrase only names structures."""
    return isinstance(chunk, Phrase) and bool(chunk.sites) and not chunk.qualities


def _is_waiting(chunk: Chunk) -> bool:
    """Whether a phrase names a quality, and not of what."""
    return _names(chunk) and isinstance(chunk, Phrase) and bool(chunk.qualities) and not _is_placed(chunk)


def _joins(chunk: Chunk, *kinds: str) -> bool:
    return isinstance(chunk, Item) and chunk.kind in kinds


def _copy(chunk: Chunk) -> Chunk:
    """Return a chunk with items of its own."""
    if isinstance(chunk, Item):
        return replace(chunk)
    twins = {id(item): replace(item) for item in chunk.items}
    lists = {name: [twins[id(item)] for item in getattr(chunk, name)] for name in set(LISTS.values())}
    return Phrase(list(twins.values()), **lists)
