"""Gold structure: the marks of a sentence mapped to the items that the lexicon finds in it.

A mark maps to the items that it overlaps; if there are several, the one of its kind is the head and the others become
places, sides or modifiers of it. An item that covers several marks ("right upper lobe": a side and a site) represents them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from kgscore.knowledge import Knowledge
from kgscore.lab.annotation import marks
from kgscore.lab.annotation.marks import HEADS, Mark, Marked
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.mentions import Mention
from kgscore.reading.sections import sentences
from kgscore.reading.structure.decisions import BEARER, MODIFIER, NAME, PLACE, SIDE, Decisions, Pair
from kgscore.reading.structure.typed import TypedSentence, typed_sentence
from kgscore.reading.structure.values import Parse, Place, Statement

# Connecting items without content: they cover a mark only if nothing else does.
_CONNECTING = frozenset(
    (
        "stop", "comma", "semi", "colon", "and", "or", "cop", "have", "seen", "prep", "with", "but", "open", "close", "slash",
        "dash", "cause", "past", "ref", "neg", "infer", "where", "versus", "drop", "history", "spoken", "assert", "rather",
        "other", "except",
    )
)  # fmt: skip
_PUNCTUATION = frozenset(("comma", "semi", "colon", "open", "close", "slash", "dash", "ask"))
_VALUES = ("abnormal", "up", "down", "lost")
# For items inside a mark: the kinds it can be about, best first.
_ABOUT = {
    "f": (FINDING, *_VALUES, QUALITY, NORMAL, DESCRIPTOR, "change", ANATOMY),
    "v": (FINDING, ANATOMY, DESCRIPTOR),
    "p": (FINDING, ANATOMY, DESCRIPTOR),
    "n": (NORMAL, FINDING, DESCRIPTOR, "change", "assert", QUALITY, "cop"),
    "w": (*_VALUES, "signalword", FINDING, DESCRIPTOR, NORMAL, "change"),
    "q": (QUALITY, ANATOMY, FINDING, DESCRIPTOR),
    "s": (ANATOMY, FINDING, DESCRIPTOR),
    "d": ("sideword", ANATOMY, DESCRIPTOR),
    "m": (DESCRIPTOR, "meas", "num", FINDING, NORMAL),
    "c": ("change", FINDING, DESCRIPTOR, *_VALUES, "past"),
}


@dataclass(frozen=True, slots=True)
class Aligned:
    """A marked sentence as items and gold structure; marks that no item covers, heads that share their item with another."""

    marked: Marked
    sentence: TypedSentence
    structure: Parse
    uncovered: tuple[Mark, ...]
    merged: tuple[Mark, ...]

    @property
    def whole(self) -> bool:
        """Whether the items cover all the marks."""
        return not self.uncovered and not self.merged


@dataclass(frozen=True, slots=True)
class _Cover:
    """The items of a mark: the main one, and the others by their role."""

    main: int
    places: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    modifiers: tuple[int, ...] = ()

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(sorted((self.main, *self.places, *self.modifiers)))


def whole(text: str) -> tuple[int, int]:
    """Return the bounds of a text that is one sentence, as in a report: without a bullet before it, with its label."""
    cut = list(sentences(text))
    if not cut:
        return 0, len(text)
    first = cut[0].label[0] if cut[0].label else cut[0].start
    return min(first, cut[0].start), cut[-1].end


def align_marks(marked: Marked, knowledge: Knowledge) -> Aligned:
    """Return the gold structure of a marked sentence over the items that the lexicon finds in it."""
    start, end = whole(marked.text)
    sentence = typed_sentence(marked.text, knowledge.lexicon, knowledge.index, None, start, end)
    covers = {mark.id: cover for mark in marked.marks if (cover := _cover(mark, sentence.items)) is not None}
    uncovered = [mark for mark in marked.marks if mark.id not in covers]
    holders: dict[int, str] = {}
    merged = []
    for mark in marked.marks:
        if mark.kind in HEADS and mark.id in covers and holders.setdefault(covers[mark.id].main, mark.id) != mark.id:
            merged.append(mark)
    statements = (_statement(one, covers) for one in marked.statements if one.head in covers)
    return Aligned(marked, sentence, _deduplicate(tuple(dict.fromkeys(statements))), tuple(uncovered), tuple(merged))


def _deduplicate(statements: Parse) -> Parse:
    """Remove statements whose content is included in another of the same head: marks that share an item may be redundant."""
    return tuple(
        one
        for one in statements
        if not any(
            one is not other
            and (one.head, one.status) == (other.head, other.status)
            and {*one.places} <= {*other.places}
            and {*one.modifiers} <= {*other.modifiers}
            and {*one.names} <= {*other.names}
            for other in statements
        )
    )


def _cover(mark: Mark, items: Sequence[Mention]) -> _Cover | None:
    """Return the items of a mark, or None if its words have no items."""
    over = [
        position
        for position, item in enumerate(items)
        if item.start < mark.end and mark.start < item.end and item.kind not in _PUNCTUATION
    ]
    content = [position for position in over if items[position].kind not in _CONNECTING] or over
    if not content:
        return None
    main = _main(mark.kind, content, items)
    places, sides, modifiers = list[int](), list[int](), list[int]()
    roles = {ANATOMY: places, "sideword": sides}
    for position in content:
        if position != main:
            roles.get(items[position].kind, modifiers).append(position)
    return _Cover(main, tuple(places), tuple(sides), tuple(modifiers))


def _main(kind: str, content: Sequence[int], items: Sequence[Mention]) -> int:
    """Return the main item of a mark: of the best kind present, the last one, or the first before "of"."""
    for about in _ABOUT[kind]:
        found = [position for position in content if items[position].kind == about]
        if found:
            between = items[found[0] + 1 : found[-1]]
            return found[0] if any(item.kind == "prep" for item in between) else found[-1]
    return content[-1]


def _statement(one: marks.Statement, covers: dict[str, _Cover]) -> Statement:
    cover = covers[one.head]
    head = cover.main
    places = list(dict.fromkeys(found for place in one.places if (found := _place(place, covers, cover)) is not None))
    if not places and (cover.places or cover.sides):
        places = [Place(cover.places, _first(cover.sides))]
    taken = {head, *(position for place in places for position in (*place.items, place.side))}
    modifiers = {position for other in _known(one.modifiers, covers) for position in other.all}
    modifiers = modifiers.union(cover.modifiers) - taken
    names = dict.fromkeys(other.main for other in _known(one.names, covers) if other.main != head)
    return Statement(head, one.status, tuple(places), tuple(sorted(modifiers)), tuple(names))


def _known(names: Iterable[str], covers: Mapping[str, _Cover]) -> list[_Cover]:
    return [covers[name] for name in names if name in covers]


def _place(place: marks.Place, covers: dict[str, _Cover], head: _Cover) -> Place | None:
    """Return a place without what the head's own words state, or None if nothing remains."""
    sites = _known(place.sites, covers)
    items = {position for cover in sites for position in (*cover.all, *head.places) if position != head.main}
    sides = [covers[place.side].main] if place.side in covers else []
    sides += [position for cover in (*sites, head) for position in cover.sides]
    if not items:
        items.update(head.places)
    side = _first(position for position in sides if position not in items)
    return Place(tuple(sorted(items)), side) if items or (side is not None and side != head.main) else None


