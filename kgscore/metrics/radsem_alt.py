"""RadSEM-Alt (3.4): RadSEM with an early, reference-anchored assignment instead of capacity-constrained flow.

Each candidate finding is assigned to its one best reference finding; a reference finding gathers its candidates, best first,
up to a capacity of one. What then contributes nothing counts as unmatched. Range 0 to 1, higher is better. The paper gives no
code for it: of equal weights the first reference finding wins, and an assignment beyond capacity is not retained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.radsem import Options, Radsem
from kgscore.model import Contribution, Link, Score


class RadsemAlt(Radsem):
    """RadSEM-Alt under a profile; options are RadSEM's."""

    name = "radsem_alt"

    def score(self, pair: Matched) -> Score:
        """Return the score of a matched pair after the assignment; `parts` as RadSEM's."""
        return super().score(replace(pair, links=assigned(pair.links)))

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return every credit and cost; they add up to the score and to what lacks to 1."""
        return super().explain(replace(pair, links=assigned(pair.links)), score)


def assigned(links: Sequence[Link]) -> list[Link]:
    """Return the links that the assignment retains, each with what it contributes as its flow."""
    best: dict[int, Link] = {}
    for link in links:
        held = best.get(link.candidate)
        if held is None or link.relation.weight > held.relation.weight:
            best[link.candidate] = link
    room: dict[int, float] = {}
    retained = []
    for link in sorted(best.values(), key=lambda link: (-link.relation.weight, link.reference, link.candidate)):
        left = room.get(link.reference, 1.0)
        share = min(link.relation.weight, left)
        if share > 0.0:
            room[link.reference] = left - share
            retained.append(replace(link, flow=share))
    return retained


INFO = MetricInfo(
    "radsem_alt", RadsemAlt, 0.0, 1.0, True, "RadSEM, arXiv:2606.17062, section 3.4 (RadSEM-Alt)",
    "RadSEM with one best reference finding for each candidate finding",
    blind_to="which of two errors is clinically worse; that one statement may cover several findings", options=Options,
)
