"""References of a sentence to findings of the preceding one: "It has grown", "The lesion is larger", "No change since"."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Change, Detail, Finding
from kgscore.reading.composition.descriptors import details_of, directional_change, of_change
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.finding_draft import CERTAINTY_PREFIX, FindingDraft, SiteAndSide
from kgscore.reading.mentions import Mention

_CHANGES: Mapping[str, Change] = {"increased": "increased", "decreased": "decreased", "stable": "stable"}
# A sentence with one of these kinds has a subject of its own.
_OWN = frozenset((
    FINDING, ANATOMY, QUALITY, NORMAL, UNKNOWN, "sideword", "up", "down", "lost", "abnormal", "signalword", "drop", "history",
    "spoken",
))  # fmt: skip
# Pronouns for the findings of the preceding sentence.
_PRONOUNS = frozenset(("this", "these", "it", "they"))
# The beginning of a sentence that says what all findings before it mean.
_INTERPRETING = re.compile(r"(?:(?:these|the|overall|imaging) )?(?:findings|features|appearances?)\b|this\b", re.IGNORECASE)
_POINTING = re.compile(r"(?:this|these|it|they|that|those|its|their)(?!\S)", re.IGNORECASE)
# Kinds of items in a sentence that only describes those: words around descriptors and sizes.
_AROUND = frozenset((
    DESCRIPTOR, "stop", "cop", "have", "with", "cause", "and", "comma", "colon", "open", "close", "prep", "change", "past",
    "meas",
))  # fmt: skip
# The reference to one of several findings, and the kinds of items that name something else.
_LARGEST = re.compile(
    r"(?:the )?(?:larg|bigg)(?:est|er)(?: ones?| of (?:them|these|which))? (?:is|was|lies|measures|measuring|being|located"
    r"|situated|seen|in|at|within)\b",
    re.IGNORECASE,
)
_NAMING = frozenset((FINDING, QUALITY, NORMAL, "neg", "negpost", "up", "down", "lost", "abnormal", "signalword"))
# Maximum distance of a negation before a word of change.
_BEFORE = 3


def stated_change(items: Sequence[Mention], heads: Sequence[FindingDraft]) -> Change | None:
    """Return the change of earlier findings that a sentence without a subject of its own states, or None."""
    own = (at for at, item in enumerate(items) if item.kind in _OWN)
    if heads or any(items[at].kind != UNKNOWN or not at or items[at - 1].kind != "past" for at in own):  # "since the last study"
        return None
    told = [at for at, item in enumerate(items) if item.kind == "change" and item.id in _CHANGES]
    if len({items[at].id for at in told}) != 1:
        return None
    denied = any(item.kind == "neg" for item in items[max(0, told[0] - _BEFORE) : told[0]])
    return "stable" if denied else _CHANGES[items[told[0]].id]


def described_details(scene: ParsedSentence, begin: int) -> tuple[Detail, ...]:
    """Return the details of earlier findings in a sentence that contains nothing else except enhancement or signal ("It is
    large and measures 3 cm", "Size: 3 cm")."""
    items, own = scene.items, scene.knowledge.words.own
    adjectives = [at for at in range(len(items)) if _may_describe(scene, at)]
    apart = {at for at in adjectives if items[at].id in own}
    told = [at for at in _details(scene, {*adjectives} - apart) if at + 1 not in apart]
    sized = not apart and {items[at].kind for at in told} <= {"meas"}
    around = {item.kind for at, item in enumerate(items) if at not in adjectives}
    if not around <= _AROUND | {QUALITY if sized else ""}:
        return ()
    return tuple(details_of(scene, told)) if sized or _POINTING.match(scene.text[begin:].lstrip()) else ()


def _details(scene: ParsedSentence, adjectives: set[int]) -> list[int]:
    """Return the positions of the details of a sentence, of which some are adjectives of findings."""
    told = (at for at, item in enumerate(scene.items) if _tells(item) or at in adjectives)
    return [at for at in told if not of_change(scene, at)]


def member_details(scene: ParsedSentence, begin: int) -> tuple[Detail, ...] | None:
    """Return the details of the largest of several earlier findings in a sentence that gives its site ("The largest one is in
    the left lobe and measures 2 cm"); None for other sentences."""
    kinds = {item.kind for item in scene.items}
    if ANATOMY not in kinds or kinds & _NAMING or not _LARGEST.match(scene.text, begin):
        return None
    return tuple(details_of(scene, [at for at, item in enumerate(scene.items) if _tells(item)]))


def independent_drafts(heads: Sequence[FindingDraft], told: Sequence[Detail], own: Container[str]) -> list[FindingDraft]:
    """Return the heads of a sentence that are separate findings, without the details of earlier ones."""
    return [replace(head, details=[one for one in head.details if one not in told]) for head in heads if head.concept in own]


def _tells(item: Mention) -> bool:
    """Whether an item is a detail itself."""
    return item.kind in (DESCRIPTOR, "meas")


def _may_describe(scene: ParsedSentence, at: int) -> bool:
    """Whether an adjective of a finding may be a detail."""
    item = scene.items[at]
    adjective = item.is_adjective and DESCRIPTOR in item.types
    return adjective and directional_change(scene, at) is None


def apply_change(findings: list[Finding], latest: Iterable[int], change: Change) -> bool:
    """Set the change of the findings of the preceding sentence that have none, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and findings[at].change is None]
    for at in mine:
        findings[at] = replace(findings[at], change=change)
    return bool(mine)


def explains(opening: str, heads: Sequence[FindingDraft]) -> bool:
    """Whether a sentence only interprets the findings of the preceding one ("These may represent granulomas")."""
    return opening.lower() in _PRONOUNS and _interpretations(heads)


def _interpretations(heads: Sequence[FindingDraft]) -> bool:
    hedged = all(head.certainty != "definite" and head.status == "present" and not head.sites for head in heads)
    return bool(heads) and hedged


def interpreted_sites(opening: str, heads: Sequence[FindingDraft], findings: Sequence[Finding]) -> tuple[SiteAndSide, ...]:
    """Return the places of the last finding that is present, if a sentence only interprets what was found, and not the normal
    structure before it ("These findings are suspicious for malignancy"); else nothing."""
    if not _INTERPRETING.match(opening) or not _interpretations(heads):
        return ()
    shown = next((one for one in reversed(findings) if one.status == "present" and one.sites), None)
    return tuple((site, shown.side) for site in shown.sites) if shown else ()


def explained(findings: list[Finding], latest: Iterable[int], readings: Sequence[Finding]) -> bool:
    """Attach interpretations to findings of the preceding sentence, and return whether there was one."""
    mine = [at for at in latest if findings[at].status == "present" and not findings[at].alternatives]
    details = tuple(Detail("inference", one.concept or "", CERTAINTY_PREFIX[one.certainty] + one.label) for one in readings)
    names = tuple(dict.fromkeys(one.concept or "" for one in readings))
    for at in mine:
        findings[at] = replace(findings[at], details=(*findings[at].details, *details), alternatives=names)
    return bool(mine)
