"""Learning the few coefficients of RadSEM from rated pairs: what a part–whole step leaves, what conflicts and links cost, what
findings of each class and severity weigh. A tree-structured Parzen estimator (Optuna) searches them; folds are whole studies.

What a report says and how findings are related does not depend on the coefficients, so every pair is read and related once.
The figure to believe is the held-out one: each fold is scored with coefficients that were searched without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import InputError, KgscoreError, did_you_mean
from kgscore.fitting.correlation import Correlation, correlation, group_folds
from kgscore.matching.links import accepted
from kgscore.matching.weighting import Weighting
from kgscore.matching.weights import weigh
from kgscore.metrics.base import Matched
from kgscore.metrics.radsem import Options, Radsem
from kgscore.model import Finding, Reading, Relation
from kgscore.ontology.index import Index
from kgscore.profile import Profile

LEAST = 10
# What is searched, and between which bounds. `abnormal` is the share of asserted findings in the mixture; `severity_N` what a
# finding of clinical severity N weighs, where one of severity 2 weighs what the profile says.
SPACE: Mapping[str, tuple[float, float]] = {
    "anatomy_coefficient": (0.05, 0.95),
    "finding_coefficient": (0.05, 0.95),
    "depth_decay": (0.05, 0.95),
    "link_share": (0.0, 1.0),
    "conflict_factor": (0.2, 1.0),
    "abnormal": (0.5, 1.0),
    "severity_1": (0.1, 1.0),
    "severity_3": (1.0, 3.0),
    "severity_4": (1.0, 4.0),
}
Coefficients = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Rated:
    """A rated pair, read and related once. `human`: higher is better."""

    study: str
    human: float
    reference: Reading
    candidate: Reading
    compared: tuple[Sequence[Finding], Sequence[Finding]]
    relations: Sequence[tuple[int, int, Relation]]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The coefficients found on all pairs, and correlations: of the profile that the search began at (`before`), of the
    coefficients on the pairs they were searched on (`learnt`), and with each fold scored without it (`held_out`)."""

    coefficients: Coefficients
    profile: Profile
    pairs: int
    studies: int
    figures: Mapping[str, float]


def rated(scorer: Scorer, pair: Matched, study: str, human: float) -> Rated:
    """Return a matched pair as the fit needs it: with every relation of its findings, kept or not."""
    lenient = scorer.weighting.lenient
    compared = lenient(pair.reference.findings), lenient(pair.candidate.findings)
    return Rated(
        study, human, pair.reference, pair.candidate, compared, tuple(scorer.relator.related(*compared, scorer.profile))
    )


def profile_with(base: Profile, found: Coefficients) -> Profile:
    """Return a profile with coefficients put over its own."""
    plain = {name: value for name, value in found.items() if name in Profile.__dataclass_fields__}
    severity = {**base.weights.severity, **{n[-1]: v for n, v in found.items() if n.startswith("severity_")}}
    own = dict(base.metrics.get(Radsem.name, {}))
    if "abnormal" in found:
        own |= {"abnormal": found["abnormal"], "normal": 1.0 - found["abnormal"]}
    weights = replace(base.weights, severity=severity)
    return replace(base, **plain, weights=weights, metrics={**base.metrics, Radsem.name: own})  # type: ignore[arg-type]


def coefficients_of(base: Profile) -> dict[str, float]:
    """Return the coefficients of a profile, where the search begins."""
    own = Options(**base.metrics.get(Radsem.name, {}))
    found = {name: float(getattr(base, name)) for name in SPACE if name in Profile.__dataclass_fields__}
    found["abnormal"] = own.abnormal / (own.abnormal + own.normal)
    return found | {f"severity_{n}": float(base.weights.severity.get(n, 1.0)) for n in "134"}


def chosen(names: Sequence[str], base: Profile) -> list[str]:
    """Return the coefficients to search: those named, or all that matter under the profile.

    Raises:
        InputError: there is none of a name.
    """
    for name in names:
        if name not in SPACE:
            hint = did_you_mean(name, SPACE) or f"known coefficients: {', '.join(SPACE)}"
            raise InputError(f"coefficient '{name}': unknown; {hint}")
    return [name for name in names or SPACE if names or name != "depth_decay" or base.part_whole == "depth"]


