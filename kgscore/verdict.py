"""The clinical verdict on a pair: the aligned findings of both reports, each with its significance and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Dimension = Literal[
    "presence", "side", "place", "severity", "size", "morphology", "certainty", "specificity", "overinterpretation",
    "change", "device",
]  # fmt: skip
Category = Literal["correct", "minor", "wrong", "missed", "invented"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
ERRORS: tuple[Category, ...] = ("missed", "wrong", "invented")
CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True, slots=True)
class Error:
    """One error in a finding: its dimension, whether it is `major` (it would change management), the `share` of the
    finding's weight that it costs (0 to 1), and the axiom or threshold that decides it."""

    dimension: Dimension
    major: bool
    share: float
    because: str


@dataclass(frozen=True, slots=True)
class Aligned:
    """The outcome of one finding: a finding of the reference with all that the candidate says about it, or an invented one.

    `reference` and `candidate` are positions in the findings of each report (several: an umbrella statement and its parts, or
    a repeated statement); the first is the finding itself. `tier` is its significance, 1 routine to 4 critical; `reasons` say
    why. A finding is `missed` if nothing matches it, `wrong` if it has a major error or is negated, `minor` if it has only
    small errors. `credit` and `cost` are its shares of the sums of `clinical`. An error with `doubts` may be a reading error;
    they say why."""

    what: str
    category: Category
    tier: int
    reference: tuple[int, ...] = ()
    candidate: tuple[int, ...] = ()
    errors: tuple[Error, ...] = ()
    credit: float = 0.0
    cost: float = 0.0
    reasons: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def because(self) -> tuple[str, ...]:
        """The grounds of the outcome: its proof, the reasons for its tier, and the reasons for doubt."""
        return (*self.proof, *self.reasons, *self.doubts)

    @property
    def is_error(self) -> bool:
        """Whether the finding is missed, wrong or invented."""
        return self.category in ERRORS

    @property
    def actionable(self) -> bool:
        """Whether the finding counts as an actionable error of the report: an error whose tier is above routine."""
        return self.is_error and self.tier > 1

    @property
    def unsided(self) -> str:
        """The finding without its side."""
        return self.what.removeprefix("left ").removeprefix("right ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The clinical verdict on a pair: one sentence, and the outcome of every finding, ordered by severity; within a tier,
    certain errors come before doubtful ones. `said` holds the tier of each assertion of the candidate, and whether it is
    correct apart from minor errors."""

    sentence: str
    findings: tuple[Aligned, ...] = ()
    said: tuple[tuple[int, bool], ...] = ()
