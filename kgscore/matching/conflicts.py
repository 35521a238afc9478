"""Why two assertions of one finding cannot both hold: opposite changes, details that exclude each other."""

from __future__ import annotations

from kgscore.model import Finding
from kgscore.ontology.index import Index

_UP, _DOWN = frozenset(("increased", "new")), frozenset(("decreased", "resolved"))
# Details that state that a device is intact.
_SOUND = ("state", "integrity")
_NONE: frozenset[str] = frozenset()


def opposite_changes(a: Finding, b: Finding) -> bool:
    """Return whether one of two findings has increased, and the other decreased."""
    return (a.change in _UP and b.change in _DOWN) or (a.change in _DOWN and b.change in _UP)


def change_conflict(a: Finding, b: Finding) -> str:
    """Return why two changes exclude each other, or an empty string."""
    if opposite_changes(a, b):
        return f"{a.label}: {a.change} and {b.change} are opposite changes"
    if "stable" in (a.change, b.change) and (a.change in _UP | _DOWN or b.change in _UP | _DOWN):
        return f"{a.label}: {a.change} and {b.change} exclude each other"
    return ""


def detail_conflict(index: Index, a: Finding, b: Finding) -> str:
    """Return why two details exclude each other (shifts to the left and to the right), or an empty string."""
    mine, theirs = _values(index, a), _values(index, b)
    for value, other in theirs.items():
        clash = index.opposites.get(value, _NONE).intersection(mine)
        if clash and value not in mine and clash.isdisjoint(theirs):
            return f"{a.label}: {mine[min(clash)]} and {other} exclude each other"
    return _failed(index, a, b) or _failed(index, b, a)


def _values(index: Index, finding: Finding) -> dict[str, str]:
    """Return the descriptors of a finding with their words: of its details, and of its concept; an age differs like a degree."""
    told = {d.value: d.text for d in finding.details if d.category != index.role("ages")}
    return {value: index.label(value) for value in index.features.get(finding.concept or "", ())} | told


def _failed(index: Index, a: Finding, b: Finding) -> str:
    """Return why the state of a device in one finding excludes a detail in the other (a patent stent, an occluded one)."""
    if a.details == b.details:
        return ""
    for detail in a.details:
        denied = {row.genus for row in index.denials.get(detail.value, ())} if detail.category in _SOUND else set()
        for other in b.details if denied else ():
            shown = (genus for genus in denied if genus != index.role("any_abnormality"))
            if any(index.is_a(other.value, genus) or other.value in index.features.get(genus, ()) for genus in shown):
                return f"{a.label}: {detail.text} and {other.text} exclude each other"
    return ""
