"""Learning the constants of `clinical` from rated pairs: what tiers weigh, what is missed, invented and doubtful costs, repute.
Signs and order are fixed: a graver tier never weighs less, and what is not said never costs more than what is denied.

What is right or wrong does not depend on the constants, so every pair is aligned once. The figure to believe is the held-out one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from kgscore.clinical.score import score_of
from kgscore.clinical.settings import Settings
from kgscore.lab.fitting.goals import Fitted, Goal, Numbers, cross_fitted
from kgscore.metrics.base import Matched
from kgscore.metrics.clinical import Clinical, Judged, Options

# What is searched: steps from one tier to the next, `added` as a share of `left_out`, the others themselves.
SPACE: Mapping[str, tuple[float, float]] = {
    "notable": (0.0, 4.0),
    "urgent": (0.0, 3.0),
    "critical": (0.0, 4.0),
    "repute": (0.5, 8.0),
    "left_out": (0.3, 1.0),
    "added": (0.0, 1.0),
    "missed": (0.5, 2.0),
    "invented": (0.25, 1.5),
    "doubtful": (0.0, 1.0),
}
_TIERS = ("notable", "urgent", "critical")


@dataclass(frozen=True, slots=True)
class Rated:
    """A rated pair, aligned once."""

    study: str
    judged: Judged


def rated(metric: Clinical, pair: Matched, study: str) -> Rated | None:
    """Return a matched pair as the fit needs it; None for a candidate that says nothing, which scores 0 under any constants."""
    return None if pair.silent else Rated(study, metric.align_pair(pair))


def value(metric: Clinical, one: Rated, settings: Settings) -> float:
    """Return the score of a pair under settings."""
    return score_of(metric.judgement(one.judged, settings).findings, settings)


def start(options: Options) -> Numbers:
    """Return constants as what is searched."""
    found = asdict(options)
    weights = (1.0, *(found[name] for name in _TIERS))
    steps = {name: high - low for name, low, high in zip(_TIERS, weights, weights[1:], strict=False)}
    return {**found, **steps, "added": min(1.0, options.added / options.left_out)}


def constants(found: Numbers) -> Options:
    """Return what was searched as constants, rounded to hundredths."""
    values, weight = dict(found), 1.0
    for name in _TIERS:
        weight += found[name]
        values[name] = weight
    values["added"] = found["added"] * found["left_out"]
    return Options(**{name: round(value, 2) for name, value in values.items()})


def profile_values(found: Options, *, base: str, name: str) -> dict[str, Any]:
    """Return constants as the values of a profile."""
    words = "The clinical verdict with constants learnt from ratings."
    return {"inherits": base, "name": name, "description": words, "metrics": {Clinical.name: asdict(found)}}


def fit(metric: Clinical, pairs: Sequence[Rated], goal: Goal, **how: Any) -> Fitted[Options]:
    """Return the constants that agree best with what people said of the pairs (`cross_fitted` says how, and what it raises)."""

    def scores(of: Sequence[int], found: Numbers) -> list[float]:
        settings = constants(found).settings()
        return [value(metric, pairs[at], settings) for at in of]

    fitted = cross_fitted(scores, [one.study for one in pairs], goal, SPACE, start(metric.options), **how)
    return replace(fitted, found=constants(fitted.found))  # type: ignore[arg-type,return-value]
