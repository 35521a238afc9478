"""The weight of a relation: part–whole coefficients by policy, detail coefficients, conflicting details."""

from __future__ import annotations

from dataclasses import replace

from kgscore.matching.details import conflicting
from kgscore.model import Finding, Relation
from kgscore.profile import Profile

DETAIL = {"equivalent": 1.0, "partial": 0.75, "none": 0.5, None: 1.0}
THIRD = 1.0 / 3.0


def weigh(relation: Relation, a: Finding, b: Finding, profile: Profile) -> Relation:
    """Return the relation with its weight in [0, 1] (RadSEM 3.4): one coefficient per part–whole axis, one for details."""
    if relation.relation not in ("equivalent", "part_whole"):
        return relation
    weight = DETAIL[relation.detail]
    axes = ((relation.anatomy, profile.anatomy_coefficient), (relation.finding, profile.finding_coefficient))
    for (label, least), depth in zip(axes, relation.depths, strict=True):
        if label == "part_whole":
            weight *= least if profile.part_whole == "fixed" else depth_coefficient(depth, profile.depth_decay, least)
    if profile.conflict_factor < 1.0 and relation.detail != "equivalent":
        weight *= profile.conflict_factor ** min(2, len(conflicting(a, b)))
    return replace(relation, weight=weight)


def depth_coefficient(depth: int, decay: float, least: float = THIRD) -> float:
    """Return a coefficient between 1 and `least` that decreases with the distance in the hierarchy: 1/3 + 2/3·decay^depth for
    1/3.

    >>> round(depth_coefficient(1, 0.5), 3), round(depth_coefficient(4, 0.5), 3)
    (0.667, 0.375)
    """
    return least + (1.0 - least) * decay ** max(1, depth)
