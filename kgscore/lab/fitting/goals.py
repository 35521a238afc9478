"""Human ratings of pairs, to fit or to monitor (ratings, error counts, which of two candidates is better); splits that
keep the pairs of a study together; and the search for numbers that maximise the agreement of scores with people (Optuna)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import InputError, KgscoreError
from kgscore.lab import correlation as measures
from kgscore.results.resampling import Floats, generator, percentile

OBJECTIVES = {"pearson": measures.pearson, "spearman": measures.spearman, "kendall": measures.kendall}
LEAST = 10  # pairs of a fold
_RESAMPLES, _BLOCK = 2_000, 100
Numbers = Mapping[str, float]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Goal:
    """Ratings of some of many pairs.

    `at` are the positions of these pairs, `human` the rating of each (higher is better), `studies` their studies. With
    `groups`, only pairs of one group are compared: the two candidates of a preference.
    """

    name: str
    at: NDArray[np.intp]
    human: Floats
    studies: tuple[str, ...]
    groups: NDArray[np.int64] | None = None

    def agreement(self, scores: Floats, objective: str, weights: Floats | None = None) -> Floats:
        """Return the agreement of scores of all pairs (NaN: not used) with people, under each row of weights: the
        objective, −1 to 1, or for preferences the share ordered as people do, 0 to 1. NaN if undefined."""
        mine = scores[self.at]
        known = np.isfinite(mine)
        drawn = None if weights is None else weights[:, known]
        if not known.any():
            return np.full(1 if drawn is None else len(drawn), np.nan)
        if self.groups is not None:
            return measures.preference(mine[known], self.human[known], drawn, self.groups[known])
        return OBJECTIVES[objective](mine[known], self.human[known], drawn)

    def value(self, scores: Floats, objective: str) -> float:
        """Return the agreement, 0 if undefined."""
        return float(np.nan_to_num(self.agreement(scores, objective)[0]))


@dataclass(frozen=True, slots=True)
class Change:
    """The agreement with a monitored rating, before and after a fit to another, and the bootstrap interval of the
    difference (studies drawn with replacement); `low` and `high` are None if there is too little data."""

    name: str
    before: float
    after: float
    low: float | None
    high: float | None

    @property
    def harmed(self) -> bool:
        """Whether the agreement falls significantly: the whole interval lies below 0."""
        return self.high is not None and self.high < 0

    @property
    def helped(self) -> bool:
        """Whether it rises by more than chance explains: the whole interval lies above 0."""
        return self.low is not None and self.low > 0

    def __str__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" (difference {self.low:+.3f} to {self.high:+.3f})"
        return f"{self.name}: {self.before:.3f} before, {self.after:.3f} after{ends}"


@dataclass(frozen=True, slots=True)
class Fitted(Generic[_T]):
    """The result of a fit, the number of pairs, the agreement with people (`figures`), and the changes in monitored ratings."""

    found: _T
    counts: Mapping[str, int]
    figures: Mapping[str, Any]
    beside: tuple[Change, ...]


def check_can_fit(objective: str) -> None:
    """Check that the objective can be searched."""
    if find_spec("optuna") is None:
        raise KgscoreError("fitting needs Optuna; install it with: pip install 'kgscore[fit]'")
    if objective not in OBJECTIVES:
        raise InputError(f"objective '{objective}': one of {', '.join(OBJECTIVES)} is required")


def agreement_change(goal: Goal, before: Floats, after: Floats, objective: str, seed: int = 0) -> Change:
    """Return the change in agreement with a goal, from the scores of all pairs before and after a fit."""
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
    """Return the ratings of the pairs at some positions; `groups` says which of them were compared with each other."""
    numbers = None if groups is None else np.unique(np.asarray(list(groups)), return_inverse=True)[1].astype(np.int64)
    return Goal(name, np.asarray(at, dtype=np.intp), np.asarray(human, dtype=np.float64), tuple(studies), numbers)


def scores_at(at: Sequence[int], values: Sequence[float], count: int) -> Floats:
    """Return the scores of some of many pairs in an array of all, NaN for the rest."""
    found = np.full(count, np.nan)
    found[list(at)] = values
    return found


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's ρ, −1 to 1; 0 if either is constant."""
    return float(np.nan_to_num(measures.spearman(np.asarray(one, dtype=float), np.asarray(other, dtype=float))[0]))


