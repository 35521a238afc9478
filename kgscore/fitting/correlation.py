"""Correlations of scores with ratings, and splits that keep the pairs of a study together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from statistics import fmean

from kgscore.errors import InputError

Correlation = Callable[[Sequence[float], Sequence[float]], float]


def correlation(name: str) -> Correlation:
    """Return a measure of correlation by name, −1 to 1; 0 where one of both is constant.

    Raises:
        InputError: there is none of this name.
    """
    known: dict[str, Correlation] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
    if name not in known:
        raise InputError(f"objective '{name}': one of {', '.join(known)} is wanted")
    return known[name]


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Pearson's r.

    >>> round(pearson([1, 2, 3], [2, 4, 7]), 3)
    0.993
    """
    left, right = fmean(one), fmean(other)
    shared = sum((a - left) * (b - right) for a, b in zip(one, other, strict=True))
    scale = (sum((a - left) ** 2 for a in one) * sum((b - right) ** 2 for b in other)) ** 0.5
    return shared / scale if scale > 1e-15 else 0.0


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's ρ, equal values sharing the mean of their ranks.

    >>> round(spearman([1.0, 2.0, 2.0, 4.0], [1.0, 5.0, 5.0, 9.0]), 9)
    1.0
    """
    return pearson(_ranks(one), _ranks(other))


def kendall(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Kendall's τ_b.

    >>> kendall([1, 2, 3, 4], [1, 3, 2, 4])
    0.6666666666666666
    """
    agree = left = right = 0
    for i, a in enumerate(one):
        for j in range(i):
            first, second = (a > one[j]) - (a < one[j]), (other[i] > other[j]) - (other[i] < other[j])
            agree += first * second
            left += first != 0
            right += second != 0
    return agree / (left * right) ** 0.5 if left and right else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Return ranks, equal values sharing the mean of theirs."""
    order = sorted(values)
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for place, found in enumerate(order):
        first.setdefault(found, place)
        last[found] = place
    return [(first[found] + last[found]) / 2 for found in values]


def group_folds(studies: Sequence[str], folds: int) -> list[list[int]]:
    """Return the positions of each fold; a study is in one fold only, and folds are of about one size.

    Raises:
        InputError: there are fewer studies than folds.

    >>> group_folds(["a", "a", "b", "c"], 2)
    [[0, 1], [2, 3]]
    """
    members: dict[str, list[int]] = {}
    for at, study in enumerate(studies):
        members.setdefault(study, []).append(at)
    if len(members) < folds:
        raise InputError(f"{len(members)} studies cannot be split into {folds} folds; bring more, or ask for fewer folds")
    found: list[list[int]] = [[] for _ in range(folds)]
    for study in sorted(members, key=lambda name: (-len(members[name]), name)):
        min(found, key=len).extend(members[study])
    return [sorted(fold) for fold in found]


def held_out(study: str) -> bool:
    """Return whether the pairs of a study are kept apart: one study in five, by its hash, whatever the order of the table."""
    return hashlib.sha256(study.encode()).digest()[0] % 5 == 0
