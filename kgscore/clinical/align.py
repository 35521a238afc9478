"""Alignment of the findings of two reports by their core, even if status, side or place differ; many to many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from kgscore.clinical.compare import Comparer, Comparison
from kgscore.clinical.reworded import Reworded, Stated
from kgscore.matching.axes import sides_meet
from kgscore.matching.details import conflicting
from kgscore.model import Finding, Link
from kgscore.ontology.index import Index
from kgscore.verdict import Error

_CLOSE = 0.9
_EPSILON = 1e-9
# Errors that make a pair two findings rather than one.
_ELSEWHERE = ("presence", "side", "place")
# An error with a lower cost is not worth naming (a place stated more exactly).
SLIGHT = 0.02


@dataclass(frozen=True, slots=True)
class Match:
    """Two statements aligned with each other, by position among the statements of each side."""

    reference: int
    candidate: int
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Alignment:
    """The statements of both reports and their matches. `denied` maps statements of the reference to the denials of the candidate
    that contradict them, `refuted` those of the candidate to denials of the reference. `reworded` are statements that differ in
    wording only; `instead` maps invented statements to the missed ones that they replace; `crossed` are numbers of normal
    statements on opposite sides of a threshold."""

    reference: tuple[Stated, ...]
    candidate: tuple[Stated, ...]
    matches: tuple[Match, ...]
    denied: dict[int, tuple[Link, ...]]
    refuted: dict[int, tuple[Link, ...]]
    reworded: tuple[frozenset[int], frozenset[int]]
    instead: dict[int, int]
    crossed: tuple[tuple[Finding, int, int, Error], ...]


def align(comparer: Comparer, left: Sequence[Finding], right: Sequence[Finding], contradictions: Iterable[Link]) -> Alignment:
    """Return the asserted findings of two reports, aligned. Findings that agree in all but degree are matched many to many, those
    that conflict one to one, best first; `contradictions` are the pairs of findings of which one denies the other."""
    comparer.begin()
    ours, theirs = stated(comparer, left), stated(comparer, right)
    clashes = [link for link in contradictions if _is_contradiction(comparer, left, right, link)]
    # The denial of the very finding comes before that of a class above it.
    clashes.sort(key=lambda link: left[link.reference].concept != right[link.candidate].concept)
    denied = _by(ours, ((link.reference, link) for link in clashes if left[link.reference].asserts))
    refuted = _by(theirs, ((link.candidate, link) for link in clashes if right[link.candidate].asserts))
    pairs = [pair for pair in _pairs(comparer, ours, theirs) if not _contradicted(pair, ours, theirs, denied, refuted)]
    matches = _matches(pairs, ours, theirs)
    alone = set(range(len(ours))) - {match.reference for match in matches}
    added = set(range(len(theirs))) - {match.candidate for match in matches}
    said = [match for match in matches if match.comparison.open]
    reworded = (
        frozenset(Reworded(comparer, ours, theirs, right, {match.reference for match in said}).of(alone) - denied.keys()),
        frozenset(Reworded(comparer, theirs, ours, left, {match.candidate for match in said}).of(added) - refuted.keys()),
    )
    missed, invented = sorted(alone - denied.keys() - reworded[0]), sorted(added - refuted.keys() - reworded[1])
    instead = _instead(comparer, ours, theirs, missed, invented)
    return Alignment(ours, theirs, matches, denied, refuted, reworded, instead, tuple(_crossed(comparer, left, right)))


def stated(comparer: Comparer, findings: Sequence[Finding]) -> tuple[Stated, ...]:
    """Return the assertions of a report, each once: a finding that another one subsumes becomes its member, and its additional
    details are merged into the other's."""
    index = comparer.index
    anything = index.role("any_abnormality")
    asserted = [i for i, f in enumerate(findings) if f.asserts and f.concept != anything]
    heads: list[tuple[list[int], Collection[str | None]]] = []
    for i in sorted(asserted, key=lambda i: -_depth(comparer, findings[i])):
        for group, classes in heads:
            if findings[i].concept in classes and _subsumes(comparer, findings[group[0]], findings[i]):
                group.append(i)
                break
        else:
            heads.append(([i], comparer.axes.unfold(findings[i]).classes | {None}))
    groups = sorted(group for group, _ in heads)
    return tuple(Stated(_joined([findings[i] for i in group]), tuple(group)) for group in groups)


