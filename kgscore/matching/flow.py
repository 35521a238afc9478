"""Capacity-constrained matched credit: fractional bipartite max-flow with unit capacities (RadSEM 3.4).

Weights are scaled to integers, so the flow is exact: RadSEM's weights are multiples of 1/108, and the ontology's are
rounded to the same fine grid.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from itertools import pairwise

UNIT = 108 * 10_000
_Node = tuple[bool, int]  # whether it is a reference, and its position


def max_flow(edges: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Return the flow on each edge (reference, candidate) that maximises the total, at most 1 per node.

    >>> max_flow({(0, 0): 1.0, (0, 1): 0.5, (1, 1): 0.5})
    {(0, 0): 1.0, (0, 1): 0.0, (1, 1): 0.5}
    """
    capacity = {edge: round(weight * UNIT) for edge, weight in edges.items()}
    lefts, rights = Counter(left for left, _ in capacity), Counter(right for _, right in capacity)
    lone = {(left, right) for left, right in capacity if lefts[left] == rights[right] == 1}
    flow = {e: capacity[e] if e in lone else 0 for e in capacity}
    if len(lone) < len(capacity):
        _augment({e: c for e, c in capacity.items() if e not in lone}, flow)
    return {edge: amount / UNIT for edge, amount in flow.items()}


def _augment(capacity: dict[tuple[int, int], int], flow: dict[tuple[int, int], int]) -> None:
    """Edmonds–Karp on the residual network: source – references – candidates – sink."""
    rights: dict[int, list[int]] = defaultdict(list)
    lefts: dict[int, list[int]] = defaultdict(list)
    for left, right in sorted(capacity):
        rights[left].append(right)
        lefts[right].append(left)
    free_left = dict.fromkeys(rights, UNIT)
    free_right = dict.fromkeys(lefts, UNIT)
    while path := _path(capacity, flow, (rights, lefts), free_left, free_right):
        steps = [((a, b) if is_left else (b, a), is_left) for (is_left, a), (_, b) in pairwise(path)]
        first, last = path[0][1], path[-1][1]
        room = (capacity[edge] - flow[edge] if is_left else flow[edge] for edge, is_left in steps)
        amount = min(free_left[first], free_right[last], *room)
        for edge, is_left in steps:
            flow[edge] += amount if is_left else -amount
        free_left[first] -= amount
        free_right[last] -= amount


def _path(
    capacity: Mapping[tuple[int, int], int],
    flow: Mapping[tuple[int, int], int],
    following: tuple[Mapping[int, list[int]], Mapping[int, list[int]]],
    free_left: Mapping[int, int],
    free_right: Mapping[int, int],
) -> list[_Node]:
    """Return a shortest path with capacity left, from a free reference to a free candidate; empty if there is none."""
    rights, lefts = following
    came: dict[_Node, _Node | None] = {(True, n): None for n, free in free_left.items() if free}
    queue = deque(came)
    while queue:
        is_left, name = node = queue.popleft()
        for other in rights[name] if is_left else lefts[name]:
            edge = (name, other) if is_left else (other, name)
            if (not is_left, other) in came or not (capacity[edge] - flow[edge] if is_left else flow[edge]):
                continue
            came[not is_left, other] = node
            if is_left and free_right[other]:
                return _traced(came, (False, other))
            queue.append((not is_left, other))
    return []


def _traced(came: Mapping[_Node, _Node | None], goal: _Node) -> list[_Node]:
    path = [goal]
    while (before := came[path[-1]]) is not None:
        path.append(before)
    return path[::-1]
