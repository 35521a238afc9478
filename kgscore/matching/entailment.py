"""What a report says about a statement, and where it contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.matching.denials import lifted
from kgscore.matching.relation import Relator
from kgscore.model import Contradiction, Entailment, Finding

_REST = "said of what remains, and no finding of the report is related to it"


def entailment(relator: Relator, report: Sequence[Finding], statement: Sequence[Finding]) -> Entailment:
    """Return the verdict on a statement: every finding of it must be said; one that is denied contradicts it.

    An asserted finding is entailed by a narrower assertion, a denied one by a broader denial. A denial of what remains
    ("otherwise clear", "no other fracture") speaks of what no assertion of the report is related to.
    """
    rest = [lifted(finding) for finding in report]
    spans: list[tuple[int, int]] = []
    proof: list[str] = []
    said = 0
    for wanted in statement:
        for finding in report:
            relation = relator.relate(finding, wanted)
            if relation.relation == "contradiction":
                return Entailment("contradicted", ((finding.start, finding.end),), relation.proof)
        support = next((f for f in report if _says(relator, f, wanted)), None)
        if support is None and not _excepted(relator, report, wanted):
            for finding in rest:
                relation = relator.relate(finding, wanted)
                if relation.relation == "contradiction":
                    return Entailment("contradicted", ((finding.start, finding.end),), (*relation.proof, _REST))
            support = next((f for f in rest if _says(relator, f, wanted)), None)
        if support is not None:
            said += 1
            spans.append((support.start, support.end))
            proof += relator.relate(support, wanted).proof
    if statement and said == len(statement):
        return Entailment("entailed", tuple(dict.fromkeys(spans)), tuple(dict.fromkeys(proof)))
    return Entailment("neutral")


def _excepted(relator: Relator, report: Sequence[Finding], wanted: Finding) -> bool:
    """Whether a finding is, holds or lies in one that the report asserts: "otherwise" may leave it out."""
    return wanted.asserts and any(f.asserts and relator.relate(f, wanted).relation != "unrelated" for f in report)


def _says(relator: Relator, said: Finding, wanted: Finding) -> bool:
    relation = relator.relate(said, wanted)
    if relation.relation not in ("equivalent", "part_whole") or said.asserts != wanted.asserts:
        return False
    if relation.relation == "equivalent":
        return said.certainty == "definite" or said.certainty == wanted.certainty
    index = relator.index
    narrow, broad = (said, wanted) if said.asserts else (wanted, said)
    if narrow.concept is None or broad.concept is None:
        return False
    if broad.concept not in index.derived(narrow.concept, narrow.sites):
        return False
    if broad.side is not None and narrow.side != broad.side and not broad.both:
        return False
    classes = index.derived(narrow.concept, narrow.sites)
    places = set(narrow.sites).union(*(index.hard_sites.get(c, frozenset()) for c in classes))
    return not said.restricted and all(any(index.inside(p, s) for p in places) for s in broad.sites)


def contradictions(relator: Relator, findings: Sequence[Finding]) -> tuple[Contradiction, ...]:
    """Return the pairs of findings of one report that cannot both hold, with the proof."""
    found = []
    for position, one in enumerate(findings):
        for other in findings[position + 1 :]:
            if one.change in ("resolved", "decreased") and one.status == "absent":
                continue
            relation = relator.relate(one, other)
            if relation.relation == "contradiction" and (one.start, one.end) != (other.start, other.end):
                found.append(Contradiction((one.start, one.end), (other.start, other.end), relation.proof))
    return tuple(found)
