"""Cues in the words of a statement beyond its findings: its scope, and the evidence it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgscore.model import Change, Finding

_SUSPECTED = re.compile(
    r"(?i)\b(?:suspected|suspicion|concern|question|considered|(?:cannot|can't|could not) be (?:excluded|ruled out))\b"
)
_ONLY = re.compile(r"(?i)\b(?:confined|limited|restricted|isolated)\sto\b|\b(?:only|solely|exclusively)\s(?:in|on|at)\b")
_PROVEN = re.compile(
    r"(?i)\b(?:proven|histolog\w+|cytolog\w+|patholog(?:y|ical(?:ly)?\sconfirmed)|confirmed|cultured?|implanted\sfor"
    r"|(?:because|on\saccount)\sof)\b"
)
_SIDE = r"(?:left|right)\b"
_ONE_SIDE = re.compile(
    rf"(?i)\b(?:only|solely|exclusively|just)\s(?:on|in|at|of|over|to)\s(?:the\s)?{_SIDE}|\b{_SIDE}[^,;.]*\b(?:only|alone)\W*$"
    rf"|\b(?:limited|confined|restricted|isolated)\sto\s(?:the\s)?{_SIDE}"
    rf"|\b{_SIDE}[^;.]*\b(?:but|and)?\s?not\s(?:\w+\s)?(?:the\s)?{_SIDE}"
)
_ON_SIDE = re.compile(
    r"(?i)the\s[^,;.]*\b(?:is|are|was|were|lies?|lay|sits?|projects?|remains?)"
    r"\s(?:(?:all|only|solely|located|situated|seen|found|confined|limited|restricted)\s)*"
    rf"(?:in|on|at|to)\s(?:the\s)?{_SIDE}|[^;.]*\b(?:left|right)(?:\sside)?\sonly\b"
)
_WHERE_ONE = re.compile(
    r"(?i)the\s(?:(only|sole|single)|largest|biggest|dominant|greatest)\b[^,;.]*\b(?:is|lies|sits|located|found|seen)\b"
)
_CAUSE = re.compile(
    r"(?i)\b(?:due to|caused by|because of|secondary to|related to|resulting from|owing to|attributable to|as a result of"
    r"|from (?:a )?(?:previous|prior|old|earlier|past|remote|former))\s(.+)"
)
_OF_CAUSE = re.compile(r"[a-z]{4,}")
_MARKS = (". ", ";", "\n")
_EACH = re.compile(r"(?i)\b(?:both|bi\w*|each|either|sides?|left|right|double)\b")
_NOT = r"(?i)\b(?:not|no|without|never)\s(?:\w+\s){0,2}?"
_UNMOVED: Mapping[Change, re.Pattern[str]] = {
    "increased": re.compile(rf"{_NOT}(?:increas|gr[eo]w|enlarg|larger|bigger|progress|worse)"),
    "decreased": re.compile(rf"{_NOT}(?:decreas|shr[iu]nk|smaller|regress|improv|diminish)"),
}


class StatementCues(NamedTuple):
    """Cues in the words of a statement beyond its findings.

    `suspected`: it is no more than possible. `only`: it is in one place only; `one_side`: it is on one side and not on the other;
    `placed`: the statement only gives the side of something already mentioned. `each`: it concerns each of two sides (a plural
    alone does not: "oedema of the lungs"). `one_of_all`: it gives the place of the "only" one of its kind, or the "largest".
    `unmoved`: the one change that it denies, "increased" or "decreased".
    """

    suspected: bool
    only: bool
    one_side: bool
    placed: bool
    each: bool
    one_of_all: str | None
    unmoved: Change | None


def statement_cues(words: str) -> StatementCues:
    """Return the cues in the words of a statement."""
    one_side, which = _ONE_SIDE.search(words) is not None, _WHERE_ONE.match(words)
    unmoved = [change for change, cue in _UNMOVED.items() if cue.search(words)]
    return StatementCues(
        _SUSPECTED.search(words) is not None,
        _ONLY.search(words) is not None,
        one_side,
        one_side or _ON_SIDE.match(words) is not None,
        _EACH.search(words) is not None,
        None if which is None else "only" if which[1] else "largest",
        unmoved[0] if len(unmoved) == 1 else None,
    )


def is_supported(statement: Sequence[Finding], words: str, source: str) -> bool:
    """Whether a report states what a statement rests on: evidence of another kind ("proven"), and the cause that it gives."""
    if not set(_PROVEN.findall(words.lower())) <= set(_PROVEN.findall(source.lower())):
        return False
    cause = _CAUSE.search(words)
    if cause is None or any(f.start >= cause.start(1) or "inference" in f.categories for f in statement):
        return True
    return any(word in source.lower() for word in _OF_CAUSE.findall(cause[1].lower()))


def sentence_at(source: str, at: int) -> str:
    """Return the sentence of a text that contains a character, without the punctuation around it."""
    begin = max(source.rfind(mark, 0, at) for mark in _MARKS) + 1
    ends = (end for mark in _MARKS if (end := source.find(mark, at)) >= 0)
    return source[begin : min(ends, default=len(source))]
