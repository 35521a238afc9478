"""Learning W and p of RaTEScore from pairs with a human score (RaTEScore 2.5): a tree-structured Parzen estimator (Optuna).

The matching does not depend on W and p, so every pair is read and matched once. About a fifth of the pairs, selected by a hash
of the study so that pairs of one study stay together, is held out: it is not used for fitting, and its figures are the
unbiased ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgscore.errors import InputError
from kgscore.lab.fitting.goals import Fitted, Goal, agreement_change, check_can_fit, held_out, scores_at, search_numbers
from kgscore.metrics.base import Matched
from kgscore.metrics.ratescore import Matrix, Nearest, Ratescore, direction, harmonic, load_matrix
from kgscore.metrics.ratescore_entities import TYPES
from kgscore.results.resampling import Floats

_LEAST = 10


@dataclass(frozen=True, slots=True)
class Rated:
    """A pair: the matches of its entities on both sides, and whether it is held out."""

    sides: tuple[Sequence[Nearest], Sequence[Nearest]]
    apart: bool


def match_entities(metric: Ratescore, pair: Matched, study: str = "") -> Rated | None:
    """Return the pair in the form needed for the fit, or None if a side has no entity; the reference replaces a missing study."""
    sides = metric.nearest(pair)
    return None if sides is None else Rated(sides, held_out(study or pair.reference_text))


def pair_score(one: Rated, matrix: Matrix) -> float:
    """Return the score of a pair under a matrix."""
    recall, precision = (direction([_under_matrix(near, matrix) for near in side]) for side in one.sides)
    return harmonic(recall, precision)


def _under_matrix(near: Nearest, matrix: Matrix) -> Nearest:
    weight = matrix.rows[near.own.type][near.matched.type] * near.own_weight
    return replace(near, weight=weight, penalty=matrix.penalty if near.against else 1.0)


def fit(
    pairs: Sequence[Rated],
    goal: Goal,
    *,
    beside: Sequence[Goal] = (),
    objective: str = "pearson",
    trials: int = 300,
    seed: int = 0,
) -> Fitted[Matrix]:
    """Return the matrix with the best agreement with people on the pairs (`goal`) that are not held out, and the agreement
    on these and on the others, by matrix: "fitted" and the shipped ones. Ratings `beside` are monitored, from
    "graded" to "fitted", on pairs not used for fitting.

    The same pairs, trials and seed give the same matrix.
    """
    check_can_fit(objective)
    parts = {part: [at for at in goal.at.tolist() if pairs[at].apart == (part == "test")] for part in ("train", "test")}
    train, test = parts.values()
    if len(train) < _LEAST or len(test) < _LEAST:
        said = f"{len(train)} for fitting and {len(test)} held out"
        raise InputError(f"too few pairs for an honest fit ({said}); {_LEAST} of each are needed, about 60 in all")
    human = dict(zip(goal.at.tolist(), goal.human.tolist(), strict=True))
    for part in (train, test):
        if len({human[at] for at in part}) < 2:
            raise InputError("the human scores are all the same; there is nothing to learn from them")

    def scores(matrix: Matrix, of: Sequence[int]) -> Floats:
        return scores_at(of, [pair_score(pairs[at], matrix) for at in of], len(pairs))

    bounds = dict.fromkeys(_start(), (0.0, 1.0))
    found = search_numbers(lambda values: goal.value(scores(_matrix(values), train), objective), bounds, _start(), trials, seed)
    tried = {"fitted": _matrix(found), **{name: load_matrix(name) for name in ("graded", "long", "short")}}
    figures = {
        name: {part: goal.value(scores(matrix, of), objective) for part, of in parts.items()} for name, matrix in tried.items()
    }
    new = [at for at in range(len(pairs)) if at not in set(train)]
    before, after = scores(tried["graded"], new), scores(tried["fitted"], new)
    changes = tuple(agreement_change(one, before, after, objective, seed) for one in beside)
    return Fitted(tried["fitted"], {"learnt from": len(train), "kept apart": len(test)}, figures, changes)


def _matrix(values: Mapping[str, float]) -> Matrix:
    return Matrix(values["penalty"], {own: {other: values[f"{own} {other}"] for other in TYPES} for own in TYPES})


def _start() -> dict[str, float]:
    """The matrix of the ontology form, where the search begins."""
    start = load_matrix("graded")
    return {"penalty": start.penalty, **{f"{a} {b}": start.rows[a][b] for a in TYPES for b in TYPES}}


def profile_values(matrix: Matrix, *, base: str, options: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a matrix, with `weights`, as the values of a profile."""
    weights: dict[str, Any] = {"penalty": matrix.penalty, **{own: list(row.values()) for own, row in matrix.rows.items()}}
    return {
        "inherits": base, "name": name, "description": "RaTEScore with weights learnt from human scores.",
        "metrics": {"ratescore": {**options, "weights": weights}},
    }  # fmt: skip
