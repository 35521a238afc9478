"""An aligned pair of RadOT-Eval: the settings of an alignment, as published or in the ontology form, and its 66 features (IV-C).
Each is 0 or more, and a higher value is never better.

The paper gives the families of features and three totals: 66 in all, 61 without severity, 49 without those of diffuseness and
concentration. The members chosen here give these totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.caches import MemoizedDict
from kgscore.errors import ProfileError
from kgscore.metrics.radot_units import ALIGNMENT, SIDE, Unit, Units, tables
from kgscore.metrics.transport import Masses, Matrix, balanced_plan, partial_plan, unbalanced_plan

FORMS = ("ontology", "published")
TRANSPORTS = ("balanced", "partial", "unbalanced")
TOP = 3
_STATISTICS = {
    "expected": "mean under the plan: Σ mass × cost / Σ mass",
    "max": "largest cost of an edge",
    "top3_mean": "mean of the three largest costs of edges",
    "top3_mw": "sum of the three largest mass × cost of edges",
    "max_mw": "largest mass × cost of an edge",
}


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature. `mass`: it is a share of the mass, which the ontology form multiplies by the number of units."""

    name: str
    group: str
    meaning: str
    mass: bool = False


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two reports aligned: the cost of each channel, the ground cost, the plan, the masses of rows and columns, and the number of
    units (by weight, if the profile weights them) of each report."""

    costs: Mapping[str, Matrix]
    ground: Matrix
    plan: Matrix
    masses: Masses
    units: tuple[float, float]

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Whether each edge carries enough mass to be reported individually."""
        floor = tables().edge_floor * min(float(m.min()) for m in self.masses)
        kept: NDArray[np.bool_] = self.plan >= min(floor, float(self.plan.max()))
        return kept

    @property
    def side(self) -> Matrix:
        """The sum of the five side costs of each edge."""
        total: Matrix = np.sum([self.costs[name] for name in SIDE], axis=0)
        return total


def _features() -> Iterator[Feature]:
    for name, statistics in (
        ("cost", ("expected", "max", "top3_mean")),
        *((channel, ("expected", "max", "top3_mean", "top3_mw")) for channel in ALIGNMENT),
        *((channel, tuple(_STATISTICS)) for channel in SIDE),
    ):
        group = "side" if name in SIDE else "alignment"
        what = "ground cost" if name == "cost" else f"{name} cost"
        for statistic in statistics:
            by_mass = statistic in ("expected", "top3_mw", "max_mw")
            yield Feature(f"{name}_{statistic}", group, f"{what}: {_STATISTICS[statistic]}", by_mass)
    yield Feature("side_expected_sum", "sum", "sum of the five side channels' means", True)
    yield Feature("side_max_sum", "sum", "sum of the five side channels' largest costs")
    yield Feature("top_risk_sum", "sum", "sum of the three largest mass × (ground cost + side costs) of edges", True)
    yield Feature("reference_units", "count", "units of the reference")
    yield Feature("candidate_units", "count", "units of the candidate")
    yield Feature("plan_entropy", "spread", "entropy of the plan, −Σ p ln p")
    yield Feature("plan_entropy_share", "spread", "the same over that of an even plan, ln(units × units)")
    yield Feature("effective_edges", "spread", "exp of the entropy of the plan")
    yield Feature("effective_edges_per_unit", "spread", "the same over the units of the longer report")
    for count in (1, 3, 5):
        yield Feature(f"top{count}_spread", "spread", f"share of the mass outside the {count} heaviest edges (1 − concentration)")
    for side in ("reference", "candidate"):
        yield Feature(f"{side}_diffuse", "spread", f"mass of {side} units that does not go to their first counterpart", True)
    yield Feature("total_diffuse", "spread", "sum of both diffuse masses", True)
    yield Feature("reference_diffuse_excess", "spread", "reference less candidate diffuse mass, at least 0 (soft omission)", True)
    yield Feature("candidate_diffuse_excess", "spread", "candidate less reference diffuse mass, at least 0 (soft addition)", True)
    for side in ("reference", "candidate"):
        yield Feature(f"{side}_low_confidence", "spread", f"share of {side} units matched diffusely", True)
    yield Feature("total_low_confidence", "spread", "sum of both shares", True)
    for side in ("reference", "candidate"):
        yield Feature(f"{side}_diffuse_max", "spread", f"largest diffuse share of a {side} unit")


