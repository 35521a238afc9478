"""The search for numbers under which scores agree best with people: a tree-structured Parzen estimator (Optuna)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from kgscore.errors import KgscoreError

Numbers = Mapping[str, float]


def need_optuna() -> None:
    """Say what is lacking.

    Raises:
        KgscoreError: Optuna is not installed.
    """
    if find_spec("optuna") is None:
        raise KgscoreError("fitting needs Optuna; install it with: pip install 'kgscore[fit]'")


def searched(
    value: Callable[[Numbers], float], space: Mapping[str, tuple[float, float]], start: Numbers, trials: int, seed: int
) -> Numbers:
    """Return the numbers of `space` (bounds by name) with the highest value of so many tried, those of `start` first.

    The same value, space, start, trials and seed give the same numbers.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: Any) -> float:
        return value({name: trial.suggest_float(name, *bounds) for name, bounds in space.items()})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({name: min(max(start[name], low), high) for name, (low, high) in space.items()})
    study.optimize(objective, n_trials=trials)
    best: Numbers = study.best_params
    return best
