"""What "respectively" deals out: to each place of a finding, or to each of several findings, its own size or place."""

from __future__ import annotations

import re
from dataclasses import replace

from kgscore.model import Detail
from kgscore.reading.compose.phrases import Head, Place

_RESPECTIVELY = re.compile(r"\brespective(?:ly)?\b", re.IGNORECASE)
_SIDES = re.compile(r"\b(left|right) and (?:the )?(left|right)\b", re.IGNORECASE)
_PAIR = re.compile(r"([\d.]+) (?:x|and) ([\d.]+)( ?[^\d\s]\S*)")
_DEALT = frozenset(("length", "percent", "severity_descriptor", "size_descriptor"))


def deal_out(heads: list[Head], text: str) -> list[Head]:
    """Return the heads with details and sites dealt out: "masses in the head and tail measuring 22 and 15 mm respectively"."""
    if not _RESPECTIVELY.search(text):
        return heads
    for head in heads:
        head.sites = [one for places in head.sites for one in _each_side(places, text)]
    several = [head for head in heads if head.status == "present"]
    count = len(several)
    if count > 1 and all(head.sites == several[0].sites for head in several) and len(several[0].sites) == count:
        for head, places in zip(several, list(several[0].sites), strict=True):
            head.sites = [places]
    details = several[-1].details if count > 1 and not any(head.details for head in several[:-1]) else []
    if dealt := _dealt(details, count):
        for head, own in zip(several, dealt, strict=True):
            head.details = own
    out: list[Head] = []
    for head in heads:
        own_each = _dealt(head.details, len(head.sites)) if len(head.sites) > 1 else []
        pairs = zip(head.sites, own_each, strict=True) if own_each else ()
        out += [replace(head, sites=[places], details=own, tips=list(head.tips)) for places, own in pairs] or [head]
    return out


def _each_side(places: tuple[Place, ...], text: str) -> list[tuple[Place, ...]]:
    """Return a place on both sides as one on each, in the order in which they were said."""
    order = _SIDES.search(text)
    if order is None or not any(side == "both" for _, side in places):
        return [places]
    return [tuple((name, said.lower() if side == "both" else side) for name, side in places) for said in order.groups()]


def _dealt(details: list[Detail], count: int) -> list[list[Detail]]:
    """Return the details of each of so many findings, or nothing where none has its own."""
    if count == 2:
        details = [one for d in details for one in _pair(d)]
    dealt = {kind: own for kind in _DEALT if len(own := [d for d in details if d.category == kind]) == count > 1}
    if not dealt:
        return []
    kept = [d for d in details if d.category not in dealt]
    return [[*kept, *(own[at] for own in dealt.values())] for at in range(count)]


def _pair(detail: Detail) -> list[Detail]:
    """Return the two sizes of "4 mm and 6 mm", "30% and 50%" apart."""
    two = _PAIR.fullmatch(detail.text) if detail.category in ("length", "percent") else None
    return [Detail(detail.category, size + two[3], size + two[3]) for size in two.groups()[:2]] if two else [detail]
