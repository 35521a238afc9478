"""One figure of a benchmark, printed as a table row or a JSON line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A `measure` of a `metric` in a `task`, over all cases or those `of` one kind.

    `value` is None if undefined; `low` and `high` bound its bootstrap interval. `cases` is the sample size, including
    `unscored` cases without a score.
    """

    task: str
    of: str
    metric: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    cases: int
    unscored: int = 0
