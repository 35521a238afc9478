"""One figure of a benchmark: what people read in a table and programs in a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A `measure` of a `metric` in a `task`, over all cases or those `of` a kind.

    `value` is None where it is not defined; `low` and `high` end its bootstrap interval. `cases` is what it is made of, of which
    `unscored` had no score.
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