def group_folds(studies: Sequence[str], folds: int) -> list[list[int]]:
    """Return the positions of each fold; a study is in one fold only, and folds have similar sizes.

    >>> group_folds(["a", "a", "b", "c"], 2)
    [[0, 1], [2, 3]]
    """
    members: dict[str, list[int]] = {}
    for at, study in enumerate(studies):
        members.setdefault(study, []).append(at)
    if len(members) < folds:
        raise InputError(f"{len(members)} studies cannot be split into {folds} folds; add studies, or use fewer folds")
    found: list[list[int]] = [[] for _ in range(folds)]
    for study in sorted(members, key=lambda name: (-len(members[name]), name)):
        min(found, key=len).extend(members[study])
    return [sorted(fold) for fold in found]


def held_out(study: str) -> bool:
    """Return whether the pairs of a study are held out: one study in five, by its hash, whatever the order of the table."""
    return hashlib.sha256(study.encode()).digest()[0] % 5 == 0


def search_numbers(
    value: Callable[[Numbers], float], space: Mapping[str, tuple[float, float]], start: Numbers, trials: int, seed: int
) -> Numbers:
    """Return the numbers of `space` (bounds by name) with the highest value in so many trials, those of `start` first."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: Any) -> float:
        return value({name: trial.suggest_float(name, *bounds) for name, bounds in space.items()})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({name: min(max(start[name], low), high) for name, (low, high) in space.items()})
    study.optimize(objective, n_trials=trials)
    best: Numbers = study.best_params
    return best


def cross_fitted(
    values: Callable[[Sequence[int], Numbers], list[float]],
    studies: Sequence[str],
    goal: Goal,
    space: Mapping[str, tuple[float, float]],
    start: Numbers,
    *,
    beside: Sequence[Goal] = (),
    objective: str = "spearman",
    trials: int = 100,
    folds: int = 5,
    seed: int = 0,
    tell: Callable[[int], None] = lambda done: None,
) -> Fitted[Numbers]:
    """Return the numbers of `space` that agree best with a goal, and the agreement: of `start` (`before`), of those numbers on
    the pairs that they were searched on (`learnt`), and with each fold of studies scored without it (`held_out`), with the
    interval of what that gains (`gain`). What is watched `beside` is looked at, before and after, and nothing is learnt from it.
    `values` gives the scores of pairs, by their places, under numbers. The same of everything gives the same numbers."""
    check_can_fit(objective)
    mine, count = [int(at) for at in goal.at], len(studies)
    if len(mine) < LEAST * folds:
        raise InputError(f"too few pairs for an honest fit ({len(mine)}); {LEAST} a fold are needed, {LEAST * folds} in all")
    if len(set(goal.human.tolist())) < 2:
        raise InputError("the ratings are all the same; there is nothing to learn from them")

    def scores(of: Sequence[int], found: Numbers) -> Floats:
        return scores_at(of, values(of, found), count)

    def search(of: Sequence[int]) -> Numbers:
        return search_numbers(lambda found: goal.value(scores(of, found), objective), space, start, trials, seed)

    def placed(found: Floats) -> Floats:
        """Where ranks are compared, a score counts by its place among all pairs: each fold has a scale of its own."""
        return found if objective == "pearson" else np.unique(found, return_inverse=True)[1].astype(np.float64)

    outside = np.full(count, np.nan)
    for done, fold in enumerate(group_folds([studies[at] for at in mine], folds)):
        tell(done)
        out = [mine[at] for at in fold]
        outside[out] = placed(scores(range(count), search([at for at in mine if at not in set(out)])))[out]
    tell(folds)
    best = search(mine)
    before, learnt = scores(range(count), start), scores(range(count), best)
    scored = {"before": before, "learnt": learnt, "held_out": outside}
    figures = {name: goal.value(one, objective) for name, one in scored.items()}
    gain = agreement_change(goal, before, outside, objective, seed)
    after = np.where(np.isfinite(outside), outside, placed(learnt))  # what was learnt from is looked at as it is held out
    changes = tuple(agreement_change(one, before, after, objective, seed) for one in beside)
    counts = {"pairs": len(mine), "studies": len({studies[at] for at in mine})}
    return Fitted(best, counts, {**figures, "gain": gain}, changes)
