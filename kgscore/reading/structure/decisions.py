"""A structure as decisions that can be learned one by one.

`head` gives each item its status or none; `link` the role of another item for a head; `join` the items that name one place
together; `side` the side of a place; `apart` the items of one head that belong to different statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from kgscore.reading.structure.values import Parse, Place, Statement

NONE, PLACE, SIDE, MODIFIER, NAME, BEARER = range(6)
# A bearer is a place and a name ("renal mass", one item, of the "carcinoma" that it may be).
LINKS = ("none", "place", "side", "modifier", "name", "bearer")
Pair = tuple[int, int]
# Maximum number of statements and place items of a sentence: reports have fewer than fifty, loops thousands.
BUDGET = 240
# Maximum number of steps of the clique search; natural sentences need fewer than fifty.
_MOST_STEPS = 300


@dataclass(slots=True)
class Decisions:
    """The decisions on a sentence, by positions of its items. Pairs are in ascending order except for `link` (head, item) and
    `side` (site, side). `apart` holds (head, one, other); `turned` maps (head, place item) to a status other than the head's."""

    head: dict[int, str] = field(default_factory=dict)
    link: dict[Pair, int] = field(default_factory=dict)
    join: set[Pair] = field(default_factory=set)
    side: set[Pair] = field(default_factory=set)
    apart: set[tuple[int, int, int]] = field(default_factory=set)
    turned: dict[Pair, str] = field(default_factory=dict)


def composed(decisions: Decisions) -> Parse:
    """Return the structure given by decisions; empty if it would exceed the budget of a sentence."""
    out: list[Statement] = []
    spent = 0
    links: dict[int, dict[int, list[int]]] = {head: {PLACE: [], SIDE: [], MODIFIER: [], NAME: []} for head in decisions.head}
    for (head, item), link in sorted(decisions.link.items()):
        for role in (PLACE, NAME) if link == BEARER else (link,) if link else ():
            links[head][role].append(item)
    for head in sorted(decisions.head):
        made = _statements(head, links[head], decisions)
        spent += sum(1 + sum(len(place.items) for place in one.places) for one in made)
        if spent > BUDGET:
            return ()
        out += made
    return tuple(out)


def _places(sites: Sequence[int], sides: Sequence[int], decisions: Decisions) -> list[Place]:
    """Return the places of a head: joined sites, each with their sides, and sides on their own."""
    out: list[Place] = []
    used: set[int] = set()
    for group in cliques(sites, lambda one, other: (min(one, other), max(one, other)) in decisions.join):
        taken = [side for side in sides if any((item, side) in decisions.side for item in group)]
        own = [side for side in sites if side not in group and any((item, side) in decisions.side for item in group)]
        used.update(taken)
        out += [Place(group, side) for side in taken or own[:1]] or [Place(group, None)]
    out += [Place((), side) for side in sides if side not in used]
    return out


def _statements(head: int, linked: Mapping[int, list[int]], decisions: Decisions) -> list[Statement]:
    """Return the statements of a head: places with their modifiers; mutually exclusive modifiers are separated."""
    places, names, status = _places(linked[PLACE], linked[SIDE], decisions), tuple(linked[NAME]), decisions.head[head]
    apart = {pair for h, one, other in decisions.apart if h == head for pair in ((one, other), (other, one))}
    groups = cliques(linked[MODIFIER], lambda one, other: (one, other) not in apart) or [()]
    found: dict[tuple[tuple[int, ...], str], list[Place]] = {}
    for place in places or [Place((), None)]:
        own = next(filter(None, (decisions.turned.get((head, item)) for item in place.parts)), status)
        for group in _fitting(groups, place, apart):
            found.setdefault((group, own), []).extend([place] if places else [])
    # Modifiers of no place form a statement of their own.
    said = {*chain.from_iterable(group for group, _ in found)}
    found |= {(group, status): [] for group in groups if group and said.isdisjoint(group)}
    return [Statement(head, own, tuple(held), group, names) for (group, own), held in found.items()]


def _fitting(groups: Sequence[tuple[int, ...]], place: Place, apart: set[Pair]) -> list[tuple[int, ...]]:
    """Return the largest groups of modifiers that belong to a place, in order."""
    fitting = {tuple(m for m in group if apart.isdisjoint((m, p) for p in place.parts)) for group in groups}
    return sorted(one for one in fitting if not any(set(one) < set(other) for other in fitting))


def cliques(items: Sequence[int], joined: Callable[[int, int], bool]) -> list[tuple[int, ...]]:
    """Return the maximal groups of items in which every two are joined, in order (Bron and Kerbosch with a pivot). After
    `_MOST_STEPS` steps, each item not yet in a group forms its own."""
    near = {one: {other for other in items if other != one and joined(one, other)} for one in items}
    groups: list[tuple[int, ...]] = []
    steps = 0

    def grow(group: tuple[int, ...], rest: set[int], passed: set[int]) -> None:
        nonlocal steps
        steps += 1
        if not rest and not passed:
            groups.append(tuple(sorted(group)))
        if not rest or steps > _MOST_STEPS:
            return
        pivot = max(sorted(rest | passed), key=lambda item: len(near[item] & rest))
        for item in sorted(rest - near[pivot]):
            grow((*group, item), rest & near[item], passed & near[item])
            rest.remove(item)
            passed.add(item)

    grow((), set(items), set())
    if steps > _MOST_STEPS:
        groups += [(item,) for item in set(items).difference(*groups)]
    return sorted(group for group in groups if group)
