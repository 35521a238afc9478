"""RadSEM-Alt (3.4): RadSEM with an early, reference-anchored assignment instead of capacity-constrained flow.

Each candidate finding is assigned to its single best reference finding; a reference finding accepts its candidates, best
first, up to a capacity of one. Those that then contribute nothing count as unmatched. Range 0 to 1, higher is better. The paper
gives no code: among equal weights the reference finding with the most capacity left wins, then the first, so that a report
agrees with itself; an assignment beyond capacity is not retained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.radsem import Options, Radsem
from kgscore.model import Contribution, Link, Score

# Weights within this tolerance are equal.
_EQUAL = 1e-9


class RadsemAlt(Radsem):
    """RadSEM-Alt under a profile; options are RadSEM's."""

    name = "radsem_alt"

    def score(self, pair: Matched) -> Score:
        """Return the score of a matched pair after the assignment; `parts` as RadSEM's."""
        return super().score(replace(pair, links=assign_links(pair.links)))

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return every credit and cost; they add up to the score and to 1 minus the score."""
        return super().explain(replace(pair, links=assign_links(pair.links)), score)


def assign_links(links: Sequence[Link]) -> list[Link]:
    """Return the links that the assignment retains, each with its contribution as its flow."""
    offers: dict[int, list[Link]] = {}
    for link in links:
        offers.setdefault(link.candidate, []).append(link)
    best = {candidate: max(link.relation.weight for link in made) for candidate, made in offers.items()}
    room: dict[int, float] = {}
    retained = []
    for candidate in sorted(offers, key=lambda candidate: (-best[candidate], candidate)):
        equal = [link for link in offers[candidate] if link.relation.weight >= best[candidate] - _EQUAL]
        link = min(equal, key=lambda link: (-room.get(link.reference, 1.0), link.reference))
        left = room.get(link.reference, 1.0)
        share = min(link.relation.weight, left)
        if share > _EQUAL:
            room[link.reference] = left - share
            retained.append(replace(link, flow=share))
    return sorted(retained, key=lambda link: (link.reference, link.candidate))


INFO = MetricInfo(
    "radsem_alt", RadsemAlt.build, 0.0, 1.0, True, "RadSEM, arXiv:2606.17062, section 3.4 (RadSEM-Alt)",
    "RadSEM with one best reference finding for each candidate finding",
    good_for="agreement with the paper",
    blind_to="which of two errors is clinically worse; that one statement may cover several findings", options=Options,
)
