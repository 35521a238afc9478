"""The registry of metrics: one file and one entry each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgscore.model import Finding, Link, Score
from kgscore.profile import Profile


@dataclass(frozen=True, slots=True)
class Matched:
    """What every metric is given: both sides' findings, the accepted links, and who has none."""

    reference: Sequence[Finding]
    candidate: Sequence[Finding]
    links: Sequence[Link]
    profile: Profile

    def unmatched(self) -> tuple[list[int], list[int]]:
        """Return the positions of findings without an accepted link: (reference, candidate)."""
        left = {link.reference for link in self.links}
        right = {link.candidate for link in self.links}
        return (
            [i for i in range(len(self.reference)) if i not in left],
            [j for j in range(len(self.candidate)) if j not in right],
        )


Metric = Callable[[Matched], Score]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric with its range, direction and source."""

    name: str
    compute: Metric
    low: float
    high: float
    higher_is_better: bool
    source: str
