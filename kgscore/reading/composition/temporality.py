"""Interval changes of a structure or one of its qualities: "the spleen has become smaller", "aeration has improved"."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, QUALITY
from kgscore.reading.composition.parsed_sentence import PHRASE, ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

# Wordings of an interval change, as opposed to a size.
_SINCE = re.compile(r"(?:has|have|had|interval)\b|.*\bthan (?:before|previously|on)\b|.*(?:worse|improv|deteriorat)")
# A quality that is better or worse is, or was, abnormal ("aeration has improved").
GRADED = re.compile(r"(?:(?:has|have|is|interval|slightly|better|further) )*(?:worse|improv|deteriorat)")
# A denial of change as a noun, which its structure may follow ("no interval change in the mediastinum").
_NO_CHANGE = re.compile(
    r"(?:no|without)\b.*\b(?:change|difference|alteration)s?(?: in| of)?\Z|(?:\w+ )?(?:stable|unchanged) appearances?(?: of)?\Z"
)
# Nouns for what a structure shows ("cardiac appearances are unaltered").
_SHOWN = re.compile(r"(?:appearance|finding|picture|status|situation)s?\Z")
_LOOKING = re.compile(r"(?:\w+ )?appearances?(?: of)?\Z")
_AROUND = frozenset(("seen", "cop", "have", "prep", "past", "comma", "stop"))
_MOVING = ("increased", "decreased")
_ENDING = ("stop", "past", "comma", "semi", "but")
_TOLD = (*_MOVING, "stable")


def comparative_change(scene: ParsedSentence, at: int) -> str | None:
    """Return the interval change that an item expresses, "increased" or "decreased", or None."""
    item, after = scene.items[at], scene.items[at + 1 : at + 2]
    if item.kind == "change" and item.id in _MOVING:
        then = _SINCE.match(scene.said(at)) or (after and after[0].kind == "past")
        return item.id if then else None
    if (
        item.kind == FINDING
        and item.adjective
        and after
        and after[0].kind == "past"
        and at
        and scene.items[at - 1].kind == "have"
    ):
        return "increased" if item.id in scene.knowledge.index.deviations("up") else None  # "has widened since"
    if item.kind in ("greater", "less") and after and after[0].kind == "past":
        return _MOVING[item.kind == "less"]
    return None


def onset(scene: ParsedSentence, at: int) -> str | None:
    """Return "new" if a finding is stated to be present now ("there is now a small effusion"), or None."""
    before = at - 1
    while before > 0 and (scene.items[before].kind in (DESCRIPTOR, "meas", "num") or scene.items[before].adjective):
        before -= 1
    told = before > 0 and scene.said(before) == "now" and scene.items[before - 1].kind == "seen"
    return "new" if told and scene.said(before - 1).startswith("there ") else None


def direction_since(scene: ParsedSentence, at: int, way: str) -> str | None:
    """Return the direction in which a quality of a structure deviates from normal according to a word of change: one that has
    decreased may still be too high, so that only the word itself determines it (None), and one that got worse or better is, or
    was, too low."""
    if GRADED.match(scene.said(at)):
        return "down"
    return None if comparative_change(scene, at) == "decreased" else way


def changes_of_structures(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with the changes that it omits whose subject is only a structure or a quality of one ("the spleen has
    become smaller")."""
    used = {at for one in structure for at in (one.head, *one.modifiers)}
    out = list(structure)
    for at in range(len(scene.items)):
        after = scene.items[at + 1].kind if at + 1 < len(scene.items) else "stop"
        stable = scene.items[at].kind == "change" and scene.items[at].id == "stable"
        denied = _looks(scene, at) or _NO_CHANGE.match(scene.said(at)) is not None
        stable = stable and (after in _ENDING or denied)  # not "remains large"
        if at in used or not (stable or comparative_change(scene, at)):
            continue
        subject = _subject(scene, at) or _subject_after(scene, at)
        sites = tuple(n for n in subject if scene.items[n].kind == ANATOMY)
        qualities = tuple(n for n in subject if scene.items[n].kind in (QUALITY, DESCRIPTOR))
        side = next((n for n in subject if scene.items[n].kind == "sideword"), None)
        if sites or any(scene.items[n].kind == QUALITY for n in qualities):
            out.append(Statement(at, "normal" if stable else "present", (Place(sites, side),) if sites else (), qualities))
    return tuple(sorted(out, key=lambda one: one.head))


def change_of_quality(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement about a quality that only gives its change as a statement headed by the change ("ventricular size is
    unchanged")."""
    told = [at for at in one.modifiers if scene.items[at].kind == "change" and scene.items[at].id in _TOLD]
    shown = scene.items[one.head].kind == FINDING and _SHOWN.match(scene.said(one.head)) is not None and bool(one.places)
    if shown and len(told) == len(one.modifiers) == 1 and scene.items[told[0]].id == "stable" and one.status != "absent":
        return Statement(told[0], "normal", one.places, ())
    if scene.items[one.head].kind != QUALITY or one.status != "present" or len(told) != 1 or len(one.modifiers) != 1:
        return one
    status = "normal" if scene.items[told[0]].id == "stable" else "present"
    return Statement(told[0], status, one.places or (Place((one.head,), None),), (one.head,) if one.places else ())


def _subject(scene: ParsedSentence, verb: int) -> list[int]:
    """Return the items of the noun phrase before a verb, if it opens its clause and contains no finding."""
    found: list[int] = []
    for at in range(verb - 1, -1, -1):
        kind = scene.items[at].kind
        if kind == "colon" and at == verb - 1:
            continue  # "CHEST: unchanged"
        if kind in ("semi", "but", "colon", "where"):
            break
        if kind == "have" and at == verb - 1 and _NO_CHANGE.match(scene.said(verb)):
            continue  # "the heart shows no change"
        if kind not in PHRASE and kind not in (QUALITY, "prep", "cop"):
            return []
        found.append(at)
    return found[::-1]


def _looks(scene: ParsedSentence, at: int) -> bool:
    """Whether a noun of appearance directly follows an item ("unchanged appearance")."""
    return at + 1 < len(scene.items) and _LOOKING.match(scene.said(at + 1)) is not None


def _subject_after(scene: ParsedSentence, at: int) -> list[int]:
    """Return the items of the noun phrase after a denied noun of change, or after an unchanged appearance, if they contain no
    finding and nothing else precedes it ("there has been no interval change in the heart", "no change is noted in the left
    lung", "unchanged appearance of the chest")."""
    looking = _looks(scene, at)
    before, after = scene.items[:at], scene.items[at + 2 if looking else at + 1 :]
    if not (looking or _NO_CHANGE.match(scene.said(at))) or any(item.kind not in _AROUND for item in before):
        return []
    end = next((n for n, item in enumerate(after) if item.kind in ("semi", "but", "past", "versus")), len(after))
    if any(item.kind not in _AROUND and item.kind not in PHRASE and item.kind != QUALITY for item in after[:end]):
        return []
    first = len(scene.items) - len(after)
    return [n for n, item in enumerate(after[:end], first) if item.kind in PHRASE or item.kind == QUALITY]
