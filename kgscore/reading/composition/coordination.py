"""Coordination: words that the members of a list share (nouns, forms, sides, modifiers), and a finding at each level listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.ontology.index import is_disc, level_of
from kgscore.reading.composition import parsed_sentence as sentence
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.descriptors import details_of
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry, without
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Place, Statement

_IN_PHRASE = frozenset(("sideword", "stop", ANATOMY, UNKNOWN))
# Kinds of items between a structure and a finding after it in a list, and those that join the two.
_BEFORE_FINDING = frozenset((DESCRIPTOR, "stop", ANATOMY, "sideword"))
_JOINING = frozenset(("and", "or", "slash"))
_BETWEEN = LISTING | {"sideword", "stop"}
# Anaphoric references to each of several levels.
_EACH_LEVEL = re.compile(r"\b(?:corresponding|respective|(?:at|of) (?:these|those|both) (?:levels|segments))\b", re.IGNORECASE)


def named_apart(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement without places that share its noun or adjective, which are others ("no cord or root compression")."""
    own, kept = list[Statement](), list[Place]()
    for place in one.places:
        at = next((at for at in place.items if _beside(scene, at, one.head)), -1)
        if not _shares(scene, at, one.head):
            kept.append(place)
            continue
        rest = without(place.items, (at,))
        around = (Place(rest, place.side),) if rest or place.side is not None else ()
        own.append(Statement(at, one.status, around, tuple(m for m in one.modifiers if m < at or at > one.head)))
        kept += [Place(rest, None)] if rest else []
    given = {m for part in own for m in part.modifiers if m < part.head < one.head}
    left = one._replace(places=tuple(dict.fromkeys(kept)), modifiers=without(one.modifiers, given))
    return sorted([left, *own], key=attrgetter("head")) if own else [one]


