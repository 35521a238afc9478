"""Statements that are each read as several findings: findings of all parts of a whole are one of the whole ("both lobes of the
liver": the liver), and the relation of two statements is the strongest of their findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from kgscore.matching.axes import sides_meet
from kgscore.matching.details import unsound
from kgscore.matching.exclusions import excluded
from kgscore.matching.relation import UNRELATED, Relator, content_key, weigh
from kgscore.matching.residues import stems_of
from kgscore.model import NARROW, OTHER_SIDE, Finding, Relation, Side
from kgscore.ontology.index import Index
from kgscore.profile import Profile

_ORDER = {"contradiction": 3, "equivalent": 2, "part_whole": 1, "unrelated": 0}
_SIDES: tuple[Side, ...] = ("left", "right")
_SIDE_WORDS = re.compile(r"(?i)\b(?:both|bilateral\w*|bi\w+al|either|each|left|right|two|sides?)\b")


def strongest(
    relator: Relator,
    profile: Profile,
    left: Sequence[Finding],
    right: Sequence[Finding],
    residue: frozenset[str] = frozenset(),
    texts: tuple[str, str] = ("", ""),
) -> Relation:
    """Return the relation of the right findings to the left ones: the strongest of any pair (contradiction before credit). If
    only one side has further findings of that kind ("both lungs" against "the right lung"), the anatomy is part–whole; if only
    one side has words that no concept covers (`residue`), the finding is. A plural that names no side ("enlarged tonsils", by the
    `texts`) is equal to the unsided finding."""
    index = relator.index
    mine, theirs = (merge_parts(index, said) for said in (left, right))
    left, right = paired(index, mine, _unsided(texts[0], theirs)), paired(index, theirs, _unsided(texts[1], mine))
    if failed := device_failure(index, left, right) or device_failure(index, right, left):
        return excluded(failed)
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


def device_failure(index: Index, sound: Sequence[Finding], others: Sequence[Finding]) -> str:
    """Return why a thing said to be whole ("the bypass is patent") is not so by a finding stated beside it ("the bypass is
    occluded"), or an empty string."""
    for thing in sound:
        denied = {genus for detail in thing.details for genus in unsound(index, detail)} if thing.asserts else set()
        again = any(other.concept == thing.concept and sides_meet(thing, other) for other in others)
        for other in others if denied else ():
            failed = other.asserts and sides_meet(thing, other) and index.is_any(other.concept, denied)
            if failed and ((again and other.sites == thing.sites) or _is_failure_of(index, other, thing)):
                return f"{thing.label}: {other.label} excludes that it is whole"
    return ""


def _is_failure_of(index: Index, failure: Finding, thing: Finding) -> bool:
    """Whether a finding implies by its class that there is such a thing ("in-stent occlusion": a stent), at its place; in words
    that name a part ("broken rod"), that part."""
    above = index.ancestors.get(failure.concept or "", frozenset())
    implied = {name for one in above for name in index.implied.get(one, ())}
    places = (failure.sites, thing.sites)
    near = not all(places) or any(index.either_inside(a, b) for a in failure.sites for b in thing.sites)
    part = any(detail.value == NARROW for detail in failure.details) and thing.concept not in implied
    named = not part or not stems_of(failure.text).isdisjoint(stems_of(thing.text))
    return near and named and any(index.either_is_a(thing.concept, name) for name in implied)


def _unsided(text: str, others: Sequence[Finding]) -> Container[str | None]:
    """Return the concepts that others state without a side, if a text is known and names none."""
    return {other.concept for other in others if other.side is None} if text and not _SIDE_WORDS.search(text) else ()


def paired(index: Index, findings: Sequence[Finding], unsided: Container[str | None] = ()) -> list[Finding]:
    """Return findings with those that are stated of both sides as such: denials as bilateral, and without a side one that is
    always of both ("tonsillar descent"), or of a concept that is `unsided` in the other statement."""
    groups: dict[tuple[object, ...], set[Side | None]] = defaultdict(set)
    keys = [content_key(replace(finding, side=None, both=False)) for finding in findings]
    for key, finding in zip(keys, findings, strict=True):
        groups[key].add(finding.side)
    made: dict[Finding, None] = {}
    for key, finding in zip(keys, findings, strict=True):
        both = groups[key] >= set(_SIDES)
        one = replace(finding, both=True) if both and not finding.asserts else finding
        always = finding.concept in index.flagged("both_sided") or finding.concept in unsided
        if both and finding.asserts and always:
            one = replace(finding, side=None, text="", start=0, end=0)
        made[one] = None
    return list(made)


def _kin(finding: Finding, findings: Sequence[Finding]) -> int:
    return len({(f.sites, f.side) for f in findings if f.concept == finding.concept and f.asserts == finding.asserts})


def findings_of_wholes(index: Index, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of wholes that findings of all their parts amount to, equal in everything but the place."""
    groups: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.concept is not None and len(finding.sites) == 1:
            groups[content_key(replace(finding, sites=(), side=None, both=False))].append(finding)
    return [whole for group in groups.values() if len(group) > 1 for whole in _wholes_of(index, group)]


def merge_parts(index: Index, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with those of all parts of a whole replaced by one of the whole."""
    wholes = findings_of_wholes(index, findings)
    return [f for f in findings if not any(_is_part(index, f, whole) for whole in wholes)] + wholes


def _is_part(index: Index, part: Finding, whole: Finding) -> bool:
    made = index.made[whole.sites[0]]
    return part.concept == whole.concept and len(part.sites) == 1 and part.sites[0] in made and whole.side in (None, part.side)


def _wholes_of(index: Index, group: Sequence[Finding]) -> Iterator[Finding]:
    said = {(finding.sites[0], finding.side) for finding in group}
    for whole, parts in index.made.items():
        if any(part in parts for part, _ in said):
            for side in _SIDES if _is_sided(index, whole) else (None,):
                if all(places <= said for places in _places(index, parts, side)):
                    yield replace(group[0], sites=(whole,), side=side, both=side is not None and group[0].both)


def _places(index: Index, parts: Iterable[str], side: Side | None) -> Iterator[set[tuple[str, Side | None]]]:
    """Yield the required places of the parts of a whole, on one side or in the midline."""
    for part in parts:
        own = index.concepts[part].values.get("side")
        if side is None:
            yield {(part, one) for one in _SIDES} if _is_sided(index, part) else {(part, None)}
        elif own != OTHER_SIDE[side]:
            yield {(part, side)}


def _is_sided(index: Index, place: str) -> bool:
    return not index.concepts[place].flags.isdisjoint(("paired", "sided"))
