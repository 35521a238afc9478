"""Noun phrases and predicates of a sentence, found around the words that name a finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kgscore.model import Entity
from kgscore.perturbing.source import Line, Unit

_WORD = re.compile(r"[A-Za-zÀ-ÿ0-9][\w.'’]*(?:[-/][\w.'’]+)*")
_SIDE = re.compile(r"(?:left|right|bilateral|both|bilaterally|leftward|rightward)(?:-sided)?\Z", re.IGNORECASE)
_DETERMINER = re.compile(r"(?:a|an|the|some|any|this|that|no|its|another)\Z", re.IGNORECASE)
_PLACED = re.compile(
    r"(?:\s[^,;()]{0,60}?)??\s+(?:(?:is|are|was|were)\s+(?:again\s+)?(?:seen|noted|present|identified|visible|visualized|visualised|demonstrated|observed|detected"
    r"|found|shown)\s+)(?:in|within|at|along|over|on|throughout|around|near)\s+|\s+(?:of|in|within|at|along|over|overlying|involving|on|throughout|around|near)\s+",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"\b(?:is|are|was|were|not|no|the|its|has|have)\b"
    r"|\A(?:obscur|compress|displac|efface?|silhouett|replac|involv|invad|contain|abutt)ing\b"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th|first|second|third|anterior|posterior|medial|lateral|upper|lower|middle)\Z", re.IGNORECASE)
_FILLER = re.compile(r"(?:(?:the|a|an|both|either|each|left|right|bilateral|scanned|visualized|imaged)\s+)*\Z", re.IGNORECASE)
_FURTHER = re.compile(r"\s+(?:of|and)\s+(?:(?:the|both|left|right)\s+)*\Z", re.IGNORECASE)
_SHOWN = re.compile(r"(?:and|visuali[sz]ed|imaged|included|scanned|remaining|of)\Z", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|appears?|remains?|seems?|looks?)\b", re.IGNORECASE)
_BEFORE_PREDICATE = re.compile(
    r"(?:\s|,|\b(?:a|again|also|otherwise|still|grossly|both|not|to|be|and|but|size|in)\b|\w+ly\b)*\Z", re.IGNORECASE
)
_CUT = re.compile(
    r"\s*[;,]\s+(?:(?:and|but|with|while|whereas|which|or)\s+)?|\s+(?:and|but|or|without|plus|while|whereas)\s+|\s+[–—]\s+"
    r"|(?<!keeping)(?<!consistent)(?<!compatible)(?<!associated)(?<!compared)(?<!line)\s+with\s+"
)
_DANGLING = re.compile(
    r"\b(?:in keeping|consistent|compatible|likely|due|secondary|associated|with|of|in|from|by|to|the|which|although|most"
    r"|maybe|possibly)\Z"
)
_LEADING = re.compile(r"(?:though|although|while|whereas|and|but|however)\s+", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r"(?!thickening|narrowing|scarring|swelling|widening|blunting|stranding|bleeding|bulging|crowding|wedging|remodel|lining|tenting|clip)\w+ing\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(r"(?:ed|ic|al|ous|ent)\Z", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:;\s+|,\s+(?:and|but|while|whereas)\s+|,\s+|\s+(?:and|but|while|whereas)\s+)", re.IGNORECASE)
_THERE = re.compile(r"\s*there\b", re.IGNORECASE)


Keep = Callable[[Entity], bool]


def every(entity: Entity) -> bool:
    """Keep all descriptors."""
    return True


def none(entity: Entity) -> bool:
    """Keep no descriptor."""
    return False


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: its words, and its place in the sentence from the first word to the head."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """What is said of a subject: "the heart", "is", up to where the words for the finding begin. No verb: telegram style."""

    subject: str
    verb: str
    start: int
    of_quality: bool


def noun_phrase(line: Line, unit: Unit, *, keep: Keep, attributive: bool = False) -> Phrase | None:
    """Return the noun phrase that names a unit, with side, structures and the descriptors that are to be kept.

    Where the words for it are an adjective (`attributive`), the noun is the structure that follows: "enlarged hilar nodes".
    """
    anchor = unit.anchor
    if anchor is None or anchor.type == "anatomy" or _NO_NOUN.search(anchor.text):
        return None
    start, end = anchor.start - line.start, anchor.end - line.start
    if attributive:
        stop = _structure_after(line, end)
        if stop is None:
            return None
        end = stop
    words = [line.text[start:end]]
    at = start
    while (found := _last_word(line.text, at)) is not None:
        word, first = found
        entity = _entity_at(line, first)
        if entity is not None and entity.type == "anatomy":
            first = entity.start - line.start
            words.insert(0, line.text[first:at].rstrip())
        elif _SIDE.match(word):
            words.insert(0, word)
        elif _DETERMINER.match(word) or _stops(line, unit, word, entity):
            break
        elif entity is not None:
            first = entity.start - line.start
            if entity.type != "descriptor" or keep(entity):
                words.insert(0, line.text[first:at].rstrip())
        elif keep is every:
            words.insert(0, word)
        at = first
    said = " ".join(word for word in words if word).replace("- ", "-")
    return Phrase(said + _place_after(line, end), at, end)


def _structure_after(line: Line, end: int) -> int | None:
    """Return where the structure ends that directly follows an adjective."""
    for entity in line.entities:
        start = entity.start - line.start
        if start >= end and entity.type == "anatomy":
            words = line.text[end:start].split()
            return entity.end - line.start if all(_SIDE.match(word) for word in words) else None
    return None


def _last_word(text: str, end: int) -> tuple[str, int] | None:
    """Return the word that ends before an offset with only a blank or hyphen between, and where it starts."""
    stop = end
    while stop > 0 and text[stop - 1] in " -":
        stop -= 1
    found = None
    for match in _WORD.finditer(text, 0, stop):
        if match.end() == stop:
            found = (match[0], match.start())
    return found


def _entity_at(line: Line, offset: int) -> Entity | None:
    at = line.start + offset
    return next((e for e in line.entities if e.start <= at < e.end), None)


def _stops(line: Line, unit: Unit, word: str, entity: Entity | None) -> bool:
    """Whether a noun phrase cannot go on over a word: nobody knows it, or it names another unit."""
    if entity is None:
        return word.lower() != "to"
    return entity.type != "descriptor" and _named_elsewhere(line, unit, entity)


def _named_elsewhere(line: Line, unit: Unit, entity: Entity) -> bool:
    """Whether an entity names another unit of the sentence."""
    return any(other is not unit and other.anchor == entity for other in line.units)


def _place_after(line: Line, end: int) -> str:
    """Return the structures said after the head: " of the left lower lobe"."""
    text = line.text
    begins = _PLACED.match(text, end)
    if begins is None:
        return ""
    stop = begins.end()
    reached = None
    for entity in line.entities:
        start = entity.start - line.start
        if entity.type != "anatomy" or start < stop:
            continue
        between = text[stop:start] if reached is None else text[reached:start]
        if (_FILLER if reached is None else _FURTHER).match(between) is None:
            break
        if reached is not None and " and " in between and not _ORDINAL.search(line.text[:reached]):
            break
        reached = entity.end - line.start
    if reached is None:
        return ""
    preposition = begins[0].split()[-1]
    return f" {preposition} {text[stop:reached]}"


def predicate(line: Line, unit: Unit) -> Predicate | None:
    """Return the predicate in which a unit is named: "The heart | is | enlarged", "Right lung | | clear"."""
    anchor = unit.anchor
    if anchor is None:
        return None
    text, at = line.text, anchor.start - line.start
    descriptors = [e for e in line.entities if e.type == "descriptor" and e.end <= anchor.start]
    # A verb may stand inside the words that name the finding ("remains clear").
    inside = _VERB.match(text, at)
    verbs = [*_VERB.finditer(text, 0, at), *([inside] if inside else [])]
    verb = verbs[-1] if verbs else None
    if verb is not None:
        between = text[verb.end() : max(at, verb.end())]
        for entity in descriptors:
            between = between.replace(entity.text, " ")
        if _BEFORE_PREDICATE.match(between) is None:
            return None
        start, end, said = _subject_start(text, verb.start()), verb.start(), verb[0]
    else:
        start, end, said = _subject_start(text, at), at, ""
    subject = text[start:end].strip(" ,")
    if not subject or _THERE.match(subject):
        return None
    held = [e for e in line.entities if start <= e.start - line.start < end]
    if any(other.anchor in held for other in line.units if other is not unit and other.anchor is not None):
        return None
    quality = any(e.type.startswith("observation") for e in held)
    if not any(e.type == "anatomy" for e in held) or (not said and not _only_places(text[start:end], held)):
        return None
    return Predicate(subject, said, max(at, verb.end() if verb else at), quality)


def _only_places(text: str, entities: list[Entity]) -> bool:
    """Whether a verbless subject is structures and sides only."""
    for entity in entities:
        text = text.replace(entity.text, " ", 1)
    return all(_SIDE.match(word) or _DETERMINER.match(word) or _SHOWN.match(word) for word in text.split())


def _subject_start(text: str, end: int) -> int:
    """Return where the subject of a verb begins: after the last clause that has a verb of its own."""
    starts = [0, *(m.end() for m in _CLAUSE.finditer(text, 0, end))]
    return next((start for start in starts if _VERB.search(text, start, end) is None), starts[-1])


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a sentence between two cuts, with what stood before it."""

    start: int
    end: int
    before: str


