"""Disambiguation of forms by their context: one rule for each pair of kinds that the types of a form can have."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import TYPE_CHECKING

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.ontology.index import Index
from kgscore.reading.context_tests import (
    after_normal,
    after_quality,
    before_noun,
    changed_in,
    ends_phrase,
    follows,
    kind_after,
    next_is,
    predicates_quality,
    stands_beside,
)

if TYPE_CHECKING:
    from kgscore.reading.mentions import Mention

# The ways in which a quality can deviate from normal.
DIRECTIONS = frozenset(("up", "down", "lost", "abnormal"))
# Regions of tumours whose stage has the form of a vertebra.
_STAGED = ("abdomen", "breast", "head")
_DIRECTION = DIRECTIONS | {NORMAL}


def disambiguate(items: list[Mention], position: int, index: Index) -> None:
    """Choose between the types of an ambiguous form by its neighbours; the default type stays if no rule applies."""
    item = items[position]
    for kinds, choose in _CHOICES:
        if kinds <= item.types.keys() and (take := choose(items, position, index)) is not None:
            entry = item.types[take]
            item.kind, item.id, item.adjective = take, entry.id, entry.adjective
            item.side = entry.side or item.side
            return


def _quality(items: list[Mention], position: int, index: Index) -> str | None:
    types = items[position].types
    if not types.keys() & {FINDING, ANATOMY}:
        return None
    module = types[QUALITY].module
    if module != "core" and FINDING in types and types[FINDING].module != module and not _in_region(items, module):
        return FINDING  # "decreased lucency" of a lung, not around a screw
    # Not "an ill-defined density".
    ways = _DIRECTION if "lost" in index.qualities.get(types[QUALITY].id, {}) else _DIRECTION - {"lost"}
    if stands_beside(items, position, ways) or after_quality(items, position) or changed_in(items, position):
        return QUALITY
    if types[QUALITY].module != "core" and after_normal(items, position):
        return QUALITY
    return FINDING if FINDING in types else ANATOMY


def _direction(items: list[Mention], position: int, index: Index) -> str | None:
    types = items[position].types
    able = ("up", "down", "lost") if types[FINDING].adjective else ("lost",)
    way = next((kind for kind in able if kind in types), None)
    told = next_is(items, position, QUALITY) or predicates_quality(items, position, way or "", index)
    return way if way is not None and told else None


def _describing_normal(items: list[Mention], position: int, index: Index) -> str | None:
    if position > 1 and items[0].kind == "stop" and items[1].kind == "have":
        return DESCRIPTOR  # "It shows homogeneous enhancement."
    described = items[position].types[NORMAL].id in index.flagged("describing") and before_noun(items, position)
    noun = kind_after(items, position) == ANATOMY and not items[position + 1].adjective
    if noun and kind_after(items, position + 1) != FINDING:
        return None  # "sharp sulcus on the left"
    return DESCRIPTOR if described and not follows(items, position, ("cop",)) else None


def _negative(items: list[Mention], position: int, index: Index) -> str | None:
    """Return normal for "Negative." alone, which does not deny what follows."""
    others = {other.kind for at, other in enumerate(items) if at != position}
    return NORMAL if others <= {"stop", "cop", "past", "comma", "change"} else None


_CLAUSE_ENDS = frozenset(("comma", "semi", "colon", "but", "cop", "have"))


def _out_of_view(items: list[Mention], position: int, index: Index) -> str | None:
    """Return "drop" for a structure out of the field of view, but not for an excluded finding or an artery that is cut off."""
    types = items[position].types
    if FINDING in types and index.is_any(types[FINDING].id, index.flagged("hampering")):
        return None
    begin = max((at for at in range(position - 1) if items[at].kind in _CLAUSE_ENDS), default=-1)
    subject = [item for item in items[begin + 1 : position] if item.kind in (ANATOMY, FINDING)]
    finding = any(item.kind == FINDING for item in subject)  # "a lesion in the vertebra is excluded"
    said = finding or (bool(subject) and index.is_any(subject[-1].id, {index.role("any_artery")}))
    if not said:
        items[position].types, items[position].choices = {"drop": types["drop"]}, ()
    return next(kind for kind in ("negpost", FINDING) if kind in types) if said else "drop"


def _rest_or_passed(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "The residual liver" from "residual stones"."""
    if items[position].types["other"].id != "left":
        return None
    return "other" if kind_after(items, position) == ANATOMY else "stop"


def _stage_or_vertebra(items: list[Mention], position: int, index: Index) -> str | None:
    item = items[position]
    if not item.types[DESCRIPTOR].id.startswith("tnm_"):
        return None
    staged = any(entry.module in _STAGED for other in items if other is not item for entry in other.choices)
    return DESCRIPTOR if staged else ANATOMY


