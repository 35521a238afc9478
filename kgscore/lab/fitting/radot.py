"""Fitting the readout of RadOT-Eval (IV-C, V-A): non-negative least squares, settings selected by held-out rank correlation.

Folds are made of whole studies. Two figures are reported: the held-out figure of the selected settings, biased by the
selection, and the nested one, where the selection too excludes the fold being evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import InputError
from kgscore.lab.fitting.goals import group_folds, spearman
from kgscore.metrics.radot import TARGETS, Readout
from kgscore.metrics.radot_align import NAMES, Aligner, Settings, Side
from kgscore.metrics.transport import Matrix

RIDGES = (0.0, 0.01)
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rated:
    """A pair with its study and error counts: total, significant, insignificant."""

    study: str
    left: Side
    right: Side
    errors: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Trial:
    """A combination of settings of the alignment and the ridge of the readout."""

    settings: Settings
    ridge: float


Trials = Sequence[tuple[Trial, Mapping[str, float]]]


def fit(
    pairs: Sequence[Rated], settings: Sequence[Settings], aligner: Aligner, *, name: str, folds: int = 5,
    tell: Callable[[int], None] = lambda done: None,
) -> tuple[Readout, Trials]:
    """Return the readout fitted on all pairs with the settings that rank held-out pairs best (mean over three targets), whose
    provenance includes its rank correlations; and all trials with theirs.
    """  # fmt: skip
    data: dict[Settings, Matrix] = {}
    for done, chosen in enumerate(settings, 1):
        data[chosen] = np.array([aligner.features(pair.left, pair.right, chosen) for pair in pairs])
        tell(done)
    errors = np.array([pair.errors for pair in pairs], dtype=np.float64)
    studies = [pair.study for pair in pairs]
    rows = np.arange(len(pairs))
    trials = [Trial(chosen, ridge) for chosen in settings for ridge in RIDGES]

    def cross_validate(of: Rows, folds: int) -> Trials:
        def agreement(trial: Trial) -> dict[str, float]:
            return _held_out(data, errors, studies, of, folds, lambda train: trial)

        return [(trial, agreement(trial)) for trial in trials]

    def chosen_on(train: Rows) -> Trial:
        inner = min(folds, len({studies[at] for at in train}))
        if inner < 2:
            raise InputError(f"{len(set(studies))} studies are too few for nested selection of settings")
        return _best(cross_validate(train, inner))

    found = cross_validate(rows, folds)
    best = _best(found)
    scale, weights = _solve(data[best.settings], errors, best)
    nested = _held_out(data, errors, studies, rows, folds, chosen_on)
    provenance = {
        "fitted": "non-negative least squares, features divided by their largest value", "ridge": best.ridge,
        "pairs": len(pairs), "studies": len(set(studies)), "folds": folds, "trials": len(trials),
        "held_out_spearman": _rounded(dict(found)[best]), "nested_spearman": _rounded(nested),
    }  # fmt: skip
    return _readout(name, best.settings, scale, weights, provenance), found


def _held_out(
    data: Mapping[Settings, Matrix], errors: Matrix, studies: Sequence[str], rows: Rows, folds: int,
    choose: Callable[[Rows], Trial],
) -> dict[str, float]:  # fmt: skip
    """Return the rank correlation of each target over pairs, each predicted without its fold by the trial chosen on the rest."""
    risks = np.zeros(errors.shape)
    for fold in group_folds([studies[at] for at in rows], folds):
        test, train = rows[fold], np.delete(rows, fold)
        trial = choose(train)
        features = data[trial.settings]
        scale, weights = _solve(features[train], errors[train], trial)
        risks[test] = _append_base(features[test] / scale, trial) @ weights
    found = {name: spearman(risks[rows, at].tolist(), errors[rows, at].tolist()) for at, name in enumerate(TARGETS)}
    return {"macro": fsum(found.values()) / len(found), **found}


def _best(found: Trials) -> Trial:
    return max(found, key=lambda one: one[1]["macro"])[0]


def _solve(features: Matrix, errors: Matrix, trial: Trial) -> tuple[Matrix, Matrix]:
    """Return the scale of each feature and, for each target, the weights of features and of the base (the last row)."""
    from scipy.optimize import nnls

    scale = features.max(axis=0)
    scale[scale <= 0.0] = 1.0
    scaled = _append_base(features / scale, trial)
    size = scaled.shape[1]
    ridge = np.sqrt(trial.ridge * len(scaled)) * np.eye(size)[: len(NAMES)]
    known = np.vstack([scaled, ridge])
    wanted = np.vstack([errors, np.zeros((len(ridge), errors.shape[1]))])
    # The triangle of a QR decomposition has the same least-squares solution and far fewer rows.
    turn, triangle = np.linalg.qr(known)
    wanted = turn.T @ wanted
    return scale, np.stack([nnls(triangle, wanted[:, at], maxiter=50 * size)[0] for at in range(errors.shape[1])], axis=1)


def _append_base(scaled: Matrix, trial: Trial) -> Matrix:
    """Append a column for the base to the features; in the ontology form it is zero: a report has no risk against itself."""
    base = np.full((len(scaled), 1), 1.0 if trial.settings.published else 0.0)
    return np.hstack([scaled, base])


def _readout(name: str, settings: Settings, scale: Matrix, weights: Matrix, provenance: Mapping[str, Any]) -> Readout:
    own = {
        target: {feature: float(w) for feature, w in zip(NAMES, weights[:-1, at], strict=True) if w > 0.0}
        for at, target in enumerate(TARGETS)
    }
    bases = {target: float(weights[-1, at]) if settings.published else 0.0 for at, target in enumerate(TARGETS)}
    return Readout(name, settings, dict(zip(NAMES, map(float, scale), strict=True)), bases, own, provenance)


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in figures.items()}


def report(readout: Readout, trials: Trials, best: int = 5) -> dict[str, Any]:
    """Return the figures of a fit for printing: the selection, both kinds of held-out figures, and the best trials."""
    order = sorted(trials, key=lambda one: -one[1]["macro"])[:best]
    return {
        "settings": asdict(readout.settings),
        **{key: value for key, value in readout.provenance.items() if key not in ("fitted", "input")},
        "best_trials": [
            {"prior": trial.settings.prior, "entropy": trial.settings.entropy, "ridge": trial.ridge, **_rounded(figures)}
            for trial, figures in order
        ],
        "weights": {target: len(own) for target, own in readout.weights.items()},
    }
