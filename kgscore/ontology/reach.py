"""Reachability in a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

N = TypeVar("N")


def reachable(starts: Iterable[N], steps: Mapping[N, Iterable[N]]) -> set[N]:
    """Return the starts and everything reachable from them; cycles are allowed.

    >>> sorted(reachable(["lobe"], {"lobe": ["lung"], "lung": ["chest"], "heart": ["chest"]}))
    ['chest', 'lobe', 'lung']
    """
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        fresh = set(steps.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return seen
