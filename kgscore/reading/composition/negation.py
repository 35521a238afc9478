"""The negation that has a finding in its scope: in its noun phrase, its list, or before the finding that it describes."""

from __future__ import annotations

import re
from itertools import chain

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
_INFERRING = ("infer", "hedge")  # introduces what a denied finding would have indicated ("no oedema to suggest encephalitis")
_SHOWING = re.compile(r"(?:to |would |suggest|indicat)")
_ENDING = frozenset(("seen", "comma", "semi", "but"))  # kinds of items that end the subject of a sentence: its verb or a stop
_PLACES = re.compile(r"involves?|affects?|invades?")  # a verb of location of a finding
# Opens a form of the lexicon that itself expresses absence ("no enhancement").
ABSENCE = re.compile(r"(?:with )?(?:no|not|without|free of|free from|clear of)\b")


def is_denied(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation precedes the noun phrase of a finding, or that of one it describes ("no cysts that are bright")."""
    return denial(scene, at) >= 0


def denial(scene: ParsedSentence, at: int) -> int:
    """Return the position of the negation before a finding, or -1."""
    before, listed = at - 1, _ends_list(scene, at)
    while before >= 0:
        kind = scene.kind(before)
        if kind == "neg" or (kind == NORMAL and ABSENCE.match(scene.said(before))):
            return before
        if _opens_clause(scene, before) or (scene.said(before) == "of" and _of_quality(scene, at)):
            return _describing(scene, before, at)
        if not _passes(scene, before, listed=listed):
            break
        before = scene.next_of(before, -1, ("open",)) - 1 if kind == "close" else before - 1  # "no linear (band-like) opacities"
    return -1


def _passes(scene: ParsedSentence, at: int, *, listed: bool) -> bool:
    """Whether a negation reaches past an item to a finding after it, which may be in a list with "or"."""
    item, after = scene.items[at], scene.kind(at + 1)
    if item.kind in LISTING:
        return after not in _CLOSING and (listed or _joins_adjectives(scene, at))
    if item.is_noun:
        return after == FINDING or (listed and after in LISTING)  # "no ground-glass nodules"
    return item.kind in _BEFORE_NOUN | {"close"} or item.is_adjective


def _joins_adjectives(scene: ParsedSentence, at: int) -> bool:
    """Whether a conjunction or comma follows an adjective, directly or after another one ("linear, and patchy")."""
    before = scene.items[max(0, scene.beyond(at + 1, -1, LISTING))]
    return before.kind in (DESCRIPTOR, UNKNOWN, "dash") or before.is_adjective


def _ends_list(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is in a list that ends with "or" ("no stenosis, dilatation or aneurysm")."""
    after = scene.kind(scene.beyond(at, 1, _IN_LIST))
    return "or" in (after, scene.kind(scene.beyond(at, -1, _BEFORE_NOUN)))


def _opens_clause(scene: ParsedSentence, at: int) -> bool:
    """Whether a description of a noun begins here: with "with", a verb of showing or being, or "to suggest"."""
    kind = scene.kind(at)
    return kind in ("with", "have", "cop") or (kind in _INFERRING and _SHOWING.match(scene.said(at)) is not None)


def _of_quality(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is the value of a quality ("opacities of increased density")."""
    return scene.items[at].id in chain.from_iterable(values.values() for values in scene.vocabulary.qualities.values())


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
    seen = next((kind for kind in kinds if kind in _ENDING), "") == "seen"
    return cue if told or seen or (scene.kind(cue) == "neg" and " " in scene.said(cue)) else -1


def _noun_before(scene: ParsedSentence, joint: int) -> int:
    kind, noun = scene.kind(joint), joint - 1
    relative = kind == "cop" and scene.said(noun) in RELATIVE
    showing = scene.kind(noun) == "seen" and scene.said(joint).endswith("ing")  # "no nodules are seen showing enhancement"
    return scene.beyond(noun if relative or showing else joint, -1, ("stop",) if kind in ("with", "prep") else _PLACING)


def _kind(scene: ParsedSentence, at: int) -> str:
    """Return the kind of an item; a verb of location counts as "seen" ("no mass with calcification involves the kidney")."""
    return "seen" if scene.kind(at) == "prep" and _PLACES.fullmatch(scene.said(at)) else scene.kind(at)
