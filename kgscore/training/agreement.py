"""How far two people who marked the same sentences without seeing each other's marks agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from kgscore.training.marks import Mark, Marked

_Spans = tuple[tuple[int, int], ...]


def agreement(first: Iterable[Marked], second: Iterable[Marked]) -> Mapping[str, float]:
    """Return F1 of heads, status, places, sides and modifiers over the sentences that both marked, and the share of sentences
    with wholly the same statements; heads are the same where their words overlap.

    Each figure is between 0 and 1, and symmetric: neither marking counts as the truth.
    """
    others = {marked.text: marked for marked in second}
    pairs = [(one, others[one.text]) for one in first if one.text in others]
    found: Counter[str] = Counter()
    for one, other in pairs:
        mine, theirs = _said(one), _said(other, _heads(one))
        found["sentences"] += 1
        found["alike"] += mine == theirs
        for name in mine:
            found[f"{name}_both"] += len(mine[name] & theirs[name])
            found[f"{name}_all"] += len(mine[name]) + len(theirs[name])
    names = ("heads", "status", "places", "sides", "modifiers")
    shares = {name: 2 * found[f"{name}_both"] / found[f"{name}_all"] for name in names if found[f"{name}_all"]}
    return {"sentences": float(found["sentences"]), **shares, "wholly": found["alike"] / max(1, found["sentences"])}


def _heads(marked: Marked) -> Sequence[Mark]:
    heads = {statement.head for statement in marked.statements}
    return [mark for mark in marked.marks if mark.id in heads]


def _said(marked: Marked, known: Sequence[Mark] = ()) -> dict[str, set[Hashable]]:
    """Return what a marking says by where its words stand; a head that overlaps one of `known` stands where that does."""
    spans = {mark.id: (mark.start, mark.end) for mark in marked.marks}
    for mark in _heads(marked):
        spans[mark.id] = next(((k.start, k.end) for k in known if k.start < mark.end and mark.start < k.end), spans[mark.id])
    said: dict[str, set[Hashable]] = {name: set() for name in ("heads", "status", "places", "sides", "modifiers")}
    for statement in marked.statements:
        head = spans[statement.head]
        said["heads"].add(head)
        said["status"].add((head, statement.status))
        for place in statement.places:
            said["places"] |= {(head, spans[site]) for site in place.sites}
            if place.side:
                said["sides"].add((head, spans[place.side]))
        said["modifiers"] |= {(head, spans[name]) for name in statement.modifiers}
    return said
