"""Recall of the references' findings, finding by finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from kgscore.report.items import by_finding
from kgscore.results.cases import CaseLine, Item

_Z = 1.959964  # 95 %
_FOUND = ("correct", "minor")


@dataclass(frozen=True, slots=True)
class Recall:
    """An abnormal finding of the references: its tier there (1 routine to 4 critical), how often it occurs there, how often the
    candidate also reports it (correct or with minor differences), that share (0 to 1, higher is better) and its 95 % interval."""

    finding: str
    tier: int
    said: int
    found: int
    recall: float
    low: float
    high: float


def recalls(lines: Iterable[CaseLine], least: int = 1) -> list[Recall]:
    """Return the recall of every abnormal finding found at least `least` times in the references: the most severe first, then
    the least recalled. A finding that is contradicted, or reported with a major error, is not recalled."""
    rows = []
    for (label, tier), kinds in by_finding(one for line in lines for one in _asserted_items(line)).items():
        said, found = kinds.total(), sum(kinds[kind] for kind in _FOUND)
        if said >= least:
            rows.append(Recall(label, tier, said, found, found / said, *share_interval(found, said)))
    return sorted(rows, key=lambda row: (-row.tier, row.recall, -row.said, row.finding))


def _asserted_items(line: CaseLine) -> list[Item]:
    """Return the outcomes of the references' assertions."""
    if line.judged is not None:
        return [one for one in line.judged if one.kind != "invented"]
    return [one for one in line.findings["reference"] if not one.denial]


def share_interval(some: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), which is valid for small samples and for shares of 0 and 1.

    >>> tuple(round(end, 3) for end in share_interval(0, 10))
    (0.0, 0.278)
    """
    share, square = some / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    wide = _Z / (1 + square / of) * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - wide), min(1.0, middle + wide)
