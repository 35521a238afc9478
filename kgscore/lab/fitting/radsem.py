"""Fitting the coefficients of RadSEM to rated pairs: factors of part–whole steps, costs of conflicts and links,
weights of findings by class and severity. A tree-structured Parzen estimator (Optuna) searches them; folds are whole studies.

Readings and relations do not depend on the coefficients, so every pair is read and related once.
The figure to report is the held-out one: each fold is scored with coefficients that were searched without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import InputError, did_you_mean
from kgscore.lab.fitting.goals import Fitted, Goal, cross_fitted
from kgscore.matching.alignment import accept_links
from kgscore.matching.relation import weigh
from kgscore.matching.weighting import Weighting
from kgscore.metrics.base import Matched
from kgscore.metrics.radsem import Options, Radsem
from kgscore.model import Finding, Reading, Relation
from kgscore.ontology.index import Index
from kgscore.profile import Profile

# The parameters to search, and their bounds. `abnormal` is the share of asserted findings in the mixture; `severity_N` the
# weight of a finding of clinical severity N, if one of severity 2 has the profile's weight.
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
    """A rated pair, read and related once."""

    study: str
    reference: Reading
    candidate: Reading
    compared: tuple[Sequence[Finding], Sequence[Finding]]
    relations: Sequence[tuple[int, int, Relation]]


def relate_pair(scorer: Scorer, pair: Matched, study: str) -> Rated:
    """Return a matched pair in the form needed for the fit: with every relation of its findings, accepted or not."""
    lenient = scorer.weighting.lenient
    compared = lenient(pair.reference.findings), lenient(pair.candidate.findings)
    related = tuple(scorer.relator.related(*compared, scorer.profile))
    return Rated(study, pair.reference, pair.candidate, compared, related)


def profile_with(base: Profile, found: Coefficients) -> Profile:
    """Return a profile with coefficients overriding its own."""
    plain = {name: value for name, value in found.items() if name in Profile.__dataclass_fields__}
    severity = {**base.weights.severity, **{n[-1]: v for n, v in found.items() if n.startswith("severity_")}}
    own = dict(base.metrics.get(Radsem.name, {}))
    if "abnormal" in found:
        own |= {"abnormal": found["abnormal"], "normal": 1.0 - found["abnormal"]}
    weights = replace(base.weights, severity=severity)
    return replace(base, **plain, weights=weights, metrics={**base.metrics, Radsem.name: own})  # type: ignore[arg-type]


def coefficients_of(base: Profile) -> dict[str, float]:
    """Return the coefficients of a profile, as the start of the search."""
    own = Options(**base.metrics.get(Radsem.name, {}))
    found = {name: float(getattr(base, name)) for name in SPACE if name in Profile.__dataclass_fields__}
    found["abnormal"] = own.abnormal / (own.abnormal + own.normal)
    return found | {f"severity_{n}": float(base.weights.severity.get(n, 1.0)) for n in "134"}


def coefficient_names(names: Sequence[str], base: Profile) -> list[str]:
    """Return the coefficients to search: those named, or all that have an effect under the profile."""
    for name in names:
        if name not in SPACE:
            hint = did_you_mean(name, SPACE) or f"known coefficients: {', '.join(SPACE)}"
            raise InputError(f"coefficient '{name}': unknown; {hint}")
    return [name for name in names or SPACE if names or name != "depth_decay" or base.part_whole == "depth"]


def values(pairs: Sequence[Rated], found: Coefficients, base: Profile, index: Index) -> list[float]:
    """Return the score of each pair under coefficients overriding a profile; one without a score counts as 0."""
    profile = profile_with(base, found)
    options, weight = Options(**profile.metrics[Radsem.name]), Weighting(profile, index).finding
    metric = Radsem(options, weight, joined=profile.unlinked_weight < 1.0)
    scores = []
    for pair in pairs:
        left, right = pair.compared
        weighed = ((i, j, weigh(relation, left[i], right[j], profile)) for i, j, relation in pair.relations)
        matching = accept_links(weighed, profile)
        score = metric.score(Matched(pair.reference, pair.candidate, matching.links, matching.contradictions))
        scores.append(score.value or 0.0)
    return scores


def fit(
    pairs: Sequence[Rated], goal: Goal, base: Profile, index: Index, *, names: Sequence[str] = (), **how: Any
) -> Fitted[Coefficients]:
    """Return the coefficients, all or those named, that agree best with what people said of the pairs (see `cross_fitted`)."""

    def scores(of: Sequence[int], found: Coefficients) -> list[float]:
        return values([pairs[at] for at in of], found, base, index)

    space = {name: SPACE[name] for name in coefficient_names(names, base)}
    return cross_fitted(scores, [pair.study for pair in pairs], goal, space, coefficients_of(base), **how)


def profile_values(found: Coefficients, start: Profile, *, base: str, name: str) -> dict[str, Any]:
    """Return coefficients as the values of a profile; only those searched, relative to the profile `start`."""
    profile: dict[str, Any] = {"inherits": base, "name": name, "description": "RadSEM with coefficients fitted to ratings."}
    profile |= {key: value for key, value in found.items() if key in Profile.__dataclass_fields__}
    severity = {key[-1]: value for key, value in found.items() if key.startswith("severity_")}
    if severity:
        profile["weights"] = {"severity": severity}
    if "abnormal" in found:
        profile["metrics"] = {Radsem.name: dict(profile_with(start, found).metrics[Radsem.name])}
    return profile
