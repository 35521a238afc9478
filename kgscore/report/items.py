"""The outcomes of a case: one item per finding or pair of findings, the most severe first. Used by all pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from kgscore.results.cases import CaseLine, Item
from kgscore.results.layout import REPORTS

# The kinds are the categories of the clinical verdict; without one, the outcomes of the matching are mapped to them.
KINDS = ("wrong", "missed", "invented", "minor", "correct")
MARKS = {"correct": "✓", "minor": "≈", "missed": "−", "invented": "+", "wrong": "✗"}


def items_of(line: CaseLine) -> list[Item]:
    """Return the items of a case, the most severe first. Without a verdict, findings of both reports are counted once, as in
    the report that has more of them."""
    first, second = (
        Counter(one for one in line.findings[report] if _is_item(one, report) and (one.denial or line.judged is None))
        for report in REPORTS
    )
    return sorted((*(line.judged or ()), *(first | second).elements()), key=_order)


def _is_item(one: Item, report: str) -> bool:
    """Return whether a finding is an item of its own, as a negation is not if the other report asserts the finding."""
    return not (one.denial and one.kind in ("wrong", "invented" if report == "reference" else "missed"))


def worst_tier(items: Iterable[Item]) -> int:
    """Return the tier of the most severe error among these; 0 if there is none."""
    return max((one.grave for one in items), default=0)


def _order(one: Item) -> tuple[int, int, str, bool]:
    return -one.grave, KINDS.index(one.kind), one.label, one.denial


def encode_items(items: Iterable[Item], labels: dict[str, int]) -> list[int]:
    """Return items as numbers: ((label × 2 + denial) × 5 + kind) × 5 + tier, where `labels` numbers the labels on first use."""
    return [
        ((labels.setdefault(one.label, len(labels)) * 2 + one.denial) * 5 + KINDS.index(one.kind)) * 5 + one.tier for one in items
    ]


def decode_items(codes: Iterable[int], labels: Sequence[str]) -> list[Item]:
    """Return the items encoded by `encode_items`."""
    return [Item(KINDS[code // 5 % 5], labels[code // 50], code % 5, code // 25 % 2 == 1) for code in codes]


def by_finding(items: Iterable[Item]) -> dict[tuple[str, int], Counter[str]]:
    """Return, by label and tier, the number of abnormal findings of each kind: a label may have different tiers in different
    cases."""
    found: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for one in items:
        if not one.denial:
            found[one.label, one.tier][one.kind] += 1
    return found


def tally(items: Sequence[Item], *, denial: bool = False) -> dict[str, int]:
    """Return the number of items of each kind."""
    found = Counter(one.kind for one in items if one.denial == denial)
    return {kind: found[kind] for kind in KINDS}
