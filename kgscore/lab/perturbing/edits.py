"""Changes to a report: edits of its text, the order of its pieces, and the meaning of each edit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

Span = tuple[int, int]
_WORD = re.compile(r"\w+|\W")


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `kind` names it ("false_negation", "synonym" …); `before` and `after` are the words,
    `concept_before` and `concept_after` their concepts, if any.

    `span` is the place of `before` in the source (an insertion has an empty span), `findings` are the numbers of the source
    findings affected, as numbered by `kgscore read` from 0. An error has the `categories` of ReXVal (1 to 6) and a
    clinical `severity` (1 routine to 4 critical); a rewording has neither.
    """

    kind: str
    span: Span
    before: str
    after: str
    concept_before: str | None = None
    concept_after: str | None = None
    findings: tuple[int, ...] = ()
    categories: tuple[int, ...] = ()
    severity: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """`before`, at [start, end) of the source, becomes `after`."""

    start: int
    end: int
    before: str
    after: str


def apply_edits(source: str, edits: Iterable[Edit], order: Sequence[Span] = ()) -> str:
    """Return the source with edits and a new order of pieces applied. Text between the pieces keeps its place.

    Raises:
        ValueError: an edit does not fit the source, overlaps another one, or crosses the end of a piece.

    >>> apply_edits("No effusion. Clear lungs.", [Edit(3, 11, "effusion", "pleural fluid")], [(13, 25), (0, 12)])
    'Clear lungs. No pleural fluid.'
    """
    known = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit in known:
        if source[edit.start : edit.end] != edit.before:
            raise ValueError(f"the source does not match at {edit.start} to {edit.end}")
    slots = sorted(order)
    spans = pairwise([0, *(offset for slot in slots for offset in slot), len(source)])
    parts = [_apply_in_span(source, span, known, not order or number % 2 == 1) for number, span in enumerate(spans)]
    if sum(used for _, used in parts) != len(known):
        raise ValueError("edits overlap, or one crosses the end of a piece")
    texts = [text for text, _ in parts]
    pieces = dict(zip(slots, texts[1::2], strict=False))
    texts[1::2] = map(pieces.__getitem__, order)
    return "".join(texts)


def _apply_in_span(source: str, span: Span, edits: Sequence[Edit], whole: bool) -> tuple[str, int]:
    """Return a span with its edits applied, and their number; an insertion at an end of a piece (`whole`) is in the piece."""
    out, at, used = "", span[0], 0
    for edit in edits:
        inside = at <= edit.start and edit.end <= span[1]
        if inside and (whole or edit.start < edit.end or span[0] < edit.start < span[1]):
            out, at, used = out + source[at : edit.start] + edit.after, edit.end, used + 1
    return out + source[at : span[1]], used


def difference(start: int, before: str, after: str) -> Edit | None:
    """Return the edit that turns `before`, located at `start`, into `after`: whole words, as few as possible.

    >>> difference(10, "Small left effusion.", "Small right effusion.")
    Edit(start=16, end=20, before='left', after='right')
    """
    if before == after:
        return None
    old, new = _WORD.findall(before), _WORD.findall(after)
    head = _common_prefix(old, new)
    tail = _common_prefix(old[head:][::-1], new[head:][::-1])
    first, last = len("".join(old[:head])), len("".join(old[: len(old) - tail]))
    return Edit(start + first, start + last, before[first:last], "".join(new[head : len(new) - tail]))


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
