"""Answers after, or below, the name of a finding, which state whether it is present ("none", "Yes, mild", "☐ Yes ☑ No")."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from kgscore.linking.cues import forms_by_class
from kgscore.resources import resource

ABSENT, PRESENT, UNKNOWN, NORMAL, PROSE = "absent", "present", "unknown", "normal", "prose"
_CHECKED, _CROSSED, _EMPTY = "☑☒✅✓✔■", "❌✗✘✖☓", "☐□"
# The text after an answer: the end, another sentence, or more of the answer.
_AFTER = re.compile(r"(?P<end>\s*$)|(?P<stop>\s*[.!]\s+)|(?P<more>\s*[,;:]\s+|\s+[-–—]+\s+|\s*(?=\())")
# A probability neither affirms nor denies.
_PROBABILITY = re.compile(r"0?\.\d+$")
_QUOTES = {"(": ")", "[": "]", '"': '"', "'": "'", "“": "”", "{": "}"}
# A number or a letter is an answer only if nothing but a remark follows it ("Nodules: 1. Left upper lobe …" is a list).
_SHORT = re.compile(r"[\dA-Za-z]$")
_INSIDE = re.compile(r"(?<=\w)(?=\w)")  # within a word
_LEAD = re.compile(r"(?:\s|[>→•*·▪◦]|[-–—+]+\s|->|=>|\d{1,2}[.)]\s|A(?:nswer)?\s*\d*\s*[:：]\s|\.{2,})*")


class Answer(NamedTuple):
    """An answer: its kind, its end, and the start of the text after it (the end, if there is none); `joined` is True if that
    text belongs to the answer ("Yes, mild"), rather than being a separate sentence. It extends to `until`, if given."""

    kind: str
    end: int
    rest: int
    joined: bool
    until: int | None = None


class Table(NamedTuple):
    """`mappings/reading/answers.txt`: the kind of each answer, the lengths of answers by their first letter, the words of each
    other class, and the patterns of what may follow an answer, of the reason for a missing one, and of a box."""

    kinds: dict[str, str]
    lengths: dict[str, list[int]]
    words: dict[str, frozenset[str]]
    tail: re.Pattern[str]
    reason: re.Pattern[str]
    box: re.Pattern[str]


@cache
def answers() -> Table:
    """Return the table of answers, read once.

    Raises:
        OntologyError: the file cannot be read, or a line does not have three cells or names undefined words.
    """
    words = forms_by_class(resource("mappings", "reading", "answers.txt"))
    kinds = {form: kind for kind in (ABSENT, PRESENT, UNKNOWN, NORMAL) for form in words.pop(kind)}
    kinds |= dict.fromkeys(_CROSSED, ABSENT) | dict.fromkeys((*_CHECKED, "[x]", "(x)"), PRESENT)
    boxes = rf"(?P<box>\[[ \txX✓✔]?\]|\([ xX]\)|[{_CHECKED}{_CROSSED}{_EMPTY}])\ufe0f?"
    return Table(
        kinds,
        _lengths(kinds),
        {name: frozenset(forms) for name, forms in words.items()},
        re.compile(rf"\ufe0f?(?:\s+{either(words['tail'])})?", re.IGNORECASE),
        re.compile(rf"\s+{either(words['why'])}\s", re.IGNORECASE),
        re.compile(boxes),
    )


def _lengths(forms: Iterable[str]) -> dict[str, list[int]]:
    """Return the lengths of some forms by their first letter, the longest first."""
    found = defaultdict[str, list[int]](list)
    for first, length in sorted({(form[0], len(form)) for form in forms}, reverse=True):
        found[first].append(length)
    return found


def either(forms: Iterable[str]) -> str:
    """Return the pattern of any of some forms, the longest first, as whole words."""
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return f"(?:{'|'.join(re.escape(form) + (chr(92) + 'b' if form[-1].isalnum() else '') for form in ordered)})"


@cache
def _around() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of the words that open and close a question."""
    words = answers().words
    return (
        re.compile(rf"(?:\s*{either(words['opening'])}[:.]?\s+)+", re.IGNORECASE),
        re.compile(rf"(?:(?:\s+{either(words['closing'])})+|\s*)\s*[?:：]*\s*$", re.IGNORECASE),
    )


