"""Descriptors and measurements of a head as details, and its change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Detail
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.mentions import Mention

# The text of a bound ("no nodule larger than 6 mm").
_BOUNDS = {"<": "smaller than", ">": "larger than", "<=": "at most", ">=": "at least"}
LARGEST = re.compile(r"\b(?:largest|biggest|the (?:larger|bigger))\b")
_BEFORE = re.compile(
    r"\b(?:previously|formerly|was|were|from|prior(?: study| exam)?|compared (?:to|with)|versus)\s*(?:(?:it|they|this)\s+)?"
    r"(?:of|at|measur\w+)?\s*\Z"
)
_THEN = re.compile(
    r"\s*(?:previously|before|on (?:the )?(?:prior|previous|last)|(?:in|on|of|from|at) (?:[a-z]+ )?(?:19|20)\d\d\b)"
)
_CLAUSE_END = re.compile(r"[.;]\s")
# Two sizes of which the second is the current one ("from 8 to 10 mm").
_SPAN = re.compile(r"([\d.]+)-([\d.]+)( ?[^\d\s]\S*)")
MOVED = {"up": "increased", "down": "decreased", "greater": "increased", "less": "decreased"}
# Kinds of modifiers that are no descriptors though their word may be one.
_OTHERWISE = frozenset((*MOVED, "change", QUALITY, UNKNOWN))
_CHANGING = re.compile(
    r"(?:increas|decreas|reduc|diminish|grow|enlarg|shrink|shrunk|larger|bigger|smaller|wors|improv|progress|great|less|more|fewer|[↑↓])"
)
_STILL = re.compile(r"(?:(?:is|has|have|not|yet|been|un)[ -]?)*(?:resolv|clear|persist)")
# Before "resolved": not, or not completely.
_FAILED = re.compile(r"\b(?:fail(?:ed|s)? to|not(?: yet)?|never|without)\s+(?:been\s+)?\w+\W*\Z")
_PARTLY = re.compile(
    r"\b(?:near(?:ly)?|almost|partial(?:ly)?|incomplete(?:ly)?|largely|mostly|not\s+(?:been\s+)?(?:entirely|completely|fully|wholly))\b"
    r"[^.;,]*\Z"
)
# Kinds of items between a modifier and its side.
_OF_SIDE = frozenset(("prep", "open", "stop", "change"))
_DENIALS = frozenset(("neg", "negpost"))
# A comparative directly before a site compares sites, not times ("worse in the right base").
_COMPARATIVE = re.compile(r"(?:similarly|worse|greater|larger|smaller|bigger|(?:more|less) \w+)\Z")
_ENLARGED = re.compile(r"(?:\b(?:has|have|had) (?:\w+ )?enlarged|enlarging)\Z", re.IGNORECASE)


def details_of(scene: ParsedSentence, modifiers: Sequence[int], concept: str = "") -> list[Detail]:
    """Return the details that modifiers give to a head of a concept: descriptors, adjectives and measurements."""
    found: list[Detail] = []
    for at in modifiers:
        found += _details(scene, at, concept, found)
    return found


def _details(scene: ParsedSentence, at: int, concept: str, known: Sequence[Detail]) -> list[Detail]:
    """Return the details that one modifier gives to a head of a concept, besides those known."""
    words, item = scene.knowledge.words, scene.items[at]
    if item.kind == "meas":
        return _measured(scene, item, any(one.category == "length" for one in known))
    if item.kind == DESCRIPTOR:  # not "with peripheral distribution"
        nothing = item.id in words.flagged("says_nothing")
        return [] if nothing else [words.detail(item.id), *_size_word(scene, item)]
    if item.kind == FINDING:
        described = item.id not in words.empty and item.id != concept and directional_change(scene, at) is None
        return [_of_finding(scene, at)] if described else []
    if item.kind == NORMAL:
        return _of_normal(scene, at, concept)
    entry = item.types.get(DESCRIPTOR)
    return [words.detail(entry.id)] if entry and item.kind not in _OTHERWISE else []


def _of_normal(scene: ParsedSentence, at: int, concept: str) -> list[Detail]:
    """Return the state that a normal word gives to a lesion or device (not "there is clearly a nodule")."""
    words, item = scene.knowledge.words, scene.items[at]
    if item.id == words.role("plain_normal") or scene.said(at).endswith("ly"):
        return []
    entry = item.types.get(DESCRIPTOR) if concept not in words.devices else None  # "a cyst, well defined"
    return [words.detail(entry.id) if entry else state_detail(scene, item)]


def _of_finding(scene: ParsedSentence, at: int) -> Detail:
    """Return the detail that a finding gives to another one: its descriptor, look or nature."""
    words, item = scene.knowledge.words, scene.items[at]
    if (entry := item.types.get(DESCRIPTOR)) is not None:
        return words.detail(_or_opposite(scene, at, entry.id))
    look = words.looks.get(item.id)
    return words.detail(look) if look else Detail("nature", item.id, words.labels.get(item.id, item.id))


def opposite_of_break(scene: ParsedSentence, value: str) -> str | None:
    """Return the opposite of a descriptor of broken bones ("displaced"), or None."""
    words, opposites = scene.knowledge.words, scene.knowledge.index.opposites.get(value, frozenset())
    return min(opposites, default=None) if words.parents.get(value) in words.flagged("of_breaks") else None


def _or_opposite(scene: ParsedSentence, at: int, value: str) -> str:
    """Return a descriptor, or its opposite if it is negated ("the fracture is not displaced")."""
    told = scene.kind(at + 1) not in (FINDING, ANATOMY, DESCRIPTOR)  # not "no displaced fracture"
    return (opposite_of_break(scene, value) if told and _denied(scene, at) else None) or value


def details_by_side(scene: ParsedSentence, modifiers: Sequence[int], concept: str) -> list[Detail]:
    """Return details that differ by side ("12 mm on the right and 8 mm on the left"), marked for the builder; else none."""
    split = graded_by_side(scene, modifiers, concept)
    told = [(_side_of(scene, at), one) for at in modifiers for one in details_of(scene, (at,), concept)] if split else []
    told = [(side if one.category in split else None, one) for side, one in told]
    return [Detail(one.category, one.value, f"{side}: {one.text}") if side else one for side, one in told]


def graded_by_side(scene: ParsedSentence, modifiers: Sequence[int], concept: str = "") -> set[str]:
    """Return the categories of details with different modifiers on the left and on the right."""
    graded = {(detail.category, _side_of(scene, at)) for at in modifiers for detail in details_of(scene, (at,), concept)}
    return {category for category, _ in graded if {(category, "left"), (category, "right")} <= graded}


def _side_of(scene: ParsedSentence, at: int) -> str | None:
    """Return the nearest side beside a modifier ("severe on the right", "right severe")."""
    for other in (at + 1, at - 1, at + 2, at - 2, at + 3, at - 3):
        beside = _OF_SIDE.issuperset(scene.run(min(at, other) + 1, max(at, other)))
        if beside and scene.kind(other) and scene.items[other].id in ("left", "right"):
            return scene.items[other].id
    return None


def state_detail(scene: ParsedSentence, normal: Mention) -> Detail:
    """Return a normal word for a device or a lesion as a detail of it ("wires intact", "tip in good position")."""
    words = scene.knowledge.words
    name = words.normals.get(normal.id, normal.id)
    category = "integrity" if name in words.flagged("sound") else "state"
    return Detail(category, name, words.labels.get(name, name))


def _size_word(scene: ParsedSentence, item: Mention) -> list[Detail]:
    """Return the size that a descriptor expresses itself ("subcentimeter")."""
    said = scene.knowledge.words.units.words.get(scene.text[item.start : item.end].lower().replace("-", ""))
    return [Detail(said[0], said[1], said[1].replace("<", "smaller than "))] if said else []


def _measured(scene: ParsedSentence, item: Mention, sized: bool) -> list[Detail]:
    """Return a measurement as details: current, previous ("from 8 to 10 mm"), of the largest, or a bound."""
    units = scene.knowledge.words.units
    kind, text = measurement(item.id, units)
    before = _CLAUSE_END.split(scene.text[max(0, item.start - 45) : item.start].lower())[-1]
    span = _SPAN.fullmatch(text)
    if span and before.endswith("from "):
        earlier, now = span[1] + span[3], span[2] + span[3]
        return [Detail("previous", earlier, f"previously {earlier}"), Detail(kind, now, now)]
    if before.endswith("between "):
        text = text.replace(" and ", "-")
    if bound := bounded(before, units):
        return [Detail(kind, bound + text, f"{_BOUNDS[bound]} {text}")]
    if _BEFORE.search(before) or ((sized or before.endswith("measured ")) and _THEN.match(scene.text.lower(), item.end)):
        return [Detail("previous", text, f"previously {text}")]
    if LARGEST.search(before):
        return [Detail(kind, text, f"largest {text}")]
    return [Detail(kind, text, text)]


def persists(scene: ParsedSentence, modifiers: Sequence[int]) -> str | None:
    """Return the change of a finding that has not, or not completely, resolved; None if that is not stated."""
    for at in modifiers:
        item = scene.items[at]
        if item.kind == "change" and item.id == "resolved":
            before = scene.text[max(0, item.start - 30) : item.end].lower()
            if _FAILED.search(before):
                return "stable"
            if _PARTLY.search(before):
                return "decreased"
    return None


def change_of(scene: ParsedSentence, modifiers: Sequence[int]) -> str | None:
    """Return the change of a head: new, increased, decreased, stable, resolved, or None; a negated one is stable."""
    found: str | None = None
    for at in modifiers:
        value = _change(scene, at)
        if value not in (None, "new", "stable") and _denied(scene, at):
            value = "stable" if value != "resolved" or found is None else found
        if value is None or found == "new":
            continue
        if found not in ("increased", "decreased") or not (value == "stable" or _STILL.match(scene.said(at))):
            found = value
    return found


def _change(scene: ParsedSentence, at: int) -> str | None:
    """Return the change that a modifier expresses, regardless of a negation; None if it expresses none."""
    if _of_places(scene, at) or is_limiting(scene, at):
        return None
    return scene.items[at].id if scene.items[at].kind == "change" else directional_change(scene, at)


def of_change(scene: ParsedSentence, at: int) -> bool:
    """Whether a degree modifies the change after it ("slightly larger", not "a small stable cyst")."""
    if scene.items[at].kind != DESCRIPTOR or scene.kind(at + 1) not in ("change", "greater", "less"):
        return False
    return scene.items[at + 1].id not in ("stable", "new") or scene.said(at).endswith("ly")


def is_limiting(scene: ParsedSentence, at: int) -> bool:
    """Whether a comparative bounds a size and expresses no change ("less than 50 %", "70 % or more")."""
    kind = scene.items[at].kind
    limits = kind in MOVED and scene.run(at - 2, at) == ["meas", "or"]
    return limits or (kind in ("greater", "less") and scene.kind(at + 1) == "meas")


def _of_places(scene: ParsedSentence, at: int) -> bool:
    """Whether a comparative stands directly before a site ("worse in the right base")."""
    sited = scene.kind(at + 1) == "prep" and scene.kind(at + 2) in (ANATOMY, "sideword")
    return sited and bool(_COMPARATIVE.match(scene.said(at)))


def directional_change(scene: ParsedSentence, at: int) -> str | None:
    """Return the change that a direction of a finding expresses, if its word is one of change ("larger", "has enlarged")."""
    item = scene.items[at]
    if item.kind == FINDING and item.id == scene.knowledge.words.role("grown") and _ENLARGED.search(scene.text[: item.end]):
        return "increased"  # "the nodule has enlarged"
    if item.kind in ("greater", "less") and any(side_beside(scene, at, step) for step in (-1, 1)):
        return None  # "right greater than left" compares sides
    return MOVED[item.kind] if item.kind in MOVED and _CHANGING.match(scene.said(at)) else None


def _denied(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation directly precedes a word of change, or the first of two ("neither grown nor shrunk")."""
    before = scene.beyond(at, -1, ("change", "or", "stop", DESCRIPTOR, "cop"))
    return at - before <= 4 and scene.kind(before) in _DENIALS


def side_beside(scene: ParsedSentence, at: int, step: int) -> str | None:
    """Return the side directly before (-1) or after (1) a comparison, "left" or "right", or None."""
    other = scene.beyond(at, step, ("stop", "prep", ANATOMY))
    told = abs(other - at) < 4 and scene.kind(other) == "sideword" and scene.items[other].id in ("left", "right")
    return scene.items[other].id if told else None
