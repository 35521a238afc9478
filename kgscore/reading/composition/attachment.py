"""Findings that a structure keeps apart though one describes the other: what a lesion lacks, looks like or is denied to have,
and of what form a break is."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgscore.reading.composition.descriptors import opposite_of_break
from kgscore.reading.composition.parsed_sentence import PHRASE, ParsedSentence, follows_nothing
from kgscore.reading.structure.values import Parse, Place, Statement, mentioned_items

_CLAUSE = frozenset(("semi", "but", "colon"))
# What may end a clause.
_ENDING = ("stop", "comma", "and", "semi", "but")
# So what follows is told of some of several.
_SOME = re.compile(r"\b(?:some|few|several|many|most|one|part|partly|partially)\b", re.IGNORECASE)


def lacks_apart(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure where what a lesion is said to lack by an adjective is denied of it ("a nonenhancing cyst", as "a cyst
    without enhancement")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    lacks = words.flagged("lacks") & words.flagged("attributes")
    lesions = words.flagged("lesions") | words.lumps
    out: list[Statement] = []
    for one in structure:
        told = one.status == "present" and scene.items[one.head].kind == "F" and index.is_any(scene.items[one.head].id, lesions)
        apart = [at for at in one.modifiers if told and scene.items[at].kind == "F" and scene.items[at].id in lacks]
        out.append(one._replace(modifiers=tuple(at for at in one.modifiers if at not in apart)))
        out += [Statement(at, "present", (Place((one.head,), None),)) for at in apart]
    return tuple(dict.fromkeys(out))


def appearance_attached(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure where a density that a lump is said to have describes it ("nodules, some with ground-glass density"),
    and what it holds ("plaque with calcification")."""
    words = scene.knowledge.words
    lumps, leading = words.lumps, words.lumps | words.flagged("leading_lesions")

    def lump(one: Statement, kinds: frozenset[str]) -> bool:
        return any(scene.items[at].id in kinds for at in (one.head, *one.modifiers) if scene.items[at].kind == "F")

    given: dict[int, int] = {}
    for one in structure:
        item, before = scene.items[one.head], one.head - 1
        while before > 0 and scene.items[before].kind in ("M", "stop"):
            before -= 1
        dense = "M" in {*item.types, *(entry.type for entry in item.choices)}
        held = item.id in words.looks and not item.adjective and not one.modifiers  # not "with pleomorphic calcifications"
        relative = scene.items[before].kind == "cop" and scene.said(before - 1) == "which"
        told = relative or scene.items[before].kind in ("with", "have")
        if one.status != "present" or not (dense or held) or item.kind != "F" or not told:
            continue
        bearers = [other for other in structure if other.head < before and other.status == "present"]
        bearers = [b for b in bearers if lump(b, leading if held else lumps) and not (held and _elsewhere(scene, one, b))]
        earlier = [other.head for other in bearers]
        between = {scene.items[at].kind for at in range(max(earlier, default=before), before)}
        if earlier and max(earlier) == max(other.head for other in structure if other.head < before) and "semi" not in between:
            given[one.head] = max(earlier)
    return _folded(structure, given)


def _folded(structure: Parse, given: Mapping[int, int]) -> Parse:
    """Return a structure where the heads `given` to others are modifiers of those, and no statements of their own."""
    own = {of: {at for at in given if given[at] == of} for of in given.values()}
    kept = (one for one in structure if one.head not in given)
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *own.get(one.head, ())}))) for one in kept)


def _elsewhere(scene: ParsedSentence, one: Statement, other: Statement) -> bool:
    """Whether a finding has a place that another one has not ("a cyst in the kidney with calcification in the adrenal gland"), or
    is in some of several only ("nodules, some showing calcification")."""
    elsewhere = any(place not in other.places and place.items != (other.head,) for place in one.places)
    return elsewhere or _SOME.search(scene.text, scene.items[other.head].end, scene.items[one.head].start) is not None


