"""What a metric is, and what it is given: one reading and one matching of a pair serve every metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kgscore.model import Contribution, Finding, Link, Reading, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile


@dataclass(frozen=True, slots=True)
class Matched:
    """A pair read and matched: both readings, the accepted links, the contradictions, and the texts."""

    reference: Reading
    candidate: Reading
    links: Sequence[Link]
    contradictions: Sequence[Link] = ()
    reference_text: str = ""
    candidate_text: str = ""

    @property
    def silent(self) -> bool:
        """Whether the candidate says nothing that can be compared: no finding of a known concept, and none that is linked."""
        return not self.links and all(finding.concept is None for finding in self.candidate.findings)

    def unmatched(self) -> tuple[list[int], list[int]]:
        """Return the positions of findings without an accepted link: (reference, candidate)."""
        left = {link.reference for link in self.links}
        right = {link.candidate for link in self.links}
        return (
            [i for i in range(len(self.reference.findings)) if i not in left],
            [j for j in range(len(self.candidate.findings)) if j not in right],
        )


class Metric(Protocol):
    """A metric made ready for one profile and ontology."""

    def score(self, pair: Matched) -> Score:
        """Return the score of a pair; `empty` where there is nothing to score, never a number for that."""
        ...

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return what the score is made of. Where higher is better, credits add up to it, and costs to what lacks to the best
        score; where lower is better, costs add up to it."""
        ...


@dataclass(frozen=True, slots=True)
class NoOptions:
    """A metric without options."""


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric with its range, direction and source, what it needs, what it cannot see, and how to build it.

    `build` makes it ready for a profile and an ontology; `options` is the frozen dataclass of what a profile may say under
    `metrics: NAME:`, with defaults. `high` is None where the score has no upper bound.
    """

    name: str
    build: Callable[[Profile, Index], Metric]
    low: float
    high: float | None
    higher_is_better: bool
    source: str
    summary: str
    needs: str = "nothing"
    blind_to: str = ""
    options: type[Any] = NoOptions


def contribution(
    kind: str,
    what: str,
    reference: Finding | None = None,
    candidate: Finding | None = None,
    *,
    credit: float = 0.0,
    cost: float = 0.0,
    because: Sequence[str] = (),
) -> Contribution:
    """Return a contribution with the words and offsets of the findings it is about."""
    one = (reference.start, reference.end) if reference else None
    other = (candidate.start, candidate.end) if candidate else None
    return Contribution(kind, what, one, other, credit, cost, tuple(because))  # type: ignore[arg-type]