FEATURES: tuple[Feature, ...] = tuple(_features())
NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)
BY_MASS = np.array([feature.mass for feature in FEATURES])


def features(pair: Aligned) -> Matrix:
    """Return the values of `FEATURES` for an aligned pair, in their order."""
    kept = pair.edges
    mass = pair.plan[kept]
    names = ("cost", *pair.costs)
    costs = np.stack([pair.ground, *pair.costs.values()])
    found = {
        f"{name}_{key}": value
        for key, values in _statistics(pair.plan, costs, mass, costs[:, kept]).items()
        for name, value in zip(names, values.tolist(), strict=True)
    }
    found["side_expected_sum"] = fsum(found[f"{name}_expected"] for name in SIDE)
    found["side_max_sum"] = fsum(found[f"{name}_max"] for name in SIDE)
    found["top_risk_sum"] = float(_largest(mass * (pair.ground + pair.side)[kept]).sum())
    found["reference_units"], found["candidate_units"] = pair.units
    found |= _concentration(pair.plan, pair.masses)
    return np.array([found[name] for name in NAMES])


def _statistics(plan: Matrix, costs: Matrix, mass: Matrix, kept: Matrix) -> dict[str, Matrix]:
    """Return the statistics of several channels at once: `costs` of every edge, `kept` of those that count, channels first."""
    weighed = mass * kept
    return {
        "expected": (plan * costs).reshape(len(costs), -1).sum(axis=1) / plan.sum(),
        "max": kept.max(axis=1),
        "top3_mean": _largest(kept).mean(axis=1),
        "top3_mw": _largest(weighed).sum(axis=1),
        "max_mw": weighed.max(axis=1),
    }


def _largest(values: Matrix) -> Matrix:
    """Return the largest values along the last axis."""
    return np.sort(values)[..., -TOP:]


def _concentration(plan: Matrix, masses: Masses) -> dict[str, float]:
    shares = np.sort((plan / plan.sum()).ravel())[::-1]
    said = shares[shares > 0]
    entropy = max(0.0, float(-(said * np.log(said)).sum()))
    most = float(np.log(plan.size))
    found = {
        "plan_entropy": entropy,
        "plan_entropy_share": entropy / most if most else 0.0,
        "effective_edges": float(np.exp(entropy)),
        "effective_edges_per_unit": float(np.exp(entropy)) / max(plan.shape),
    }
    found |= {f"top{count}_spread": max(0.0, float(1.0 - shares[:count].sum())) for count in (1, 3, 5)}
    for side, axis, own in (("reference", 1, masses[0]), ("candidate", 0, masses[1])):
        best = np.clip(plan.max(axis=axis) / own, 0.0, 1.0)
        found[f"{side}_diffuse"] = float((own * (1.0 - best)).sum())
        found[f"{side}_low_confidence"] = float(own[best < tables().diffuse_below].sum())
        found[f"{side}_diffuse_max"] = float((1.0 - best).max())
    missed, added = found["reference_diffuse"], found["candidate_diffuse"]
    found["total_diffuse"] = missed + added
    found["reference_diffuse_excess"], found["candidate_diffuse_excess"] = max(0.0, missed - added), max(0.0, added - missed)
    found["total_low_confidence"] = found["reference_low_confidence"] + found["candidate_low_confidence"]
    return found


