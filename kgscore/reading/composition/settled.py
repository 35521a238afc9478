"""What the words of a sentence settle in any case, whatever its structure says: what a bare noun phrase states, findings beside a
cue, and nouns that members of a list share."""

from __future__ import annotations

from kgscore.reading.composition.headed import by_itself, opens, subject
from kgscore.reading.composition.negation import is_denied
from kgscore.reading.composition.parsed_sentence import (
    LISTING,
    ParsedSentence,
    completed_entry,
    noun_after,
    noun_before,
    of_whole,
)
from kgscore.reading.structure.values import Parse, Place, Statement, mentioned_items

# A bare noun phrase.
_TERSE = frozenset(("F", "A", "M", "N", "sideword", "meas", "num", "stop", "ask"))
# A structure, or qualities of it, and how they changed.
_UNCHANGED = LISTING | frozenset(("A", "Q", "cop", "change", "sideword", "stop", "colon", "negpost"))
# What may stand between a cue and the noun that it is said of.
_BEFORE_NOUN = ("stop", "M", "meas", "num")


def terse(scene: ParsedSentence) -> Parse:
    """Return the statements of a line that is nothing but a noun phrase of a finding ("Shallow inspiration.", "?Dissection"), or
    of a structure that is normal ("Conus ends at L1."), unchanged ("stable heart size") or taken out ("left kidney removed")."""
    kinds = [item.kind for item in scene.items]
    if "A" in kinds and _UNCHANGED.issuperset(kinds):
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == "A")
        said = {at: "normal" if item.id == "stable" else "present" for at, item in enumerate(scene.items) if of_whole(scene, at)}
        return tuple(Statement(at, status, sites) for at, status in said.items())
    if "Q" in kinds and _UNCHANGED.issuperset(kinds):  # "Ventricular size is unchanged."
        changes = tuple(at for at, kind in enumerate(kinds) if kind == "change")
        return tuple(Statement(at, "present", (), changes) for at, kind in enumerate(kinds) if kind == "Q")
    more = ("Q", "cop") if {"A", "N"} <= {*kinds} else ("Q",) if "N" in kinds else ()  # "The kidney is benign-appearing."
    if not _TERSE.issuperset(kind for kind in kinds if kind not in more):
        return ()
    if "A" in kinds and not {"F", "N", "meas"} & {*kinds}:  # "Small orbits."
        sizes = [at for at, item in enumerate(scene.items) if item.id in scene.knowledge.words.flagged("size_values")]
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == "A")
        return tuple(Statement(at, "present", sites) for at in sizes[:1])
    if "N" in kinds:
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == "A")
        qualities = tuple(at for at, kind in enumerate(kinds) if kind == "Q")  # "Normal mineralization."
        normal = tuple(Statement(at, "normal", sites, qualities) for at, kind in enumerate(kinds) if kind == "N")
        return normal if "F" not in kinds else ()
    status = "possible" if "ask" in kinds else "present"
    return tuple(Statement(at, status) for at, item in enumerate(scene.items) if item.kind == "F" and not item.adjective)


def named_apart(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement apart from those of its places that stand in a list with the finding itself and share its noun or its
    adjective: "no cord or nerve root compression", "mild cerebellar and moderate cerebral atrophy"."""
    own, kept = list[Statement](), list[Place]()
    for place in one.places:
        at = next((at for at in place.items if _beside(scene, at, one.head)), -1)
        if at < 0 or scene.items[one.head].kind != "F" or not _shares(scene, at, one.head):
            kept.append(place)
            continue
        rest = tuple(item for item in place.items if item != at)
        around = (Place(rest, place.side),) if rest or place.side is not None else ()
        modifiers = tuple(m for m in one.modifiers if m < at or at > one.head)
        own.append(Statement(at, one.status, around, modifiers))
        kept += [Place(rest, None)] if rest else []
    if not own:
        return [one]
    given = {m for part in own for m in part.modifiers if m < part.head < one.head}
    left = one._replace(places=tuple(dict.fromkeys(kept)), modifiers=tuple(m for m in one.modifiers if m not in given))
    return sorted([left, *own], key=lambda statement: statement.head)


def _beside(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure and a finding are neighbours in a list, each perhaps with adjectives."""
    between = scene.items[min(at, head) + 1 : max(at, head)]
    joined = bool(between) and between[0].kind in (LISTING if at < head else ("and", "or", "slash"))
    inner = ("M", "stop", "A", "sideword") if at < head else ("M", "stop")
    listed = not {"and", "or", "slash"}.isdisjoint(item.kind for item in between)
    opens = next((item.kind for item in reversed(scene.items[:at]) if item.kind not in ("sideword", "stop")), "")
    if at < head and not listed and opens == "prep":
        return False  # "at L4-5, a broad-based bulge", "in the left apex, consolidation"
    return scene.items[at].kind == "A" and joined and all(item.kind in LISTING or item.kind in inner for item in between)


def _shares(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure names a finding with words that it shares with another one."""
    entry = completed_entry(scene, at, "F") or (noun_after(scene, at) if at < head else noun_before(scene, at))
    return entry is not None and entry.id != scene.items[head].id


def left_out(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with the findings that it leaves out though a cue stands right beside them ("no mass", "mass (-)",
    "there is a mass") or they end a list of others."""
    used = mentioned_items(structure) | {at for one in structure for at in one.names}
    out = list(structure)
    for at, item in enumerate(scene.items):
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
            out.append(Statement(at, "absent" if is_denied(scene, at) else "present", (Place((spoken,), None),)))
        elif opens(scene, at):
            out.append(Statement(at, "present"))
        elif cue in ("and", "or", "comma") and earlier is not None and _in_list(scene, earlier, at):
            out.append(earlier._replace(head=at, modifiers=(), names=()))
    return tuple(sorted(out, key=lambda one: one.head))


def _in_list(scene: ParsedSentence, earlier: Statement, at: int) -> bool:
    """Whether a finding goes on a list in which another is a member."""
    between = scene.items[earlier.head + 1 : at]
    listed = all(item.kind in (*_BEFORE_NOUN, "and", "or", "comma", "prep", "seq", "F") for item in between)
    return scene.items[earlier.head].kind != "N" and earlier.status in ("present", "absent") and listed