class Trials:
    """Scores pairs under coefficients."""

    def __init__(self, base: Profile, index: Index) -> None:
        self.base, self.index = base, index

    def values(self, pairs: Sequence[Rated], found: Coefficients) -> list[float]:
        """Return the score of each pair; one without a score counts as 0."""
        profile = profile_with(self.base, found)
        options, weight = Options(**profile.metrics[Radsem.name]), Weighting(profile, self.index).finding
        metric = Radsem(options, weight, joined=profile.unlinked_weight < 1.0)
        return [self._value(pair, profile, metric) for pair in pairs]

    def _value(self, pair: Rated, profile: Profile, metric: Radsem) -> float:
        left, right = pair.compared
        weighed = ((i, j, weigh(relation, left[i], right[j], profile)) for i, j, relation in pair.relations)
        matching = accepted(weighed, profile)
        score = metric.score(Matched(pair.reference, pair.candidate, matching.links, matching.contradictions))
        return 0.0 if score.value is None else score.value


def fit(
    pairs: Sequence[Rated], base: Profile, index: Index, *, names: Sequence[str] = (), objective: str = "spearman",
    trials: int = 100, folds: int = 5, seed: int = 0, tell: Callable[[int], None] = lambda done: None,
) -> Fitted:
    """Return the coefficients that correlate best with the ratings, and what they are worth on studies they were not searched on.

    The same pairs, trials, folds and seed give the same coefficients.

    Raises:
        KgscoreError: Optuna is not installed.
        InputError: there are too few pairs or studies, the ratings are all the same, or a name is unknown.
    """  # fmt: skip
    if find_spec("optuna") is None:
        raise KgscoreError("fitting needs Optuna; install it with: pip install 'kgscore[fit]'")
    if len(pairs) < LEAST * folds:
        raise InputError(f"too few pairs for an honest fit ({len(pairs)}); {LEAST} a fold are needed, {LEAST * folds} in all")
    human = [pair.human for pair in pairs]
    if len(set(human)) < 2:
        raise InputError("the ratings are all the same; there is nothing to learn from them")
    measure, searched, scored = correlation(objective), chosen(names, base), Trials(base, index)
    parts = group_folds([pair.study for pair in pairs], folds)
    outside = [0.0] * len(pairs)
    for done, fold in enumerate(parts):
        tell(done)
        out = set(fold)
        learning = [pair for at, pair in enumerate(pairs) if at not in out]
        found = _search(learning, scored, searched, measure, trials, seed)
        for at, value in zip(fold, scored.values([pairs[at] for at in fold], found), strict=True):
            outside[at] = value
    tell(folds)
    best = _search(pairs, scored, searched, measure, trials, seed)
    figures = {
        "before": measure(scored.values(pairs, coefficients_of(base)), human),
        "learnt": measure(scored.values(pairs, best), human),
        "held_out": measure(outside, human),
    }
    return Fitted(best, profile_with(base, best), len(pairs), len({pair.study for pair in pairs}), figures)


def _search(
    pairs: Sequence[Rated], scored: Trials, names: Sequence[str], measure: Correlation, trials: int, seed: int
) -> Coefficients:
    """Return the best coefficients of so many tried, those of the profile first."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    human = [pair.human for pair in pairs]
    start = {name: value for name, value in coefficients_of(scored.base).items() if name in names}

    def objective(trial: Any) -> float:
        found = {name: trial.suggest_float(name, *SPACE[name]) for name in names}
        return measure(scored.values(pairs, found), human)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({name: min(max(value, SPACE[name][0]), SPACE[name][1]) for name, value in start.items()})
    study.optimize(objective, n_trials=trials)
    best: Coefficients = study.best_params
    return best


def profile_values(fitted: Fitted, *, base: str, name: str) -> dict[str, Any]:
    """Return the result as the values of a profile; only what was searched is said."""
    found = fitted.coefficients
    values: dict[str, Any] = {"inherits": base, "name": name, "description": "RadSEM with coefficients fitted to ratings."}
    values |= {key: value for key, value in found.items() if key in Profile.__dataclass_fields__}
    severity = {key[-1]: value for key, value in found.items() if key.startswith("severity_")}
    if severity:
        values["weights"] = {"severity": severity}
    if "abnormal" in found:
        values["metrics"] = {Radsem.name: dict(fitted.profile.metrics[Radsem.name])}
    return values


def figures_said(fitted: Fitted) -> dict[str, str]:
    """Return the correlations, in words."""
    found = {name: f"{value:.3f}" for name, value in fitted.figures.items()}
    return {
        "correlation": f"{found['before']} before, {found['learnt']} learnt, {found['held_out']} held out "
        f"({fitted.pairs} pairs of {fitted.studies} studies)"
    }
