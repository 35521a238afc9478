"""Agreement of the labels of two reports: counts and F1, for one pair and for many (the published label-based baselines)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from kgscore.labelling.decide import Value


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, invented and missed: labels affirmed on both sides, by the candidate alone, by the reference alone."""

    both: int = 0
    invented: int = 0
    missed: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.both + other.both, self.invented + other.invented, self.missed + other.missed)

    @property
    def f1(self) -> float | None:
        """F1 from 0 to 1; None if neither side affirms anything."""
        whole = 2 * self.both + self.invented + self.missed
        return 2 * self.both / whole if whole else None


def compare(reference: Mapping[str, Value], candidate: Mapping[str, Value], *, uncertain: bool = True) -> dict[str, Counts]:
    """Return the counts of every label of a pair; uncertain labels count as affirmed, or, with `uncertain=False`, do not."""
    affirmed = ("present", "uncertain") if uncertain else ("present",)
    sides = {name: (value in affirmed, candidate[name] in affirmed) for name, value in reference.items()}
    return {name: Counts(here and there, there > here, here > there) for name, (here, there) in sides.items()}


def summary(pairs: Iterable[Mapping[str, Counts]], names: Sequence[str] = ()) -> dict[str, Any]:
    """Return micro and macro F1 over many pairs, of all labels or of those named, and the F1 of each.

    `macro` counts a label that neither side ever affirms as 0, like the published baseline; `macro of labels that occur`
    excludes it. A figure is None if there is nothing to count."""
    total: dict[str, Counts] = {name: Counts() for name in names}
    count = 0
    for pair in pairs:
        count += 1
        for name in names or pair:
            total[name] = total.get(name, Counts()) + pair[name]
    each = {name: counts.f1 for name, counts in total.items()}
    there = [f1 for f1 in each.values() if f1 is not None]
    macro, occurring = (fsum(there) / len(each), fsum(there) / len(there)) if there else (None, None)
    micro = sum(total.values(), Counts()).f1
    return {"pairs": count, "micro": micro, "macro": macro, "macro of labels that occur": occurring, "labels": each}


def support(pairs: Iterable[Mapping[str, Counts]]) -> Counter[str]:
    """Return the number of references that affirm each label."""
    found: Counter[str] = Counter()
    for pair in pairs:
        found.update({name: counts.both + counts.missed for name, counts in pair.items()})
    return found
