"""Contradictions within a report: direct denials, opposite values, and an impression that moves or resizes a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscore.matching.head_on import head_on
from kgscore.matching.relation import Relator
from kgscore.model import Contradiction, Finding
from kgscore.quantities import quantity

# Lengths of one thing that differ by more than this share of each are a mistake.
_RESIZED = 0.17
_MANY = ("quantity",)



def contradictions(relator: Relator, findings: Sequence[Finding]) -> tuple[Contradiction, ...]:
    """Return the pairs of findings of one report that cannot both hold, with the proof.

    A specific finding beside a broader denial is its exception, not a contradiction ("The lungs are clear. Left basal
    atelectasis.").
    """
    found = [Contradiction((a.start, a.end), (b.start, b.end), proof) for a, b, proof in _clashes(relator, findings)]
    moved = (*_moved(relator, findings), *_put_back(relator, findings))
    found += [Contradiction((a.start, a.end), (b.start, b.end), (why,)) for a, b, why in moved]
    return tuple(found)


def _clashes(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, tuple[str, ...]]]:
    for position, one in enumerate(findings):
        for other in findings[position + 1 :]:
            relation = relator.relate(one, other)
            if relation.relation != "contradiction" or (one.start, one.end) == (other.start, other.end):
                continue
            if one.asserts != other.asserts and not head_on(relator, *((one, other) if one.asserts else (other, one))):
                continue
            yield one, other, relation.proof


def _moved(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, str]]:
    """Yield findings that two sections of a report each state once, at disjoint places or with different sizes."""
    singles = _singles(findings)
    for position, (section, one) in enumerate(singles):
        for other_section, other in singles[position + 1 :]:
            if section == other_section or not _one_kind(relator, one, other):
                continue
            if one.side and other.side and one.side != other.side:
                yield one, other, f"{one.label}: on the {one.side} under '{section}', on the {other.side} under '{other_section}'"
            elif one.sites and other.sites and relator.axes.anatomy(one, other) is None:
                places = [", ".join(relator.index.label(site) for site in f.sites) for f in (one, other)]
                yield one, other, f"{one.label}: {places[0]} under '{section}', {places[1]} under '{other_section}'"
            elif _resized(one, other):
                yield one, other, f"{one.label}: of another size under '{section}' than under '{other_section}'"


def _put_back(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, str]]:
    """Yield the devices that are stated both to have been removed and to be in place."""
    devices = {c.id for c in relator.index.concepts.values() if c.kind == "devices"}
    gone = [f for f in findings if not f.asserts and f.change == "resolved" and f.concept in devices]
    for one in gone:
        for other in findings:
            if other.asserts and other.concept == one.concept and other.side == one.side and other.change != "new":
                yield one, other, f"{one.label}: gone, and there"


def _one_kind(relator: Relator, one: Finding, other: Finding) -> bool:
    index = relator.index
    return index.is_a(one.concept, other.concept) or index.is_a(other.concept, one.concept)


def _singles(findings: Sequence[Finding]) -> list[tuple[str, Finding]]:
    """Return the findings that are asserted once in their section, each with its section."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.asserts and finding.concept:
            groups.setdefault((finding.section, finding.concept), []).append(finding)
    return [
        (section, group[0])
        for (section, _), group in groups.items()
        if len(group) == 1 and group[0].certainty == "definite" and not any(d.category in _MANY for d in group[0].details)
    ]


def _resized(one: Finding, other: Finding) -> bool:
    """Whether two findings have measurements that cannot be of the same length."""
    lengths = [[q for d in f.details if (q := quantity(d)) is not None and q.quantity == "length"] for f in (one, other)]
    pairs = [(a, b) for a in lengths[0] for b in lengths[1]]
    return bool(pairs) and not any(a.overlaps(b, _RESIZED) for a, b in pairs)
