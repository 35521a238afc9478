"""Descriptors, changes and nouns of which a structure says too little: each is given to the finding whose phrase it stands in."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from kgscore.reading.composition.denials import denied
from kgscore.reading.composition.headed import by_itself, headed, opens, subject
from kgscore.reading.composition.modifiers import moved
from kgscore.reading.composition.scene import LISTING, PHRASE, RELATIVE, Scene, of_whole, says_nothing
from kgscore.reading.composition.shared import shared
from kgscore.reading.structure.values import Place, Statement, Structure, spoken_of

_CLAUSE = frozenset(("semi", "but", "colon"))
# What may end a clause.
_ENDING = ("stop", "comma", "and", "semi", "but")
# So a descriptor begins that is a denial itself.
_DENYING = ("no ", "with no ", "without ")
# So something is said of what the sentence was about before.
_OWNING = frozenset(("whose", "its", "their", "which", "that"))
# So what follows is told of some of several.
_SOME = re.compile(r"\b(?:some|few|several|many|most|one|part|partly|partially)\b", re.IGNORECASE)
# What may stand between a cue and the noun that it is said of.
_BEFORE_NOUN = ("stop", "M", "meas", "num")


def given(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which what belongs to a finding by its place in the sentence is said of it."""
    kinds = {item.kind for item in scene.items}
    found = _sizes_of_denied(scene, structure) if "meas" in kinds else structure
    found = _to_their_nouns(scene, _with_left_out(scene, found))
    found = _descriptors_given(scene, _nouns_given(scene, found))
    found = _changes_claimed(scene, _adjectives_claimed(scene, _degrees_apart(scene, _looks_given(scene, found))))
    found = _edges_given(scene, _lacks_apart(scene, found))
    return shared(scene, _attributes_denied(scene, found) if {"with", "neg"} <= kinds else found)


def _lacks_apart(scene: Scene, structure: Structure) -> Structure:
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


def _edges_given(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where how the edges of a finding are describes it ("an opacity whose margins are indistinct")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    edges, lesions = words.flagged("edges"), words.flagged("lesions") | words.flagged("appearances") | words.lumps
    given: dict[int, int] = {}
    for one in structure:
        named = [*one.modifiers, *(at for place in one.places for at in place.items)]
        at = next((n for n in named if scene.items[n].id in edges and n < one.head), -1)
        around = {scene.said(n) for n in (at - 1, at + 1, at + 2) if 0 <= n < len(scene.items)}
        if at < 1 or one.status not in ("present", "normal") or _OWNING.isdisjoint(around):
            continue
        owners = [other.head for other in structure if other.head < at and other.status == "present" and other.head not in given]
        if owners and index.is_any(scene.items[max(owners)].id, lesions):
            given[one.head] = max(owners)
    return _folded(structure, given)


def _folded(structure: Structure, given: Mapping[int, int]) -> Structure:
    """Return a structure where the heads `given` to others are modifiers of those, and no statements of their own."""
    own = {of: {at for at in given if given[at] == of} for of in given.values()}
    kept = (one for one in structure if one.head not in given)
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *own.get(one.head, ())}))) for one in kept)


