"""What was not understood: words that no concept covers, and the findings that they may be."""

from __future__ import annotations

from typing import cast

from kgscore.model import Finding, Side, Unlinked
from kgscore.reading.items import Item
from kgscore.reading.sections import Sentence

_SHORTEST = 3


def unlinked_finding(items: list[Item], report: str, sentence: Sentence, unlinked: list[Unlinked]) -> list[Finding]:
    """Return the finding of a sentence about a structure in words that no concept covers: it can only match its like."""
    words = [item for item in items if item.kind in ("W", "A", "M", "Q", "N", "up", "down", "lost", "abnormal")]
    unknown = [item for item in words if item.kind == "W" and len(item.id) >= _SHORTEST]
    if not unknown:
        if words and any(item.kind == "meas" for item in items):  # "A 12 mm subcarinal lymph node": no finding, and not lost
            unlinked.append(Unlinked(report[items[0].start : items[-1].end], items[0].start, items[-1].end))
        return []
    start, end = words[0].start, words[-1].end
    unlinked.append(Unlinked(report[start:end], start, end))
    if not any(item.kind in ("A", "Q") for item in words):
        return []
    denied = any(item.kind in ("neg", "negpost") for item in items)
    side = next((item.id for item in items if item.kind == "sideword" and item.id in ("left", "right")), None)
    sites = tuple(dict.fromkeys(item.id for item in words if item.kind == "A"))
    text = report[start:end]
    bag = frozenset(item.id for item in words)
    return [
        Finding(
            text,
            start,
            end,
            None,
            text,
            sites,
            cast("Side | None", side),
            "absent" if denied else "present",
            section=sentence.section,
            words=bag,
        )
    ]


def unlinked_words(items: list[Item], report: str, unlinked: list[Unlinked]) -> None:
    """Add the words of a sentence that no concept covers and no finding used."""
    for item in items:
        if item.kind == "W" and len(item.id) >= _SHORTEST and not item.used:
            unlinked.append(Unlinked(report[item.start : item.end], item.start, item.end))
