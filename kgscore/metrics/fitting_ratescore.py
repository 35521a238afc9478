"""Learning W and p of RaTEScore from pairs with a human score (RaTEScore 2.5): a tree-structured Parzen estimator (Optuna).

Who matches whom does not depend on W and p, so every pair is read and matched once. About a fifth of the pairs, chosen by a hash
of the reference so that pairs of one reference stay together, is kept apart: nothing is learnt from it, and the figures on it are
the honest ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from statistics import fmean
from typing import Any

from kgscore.errors import InputError, KgscoreError
from kgscore.metrics.base import Matched
from kgscore.metrics.ratescore import Matrix, Nearest, Ratescore, direction, harmonic, matrix_named
from kgscore.metrics.ratescore_entities import TYPES

OBJECTIVES = ("pearson", "spearman", "kendall")
_LEAST = 10


@dataclass(frozen=True, slots=True)
class Rated:
    """A pair: what its entities are matched with on both sides, the score that a person gave (higher is better), and whether it
    is kept apart."""

    sides: tuple[Sequence[Nearest], Sequence[Nearest]]
    human: float
    apart: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """The matrix learnt, how many pairs it was learnt from and tested on, and the correlations on both, by matrix: "fitted" and
    the shipped ones."""

    matrix: Matrix
    train: int
    test: int
    figures: Mapping[str, Mapping[str, float]]


def rated(metric: Ratescore, pair: Matched, human: float) -> Rated | None:
    """Return the pair as the fit needs it, or None where a side holds no entity."""
    sides = metric.nearest(pair)
    return None if sides is None else Rated(sides, human, held_out(pair.reference_text))


def value(one: Rated, matrix: Matrix) -> float:
    """Return the score of a pair under a matrix."""
    recall, precision = (direction([_under(near, matrix) for near in side]) for side in one.sides)
    return harmonic(recall, precision)


def _under(near: Nearest, matrix: Matrix) -> Nearest:
    weight = matrix.weight(near.own.type, near.matched.type) * near.own_weight
    return replace(near, weight=weight, penalty=matrix.penalty if near.against else 1.0)


def held_out(reference: str) -> bool:
    """Return whether the pairs of a reference are kept apart: one reference in five, whatever the order of the table."""
    return hashlib.sha256(reference.encode()).digest()[0] % 5 == 0


def fit(pairs: Sequence[Rated], *, objective: str = "pearson", trials: int = 300, seed: int = 0) -> Fitted:
    """Return the matrix that correlates best with the human scores of the pairs that are not kept apart.

    The same pairs, trials and seed give the same matrix.

    Raises:
        KgscoreError: Optuna is not installed.
        InputError: fewer than ten pairs on either side of the split, or no two human scores differ.
    """
    if find_spec("optuna") is None:
        raise KgscoreError("fitting needs Optuna; install it with: pip install 'kgscore[fit]'")
    train = [one for one in pairs if not one.apart]
    test = [one for one in pairs if one.apart]
    if len(train) < _LEAST or len(test) < _LEAST:
        said = f"{len(train)} to learn from and {len(test)} kept apart"
        raise InputError(f"too few pairs for an honest fit ({said}); {_LEAST} of each are needed, about 60 in all")
    for part in (train, test):
        if len({one.human for one in part}) < 2:
            raise InputError("the human scores are all the same; there is nothing to learn from them")
    measure = correlation(objective)
    matrix = _search(train, measure, trials, seed)
    shipped = {name: matrix_named(name) for name in ("graded", "long", "short")}
    figures = {
        name: {part: _measured(rows, tried, measure) for part, rows in (("train", train), ("test", test))}
        for name, tried in {"fitted": matrix, **shipped}.items()
    }
    return Fitted(matrix, len(train), len(test), figures)


def _search(
    train: Sequence[Rated], measure: Callable[[Sequence[float], Sequence[float]], float], trials: int, seed: int
) -> Matrix:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def matrix_of(values: Mapping[str, float]) -> Matrix:
        return Matrix(values["penalty"], {own: {other: values[f"{own} {other}"] for other in TYPES} for own in TYPES})

    def objective(trial: Any) -> float:
        names = ["penalty", *(f"{own} {other}" for own in TYPES for other in TYPES)]
        return _measured(train, matrix_of({name: trial.suggest_float(name, 0.0, 1.0) for name in names}), measure)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial(_start())
    study.optimize(objective, n_trials=trials)
    return matrix_of(study.best_params)


def _start() -> dict[str, float]:
    """The matrix of the ontology form, which the search begins at."""
    start = matrix_named("graded")
    return {"penalty": start.penalty, **{f"{a} {b}": start.weight(a, b) for a in TYPES for b in TYPES}}


def _measured(rows: Sequence[Rated], matrix: Matrix, measure: Callable[[Sequence[float], Sequence[float]], float]) -> float:
    return measure([value(one, matrix) for one in rows], [one.human for one in rows])


def correlation(name: str) -> Callable[[Sequence[float], Sequence[float]], float]:
    """Return a measure of correlation by name, −1 to 1; 0 where one of both is constant.

    Raises:
        InputError: there is none of this name.
    """
    known = {"pearson": pearson, "spearman": lambda a, b: pearson(_ranks(a), _ranks(b)), "kendall": kendall}
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


def profile_text(fitted: Fitted, *, base: str, options: Mapping[str, Any], provenance: Mapping[str, Any], name: str) -> str:
    """Return the result as a profile file: the matrix under `weights`, and in comments where it comes from."""
    import yaml

    lines = [f"# {key}: {said}" for key, said in provenance.items()]
    for matrix, figures in fitted.figures.items():
        learnt, honest = (f"{figures[part]:.3f}" for part in ("train", "test"))
        lines.append(f"# {matrix}: {learnt} on {fitted.train} pairs to learn from, {honest} on {fitted.test} kept apart")
    weights: dict[str, Any] = {"penalty": fitted.matrix.penalty}
    weights |= {own: list(fitted.matrix.rows[own].values()) for own in fitted.matrix.rows}
    values = {
        "inherits": base, "name": name, "description": "RaTEScore with weights learnt from human scores.",
        "metrics": {"ratescore": {**options, "weights": weights}},
    }  # fmt: skip
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=None)
    return "\n".join(lines) + "\n" + text
