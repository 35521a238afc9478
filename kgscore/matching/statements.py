"""The relation of two statements that are each read as several findings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from kgscore.matching.partitions import merge_parts
from kgscore.matching.relation import UNRELATED, Relator, weigh
from kgscore.model import Finding, Relation
from kgscore.profile import Profile

_ORDER = {"contradiction": 3, "equivalent": 2, "part_whole": 1, "unrelated": 0}


def strongest(
    relator: Relator, profile: Profile, left: Sequence[Finding], right: Sequence[Finding], residue: frozenset[str] = frozenset()
) -> Relation:
    """Return the relation of the right findings to the left ones: the strongest of any pair (contradiction before credit). If
    only one side has further findings of that kind ("both lungs" against "the right lung"), the anatomy is part–whole; if only
    one side has words that no concept covers (`residue`), the finding is."""
    left, right = merge_parts(relator.index, left), merge_parts(relator.index, right)
    best, pair = UNRELATED, None
    for one, other in product(left, right):
        found = weigh(relator.relate(one, other), one, other, profile)
        if (_ORDER[found.relation], found.weight) > (_ORDER[best.relation], best.weight):
            best, pair = found, (one, other)
    if pair is not None and residue and best.relation == "equivalent":
        proof = (*best.proof, f"said of one only: {' '.join(sorted(residue))}")
        found = Relation("part_whole", best.anatomy, "part_whole", best.detail, 0.0, proof, (best.depths[0], 1))
        best = weigh(found, *pair, profile)
    credited = pair is not None and best.relation in ("equivalent", "part_whole") and best.anatomy == "equivalent"
    if pair is None or not credited or _kin(pair[0], left) == _kin(pair[1], right):
        return best
    proof, depths = (*best.proof, "one of the sites said"), (1, best.depths[1])
    return weigh(Relation("part_whole", "part_whole", best.finding, best.detail, 0.0, proof, depths), *pair, profile)


def _kin(finding: Finding, findings: Sequence[Finding]) -> int:
    return len({(f.sites, f.side) for f in findings if f.concept == finding.concept and f.asserts == finding.asserts})
