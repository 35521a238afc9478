"""Learning W and p of RaTEScore from pairs with a human score (RaTEScore 2.5): a tree-structured Parzen estimator (Optuna).

Who matches whom does not depend on W and p, so every pair is read and matched once. About a fifth of the pairs, chosen by a hash
of the study so that pairs of one study stay together, is kept apart: nothing is learnt from it, and the figures on it are the
honest ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from kgscore.errors import InputError, KgscoreError
from kgscore.fitting.correlation import Correlation, correlation, held_out
from kgscore.metrics.base import Matched
from kgscore.metrics.ratescore import Matrix, Nearest, Ratescore, direction, harmonic, matrix_named
from kgscore.metrics.ratescore_entities import TYPES

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


def rated(metric: Ratescore, pair: Matched, human: float, study: str = "") -> Rated | None:
    """Return the pair as the fit needs it, or None where a side holds no entity; without a study the reference stands for it."""
    sides = metric.nearest(pair)
    return None if sides is None else Rated(sides, human, held_out(study or pair.reference_text))


def value(one: Rated, matrix: Matrix) -> float:
    """Return the score of a pair under a matrix."""
    recall, precision = (direction([_under(near, matrix) for near in side]) for side in one.sides)
    return harmonic(recall, precision)


def _under(near: Nearest, matrix: Matrix) -> Nearest:
    weight = matrix.weight(near.own.type, near.matched.type) * near.own_weight
    return replace(near, weight=weight, penalty=matrix.penalty if near.against else 1.0)


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


def _search(train: Sequence[Rated], measure: Correlation, trials: int, seed: int) -> Matrix:
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


def _measured(rows: Sequence[Rated], matrix: Matrix, measure: Correlation) -> float:
    return measure([value(one, matrix) for one in rows], [one.human for one in rows])


def profile_values(fitted: Fitted, *, base: str, options: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the result as the values of a profile: the matrix under `weights`."""
    weights: dict[str, Any] = {"penalty": fitted.matrix.penalty}
    weights |= {own: list(fitted.matrix.rows[own].values()) for own in fitted.matrix.rows}
    return {
        "inherits": base, "name": name, "description": "RaTEScore with weights learnt from human scores.",
        "metrics": {"ratescore": {**options, "weights": weights}},
    }  # fmt: skip


def figures_said(fitted: Fitted) -> dict[str, str]:
    """Return the correlations by matrix, in words."""
    return {
        matrix: f"{f['train']:.3f} on {fitted.train} pairs to learn from, {f['test']:.3f} on {fitted.test} kept apart"
        for matrix, f in fitted.figures.items()
    }
