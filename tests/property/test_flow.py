"""Our flow is maximal: networkx finds no greater one on the same integer capacities, and never a smaller."""

from __future__ import annotations

from fractions import Fraction

import networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.matching.flow import UNIT, max_flow

nodes = st.integers(0, 4)
graphs = st.dictionaries(st.tuples(nodes, nodes), st.integers(1, 108), min_size=1, max_size=16)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(weights=graphs)
def test_flow_equals_networkx_exactly(weights: dict[tuple[int, int], int]) -> None:
    found = max_flow({edge: weight / 108 for edge, weight in weights.items()})
    flow = {edge: Fraction(round(amount * UNIT), UNIT) for edge, amount in found.items()}
    oracle = networkx.DiGraph()
    for (left, right), weight in weights.items():
        oracle.add_edge("source", ("r", left), capacity=108)
        oracle.add_edge(("r", left), ("c", right), capacity=weight)
        oracle.add_edge(("c", right), "sink", capacity=108)
    assert sum(flow.values()) == Fraction(networkx.maximum_flow_value(oracle, "source", "sink"), 108)
    assert all(0 <= amount <= Fraction(weights[edge], 108) for edge, amount in flow.items())
    for place in (0, 1):
        for node in {edge[place] for edge in flow}:
            assert sum(amount for edge, amount in flow.items() if edge[place] == node) <= 1
