"""The structures that one place of a statement names, with their sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from operator import attrgetter

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, NORMAL, QUALITY, UNKNOWN, Entry
from kgscore.ontology.index import level_of
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry, exact_entry
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.level_ranges import expand_levels, expand_ranges
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Place as Said
from kgscore.reading.tokens import Token

_STRANDS = frozenset({"fiber", "fascicle", "bundle", "branch"})  # one structure has several: their plural is no pair

_LISTED = LISTING | {"stop", ANATOMY}
# Kinds of items that may name a structure with a noun of their list.
_NAMING = frozenset((DESCRIPTOR, UNKNOWN, "num", "seq", NORMAL, "up", "down"))
# The pattern of a range: "C3 through C6", "ribs 5-8".
_RANGE = re.compile(r"\b(?:to|through|thru)\b|\w ?[-–] ?\w|\bbetween \w+ and\b", re.IGNORECASE)
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_MOST_JOINED = 8  # items of a place that are tried together as one name


def with_side(places: tuple[SiteAndSide, ...], side: str | None) -> tuple[SiteAndSide, ...]:
    """Return places with a side if they have none."""
    if side is None or any(found for _, found in places):
        return places
    return tuple((name, side) for name, _ in places)


def unsided(sites: Iterable[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return sites without their sides."""
    return [tuple((name, None) for name, _ in one) for one in sites]


def names_in(sites: Iterable[tuple[SiteAndSide, ...]]) -> set[str]:
    """Return the names of sites."""
    return {name for one in sites for name, _ in one}


def sides_in(sites: Iterable[tuple[SiteAndSide, ...]]) -> list[str]:
    """Return the sides of sites, in order."""
    return [side for one in sites for _, side in one if side]


def sites_of(scene: ParsedSentence, place: Said, side: str | None, *, pairs: bool) -> list[tuple[SiteAndSide, ...]]:
    """Return the sites of one place; if `pairs`, the plural of a paired structure is both sides. A label has its own sites."""
    inside = [at for at in place.items if scene.items[at].start >= scene.spoken]
    if scene.label and place.items and not inside:
        return _of_label(scene, place, side)
    if 0 < len(inside) < len(place.items):
        place, side = _of_line(scene, place, inside, side)
    if (stretch := stretch_of(scene, place.items)) is not None:
        return [_with_rest(scene, member, stretch[1], side) for member in stretch[0]]
    if listed := _members(scene, place.items):
        return [*chain.from_iterable(sites_of(scene, Said((at,), place.side), side, pairs=pairs) for at in listed)]
    if (whole := _coordinated_structure(scene, place.items)) is not None:
        own = next(filter(None, (scene.items[at].side for at in place.items)), side)
        return [((whole.id, whole.side or own),)]
    found = _structures(scene, place.items, side, pairs=pairs)
    return [_both_of_pairs(scene, place.items, found)] if found else []


def _of_label(scene: ParsedSentence, place: Said, side: str | None) -> list[tuple[SiteAndSide, ...]]:
    """Return the sites that the headings give to the words of a label, with the side of a place."""
    spoken = place.side is not None and scene.items[place.side].start >= scene.spoken
    return [with_side(one, side) for one in (unsided(scene.label) if spoken else scene.label)]


def _of_line(scene: ParsedSentence, place: Said, inside: list[int], side: str | None) -> tuple[Said, str | None]:
    """Return a place without the words of the label that do not add to those of its line, and its side."""
    kept = tuple(at for at in place.items if at in inside or _around(scene, at, inside))
    labelled = place.side is not None and scene.items[place.side].start < scene.spoken  # "LEFT HILUM: mediastinal invasion"
    if labelled and list(kept) == inside and scene.vocabulary.lateral.isdisjoint(scene.ids(kept)):
        side = None
    return place._replace(items=kept), side


def _structures(scene: ParsedSentence, items: Sequence[int], side: str | None, *, pairs: bool) -> list[SiteAndSide]:
    sites = [site for at in items if (site := _site(scene, at, pairs=pairs)) is not None]
    if not sites:
        return [(joined, side) for joined in _joined(scene, items)]
    if side is None and len(sides := {*sides_in((tuple(sites),))}) == 1:
        side = sides.pop()
    return [(name, one if one and one != "both" else side or one) for name, one in sites]


