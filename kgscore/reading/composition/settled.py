"""Properties that the words of a sentence determine regardless of its structure: the status of a head, sides directly before a
site, and modifiers of one thing given in several statements."""

from __future__ import annotations

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.descriptors import details_of
from kgscore.reading.composition.parsed_sentence import (
    LISTING,
    ParsedSentence,
    completed_entry,
    noun_after,
    noun_before,
    of_whole,
)
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Place, Statement

# A bare noun phrase.
_TERSE = frozenset((FINDING, ANATOMY, DESCRIPTOR, NORMAL, "sideword", "meas", "num", "stop", "ask"))
# A structure, or qualities of it, and their change.
_UNCHANGED = LISTING | frozenset((ANATOMY, QUALITY, "cop", "change", "sideword", "stop", "colon", "negpost"))


def terse(scene: ParsedSentence) -> Parse:
    """Return the statements of a line that is only a noun phrase of a finding ("Shallow inspiration.", "?Dissection"), or of a
    structure that is normal ("Conus ends at L1."), unchanged ("stable heart size") or removed ("left kidney removed")."""
    kinds = [item.kind for item in scene.items]
    if ANATOMY in kinds and _UNCHANGED.issuperset(kinds):
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == ANATOMY)
        said = {at: "normal" if item.id == "stable" else "present" for at, item in enumerate(scene.items) if of_whole(scene, at)}
        return tuple(Statement(at, status, sites) for at, status in said.items())
    if QUALITY in kinds and _UNCHANGED.issuperset(kinds):  # "Ventricular size is unchanged."
        changes = tuple(at for at, kind in enumerate(kinds) if kind == "change")
        return tuple(Statement(at, "present", (), changes) for at, kind in enumerate(kinds) if kind == QUALITY)
    more = (
        (QUALITY, "cop") if {ANATOMY, NORMAL} <= {*kinds} else (QUALITY,) if NORMAL in kinds else ()
    )  # "The kidney is benign-appearing."
    if not _TERSE.issuperset(kind for kind in kinds if kind not in more):
        return ()
    if ANATOMY in kinds and not {FINDING, NORMAL, "meas"} & {*kinds}:  # "Small orbits."
        sizes = [at for at, item in enumerate(scene.items) if item.id in scene.knowledge.words.flagged("size_values")]
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == ANATOMY)
        return tuple(Statement(at, "present", sites) for at in sizes[:1])
    if NORMAL in kinds:
        sites = tuple(Place((at,), None) for at, kind in enumerate(kinds) if kind == ANATOMY)
        qualities = tuple(at for at, kind in enumerate(kinds) if kind == QUALITY)  # "Normal mineralization."
        normal = tuple(Statement(at, "normal", sites, qualities) for at, kind in enumerate(kinds) if kind == NORMAL)
        return normal if FINDING not in kinds else ()
    status = "possible" if "ask" in kinds else "present"
    return tuple(Statement(at, status) for at, item in enumerate(scene.items) if item.kind == FINDING and not item.adjective)


