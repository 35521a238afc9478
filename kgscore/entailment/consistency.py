"""Contradictions within a report: direct denials, opposite values, and an impression that moves or resizes a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from kgscore.matching.axes import sides_meet
from kgscore.matching.details import change_conflict
from kgscore.matching.head_on import head_on
from kgscore.matching.relation import Relator
from kgscore.model import Contradiction, Finding
from kgscore.ontology.index import Index
from kgscore.quantities import quantities

# Lengths of one thing that differ by more than this share of each are a mistake.
_RESIZED = 0.17


def contradictions(relator: Relator, findings: Sequence[Finding]) -> tuple[Contradiction, ...]:
    """Return the pairs of findings of one report that cannot both hold, with the proof.

    A specific finding beside a broader denial is its exception, not a contradiction ("The lungs are clear. Left basal
    atelectasis.").
    """
    found = [Contradiction((a.start, a.end), (b.start, b.end), proof) for a, b, proof in _clashes(relator, findings)]
    moved = (*_moved_findings(relator, findings), *_replaced_devices(relator, findings))
    found += [Contradiction((a.start, a.end), (b.start, b.end), (why,)) for a, b, why in moved]
    return tuple(found)


def _clashes(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, tuple[str, ...]]]:
    for one, other in combinations(findings, 2):
        relation = relator.relate(one, other)
        if relation.relation != "contradiction" or (one.start, one.end) == (other.start, other.end):
            continue
        if (one.sites != other.sites and change_conflict(one, other)) or _of_two_lesions(relator, one, other):
            continue  # one lesion has shrunk, another elsewhere has not
        yes, no = (one, other) if one.asserts else (other, one)
        if one.asserts == other.asserts or (head_on(relator, yes, no) and not _leaves_room(relator, yes, no)):
            yield one, other, relation.proof


def _leaves_room(relator: Relator, yes: Finding, no: Finding) -> bool:
    """Whether a finding is an exception that people leave out of a denial: a trace beside one of both sides ("no effusion"), one
    disc beside normal discs, or what lies at another part of the place ("proximal", "middle third")."""
    index = relator.index
    trace = no.both and not index.flagged("least").isdisjoint(yes.values())
    other_disc = no.status == "normal" and no.sites == (index.role("any_disc"),) != yes.sites
    return trace or other_disc or _lies_otherwise(index, yes, no)


def _lies_otherwise(index: Index, yes: Finding, no: Finding) -> bool:
    """Whether a denial says of which part of its place it is, and an assertion does not say the same."""
    there, denied = ({d.value for d in f.details if d.category in index.flagged("placing")} for f in (yes, no))
    return bool(denied) and there != denied


def _of_two_lesions(relator: Relator, one: Finding, other: Finding) -> bool:
    """Whether two assertions are of kinds of which each thing has one: a report may tell of several things."""
    index = relator.index
    above = index.ancestors.get(one.concept or "", frozenset()) & index.ancestors.get(other.concept or "", frozenset())
    return one.asserts and other.asserts and not above.isdisjoint(index.flagged("one_kind"))


def _moved_findings(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, str]]:
    """Yield findings that two sections of a report each state once, at disjoint places or with different sizes."""
    for one, other in combinations(_single_findings(findings), 2):
        if one.section == other.section or not relator.index.either_is_a(one.concept, other.concept):
            continue
        here, there = f"under '{one.section}'", f"under '{other.section}'"
        if not sides_meet(one, other):
            yield one, other, f"{one.label}: on the {one.side} {here}, on the {other.side} {there}"
        elif one.sites and other.sites and relator.axes.anatomy(one, other) is None:
            places = [", ".join(map(relator.index.label, f.sites)) for f in (one, other)]
            yield one, other, f"{one.label}: {places[0]} {here}, {places[1]} {there}"
        elif _sizes_differ(one, other):
            yield one, other, f"{one.label}: of another size {here} than {there}"
        elif one.tip and other.tip and not relator.axes.ends_meet(one.tip, other.tip):
            yield one, other, f"{one.label}: of another tip {here} than {there}"


def _replaced_devices(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, str]]:
    """Yield the devices that are stated both to have been removed and to be in place."""
    devices = [f for f in findings if f.concept in relator.index.of_kind("devices")]
    there = [f for f in devices if f.asserts and f.change != "new"]
    for gone in (f for f in devices if not f.asserts and f.change == "resolved"):
        same = (f for f in there if (f.concept, f.side) == (gone.concept, gone.side))
        yield from ((gone, other, f"{gone.label}: gone, and there") for other in same)


def _single_findings(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are asserted once in their section."""
    asserted = [f for f in findings if f.asserts and f.concept]
    times = Counter((f.section, f.concept) for f in asserted)
    sure = (f for f in asserted if f.certainty == "definite" and "quantity" not in f.categories)
    return [f for f in sure if times[f.section, f.concept] == 1]


def _sizes_differ(one: Finding, other: Finding) -> bool:
    """Whether two findings have measurements that cannot be of the same length."""
    pairs = list(product(quantities(one.details, "length"), quantities(other.details, "length")))
    return bool(pairs) and not any(a.overlaps(b, _RESIZED) for a, b in pairs)
