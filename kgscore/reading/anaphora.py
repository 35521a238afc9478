"""What a sentence tells of the findings of the sentence before it: "It has grown", "The lesion is larger", "No change since"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kgscore.model import Change, Detail, Finding
from kgscore.reading.head import STRENGTH, Head
from kgscore.reading.items import Item

_CHANGES: Mapping[str, Change] = {"increased": "increased", "decreased": "decreased", "stable": "stable"}
# A sentence with one of these speaks of something itself.
_OWN = frozenset((
    "F", "A", "Q", "N", "sideword", "W", "up", "down", "lost", "abnormal", "signalword", "drop", "history", "spoken",
))  # fmt: skip
# What stands for the findings of the sentence before.
_PRONOUNS = frozenset(("this", "these", "it", "they"))
# So many items before a word of change can deny it.
_BEFORE = 3


def change_told(items: Sequence[Item], heads: Sequence[Head]) -> Change | None:
    """Return the change that a sentence which names nothing itself tells of what was found before, or None."""
    own = (at for at, item in enumerate(items) if item.kind in _OWN)
    if heads or any(items[at].kind != "W" or not at or items[at - 1].kind != "past" for at in own):  # "since the last study"
        return None
    told = [at for at, item in enumerate(items) if item.kind == "change" and item.id in _CHANGES]
    if len({items[at].id for at in told}) != 1:
        return None
    denied = any(item.kind == "neg" for item in items[max(0, told[0] - _BEFORE) : told[0]])
    return "stable" if denied else _CHANGES[items[told[0]].id]


def pointing(heads: Sequence[Head], found: Sequence[Finding]) -> Change | None:
    """Return the change that a sentence tells of "the lesion" and says nothing else of, or None."""
    one = len({head.item.start for head in heads}) == 1 and all(head.definite for head in heads)
    plain = all(finding.status == "present" and not finding.details for finding in found)
    changes = {finding.change for finding in found}
    return changes.pop() if one and plain and len(changes) == 1 else None


def changed(findings: list[Finding], latest: range, change: Change) -> bool:
    """Put a change on the findings of the sentence before that have none, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and findings[at].change is None]
    for at in mine:
        findings[at] = replace(findings[at], change=change)
    return bool(mine)


def explains(opening: str, heads: Sequence[Head]) -> bool:
    """Whether a sentence only says what the findings of the one before may be ("These may represent granulomas")."""
    hedged = all(head.certainty != "definite" and head.status == "present" and not head.sites for head in heads)
    return opening.lower() in _PRONOUNS and bool(heads) and hedged


def explained(findings: list[Finding], latest: Iterable[int], readings: Sequence[Finding]) -> bool:
    """Put readings on findings of the sentence before, as what they are taken for, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and not findings[at].alternatives]
    details = tuple(Detail("inference", one.concept or "", STRENGTH[one.certainty] + one.label) for one in readings)
    names = tuple(dict.fromkeys(one.concept or "" for one in readings))
    for at in mine:
        findings[at] = replace(findings[at], details=(*findings[at].details, *details), alternatives=names)
    return bool(mine)