def named_apart(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement split into those of its places that are coordinated with the finding itself and share its noun or its
    adjective: "no cord or nerve root compression", "mild cerebellar and moderate cerebral atrophy"."""
    own, kept = list[Statement](), list[Place]()
    for place in one.places:
        at = next((at for at in place.items if _beside(scene, at, one.head)), -1)
        if at < 0 or scene.items[one.head].kind != FINDING or not _shares(scene, at, one.head):
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


def alternating(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement split by the forms in a list before its noun, each of which is a separate finding ("patchy and linear
    opacities", "patchy, linear and nodular opacities"). One thing may have all forms ("a solid and cystic mass")."""
    item, kinds = scene.items[one.head], _forms(scene, one)
    forming = scene.knowledge.words.flagged("forming")
    if item.kind == FINDING and _is_form(item) and (more := _forms_after(scene, one, forming)):  # "nodular, patchy and linear"
        left = tuple(m for m in one.modifiers if m not in more)
        return [one._replace(head=at, modifiers=left) for at in (one.head, *more)]
    if item.kind != FINDING or not kinds:
        return [one]
    formed = tuple(at for at in kinds if any(detail.value in forming for detail in details_of(scene, (at,))))
    if scene.items[one.head - 1].kind in LISTING:  # the last form is in the name of the finding: "patchy and linear opacities"
        own = tuple(at for at in formed if (noun := noun_after(scene, at)) is not None and noun.id != item.id)
        left = tuple(m for m in one.modifiers if m not in own)
        return [*(one._replace(head=at, modifiers=left, names=()) for at in own), one._replace(modifiers=left)]
    named = tuple(at for at in kinds if not item.adjective and _names_one(scene, one, at))
    rest = tuple(at for at in kinds if at not in named)
    if not named or not (rest or (len(formed) == len(kinds) and is_plural(scene, item))):
        return [one]
    apart = [*((at,) for at in named), *((rest,) if rest else ())]
    return [one._replace(modifiers=tuple(m for m in one.modifiers if m in kept or m not in kinds)) for kept in apart]


def _forms(scene: ParsedSentence, one: Statement) -> tuple[int, ...]:
    """Return the descriptors in a list directly before a finding that are forms of it, two or more; the last may be in its
    name, and a density may intervene ("nodular and linear hyperdense opacities")."""
    at, found = one.head, list[int]()
    while (before := at - 1) >= 0:
        if scene.items[before].kind in LISTING or (not found and _is_no_form(scene, one, before)):
            at = before
        elif before in one.modifiers and _is_form(scene.items[before]) and (not found or scene.items[at].kind in LISTING):
            found, at = [before, *found], before
        else:
            break
    between = {item.kind for item in scene.items[found[0] : one.head]} if found else set()
    last = scene.items[one.head]
    inside = scene.items[one.head - 1].kind in LISTING and last.last > last.first
    return tuple(found) if not between.isdisjoint(("and", "or")) and (inside or len(found) > 1) else ()


def _forms_after(scene: ParsedSentence, one: Statement, forming: frozenset[str]) -> tuple[int, ...]:
    """Return the forms among the modifiers of a form that continue its list and share its noun."""
    after = (at for at in one.modifiers if at > one.head and scene.items[at - 1].kind in LISTING)
    return tuple(
        at
        for at in after
        if scene.items[at].id in forming and scene.items[at].kind == DESCRIPTOR and noun_after(scene, at) is not None
    )


def _is_no_form(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether an adjective directly before a finding, and after its forms, is not a form ("linear dense")."""
    forming = scene.knowledge.words.flagged("forming")
    adjective = at in one.modifiers and scene.items[at].kind == FINDING and _is_form(scene.items[at])
    return adjective and _is_form(scene.items[at - 1]) and all(d.value not in forming for d in details_of(scene, (at,)))


def _is_form(item: Mention) -> bool:
    """Whether an item is a descriptor, or an adjective that may be one ("nodular")."""
    return item.kind == DESCRIPTOR or (item.kind == FINDING and item.adjective and DESCRIPTOR in item.types)


def _names_one(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether a finding at its site with a descriptor has its own concept."""
    index = scene.knowledge.index
    sites = tuple(scene.items[n].id for place in one.places for n in place.items if scene.items[n].kind == ANATOMY)
    concept = index.fold(scene.items[one.head].id, sites)
    return any(index.refined(concept, detail.value, sites) is not None for detail in details_of(scene, (at,)))


def _beside(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure and a finding are adjacent members of a list, each possibly with adjectives."""
    between = scene.items[min(at, head) + 1 : max(at, head)]
    joined = bool(between) and between[0].kind in (LISTING if at < head else ("and", "or", "slash"))
    inner = (DESCRIPTOR, "stop", ANATOMY, "sideword") if at < head else (DESCRIPTOR, "stop")
    listed = not {"and", "or", "slash"}.isdisjoint(item.kind for item in between)
    within = ("sideword", "stop", ANATOMY, UNKNOWN)
    opens = next((item.kind for item in reversed(scene.items[:at]) if item.kind not in within), "")
    phrase = joined and between[0].kind == "comma" and all(item.kind != ANATOMY for item in between)
    if at < head and opens in ("prep", "near") and (phrase or not listed):
        return False  # "at L4-5, a broad-based bulge", "near the left apex, patchy and linear opacities"
    return scene.items[at].kind == ANATOMY and joined and all(item.kind in LISTING or item.kind in inner for item in between)


def _shares(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure names a finding with words shared with another one."""
    entry = completed_entry(scene, at, FINDING) or (noun_after(scene, at) if at < head else noun_before(scene, at))
    return entry is not None and entry.id != scene.items[head].id


def sides_shared(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement in which the side of a place also applies to the next ones of its list that share its noun ("right
    transverse processes of L3 and L4", "right parietal and occipital lobes")."""
    out: list[Place] = []
    for place in one.places:
        shared = bool(out and place.side is None and len(place.items) == 1 and _same_noun(scene, out[-1], place))
        out.append(place._replace(side=out[-1].side) if shared else place)
    return one._replace(places=tuple(out))


def _same_noun(scene: ParsedSentence, before: Place, place: Place) -> bool:
    """Whether a place shares its noun with a preceding one with a side in a list."""
    if not before.items or before.side is None or before.side > before.items[0]:
        return False
    listed = all(item.kind in (*LISTING, "stop") for item in scene.items[before.items[-1] + 1 : place.items[0]])
    return listed and any(completed_entry(scene, other.items[-1], ANATOMY) is not None for other in (place, before))


def once(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure without statements of an adjective that describes another finding ("a nodule, calcified") or is said
    about its own bearer ("nodes are enlarged")."""
    said = {(at, one.head, one.status) for one in structure for at in one.modifiers}
    described = {(at, status) for at, head, status in said if _describes(scene, at, head)}

    def repeats(one: Statement) -> bool:
        about = any(len(place.items) == 1 and (one.head, place.items[0], one.status) in said for place in one.places)
        return about or ((one.head, one.status) in described and not one.names)

    return tuple(one for one in structure if not repeats(one))


def _describes(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether an adjective that names a finding describes another one."""
    item, noun = scene.items[at], scene.items[head]
    may = item.kind == FINDING and _is_form(item) and item.id not in scene.knowledge.words.own
    return may and noun.kind == FINDING and not noun.adjective


def _is_lesion(scene: ParsedSentence, at: int) -> bool:
    words, item = scene.knowledge.words, scene.items[at]
    return item.kind == FINDING and scene.knowledge.index.is_any(item.id, words.flagged("lesions") | words.lumps)


def lacks_apart(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which an adjective of absence is a denial about its lesion ("a nonenhancing cyst", as "a cyst
    without enhancement")."""
    words, items = scene.knowledge.words, scene.items
    lacks, attributes = words.flagged("lacks"), words.flagged("attributes")
    out: list[Statement] = []
    for one in structure:
        apart = [at for at in one.modifiers if items[at].kind == FINDING and items[at].id in lacks and items[at].id in attributes]
        if apart and (one.status != "present" or not _is_lesion(scene, one.head)):
            apart = []
        out.append(one._replace(modifiers=tuple(at for at in one.modifiers if at not in apart)))
        out += [Statement(at, "present", (Place((one.head,), None),)) for at in apart]
    return tuple(dict.fromkeys(out))
