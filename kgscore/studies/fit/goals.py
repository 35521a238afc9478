"""What people said of pairs, to learn from or to watch: ratings, error counts, or which of two candidates is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import InputError
from kgscore.results import correlation as measures
from kgscore.results.correlation import Floats
from kgscore.results.resampling import generator, percentile

OBJECTIVES = {"pearson": measures.pearson, "spearman": measures.spearman, "kendall": measures.kendall}
PREFERENCE = "preference"
_RESAMPLES, _BLOCK = 2_000, 100


@dataclass(frozen=True, slots=True)
class Goal:
    """What was said of some of many pairs.

    `at` are the positions of these pairs, `human` what was said of each (higher is better), `studies` what they are of. With
    `groups`, only pairs of one group are compared: the two candidates of a preference.
    """

    name: str
    at: NDArray[np.intp]
    human: Floats
    studies: tuple[str, ...]
    groups: NDArray[np.int64] | None = None

    def agreement(self, scores: Floats, objective: str, weights: Floats | None = None) -> Floats:
        """Return how well scores of all pairs (NaN: not among those looked at) agree with people, under each row of weights: the
        objective, −1 to 1, or of preferences the share that is ordered as people do, 0 to 1. NaN where that is not defined."""
        mine = scores[self.at]
        known = np.isfinite(mine)
        drawn = None if weights is None else weights[:, known]
        if not known.any():
            return np.full(1 if drawn is None else len(drawn), np.nan)
        if self.groups is not None:
            return measures.preference(mine[known], self.human[known], drawn, self.groups[known])
        return OBJECTIVES[objective](mine[known], self.human[known], drawn)

    def value(self, scores: Floats, objective: str) -> float:
        """Return the agreement, 0 where it is not defined."""
        return float(np.nan_to_num(self.agreement(scores, objective)[0]))


@dataclass(frozen=True, slots=True)
class Change:
    """The agreement with something that was watched, before and after a fit to something else, and the bootstrap interval of the
    difference (studies drawn with replacement); `low` and `high` are None where there is too little to draw."""

    name: str
    before: float
    after: float
    low: float | None
    high: float | None

    @property
    def harmed(self) -> bool:
        """Whether the agreement falls by more than chance explains: the whole interval lies below 0."""
        return self.high is not None and self.high < 0

    def __str__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" (difference {self.low:+.3f} to {self.high:+.3f})"
        return f"{self.name}: {self.before:.3f} before, {self.after:.3f} after{ends}"


def checked_objective(name: str) -> str:
    """Return the name of an objective.

    Raises:
        InputError: there is none of this name.
    """
    if name not in OBJECTIVES:
        raise InputError(f"objective '{name}': one of {', '.join(OBJECTIVES)} is wanted")
    return name


def changed(goal: Goal, before: Floats, after: Floats, objective: str, seed: int = 0) -> Change:
    """Return what a fit did to the agreement with a goal, from the scores of all pairs before and after it."""
    seen = np.where(np.isfinite(before) & np.isfinite(after), 0.0, np.nan)
    before, after = before + seen, after + seen
    values = goal.value(before, objective), goal.value(after, objective)
    _, study = np.unique(np.asarray(goal.studies), return_inverse=True)
    count = int(study.max()) + 1 if len(study) else 0
    low = high = None
    if count > 1:
        random = generator(seed, f"fit|{goal.name}")
        estimates = np.concatenate([
            goal.agreement(after, objective, weights) - goal.agreement(before, objective, weights)
            for _ in range(_RESAMPLES // _BLOCK)
            for weights in [random.multinomial(count, np.full(count, 1 / count), size=_BLOCK)[:, study].astype(np.float64)]
        ])  # fmt: skip
        known = estimates[np.isfinite(estimates)]
        low, high = percentile(known, 0.95) if len(known) > 1 else (None, None)
    return Change(goal.name, *values, low, high)


def goal(
    name: str, at: Sequence[int], human: Sequence[float], studies: Sequence[str], groups: Sequence[str] | None = None
) -> Goal:
    """Return what was said of the pairs at some positions; `groups` says which of them were compared with each other."""
    numbers = None if groups is None else np.unique(np.asarray(list(groups)), return_inverse=True)[1].astype(np.int64)
    return Goal(name, np.asarray(at, dtype=np.intp), np.asarray(human, dtype=np.float64), tuple(studies), numbers)
