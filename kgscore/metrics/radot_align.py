"""An aligned pair of RadOT-Eval: the settings of an alignment, as published or in the ontology form, and its 66 features (IV-C),
which `mappings/radot_features.txt` lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.caches import MemoizedDict
from kgscore.errors import ProfileError
from kgscore.metrics.radot_units import ALIGNMENT, SIDE, Unit, Units, tables
from kgscore.metrics.transport import Masses, Matrix, balanced_plan, partial_plan, unbalanced_plan
from kgscore.ontology.files import table
from kgscore.resources import resource

FORMS = ("ontology", "published")
TRANSPORTS = ("balanced", "partial", "unbalanced")
TOP = 3


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature. `mass`: it is a share of the mass, which the ontology form multiplies by the number of units."""

    name: str
    group: str
    meaning: str
    mass: bool


FEATURES = tuple(
    Feature(name, kind.removesuffix(" mass"), meaning, kind.endswith(" mass"))
    for name, kind, meaning in table(resource("mappings", "radot_features.txt"))
)
NAMES = tuple(feature.name for feature in FEATURES)
BY_MASS = np.array([feature.mass for feature in FEATURES])


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two reports aligned: costs by channel, the ground cost, the plan, the masses of rows and columns, and the units of each."""

    costs: Mapping[str, Matrix]
    ground: Matrix
    plan: Matrix
    masses: Masses
    units: tuple[float, float]

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Whether each edge carries enough mass to be reported individually."""
        floor = tables().edge_floor * min(float(m.min()) for m in self.masses)
        return self.plan >= min(floor, float(self.plan.max()))

    @property
    def side(self) -> Matrix:
        """The sum of the five side costs of each edge."""
        return np.asarray(np.sum([self.costs[name] for name in SIDE], axis=0))


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
    one, other = (np.array(side.weights, dtype=np.float64) for side in sides)
    masses = (one / one.sum(), other / other.sum())
    if settings.transport == "partial":
        plan = partial_plan(ground, masses, settings.entropy, settings.mass)
    elif settings.transport == "unbalanced":
        plan = unbalanced_plan(ground, masses, settings.entropy, settings.penalty)
    else:
        plan = balanced_plan(ground, masses, settings.entropy)
    counts = [float(fsum(w for unit, w in zip(side.units, side.weights, strict=True) if unit.finding)) for side in sides]
    return Aligned(costs, ground, plan, masses, (counts[0], counts[1]))


class Aligner:
    """Aligns pairs and computes their features; the costs of `keep` pairs are cached, to try many settings on them."""

    def __init__(self, units: Units, keep: int = 100_000) -> None:
        self.units = units
        self._costs = MemoizedDict(self._costs_of_sides, keep)
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
        own = 0.5 * (self._own[left, settings] + self._own[right, settings])
        found = np.maximum(0.0, _features_in_units(self.align(left, right, settings)) - own)
        found[found < 1e-7] = 0.0
        return found

    def _self_features(self, wanted: tuple[Side, Settings]) -> Matrix:
        side, settings = wanted
        return _features_in_units(align(self._costs[side, side], (side, side), settings))

    def _costs_of_sides(self, sides: tuple[Side, Side]) -> dict[str, Matrix]:
        return self.units.costs(sides[0].units, sides[1].units)


def _features_in_units(pair: Aligned) -> Matrix:
    """Return the features with masses in units: as many as the longer report has."""
    return np.where(BY_MASS, max(*pair.units, 1.0), 1.0) * features(pair)
