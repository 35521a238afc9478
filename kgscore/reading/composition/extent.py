"""Sites that a finding only extends to, and statements about one side of a bilateral finding."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain, pairwise

from kgscore.linking.lexicon import ANATOMY, FINDING
from kgscore.model import Detail
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Statement
from kgscore.reading.structure.values import Place as Said

_REACHING = re.compile(
    r"\b(?:exten(?:d|sion)\w*|spread\w*|track(?:s|ing)|reach\w*|into|towards?)\b(?![^,;]*\bfrom\b)[^,;]*\Z", re.IGNORECASE
)
_NEAR = re.compile(
    r"\b(?:near|close to|next to|adjacent to|abut\w*|bordering|adjoining|contiguous with|in the vicinity of"
    r"|between(?:\s[^,;]*\band)?)\s+(?:the\s+)?(?:(?:left|right)\s+)?\Z",
    re.IGNORECASE,
)

_DENIED = ("absent", "unlikely")
_INTO = re.compile(r"\s+into\s+(?:the\s+)?(?:(?:left|right|both)\s+)?", re.IGNORECASE)


def extend(scene: ParsedSentence, structure: Parse) -> tuple[Parse, dict[int, list[Detail]]]:
    """Return the structure without the places that findings only extend to or lie near, and those, as details, by head."""
    out: list[Statement] = []
    reached: dict[int, list[Detail]] = defaultdict(list)
    for one in structure:
        placed = one.head in [other.head for other in out]
        kept, more = _kept(scene, one, placed=placed)
        reached[one.head] += more
        if kept or not one.places:
            out.append(one._replace(places=tuple(kept)))
    return tuple(out), reached


def _kept(scene: ParsedSentence, one: Statement, *, placed: bool) -> tuple[list[Said], list[Detail]]:
    """Return the places of a statement where its finding is, and the others as details; `placed` if it also has other ones."""
    kept, details = list[Said](), list[Detail]()
    parts = [*chain.from_iterable(_without_extension(scene, one, whole) for whole in one.places)]
    ways = [_reach(scene, one, part) for part in parts]
    anchored = placed or {*ways} != {"near"}  # else "between A and B" is the site
    finding = scene.items[one.head].kind == FINDING
    for place, way in sorted(zip(parts, ways, strict=True), key=lambda part: part[1] == "near"):
        how = "near" if _lies_near(scene, one, kept, place) else way if finding and (kept or placed) else None
        if how == "to" and _enters(scene, one, place, kept):
            kept = [place]
        elif how is None or (how == "near" and not anchored):
            kept.append(place)
        else:
            details += [_detail(scene, how, name) for name in scene.ids(scene.of_kind(ANATOMY, place.items))]
    return kept, details


def _lies_near(scene: ParsedSentence, one: Statement, kept: list[Said], place: Said) -> bool:
    """Whether a place only locates the subject before it ("the liver adjacent to the gallbladder shows a cyst")."""
    before = kept[-1].items if kept else ()
    if one.status in _DENIED or not before or not place.items or not before[-1] < place.items[0] < one.head:
        return False
    return _NEAR.match(scene.text, scene.items[before[-1]].end + 1, scene.items[place.items[0]].start) is not None


def _enters(scene: ParsedSentence, one: Statement, place: Said, kept: list[Said]) -> bool:
    """Whether a finding is named by the place that it enters, not its origin ("bowel herniates into the inguinal canal")."""
    item, fold = scene.items[one.head], scene.index.fold
    into = _INTO.fullmatch(scene.text, item.end, scene.items[place.items[0]].start) is not None
    entered, *others = [fold(item.id, tuple(scene.ids(where.items))) for where in (place, *kept)]
    return into and entered != item.id and {*others} <= {item.id}


def _without_extension(scene: ParsedSentence, one: Statement, place: Said) -> list[Said]:
    """Return a place apart from what it only extends to, or lies near ("near the hilum in the right upper lobe")."""
    items, side = place
    later = side is None or side > min(items, default=0)
    if len(items) > 1 and later and scene.kind(items[0] + 1) == "prep" and _reach(scene, one, place) == "near":
        return [Said(items[:1], None), Said(items[1:], side)]
    for at, (before, after) in enumerate(pairwise(items), 1):
        if _REACHING.search(scene.text, scene.items[before].end, scene.items[after].start):
            sides = (None, side) if side is not None and side > before else (side, None)
            return [Said(items[:at], sides[0]), Said(items[at:], sides[1])]
    return [place]


def _detail(scene: ParsedSentence, how: str, name: str) -> Detail:
    label = scene.vocabulary.labels.get(name, name)
    return Detail("extension", name, f"extending to {label}") if how == "to" else Detail("position", name, f"near {label}")


def _reach(scene: ParsedSentence, one: Statement, place: Said) -> str | None:
    """Return the relation of a head to a place: "to" ("extending into"), "near", or None if it is there."""
    if one.status in _DENIED or not scene.of_kind(ANATOMY, place.items) or place.items[0] < one.head:
        return None
    start, end = scene.items[one.head].end, scene.items[place.items[0]].start
    tipped = scene.items[one.head].id in scene.vocabulary.devices and "tip" in scene.run(one.head, place.items[0])
    if not tipped and _REACHING.search(scene.text, start, end):
        return "to"
    return "near" if _NEAR.search(scene.text, start, end) else None
