"""Details of two asserted findings: how many of the details beyond the core they share (RadSEM 3.3)."""

from __future__ import annotations

from kgscore.model import WORDING, Detail, Finding

_NONE: frozenset[str] = frozenset()

# Details that only locate a finding, that describe the comparison of films, or that belong to its class, are not compared.
_LEFT_OUT = frozenset(
    ("position_descriptor", "direction", "previous", "comparison", "restriction", "state", "distribution_place", WORDING)
)
# "A small effusion", "mild effusion", "trace of fluid": one degree, whether stated as a size or as a severity.
_LITTLE = frozenset(("small", "very_small", "trace", "minimal", "mild"))


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
    found = []
    for one in a.details:
        for other in b.details:
            compared = one.category == other.category and one.category not in _LEFT_OUT
            if compared and _key(one) != _key(other) and _key(one) not in _keys(b) and _key(other) not in _keys(a):
                found.append((one, other))
    return found


def _keys(finding: Finding, shown: frozenset[str] = _NONE) -> frozenset[str]:
    return frozenset(_key(d) for d in finding.details if d.category not in _LEFT_OUT and d.value not in shown)


def _key(detail: Detail) -> str:
    return "little" if detail.value in _LITTLE else f"{detail.category}:{detail.value}"
