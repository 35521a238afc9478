"""Interval changes of a structure or one of its qualities: "the spleen has become smaller", "aeration has improved"."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, QUALITY, UNKNOWN
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

# Wordings of an interval change, as opposed to a size.
_SINCE = re.compile(r"(?:has|have|had|interval)\b|.*\bthan (?:before|previously|on)\b|.*(?:worse|improv|deteriorat)")
# A quality that is better or worse is, or was, abnormal ("aeration has improved").
GRADED = re.compile(r"(?:(?:has|have|is|interval|slightly|better|further) )*(?:worse|improv|deteriorat)")
_MOVING = ("increased", "decreased")
# Kinds of items in a noun phrase without a finding.
_PHRASE = frozenset((ANATOMY, DESCRIPTOR, QUALITY, UNKNOWN, "meas", "num", "stop", "comma", "and", "sideword", "prep", "cop"))


def comparative_change(scene: ParsedSentence, at: int) -> str | None:
    """Return the interval change that an item expresses, "increased" or "decreased", or None."""
    item, since = scene.items[at], scene.kind(at + 1) == "past"
    if item.kind == "change" and item.id in _MOVING:
        return item.id if since or _SINCE.match(scene.said(at)) else None
    if not since:
        return None
    if item.kind in ("greater", "less"):
        return _MOVING[item.kind == "less"]
    widened = item.is_adjective and scene.kind(at - 1) == "have"  # "has widened since"
    return "increased" if widened and item.id in scene.knowledge.index.deviations("up") else None


def changes_of_structures(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with the changes of structures that it omits ("the spleen has become smaller")."""
    used = {at for one in structure for at in (one.head, *one.modifiers)}
    changes = [at for at in range(len(scene.items)) if at not in used and comparative_change(scene, at)]
    return tuple(sorted((*structure, *(one for at in changes for one in _of_subject(scene, at))), key=lambda one: one.head))


def _of_subject(scene: ParsedSentence, verb: int) -> list[Statement]:
    """Return the statement that a change makes of the noun phrase of its clause; none if that has a finding."""
    subject = range(scene.next_of(verb, -1, ("semi", "but", "colon", "where")) + 1, verb)
    sites = tuple(scene.of_kind(ANATOMY, subject))
    if not sites or not _PHRASE.issuperset(scene.run(subject.start, verb)):
        return []
    side = next(iter(scene.of_kind("sideword", subject)), None)
    qualities = tuple(at for at in subject if scene.items[at].kind in (QUALITY, DESCRIPTOR))
    return [Statement(verb, "present", (Place(sites, side),), qualities)]


def onset(scene: ParsedSentence, at: int) -> str | None:
    """Return "new" if a finding is stated to be present now ("there is now a small effusion"), or None."""
    before = at - 1
    while before > 0 and (scene.items[before].kind in (DESCRIPTOR, "meas", "num") or scene.items[before].adjective):
        before -= 1
    told = before > 0 and scene.said(before) == "now" and scene.items[before - 1].kind == "seen"
    return "new" if told and scene.said(before - 1).startswith("there ") else None


def direction_since(scene: ParsedSentence, at: int, way: str) -> str | None:
    """Return the direction in which a changed quality deviates: unknown (None) if decreased, low if worse or better."""
    if GRADED.match(scene.said(at)):
        return "down"
    return None if comparative_change(scene, at) == "decreased" else way
