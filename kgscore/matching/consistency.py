"""Where a report contradicts itself: head-on denials, opposite values, and an impression that moves or resizes a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscore.matching.relation import Relator
from kgscore.model import Contradiction, Finding
from kgscore.ontology.index import Index
from kgscore.quantities import quantity

# Two lengths of one thing differ by more than this share of each only by mistake.
_RESIZED = 0.17
_MANY = ("quantity",)
# From this severity on (urgent), a finding is no mere exception to a broader denial.
_GRAVE = 3
# A denial of both sides at once is of a finding that names none only where it is hardly broader.
_NEAR = 1



def contradictions(relator: Relator, findings: Sequence[Finding]) -> tuple[Contradiction, ...]:
    """Return the pairs of findings of one report that cannot both hold, with the proof.

    A specific finding beside a denial that is broader is its exception, not a contradiction ("The lungs are clear. Left basal
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


def head_on(relator: Relator, yes: Finding, no: Finding) -> bool:
    """Whether a denial is of just what is asserted: the finding itself, or a quality of the very structure."""
    index = relator.index
    if yes.certainty != "definite" or "decreased" in (yes.change, no.change) or any(d.value == "otherwise" for d in no.details):
        return False
    if no.change == "resolved":
        return False
    if no.concept in index.flagged("leaves_room"):
        return yes.concept == no.concept
    if index.severity(yes.concept) >= _GRAVE and yes.change is None and not no.both and no.concept not in _general(index):
        return True  # nobody leaves a burst fracture out of "no fracture"
    if _of_other_arteries(index, yes, no):
        return False
    same, placed = yes.concept == no.concept, set(yes.sites) == set(no.sites)
    if no.both and (yes.side is not None or no.status != "normal"):
        # Of both sides at once the wide classes are denied that leave room for one in particular ("no focal opacity").
        return same and placed and not index.is_any(no.concept or "", index.flagged("lesions"))
    if same or not placed or (yes.side != no.side and not no.both):
        return same
    chief = bool(index.principal.get(no.concept or "", frozenset()) & relator.axes.unfold(yes).classes)
    near = index.distance(yes.concept or "", no.concept or "") <= _NEAR or not no.both
    return chief or (near and no.concept not in _general(index))


def _of_other_arteries(index: Index, yes: Finding, no: Finding) -> bool:
    """Whether a denial is of arteries of which one in particular has the finding: it is then of the others."""
    artery = index.role("any_artery")
    kinds = [place for place in no.sites if index.is_a(place, artery)]
    return bool(yes.sites) and all(any(one != kind and index.is_a(one, kind) for kind in kinds) for one in yes.sites)


def _general(index: Index) -> frozenset[str]:
    """Return the classes whose denial leaves room for what is said of a structure in particular: all that is acute among them."""

    def make() -> frozenset[str]:
        acute = index.role("all_acute")
        kinds = frozenset(name for name, above in index.ancestors.items() if acute and acute in above)
        return index.marked("bare") | kinds | {index.role("any_abnormality")}

    return index.once(_general, make)


def _moved(relator: Relator, findings: Sequence[Finding]) -> Iterator[tuple[Finding, Finding, str]]:
    """Yield the findings of which two sections of a report hold one each, at places apart or of sizes apart."""
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
    """Yield the devices that are said to have been removed, and to be in place."""
    devices = {c.id for c in relator.index.concepts.values() if c.kind == "devices"}
    gone = [f for f in findings if not f.asserts and f.change == "resolved" and f.concept in devices]
    for one in gone:
        for other in findings:
            if other.asserts and other.concept == one.concept and other.side == one.side and other.change != "new":
                yield one, other, f"{one.label}: gone, and there"


def _one_kind(relator: Relator, one: Finding, other: Finding) -> bool:
    index = relator.index
    return index.is_a(one.concept or "", other.concept or "") or index.is_a(other.concept or "", one.concept or "")


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
    """Whether two findings were measured, and cannot have been the same length."""
    lengths = [[q for d in f.details if (q := quantity(d)) is not None and q.quantity == "length"] for f in (one, other)]
    pairs = [(a, b) for a in lengths[0] for b in lengths[1]]
    return bool(pairs) and not any(a.overlaps(b, _RESIZED) for a, b in pairs)