def alternating(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement split by the forms in a list, each a finding ("patchy and linear opacities"), unless of one thing."""
    kinds = _forms(scene, one)
    if scene.kind(one.head) != FINDING:
        return [one]
    if more := _forms_after(scene, one):
        return [one._replace(head=at, modifiers=without(one.modifiers, more)) for at in (one.head, *more)]
    if scene.kind(one.head - 1) in LISTING:  # the last form is in the name of the finding: "patchy and linear opacities"
        own = [at for at in kinds if _gives_form(scene, at) and _has_other_noun(scene, at, one.head)]
        left = one._replace(modifiers=without(one.modifiers, own))
        return [*(left._replace(head=at, names=()) for at in own), left]
    apart = [] if scene.items[one.head].adjective else _named_by_form(scene, one, kinds)
    return [one._replace(modifiers=without(one.modifiers, {*kinds} - {*kept})) for kept in apart] or [one]


def _named_by_form(scene: ParsedSentence, one: Statement, kinds: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the forms of each of the findings that a noun with several forms names, if one has a concept of its own."""
    named = [at for at in kinds if _names_one(scene, one, at)]
    rest = without(kinds, named)
    apart = named and (rest or _has_all_forms(scene, one, kinds))
    return [*((at,) for at in named), *filter(None, (rest,))] if apart else []


def _has_all_forms(scene: ParsedSentence, one: Statement, kinds: Sequence[int]) -> bool:
    """Whether a finding is several, each with one of some forms (not "linear and patchy signal", one thing)."""
    return is_plural(scene, scene.items[one.head]) and all(_gives_form(scene, at) for at in kinds)


def _forms_after(scene: ParsedSentence, one: Statement) -> list[int]:
    """Return the forms after a form that continue its list and share its noun ("nodular, patchy and linear shadows")."""
    after = scene.of_kind(DESCRIPTOR, one.modifiers if _is_form(scene.items[one.head]) else ())
    listed = [at for at in after if at > one.head and scene.kind(at - 1) in LISTING and sentence.noun_after(scene, at)]
    return [at for at in listed if scene.items[at].id in scene.flagged("forming")]


def _has_other_noun(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a form in a list names, with the last words of a finding, another one than that."""
    noun = sentence.noun_after(scene, at)
    return noun is not None and noun.id != scene.items[head].id


def _forms(scene: ParsedSentence, one: Statement) -> tuple[int, ...]:
    """Return the forms of a finding listed directly before it, two or more ("nodular and linear hyperdense opacities")."""
    found, last = list[int](), scene.items[one.head]
    for at in range(one.head - 1, -1, -1):
        if scene.kind(at) in LISTING or (not found and _is_no_form(scene, one, at)):
            continue
        if at not in one.modifiers or not _is_form(scene.items[at]) or (found and scene.kind(at + 1) not in LISTING):
            break
        found.insert(0, at)
    inside = scene.kind(one.head - 1) in LISTING and last.last > last.first
    listed = len(found) > 1 or (inside and found)
    return tuple(found) if listed and not {"and", "or"}.isdisjoint(scene.run(found[0], one.head)) else ()


def _is_no_form(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether an adjective directly before a finding, and after its forms, is not a form ("linear dense")."""
    adjective = at in one.modifiers and scene.kind(at) == FINDING and _is_form(scene.items[at])
    return adjective and _is_form(scene.items[at - 1]) and not _gives_form(scene, at)


def _gives_form(scene: ParsedSentence, at: int) -> bool:
    return not scene.flagged("forming").isdisjoint(detail.value for detail in details_of(scene, (at,)))


def _is_form(item: Mention) -> bool:
    """Whether an item is a descriptor, or an adjective that may be one ("nodular")."""
    return item.kind == DESCRIPTOR or (item.is_adjective and DESCRIPTOR in item.types)


def _names_one(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether a finding at its site with a descriptor has its own concept."""
    sites = tuple(scene.ids(scene.of_kind(ANATOMY, one.placed)))
    concept = scene.index.fold(scene.items[one.head].id, sites)
    return any(scene.index.refined(concept, detail.value, sites) for detail in details_of(scene, (at,)))


def _beside(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure and a finding are adjacent members of a list, each possibly with adjectives."""
    between, ahead = scene.run(min(at, head) + 1, max(at, head)), at < head
    allowed, joints = (LISTING | _BEFORE_FINDING, LISTING) if ahead else (LISTING | {DESCRIPTOR, "stop"}, _JOINING)
    if scene.kind(at) != ANATOMY or joints.isdisjoint(between[:1]) or not allowed.issuperset(between):
        return False
    phrase = (between[0] == "comma" and ANATOMY not in between) or _JOINING.isdisjoint(between)
    opens = scene.kind(scene.beyond(at, -1, _IN_PHRASE))
    return not (ahead and phrase and opens in ("prep", "near"))  # "at L4-5, a broad-based bulge", "near the left apex, patchy"


def _shares(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure names a finding with words shared with another one."""
    if at < 0 or scene.kind(head) != FINDING:
        return False
    noun = sentence.noun_after if at < head else sentence.noun_before
    entry = completed_entry(scene, at, FINDING) or noun(scene, at)
    return entry is not None and entry.id != scene.items[head].id


def sides_shared(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement with a side also at the next places that share its noun ("right parietal and occipital lobes")."""
    out: list[Place] = []
    for place in one.places:
        shared = out and _same_noun(scene, out[-1], place)
        out.append(place._replace(side=out[-1].side) if shared else place)
    return one._replace(places=tuple(out))


def _same_noun(scene: ParsedSentence, before: Place, place: Place) -> bool:
    """Whether a place without a side shares its noun with a preceding one with a side in a list."""
    if before.side is None or before.side > min(before.items, default=-1) or place.side is not None:
        return False
    if len(place.items) != 1 or not {*scene.run(before.items[-1] + 1, place.items[0])} <= LISTING | {"stop"}:
        return False
    return any(completed_entry(scene, other.items[-1], ANATOMY) for other in (place, before))


def at_each_level(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with a finding "at the corresponding levels" at each of the discs listed before it."""
    if not _EACH_LEVEL.search(scene.text):
        return structure
    return tuple(_at_discs(scene, structure, number, one) for number, one in enumerate(structure))


def _at_discs(scene: ParsedSentence, structure: Parse, number: int, one: Statement) -> Statement:
    """Return a statement at each of the discs before it if it is at "the corresponding levels" and no others."""
    items, discs = scene.items, _discs_before(scene, structure[:number])
    rest = sorted({*one.placed} - {*discs})
    end = next((items[after.head].start for after in structure[number + 1 :]), len(scene.text))
    elsewhere = any(map(level_of, scene.ids(rest)))
    if not discs or elsewhere or not _EACH_LEVEL.search(scene.text, items[max(discs)].end, end):
        return one
    side = next((at for at in one.sides if items[at].id != "both"), None)  # "at both levels"
    return one._replace(places=tuple(Place((disc, *rest), side) for disc in discs))


def _discs_before(scene: ParsedSentence, structure: Parse) -> list[int]:
    """Return the discs of the last statement at several of them, or none."""
    several = ([at for at in one.placed if is_disc(scene.items[at].id)] for one in reversed(structure))
    return next((discs for discs in several if len(discs) > 1), [])


def _next_member(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> int | None:
    """Return the statement of the next member of a list that shares the noun of a finding, or is an alternative to it."""
    one = structure[number]
    alike = (at for at in range(number + 1, len(structure)) if structure[at].status == one.status)
    after = (at for at in alike if structure[at].head > one.head and scene.kind(structure[at].head) == FINDING)
    at = next(after, number)
    between = scene.run(one.head + 1, structure[at].head)
    shared = _BETWEEN.issuperset(between) and scene.kind(one.head) == ANATOMY and completed_entry(scene, one.head, FINDING)
    return at if shared or between == ["versus"] else None


def _given(scene: ParsedSentence, other: Statement, modifiers: Sequence[int], *kinds: str) -> Statement:
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