def denied_attributes(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure where a denied lesion with a signal or enhancement is a denial of that ("no lesion with restricted
    diffusion in the liver"): there may be other lesions."""
    words, index = scene.knowledge.words, scene.knowledge.index
    lesions = words.flagged("lesions") | words.lumps
    with_it: dict[int, int] = {}
    for one in structure:
        before = one.head - 1
        while before > 0 and scene.items[before].kind in ("M", "stop", "hedge"):
            before -= 1
        lesion = before - 1
        opening = lesion - 1
        while opening > 0 and scene.items[opening].kind in ("A", "M", "stop", "sideword"):
            opening -= 1
        plain = before > 1 and scene.items[before].kind == "with" and scene.items[opening].kind == "neg"
        attribute = index.is_any(scene.items[one.head].id, words.flagged("attributes"))
        if plain and attribute and index.is_any(scene.items[lesion].id, lesions):
            with_it[one.head] = lesion
    lesions_of = {lesion: at for at, lesion in with_it.items()}

    def told(one: Statement) -> Statement:
        if one.head in with_it:
            return one._replace(status="absent")
        more = {lesions_of[one.head]} if one.head in lesions_of and one.status == "absent" else set()
        return one._replace(modifiers=tuple(sorted({*one.modifiers, *more}))) if more else one

    return tuple(told(one) for one in structure)


def form_of_breaks(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which what is said of a broken bone, or of the break, describes the break ("the rib is fractured and
    displaced", "a fracture with valgus angulation")."""
    is_a, broken = scene.knowledge.index.is_a, scene.knowledge.words.role("broken")
    breaks = [one for one in structure if scene.items[one.head].kind == "F" and is_a(scene.items[one.head].id, broken)]
    given: dict[int, set[int]] = {}
    out: list[Statement] = []
    for one in structure:
        of = next((other for other in reversed(breaks) if _describes_break(scene, one, other)), None)
        if of is None:
            out.append(one)
        else:
            given.setdefault(of.head, set()).update((one.head, *one.modifiers))
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *given.get(one.head, ())}))) for one in out)


def _describes_break(scene: ParsedSentence, one: Statement, of: Statement) -> bool:
    """Whether a statement only says of what form a break is that is spoken of before it."""
    words, item = scene.knowledge.words, scene.items[one.head]
    form = item.types.get("M") if item.kind == "F" else None
    name = item.id if item.kind == "M" else form.id if form is not None else ""
    if one.head <= of.head or words.parents.get(name) not in words.flagged("of_breaks") or one.names:
        return False
    between = {item.kind for item in scene.items[of.head : one.head]}
    if of.status not in ("present", "presupposed") or not _CLAUSE.isdisjoint(between):
        return False
    there = {at for place in of.places for at in place.items} | {of.head}
    said = {at for place in one.places for at in place.items if scene.items[at].kind not in ("stop", "prep")}
    denied = one.status == "absent" and opposite_of_break(scene, name) is not None
    return said <= there and (item.kind == "M" or one.status == "present" or denied)


def adjectives_claimed(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure where descriptors of which nothing is said belong to the noun of their phrase ("multiple ill-defined
    patchy foci"), or of which they are said ("the opacities are scattered")."""
    used = mentioned_items(structure)
    out = list(structure)
    for at, item in enumerate(scene.items):
        told = item.kind in ("M", "meas") or (item.kind == "F" and item.adjective and _before_head(scene, at, structure))
        if told and at not in used and "A" not in item.types and not follows_nothing(scene, at):
            head = _noun_of(scene, at, {one.head for one in structure})
            for number, one in enumerate(out):
                if one.head == head:
                    out[number] = one._replace(modifiers=tuple(sorted({*one.modifiers, at})))
    return tuple(out)


def _before_head(scene: ParsedSentence, at: int, structure: Parse) -> bool:
    """Whether the noun that heads a statement stands after an item, with nothing but its side and structure between ("T1
    hypointense focus", "occluded right ureteral stent")."""
    noun = next((n for n in range(at + 1, len(scene.items)) if scene.items[n].kind not in ("sideword", "A")), -1)
    found = noun >= 0 and scene.items[noun].kind == "F" and not scene.items[noun].adjective
    return found and any(one.head == noun for one in structure)


def _noun_of(scene: ParsedSentence, at: int, heads: set[int]) -> int:
    """Return the head of the noun phrase in which a descriptor stands, or of which it is the predicate, or -1."""
    for other in range(at + 1, len(scene.items)):
        item = scene.items[other]
        if item.kind == "F" and other in heads and not item.adjective:
            return other
        if item.kind not in PHRASE and not (item.kind == "F" and item.adjective):
            break
    before, measured = at - 1, scene.items[at].kind == "meas"
    last = at + 1 == len(scene.items) or scene.items[at + 1].kind in _ENDING
    verbs = ("cop", "have") if last else ("cop",)  # "has smooth margins", and not "has markedly enlarged"
    while before >= 0 and scene.items[before].kind in (("cop", "stop", "comma") if measured else (*verbs, "stop")):
        before -= 1
    verb = measured or any(item.kind in verbs for item in scene.items[before + 1 : at])
    return before if verb and before in heads and scene.items[before].kind == "F" else -1
