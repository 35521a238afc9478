"""The negation that has a finding in its scope: in its noun phrase, its list, or before the finding that it describes."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.parsed_sentence import LISTING, RELATIVE, ParsedSentence

# Kinds of items in a noun phrase before its noun, and those that end one before a list.
_BEFORE_NOUN = frozenset((
    DESCRIPTOR, ANATOMY, NORMAL, UNKNOWN, "change", "up", "down", "abnormal", "sideword", "meas", "num", "seq", QUALITY, "stop",
    "dash",
))  # fmt: skip
_IN_LIST = _BEFORE_NOUN | {"comma", FINDING}
_CLOSING = frozenset(("neg", NORMAL, "sideword"))
# Kinds of items allowed between a noun and its verb.
_PLACING = frozenset(("stop", "prep", ANATOMY, "sideword", "num", DESCRIPTOR))
# Introduces what a denied finding would have indicated ("no oedema to suggest encephalitis").
_INFERRING = ("infer", "hedge")
_SHOWING = re.compile(r"(?:to |would |suggest|indicat)")
# Kinds of items that end the subject of a sentence: its verb or a stop.
_ENDING = frozenset(("seen", "comma", "semi", "but"))
# A verb of location of a finding.
_PLACES = re.compile(r"involves?|affects?|invades?")
# Opens a form of the lexicon that itself expresses absence ("no enhancement").
ABSENCE = re.compile(r"(?:with )?(?:no|not|without|free of|free from|clear of)\b")


def is_denied(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation precedes the noun phrase of a finding, or that of one it describes ("no cysts that are bright")."""
    return denial(scene, at) >= 0


def denial(scene: ParsedSentence, at: int) -> int:
    """Return the position of the negation before a finding, or -1."""
    before, listed = at - 1, _ends_list(scene, at)
    while before >= 0:
        item = scene.items[before]
        if item.kind == "neg" or (item.kind == NORMAL and ABSENCE.match(scene.said(before))):
            return before
        if _opens_clause(scene, before) or (scene.said(before) == "of" and _of_quality(scene, at)):
            return _describing(scene, before, at)
        if not _passes(scene, before, listed=listed):
            return -1
        if item.kind == "close":  # "no linear (band-like) opacities"
            before = max(0, scene.next_of(before, -1, ("open",)))
        before -= 1
    return -1


def _passes(scene: ParsedSentence, at: int, *, listed: bool) -> bool:
    """Whether a negation reaches past an item to a finding after it, which may be in a list with "or"."""
    item, after = scene.items[at], scene.items[at + 1].kind
    if item.kind in LISTING:
        return (listed or _joins_adjectives(scene, at)) and after not in _CLOSING
    if item.is_noun:
        return after == FINDING or (listed and after in LISTING)  # "no ground-glass nodules"
    return item.kind == "close" or item.kind in _BEFORE_NOUN or _adjectival(scene, at)


def _joins_adjectives(scene: ParsedSentence, at: int) -> bool:
    """Whether a conjunction or comma follows an adjective, directly or after another one ("linear, and patchy")."""
    before = max(0, scene.beyond(at + 1, -1, LISTING))
    return _adjectival(scene, before) or scene.items[before].kind == "dash"


def _ends_list(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is in a list that ends with "or" ("no stenosis, dilatation or aneurysm")."""
    after = scene.kind(scene.beyond(at, 1, _IN_LIST))
    return "or" in (after, scene.kind(scene.beyond(at, -1, _BEFORE_NOUN)))


def _adjectival(scene: ParsedSentence, at: int) -> bool:
    """Whether an item is an adjective: a descriptor, or a finding as an adjective."""
    return scene.items[at].kind in (DESCRIPTOR, UNKNOWN) or scene.items[at].is_adjective


def _opens_clause(scene: ParsedSentence, at: int) -> bool:
    """Whether a description of a noun begins here: with "with", a verb of showing or being, or "to suggest"."""
    kind = scene.items[at].kind
    return kind in ("with", "have", "cop") or (kind in _INFERRING and _SHOWING.match(scene.said(at)) is not None)


def _of_quality(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is the value of a quality ("opacities of increased density")."""
    return any(scene.items[at].id in values.values() for values in scene.knowledge.words.qualities.values())


def _describing(scene: ParsedSentence, joint: int, at: int) -> int:
    """Return the negation of the noun before an item that opens its description, or -1."""
    noun = _noun_before(scene, joint)
    if scene.kind(noun) != FINDING or scene.items[noun].adjective:
        return -1
    cue = denial(scene, noun)
    if cue < 0 or scene.items[joint].kind in ("cop", "have", "prep", *_INFERRING):
        return cue
    told = scene.kind(cue - 1) in ("have", "seen")  # "shows no", "there is no"
    kinds = (_kind(scene, n) for n in range(at + 1, len(scene.items)))
    end = next((kind for kind in kinds if kind in _ENDING), "")
    return cue if told or end == "seen" or (scene.items[cue].kind == "neg" and " " in scene.said(cue)) else -1


def _noun_before(scene: ParsedSentence, joint: int) -> int:
    """Return the position of the noun that an item describes."""
    kind, noun = scene.items[joint].kind, joint - 1
    relative = kind == "cop" and scene.said(noun) in RELATIVE
    showing = scene.items[noun].kind == "seen" and scene.said(joint).endswith("ing")  # "no nodules are seen showing enhancement"
    return scene.beyond(noun if relative or showing else joint, -1, ("stop",) if kind in ("with", "prep") else _PLACING)


def _kind(scene: ParsedSentence, at: int) -> str:
    """Return the kind of an item; a verb of location counts as "seen" ("no mass with calcification involves the kidney")."""
    places = scene.items[at].kind == "prep" and _PLACES.fullmatch(scene.said(at))
    return "seen" if places else scene.items[at].kind
