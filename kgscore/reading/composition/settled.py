"""Properties that the words of a sentence determine regardless of its structure: terse lines, shared nouns, forms, sides."""

from __future__ import annotations

from collections.abc import Container, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition import parsed_sentence as sentence
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.compound_terms import is_lesion
from kgscore.reading.composition.descriptors import details_of
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, completed_entry, of_whole
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Place, Statement

# A bare noun phrase.
_TERSE = frozenset((FINDING, ANATOMY, DESCRIPTOR, NORMAL, "sideword", "meas", "num", "stop", "ask"))
_IN_PHRASE = frozenset(("sideword", "stop", ANATOMY, UNKNOWN))
# Kinds of items between a structure and a finding after it in a list, and those that join the two.
_BEFORE_FINDING = frozenset((DESCRIPTOR, "stop", ANATOMY, "sideword"))
_JOINING = frozenset(("and", "or", "slash"))
# A structure, or qualities of it, and their change.
_UNCHANGED = LISTING | frozenset((ANATOMY, QUALITY, "cop", "change", "sideword", "stop", "colon", "negpost"))


def terse(scene: ParsedSentence) -> Parse:
    """Return the statements of a line that is a noun phrase of a finding ("?Dissection") or structure ("stable heart size")."""
    own = scene.kinds - {"label"}
    at = {kind: tuple(scene.of_kind(kind, range(len(scene.items)))) for kind in own}
    sites = tuple(Place((site,), None) for site in at.get(ANATOMY, ()))
    if own <= _UNCHANGED:
        return _unchanged(scene, at, sites)
    if not own - _beside_normal(own) <= _TERSE:
        return ()
    if NORMAL in own:  # "Normal mineralization."
        return tuple(Statement(head, "normal", sites, at.get(QUALITY, ())) for head in at[NORMAL] if FINDING not in own)
    if sites and not {FINDING, "meas"} & own:  # "Small orbits."
        sizes = scene.knowledge.words.flagged("size_values")
        return tuple(Statement(n, "present", sites) for n, item in enumerate(scene.items) if item.id in sizes)[:1]
    nouns = (head for head in at.get(FINDING, ()) if not scene.items[head].adjective)
    return tuple(Statement(head, ("present", "possible")["ask" in own]) for head in nouns)


def _beside_normal(kinds: frozenset[str]) -> frozenset[str]:
    """Return the kinds of items that a bare noun phrase with a normal word may also have ("The kidney is benign-appearing.")."""
    return frozenset((QUALITY, "cop") if {ANATOMY, NORMAL} <= kinds else (QUALITY,) if NORMAL in kinds else ())


def _unchanged(scene: ParsedSentence, at: dict[str, tuple[int, ...]], sites: tuple[Place, ...]) -> Parse:
    """Return the statements of a line about a structure or a quality ("Ventricular size is unchanged.")."""
    if not sites:
        return tuple(Statement(quality, "present", (), at.get("change", ())) for quality in at.get(QUALITY, ()))
    told = (n for n in range(len(scene.items)) if of_whole(scene, n))
    return tuple(Statement(n, "normal" if scene.items[n].id == "stable" else "present", sites) for n in told)


