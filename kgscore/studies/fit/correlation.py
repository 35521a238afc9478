"""Rank correlation as an objective, and splits that keep the pairs of a study together."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from kgscore.errors import InputError
from kgscore.results import correlation as measures


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's ρ, −1 to 1; 0 where one of both is constant."""
    found = float(measures.spearman(np.asarray(one, dtype=float), np.asarray(other, dtype=float))[0])
    return found if math.isfinite(found) else 0.0


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
