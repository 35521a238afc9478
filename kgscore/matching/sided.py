"""The side that a report is about: findings and statements without a side take that side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kgscore.model import OTHER_SIDE, Finding, Side
from kgscore.ontology.index import Index


def with_named_side(index: Index, findings: Iterable[Finding], source: str) -> list[Finding]:
    """Return assertions without a side with the only side that the text gives for their site ("the left kidney")."""
    text = source.lower()
    return [replace(f, side=_named_side(index, f, text)) if f.asserts and f.side is None else f for f in findings]


def _named_side(index: Index, finding: Finding, text: str) -> Side | None:
    paired = (site for site in finding.sites if site in index.concepts and "paired" in index.concepts[site].flags)
    for site in paired:
        label = re.escape(index.label(site))
        sides = {word for word in OTHER_SIDE if re.search(rf"\b{word} {label}\b", text)}
        if len(sides) == 1 and not re.search(rf"\b(?:both|bilateral|either|each) {label}", text):
            return next(side for side in OTHER_SIDE.values() if side in sides)
    return None


def with_side_of_report(index: Index, statement: Sequence[Finding], report: Sequence[Finding]) -> list[Finding]:
    """Return a statement without a side with the side of a report of one limb: what it says of both sides is of that one."""
    sides = {finding.side for finding in report if finding.side is not None}
    if len(sides) != 1 or not all(index.inside_any(site, index.flagged("limbs")) for f in statement for site in f.sites):
        return list(statement)
    side = sides.pop()
    found = [f if f.side is not None or not f.sites else replace(f, side=side) for f in statement]
    return [replace(f, both=False) if f.both else f for f in found if not f.both or f.side == side]