def _both_of_pairs(scene: ParsedSentence, items: Sequence[int], found: Sequence[SiteAndSide]) -> tuple[SiteAndSide, ...]:
    """Return sites, each once, without "both" for those that are no pair ("both maxillary and ethmoid sinuses" are)."""
    words = scene.vocabulary
    apart = {name for name, side in found if side == "both"} - words.paired - words.lateral
    if apart and any(is_plural(scene, scene.items[at]) for at in items):
        apart -= words.sided - words.kinds
    return tuple(dict.fromkeys((name, None if side == "both" and name in apart else side) for name, side in found))


def _around(scene: ParsedSentence, at: int, inside: Sequence[int]) -> bool:
    """Whether a structure of the label adds to those of its line: they are nested, or no adjectives of the finding."""
    name, others = scene.items[at].id, scene.ids(inside)
    if {*scene.kinds_at((at, *inside))} != {ANATOMY} or not all(scene.items[other].adjective for other in inside):
        return True
    pairs = (pair for other in others for pair in ((name, other), (other, name)))
    related = any(scene.index.inside(*pair) or scene.index.specific(*pair) for pair in pairs)
    return related or scene.is_any(name, "tissues")  # "SCALP: left parietal haematoma"


def _members(scene: ParsedSentence, items: Sequence[int]) -> tuple[int, ...]:
    """Return the items of a place that are members of a list ("ribs 5 and 6", "anterior horn and body"), or none."""
    between = [{*scene.run(one + 1, other)} for one, other in pairwise(items)]
    listed = all(gap & LISTING and gap <= _LISTED for gap in between)
    return tuple(items) if between and listed and all(_site(scene, at, pairs=False) for at in items) else ()


def _coordinated_structure(scene: ParsedSentence, items: Sequence[int]) -> Entry | None:
    """Return the structure that items name with their list ("common femoral and popliteal veins") or as its part, or None."""
    if len(items) < 2:
        return None
    if items[-1] - items[0] == len(items) - 1:
        return _end_of(scene, items) or completed_entry(scene, items[0], ANATOMY, items[-1])
    part, whole = items[:2]
    of = scene.items[part].kind == ANATOMY and _OF.search(scene.text, scene.items[part].end, scene.items[whole].start)
    site = _site(scene, whole, pairs=False) if of and len(items) == 2 else None
    return _named_part(scene, scene.words(part), site[0]) if site else None


def _end_of(scene: ParsedSentence, items: Sequence[int]) -> Entry | None:
    """Return the part of a structure named by an adverb after it ("the femur distally and the tibia proximally")."""
    if scene.kinds_at(items) != [ANATOMY, DESCRIPTOR] or not scene.said(items[1]).endswith("ly"):
        return None
    whole, way = (scene.vocabulary.labels.get(name, "").split() for name in scene.ids(items))
    return exact_entry(scene, (*way, *whole), ANATOMY)


def _named_part(scene: ParsedSentence, words: Sequence[str], whole: str) -> Entry | None:
    """Return the part of a structure that has its own concept ("heads" of "the second metacarpal")."""
    label = tuple(scene.vocabulary.labels.get(whole, "").split())
    return exact_entry(scene, (*words, "of", *label), ANATOMY) or exact_entry(scene, (*label, *words), ANATOMY)


def _with_rest(scene: ParsedSentence, member: Mention, rest: Sequence[Mention], side: str | None) -> tuple[SiteAndSide, ...]:
    """Return a member of a range with the structures named with it, or its part if that has its own concept."""
    parts = [_named_part(scene, tuple(_norms(scene, other)), member.id) for other in rest]
    if len(parts) == 1 and parts[0]:
        return ((parts[0].id, side),)
    return tuple((one.id, side) for one in sorted((member, *rest), key=attrgetter("start")))


