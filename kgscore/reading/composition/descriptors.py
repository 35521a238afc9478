"""Descriptors and measurements of a head as details, and its interval change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Detail
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Place, Statement

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
_SPAN = re.compile(r"([\d.]+)-([\d.]+)( ?[^\d\s]\S*)")  # two sizes of which the second is the current one ("from 8 to 10 mm")
MOVED = {"up": "increased", "down": "decreased", "greater": "increased", "less": "decreased"}
# Kinds of modifiers that are no descriptors though their word may be one.
_OTHERWISE = frozenset((*MOVED, "change", QUALITY, UNKNOWN))
_CHANGING = re.compile(
    r"(?:increas|decreas|reduc|diminish|grow|enlarg|shrink|shrunk|larger|bigger|smaller|wors|improv|progress|great|less|more|fewer|[↑↓])"
)
# Before "resolved": not, or not completely.
_FAILED = re.compile(r"\b(?:fail(?:ed|s)? to|not(?: yet)?|never|without)\s+(?:been\s+)?\w+\W*\Z")
_PARTLY = re.compile(
    r"\b(?:near(?:ly)?|almost|partial(?:ly)?|incomplete(?:ly)?|largely|mostly|not\s+(?:been\s+)?(?:entirely|completely|fully|wholly))\b"
    r"[^.;,]*\Z"
)
_OF_SIDE = frozenset(("prep", "open", "stop", "change"))  # kinds of items between a modifier and its side

# A comparative directly before a site compares sites, not times ("worse in the right base").
_COMPARATIVE = re.compile(r"(?:similarly|worse|greater|larger|smaller|bigger|(?:more|less) \w+)\Z")
_ENLARGED = re.compile(r"(?:\b(?:has|have|had) (?:\w+ )?enlarged|enlarging)\Z", re.IGNORECASE)
# Wordings of an interval change, as opposed to a size.
_SINCE = re.compile(r"(?:has|have|had|interval)\b|.*\bthan (?:before|previously|on)\b|.*(?:worse|improv|deteriorat)")
# A quality that is better or worse is, or was, abnormal ("aeration has improved").
GRADED = re.compile(r"(?:(?:has|have|is|interval|slightly|better|further) )*(?:worse|improv|deteriorat)")
_MOVING = ("increased", "decreased")
# Kinds of items in a noun phrase without a finding.
_PHRASE = frozenset((ANATOMY, DESCRIPTOR, QUALITY, UNKNOWN, "meas", "num", "stop", "comma", "and", "sideword", "prep", "cop"))


def details_of(scene: ParsedSentence, modifiers: Sequence[int], concept: str = "") -> list[Detail]:
    """Return the details that modifiers give to a head of a concept: descriptors, adjectives and measurements."""
    found: list[Detail] = []
    for at in modifiers:
        found += _details(scene, at, concept, found)
    return found


def _details(scene: ParsedSentence, at: int, concept: str, known: Sequence[Detail]) -> list[Detail]:
    words, item = scene.vocabulary, scene.items[at]
    if item.kind == "meas":
        return _measured(scene, item, "length" in [one.category for one in known])
    if item.id in scene.flagged("says_nothing") or item.kind in _OTHERWISE:  # "with peripheral distribution"
        return []
    if item.kind == DESCRIPTOR:
        return [words.detail(item.id), *_size_word(scene, item)]
    if item.kind == FINDING:
        nothing = item.id in words.empty or item.id == concept or directional_change(scene, at)
        return [] if nothing else [_of_finding(scene, at)]
    if item.kind == NORMAL:
        return _of_normal(scene, at, concept)
    entry = item.types.get(DESCRIPTOR)
    return [words.detail(entry.id)] if entry else []


def _of_normal(scene: ParsedSentence, at: int, concept: str) -> list[Detail]:
    """Return the state that a normal word gives to a lesion or device (not "there is clearly a nodule")."""
    words, item = scene.vocabulary, scene.items[at]
    if item.id == scene.role("plain_normal") or scene.said(at).endswith("ly"):
        return []
    entry = item.types.get(DESCRIPTOR) if concept not in words.devices else None  # "a cyst, well defined"
    return [words.detail(entry.id) if entry else state_detail(scene, item)]


def _of_finding(scene: ParsedSentence, at: int) -> Detail:
    words, item = scene.vocabulary, scene.items[at]
    if entry := item.types.get(DESCRIPTOR):
        return words.detail(_or_opposite(scene, at, entry.id))
    look = words.looks.get(item.id)
    return words.detail(look) if look else Detail("nature", item.id, words.labels.get(item.id, item.id))


def _or_opposite(scene: ParsedSentence, at: int, value: str) -> str:
    """Return a descriptor of broken bones, or its opposite if it is negated ("the fracture is not displaced")."""
    if scene.kind(at + 1) in (FINDING, ANATOMY, DESCRIPTOR) or not _denied(scene, at):  # "no displaced fracture"
        return value
    of_breaks = scene.vocabulary.parents.get(value) in scene.flagged("of_breaks")
    return min(scene.index.opposites.get(value, ()) if of_breaks else (), default=value)


def details_by_side(scene: ParsedSentence, modifiers: Sequence[int], concept: str) -> list[Detail]:
    """Return details that differ by side ("12 mm on the right and 8 mm on the left"), marked for the builder; else none."""
    split = graded_by_side(scene, modifiers, concept)
    told = [(_side_of(scene, at), one) for at in modifiers for one in details_of(scene, (at,), concept)] if split else []
    sided = [(one, side and one.category in split and f"{side}: {one.text}") for side, one in told]
    return [Detail(one.category, one.value, text) if text else one for one, text in sided]


def graded_by_side(scene: ParsedSentence, modifiers: Sequence[int], concept: str = "") -> set[str]:
    """Return the categories of details with different modifiers on the left and on the right."""
    graded = {(detail.category, _side_of(scene, at)) for at in modifiers for detail in details_of(scene, (at,), concept)}
    return {category for category, _ in graded if {(category, "left"), (category, "right")} <= graded}


def _side_of(scene: ParsedSentence, at: int) -> str | None:
    """Return the nearest side beside a modifier ("severe on the right", "right severe")."""
    for other in (at + 1, at - 1, at + 2, at - 2, at + 3, at - 3):
        beside = scene.kind(other) and _OF_SIDE.issuperset(scene.run(min(at, other) + 1, max(at, other)))
        if beside and scene.items[other].id in ("left", "right"):
            return scene.items[other].id
    return None


def state_detail(scene: ParsedSentence, normal: Mention) -> Detail:
    """Return a normal word for a device or a lesion as a detail of it ("wires intact", "tip in good position")."""
    words = scene.vocabulary
    name = words.normals.get(normal.id, normal.id)
    category = "integrity" if name in scene.flagged("sound") else "state"
    return Detail(category, name, words.labels.get(name, name))


def _size_word(scene: ParsedSentence, item: Mention) -> list[Detail]:
    """Return the size that a descriptor expresses itself ("subcentimeter")."""
    said = scene.vocabulary.units.words.get(scene.text[item.start : item.end].lower().replace("-", ""))
    return [Detail(said[0], said[1], said[1].replace("<", "smaller than "))] if said else []


def _measured(scene: ParsedSentence, item: Mention, sized: bool) -> list[Detail]:
    """Return a measurement as details: current, previous ("from 8 to 10 mm"), of the largest, or a bound."""
    units = scene.vocabulary.units
    kind, text = measurement(item.id, units)
    before = _CLAUSE_END.split(scene.text[max(0, item.start - 45) : item.start].lower())[-1]
    span = _SPAN.fullmatch(text) if before.endswith("from ") else None
    if span:
        earlier, now = span[1] + span[3], span[2] + span[3]
        return [Detail("previous", earlier, f"previously {earlier}"), Detail(kind, now, now)]
    if before.endswith("between "):
        text = text.replace(" and ", "-")
    if bound := bounded(before, units):
        return [Detail(kind, bound + text, f"{_BOUNDS[bound]} {text}")]
    then = (sized or before.endswith("measured ")) and _THEN.match(scene.text.lower(), item.end)
    if then or _BEFORE.search(before):
        return [Detail("previous", text, f"previously {text}")]
    return [Detail(kind, text, f"largest {text}" if LARGEST.search(before) else text)]


def persists(scene: ParsedSentence, modifiers: Sequence[int]) -> str | None:
    """Return the change of a finding that has not, or not completely, resolved; None if that is not stated."""
    resolved = (item for item in map(scene.items.__getitem__, modifiers) if item.id == "resolved")
    said = [scene.text[max(0, item.start - 30) : item.end].lower() for item in resolved]
    told = ("stable" if _FAILED.search(one) else "decreased" if _PARTLY.search(one) else None for one in said)
    return next(filter(None, told), None)


def change_of(scene: ParsedSentence, modifiers: Sequence[int]) -> str | None:
    """Return the change of a head: new, increased, decreased, stable, resolved, or None; a negated one is stable."""
    found: str | None = None
    for at in modifiers:
        value = _change(scene, at)
        if value not in (None, "new", "stable") and _denied(scene, at):
            value = "stable"
        if value and found != "new" and (found not in ("increased", "decreased") or value != "stable"):
            found = value
    return found


def _change(scene: ParsedSentence, at: int) -> str | None:
    if _of_places(scene, at) or is_limiting(scene, at):
        return None
    return scene.items[at].id if scene.items[at].kind == "change" else directional_change(scene, at)


def of_change(scene: ParsedSentence, at: int) -> bool:
    """Whether a degree modifies the change after it ("slightly larger", not "a small stable cyst")."""
    if scene.kind(at) != DESCRIPTOR or scene.kind(at + 1) not in ("change", "greater", "less"):
        return False
    return scene.items[at + 1].id not in ("stable", "new") or scene.said(at).endswith("ly")


def is_limiting(scene: ParsedSentence, at: int) -> bool:
    """Whether a comparative bounds a size and expresses no change ("less than 50 %", "70 % or more")."""
    if scene.kind(at) in ("greater", "less") and scene.kind(at + 1) == "meas":
        return True
    return scene.kind(at) in MOVED and scene.run(at - 2, at) == ["meas", "or"]


def _of_places(scene: ParsedSentence, at: int) -> bool:
    """Whether a comparative stands directly before a site ("worse in the right base")."""
    sited = scene.run(at + 1, at + 3) in (["prep", ANATOMY], ["prep", "sideword"])
    return sited and _COMPARATIVE.match(scene.said(at)) is not None


def directional_change(scene: ParsedSentence, at: int) -> str | None:
    """Return the change that a direction of a finding expresses, if its word is one of change ("larger", "has enlarged")."""
    item = scene.items[at]
    if item.id == scene.role("grown") and _ENLARGED.search(scene.text[: item.end]):
        return "increased"  # "the nodule has enlarged"
    if item.kind in ("greater", "less") and (side_beside(scene, at, -1) or side_beside(scene, at, 1)):
        return None  # "right greater than left" compares sides
    return MOVED.get(item.kind) if _CHANGING.match(scene.said(at)) else None


def _denied(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation directly precedes a word of change, or the first of two ("neither grown nor shrunk")."""
    before = scene.beyond(at, -1, ("change", "or", "stop", DESCRIPTOR, "cop"))
    return at - before <= 4 and scene.kind(before) in ("neg", "negpost")