def question_subject(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the subject of a question or a key, without the words around it ("Is there a pneumothorax?",
    "nodule_present").

    >>> question_subject("Is there evidence of pneumothorax?", 0, 34)
    (21, 33)
    """
    opening, closing = _around()
    opened = opening.match(text, start, end)
    first = opened.end() if opened else start
    closed = closing.search(text, first, end)
    return first, closed.start() if closed else end


def ticked(box: str) -> str:
    """Return the answer of a box: `PRESENT`, `ABSENT` for a cross, or "" if it is empty."""
    if box in _CROSSED:
        return ABSENT
    return PRESENT if box in _CHECKED or not {"x", "X", "✓", "✔"}.isdisjoint(box) else ""


def beginning(text: str, start: int, end: int) -> int:
    """Return the start of an answer: after bullets, arrows and blanks."""
    found = _LEAD.match(text, start, end)
    return found.end() if found else start


def answer(text: str, start: int, end: int) -> Answer | None:
    """Return the answer that opens a span of text, or None if that is prose.

    >>> answer("Yes, mild", 0, 9)
    Answer(kind='present', end=3, rest=5, joined=True, until=None)
    >>> answer("None seen in either lung.", 0, 25) is None
    True
    """
    known = answers()
    whole = end = _trimmed(text, start, end)
    if text[start : start + 1] in _QUOTES and text[end - 1] == _QUOTES[text[start]] and not known.box.match(text, start, end):
        start = beginning(text, start + 1, end - 1)
        end = _trimmed(text, start, end - 1)
    found = _plain(text, start, end)
    return found._replace(end=whole, rest=whole) if found and found.rest == found.end == end else found


def _trimmed(text: str, start: int, end: int) -> int:
    """Return the end of a span without the signs that close a sentence or a cell."""
    return start + len(text[start:end].rstrip(" .!;,|\t\r"))


def _plain(text: str, start: int, end: int) -> Answer | None:
    """Return the answer that opens a span without quotes around it."""
    known = answers()
    boxes = list(known.box.finditer(text, start, end))
    if len(boxes) > 1:
        return _chosen(text, start, end, boxes)
    if boxes and boxes[0].start() == start:
        return _boxed(text, boxes[0], end)
    if boxes and boxes[0].end() == end:
        end = boxes[0].start()  # "No ✗"
    return Answer(UNKNOWN, end, end, False) if _PROBABILITY.match(text, start, end) else _in_words(text, start, end)


def _in_words(text: str, start: int, end: int) -> Answer | None:
    """Return the answer whose words open a span."""
    known, last = answers(), _last_of_answer(text, start, end)
    tail = known.tail.match(text, last, end) if last > start else None
    if tail is None:
        return None
    kind, rest = known.kinds[text[start:last].lower()], tail.end()
    if kind == UNKNOWN and known.reason.match(text, rest, end):
        return Answer(kind, end, end, False)
    after = _AFTER.match(text, rest, end)
    if after is None or (_SHORT.match(text[start:last]) and after["stop"]):
        return None
    joined = after["more"] is not None
    if after["end"] is not None or (joined and kind == UNKNOWN):  # "N/A - not included in the images"
        return Answer(kind, end, end, False)
    return Answer(kind, rest, after.end(), joined)


def _last_of_answer(text: str, start: int, end: int) -> int:
    """Return the end of the longest answer that opens a span, as whole words; its start if there is none."""
    known = answers()
    ends = (start + length for length in known.lengths.get(text[start : start + 1].lower(), ()))
    fitting = (last for last in ends if last <= end and text[start:last].lower() in known.kinds)
    return next(filter(lambda last: not _INSIDE.match(text, last, end), fitting), start)


def _boxed(text: str, box: re.Match[str], end: int) -> Answer:
    """Return the answer of a box itself, or the one after it ("✗ No", "[x] Yes, mild", "☑ small, left")."""
    after = beginning(text, box.end(), end)
    if after >= end:
        return Answer(ticked(box["box"]) or ABSENT, end, end, False)
    return _plain(text, after, end) or Answer(PROSE, after, after, True)


def _chosen(text: str, start: int, end: int, boxes: list[re.Match[str]]) -> Answer | None:
    """Return the answer of a form ("☐ Yes ☑ No", "Yes [ ] No [x]"): the words beside the ticked box."""
    known = answers()
    before = text[start : boxes[0].start()].strip(" ,;/|").lower()
    first = bool(before)  # the words precede their boxes
    if first and before not in known.kinds:
        return None
    bounds = [start, *(box.end() for box in boxes)] if first else [*(box.start() for box in boxes), end]
    for number, box in enumerate(boxes):
        if ticked(box["box"]) == PRESENT:
            one, other = (bounds[number], box.start()) if first else (box.end(), bounds[number + 1])
            one = other - len(text[one:other].lstrip(" \t,;/|\ufe0f"))
            other = one + len(text[one:other].rstrip(" \t,;/|"))
            kind = known.kinds.get(text[one:other].strip(" .").lower())
            return Answer(kind, end, end, False) if kind else Answer(PROSE, end, one, True, other)
    return Answer(UNKNOWN, end, end, False)
