"""Tests of the context of an item in a sentence, used to resolve ambiguous forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.ontology.index import Index

if TYPE_CHECKING:
    from kgscore.reading.mentions import Mention

_FLAT = frozenset(("stop", "comma", "and", "or", "cop", "prep", UNKNOWN, "sideword", DESCRIPTOR, QUALITY, "neg"))


def stands_beside(items: list[Mention], position: int, kinds: frozenset[str]) -> bool:
    """Whether an item of these kinds is beside it, skipping words without weight."""
    before, after = items[max(0, position - 5) : position], items[position + 1 : position + 6]
    for flat, beside in ((_FLAT, before[::-1]), (_FLAT | {ANATOMY}, after)):
        for item in beside:
            if item.kind in kinds or not kinds.isdisjoint(item.types):
                return True
            if item.kind not in flat:
                break
    return False


def follows(items: list[Mention], position: int, kinds: tuple[str, ...]) -> bool:
    """Whether the preceding item, skipping descriptors and prepositions, is of these kinds."""
    return next((item.kind for item in reversed(items[:position]) if item.kind not in ("stop", DESCRIPTOR, "prep")), "") in kinds


def after_quality(items: list[Mention], position: int) -> bool:
    """Whether an item follows a quality in a list, and so is one ("Size, shape and density")."""
    while position and items[position - 1].kind in ("comma", "and", "or", "stop"):
        position -= 1
    if not position or items[position - 1].kind != QUALITY:
        return False
    return position < 2 or items[position - 2].kind != "neg"  # "without flow or enhancement"


def changed_in(items: list[Mention], position: int) -> bool:
    """Whether an item is what something changed in, and so a quality ("No increase in right lung lucency")."""
    return [item.kind for item in _before_structure(items, position)[-2:]] == ["change", "prep"]


def after_normal(items: list[Mention], position: int) -> bool:
    """Whether a normal word before an item modifies it, as a quality of its structure ("Normal pulmonary lucency")."""
    return [item.kind for item in _before_structure(items, position)[-1:]] == [NORMAL]


def _before_structure(items: list[Mention], position: int) -> list[Mention]:
    """Return the items before an item and the structure that it modifies."""
    while position and items[position - 1].kind in (ANATOMY, "sideword", "stop"):
        position -= 1
    return items[:position]


def before_noun(items: list[Mention], position: int) -> bool:
    """Whether the item is in a noun phrase that continues to a structure or finding."""
    passed = ("stop", "sideword", DESCRIPTOR, "and", "or", "comma", NORMAL)
    return next((item.kind for item in items[position + 1 :] if item.kind not in passed), "") in (ANATOMY, FINDING)


def ends_phrase(items: list[Mention], position: int) -> bool:
    """Whether a verb, a preposition or the end of the sentence follows, so that a noun phrase ends here."""
    return kind_after(items, position) in ("", "stop", "prep", "cop", "seen", "change", "hedge", "negpost", "semi", "close")


def kind_after(items: list[Mention], position: int) -> str:
    """Return the kind of the next item, or "" at the end."""
    return items[position + 1].kind if position + 1 < len(items) else ""


def next_is(items: list[Mention], position: int, kinds: str) -> bool:
    """Whether one of the next three items is, or may be, of one of these kinds."""
    for item in items[position + 1 : position + 4]:
        if item.kind in kinds or (item.types.keys() & set(kinds)):
            return True
        if item.kind not in ("stop", "sideword", DESCRIPTOR, "prep"):
            return False
    return False


def predicates_quality(items: list[Mention], position: int, way: str, index: Index) -> bool:
    """Whether a form is the predicate of a quality that can deviate in this direction ("the resistive index is elevated")."""
    denial = items[position].kind in ("neg", "negpost")
    verb = position if denial else position - 1
    if not denial and (position < 1 or items[verb].kind != "cop"):
        return False
    passed = (ANATOMY, "prep", "stop", "sideword", DESCRIPTOR, "cop")
    bearer = next((item for item in reversed(items[:verb]) if item.kind not in passed), None)
    return bearer is not None and bearer.kind == QUALITY and way in index.qualities.get(bearer.id, {})