def _site(scene: ParsedSentence, at: int, *, pairs: bool) -> SiteAndSide | None:
    item = scene.items[at]
    if item.kind == ANATOMY:
        return _structure(scene, at, pairs=pairs)
    if item.kind in _NAMING and (entry := completed_entry(scene, at, ANATOMY) or item.types.get(ANATOMY)):
        return entry.id, entry.side
    about = (entry.site for entry in item.types.values() if entry.site) if item.kind in (QUALITY, NORMAL) else ()
    return next(((site, item.side) for site in about), None)


def _structure(scene: ParsedSentence, at: int, *, pairs: bool) -> SiteAndSide:
    """Return a structure, named with the noun of its list if it shares one, and its own side."""
    item, words = scene.items[at], scene.vocabulary
    whole = completed_entry(scene, at, ANATOMY) if item.adjective or _shares_noun(scene, at) else None
    name, side = (whole.id, whole.side or item.side) if whole else (item.id, item.side)
    both = pairs and side is None and name in words.paired and is_plural(scene, item)
    return name, "both" if both else side


def _shares_noun(scene: ParsedSentence, at: int) -> bool:
    """Whether a structure in a list may share its noun: a single word, or one after "around the liver and"."""
    item, before, after = scene.items[at], scene.kind(at - 1), scene.kind(at + 1)
    ends, opens = (before or after) in LISTING, (after or before) in LISTING
    if ends and at > 1 and scene.words(at - 2)[:1] == ("around",):
        return True
    numbered = item.id in scene.vocabulary.kinds or level_of(item.id) is not None
    return item.first == item.last and (opens or (ends and numbered))


def is_plural(scene: ParsedSentence, item: Mention) -> bool:
    """Whether the noun of a structure is plural: "in the lower lobes" is in both."""
    if item.adjective:
        return False
    nouns = [item.last, *(at - 1 for at in range(item.first + 1, item.last) if scene.tokens[at].norm == "of")]
    return any(_is_plural_word(scene, scene.tokens[at]) for at in nouns)


def _is_plural_word(scene: ParsedSentence, noun: Token) -> bool:
    """Whether a noun is plural, and not only of the strands of one structure."""
    word, norm = scene.text[noun.start : noun.end].lower(), noun.norm.lower()
    inflected = word != norm and word[:3] == norm[:3] and word.endswith(("s", "i", "ae", "a"))
    return noun.norm not in _STRANDS and (inflected or word.endswith("ices"))


def _joined(scene: ParsedSentence, items: Sequence[int]) -> list[str]:
    """Return the structure that the words of some items name together, the first and longest, or none."""
    items = items[:_MOST_JOINED]
    spans = ((first, last) for at, first in enumerate(items) for last in reversed(items[at:]))
    found = (exact_entry(scene, scene.words(first, last), ANATOMY) for first, last in spans)
    return [entry.id for entry in filter(None, found)][:1]


def stretch_of(scene: ParsedSentence, items: Sequence[int]) -> tuple[list[Mention], list[Mention]] | None:
    """Return the members of a range of levels or numbers ("C3 through C6", "ribs 5-8") and what is named with it, or None."""
    stretch = scene.items[items[0] : items[-1] + 1] if items else ()
    if not stretch or len(stretch) > 5 or not _RANGE.search(scene.text, stretch[0].start, stretch[-1].end):
        return None
    inner = [replace(item) for item in stretch]
    tokens, lexicon = scene.tokens, scene.knowledge.lexicon
    spread = [item for item in expand_ranges(expand_levels(inner, tokens, lexicon), tokens, lexicon) if item.kind == ANATOMY]
    own = {id(item) for item in inner if not any(map(str.isdigit, "".join(_norms(scene, item))))}
    rest, members = ([item for item in spread if (id(item) in own) is whole] for whole in (True, False))
    named = len(scene.of_kind(ANATOMY, items)) - len(rest)
    return (members, rest) if len(members) > max(1, named) else None


def _norms(scene: ParsedSentence, item: Mention) -> Iterable[str]:
    return (token.norm.lower() for token in scene.tokens[item.first : item.last + 1])
