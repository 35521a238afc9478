"""What is to be said of a case: one item a finding or a pair of findings, the gravest first. Every page reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kgscore.results.cases import CaseLine, Item
from kgscore.results.layout import REPORTS

# The kinds are the categories of the clinical verdict; without one, what the matching made of the findings stands for them.
KINDS = ("wrong", "missed", "invented", "minor", "correct")
MARKS = {"correct": "✓", "minor": "≈", "missed": "−", "invented": "+", "wrong": "✗"}


def items_of(line: CaseLine) -> list[Item]:
    """Return the items of a case, the gravest first. Without a verdict, what both reports hold is counted once: as often as in
    that report which holds it more often."""
    first, second = (
        Counter(one for one in line.findings[report] if _told(one, report) if one.denial or line.judged is None)
        for report in REPORTS
    )
    return sorted((*(line.judged or ()), *(first | second).elements()), key=_order)


def _told(one: Item, report: str) -> bool:
    """Whether a finding is an item: a denial that clashes is one about what the other report asserts."""
    return not (one.denial and one.kind in ("wrong", "invented" if report == "reference" else "missed"))


def gravest(items: Iterable[Item]) -> int:
    """Return the tier of the gravest error among these; 0 if there is none."""
    return max((one.grave for one in items), default=0)


def _order(one: Item) -> tuple[int, int, str, bool]:
    return -one.grave, KINDS.index(one.kind), one.label, one.denial


def packed(items: Iterable[Item], labels: dict[str, int]) -> list[int]:
    """Return items as numbers: ((label × 2 + denial) × 5 + kind) × 5 + tier, where `labels` numbers the labels as they come."""
    return [
        ((labels.setdefault(one.label, len(labels)) * 2 + one.denial) * 5 + KINDS.index(one.kind)) * 5 + one.tier for one in items
    ]


def unpacked(codes: Iterable[int], labels: Sequence[str]) -> list[Item]:
    """Return the items that `packed` made numbers of."""
    return [Item(KINDS[code // 5 % 5], labels[code // 50], code % 5, code // 25 % 2 == 1) for code in codes]


def by_finding(items: Iterable[Item]) -> dict[tuple[str, int], Counter[str]]:
    """Return by label and tier how many abnormal findings there are of each kind: one name may have another tier in another
    case."""
    found: dict[tuple[str, int], Counter[str]] = {}
    for one in items:
        if not one.denial:
            found.setdefault((one.label, one.tier), Counter())[one.kind] += 1
    return found


def tally(items: Sequence[Item], *, denial: bool = False) -> dict[str, int]:
    """Return how many items there are of each kind."""
    found = Counter(one.kind for one in items if one.denial == denial)
    return {kind: found[kind] for kind in KINDS}
