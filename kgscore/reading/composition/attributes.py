"""Attributes of findings: exclusive adjectives are of separate findings, and a predicate is of the finding, not its organ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING
from kgscore.reading.composition.anatomy import is_plural
from kgscore.reading.composition.parsed_sentence import ASSERTED, ParsedSentence, endings
from kgscore.reading.structure.values import Parse, Place, Statement

_ASSERTED = ASSERTED | {"presupposed"}
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
    pairs = pairwise((*one.places, Place((), None)))
    return one._replace(places=tuple(_on_side_of_whole(scene, part, other) for part, other in pairs))


def _on_side_of_whole(scene: ParsedSentence, part: Place, other: Place) -> Place:
    """Return a place on the side of the next one, if that names the whole of both."""
    if part.side is not None or len(part.items) != 1 or other.items != (part.items[0] + 2,):
        return part
    at, index = part.items[0], scene.index
    first, last = scene.items[at], scene.items[at + 2]
    joined = scene.kind(at + 1) in ("and", "or") and " of " in scene.said(at + 2)
    wholes = index.within.get(first.id, frozenset()) & index.within.get(last.id, frozenset()) & scene.vocabulary.paired
    return Place(part.items, at + 2) if joined and last.side is not None and first.side is None and wholes else part


def _denied_structure(scene: ParsedSentence) -> Parse:
    """Return the statement of a sentence that only denies a structure ("No gallbladder is seen.")."""
    told = [at for at, item in enumerate(scene.items) if item.start >= scene.spoken and item.kind not in ("stop", "seen", "cop")]
    kinds = scene.kinds_at(told)
    if kinds not in (["neg", ANATOMY], ["neg", "sideword", ANATOMY]) or scene.items[told[-1]].adjective:
        return ()
    return (Statement(told[0], "absent", (Place((told[-1],), next(iter(told[1:-1]), None)),)),)


def _separated(scene: ParsedSentence, structure: Parse) -> Parse:
    """Return a structure with a statement for each of several exclusive adjectives ("sclerotic and lytic lesions")."""
    out = list(structure)
    for head in dict.fromkeys(one.head for one in structure):
        own = [one for one in out if one.head == head]
        members = _coordinated(scene, head) if all(one.status in _ASSERTED and not one.names for one in own) else []
        if members:
            first = out.index(own[0])
            kept = [one for one in out if one.head not in (head, *members)]
            out = [*kept[:first], *_each_member(own, head, members), *kept[first:]]
    return tuple(out)


def _each_member(own: Sequence[Statement], head: int, members: Sequence[int]) -> list[Statement]:
    places = dict.fromkeys(chain.from_iterable(one.places for one in own))
    shared = {*chain.from_iterable(one.modifiers for one in own)} - {*members}
    whole = own[0]._replace(places=tuple(places), modifiers=tuple(sorted(shared)))
    if head in members:
        return [whole._replace(head=at) for at in members]
    return [whole._replace(modifiers=tuple(sorted((*whole.modifiers, at)))) for at in members]


def _coordinated(scene: ParsedSentence, head: int) -> list[int]:
    """Return the exclusive adjectives of a list before a plural noun, or with it ("sclerotic and lytic lesions")."""
    last = head - 1 if _describes(scene, head - 1) else head
    if scene.kind(head) != FINDING or not is_plural(scene, scene.items[head]) or scene.kind(last - 1) != "and":
        return []
    members, at = [last], last
    while scene.kind(at - 1) in ("and", "comma"):
        at -= 2 + (scene.run(at - 2, at) == ["comma", "and"])
        if not _describes(scene, at):
            break
        members.insert(0, at)
    shared = last != head or all(_shares_noun(scene, one, head) for one in members[:-1])
    apart = scene.vocabulary.own.isdisjoint(scene.ids(members))  # not "enhancing and nonenhancing"
    return members if len(members) > 1 and shared and apart and _exclusive(scene, members) else []


def _describes(scene: ParsedSentence, at: int) -> bool:
    kind = scene.kind(at)
    return kind == DESCRIPTOR or (kind == FINDING and scene.items[at].adjective)


def _shares_noun(scene: ParsedSentence, at: int, head: int) -> bool:
    return next(endings(scene, scene.words(head), FINDING, scene.words(at)), None) is not None


def _exclusive(scene: ParsedSentence, members: Sequence[int]) -> bool:
    """Whether adjectives are values of one category, or opposites, or all forms of a shadow."""
    values, parents, forming = [_values(scene, at) for at in members], scene.vocabulary.parents, scene.flagged("forming")
    kinds = [{parents[name] for name in names & parents.keys()} for names in values]
    if set.intersection(*kinds) or all(names & forming for names in values):
        return True
    opposed = scene.index.opposites
    return all(any(other & opposed.get(name, frozenset()) for name in one) for one, other in combinations(values, 2))


def _values(scene: ParsedSentence, at: int) -> set[str]:
    """Return the descriptors and findings that an adjective, or the first word of the name of a finding, expresses."""
    item = scene.items[at]
    entries = () if item.kind == DESCRIPTOR else (*item.choices, *scene.knowledge.lexicon.lookup(scene.words(at)[:1]))
    names = {item.id, *(entry.id for entry in entries)}
    return names.union(*(scene.index.features.get(name, ()) for name in names))


def _of_findings(scene: ParsedSentence, structure: Parse) -> list[Statement]:
    """Return statements with a finding, not its organ, as the place of a predicate ("the cyst of the kidney is enlarged")."""
    heads = {one.head for one in structure if one.status in _ASSERTED and not scene.items[one.head].adjective}
    subjects = [_subject(scene, one, heads) for one in structure]
    return [one if at < 0 else one._replace(places=(Place((at,), None),)) for one, at in zip(structure, subjects, strict=True)]


def geometric(scene: ParsedSentence, at: int) -> bool:
    """Whether an item is an adjective of size or position."""
    return scene.items[at].is_adjective and scene.is_any(scene.items[at].id, *_GEOMETRY)


def _subject(scene: ParsedSentence, one: Statement, heads: set[int]) -> int:
    if not geometric(scene, one.head):
        return -1
    at = scene.beyond(one.head, -1, _OF_SUBJECT)
    bears = at in heads and scene.kind(at) == FINDING and {"cop", "prep"}.issubset(scene.run(at + 1, one.head))
    return at if bears and scene.items[at].id not in scene.vocabulary.devices else -1
