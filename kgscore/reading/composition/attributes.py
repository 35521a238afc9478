"""Attributes of findings: exclusive adjectives are of separate findings, and a predicate is of the finding, not its organ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.parsed_sentence import ParsedSentence, endings
from kgscore.reading.structure.values import Parse, Place, Statement

_ASSERTED = ("present", "possible", "probable", "presupposed")
# Kinds of items between a noun and its predicate: its sites, and a verb with adverbs.
_OF_SUBJECT = frozenset(("prep", "stop", "sideword", ANATOMY, "cop", DESCRIPTOR, "num", "meas"))
# The roles of predicates that apply to findings as well as to structures: larger, smaller, elsewhere.
_GEOMETRY = ("grown", "shrunken", "widened", "thickened", "moving", "shifts", "raised", "lowered")


def by_attribute(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure in which each attribute belongs to the finding that has it."""
    if not structure:
        return _denied_structure(scene)
    return tuple(_with_side_of_whole(scene, one) for one in _of_findings(scene, _separated(scene, structure)))


def _with_side_of_whole(scene: ParsedSentence, one: Statement) -> Statement:
    """Return a statement in which a part takes the side of its whole ("the upper pole and hilum of both kidneys")."""
    index, paired, places = scene.knowledge.index, scene.knowledge.words.paired, list(one.places)
    for number, (part, other) in enumerate(pairwise(one.places)):
        if part.side is not None or len(part.items) != 1 or len(other.items) != 1 or other.items[0] != part.items[0] + 2:
            continue
        first, last = scene.items[part.items[0]], scene.items[other.items[0]]
        joined = scene.items[part.items[0] + 1].kind in ("and", "or") and " of " in scene.said(other.items[0])
        wholes = index.within.get(first.id, frozenset()) & index.within.get(last.id, frozenset()) & paired
        if joined and last.side is not None and first.side is None and first.kind == last.kind == ANATOMY and wholes:
            places[number] = Place(part.items, other.items[0])
    return one._replace(places=tuple(places))


def _denied_structure(scene: ParsedSentence) -> Parse:
    """Return the statement of a sentence that only denies a structure ("No gallbladder is seen.")."""
    told = [at for at, item in enumerate(scene.items) if item.start >= scene.spoken and item.kind not in ("stop", "seen", "cop")]
    kinds = scene.kinds_at(told)
    if kinds not in (["neg", ANATOMY], ["neg", "sideword", ANATOMY]) or scene.items[told[-1]].adjective:
        return ()
    side = told[1] if len(told) > 2 else None
    return (Statement(told[0], "absent", (Place((told[-1],), side),)),)


def _separated(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with a statement for each of several exclusive adjectives ("sclerotic and lytic lesions")."""
    out = list(structure)
    for head in dict.fromkeys(one.head for one in structure):
        own = [one for one in out if one.head == head]
        members = _coordinated(scene, head)
        own_findings = not scene.knowledge.words.own.isdisjoint(scene.ids(members))  # "enhancing and nonenhancing"
        if members and not own_findings and all(one.status in _ASSERTED and not one.names for one in own):
            first = out.index(own[0])
            kept = [one for one in out if one.head not in (head, *members)]
            out = [*kept[:first], *_each_member(own, head, members), *kept[first:]]
    return tuple(out)


def _each_member(own: Sequence[Statement], head: int, members: Sequence[int]) -> list[Statement]:
    """Return a statement for each adjective of a list, which is its head or its last modifier."""
    places = dict.fromkeys(place for one in own for place in one.places if head not in place.items)
    shared = {*chain.from_iterable(one.modifiers for one in own)} - {*members}
    whole = own[0]._replace(places=tuple(places), modifiers=tuple(sorted(shared)))
    if head in members:
        return [whole._replace(head=at) for at in members]
    return [whole._replace(modifiers=tuple(sorted((*whole.modifiers, at)))) for at in members]


def _coordinated(scene: ParsedSentence, head: int) -> list[int]:
    """Return the exclusive adjectives of a list before a plural noun, or with it ("sclerotic and lytic lesions")."""
    items, last = scene.items, head - 1 if _describes(scene, head - 1) else head
    if items[head].kind != FINDING or not is_plural(scene, items[head]) or last < 2 or items[last - 1].kind != "and":
        return []
    found, at = [last], last
    while at > 1 and items[at - 1].kind in ("and", "comma"):
        at -= 1 + (items[at - 1].kind == "and" and items[at - 2].kind == "comma")  # ", and"
        if not _describes(scene, at - 1):
            break
        at -= 1
        found.append(at)
    members = found[::-1]
    shared = last != head or all(_shares_noun(scene, one, head) for one in members[:-1])
    return members if len(members) > 1 and shared and _exclusive(scene, members) else []


def _describes(scene: ParsedSentence, at: int) -> bool:
    kind = scene.kind(at)
    return kind == DESCRIPTOR or (kind == FINDING and scene.items[at].adjective)


def _shares_noun(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether an adjective and the last words of a noun name a finding."""
    return next(endings(scene, scene.words(head), FINDING, scene.words(at)), None) is not None


def _exclusive(scene: ParsedSentence, members: Sequence[int]) -> bool:
    """Whether adjectives are values of one category, or opposites, or all forms of a shadow."""
    words, index = scene.knowledge.words, scene.knowledge.index
    values = [_values(scene, at) for at in members]
    kinds = [{words.parents[name] for name in names if name in words.parents} for names in values]
    if set.intersection(*kinds) or all(not names.isdisjoint(words.flagged("forming")) for names in values):
        return True
    pairs = [(one, other) for at, one in enumerate(values) for other in values[at + 1 :]]
    return all(any(b in index.opposites.get(a, ()) for a in one for b in other) for one, other in pairs)


def _values(scene: ParsedSentence, at: int) -> set[str]:
    """Return the descriptors and findings that an adjective, or the first word of the name of a finding, expresses."""
    item, index = scene.items[at], scene.knowledge.index
    entries = () if item.kind == DESCRIPTOR else (*item.choices, *scene.knowledge.lexicon.lookup(scene.words(at)[:1]))
    names = {item.id, *(entry.id for entry in entries if entry.type in (DESCRIPTOR, FINDING))}
    return names.union(*(index.features.get(name, ()) for name in names))


def _of_findings(scene: ParsedSentence, structure: Parse) -> list[Statement]:
    """Return statements with a finding, not its organ, as the place of a predicate ("the cyst of the kidney is enlarged")."""
    heads = {one.head for one in structure if one.status in _ASSERTED and not scene.items[one.head].adjective}
    subjects = [_subject(scene, one, heads) for one in structure]
    return [one if at < 0 else one._replace(places=(Place((at,), None),)) for one, at in zip(structure, subjects, strict=True)]


def geometric(scene: ParsedSentence, at: int) -> bool:
    """Whether an item is an adjective of size or position."""
    item, knowledge = scene.items[at], scene.knowledge
    described = item.is_adjective
    return described and any(knowledge.index.is_any(item.id, knowledge.words.flagged(role)) for role in _GEOMETRY)


def _subject(scene: ParsedSentence, one: Statement, heads: set[int]) -> int:
    """Return the finding that is the subject of a predicate, or -1."""
    if not geometric(scene, one.head):
        return -1
    at = scene.beyond(one.head, -1, _OF_SUBJECT)
    bears = at in heads and scene.items[at].kind == FINDING and {"cop", "prep"}.issubset(scene.run(at + 1, one.head))
    return at if bears and scene.items[at].id not in scene.knowledge.words.devices else -1