def _first(positions: Iterable[int]) -> int | None:
    return next(iter(positions), None)


def decided(structure: Parse) -> Decisions:
    """Return a structure as decisions."""
    out = Decisions()
    for head in dict.fromkeys(one.head for one in structure):
        said = [one for one in structure if one.head == head]
        out.head[head] = said[0].status
        groups = [_linked(out, one) for one in single(said)]
        if len(said) > 1:
            out.apart.update((head, *pair) for pair in _apart(out, head, groups))
    return out


def _apart(out: Decisions, head: int, groups: list[list[int]]) -> list[Pair]:
    """Return the pairs of items of a head that no statement has together; two places are always apart."""
    places = {item for (h, item), link in out.link.items() if h == head and link in (PLACE, SIDE, BEARER)}
    together = {pair for group in groups for pair in combinations(group, 2)}
    pairs = combinations(sorted({*chain.from_iterable(groups)}), 2)
    return [pair for pair in pairs if pair not in together and not places.issuperset(pair)]


def _linked(out: Decisions, one: Statement) -> list[int]:
    """Add the links of a statement with one place at most, and return its modifiers and what names its place."""
    head, own = one.head, {*one.modifiers}
    for place in one.places:
        out.join.update(combinations(sorted(place.items), 2))
        out.link.update(((head, item), PLACE) for item in place.items)
        if place.side is not None:
            out.link.setdefault((head, place.side), SIDE)
            out.side.update((item, place.side) for item in place.items)
        own.update(place.parts)
        if one.status != out.head[head]:
            out.turned.update(((head, item), one.status) for item in place.parts)
    for item in one.modifiers:
        out.link.setdefault((head, item), MODIFIER)
    for item in one.names:
        out.link[head, item] = BEARER if out.link.get((head, item)) in (PLACE, BEARER) else NAME
    return sorted(own)


def single(statements: Iterable[Statement]) -> list[Statement]:
    """Return statements with one place each, since each place is a statement of its own."""
    out: list[Statement] = []
    for one in statements:
        out += [one._replace(places=(place,)) for place in one.places] or [one]
    return out
