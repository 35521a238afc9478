"""The links between two readings: every pair related and weighed, the best kept, credit let flow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kgscore.matching.flow import max_flow
from kgscore.matching.relation import Relator
from kgscore.model import Finding, Link, Relation
from kgscore.profile import Profile


@dataclass(frozen=True, slots=True)
class Matching:
    """The accepted links with their flow, and the pairs that contradict each other."""

    links: tuple[Link, ...]
    contradictions: tuple[Link, ...]


def match(relator: Relator, reference: Sequence[Finding], candidate: Sequence[Finding], profile: Profile) -> Matching:
    """Relate every reference finding to every candidate finding and keep what counts."""
    return accepted(relator.related(reference, candidate, profile), profile)


def accepted(relations: Iterable[tuple[int, int, Relation]], profile: Profile) -> Matching:
    """Return what is kept of weighed relations, given with the positions of their findings.

    A link is kept only if its weight is at least `profile.link_share` of the best at one of its ends: links inside one
    report must not blur it, but a finding whose best match is taken is not missed for that.
    """
    links: list[Link] = []
    clashes: list[Link] = []
    for i, j, relation in relations:
        (clashes if relation.relation == "contradiction" else links).append(Link(i, j, relation))
    kept = _close_to_best(links, profile.link_share)
    flow = max_flow({(k.reference, k.candidate): k.relation.weight for k in kept})
    return Matching(tuple(replace(k, flow=flow[k.reference, k.candidate]) for k in kept), tuple(clashes))


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