def side_beside(scene: ParsedSentence, at: int, step: int) -> str | None:
    """Return the side directly before (-1) or after (1) a comparison, "left" or "right", or None."""
    other = scene.beyond(at, step, ("stop", "prep", ANATOMY))
    if abs(other - at) > 3 or scene.kind(other) != "sideword":
        return None
    return scene.items[other].id if scene.items[other].id in ("left", "right") else None


def comparative_change(scene: ParsedSentence, at: int) -> str | None:
    """Return the interval change that an item expresses, "increased" or "decreased", or None."""
    item, since = scene.items[at], scene.kind(at + 1) == "past"
    if item.id in _MOVING:
        return item.id if since or _SINCE.match(scene.said(at)) else None
    if not since:
        return None
    widened = item.is_adjective and scene.kind(at - 1) == "have" and item.id in scene.index.deviations("up")
    return "increased" if widened else {"greater": "increased", "less": "decreased"}.get(item.kind)  # "has widened since"


def changes_of_structures(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with the changes of structures that it omits ("the spleen has become smaller")."""
    used = {at for one in structure for at in (one.head, *one.modifiers)}
    changes = [at for at in range(len(scene.items)) if at not in used and comparative_change(scene, at)]
    more = chain.from_iterable(_of_subject(scene, at) for at in changes)
    return tuple(sorted((*structure, *more), key=attrgetter("head")))


def _of_subject(scene: ParsedSentence, verb: int) -> list[Statement]:
    """Return the statement that a change makes of the noun phrase of its clause; none if that has a finding."""
    subject = range(scene.next_of(verb, -1, ("semi", "but", "colon", "where")) + 1, verb)
    sites = tuple(scene.of_kind(ANATOMY, subject))
    if not sites or not _PHRASE.issuperset(scene.run(subject.start, verb)):
        return []
    side = next(iter(scene.of_kind("sideword", subject)), None)
    qualities = tuple(at for at in subject if scene.kind(at) in (QUALITY, DESCRIPTOR))
    return [Statement(verb, "present", (Place(sites, side),), qualities)]


def onset(scene: ParsedSentence, at: int) -> str | None:
    """Return "new" if a finding is stated to be present now ("there is now a small effusion"), or None."""
    passed = [n for n, item in enumerate(scene.items) if item.kind in (DESCRIPTOR, "meas", "num") or item.adjective]
    before = next((n for n in range(at - 1, 0, -1) if n not in passed), 0)
    told = scene.said(before) == "now" and scene.kind(before - 1) == "seen"
    return "new" if told and scene.said(before - 1).startswith("there ") else None


def is_graded(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether a statement says that a quality is better or worse."""
    return any(GRADED.match(scene.said(at)) for at in statement.modifiers)


def direction_since(scene: ParsedSentence, at: int, way: str) -> str | None:
    """Return the direction in which a changed quality deviates: unknown (None) if decreased, low if worse or better."""
    if GRADED.match(scene.said(at)):
        return "down"
    return None if comparative_change(scene, at) == "decreased" else way
