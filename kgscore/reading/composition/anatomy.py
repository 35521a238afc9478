"""The structures that one place of a statement names, with their sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, NORMAL, QUALITY, UNKNOWN, Entry
from kgscore.ontology.index import level_of
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry, exact_entry
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.level_ranges import expand_levels, expand_ranges
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Place as Said

_STRANDS = frozenset({"fiber", "fascicle", "bundle", "branch"})  # one structure has several: their plural is no pair

_LISTED = LISTING | {"stop", ANATOMY}
# The pattern of a range: "C3 through C6", "ribs 5-8".
_RANGE = re.compile(r"\b(?:to|through|thru)\b|\w ?[-–] ?\w|\bbetween \w+ and\b", re.IGNORECASE)
_OF = re.compile(r"\bof\b", re.IGNORECASE)
# Maximum number of items of a place that are tried together as one name.
_MOST_JOINED = 8


def with_side(places: tuple[SiteAndSide, ...], side: str | None) -> tuple[SiteAndSide, ...]:
    """Return places with a side if they have none."""
    if side is None or any(found for _, found in places):
        return places
    return tuple((name, side) for name, _ in places)


def sites_of(scene: ParsedSentence, place: Said, side: str | None, *, pairs: bool) -> list[tuple[SiteAndSide, ...]]:
    """Return the sites of one place: usually one; a range of levels has several. For words of the label they are the sites
    given by its headings. The plural of a paired structure is both sides if there is no other place (`pairs`)."""
    inside = [at for at in place.items if scene.items[at].start >= scene.spoken]
    if scene.label and place.items and not inside:
        apart = place.side is not None and scene.items[place.side].start >= scene.spoken
        return [tuple((name, side) for name, _ in one) if apart else with_side(one, side) for one in scene.label]
    if inside and len(inside) < len(place.items):
        kept = tuple(at for at in place.items if at in inside or _around(scene, at, inside))
        single = list(kept) == inside and scene.knowledge.words.lateral.isdisjoint(scene.items[at].id for at in kept)
        if single and place.side is not None and scene.items[place.side].start < scene.spoken:
            side = None  # "LEFT HILUM: mediastinal invasion"
        place = place._replace(items=kept)
    stretch = stretch_of(scene, place.items)
    if stretch:
        return [_with_rest(scene, member, stretch[1], side) for member in stretch[0]]
    listed = _members(scene, place.items)
    if listed:
        return [one for at in listed for one in sites_of(scene, Said((at,), place.side), side, pairs=pairs)]
    whole = _coordinated_structure(scene, place.items)
    if whole is not None:
        own = next((scene.items[at].side for at in place.items if scene.items[at].side), None)
        return [((whole.id, whole.side or own or side),)]
    found: list[SiteAndSide] = []
    for at in place.items:
        site = _site(scene, at, pairs=pairs)
        if site is not None:
            found.append((site[0], side if site[1] == "both" and side else site[1] or side))
    if not found:
        joined = _joined(scene, place.items)
        found = [(joined, side)] if joined else []
    if found and side is None:
        sides = {one for _, one in found if one}
        found = [(name, one or (min(sides) if len(sides) == 1 else None)) for name, one in found]
    words = scene.knowledge.words
    several = any(is_plural(scene, scene.items[at]) for at in place.items)  # "both maxillary and ethmoid sinuses"
    paired = (words.paired, words.lateral, *((words.sided - words.kinds,) if several else ()))
    told = ((name, None if at == "both" and not any(name in pairs for pairs in paired) else at) for name, at in found)
    return [tuple(dict.fromkeys(told))] if found else []


def _around(scene: ParsedSentence, at: int, inside: Sequence[int]) -> bool:
    """Whether the structure of a label adds to those of its line: one contains the other, or has a part of that name; or those
    of the line are not adjectives of the finding."""
    index, name = scene.knowledge.index, scene.items[at].id
    others = [scene.items[other] for other in inside]
    if scene.items[at].kind != ANATOMY or not all(other.kind == ANATOMY and other.adjective for other in others):
        return True
    if index.is_any(name, index.flagged("tissues")):
        return True  # "SCALP: left parietal haematoma"
    return any(
        index.inside(one, two) or index.specific(one, two) is not None
        for other in others
        for one, two in ((name, other.id), (other.id, name))
    )


def _members(scene: ParsedSentence, items: Sequence[int]) -> tuple[int, ...]:
    """Return the items of a place that are members of a list ("ribs 5 and 6", "anterior horn and body") rather than one place;
    empty if there is no such list."""
    between = [scene.items[one + 1 : other] for one, other in pairwise(items)]
    listed = all(gap and any(i.kind in LISTING for i in gap) and all(i.kind in _LISTED for i in gap) for gap in between)
    return tuple(items) if between and listed and all(_site(scene, at, pairs=False) is not None for at in items) else ()


def _coordinated_structure(scene: ParsedSentence, items: Sequence[int]) -> Entry | None:
    """Return the structure that adjacent items name with the noun of their list ("common femoral and popliteal veins"), or
    that is a part of another ("heads of the second and third metacarpals")."""
    if len(items) < 2:
        return None
    if items[-1] - items[0] == len(items) - 1:
        return _end_of(scene, items) or completed_entry(scene, items[0], ANATOMY, items[-1])
    part, *rest = items
    of = scene.items[part].kind == ANATOMY and _OF.search(scene.text, scene.items[part].end, scene.items[rest[0]].start)
    return part_of(scene, part, rest[0]) if of and len(rest) == 1 else None


def _end_of(scene: ParsedSentence, items: Sequence[int]) -> Entry | None:
    """Return the part of a structure named by an adverb after it ("the femur distally and the tibia proximally")."""
    whole, way = scene.items[items[0]], scene.items[items[-1]]
    if len(items) != 2 or (whole.kind, way.kind) != (ANATOMY, DESCRIPTOR) or not scene.said(items[1]).endswith("ly"):
        return None
    label = scene.knowledge.words.labels
    return exact_entry(scene, (*label.get(way.id, "").split(), *label.get(whole.id, "").split()), ANATOMY)


def part_of(scene: ParsedSentence, part: int, whole: int) -> Entry | None:
    """Return the part of a structure that has its own concept ("heads" of "the second metacarpal")."""
    site = _site(scene, whole, pairs=False)
    return _named_part(scene, scene.words(part), site[0]) if site is not None else None


def _named_part(scene: ParsedSentence, words: Sequence[str], whole: str) -> Entry | None:
    label = tuple(scene.knowledge.words.labels.get(whole, "").split())
    forms = ((*words, "of", *label), (*label, *words)) if label else ()
    return next((entry for form in forms if (entry := exact_entry(scene, form, ANATOMY)) is not None), None)


def _with_rest(scene: ParsedSentence, member: Mention, rest: Sequence[Mention], side: str | None) -> tuple[SiteAndSide, ...]:
    """Return a member of a range with the structures named with it, or its part if that has its own concept."""
    side = member.side or side
    parts = [_named_part(scene, tuple(_norms(scene, other)), member.id) for other in rest]
    if len(parts) == 1 and parts[0] is not None:
        return ((parts[0].id, side),)
    return ((member.id, side), *((other.id, side) for other in rest if other.id != member.id))


def _site(scene: ParsedSentence, at: int, *, pairs: bool) -> SiteAndSide | None:
    """Return the structure that an item names, and its own side."""
    item = scene.items[at]
    if item.kind == ANATOMY:
        beside = [scene.items[other].kind for other in (at - 1, at + 1) if 0 <= other < len(scene.items)]
        last = beside[0] in LISTING and (item.id in scene.knowledge.words.kinds or level_of(item.id) is not None)
        around = beside[0] in LISTING and at > 1 and scene.words(at - 2)[:1] == ("around",)  # "around the liver and spleen"
        alone = around or (item.first == item.last and (last or beside[-1] in LISTING))
        whole = completed_entry(scene, at, ANATOMY) if item.adjective or alone else None
        name, side = (whole.id, whole.side or item.side) if whole else (item.id, item.side)
        both = pairs and side is None and name in scene.knowledge.words.paired and is_plural(scene, item)
        return name, "both" if both else side
    if item.kind in (DESCRIPTOR, UNKNOWN, "num", "seq", NORMAL, "up", "down"):
        other = item.types.get(ANATOMY) if item.kind != "num" else None
        entry = completed_entry(scene, at, ANATOMY) or other
        if entry or item.kind != NORMAL:
            return (entry.id, entry.side or item.side) if entry else None
    if item.kind in (QUALITY, NORMAL) and (about := next((e.site for e in item.types.values() if e.site), None)):
        return about, item.side
    return None


def is_plural(scene: ParsedSentence, item: Mention) -> bool:
    """Whether the noun of a structure is plural: "in the lower lobes" is in both."""
    nouns = [
        scene.tokens[item.last],
        *(scene.tokens[at - 1] for at in range(item.first + 1, item.last) if scene.tokens[at].norm == "of"),
    ]
    said = (scene.text[noun.start : noun.end].lower() for noun in nouns)
    return not item.adjective and any(
        word.endswith("ices")
        or (word != noun.norm.lower() and word[:3] == noun.norm.lower()[:3] and word.endswith(("s", "i", "ae", "a")))
        for word, noun in zip(said, nouns, strict=True)
        if noun.norm not in _STRANDS
    )


def _joined(scene: ParsedSentence, items: Sequence[int]) -> str | None:
    """Return the structure that several items name together, if none does by itself."""
    items = items[:_MOST_JOINED]
    for first in range(len(items)):
        for last in range(len(items) - 1, first - 1, -1):
            entry = exact_entry(scene, scene.words(items[first], items[last]), ANATOMY)
            if entry is not None:
                return entry.id
    return None


def stretch_of(scene: ParsedSentence, items: Sequence[int]) -> tuple[list[Mention], list[Mention]] | None:
    """Return the members of a range of levels or numbered structures ("C3 through C6", "ribs 5-8") and the other structures
    named with it; None if there is no range."""
    if not items:
        return None
    stretch = scene.items[items[0] : items[-1] + 1]
    if not stretch or len(stretch) > 5 or not _RANGE.search(scene.text, stretch[0].start, stretch[-1].end):
        return None
    inner = [replace(item) for item in stretch]
    tokens, lexicon = scene.tokens, scene.knowledge.lexicon
    spread = [item for item in expand_ranges(expand_levels(inner, tokens, lexicon), tokens, lexicon) if item.kind == ANATOMY]
    rest = [item for item in inner if any(item is one for one in spread) and not _numbered(scene, item)]
    members = [item for item in spread if not any(item is one for one in rest)]
    named = sum(scene.items[at].kind == ANATOMY for at in items) - len(rest)
    return (members, rest) if len(members) > max(1, named) else None


def _numbered(scene: ParsedSentence, item: Mention) -> bool:
    """Whether an item is a level or a number."""
    return any(letter.isdigit() for word in _norms(scene, item) for letter in word)


def _norms(scene: ParsedSentence, item: Mention) -> Iterable[str]:
    return (token.norm.lower() for token in scene.tokens[item.first : item.last + 1])