def _depth(comparer: Comparer, finding: Finding) -> int:
    """Return how specific a finding is: its classes, places, side and details."""
    index = comparer.index
    classes = len(index.ancestors.get(finding.concept or "", ()))
    places = sum(len(index.within.get(site, ())) for site in finding.sites)
    return 100 * classes + 10 * places + 5 * (finding.side is not None) + len(finding.details)


def _subsumes(comparer: Comparer, said: Finding, again: Finding) -> bool:
    """Whether a finding of a class subsumes another of the same report, without different numbers or qualities."""
    index = comparer.index
    if said.side != again.side and (again.side is not None or (said.both and again.both)):
        return False
    if _quantity(said) != _quantity(again) or not _changes_meet(said, again) or conflicting(said, again):
        return False
    if not _forms(index, again) <= _forms(index, said) | comparer.axes.unfold(said).shown:
        return False  # "patchy and linear opacities" are two findings
    if comparer.relator.relate(said, again).relation not in ("equivalent", "part_whole"):
        return False
    return again.sites == index.default_sites(again.concept) or _lies_at(comparer, said, again.sites)


def _lies_at(comparer: Comparer, said: Finding, sites: Iterable[str]) -> bool:
    """Whether a finding lies at all of some sites, or at places that are clinically the same."""
    alike = comparer.relator.alike.places
    places = comparer.index.places(said.sites, comparer.axes.unfold(said).classes)
    wholes = ((site, *alike.get(site, ())) for site in sites)
    return all(any(comparer.index.inside_any(place, whole) for place in places) for whole in wholes)


def _changes_meet(one: Finding, other: Finding) -> bool:
    return one.change is None or other.change is None or one.change == other.change


def _forms(index: Index, finding: Finding) -> set[str]:
    return {detail.value for detail in finding.details if detail.value in index.flagged("forming")}


def _quantity(finding: Finding) -> frozenset[str]:
    return frozenset(d.value for d in finding.details if d.category == "quantity")


def _joined(findings: Sequence[Finding]) -> Finding:
    """Return the first finding with the details, change and alternatives that the others add."""
    head = findings[0]
    if len(findings) == 1:
        return head
    details = dict.fromkeys(detail for finding in findings for detail in finding.details)
    alternatives = dict.fromkeys(name for finding in findings for name in finding.alternatives)
    change = next((finding.change for finding in findings if finding.change), None)
    certainty = max((f.certainty for f in findings), key=("possible", "probable", "definite").index)
    return replace(head, details=tuple(details), alternatives=tuple(alternatives), change=change, certainty=certainty)


def _pairs(comparer: Comparer, ours: Sequence[Stated], theirs: Sequence[Stated]) -> list[Match]:
    numbers = [comparer.number(one.finding) for one in theirs]
    twins = _twins(ours)
    found = []
    for i, a in enumerate(ours):
        number = comparer.number(a.finding)
        for j, b in enumerate(theirs):
            if i in twins and b.finding.side is None:
                whole = replace(a.finding, side=None)
                comparison = comparer.unsided(comparer.between(whole, b.finding, (comparer.number(whole), numbers[j])))
            else:
                comparison = comparer.between(a.finding, b.finding, (number, numbers[j]))
            if comparison is not None:
                found.append(Match(i, j, comparison))
    return found


def _twins(statements: Sequence[Stated]) -> set[int]:
    """Return the statements of findings that are stated on both sides."""
    sides: dict[tuple[object, ...], dict[str, int]] = {}
    for i, one in enumerate(statements):
        if one.finding.side:
            sides.setdefault((one.finding.concept, one.finding.sites), {})[one.finding.side] = i
    return {i for both in sides.values() if len(both) > 1 for i in both.values()}


def _is_contradiction(comparer: Comparer, left: Sequence[Finding], right: Sequence[Finding], link: Link) -> bool:
    """Whether a contradiction is between an assertion and a denial, not both present in both reports, and no other assertion in
    the denying report limits the denial."""
    one, other = left[link.reference], right[link.candidate]
    if one.asserts == other.asserts or (_has(comparer, right, one) and _has(comparer, left, other)):
        return False
    if one.asserts:
        return not _outweighed(comparer, right, other, one)
    return not (_said_too(comparer, left, one, other) or _outweighed(comparer, left, one, other))


