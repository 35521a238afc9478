"""The links between two readings: every pair is related and weighted, the best are kept, and credit is assigned by max-flow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kgscore.matching.axes import sides_meet
from kgscore.matching.denials import denial_of_all
from kgscore.matching.flow import max_flow
from kgscore.matching.head_on import head_on
from kgscore.matching.relation import Relator
from kgscore.model import Finding, Link, Relation
from kgscore.profile import Profile


@dataclass(frozen=True, slots=True)
class Matching:
    """The accepted links with their flow, and the contradicting pairs."""

    links: tuple[Link, ...]
    contradictions: tuple[Link, ...]


def match(relator: Relator, reference: Sequence[Finding], candidate: Sequence[Finding], profile: Profile) -> Matching:
    """Relate every reference finding to every candidate finding and keep the links that count."""
    related = list(relator.related(reference, candidate, profile))
    if profile.contradiction_first:
        related = _without_exceptions(relator, reference, candidate, related)
    return accept_links(related, profile)


def _without_exceptions(
    relator: Relator, reference: Sequence[Finding], candidate: Sequence[Finding], related: Sequence[tuple[int, int, Relation]]
) -> list[tuple[int, int, Relation]]:
    """Return the relations without two kinds of contradictions. First, those with a denial to which its own report states the
    exception: "the lungs are clear; left basal atelectasis" does not deny that atelectasis in the other report. Second, those
    between findings that each have an equivalent in the other report ("high and low signal"; if both are asserted, at least one
    does): what both reports state is not contradicted by a further statement of one of them."""
    equal = [(i, j) for i, j, relation in related if relation.relation == "equivalent"]
    echoed, echoing = {i for i, _ in equal}, {j for _, j in equal}  # positions with an equivalent, in reference and candidate

    def is_left_out(i: int, j: int) -> bool:
        ends = (i in echoed, j in echoing)
        said_by_both = any(ends) if reference[i].asserts and candidate[j].asserts else all(ends)
        if said_by_both or reference[i].asserts == candidate[j].asserts:
            return said_by_both
        if reference[i].asserts:
            kin = [(candidate[at], relation.relation) for own, at, relation in related if own == i]
            return _is_excepted(relator, reference[i], candidate[j], candidate, kin)
        kin = [(reference[at], relation.relation) for at, own, relation in related if own == j]
        return _is_excepted(relator, candidate[j], reference[i], reference, kin)

    apart = ((i, j) for i, j, relation in related if relation.relation == "contradiction")
    left_out = {pair for pair in apart if is_left_out(*pair)}
    kept = (row for row in related if row[:2] not in left_out)
    return [row for row in kept if not _denies_exception(relator, reference, candidate, *row)]


def _is_excepted(
    relator: Relator, yes: Finding, no: Finding, denying: Sequence[Finding], kin: Sequence[tuple[Finding, str]]
) -> bool:
    """Whether a report that denies a finding (`denying`) states it, as an exception, in findings related to it (`kin`)."""
    index, own = relator.index, [(said, kind) for said, kind in kin if said.asserts and kind in ("equivalent", "part_whole")]
    lesions = index.flagged("lesions") | index.flagged("lumps")
    several = sum(said.asserts and index.is_any(said.concept, lesions) for said in denying) > 1
    if several and no.concept in index.flagged("attributes") and any(kind == "equivalent" for _, kind in own):
        return True  # of two lesions of a liver, one may enhance
    placed = (finding for said, _ in own for finding in (said, _at_place(relator, said, yes)))
    return any(relator.relate(said, no).relation == "contradiction" and not head_on(relator, said, no) for said in placed)


def _at_place(relator: Relator, wide: Finding, other: Finding) -> Finding:
    """Return a finding at the sites of its counterpart in the other report, if its own sites contain them."""
    inside = relator.index.inside_any
    return replace(wide, sites=other.sites) if all(inside(site, wide.sites) for site in other.sites) else wide


def _denies_exception(
    relator: Relator, reference: Sequence[Finding], candidate: Sequence[Finding], i: int, j: int, relation: Relation
) -> bool:
    """Whether one report denies a finding where the other, which denies only the rest, states an exception."""
    one, other = reference[i], candidate[j]
    if one.asserts or other.asserts or relation.relation == "contradiction" or one.concept == other.concept:
        return False
    for rest, no, report in ((one, other, reference), (other, one, candidate)):
        if (whole := denial_of_all(rest)) is not rest and denial_of_all(no) is no:
            there = (f for f in report if f.asserts and sides_meet(f, no) and _holds_site(relator, f, no))
            if any(relator.relate(f, whole).relation == "contradiction" for f in there):
                return True
    return False


def _holds_site(relator: Relator, said: Finding, no: Finding) -> bool:
    return any(relator.index.inside_any(site, said.sites) for site in no.sites)


def accept_links(relations: Iterable[tuple[int, int, Relation]], profile: Profile) -> Matching:
    """Return the links and contradictions kept from weighted relations, given with the positions of their findings.

    A link is kept only if its weight is at least `profile.link_share` of the best at one of its ends: links inside one
    report must not blur it, but a finding whose best match is taken is not missed because of that.
    """
    links: list[Link] = []
    clashes: list[Link] = []
    for i, j, relation in relations:
        (clashes if relation.relation == "contradiction" else links).append(Link(i, j, relation))
    if profile.contradiction_first:
        links = _without_contradicted(links, clashes)
    kept = _close_to_best(links, profile.link_share)
    flow = max_flow({(k.reference, k.candidate): k.relation.weight for k in kept})
    return Matching(tuple(replace(k, flow=flow[k.reference, k.candidate]) for k in kept), tuple(clashes))


def _without_contradicted(links: Sequence[Link], clashes: Sequence[Link]) -> list[Link]:
    """Return the links without part–whole links of findings that the other side contradicts: these are not partly stated."""
    references, candidates = {clash.reference for clash in clashes}, {clash.candidate for clash in clashes}
    free = (k.reference not in references and k.candidate not in candidates for k in links)
    return [k for k, is_free in zip(links, free, strict=True) if is_free or k.relation.relation == "equivalent"]


def _close_to_best(links: Sequence[Link], share: float) -> list[Link]:
    references: dict[int, float] = defaultdict(float)
    candidates: dict[int, float] = defaultdict(float)
    for k in links:
        references[k.reference] = max(references[k.reference], k.relation.weight)
        candidates[k.candidate] = max(candidates[k.candidate], k.relation.weight)
    return [k for k in links if k.relation.weight >= share * min(references[k.reference], candidates[k.candidate]) - 1e-9]
