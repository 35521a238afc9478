"""Modifiers that members of a list share but the structure assigns to one of them: degrees, changes, and the noun of devices;
and the places that a later denial omits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL
from kgscore.ontology.index import is_disc, level_of
from kgscore.reading.composition.assertion import ASSERTING
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry
from kgscore.reading.structure.values import Parse, Place, Statement

_BETWEEN = LISTING | {"sideword", "stop"}
# Kinds of items between the signals of one lesion ("dark on T1 and mildly bright on T2").
_SIGNALS = LISTING | {"with", "have", "stop", DESCRIPTOR, "prep", "seq", FINDING}

# Anaphoric references to each of several levels.
_EACH_LEVEL = re.compile(r"\b(?:corresponding|respective|(?:at|of) (?:these|those|both) (?:levels|segments))\b", re.IGNORECASE)


def at_each_level(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a finding at the corresponding levels is at each of the discs listed before ("L3-4 and L4-5
    bulge, with compression of the corresponding dural sac")."""
    if not _EACH_LEVEL.search(scene.text):
        return structure
    items, out = scene.items, list[Statement]()
    for number, one in enumerate(structure):
        own = {at for place in one.places for at in place.items}
        discs = _discs_before(scene, structure[:number], one.head)
        end = next((items[after.head].start for after in structure[number + 1 :] if after.head > one.head), len(scene.text))
        other = {at for at in own - {*discs} if level_of(items[at].id)}
        if not discs or other or not _EACH_LEVEL.search(scene.text, items[max(discs)].end, end):
            out.append(one)
            continue
        rest = tuple(sorted(own - {*discs}))
        sides = (place.side for place in one.places if place.side is not None)
        side = next((at for at in sides if items[at].id != "both"), None)  # "at both levels"
        out.append(one._replace(places=tuple(Place((disc, *rest), side) for disc in discs)))
    return tuple(out)


def _discs_before(scene: ParsedSentence, structure: Parse, head: int) -> list[int]:
    """Return the discs of the last statement at several of them that ends before a head, or none."""
    for one in reversed(structure):
        discs = [at for place in one.places for at in place.items if is_disc(scene.items[at].id)]
        if len(discs) > 1 and max(discs) < head and all(level_of(scene.items[at].id) for at in discs):
            return discs
    return []


