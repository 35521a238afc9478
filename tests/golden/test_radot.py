"""What RadOT-Eval's tables fix: the totals of table VI, and the edges of appendix A-D."""

from __future__ import annotations

import numpy as np
import pytest

from kgscore.engine import Scorer
from kgscore.metrics.radot_align import FEATURES
from kgscore.metrics.radot_units import ALIGNMENT, SIDE, Units, tables
from kgscore.model import Detail, Finding

# Case, mass, alignment cost, side cost, mass-weighted risk.
EDGES = [
    ("report699", 0.119, 0.476, 3.0, 0.413), ("report699", 0.100, 0.586, 3.0, 0.359), ("report699", 0.239, 0.448, 1.0, 0.346),
    ("report1860", 0.050, 0.550, 3.0, 0.176), ("report1860", 0.067, 0.400, 2.0, 0.160), ("report1860", 0.033, 0.584, 4.0, 0.151),
]  # fmt: skip


def test_table_vi_counts_the_features() -> None:
    assert len(FEATURES) == 66
    assert sum(not feature.name.startswith("severity_") for feature in FEATURES) == 61
    assert sum(feature.group != "spread" for feature in FEATURES) == 49
    assert len({feature.name for feature in FEATURES}) == 66


@pytest.mark.parametrize(("case", "mass", "alignment", "side", "risk"), EDGES)
def test_the_risk_of_an_edge_is_mass_times_alignment_and_side_cost(
    case: str, mass: float, alignment: float, side: float, risk: float
) -> None:
    # The printed numbers have three decimals; the products stand within what that leaves open.
    assert mass * (alignment + side) == pytest.approx(risk, abs=0.0005 * (alignment + side) + 0.0005 * mass + 0.0005)


@pytest.fixture(scope="module")
def units(scorer: Scorer) -> Units:
    return Units(scorer.index, tables(), True, 0.5)


def edge(units: Units, left: Finding, right: Finding) -> tuple[float, float]:
    costs = units.costs(units.of([left], left.text), units.of([right], right.text))
    ground = np.dot(tables().priors["polarity-heavy"], [float(costs[name][0, 0]) for name in ALIGNMENT])
    return float(ground), sum(float(costs[name][0, 0]) for name in SIDE)


INCREASE = "apparent interval increase in low density at the left"


def test_clear_lungs_against_an_increase_at_one_place_cost_0_400_and_2(units: Units) -> None:
    clear = Finding("lungs are clear", 0, 15, "x", "clear", ("lung",))
    increase = Finding(INCREASE, 0, len(INCREASE), "y", "density", ("lung",), certainty="possible", change="increased")
    assert edge(units, clear, increase) == pytest.approx((0.400, 2.0))


def test_a_spine_against_an_increase_costs_just_under_0_6_and_4(units: Units) -> None:
    text = "levocurvature of the lumbar spine with significant degenerative change"
    details = (Detail("severity_descriptor", "significant", "significant"), Detail("nature", "degenerative", "degenerative"))
    spine = Finding(text, 0, len(text), "x", "levocurvature", ("lumbar_spine",), details=details)
    increase = Finding(INCREASE, 0, len(INCREASE), "y", "density", ("lung",), certainty="possible", change="increased")
    ground, side = edge(units, spine, increase)
    assert ground == pytest.approx(0.584, abs=0.02)
    assert ground < 0.6
    assert side == pytest.approx(4.0)


def test_there_are_ten_priors_and_each_adds_up_to_one() -> None:
    assert len(tables().priors) == 10
    assert [name for name, weights in tables().priors.items() if sum(weights) != pytest.approx(1) or min(weights) < 0] == []
    assert tables().priors["no-text"][3] == tables().priors["no-polarity"][2] == 0.0