def _said_too(comparer: Comparer, findings: Sequence[Finding], denial: Finding, invented: Finding) -> bool:
    """Whether a reference that denies a finding also asserts it elsewhere, where the candidate asserts it: its denial then covers
    the rest ("stenosis of the left carotid artery; the vessels otherwise show no stenosis")."""
    same, here = (invented.concept, invented.side), denial.sites == invented.sites
    return any(
        (relation := comparer.relator.relate(finding, invented).relation) == "equivalent"
        or (
            relation == "part_whole" and (finding.concept, finding.side) == same and finding.sites != denial.sites
            # A finding of the whole ("dural sinus thrombosis") does not limit the denial at exactly this part.
            and not (here and _lies_in(comparer, invented, finding))
        )
        for finding in findings
        if finding.asserts
    )  # fmt: skip


def _lies_in(comparer: Comparer, part: Finding, whole: Finding) -> bool:
    """Whether all sites of a finding are inside those of another; not if it has none."""
    return bool(part.sites) and all(any(comparer.index.inside(site, place) for place in whole.sites) for site in part.sites)


def _has(comparer: Comparer, findings: Sequence[Finding], wanted: Finding) -> bool:
    number = comparer.number(wanted)
    return any(comparer.number(finding) == number for finding in findings)


def _outweighed(comparer: Comparer, findings: Sequence[Finding], denial: Finding, denied: Finding) -> bool:
    """Whether the report of a denial asserts a part of what it denies: a broader denial then covers the rest ("fracture of the
    distal radius; no further fracture"). A denial of a class of findings is limited only by a part related to the denied
    finding, a denial of the same finding at a wider place only by one at the place and side of the denied finding, and a denial
    of a form ("no patchy opacity") by no other form of the same finding."""
    relate, form = comparer.relator.relate, _forms(comparer.index, denied)
    if form & _forms(comparer.index, denial) and (denial.concept, denial.side) == (denied.concept, denied.side):
        findings = [one for one in findings if form <= _forms(comparer.index, one)]
    any_part = denial.status == "normal" or denial.concept in comparer.wide

    def outweighs(finding: Finding) -> bool:
        if not finding.asserts or relate(finding, denial).relation != "contradiction":
            return False
        if finding.concept != denial.concept or (finding.sites and not denial.sites):
            return any_part or relate(finding, denied).relation in ("equivalent", "part_whole")
        return finding.sites != denial.sites and finding.place == denied.place

    return any(map(outweighs, findings))


def _contradicted(
    pair: Match, ours: Sequence[Stated], theirs: Sequence[Stated], denied: Mapping[int, object], refuted: Mapping[int, object]
) -> bool:
    """Whether the other report denies one of two findings of different concepts: a related finding does not make a denied one
    partly stated."""
    if pair.reference not in denied and pair.candidate not in refuted:
        return False
    return ours[pair.reference].finding.concept != theirs[pair.candidate].finding.concept


def _matches(pairs: Sequence[Match], ours: Sequence[Stated], theirs: Sequence[Stated]) -> tuple[Match, ...]:
    """Return the accepted pairs: open ones close to the best at one end, then the best conflicting ones, each together with its
    repetitions at other places read from the same words."""
    kept = _close_to_best([pair for pair in pairs if pair.comparison.open])
    left, right = {pair.reference for pair in kept}, {pair.candidate for pair in kept}
    apart = sorted((pair for pair in pairs if not pair.comparison.open), key=_preference)
    own = _otherwise_described(pairs, ours, theirs)
    for pair in dict.fromkeys((*own, *apart)):
        if pair in own or (pair.reference not in left and pair.candidate not in right):
            left.add(pair.reference)
            right.add(pair.candidate)
            again = [other for other in apart if _again(pair, other, ours, theirs, left, right)]
            kept += [pair, *again]
            left |= {other.reference for other in again}
            right |= {other.candidate for other in again}
    return tuple(sorted(dict.fromkeys(kept), key=lambda p: (p.reference, p.candidate)))