def at_some_levels(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the preceding statement if this one has only a part of its list of discs ("C4-5 and C5-6 bulge with vacuum"), or
    of its list of structures and is a denial about them ("liver and spleen normal without calcification")."""
    one, items = structure[number], scene.items
    own = {at for place in one.places for at in place.items}
    for before in reversed(structure[:number]):
        told = {at for place in before.places for at in place.items}
        implied = scene.knowledge.index.sites_implied(items[one.head].id)
        denied = before.status == "normal" and one.status == "absent" and not implied
        discs = {at for at in told if is_disc(items[at].id) and level_of(items[at].id)}
        listed = {at for at in told if items[at].kind == ANATOMY} if denied else discs if before.status == one.status else set()
        if not own < told or not own & listed or not (denied or own & listed < listed) or max(told) > one.head:
            continue
        apart = {items[at].kind for at in range(min(listed), max(listed)) if at not in told}
        between = {item.kind for item in items[max(listed) + 1 : one.head]}
        if apart <= _BETWEEN and ANATOMY not in between and "semi" not in between:
            return before
    return None


def at_some_places(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the statement of another signal of a lesion, or of the lesion itself, that has more of the sites of their list
    ("foci that are dark on T1 and bright on T2 in the pons, the thalamus and the insula")."""
    one, items, words = structure[number], scene.items, scene.knowledge.words
    heads, own = {other.head for other in structure}, {at for place in one.places for at in place.items}
    for other in structure:
        first, last = sorted((one.head, other.head))
        signal = not {items[first].id, items[last].id}.isdisjoint(words.own)
        told = tuple(place for place in other.places if heads.isdisjoint(place.items))
        more = {at for place in told for at in place.items}
        alike = first < last and one.status == other.status == "present" and signal
        if not alike or not own - heads < more or any(first < at < last for at in more):
            continue
        if _SIGNALS.issuperset(item.kind for item in items[first : last + 1]):
            borne = tuple(place for place in one.places if not heads.isdisjoint(place.items))
            return other._replace(places=(*borne, *told))
    return None


def denied_at_several(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the preceding denial with several sites if this one has none: "no stone in the kidneys or ureters, and no
    dilatation"."""
    one, before, index = structure[number], structure[number - 1] if number else None, scene.knowledge.index
    if before is None or one.places or one.status != "absent" or before.status != "absent" or len(before.places) < 2:
        return None
    last, name = max((at for place in before.places for at in place.items), default=one.head), scene.items[one.head].id
    placed = bool(index.soft_sites.get(name)) or bool(index.sites_implied(name)) or scene.items[one.head].kind != FINDING
    listed = all(len(place.items) == 1 and scene.items[place.items[0]].kind == ANATOMY for place in before.places)
    between = [item.kind for item in scene.items[last + 1 : one.head]]
    denied = "neg" in between and "semi" not in between
    return before if not placed and listed and before.head < last < one.head and denied else None


def denied_inside(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the normal statement before a denial of an internal appearance without a site: "the lungs are well aerated, with
    no abnormal density"."""
    one, before, words = structure[number], structure[number - 1] if number else None, scene.knowledge.words
    if before is None or one.places or one.status != "absent" or not before.places or scene.items[before.head].kind != NORMAL:
        return None
    named = [scene.items[at].id for at in (one.head, *one.modifiers) if scene.items[at].kind == FINDING]
    inside = any(scene.knowledge.index.is_any(name, words.flagged("inner")) for name in named)
    between = {item.kind for item in scene.items[before.head + 1 : one.head]}
    return before if inside and "neg" in between and between.isdisjoint(("semi", ANATOMY)) else None


def _next_member(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> int | None:
    """Return the statement of the next member of a list that shares the noun of a finding, or is an alternative to it."""
    one = structure[number]
    for at in range(number + 1, len(structure)):
        other = structure[at]
        between = [item.kind for item in scene.items[one.head + 1 : other.head]]
        if other.status != one.status or other.head <= one.head or scene.items[other.head].kind != FINDING:
            continue
        noun = scene.items[one.head].kind == ANATOMY and completed_entry(scene, one.head, FINDING) is not None
        listed = noun and bool(between) and _BETWEEN.issuperset(between) and not LISTING.isdisjoint(between)
        return at if listed or between == ["versus"] else None
    return None


def _given(
    scene: ParsedSentence,
    one: Statement,
    other: Statement,
    modifiers: Sequence[int],
    kinds: tuple[str, ...] = (DESCRIPTOR, "change"),
) -> Statement:
    """Return a statement with modifiers of another one, of kinds that it does not have itself."""
    wanted = {*kinds} - {scene.items[at].kind for at in other.modifiers}
    given = (at for at in modifiers if scene.items[at].kind in wanted)
    return other._replace(modifiers=tuple(sorted({*other.modifiers, *given})))


def shared_modifiers(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which adjectives that share a noun share the modifiers before them ("a small amount of pericardial
    and pleural effusion"), as do alternatives ("mild infiltrate versus atelectasis"), and the changes after them."""
    out = list(structure)
    for number, one in enumerate(out):
        other = _next_member(scene, out, number)
        if other is not None:
            out[other] = _given(scene, one, out[other], [at for at in one.modifiers if at < one.head])
            out[number] = _given(scene, out[other], one, [at for at in out[other].modifiers if at > out[other].head], ("change",))
    return tuple(out)


def placed_as(
    find: Callable[[ParsedSentence, Sequence[Statement], int], Statement | None],
) -> Callable[[ParsedSentence, Parse], Parse]:
    """Return a rule that gives a statement the places of another one, found by the position of the former."""

    def placed(scene: ParsedSentence, structure: Parse) -> Parse:
        out = list(structure)
        for number, one in enumerate(out):
            other = find(scene, out, number)
            out[number] = one._replace(places=other.places) if other is not None else one
        return tuple(out)

    return placed


def denied_elsewhere(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement with its places after "rather than" split off as a denial ("in the jejunum rather than the
    duodenum")."""
    places = one.places if one.status in ASSERTING else ()
    denied = tuple(place for place in places if place.items and _after_rather(scene, place.items[0]))
    if not denied or len(denied) == len(one.places):
        return [one]
    kept = tuple(place for place in one.places if place not in denied)
    return [one._replace(places=kept), Statement(one.head, "absent", denied)]


def _after_rather(scene: ParsedSentence, at: int) -> bool:
    before = next((item.kind for item in reversed(scene.items[:at]) if item.kind not in ("prep", "sideword", "tip", "stop")), "")
    return before == "rather"
