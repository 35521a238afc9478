"""The 66 features that RadOT-Eval reads out of an aligned pair (IV-C). Each is 0 or more, and more of it is never better.

The paper gives the families and three totals: 66 in all, 61 without severity, 49 without the features of diffuseness and
concentration. The members chosen here give these totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from kgscore.metrics.radot_tables import ALIGNMENT, SIDE, tables
from kgscore.metrics.transport import Masses, Matrix

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
    """Two reports aligned: cost of each channel, the ground cost, the plan, the masses of rows and columns, and how many
    units (by weight, where a profile weighs them) each report has."""

    costs: Mapping[str, Matrix]
    ground: Matrix
    plan: Matrix
    masses: Masses
    units: tuple[float, float]

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Where an edge carries enough mass to be looked at by itself."""
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
    found["top_risk_sum"] = float(_top(mass * (pair.ground + pair.side)[kept]).sum())
    found["reference_units"], found["candidate_units"] = pair.units
    found |= _spread(pair.plan, pair.masses)
    return np.array([found[name] for name in NAMES])


def _statistics(plan: Matrix, costs: Matrix, mass: Matrix, kept: Matrix) -> dict[str, Matrix]:
    """Return the statistics of several channels at once: `costs` of every edge, `kept` of those that count, channels first."""
    weighed = mass * kept
    return {
        "expected": (plan * costs).reshape(len(costs), -1).sum(axis=1) / plan.sum(),
        "max": kept.max(axis=1),
        "top3_mean": _top(kept).mean(axis=1),
        "top3_mw": _top(weighed).sum(axis=1),
        "max_mw": weighed.max(axis=1),
    }


def _top(values: Matrix) -> Matrix:
    """Return the largest values along the last axis."""
    return np.sort(values)[..., -TOP:]


def _spread(plan: Matrix, masses: Masses) -> dict[str, float]:
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
