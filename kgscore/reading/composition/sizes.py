"""Findings implied by the size of a structure without other statements about it: "CBD 9 mm" is a dilated duct."""

from __future__ import annotations

import re

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
    for at in scene.of_kind("meas", range(len(scene.items))):
        bearer = _bearer(scene, at)
        if bearer is None or _is_qualified(scene, structure, at, bearer):
            continue
        if said := _meaning_of_size(scene, at, scene.knowledge.words.limits[scene.items[bearer].id]):
            found.append(_head(scene, said, at, bearer))
            found[-1].sites = _sites(scene, structure, at, bearer)
    return found


def _bearer(scene: ParsedSentence, at: int) -> int | None:
    """Return the structure that a measurement is the size of: one with a normal range, directly after or before it."""
    limits = scene.knowledge.words.limits
    for step, between in ((1, _BEFORE), (-1, _THEN)):
        passed = False  # "the ejection fraction of the left ventricle is 38 %"
        for other in range(at + step, at + step * (_FURTHEST + 1), step):
            if not 0 <= other < len(scene.items):
                break
            kind = scene.items[other].kind
            if kind in (QUALITY if passed else "AQ") and scene.items[other].id in limits:
                return other
            if kind == "less" and other == at - 1:
                continue  # "nodes smaller than 1 cm"
            if kind not in between and (kind != ANATOMY or step > 0):
                break
            passed = passed or kind == ANATOMY
    return None


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
    """Whether a measurement is an upper bound ("nodes under 1 cm")."""
    return scene.kind(at - 1) == "less"


def _is_informative(scene: ParsedSentence, one: Statement, at: int, bearer: int) -> bool:
    item = scene.items[one.head]
    verdict = item.kind != FINDING or item.id in scene.knowledge.words.flagged("size_verdicts")
    return one.head not in (bearer, at) and (at in one.modifiers or (verdict and bearer in one.placed))  # not "a 12 mm node"


def _meaning_of_size(scene: ParsedSentence, at: int, limit: NormalRange) -> Meaning:
    """Return the meaning of a size: of several sizes the larger if the whole structure is measured."""
    kind, text = measurement(scene.items[at].id, scene.knowledge.words.units)
    sizes = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
    falling = limit.abnormal < limit.normal
    if kind != ("percent" if falling else "length") or not sizes:
        return ()
    if falling:
        return limit.within if min(sizes) >= limit.normal else limit.beyond if max(sizes) <= limit.abnormal else ()
    if _below(scene, at):
        return limit.within if max(sizes) <= limit.abnormal else ()
    size = max(sizes) if (QUALITY, scene.knowledge.words.role("overall_size")) in limit.within else min(sizes)
    return limit.within if size <= limit.normal else limit.beyond if size >= limit.abnormal else ()


def _head(scene: ParsedSentence, said: Meaning, at: int, bearer: int) -> FindingDraft:
    """Return the finding that a size of a structure means."""
    words, item, site = scene.knowledge.words, scene.items[at], scene.items[bearer]
    (kind, name), value = said[0], said[1][1] if len(said) > 1 else ""
    head = FindingDraft(kind, name, item, min(item.start, site.start), max(item.end, site.end))
    if kind == QUALITY:
        values = words.qualities.get(name, {})
        head.quality, head.concept = name, values.get(value) or values.get("dev") or words.role("any_abnormality")
        head.status = "present" if value in values else "normal"
    elif kind == NORMAL:
        head.status, head.normals = "normal", [name]
    head.details = details_of(scene, () if _below(scene, at) else (at,), head.concept)
    return head


def _sites(scene: ParsedSentence, structure: Parse, at: int, bearer: int) -> list[tuple[SiteAndSide, ...]]:
    """Return the sites of the finding that a size of a structure means."""
    site = scene.items[bearer]
    around = (n for one in structure if one.head == bearer for n in one.placed) if _below(scene, at) else ()
    more = [(scene.items[n].id, scene.items[n].side) for n in scene.of_kind(ANATOMY, around)]  # "nodes under 1 cm in the abdomen"
    if site.kind == QUALITY:
        return [((place, None), *more) for place in scene.knowledge.index.soft_sites.get(site.id, ())]
    side = next(iter(scene.ids(scene.of_kind("sideword", range(max(0, bearer - 2), bearer)))), site.side)
    label = scene.label if scene.items[at].start >= scene.spoken else ()
    return [((site.id, side if side in ("left", "right", "both") else None), *one, *more) for one in label or ((),)]
