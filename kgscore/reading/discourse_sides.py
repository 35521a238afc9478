"""Sides that depend on preceding sentences: "the same side", "the contralateral kidney"."""

from __future__ import annotations

from dataclasses import replace

from kgscore.model import OTHER_SIDE
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.memo import RecordedAccess

_SPOKEN = frozenset(("same", "opposite"))


def resolve_side(
    head: FindingDraft, places: tuple[SiteAndSide, ...], context: RecordedAccess
) -> tuple[FindingDraft, tuple[SiteAndSide, ...]]:
    """Return a head and its places with "the same" or the opposite side resolved to the side of the preceding finding."""
    lent = head.lent[1] if head.lent else None
    if _SPOKEN.isdisjoint((head.side, lent, *(side for _, side in places))):
        return head, places
    spoken: str | None = context.last_side
    told = {"same": spoken, "opposite": OTHER_SIDE.get(spoken or "")}
    own = head.lent and (head.lent[0], told.get(head.lent[1], lent) or "", head.lent[2])
    places = tuple((name, told.get(side, side) if side else None) for name, side in places)
    return replace(head, side=told.get(head.side or "", head.side), lent=own if own and own[1] else None), places