def named_apart(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement without places that share its noun or adjective, which are others ("no cord or root compression")."""
    own, kept = list[Statement](), list[Place]()
    for place in one.places:
        at = next((at for at in place.items if _beside(scene, at, one.head)), -1)
        if not _shares(scene, at, one.head):
            kept.append(place)
            continue
        rest = _without(place.items, (at,))
        around = (Place(rest, place.side),) if rest or place.side is not None else ()
        own.append(Statement(at, one.status, around, tuple(m for m in one.modifiers if m < at or at > one.head)))
        kept += [Place(rest, None)] if rest else []
    given = {m for part in own for m in part.modifiers if m < part.head < one.head}
    left = one._replace(places=tuple(dict.fromkeys(kept)), modifiers=_without(one.modifiers, given))
    return sorted([left, *own], key=lambda statement: statement.head) if own else [one]


def _without(modifiers: Sequence[int], given: Container[int]) -> tuple[int, ...]:
    return tuple(at for at in modifiers if at not in given)


def alternating(scene: ParsedSentence, one: Statement) -> list[Statement]:
    """Return a statement split by the forms in a list, each a finding ("patchy and linear opacities"), unless of one thing."""
    item, kinds = scene.items[one.head], _forms(scene, one)
    if item.kind != FINDING:
        return [one]
    if more := _forms_after(scene, one) if _is_form(item) else ():  # "nodular, patchy and linear"
        return [one._replace(head=at, modifiers=_without(one.modifiers, more)) for at in (one.head, *more)]
    if not kinds:
        return [one]
    formed = [at for at in kinds if _gives_form(scene, at)]
    if scene.items[one.head - 1].kind in LISTING:  # the last form is in the name of the finding: "patchy and linear opacities"
        own = [at for at in formed if (noun := sentence.noun_after(scene, at)) is not None and noun.id != item.id]
        left = one._replace(modifiers=_without(one.modifiers, own))
        return [*(left._replace(head=at, names=()) for at in own), left]
    apart = _named_by_form(scene, one, kinds, all_formed=len(formed) == len(kinds))
    return [one._replace(modifiers=_without(one.modifiers, {*kinds} - {*kept})) for kept in apart] or [one]


def _named_by_form(scene: ParsedSentence, one: Statement, kinds: Sequence[int], *, all_formed: bool) -> list[tuple[int, ...]]:
    """Return the forms of each of the findings that a plural noun with several forms names, if one has a concept of its own."""
    item = scene.items[one.head]
    named = [] if item.adjective else [at for at in kinds if _names_one(scene, one, at)]
    rest = _without(kinds, named)
    if not named or not (rest or (all_formed and is_plural(scene, item))):
        return []
    return [*((at,) for at in named), *((rest,) if rest else ())]


def _forms(scene: ParsedSentence, one: Statement) -> tuple[int, ...]:
    """Return the forms of a finding listed directly before it, two or more ("nodular and linear hyperdense opacities")."""
    at, found = one.head, list[int]()
    while (before := at - 1) >= 0:
        if scene.items[before].kind in LISTING or (not found and _is_no_form(scene, one, before)):
            at = before
        elif before in one.modifiers and _is_form(scene.items[before]) and (not found or scene.items[at].kind in LISTING):
            found, at = [before, *found], before
        else:
            break
    joined = not {"and", "or"}.isdisjoint(scene.run(found[0], one.head)) if found else False
    last = scene.items[one.head]
    inside = scene.items[one.head - 1].kind in LISTING and last.last > last.first
    return tuple(found) if joined and (inside or len(found) > 1) else ()


def _forms_after(scene: ParsedSentence, one: Statement) -> tuple[int, ...]:
    """Return the forms among the modifiers of a form that continue its list and share its noun."""
    after = (at for at in scene.of_kind(DESCRIPTOR, one.modifiers) if at > one.head and scene.items[at - 1].kind in LISTING)
    forming = scene.knowledge.words.flagged("forming")
    return tuple(at for at in after if scene.items[at].id in forming and sentence.noun_after(scene, at) is not None)


def _is_no_form(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether an adjective directly before a finding, and after its forms, is not a form ("linear dense")."""
    adjective = at in one.modifiers and scene.items[at].kind == FINDING and _is_form(scene.items[at])
    return adjective and _is_form(scene.items[at - 1]) and not _gives_form(scene, at)


def _gives_form(scene: ParsedSentence, at: int) -> bool:
    """Whether an item gives a form to a finding."""
    return not scene.knowledge.words.flagged("forming").isdisjoint(detail.value for detail in details_of(scene, (at,)))


def _is_form(item: Mention) -> bool:
    """Whether an item is a descriptor, or an adjective that may be one ("nodular")."""
    return item.kind == DESCRIPTOR or (item.is_adjective and DESCRIPTOR in item.types)


def _names_one(scene: ParsedSentence, one: Statement, at: int) -> bool:
    """Whether a finding at its site with a descriptor has its own concept."""
    index = scene.knowledge.index
    sites = tuple(scene.ids(scene.of_kind(ANATOMY, one.placed)))
    concept = index.fold(scene.items[one.head].id, sites)
    return any(index.refined(concept, detail.value, sites) is not None for detail in details_of(scene, (at,)))


def _beside(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure and a finding are adjacent members of a list, each possibly with adjectives."""
    between, ahead = scene.run(min(at, head) + 1, max(at, head)), at < head
    allowed = LISTING.union(_BEFORE_FINDING if ahead else (DESCRIPTOR, "stop"))
    joint = between[0] if between else ""
    if scene.items[at].kind != ANATOMY or joint not in (LISTING if ahead else _JOINING) or not allowed.issuperset(between):
        return False
    phrase = (joint == "comma" and ANATOMY not in between) or _JOINING.isdisjoint(between)
    opens = scene.kind(scene.beyond(at, -1, _IN_PHRASE))
    return not (ahead and phrase and opens in ("prep", "near"))  # "at L4-5, a broad-based bulge", "near the left apex, patchy"


def _shares(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a structure names a finding with words shared with another one."""
    if at < 0 or scene.items[head].kind != FINDING:
        return False
    noun = sentence.noun_after if at < head else sentence.noun_before
    entry = completed_entry(scene, at, FINDING) or noun(scene, at)
    return entry is not None and entry.id != scene.items[head].id


def sides_shared(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement with a side also at the next places that share its noun ("right parietal and occipital lobes")."""
    out: list[Place] = []
    for place in one.places:
        shared = bool(out and place.side is None and len(place.items) == 1 and _same_noun(scene, out[-1], place))
        out.append(place._replace(side=out[-1].side) if shared else place)
    return one._replace(places=tuple(out))


def _same_noun(scene: ParsedSentence, before: Place, place: Place) -> bool:
    """Whether a place shares its noun with a preceding one with a side in a list."""
    if not before.items or before.side is None or before.side > before.items[0]:
        return False
    listed = {*scene.run(before.items[-1] + 1, place.items[0])} <= LISTING | {"stop"}
    return listed and any(completed_entry(scene, other.items[-1], ANATOMY) is not None for other in (place, before))


def once(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return the structure without adjectives already given to a finding ("a nodule, calcified", "nodes are enlarged")."""
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
    return may and noun.is_noun


def lacks_apart(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which an adjective of absence is a denial about its lesion ("a nonenhancing cyst")."""
    words, out = scene.knowledge.words, list[Statement]()
    apart = words.flagged("lacks") & words.flagged("attributes")
    for one in structure:
        lacking = [at for at in scene.of_kind(FINDING, one.modifiers) if scene.items[at].id in apart]
        if lacking and one.status == "present" and is_lesion(scene, one.head):
            one = one._replace(modifiers=_without(one.modifiers, lacking))
            out += [one, *(Statement(at, "present", (Place((one.head,), None),)) for at in lacking)]
        else:
            out.append(one)
    return tuple(dict.fromkeys(out))
