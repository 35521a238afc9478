"""Details and changes of two asserted findings: how many beyond the core they share (RadSEM 3.3), which exclude each other."""

from __future__ import annotations

from itertools import product

from kgscore.model import WORDING, Detail, Finding
from kgscore.ontology.index import Index

_NONE: frozenset[str] = frozenset()

# Details that only locate a finding, that describe the comparison of films, or that belong to its class, are not compared.
_LEFT_OUT = frozenset(
    ("position_descriptor", "direction", "previous", "comparison", "restriction", "state", "distribution_place", WORDING)
)
# "A small effusion", "mild effusion", "trace of fluid": one degree, whether stated as a size or as a severity.
_LITTLE = frozenset(("small", "very_small", "trace", "minimal", "mild"))
_UP, _DOWN = frozenset(("increased", "new")), frozenset(("decreased", "resolved"))
# Details that state that a device is intact.
SOUND = ("state", "integrity")


def compare_details(a: Finding, b: Finding, shown: frozenset[str] = _NONE, elsewhere: frozenset[str] = _NONE) -> str:
    """Return "equivalent", "partial" or "none": all shared (or none present), some shared, none shared or on one side only.

    `shown` are the descriptors of a's concept, `elsewhere` those of b's: a descriptor that one states by a noun and the other by
    an adjective is shared.
    """
    mine, theirs = _keys(a, elsewhere), _keys(b, shown)
    if a.certainty != b.certainty:
        mine, theirs = mine | {f"certainty:{a.certainty}"}, theirs | {f"certainty:{b.certainty}"}
    elif a.certainty != "definite":
        mine, theirs = mine | {"hedged"}, theirs | {"hedged"}
    if mine == theirs:
        return "equivalent"
    return "partial" if mine & theirs else "none"


def conflicting(a: Finding, b: Finding) -> list[tuple[Detail, Detail]]:
    """Return the details of one category with different values (small / large, 3 mm / 30 mm)."""
    mine, theirs = _keys(a), _keys(b)
    alone = [d for d in a.details if d.category not in _LEFT_OUT and _key(d) not in theirs]
    others = [d for d in b.details if _key(d) not in mine]
    return [(one, other) for one, other in product(alone, others) if one.category == other.category]


def _keys(finding: Finding, shown: frozenset[str] = _NONE) -> frozenset[str]:
    return frozenset(_key(d) for d in finding.details if d.category not in _LEFT_OUT and d.value not in shown)


def _key(detail: Detail) -> str:
    return "little" if detail.value in _LITTLE else f"{detail.category}:{detail.value}"


def opposite_changes(a: Finding, b: Finding) -> bool:
    """Return whether one of two findings has increased, and the other decreased."""
    return (a.change in _UP and b.change in _DOWN) or (a.change in _DOWN and b.change in _UP)


def change_conflict(a: Finding, b: Finding) -> str:
    """Return why two changes exclude each other, or an empty string."""
    if opposite_changes(a, b):
        return f"{a.label}: {a.change} and {b.change} are opposite changes"
    stable = "stable" in (a.change, b.change) and not (_UP | _DOWN).isdisjoint((a.change, b.change))
    return f"{a.label}: {a.change} and {b.change} exclude each other" if stable else ""


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


def unsound(index: Index, detail: Detail) -> set[str]:
    """Return the classes that a detail which states that a device is whole denies of it."""
    if detail.category not in SOUND:
        return set()
    broken = {index.role("broken_device")} if detail.category == "integrity" else set()
    return {row.genus for row in index.denials.get(detail.value, ())} - {index.role("any_abnormality")} | broken


def _failed(index: Index, a: Finding, b: Finding) -> str:
    """Return why the state of a device in one finding excludes a detail in the other (a patent stent, an occluded one)."""
    if a.details == b.details:
        return ""
    for detail in a.details:
        shown = unsound(index, detail)
        if b.concept != a.concept and index.is_any(b.concept, frozenset(shown)):
            return f"{a.label}: {detail.text}, and {b.label}"
        for other in b.details if shown else ():
            if any(index.is_a(other.value, genus) or other.value in index.features.get(genus, ()) for genus in shown):
                return f"{a.label}: {detail.text} and {other.text} exclude each other"
    return ""