def _preference(pair: Match) -> tuple[float, int, int]:
    """Return the sort key of conflicting pairs: those of the same kind first, then by their order in the reports."""
    return -pair.comparison.rank, pair.reference + pair.candidate, abs(pair.reference - pair.candidate)


def _otherwise_described(pairs: Sequence[Match], ours: Sequence[Stated], theirs: Sequence[Stated]) -> list[Match]:
    """Return the pairs, one to one, of the same finding at the same place that is described otherwise (a shift of 8 mm, one of
    2 mm): a conflict, even if the candidate also says more of that kind ("mass effect")."""
    alike = [p for p in pairs if ours[p.reference].finding.concept == theirs[p.candidate].finding.concept]
    left, right = ({getattr(p, end) for p in alike if p.comparison.open} for end in ("reference", "candidate"))
    found = []
    for pair in sorted(alike, key=_preference):
        if pair.reference not in left and pair.candidate not in right and not _is_elsewhere(pair):
            left.add(pair.reference)
            right.add(pair.candidate)
            found.append(pair)
    return found


def _is_elsewhere(pair: Match) -> bool:
    """Whether two findings of a pair are at different places, or are two findings."""
    return any(error.dimension in _ELSEWHERE and error.share > SLIGHT for error in pair.comparison.errors)


def _close_to_best(pairs: Sequence[Match]) -> list[Match]:
    """Return the pairs whose rank is close to the best at one of their ends."""
    best: dict[tuple[str, int], float] = {}
    for pair in pairs:
        for key in (("r", pair.reference), ("c", pair.candidate)):
            best[key] = max(best.get(key, 0.0), pair.comparison.rank)
    least = (min(best["r", pair.reference], best["c", pair.candidate]) for pair in pairs)
    return [pair for pair, rank in zip(pairs, least, strict=True) if pair.comparison.rank >= _CLOSE * rank - _EPSILON]


def _again(pair: Match, other: Match, ours: Sequence[Stated], theirs: Sequence[Stated], left: set[int], right: set[int]) -> bool:
    """Whether another pair repeats a pair at a further place read from the same words, and conflicts only in the description of
    the finding."""
    if other.reference == pair.reference:
        free, one, more = other.candidate not in right, theirs[pair.candidate].finding, theirs[other.candidate].finding
    elif other.candidate == pair.candidate:
        free, one, more = other.reference not in left, ours[pair.reference].finding, ours[other.reference].finding
    else:
        return False
    words = (one.concept, one.side, one.start, one.end) == (more.concept, more.side, more.start, more.end)
    return free and words and not _is_elsewhere(other)


def _by(statements: Sequence[Stated], links: Iterable[tuple[int, Link]]) -> dict[int, tuple[Link, ...]]:
    """Return links by the statement that contains their finding."""
    of = {member: number for number, one in enumerate(statements) for member in one.members}
    found: dict[int, tuple[Link, ...]] = {}
    for position, link in links:
        if position in of:
            found[of[position]] = (*found.get(of[position], ()), link)
    return found


def _instead(
    comparer: Comparer, ours: Sequence[Stated], theirs: Sequence[Stated], missed: Sequence[int], invented: Sequence[int]
) -> dict[int, int]:
    """Return invented findings mapped to missed ones at the same place and side: another word for it, or a wrong one."""
    free, index = list(missed), comparer.index
    found = {}
    for j in sorted(invented, key=lambda j: (-index.severity(theirs[j].finding.concept), j)):
        for i in sorted(free, key=lambda i: (-index.severity(ours[i].finding.concept), i)):
            a, b = ours[i].finding, theirs[j].finding
            if a.concept and b.concept and a.sites and b.sites and sides_meet(a, b) and comparer.axes.anatomy(a, b) is not None:
                found[j] = i
                free.remove(i)
                break
    return found


def _crossed(comparer: Comparer, left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[tuple[Finding, int, int, Error]]:
    """Yield normal statements about one thing whose numbers lie on opposite sides of a threshold."""
    ours, theirs = ([(i, f) for i, f in enumerate(side) if not f.asserts and f.details] for side in (left, right))
    for (i, a), (j, b) in product(ours, theirs):
        error = comparer.details.crossing(a, b) if (a.concept, a.place) == (b.concept, b.place) else None
        if error is not None:
            yield a, i, j, error