def segments(text: str) -> list[Segment]:
    """Return the parts of a sentence between commas and joining words."""
    found = []
    start, before = 0, ""
    for cut in _CUT.finditer(text):
        found.append(Segment(start, cut.start(), before))
        start, before = cut.end(), cut[0]
    found.append(Segment(start, len(text), before))
    return found


def without(line: Line, units: tuple[Unit, ...]) -> list[str]:
    """Return what is left of a sentence without some of its units, where they can be cut out; at best one text, and with a
    negation that stood before them another one."""
    parts = segments(line.text)
    owner: list[bool | None] = [None] * len(parts)
    for unit in line.units:
        if unit.anchor is None:
            return []
        at = unit.anchor.start - line.start
        number = max(n for n, part in enumerate(parts) if part.start <= at)
        drop = any(unit is one for one in units)
        if owner[number] not in (None, drop):
            return []
        owner[number] = drop
    first = next((flag for flag in owner if flag is not None), None)
    filled: list[bool] = []
    for flag in owner:
        filled.append(flag if flag is not None else (filled[-1] if filled else bool(first)))
    kept = [part for part, drop in zip(parts, filled, strict=True) if not drop]
    if not kept:
        return []
    said = line.text[kept[0].start : kept[0].end]
    for part in kept[1:]:
        said += part.before + line.text[part.start : part.end]
    leading = _LEADING.match(said)
    said = said[leading.end() if leading else 0 :].strip(" ,;.")
    if _DANGLING.search(said) or not _named_in(line, kept[0]):
        return []
    out = [said if _VERB.search(said) else re.sub(r"\A(?:a|an|the)\s+", "", said, flags=re.IGNORECASE)]
    if filled[0] and re.match(r"no\b", line.text, re.IGNORECASE):
        out.insert(0, f"No {said}")
    return out


def _named_in(line: Line, part: Segment) -> bool:
    """Whether a part of a sentence has a noun to stand on: a structure, or a finding that is not a mere participle."""
    held = [e for e in line.entities if part.start <= e.start - line.start < part.end]
    nouns = [e for e in held if e.type != "descriptor"]
    first = line.text[part.start : part.end].split()[:1]
    if not nouns or (first and _PARTICIPLE.match(first[0])):
        return False
    return len(nouns) > 1 or not _ADJECTIVE.search(nouns[0].text)