def _abnormal(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "Abnormal curvature" and "abnormal lumbar curvature" from an abnormal structure."""
    named = sum(1 for _ in takewhile(lambda item: item.adjective and item.kind == ANATOMY, items[position + 1 :]))
    if next_is(items, position + named, QUALITY):
        return "abnormal"
    return DESCRIPTOR if DESCRIPTOR in items[position].types and next_is(items, position, FINDING) else FINDING


def _side_or_movement(items: list[Mention], position: int, index: Index) -> str | None:
    if not next_is(items, position, "AF"):
        return None
    return DESCRIPTOR if items[position + 1].id in index.flagged("moving") else "sideword"


def _either(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "Either moiety" from "either gas or fat"."""
    later = any(other.kind == "or" for other in items[position + 1 :])
    return "hedge" if later and not next_is(items, position, ANATOMY) else "sideword"


def _absent(items: list[Mention], position: int, index: Index) -> str | None:
    """Return "lost" for a quality ("Absent arterial and venous flow"), but not for a missing structure."""
    if predicates_quality(items, position, "lost", index):
        return "lost"
    if kind_after(items, position) in ("and", "or"):
        return None
    passed = ("stop", "sideword", DESCRIPTOR, ANATOMY, "and", "or", NORMAL)
    kind = next((item.kind for item in items[position + 1 :] if item.kind not in passed), "")
    return "lost" if kind == QUALITY else None


def _expanded(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "The lungs are expanded" from "the ducts are expanded"."""
    if items[position].types[NORMAL].module != "chest":
        return None
    return NORMAL if _in_region(items, "chest") else FINDING


def _in_region(items: list[Mention], module: str) -> bool:
    return any(ANATOMY in other.types and other.types[ANATOMY].module == module for other in items)


def _noun_of_adjective(items: list[Mention], position: int, index: Index) -> str | None:
    """Return a finding for an adjective used as a noun ("A thin left subdural")."""
    types = items[position].types
    return FINDING if types[ANATOMY].adjective and not types[FINDING].adjective and ends_phrase(items, position) else None


def _structure_or_modifier(items: list[Mention], position: int, index: Index) -> str | None:
    types = items[position].types
    if types[ANATOMY].adjective:
        return None if next_is(items, position, "FAM") else DESCRIPTOR
    return ANATOMY if types[DESCRIPTOR].id.endswith("_value") and next_is(items, position, FINDING) else None


def _technique(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "On all sequences" from "the sequence of the vertebral bodies"."""
    return QUALITY if _in_region(items, items[position].types[QUALITY].module) else "drop"


def _seen_or_passed(items: list[Mention], position: int, index: Index) -> str | None:
    return "stop" if kind_after(items, position) in (ANATOMY, FINDING, "sideword", DESCRIPTOR) else None


def _seen_or_having(items: list[Mention], position: int, index: Index) -> str | None:
    """Distinguish "Effusion present" from "the lobe presents a nodule"."""
    return "have" if next_is(items, position, "FAM") else "seen"


def _hedge_or_degree(items: list[Mention], position: int, index: Index) -> str | None:
    return DESCRIPTOR if before_noun(items, position) else "hedge"


def _normal_or_structure(items: list[Mention], position: int, index: Index) -> str | None:
    return NORMAL if follows(items, position, ("cop", ANATOMY, NORMAL)) else None


def _none(items: list[Mention], position: int, index: Index) -> str | None:
    """Return a postposed negation for "Nodes are seen, none enlarged", else one that precedes what it negates."""
    said = any(other.kind in (FINDING, ANATOMY, QUALITY) for other in items[:position])
    return "negpost" if said else "neg"


def _aside(items: list[Mention], position: int, index: Index) -> str | None:
    return "stop" if kind_after(items, position) in ("meas", "num") else None  # "roughly 8 mm"


# The types a form may have, and the rule that chooses between them: the first rule to choose one applies.
_CHOICES: tuple[tuple[frozenset[str], Callable[[list[Mention], int, Index], str | None]], ...] = (
    (frozenset(("stop", FINDING)), _aside),
    (frozenset(("stop", "near")), _aside),
    (frozenset(("drop", QUALITY)), _technique),
    (frozenset(("neg", NORMAL)), _negative),
    (frozenset(("drop", "negpost")), _out_of_view),
    (frozenset(("drop", FINDING)), _out_of_view),
    (frozenset((QUALITY,)), _quality),
    (frozenset((FINDING,)), _direction),
    (frozenset((NORMAL, DESCRIPTOR)), _describing_normal),
    (frozenset(("seen", "stop")), _seen_or_passed),
    (frozenset(("other", "stop")), _rest_or_passed),
    (frozenset((ANATOMY, DESCRIPTOR)), _stage_or_vertebra),
    (frozenset(("seen", "have")), _seen_or_having),
    (frozenset(("hedge", DESCRIPTOR)), _hedge_or_degree),
    (frozenset(("abnormal", FINDING)), _abnormal),
    (frozenset(("sideword", DESCRIPTOR)), _side_or_movement),
    (frozenset(("sideword", "hedge")), _either),
    (frozenset(("negpost", "lost")), _absent),
    (frozenset(("negpost", "neg")), _none),
    (frozenset((NORMAL, FINDING)), _expanded),
    (frozenset((ANATOMY, NORMAL)), _normal_or_structure),
    (frozenset((ANATOMY, FINDING)), _noun_of_adjective),
    (frozenset((ANATOMY, DESCRIPTOR)), _structure_or_modifier),
)
