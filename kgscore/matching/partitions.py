"""Parts that together form a whole: findings of all parts are a finding of the whole ("both lobes of the liver": the liver)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.matching.relation import content_key
from kgscore.model import OTHER_SIDE, Finding, Side
from kgscore.ontology.index import Index

_SIDES: tuple[Side, ...] = ("left", "right")


def findings_of_wholes(index: Index, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of wholes that findings of all their parts amount to, equal in everything but the place."""
    groups: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.concept is not None and len(finding.sites) == 1:
            groups[content_key(replace(finding, sites=(), side=None, both=False))].append(finding)
    return [whole for group in groups.values() if len(group) > 1 for whole in _wholes_of(index, group)]


def merge_parts(index: Index, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with those of all parts of a whole replaced by one of the whole."""
    wholes = findings_of_wholes(index, findings)
    return [f for f in findings if not any(_is_part(index, f, whole) for whole in wholes)] + wholes


def _is_part(index: Index, part: Finding, whole: Finding) -> bool:
    made = index.made[whole.sites[0]]
    return part.concept == whole.concept and len(part.sites) == 1 and part.sites[0] in made and whole.side in (None, part.side)


def _wholes_of(index: Index, group: Sequence[Finding]) -> Iterator[Finding]:
    said = {(finding.sites[0], finding.side) for finding in group}
    for whole, parts in index.made.items():
        if any(part in parts for part, _ in said):
            for side in _SIDES if _is_sided(index, whole) else (None,):
                if all(places <= said for places in _places(index, parts, side)):
                    yield replace(group[0], sites=(whole,), side=side, both=False)


def _places(index: Index, parts: Iterable[str], side: Side | None) -> Iterator[set[tuple[str, Side | None]]]:
    """Yield the required places of the parts of a whole, on one side or in the midline."""
    for part in parts:
        own = index.concepts[part].values.get("side")
        if side is None:
            yield {(part, one) for one in _SIDES} if _is_sided(index, part) else {(part, None)}
        elif own != OTHER_SIDE[side]:
            yield {(part, side)}


def _is_sided(index: Index, place: str) -> bool:
    return not index.concepts[place].flags.isdisjoint(("paired", "sided"))
