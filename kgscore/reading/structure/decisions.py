"""Conversion of a structure to decisions that can be learned one by one, and back.

`head` gives each item its status or none; `link` the role of another item for a head; `join` the items that name one place
together; `side` the side of a place; `apart` the items of one head that belong to different statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

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


def decided(structure: Parse) -> Decisions:
    """Return a structure as decisions."""
    out = Decisions()
    by_head: dict[int, list[Statement]] = {}
    for statement in structure:
        by_head.setdefault(statement.head, []).append(statement)
    for head, statements in by_head.items():
        out.head[head] = statements[0].status
        together: set[Pair] = set()
        parts: set[int] = set()
        for one in single(statements):
            own = {*one.modifiers}
            for place in one.places:
                out.join.update(combinations(sorted(place.items), 2))
                for item in place.items:
                    out.link[head, item] = PLACE
                if place.side is not None:
                    out.link.setdefault((head, place.side), SIDE)
                    out.side.update((item, place.side) for item in place.items)
                own.update(place.items or (place.side,) if place.side is not None else place.items)
                if one.status != out.head[head]:
                    for item in place.items or ((place.side,) if place.side is not None else ()):
                        out.turned[head, item] = one.status
            for item in one.modifiers:
                out.link.setdefault((head, item), MODIFIER)
            for item in one.names:
                out.link[head, item] = BEARER if out.link.get((head, item)) in (PLACE, BEARER) else NAME
            parts |= own
            together.update(combinations(sorted(own), 2))
        if len(statements) > 1:
            places = {item for (h, item), link in out.link.items() if h == head and link in (PLACE, SIDE, BEARER)}
            for one_part, other in combinations(sorted(parts), 2):
                if (one_part, other) not in together and not (one_part in places and other in places):
                    out.apart.add((head, one_part, other))
    return out


def single(statements: Iterable[Statement]) -> list[Statement]:
    """Return statements with one place each, since each place is a statement of its own."""
    out = []
    for one in statements:
        for place in one.places or (None,):
            out.append(Statement(one.head, one.status, (place,) if place else (), one.modifiers, one.names))
    return out


def composed(decisions: Decisions) -> Parse:
    """Return the structure given by decisions; empty if it would exceed the budget of a sentence."""
    out: list[Statement] = []
    spent = 0
    links: dict[int, dict[int, list[int]]] = {head: {PLACE: [], SIDE: [], MODIFIER: [], NAME: []} for head in decisions.head}
    for (head, item), link in sorted(decisions.link.items()):
        for role in (PLACE, NAME) if link == BEARER else (link,) if link else ():
            links[head][role].append(item)
    for head, status in sorted(decisions.head.items()):
        linked = links[head]
        places = _places(linked[PLACE], linked[SIDE], decisions)
        apart = {(one, other) for h, one, other in decisions.apart if h == head}
        made = _statements(head, status, places, linked[MODIFIER], tuple(linked[NAME]), apart, decisions.turned)
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


def _statements(
    head: int,
    status: str,
    places: Sequence[Place],
    modifiers: Sequence[int],
    names: tuple[int, ...],
    apart: set[Pair],
    turned: Mapping[Pair, str],
) -> list[Statement]:
    """Return the statements of a head: places with their modifiers; mutually exclusive modifiers are separated."""
    groups = cliques(modifiers, lambda one, other: (min(one, other), max(one, other)) not in apart) if modifiers else [()]
    found: dict[tuple[tuple[int, ...], str], list[Place]] = {}
    for place in places or (None,):
        parts = () if place is None else place.items or ((place.side,) if place.side is not None else ())
        own = next((turned[head, item] for item in parts if (head, item) in turned), status)
        fitting = {tuple(m for m in group if not any((min(m, p), max(m, p)) in apart for p in parts)) for group in groups}
        for group in sorted(g for g in fitting if not any(set(g) < set(other) for other in fitting)):
            held = found.setdefault((group, own), [])
            if place is not None:
                held.append(place)
    if places:
        # Modifiers of no place form a statement of their own.
        said = {item for group, _ in found for item in group}
        for group in groups:
            if group and not said.intersection(group):
                found[group, status] = []
    return [Statement(head, own, tuple(held), group, names) for (group, own), held in found.items()]


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
