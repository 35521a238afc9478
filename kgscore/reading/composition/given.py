"""Descriptors, changes and nouns that a structure omits or misplaces: each is assigned to the finding of its phrase."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.descriptors import directional_change
from kgscore.reading.composition.headed import by_itself, opens, subject
from kgscore.reading.composition.negation import is_denied
from kgscore.reading.composition.parsed_sentence import LISTING, PHRASE, ParsedSentence, follows_nothing, of_whole
from kgscore.reading.structure.values import Parse, Place, Statement, mentioned_items

_CLAUSE = frozenset(("semi", "but", "colon"))
# Kinds of items that may end a clause.
_ENDING = ("stop", "comma", "and", "semi", "but")
# Quantifiers that restrict a description to some of several.
_SOME = re.compile(r"\b(?:some|few|several|many|most|one|part|partly|partially)\b", re.IGNORECASE)
# Kinds of items allowed between a cue and its noun.
_BEFORE_NOUN = ("stop", DESCRIPTOR, "meas", "num")


def lacks_apart(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which an adjective of absence is a denial about its lesion ("a nonenhancing cyst", as "a cyst
    without enhancement")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    lacks = words.flagged("lacks") & words.flagged("attributes")
    lesions = words.flagged("lesions") | words.lumps
    out: list[Statement] = []
    for one in structure:
        told = (
            one.status == "present" and scene.items[one.head].kind == FINDING and index.is_any(scene.items[one.head].id, lesions)
        )
        apart = [at for at in one.modifiers if told and scene.items[at].kind == FINDING and scene.items[at].id in lacks]
        out.append(one._replace(modifiers=tuple(at for at in one.modifiers if at not in apart)))
        out += [Statement(at, "present", (Place((one.head,), None),)) for at in apart]
    return tuple(dict.fromkeys(out))


def _folded(structure: Parse, given: Mapping[int, int]) -> Parse:
    """Return a structure in which the heads `given` to others are modifiers of those, and not statements of their own."""
    own = {of: {at for at in given if given[at] == of} for of in given.values()}
    kept = (one for one in structure if one.head not in given)
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *own.get(one.head, ())}))) for one in kept)


def degrees_apart(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which the degree of a separate finding does not modify another one too ("a nodule that is mildly
    T2 hyperintense")."""
    own = scene.knowledge.words.own
    of = {one.head: one.head - 1 for one in structure if scene.items[one.head].id in own and one.head - 1 in one.modifiers}
    degrees = {at: head for head, at in of.items() if scene.items[at].kind == DESCRIPTOR}
    return tuple(
        one._replace(modifiers=tuple(at for at in one.modifiers if degrees.get(at, one.head) == one.head)) for one in structure
    )