def _degrees_apart(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where the degree of a finding of its own is not that of another one too ("a nodule that is mildly T2
    hyperintense")."""
    own = scene.knowledge.words.own
    of = {one.head: one.head - 1 for one in structure if scene.items[one.head].id in own and one.head - 1 in one.modifiers}
    degrees = {at: head for head, at in of.items() if scene.items[at].kind == "M"}
    return tuple(
        one._replace(modifiers=tuple(at for at in one.modifiers if degrees.get(at, one.head) == one.head)) for one in structure
    )


def _looks_given(scene: Scene, structure: Structure) -> Structure:
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
        bearers = [b for b in bearers if lump(b, leading if held else lumps) and not (held and _apart(scene, one, b))]
        earlier = [other.head for other in bearers]
        between = {scene.items[at].kind for at in range(max(earlier, default=before), before)}
        if earlier and max(earlier) == max(other.head for other in structure if other.head < before) and "semi" not in between:
            given[one.head] = max(earlier)
    return _folded(structure, given)


def _apart(scene: Scene, one: Statement, other: Statement) -> bool:
    """Whether a finding has a place that another one has not ("a cyst in the kidney with calcification in the adrenal gland"), or
    is in some of several only ("nodules, some showing calcification")."""
    elsewhere = any(place not in other.places and place.items != (other.head,) for place in one.places)
    return elsewhere or _SOME.search(scene.text, scene.items[other.head].end, scene.items[one.head].start) is not None


def _attributes_denied(scene: Scene, structure: Structure) -> Structure:
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


def _sizes_of_denied(scene: Scene, structure: Structure) -> Structure:
    """Return a structure where a size after a denied finding is of the lesion before it ("a cyst, without enhancement, measuring
    3 cm")."""
    index, lesions = scene.knowledge.index, scene.knowledge.words.flagged("lesions") | scene.knowledge.words.lumps
    there = {one.head for one in structure if one.status == "present" and index.is_any(scene.items[one.head].id, lesions)}
    moved: dict[int, int] = {}
    for one in structure:
        before = [at for at in there if at < one.head]
        sizes = [at for at in one.modifiers if at > one.head and scene.items[at].kind == "meas"]
        if one.status == "absent" and before and "semi" not in {item.kind for item in scene.items[max(before) : one.head]}:
            moved |= dict.fromkeys(sizes, max(before))

    def own(one: Statement) -> tuple[int, ...]:
        more = (at for at, head in moved.items() if head == one.head and one.status == "present")
        return tuple(sorted({*(at for at in one.modifiers if at not in moved or one.status != "absent"), *more}))

    return tuple(one._replace(modifiers=own(one)) for one in structure) if moved else structure


def _with_left_out(scene: Scene, structure: Structure) -> Structure:
    """Return a structure with the findings that it leaves out though a cue stands right beside them ("no mass", "mass (-)",
    "there is a mass") or they end a list of others."""
    structure = tuple(_gone(scene, one) for one in headed(scene, structure))
    used = spoken_of(structure) | {at for one in structure for at in one.names}
    out = list(structure)
    for at, item in enumerate(scene.items):
        if item.kind == "negpost" and at not in used and (gone := _unseen(scene, at)):
            out.append(gone)
            continue
        if at and at not in used and [one.kind for one in scene.items[at - 1 : at + 1]] == ["A", "change"]:
            side = at - 2 if at > 1 and scene.items[at - 2].kind == "sideword" else None
            taken = of_whole(scene, at) == "removed"  # "the gallbladder was removed; ..."
            out += [Statement(at, "present", (Place((at - 1,), side),))] if taken else []
        if item.kind != "F" or at in used or (item.adjective and not by_itself(scene, at)):
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
            out.append(Statement(at, "absent" if denied(scene, at) else "present", (Place((spoken,), None),)))
        elif opens(scene, at):
            out.append(Statement(at, "present"))
        elif cue in ("and", "or", "comma") and earlier is not None and _in_list(scene, earlier, at):
            out.append(earlier._replace(head=at, modifiers=(), names=()))
        elif (twin := _twin_after(scene, out, at)) is not None:
            out.append(twin._replace(head=at, modifiers=(), names=()))
    return tuple(sorted(out, key=lambda one: one.head))


def _gone(scene: Scene, one: Statement) -> Statement:
    """Return a statement that a structure is not there as one of its absence, and no denial of that ("the lobe is not seen"); and
    one of a normal word that is a denial itself ("no abnormalities in the density of") as normal."""
    at, places = one.head, one.places
    if scene.items[at].kind == "N" and one.status == "absent" and scene.said(at).startswith("no "):
        return one._replace(status="normal")
    if scene.items[at].kind == "M" and one.status == "absent" and scene.said(at).startswith(_DENYING):
        return one._replace(status="present")  # "with no displacement of the septum"
    told = scene.items[at].kind == "negpost" or scene.said(at).startswith("absence")  # "…, absence of the left kidney"
    sequences = all(scene.items[other].kind == "seq" for other in one.modifiers)
    whole = told and one.status == "absent" and sequences and not one.names
    bare = bool(places) and all(place.items and all(scene.items[i].kind == "A" for i in place.items) for place in places)
    return one._replace(status="present") if whole and bare else one


def _unseen(scene: Scene, at: int) -> Statement | None:
    """Return the statement of a sentence that only says of one structure that it is not there ("the lobe cannot be seen")."""
    said = [number for number, item in enumerate(scene.items) if item.kind not in ("stop", "cop")]
    kinds = [scene.items[number].kind for number in said]
    if kinds[-2:] != ["A", "negpost"] or said[-1] != at or kinds[:-2] not in ([], ["sideword"]):
        return None
    return Statement(at, "present", (Place((said[-2],), said[0] if len(said) == 3 else None),))


def _in_list(scene: Scene, earlier: Statement, at: int) -> bool:
    """Whether a finding goes on a list in which another is a member."""
    between = scene.items[earlier.head + 1 : at]
    listed = all(item.kind in (*_BEFORE_NOUN, "and", "or", "comma", "prep", "seq", "F") for item in between)
    return scene.items[earlier.head].kind != "N" and earlier.status in ("present", "absent") and listed


def _twin_after(scene: Scene, structure: Sequence[Statement], at: int) -> Statement | None:
    """Return the statement of a finding that is joined to one of its kind before it and says of both where they are ("dark on T1
    and bright on T2 in the pons"), or None."""
    after = at + 1
    while after < len(scene.items) and scene.items[after].kind in ("stop", "M"):
        after += 1
    joined = after + 1 < len(scene.items) and scene.items[after].kind == "and"
    same = joined and scene.items[after + 1].kind == "F" and scene.items[after + 1].id in scene.knowledge.words.own
    return next((one for one in structure if same and one.head == after + 1), None)


def _to_their_nouns(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which an adjective before a comma is said of the noun of its phrase, and is no finding by itself ("a
    hypodense, irregular lesion")."""
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


def _only_describes(scene: Scene, one: Statement, noun: Statement) -> bool:
    """Whether an adjective says no more than what the noun after it is ("no hypodense lesion")."""
    item, words = scene.items[one.head], scene.knowledge.words
    if item.kind == "F" and scene.items[one.head + 1].kind == "comma" and scene.items[noun.head].id in words.lumps:
        return True
    may_describe = item.kind == "M" or (item.kind == "F" and "M" in item.types and item.id not in words.own)
    return may_describe and scene.items[noun.head].kind == "F" and one.status == noun.status


def _noun_after(scene: Scene, at: int, heads: Container[int]) -> int:
    """Return the head in whose phrase an adjective stands, or -1."""
    for other in range(at + 1, len(scene.items)) if _adjectival(scene, at) else ():
        if other in heads and not (scene.items[other].kind == "F" and scene.items[other].adjective):
            return other if scene.items[other].kind in ("F", "M") else -1
        placing = scene.items[other].kind == "A" and scene.items[other].adjective
        if scene.items[other].kind != "comma" and not placing and not _adjectival(scene, other):
            break
    return -1


def _adjectival(scene: Scene, at: int) -> bool:
    """Whether an item is an adjective: a descriptor, a change, or a finding said as one."""
    item = scene.items[at]
    return item.kind in ("M", "change") or (item.kind == "F" and item.adjective)


def _nouns_given(scene: Scene, structure: Structure) -> Structure:
    """Return the structure where a noun that only holds another finding is none itself, and its descriptors are the other's ("a
    tiny dot of hyperdensity", "small foci that are bright on T2")."""
    out = dict(enumerate(structure))
    for number, one in enumerate(structure):
        inner = _held(scene, one) if not one.names else -1
        for other, held in enumerate(structure):
            if held.head == inner and held.status == one.status and number in out:
                out[other] = held._replace(modifiers=tuple(sorted({*held.modifiers, *one.modifiers} - {held.head})))
                del out[number]
    return tuple(out.values())


def _held(scene: Scene, one: Statement) -> int:
    """Return the position of the finding that a noun only holds, or -1."""
    words, noun = scene.knowledge.words, scene.items[one.head].id
    after = scene.items[one.head + 1 : one.head + 4]
    kinds = [item.kind for item in after]
    if kinds[:2] == ["prep", "F"] and noun in words.generic and one.status == "present":
        return one.head + 2 if scene.said(one.head + 1) == "of" else -1
    if noun not in words.empty or "F" not in kinds:
        return -1
    inner = kinds.index("F")
    joined = kinds[:inner] == ["with"] or (kinds[:inner] == ["stop", "cop"] and scene.said(one.head + 1) in RELATIVE)
    return one.head + inner + 1 if joined and after[inner].id in words.own else -1


def _descriptors_given(scene: Scene, structure: Structure) -> Structure:
    """Return the structure where a descriptor that is said of a finding and of nothing else is a modifier of that ("fracture
    without displacement", "the lesion, without enhancement")."""
    heads = {one.head: one for one in structure}
    given: dict[int, set[int]] = {}
    out: list[Statement] = []
    for one in structure:
        said_of = [place.items[0] if len(place.items) == 1 else -1 for place in one.places] or [one.head - 1]
        bearers = [heads.get(at) for at in said_of]
        bare = scene.items[one.head].kind == "M" and not one.names and one.status != "normal"
        if bare and all(b is not None and scene.items[b.head].kind == "F" and b.status == one.status for b in bearers):
            for bearer in bearers:
                given.setdefault(bearer.head if bearer else -1, set()).update((one.head, *one.modifiers))
        else:
            out.append(one)
    return tuple(one._replace(modifiers=tuple(sorted({*one.modifiers, *given.get(one.head, ())} - {one.head}))) for one in out)


def _adjectives_claimed(scene: Scene, structure: Structure) -> Structure:
    """Return the structure where descriptors of which nothing is said belong to the noun of their phrase ("multiple ill-defined
    patchy foci"), or of which they are said ("the opacities are scattered")."""
    used = spoken_of(structure)
    out = list(structure)
    for at, item in enumerate(scene.items):
        told = item.kind in ("M", "meas") or (item.kind == "F" and item.adjective and _before_head(scene, at, structure))
        if told and at not in used and "A" not in item.types and not says_nothing(scene, at):
            head = _noun_of(scene, at, {one.head for one in structure})
            for number, one in enumerate(out):
                if one.head == head:
                    out[number] = one._replace(modifiers=tuple(sorted({*one.modifiers, at})))
    return tuple(out)


def _before_head(scene: Scene, at: int, structure: Structure) -> bool:
    """Whether the noun that heads a statement stands after an item, with nothing but its side and structure between ("T1
    hypointense focus", "occluded right ureteral stent")."""
    noun = next((n for n in range(at + 1, len(scene.items)) if scene.items[n].kind not in ("sideword", "A")), -1)
    found = noun >= 0 and scene.items[noun].kind == "F" and not scene.items[noun].adjective
    return found and any(one.head == noun for one in structure)


def _noun_of(scene: Scene, at: int, heads: set[int]) -> int:
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


def _changes_claimed(scene: Scene, structure: Structure) -> Structure:
    """Return the structure where a change of which nothing is said is that of the finding before it in its clause ("the nodule in
    the right upper lobe has not changed in size")."""
    used = spoken_of(structure)
    out = list(structure)
    for at, item in enumerate(scene.items):
        told = at not in used and (item.kind == "change" or (item.kind == "F" and moved(scene, at) is not None))
        head = _changed(scene, at, {one.head for one in structure}) if told else -1
        for number, one in enumerate(out):
            if one.head == head and not any(scene.items[m].kind == "change" for m in one.modifiers):
                out[number] = one._replace(modifiers=tuple(sorted({*one.modifiers, at})))
    return tuple(out)


def _changed(scene: Scene, at: int, heads: set[int]) -> int:
    """Return the finding of which a change is the predicate, or which it is said to be still ("remains enlarged"), or -1."""
    after = at + 1
    if after in heads and scene.items[after].kind == "F" and scene.items[after].adjective and scene.items[at].id == "stable":
        return after
    for other in range(at - 1, -1, -1):
        item = scene.items[other]
        if item.kind in _CLAUSE or item.kind in ("N", "with", "cause") or (item.kind in LISTING and other == at - 1):
            break
        if other in heads:
            return other if item.kind == "F" else -1
    return -1
