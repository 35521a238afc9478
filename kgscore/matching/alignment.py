"""The links between two readings: every pair is related and weighted, the best are kept, and credit is assigned by max-flow."""

from __future__ import annotations

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
    kin = [
        (i, j)
        for i, j, relation in related
        if relation.relation in ("equivalent", "part_whole") and reference[i].asserts and candidate[j].asserts
    ]
    attributes = relator.index.flagged("attributes")
    lesions = relator.index.flagged("lesions") | relator.index.flagged("lumps")
    alike = {(i, j) for i, j, relation in related if relation.relation == "equivalent"}
    echoed, echoing = {i for i, _ in alike}, {j for _, j in alike}  # positions with an equivalent, in reference and candidate

    def is_lesion(one: Finding) -> bool:
        return one.asserts and relator.index.is_any(one.concept, lesions)

    def is_excepted(i: int, j: int) -> bool:
        if reference[i].asserts == candidate[j].asserts:
            return False
        if reference[i].asserts:
            no, other, own = candidate[j], reference[i], [(pair, candidate[pair[1]]) for pair in kin if pair[0] == i]
        else:
            no, other, own = reference[i], candidate[j], [(pair, reference[pair[0]]) for pair in kin if pair[1] == j]
        denying = candidate if reference[i].asserts else reference
        if no.concept in attributes and any(pair in alike for pair, _ in own) and sum(map(is_lesion, denying)) > 1:
            return True  # of two lesions of a liver, one may enhance
        both = [one for _, said in own for one in (said, _at_place(relator, said, other))]
        return any(relator.relate(one, no).relation == "contradiction" and not head_on(relator, one, no) for one in both)

    def said_by_both(i: int, j: int) -> bool:
        ends = (i in echoed, j in echoing)
        return any(ends) if reference[i].asserts and candidate[j].asserts else all(ends)

    kept = [
        (i, j, relation)
        for i, j, relation in related
        if relation.relation != "contradiction" or not (said_by_both(i, j) or is_excepted(i, j))
    ]
    return [row for row in kept if not _denies_exception(relator, reference, candidate, *row)]


def _at_place(relator: Relator, wide: Finding, other: Finding) -> Finding:
    """Return a finding at the sites of its counterpart in the other report, if its own sites contain them."""
    inside = relator.index.inside_any
    return replace(wide, sites=other.sites) if all(inside(site, wide.sites) for site in other.sites) else wide


def _denies_exception(
    relator: Relator, reference: Sequence[Finding], candidate: Sequence[Finding], i: int, j: int, relation: Relation
) -> bool:
    """Whether one report denies a finding where the other, which denies only the rest, states an exception: "no opacity in the
    middle lobe" does not follow from "no density elsewhere" in a report that has one there."""
    one, other = reference[i], candidate[j]
    if one.asserts or other.asserts or relation.relation == "contradiction" or one.concept == other.concept:
        return False
    for rest, no, report in ((one, other, reference), (other, one, candidate)):
        if (whole := denial_of_all(rest)) is rest or denial_of_all(no) is not no:
            continue
        inside = relator.index.inside
        for said in report:
            there = said.asserts and sides_meet(said, no) and any(inside(s, place) for s in no.sites for place in said.sites)
            if there and relator.relate(said, whole).relation == "contradiction":
                return True
    return False


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
    """Return the links without part–whole links of findings that the other side contradicts: a related finding does not make a
    denied one partly stated."""
    references, candidates = {clash.reference for clash in clashes}, {clash.candidate for clash in clashes}
    return [
        link
        for link in links
        if link.relation.relation == "equivalent" or (link.reference not in references and link.candidate not in candidates)
    ]


def _close_to_best(links: Sequence[Link], share: float) -> list[Link]:
    best_reference: dict[int, float] = {}
    best_candidate: dict[int, float] = {}
    for link in links:
        weight = link.relation.weight
        best_reference[link.reference] = max(best_reference.get(link.reference, 0.0), weight)
        best_candidate[link.candidate] = max(best_candidate.get(link.candidate, 0.0), weight)
    return [
        k
        for k in links
        if k.relation.weight >= share * best_reference[k.reference] - 1e-9
        or k.relation.weight >= share * best_candidate[k.candidate] - 1e-9
    ]