@dataclass(frozen=True, slots=True)
class Settings:
    """How two reports are aligned. `mass`: the share that partial transport moves. `penalty`: the penalty of unbalanced transport
    for masses that deviate from those of their units.

    Raises:
        ProfileError: a value is unknown or out of range.
    """

    form: str = "ontology"
    prior: str = "polarity-heavy"
    entropy: float = 0.20
    transport: str = "balanced"
    mass: float = 0.9
    penalty: float = 1.0

    def __post_init__(self) -> None:
        for name, known in (("form", FORMS), ("prior", tuple(tables().priors)), ("transport", TRANSPORTS)):
            if getattr(self, name) not in known:
                raise ProfileError(f"radot: '{name}' is one of {', '.join(known)}, not '{getattr(self, name)}'")
        if not 0.001 <= self.entropy <= 100.0:
            raise ProfileError("radot: 'entropy' must lie between 0.001 and 100")
        if not 0.0 < self.mass <= 1.0:
            raise ProfileError("radot: 'mass' must lie above 0 and not above 1")
        if not 0.001 <= self.penalty <= 1000.0:
            raise ProfileError("radot: 'penalty' must lie between 0.001 and 1000")

    @property
    def published(self) -> bool:
        """Whether units are compared by words and features are used unadjusted."""
        return self.form == "published"

    def overridden_by(self, values: Mapping[str, Any]) -> Settings:
        """Return the settings overridden by the given values that are set (not "" and not 0)."""
        known = {field.name for field in fields(self)}
        return Settings(**(asdict(self) | {key: value for key, value in values.items() if key in known and value}))


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The units of one report with their weights (above 0). Equality is object identity."""

    units: tuple[Unit, ...]
    weights: tuple[float, ...]


def align(costs: Mapping[str, Matrix], sides: tuple[Side, Side], settings: Settings) -> Aligned:
    """Return two reports aligned, given the costs of each channel (`Units.costs`)."""
    weights = tables().priors[settings.prior]
    ground: Matrix = np.sum([w * costs[name] for w, name in zip(weights, ALIGNMENT, strict=True)], axis=0)
    masses: Masses = tuple(_masses(side) for side in sides)  # type: ignore[assignment]  # of two sides
    if settings.transport == "partial":
        plan = partial_plan(ground, masses, settings.entropy, settings.mass)
    elif settings.transport == "unbalanced":
        plan = unbalanced_plan(ground, masses, settings.entropy, settings.penalty)
    else:
        plan = balanced_plan(ground, masses, settings.entropy)
    one, other = (fsum(w for unit, w in zip(side.units, side.weights, strict=True) if unit.finding) for side in sides)
    return Aligned(costs, ground, plan, masses, (float(one), float(other)))


def _masses(side: Side) -> Matrix:
    own = np.array(side.weights, dtype=np.float64)
    found: Matrix = own / own.sum()
    return found


class Aligner:
    """Aligns pairs and computes their features; the costs of `keep` pairs are cached, so that many settings can be tried on the
    same reports."""

    def __init__(self, units: Units, keep: int = 100_000) -> None:
        self.units = units
        self._costs = MemoizedDict(self._cost, keep)
        self._aligned: tuple[tuple[Side, Side, Settings], Aligned] | None = None
        self._own = MemoizedDict(self._self_features, keep)

    def side(self, units: Sequence[Unit], weights: Sequence[float]) -> Side:
        """Return one report as a side; a report that says nothing becomes the empty unit, which differs from everything."""
        return Side(tuple(units), tuple(weights)) if units else Side((self.units.nothing,), (1.0,))

    def align(self, left: Side, right: Side, settings: Settings) -> Aligned:
        """Return two reports aligned."""
        wanted = (left, right, settings)
        if self._aligned is None or self._aligned[0] != wanted:
            self._aligned = wanted, align(self._costs[left, right], (left, right), settings)
        return self._aligned[1]

    def features(self, left: Side, right: Side, settings: Settings) -> Matrix:
        """Return the values of the features, in their order, each 0 or more.

        As published: of the plan between the reports. In the ontology form: masses count units instead of adding up to 1, and the
        mean of the values of each report against itself is subtracted (to at least 0), so that a report has no discrepancy from
        itself, however diffuse the plan is.
        """
        if settings.published:
            return features(self.align(left, right, settings))
        between = _features_in_units(self.align(left, right, settings))
        own = 0.5 * (self._own[left, settings] + self._own[right, settings])
        found: Matrix = np.maximum(0.0, between - own)
        found[found < 1e-7] = 0.0
        return found

    def _self_features(self, wanted: tuple[Side, Settings]) -> Matrix:
        side, settings = wanted
        return _features_in_units(align(self._costs[side, side], (side, side), settings))

    def _cost(self, sides: tuple[Side, Side]) -> dict[str, Matrix]:
        return self.units.costs(sides[0].units, sides[1].units)


def _features_in_units(pair: Aligned) -> Matrix:
    """Return the features with masses in units: as many as the longer report has."""
    found: Matrix = np.where(BY_MASS, max(*pair.units, 1.0), 1.0) * features(pair)
    return found
