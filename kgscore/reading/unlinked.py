"""Text that was not understood: words that no concept covers, and the findings that they may be."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import cast

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Detail, Finding, Side, Status, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import Source
from kgscore.reading.measurement import measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.remarks import only_remarks
from kgscore.reading.sections import Sentence
from kgscore.reading.units import Units

_SHORTEST = 3
# Kinds of items that may name a finding.
_NAMING = (UNKNOWN, ANATOMY, DESCRIPTOR, QUALITY, NORMAL, "up", "down", "lost", "abnormal")


def unlinked_finding(
    items: list[Mention], source: Source, section: str, lost: list[Unlinked], index: Index, remarks: Collection[str], known: Units
) -> list[Finding]:
    """Return the finding of a sentence about a structure in words that no concept covers, or of a measured quality ("retinal
    thickness of 412 microns"): it can only match the same words, unless its end determines its concept.

    A sentence whose unknown words are all `remarks` ("portable", "obtained") is about the examination and contains none.
    """
    words, sized = _of_kinds(items, _NAMING), _of_kinds(items, ("meas",))
    unknown = any(item.kind == UNKNOWN and len(item.id) >= _SHORTEST for item in words)
    if only_remarks(items, remarks) or not (unknown or (words and sized)):
        return []
    kinds = {item.kind for item in words}
    if not unknown and not kinds >= {ANATOMY, QUALITY}:
        lost.append(_unlinked(source, items[0], items[-1]))
        return []  # "A 12 mm subcarinal lymph node": no finding, but kept
    ends = words if unknown else _of_kinds(items, (*_NAMING, "meas"))
    found = _unlinked(source, ends[0], ends[-1])
    lost.append(found)
    if kinds.isdisjoint((ANATOMY, QUALITY)):
        return []
    details = tuple(Detail(quantity, value, value) for quantity, value in (measurement(item.id, known) for item in sized))
    return [_finding(found, items, words, details, section, index)]


def _of_kinds(items: list[Mention], kinds: Collection[str]) -> list[Mention]:
    return [item for item in items if item.kind in kinds]


def _finding(
    found: Unlinked, items: list[Mention], words: list[Mention], details: tuple[Detail, ...], section: str, index: Index
) -> Finding:
    """Return the finding of unlinked words: a line if it ends where lines do, else one that can only match the same words."""
    span, line = (found.text, found.start, found.end), index.role("unnamed_line")
    denied = bool(_of_kinds(items, ("neg", "negpost")))
    one_side = (item.id for item in _of_kinds(items, ("sideword",)) if item.id in ("left", "right"))
    side = cast("Side | None", next(one_side, None))
    if not denied and (end := _end_of_line(items, index, line)):
        return Finding(*span, line, index.label(line), (end,), side, tip=(end,), section=section)
    sites = tuple(dict.fromkeys(item.id for item in _of_kinds(words, (ANATOMY,))))
    status: Status = "absent" if denied else "present"
    bag = frozenset(item.id for item in words)
    return Finding(*span, None, found.text, sites, side, status, details=details, section=section, words=bag)


def _end_of_line(items: list[Mention], index: Index, line: str) -> str:
    """Return the site of the tip of an unknown device that ends where lines do ("Quinton, tip in the SVC"), or ""."""
    tip = next((at for at, item in enumerate(items) if item.kind == "tip"), len(items))
    end = next((item.id for item in items[tip:] if item.kind == ANATOMY), "")
    return end if any(index.inside(end, usual) for usual in index.tips.get(line, ())) else ""


def unlinked_words(words: Iterable[Mention], source: Source, unlinked: list[Unlinked], remarks: Collection[str]) -> None:
    """Add the words of a sentence that no concept covers and no finding uses, except `remarks` on the examination."""
    kept = (item for item in words if len(item.id) >= _SHORTEST and item.id not in remarks)
    unlinked.extend(_unlinked(source, item, item) for item in kept)


def unlinked_sentence(sentence: Sentence, source: Source) -> Unlinked:
    """Return a sentence that was not composed, with its label, as unlinked words."""
    begin = sentence.label[0] if sentence.label else sentence.start
    return Unlinked(source.text[begin - source.offset : sentence.end - source.offset], begin, sentence.end)


def _unlinked(source: Source, first: Mention, last: Mention) -> Unlinked:
    """Return the words from one item to another."""
    return Unlinked(source.text[first.start : last.end], source.offset + first.start, source.offset + last.end)
