"""Cues in the words of a statement beyond its findings: its scope, and the evidence it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgscore.model import Change, Finding

_SUSPECTED = re.compile(
    r"\b(?:suspected|suspicion|concern|question|considered|(?:cannot|can't|could not) be (?:excluded|ruled out))\b", re.IGNORECASE
)
_ONLY = re.compile(
    r"\b(?:confined|limited|restricted|isolated)\sto\b|\b(?:only|solely|exclusively)\s(?:in|on|at)\b", re.IGNORECASE
)
_PROVEN = re.compile(
    r"\b(?:proven|histolog\w+|cytolog\w+|patholog(?:y|ical(?:ly)?\sconfirmed)|confirmed|cultured?|implanted\sfor|(?:because|on\saccount)\sof)\b",
    re.IGNORECASE,
)
_SIDE = r"(?:left|right)\b"
_ONE_SIDE = re.compile(
    rf"\b(?:only|solely|exclusively|just)\s(?:on|in|at|of|over|to)\s(?:the\s)?{_SIDE}|\b{_SIDE}[^,;.]*\b(?:only|alone)\W*$"
    rf"|\b(?:limited|confined|restricted|isolated)\sto\s(?:the\s)?{_SIDE}|\b{_SIDE}[^;.]*\b(?:but|and)?\s?not\s(?:\w+\s)?(?:the\s)?{_SIDE}",
    re.IGNORECASE,
)
_ON_SIDE = re.compile(
    r"the\s[^,;.]*\b(?:is|are|was|were|lies?|lay|sits?|projects?|remains?)\s(?:(?:all|only|solely|located|situated|seen|found|confined|limited"
    rf"|restricted)\s)*(?:in|on|at|to)\s(?:the\s)?{_SIDE}|[^;.]*\b(?:left|right)(?:\sside)?\sonly\b",
    re.IGNORECASE,
)
_WHERE_ONE = re.compile(
    r"the\s(?:(only|sole|single)|largest|biggest|dominant|greatest)\b[^,;.]*\b(?:is|lies|sits|located|found|seen)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:due to|caused by|because of|secondary to|related to|resulting from|owing to|attributable to|as a result of"
    r"|from (?:a )?(?:previous|prior|old|earlier|past|remote|former))\s(.+)",
    re.IGNORECASE,
)
_OF_CAUSE = re.compile(r"[a-z]{4,}")
_MARKS = (". ", ";", "\n")
_EACH = re.compile(r"\b(?:both|bi\w*|each|either|sides?|left|right|double)\b", re.IGNORECASE)


_NOT = r"\b(?:not|no|without|never)\s(?:\w+\s){0,2}?"
_UNMOVED: Mapping[Change, re.Pattern[str]] = {
    "increased": re.compile(rf"{_NOT}(?:increas|gr[eo]w|enlarg|larger|bigger|progress|worse)", re.IGNORECASE),
    "decreased": re.compile(rf"{_NOT}(?:decreas|shr[iu]nk|smaller|regress|improv|diminish)", re.IGNORECASE),
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
    return StatementCues(
        _SUSPECTED.search(words) is not None,
        _ONLY.search(words) is not None,
        one_side,
        one_side or _ON_SIDE.match(words) is not None,
        _EACH.search(words) is not None,
        None if which is None else "only" if which[1] else "largest",
        _unmoved(words),
    )


def _unmoved(words: str) -> Change | None:
    """Return the only change that a statement denies ("has not increased": it is as before, or has decreased)."""
    denied: set[Change] = {change for change, cue in _UNMOVED.items() if cue.search(words)}
    return denied.pop() if len(denied) == 1 else None


def is_supported(statement: Sequence[Finding], words: str, source: str) -> bool:
    """Whether the source of a report states what a statement rests on: the evidence of another examination ("proven"), and the
    stated cause, if that is not one of its findings."""
    told = {found.lower() for found in _PROVEN.findall(source)}
    return all(found.lower() in told for found in _PROVEN.findall(words)) and _is_cause_stated(statement, words, source)


def _is_cause_stated(statement: Sequence[Finding], words: str, source: str) -> bool:
    """Whether the cause that a statement gives is one of its findings, or named by a word of the report."""
    cause = _CAUSE.search(words)
    if cause is None or any(f.start >= cause.start(1) or any(d.category == "inference" for d in f.details) for f in statement):
        return True
    return any(word in source.lower() for word in _OF_CAUSE.findall(cause.group(1).lower()))


def sentence_at(source: str, at: int) -> str:
    """Return the sentence of a text that contains a character, without the punctuation around it."""
    begin = max(source.rfind(mark, 0, at) for mark in _MARKS) + 1
    ends = (end for mark in _MARKS if (end := source.find(mark, at)) >= 0)
    return source[begin : min(ends, default=len(source))]
