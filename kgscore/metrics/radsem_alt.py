"""RadSEM-Alt (3.4): RadSEM with an early, reference-anchored assignment instead of capacity-constrained flow.

Each candidate finding is assigned to its single best reference finding; a reference finding accepts its candidates, best
first, up to a capacity of one. Those that then contribute nothing count as unmatched. Range 0 to 1, higher is better. The paper
gives no code: among equal weights the reference finding with the most capacity left wins, then the first, so that a report
agrees with itself; an assignment beyond capacity is not retained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.radsem import ClassShare, Options, Radsem
from kgscore.model import Link

# Weights within this tolerance are equal.
_EQUAL = 1e-9


class RadsemAlt(Radsem):
    """RadSEM-Alt under a profile; options are RadSEM's."""

    name = "radsem_alt"

    def classes(self, pair: Matched) -> Iterator[tuple[float, ClassShare]]:
        """Return the share in the mixture and the class, for each class present after the assignment."""
        return super().classes(replace(pair, links=assign_links(pair.links)))


def assign_links(links: Sequence[Link]) -> list[Link]:
    """Return the links that the assignment retains, each with its contribution as its flow."""
    offers: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        offers[link.candidate].append(link)
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
