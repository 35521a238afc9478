"""The decisions that give a structure, to be learned one by one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

from kgscore.reading.structure.decisions import BEARER, MODIFIER, NAME, PLACE, SIDE, Decisions, Pair
from kgscore.reading.structure.values import Parse, Statement


def decided(structure: Parse) -> Decisions:
    """Return a structure as decisions."""
    out = Decisions()
    for head in dict.fromkeys(one.head for one in structure):
        said = [one for one in structure if one.head == head]
        out.head[head] = said[0].status
        groups = [_linked(out, one) for one in single(said)]
        if len(said) > 1:
            out.apart.update((head, *pair) for pair in _apart(out, head, groups))
    return out


def _apart(out: Decisions, head: int, groups: list[list[int]]) -> list[Pair]:
    """Return the pairs of items of a head that no statement has together; two places are always apart."""
    places = {item for (h, item), link in out.link.items() if h == head and link in (PLACE, SIDE, BEARER)}
    together = {pair for group in groups for pair in combinations(group, 2)}
    pairs = combinations(sorted({*chain.from_iterable(groups)}), 2)
    return [pair for pair in pairs if pair not in together and not places.issuperset(pair)]


def _linked(out: Decisions, one: Statement) -> list[int]:
    """Add the links of a statement with one place at most, and return its modifiers and what names its place."""
    head, own = one.head, {*one.modifiers}
    for place in one.places:
        out.join.update(combinations(sorted(place.items), 2))
        out.link.update(((head, item), PLACE) for item in place.items)
        if place.side is not None:
            out.link.setdefault((head, place.side), SIDE)
            out.side.update((item, place.side) for item in place.items)
        own.update(place.parts)
        if one.status != out.head[head]:
            out.turned.update(((head, item), one.status) for item in place.parts)
    for item in one.modifiers:
        out.link.setdefault((head, item), MODIFIER)
    for item in one.names:
        out.link[head, item] = BEARER if out.link.get((head, item)) in (PLACE, BEARER) else NAME
    return sorted(own)


def single(statements: Iterable[Statement]) -> list[Statement]:
    """Return statements with one place each, since each place is a statement of its own."""
    out: list[Statement] = []
    for one in statements:
        out += [one._replace(places=(place,)) for place in one.places] or [one]
    return out
