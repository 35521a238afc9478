"""Interval changes of a structure or one of its qualities: "the spleen has become smaller", "aeration has improved"."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import DESCRIPTOR, FINDING
from kgscore.reading.composition.parsed_sentence import ParsedSentence

# Wordings of an interval change, as opposed to a size.
_SINCE = re.compile(r"(?:has|have|had|interval)\b|.*\bthan (?:before|previously|on)\b|.*(?:worse|improv|deteriorat)")
# A quality that is better or worse is, or was, abnormal ("aeration has improved").
GRADED = re.compile(r"(?:(?:has|have|is|interval|slightly|better|further) )*(?:worse|improv|deteriorat)")
_MOVING = ("increased", "decreased")


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