def looks_given(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which the density of a lump is a description of it ("nodules, some with ground-glass density"),
    and so is its content ("plaque with calcification")."""
    words = scene.knowledge.words
    lumps, leading = words.lumps, words.lumps | words.flagged("leading_lesions")

    def lump(one: Statement, kinds: frozenset[str]) -> bool:
        return any(scene.items[at].id in kinds for at in (one.head, *one.modifiers) if scene.items[at].kind == FINDING)

    given: dict[int, int] = {}
    for one in structure:
        item, before = scene.items[one.head], one.head - 1
        while before > 0 and scene.items[before].kind in (DESCRIPTOR, "stop"):
            before -= 1
        dense = DESCRIPTOR in {*item.types, *(entry.type for entry in item.choices)}
        held = item.id in words.looks and not item.adjective and not one.modifiers  # not "with pleomorphic calcifications"
        relative = scene.items[before].kind == "cop" and scene.said(before - 1) == "which"
        told = relative or scene.items[before].kind in ("with", "have")
        if one.status != "present" or not (dense or held) or item.kind != FINDING or not told:
            continue
        bearers = [other for other in structure if other.head < before and other.status == "present"]
        bearers = [b for b in bearers if lump(b, leading if held else lumps) and not (held and _apart(scene, one, b))]
        earlier = [other.head for other in bearers]
        between = {scene.items[at].kind for at in range(max(earlier, default=before), before)}
        if earlier and max(earlier) == max(other.head for other in structure if other.head < before) and "semi" not in between:
            given[one.head] = max(earlier)
    return _folded(structure, given)


def _apart(scene: ParsedSentence, one: Statement, other: Statement) -> bool:
    """Whether a finding has a site that another one does not have ("a cyst in the kidney with calcification in the adrenal
    gland"), or applies only to some of several ("nodules, some showing calcification")."""
    elsewhere = any(place not in other.places and place.items != (other.head,) for place in one.places)
    return elsewhere or _SOME.search(scene.text, scene.items[other.head].end, scene.items[one.head].start) is not None


def attributes_denied(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which a denied lesion with a signal or enhancement is a denial of that attribute ("no lesion with
    restricted diffusion in the liver", "no T2 hyperintense lesion"): there may be other lesions."""
    words, index = scene.knowledge.words, scene.knowledge.index
    lesions = words.flagged("lesions") | words.lumps
    with_it: dict[int, int] = {}
    for one in structure:
        before = one.head - 1
        while before > 0 and scene.items[before].kind in (DESCRIPTOR, "stop", "hedge"):
            before -= 1
        lesion = before - 1
        opening = lesion - 1
        while opening > 0 and scene.items[opening].kind in (ANATOMY, DESCRIPTOR, "stop", "sideword"):
            opening -= 1
        plain = before > 1 and scene.items[before].kind == "with" and scene.items[opening].kind == "neg"
        attribute = index.is_any(scene.items[one.head].id, words.flagged("attributes"))
        if plain and attribute and index.is_any(scene.items[lesion].id, lesions):
            with_it[one.head] = lesion
    lesions_of = {lesion: at for at, lesion in with_it.items()}

    def told(one: Statement) -> Statement:
        if one.head in with_it:
            return one._replace(status="absent")
        signals = [at for at in one.modifiers if scene.items[at].id in words.own - {words.role("enhancing")}]
        if len(signals) == 1 and one.status == "absent" and scene.items[one.head].id in index.marked("bare"):
            return one._replace(head=signals[0], modifiers=tuple(at for at in one.modifiers if at != signals[0]))
        more = {lesions_of[one.head]} if one.head in lesions_of and one.status == "absent" else set()
        return one._replace(modifiers=tuple(sorted({*one.modifiers, *more}))) if more else one

    return tuple(told(one) for one in structure)


def left_out(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with the findings that it omits although a cue is directly beside them ("no mass", "mass (-)", "there
    is a mass") or they end a list of others."""
    used = mentioned_items(structure) | {at for one in structure for at in one.names}
    out = list(structure)
    for at, item in enumerate(scene.items):
        if at and at not in used and [one.kind for one in scene.items[at - 1 : at + 1]] == [ANATOMY, "change"]:
            side = at - 2 if at > 1 and scene.items[at - 2].kind == "sideword" else None
            taken = of_whole(scene, at) == "removed"  # "the gallbladder was removed; ..."
            out += [Statement(at, "present", (Place((at - 1,), side),))] if taken else []
        if item.kind != FINDING or at in used or (item.adjective and not by_itself(scene, at)):
            continue
        before = at - 1
        while before >= 0 and scene.items[before].kind in _BEFORE_NOUN:
            before -= 1
        cue = scene.items[before].kind if before >= 0 else ""
        earlier = max((one for one in out if one.head < at), key=lambda one: one.head, default=None)
        if at + 1 < len(scene.items) and scene.items[at + 1].kind == "negpost":
            out.append(Statement(at, "absent"))
        elif cue in ("neg", "seen"):
            out.append(Statement(at, "absent" if cue == "neg" else "present"))
        elif cue == "cop" and (spoken := subject(scene, before)) >= 0:
            out.append(Statement(at, "absent" if is_denied(scene, at) else "present", (Place((spoken,), None),)))
        elif opens(scene, at):
            out.append(Statement(at, "present"))
        elif cue in ("and", "or", "comma") and earlier is not None and _in_list(scene, earlier, at):
            out.append(earlier._replace(head=at, modifiers=(), names=()))
    for at in _lost_qualities(scene, used):
        earlier = max((one for one in out if one.head < at), key=lambda one: one.head, default=None)
        if earlier is not None and _in_list(scene, earlier, at):
            out.append(earlier._replace(head=at, modifiers=(at + 1,), names=()))
    return tuple(sorted(out, key=lambda one: one.head))


def _lost_qualities(scene: ParsedSentence, used: Container[int]) -> list[int]:
    """Return the words of loss of qualities that deviate in no other way, if the structure omits both."""
    qualities, found = scene.knowledge.words.qualities, list[int]()
    for at, item in enumerate(scene.items[:-1]):
        values = qualities.get(scene.items[at + 1].id, {}) if scene.items[at + 1].kind == QUALITY else {}
        lost = "lost" in item.types or item.kind == "lost"
        if lost and "lost" in values and values["lost"] == values.get("dev") and at not in used and at + 1 not in used:
            found.append(at)
    return found


def _in_list(scene: ParsedSentence, earlier: Statement, at: int) -> bool:
    """Whether a finding continues a list of which another is a member."""
    between = scene.items[earlier.head + 1 : at]
    listed = all(item.kind in (*_BEFORE_NOUN, "and", "or", "comma", "with", "prep", "seq", FINDING, QUALITY) for item in between)
    return scene.items[earlier.head].kind != NORMAL and earlier.status in ("present", "absent") and listed


def to_their_nouns(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which an adjective before a comma modifies the noun of its phrase, and is not a finding by itself
    ("a hypodense, irregular lesion")."""
    heads = {one.head: one for one in structure}
    given: dict[int, set[int]] = {}
    out: list[Statement] = []
    for one in structure:
        noun = _noun_after(scene, one.head, heads)
        of_noun = noun >= 0 and not one.names and scene.items[max(0, one.head - 1)].kind != "cop"
        if of_noun and _only_describes(scene, one, heads[noun]):
            given.setdefault(noun, set()).update((one.head, *one.modifiers))
        else:
            out.append(one)
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *given.get(one.head, ())} - {one.head}))) for one in out)


def _only_describes(scene: ParsedSentence, one: Statement, noun: Statement) -> bool:
    """Whether an adjective only describes the noun after it ("no hypodense lesion")."""
    item, words = scene.items[one.head], scene.knowledge.words
    if item.kind == FINDING and scene.items[one.head + 1].kind == "comma" and scene.items[noun.head].id in words.lumps:
        return True
    may_describe = item.kind == DESCRIPTOR or (item.kind == FINDING and DESCRIPTOR in item.types and item.id not in words.own)
    return may_describe and scene.items[noun.head].kind == FINDING and one.status == noun.status


def _noun_after(scene: ParsedSentence, at: int, heads: Container[int]) -> int:
    """Return the head of the phrase of an adjective, or -1."""
    for other in range(at + 1, len(scene.items)) if _adjectival(scene, at) else ():
        if other in heads and not (scene.items[other].kind == FINDING and scene.items[other].adjective):
            return other if scene.items[other].kind in (FINDING, DESCRIPTOR) else -1
        placing = scene.items[other].kind == ANATOMY and scene.items[other].adjective
        if scene.items[other].kind != "comma" and not placing and not _adjectival(scene, other):
            break
    return -1


def _adjectival(scene: ParsedSentence, at: int) -> bool:
    """Whether an item is an adjective: a descriptor, a change, or a finding as an adjective."""
    item = scene.items[at]
    return item.kind in (DESCRIPTOR, "change") or (item.kind == FINDING and item.adjective)


def adjectives_claimed(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure with unused descriptors assigned to the noun of their phrase ("multiple ill-defined patchy foci"),
    or to the subject they are predicates of ("the opacities are scattered")."""
    used = mentioned_items(structure)
    out = list(structure)
    for at, item in enumerate(scene.items):
        told = item.kind in (DESCRIPTOR, "meas") or (
            item.kind == FINDING and item.adjective and _before_head(scene, at, structure)
        )
        if told and at not in used and ANATOMY not in item.types and not follows_nothing(scene, at):
            head = _noun_of(scene, at, {one.head for one in structure})
            for number, one in enumerate(out):
                if one.head == head:
                    out[number] = one._replace(modifiers=tuple(sorted({*one.modifiers, at})))
    return tuple(out)


def _before_head(scene: ParsedSentence, at: int, structure: Parse) -> bool:
    """Whether the noun that heads a statement follows an item, with only its side and structure between ("T1 hypointense
    focus", "occluded right ureteral stent")."""
    noun = next((n for n in range(at + 1, len(scene.items)) if scene.items[n].kind not in ("sideword", ANATOMY)), -1)
    found = noun >= 0 and scene.items[noun].kind == FINDING and not scene.items[noun].adjective
    return found and any(one.head == noun for one in structure)


def _noun_of(scene: ParsedSentence, at: int, heads: set[int]) -> int:
    """Return the head of the noun phrase of a descriptor, or the subject that it is the predicate of, or -1."""
    for other in range(at + 1, len(scene.items)):
        item = scene.items[other]
        if item.kind == FINDING and other in heads and not item.adjective:
            return other
        if item.kind not in PHRASE and not (item.kind == FINDING and item.adjective):
            break
    before, measured = at - 1, scene.items[at].kind == "meas"
    last = at + 1 == len(scene.items) or scene.items[at + 1].kind in _ENDING
    verbs = ("cop", "have") if last else ("cop",)  # "has smooth margins", and not "has markedly enlarged"
    while before >= 0 and scene.items[before].kind in (("cop", "stop", "comma") if measured else (*verbs, "stop")):
        before -= 1
    verb = measured or any(item.kind in verbs for item in scene.items[before + 1 : at])
    return before if verb and before in heads and scene.items[before].kind == FINDING else -1


def changes_claimed(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure with an unused change assigned to the finding before it in its clause ("the nodule in the right
    upper lobe has not changed in size")."""
    used = mentioned_items(structure)
    out = list(structure)
    for at, item in enumerate(scene.items):
        told = at not in used and (item.kind == "change" or (item.kind == FINDING and directional_change(scene, at) is not None))
        head = _changed(scene, at, {one.head for one in structure}) if told else -1
        for number, one in enumerate(out):
            if one.head == head and not any(scene.items[m].kind == "change" for m in one.modifiers):
                out[number] = one._replace(modifiers=tuple(sorted({*one.modifiers, at})))
    return tuple(out)


def _changed(scene: ParsedSentence, at: int, heads: set[int]) -> int:
    """Return the finding that a change is the predicate of, or the adjective that persists ("remains enlarged"), or -1."""
    after = at + 1
    if after in heads and scene.items[after].kind == FINDING and scene.items[after].adjective and scene.items[at].id == "stable":
        return after
    for other in range(at - 1, -1, -1):
        item = scene.items[other]
        if item.kind in _CLAUSE or item.kind in (NORMAL, "with", "cause") or (item.kind in LISTING and other == at - 1):
            break
        if other in heads:
            return other if item.kind == FINDING else -1
    return -1
