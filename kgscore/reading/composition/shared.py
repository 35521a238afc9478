"""Modifiers that members of a list share but the structure assigns to one of them; places that a later denial omits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING
from kgscore.ontology.index import is_disc, level_of
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry
from kgscore.reading.structure.values import Parse, Place, Statement

_BETWEEN = LISTING | {"sideword", "stop"}
# Anaphoric references to each of several levels.
_EACH_LEVEL = re.compile(r"\b(?:corresponding|respective|(?:at|of) (?:these|those|both) (?:levels|segments))\b", re.IGNORECASE)


def at_each_level(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with a finding "at the corresponding levels" at each of the discs listed before it."""
    if not _EACH_LEVEL.search(scene.text):
        return structure
    return tuple(_at_discs(scene, structure, number, one) for number, one in enumerate(structure))


def _at_discs(scene: ParsedSentence, structure: Parse, number: int, one: Statement) -> Statement:
    """Return a statement at each of the discs before it if it is at "the corresponding levels" and no others."""
    items, discs = scene.items, _discs_before(scene, structure[:number], one.head)
    rest = sorted({*one.placed} - {*discs})
    if not discs or any(map(level_of, scene.ids(rest))):
        return one
    end = next((items[after.head].start for after in structure[number + 1 :] if after.head > one.head), len(scene.text))
    if not _EACH_LEVEL.search(scene.text, items[max(discs)].end, end):
        return one
    side = next((at for at in one.sides if items[at].id != "both"), None)  # "at both levels"
    return one._replace(places=tuple(Place((disc, *rest), side) for disc in discs))


def _discs_before(scene: ParsedSentence, structure: Parse, head: int) -> list[int]:
    """Return the discs of the last statement at several of them that ends before a head, or none."""
    for one in reversed(structure):
        discs = [at for at in one.placed if is_disc(scene.items[at].id)]
        if len(discs) > 1 and max(discs) < head and all(map(level_of, scene.ids(discs))):
            return discs
    return []


def _next_member(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> int | None:
    """Return the statement of the next member of a list that shares the noun of a finding, or is an alternative to it."""
    one = structure[number]
    following = (at for at in range(number + 1, len(structure)) if structure[at].status == one.status)
    for at in following:
        other, between = structure[at].head, scene.run(one.head + 1, structure[at].head)
        if other > one.head and scene.items[other].kind == FINDING:
            noun = scene.items[one.head].kind == ANATOMY and completed_entry(scene, one.head, FINDING) is not None
            listed = noun and _BETWEEN.issuperset(between) and not LISTING.isdisjoint(between)
            return at if listed or between == ["versus"] else None
    return None


def _given(scene: ParsedSentence, other: Statement, modifiers: Sequence[int], *kinds: str) -> Statement:
    """Return a statement with modifiers of another one, of kinds that it does not have itself."""
    wanted = {*kinds} - {*scene.kinds_at(other.modifiers)}
    given = (at for at in modifiers if scene.items[at].kind in wanted)
    return other._replace(modifiers=tuple(sorted({*other.modifiers, *given})))


def shared_modifiers(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which adjectives of one noun share the modifiers around them, as alternatives do."""
    out = list(structure)
    for number, one in enumerate(out):
        other = _next_member(scene, out, number)
        if other is not None:
            out[other] = _given(scene, out[other], [at for at in one.modifiers if at < one.head], DESCRIPTOR, "change")
            out[number] = _given(scene, one, [at for at in out[other].modifiers if at > out[other].head], "change")
    return tuple(out)


def denied_at_all(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a denial after normal structures is about all of them ("of normal size, no calcification")."""
    pairs = pairwise((*structure[:1], *structure))
    return tuple(one._replace(places=before.places) if _denied_of_all(scene, before, one) else one for before, one in pairs)


def _denied_of_all(scene: ParsedSentence, before: Statement, one: Statement) -> bool:
    """Whether a denial is about all structures of the normal statement before it."""
    told, own = {*before.placed}, {*one.placed}
    if (before.status, one.status) != ("normal", "absent") or not own or not own < told or max(told) >= one.head:
        return False
    between = scene.run(max(told) + 1, one.head)
    return {ANATOMY, "semi"}.isdisjoint(between) and not scene.knowledge.index.sites_implied(scene.items[one.head].id)
