"""The noun of a list of structures, descriptions of a break, objects of operations and what operations leave."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.reading.composition.descriptors import opposite_of_break
from kgscore.reading.composition.parsed_sentence import LISTING, PHRASE, ParsedSentence
from kgscore.reading.structure.values import Parse, Place, Statement

_CLAUSE = frozenset(("semi", "but", "colon"))
_AFTER = frozenset(("prep", "past", "cause", "stop", "near"))
_CHANGE = re.compile(r"(?:change|alteration)s?\Z", re.IGNORECASE)
# An operation that leaves a part of its object.
_PARTIAL = re.compile(r"(?:partial|subtotal|incomplete|near)", re.IGNORECASE)
# Kinds of items before the last member of a list of structures.
_MEMBER = LISTING | {ANATOMY, "sideword", "stop", DESCRIPTOR}
# Words that introduce the object of an operation ("of", "after", "related to"), or what it has left.
_OF = frozenset(("of", "for", "after", "following", "from"))
_OPENING = frozenset(("prep", "past", "cause"))
# A procedure between them ("changes after surgery for a hernia"), or a predicate of the changes ("changes are noted from …").
_BETWEEN = frozenset(("stop", "seen", UNKNOWN))
_SPOKEN_OF = frozenset(("present", "presupposed", "past"))
# An operation named by its indication.
SURGERY = re.compile(r"(?:surgery|operation)\Z", re.IGNORECASE)


def without_changes(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure without changes that only name the operation ("postoperative changes of lobectomy", "changes after
    resection of the lobe")."""
    words = scene.knowledge.words
    done = {one.head for one in structure if one.status != "none" and scene.items[one.head].id in words.states}

    def only_left(one: Statement) -> bool:
        at = one.head + 1
        if at >= len(scene.items) or scene.items[at].kind not in _AFTER:
            return False
        bare = scene.items[one.head].id in words.empty and bool(_CHANGE.match(scene.said(one.head)))
        if bare and scene.items[at].kind not in ("cause", "past"):
            return False
        if not bare and scene.items[one.head].id != words.role("operated"):
            return False
        while at < len(scene.items) and at not in done and (scene.items[at].kind in _AFTER or scene.items[at].kind in PHRASE):
            at += 1
        return at in done and all(other > at for place in one.places for other in place.items)

    return tuple(one for one in structure if one.status == "none" or not only_left(one))


def operated(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which the site of an operation is its object ("fixation of a radius fracture"), which is dropped
    if it is completely removed ("resection of a left meningioma", not "partial resection")."""
    words, is_any = scene.knowledge.words, scene.knowledge.index.is_any
    heads = {one.head: one for one in structure if one.status != "absent"}
    out = list(structure)
    for number, one in enumerate(structure):
        name = scene.items[one.head].id
        takes_away = is_any(name, words.flagged("takes_away"))
        if one.status not in ("present", "past") or not (takes_away or name in words.states or name in words.devices):
            continue
        of = _operand(scene, one.head, heads)
        if of < 0 and takes_away and _named(scene, one.head - 1, heads):
            of = one.head - 1  # "a tumour resection"
        if of < 0:
            continue
        if not any(place.items for place in one.places):
            out[number] = one._replace(places=(*one.places, Place((of,), None)))
        partial = any(_PARTIAL.match(scene.said(at)) for at in one.modifiers)
        if takes_away and not partial:
            out = [other._replace(status="none") if other.head == of else other for other in out]
    return tuple(out)


def left_behind(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which the changes after an operation on a finding are at its site, and the finding itself is
    dropped."""
    words = scene.knowledge.words
    heads = {one.head: one for one in structure if one.status in _SPOKEN_OF}
    out = list(structure)
    for at, item in enumerate(scene.items):
        surgery = item.kind == "stop" and SURGERY.match(scene.said(at)) is not None
        of = _operand(scene, at, heads) if surgery or item.id == words.role("operated") else -1  # "after surgery for a tumour"
        if surgery and _named(scene, at - 1, heads):
            of = at - 1  # "after renal tumour surgery"
        if of >= 0:
            places = tuple(p if p.items else Place((of,), p.side) for p in heads[of].places) or (Place((of,), None),)
            out = [one._replace(status="none") if one.head == of else one for one in out if one.head != at]
            out.append(Statement(at, "present", places))
    return tuple(out)


def _named(scene: ParsedSentence, at: int, heads: dict[int, Statement]) -> bool:
    """Whether an item is the noun of a finding that heads a statement and is not an operation itself."""
    words = scene.knowledge.words
    noun = at in heads and scene.items[at].kind == FINDING and not scene.items[at].adjective
    return noun and scene.items[at].id not in words.states and scene.items[at].id not in words.devices


def _operand(scene: ParsedSentence, at: int, heads: dict[int, Statement]) -> int:
    """Return the finding that was operated on, or -1."""
    words, of = scene.knowledge.words, at + 1
    while of < len(scene.items) and scene.items[of].kind in _BETWEEN:
        of += 1
    opens = of < len(scene.items) and scene.items[of].kind in _OPENING
    if not opens or (scene.items[of].kind == "prep" and scene.said(of) not in _OF):
        return -1
    of += 1
    while of < len(scene.items) and (scene.items[of].kind in PHRASE - {"comma", "and"} or _adjective(scene, of)):
        of += 1
    if of >= len(scene.items) or of not in heads or scene.items[of].kind != FINDING:
        return -1
    return -1 if scene.items[of].id in words.states or scene.items[of].id in words.devices else of


def _adjective(scene: ParsedSentence, at: int) -> bool:
    return scene.items[at].kind == FINDING and scene.items[at].adjective


def with_noun(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement headed by a structure with that structure as a place too, if it ends a list of its places ("enlarged
    hilar and axillary nodes")."""
    ends = [place.items[-1] for place in one.places if place.items]
    if scene.items[one.head].kind != ANATOMY or not ends or one.head < max(ends) or one.head in ends:
        return one
    between = [item.kind for item in scene.items[max(ends) + 1 : one.head]]
    if not {"and", "or", "slash"} & {*between} or not _MEMBER.issuperset(between):
        return one
    side = next((place.side for place in one.places if not place.items and (place.side or 0) > max(ends)), None)
    return one._replace(places=(*(place for place in one.places if place.items), Place((one.head,), side)))


def of_breaks(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which descriptions of a broken bone or of the break are modifiers of the break ("the rib is
    fractured and displaced", "a fracture with valgus angulation")."""
    is_a, broken = scene.knowledge.index.is_a, scene.knowledge.words.role("broken")
    breaks = [one for one in structure if scene.items[one.head].kind == FINDING and is_a(scene.items[one.head].id, broken)]
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
    """Whether a statement only describes the form of a break mentioned before it."""
    words, item = scene.knowledge.words, scene.items[one.head]
    form = item.types.get(DESCRIPTOR) if item.kind == FINDING else None
    name = item.id if item.kind == DESCRIPTOR else form.id if form is not None else ""
    if one.head <= of.head or words.parents.get(name) not in words.flagged("of_breaks") or one.names:
        return False
    between = {item.kind for item in scene.items[of.head : one.head]}
    if of.status not in ("present", "presupposed") or not _CLAUSE.isdisjoint(between):
        return False
    there = {at for place in of.places for at in place.items} | {of.head}
    said = {at for place in one.places for at in place.items if scene.items[at].kind not in ("stop", "prep")}
    denied = one.status == "absent" and opposite_of_break(scene, name) is not None
    return said <= there and (item.kind == DESCRIPTOR or one.status == "present" or denied)
