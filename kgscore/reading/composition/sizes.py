"""Findings implied by the size of a structure without other statements about it: "CBD 9 mm" is a dilated duct."""

from __future__ import annotations

import re
from collections.abc import Container

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.descriptors import LARGEST, details_of
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.measurement import measurement
from kgscore.reading.normal_ranges import Meaning, NormalRange
from kgscore.reading.structure.values import Parse, Statement

# Kinds of items allowed between a structure and a size after it, or before it.
_THEN = frozenset(("stop", "cop", "have", "seen", "colon", "prep"))
_BEFORE = frozenset((DESCRIPTOR, "sideword", "stop"))
_FURTHEST = 4
_ENDS = frozenset(("semi", "but"))
_DENYING = frozenset(("neg", "negpost", "hedge", "change", "past", "history"))
_LIMITED = re.compile(r"(?:than|exceeding|exceeds|<|>|from|was|previously|to)\s*\Z", re.IGNORECASE)


def sized(scene: ParsedSentence, structure: Parse) -> list[FindingDraft]:
    """Return the findings implied by the sizes of structures, in the order of the text."""
    found: list[FindingDraft] = []
    for at in scene.all_of("meas"):
        bearer = _bearer_after(scene, at)
        bearer = _bearer_before(scene, at) if bearer < 0 else bearer
        if bearer < 0 or _is_qualified(scene, structure, at, bearer):
            continue
        if said := _meaning_of_size(scene, at, scene.vocabulary.limits[scene.items[bearer].id]):
            found.append(_head(scene, said, at, bearer))
            found[-1].sites = _sites(scene, structure, at, bearer)
    return found


def sizes_of(scene: ParsedSentence, at: int, kind: str) -> list[float]:
    """Return the numbers of a measurement of a kind."""
    told, text = measurement(scene.items[at].id, scene.vocabulary.units)
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)] if told == kind else []


def _bearer_after(scene: ParsedSentence, at: int) -> int:
    other = scene.beyond(at, 1, _BEFORE)
    return other if other <= at + _FURTHEST and _is_limited(scene, other, (ANATOMY, QUALITY)) else -1


def _bearer_before(scene: ParsedSentence, at: int) -> int:
    """Return the structure with a normal range before its size ("the ejection fraction of the left ventricle is 38 %"), or -1."""
    other = at - 2 if _below(scene, at) else at - 1
    kinds: tuple[str, ...] = (ANATOMY, QUALITY)
    while other >= at - _FURTHEST and not _is_limited(scene, other, kinds) and scene.kind(other) in _THEN | {ANATOMY}:
        kinds = (QUALITY,) if scene.kind(other) == ANATOMY else kinds
        other -= 1
    return other if other >= at - _FURTHEST and _is_limited(scene, other, kinds) else -1


def _is_limited(scene: ParsedSentence, at: int, kinds: Container[str]) -> bool:
    return scene.kind(at) in kinds and scene.items[at].id in scene.vocabulary.limits


def _is_qualified(scene: ParsedSentence, structure: Parse, at: int, bearer: int) -> bool:
    """Whether more than its size is stated about a structure: the author judges it, or the size belongs to another one."""
    first, start = scene.next_of(at, -1, _ENDS) + 1, scene.items[at].start
    limited = not _below(scene, at) and _LIMITED.search(scene.text, max(0, start - 12), start)
    if limited or not _DENYING.isdisjoint(scene.run(first, at)):
        return True
    if first < bearer and LARGEST.search(scene.said(bearer - 1)) and any(one.head < bearer - 1 for one in structure):
        return True  # "lymphadenopathy, the largest node 24 mm": of an earlier finding
    return any(_is_informative(scene, one, at, bearer) for one in structure)


def _below(scene: ParsedSentence, at: int) -> bool:
    """Whether a measurement is an upper bound ("the nodes are less than 1 cm")."""
    return scene.kind(at - 1) == "less"


def _is_informative(scene: ParsedSentence, one: Statement, at: int, bearer: int) -> bool:
    verdict = scene.kind(one.head) != FINDING or scene.items[one.head].id in scene.flagged("size_verdicts")
    return one.head not in (bearer, at) and (at in one.modifiers or (verdict and bearer in one.placed))  # not "a 12 mm node"


def _meaning_of_size(scene: ParsedSentence, at: int, limit: NormalRange) -> Meaning:
    """Return the meaning of a size: of several sizes the larger if the whole structure is measured."""
    falling = limit.abnormal < limit.normal
    sizes = sizes_of(scene, at, "percent" if falling else "length")
    if not sizes:
        return ()
    if falling:
        return limit.within if min(sizes) >= limit.normal else limit.beyond if max(sizes) <= limit.abnormal else ()
    if _below(scene, at):
        return limit.within if max(sizes) <= limit.abnormal else ()
    size = max(sizes) if (QUALITY, scene.role("overall_size")) in limit.within else min(sizes)
    return limit.within if size <= limit.normal else limit.beyond if size >= limit.abnormal else ()


def _head(scene: ParsedSentence, said: Meaning, at: int, bearer: int) -> FindingDraft:
    item, site = scene.items[at], scene.items[bearer]
    (kind, name), value = said[0], said[1][1] if len(said) > 1 else ""
    head = FindingDraft(kind, name, item, min(item.start, site.start), max(item.end, site.end))
    if kind == QUALITY:
        values = scene.vocabulary.qualities.get(name, {})
        head.quality, head.concept = name, values.get(value) or values.get("dev") or scene.role("any_abnormality")
        head.status = "present" if value in values else "normal"
    elif kind == NORMAL:
        head.status, head.normals = "normal", [name]
    head.details = details_of(scene, () if _below(scene, at) else (at,), head.concept)
    return head


def _sites(scene: ParsedSentence, structure: Parse, at: int, bearer: int) -> list[tuple[SiteAndSide, ...]]:
    site, more = scene.items[bearer], _sites_around(scene, structure, bearer) if _below(scene, at) else []
    if site.kind == QUALITY:
        return [((place, None), *more) for place in scene.index.soft_sites.get(site.id, ())]
    side = next(iter(scene.ids(scene.of_kind("sideword", range(max(0, bearer - 2), bearer)))), site.side)
    side = side if side in ("left", "right", "both") else None
    label = scene.label if scene.items[at].start >= scene.spoken else ()
    return [((site.id, side), *one, *more) for one in label or ((),)]


def _sites_around(scene: ParsedSentence, structure: Parse, bearer: int) -> list[SiteAndSide]:
    """Return the places that a structure is said to be at ("nodes in the abdomen are less than 1 cm")."""
    around = scene.of_kind(ANATOMY, (at for one in structure if one.head == bearer for at in one.placed))
    return [(scene.items[at].id, scene.items[at].side) for at in around]
