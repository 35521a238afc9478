"""Expansion of ranges of spinal levels to lists, and shared words of lists of items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, UNKNOWN, Entry, Lexicon
from kgscore.reading.mentions import Mention
from kgscore.reading.tokens import Token

_BEFORE_LIST = frozenset(("and", "or", "comma", "slash", DESCRIPTOR, "stop", ANATOMY))
_RANGE = re.compile(r"([ctls])(\d{1,2})-([ctls])(\d{1,2})")
_THROUGH = frozenset(("to", "through", "thru", "down", "up"))
_TO = frozenset(("to", "through", "-", "thru"))
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip
_CARDINALS = tuple(str(number) for number in range(1, 13))
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
LEVELS = tuple(f"{letter}{n}" for letter, last in (("c", 7), ("t", 12), ("l", 5), ("s", 5)) for n in range(1, last + 1))
# The last word of what a level of a disc numbers.
_NUMBERED = re.compile("body|vertebra")


def expand_levels(items: list[Mention], tokens: Sequence[Token], lexicon: Lexicon) -> list[Mention]:
    """Expand a range of levels ("L2-L5") to its vertebrae, and a range of discs ("from L3-4 through L5-S1") to its discs; two
    adjacent levels remain the disc between them, unless they are those of vertebrae ("the L2-3 vertebral bodies")."""
    out: list[Mention] = []
    for position, item in enumerate(items):
        if ends := _vertebrae(items, tokens, position):
            levels = _between(ends[0] + ends[1], ends[2] + ends[3])
            vertebrae = _listed(item, [(level, "vertebra") for level in levels], lexicon) or [item]
            for one in vertebrae:
                one.side = side_before(out, len(out))
            out += vertebrae
            continue
        first, last = (_disc(items, tokens, at) for at in (position - 2, position))
        joint = items[position - 1] if position > 1 else item
        if first and last and joint.kind in ("prep", "dash", UNKNOWN) and tokens[joint.first].norm.lower() in _THROUGH:
            levels = _between(first[2] + first[3], last[0] + last[1])
            discs = [(f"{one}-{two}",) for one, two in pairwise(levels)]
            joint.kind = "and"
            out += _listed(item, [*discs, (mention_words(tokens, item)[0],)], lexicon)
            continue
        out.append(item)
    return out


def expand_ranges(items: list[Mention], tokens: Sequence[Token], lexicon: Lexicon) -> list[Mention]:
    """Expand a range of numbered structures to all its members: "ribs 3-6", "fourth through seventh ribs"."""
    out: list[Mention] = []
    at = 0
    items = _numbered(items, tokens, lexicon)
    while at < len(items):
        first, ahead = items[at], items[at + 1 : at + 3]
        last = next((item for item in ahead if tokens[item.first].norm not in _TO), None)
        members = _members(first, last, tokens, lexicon) if last else []
        if not members or last is None:
            out.append(first)
            at += 1
            continue
        for entry in members:
            if entry is not members[0]:
                out.append(_and_before(first))
            span = (first.start, last.end, first.first, last.last)
            out.append(Mention(ANATOMY, entry.id, side_before(items, at), False, *span, {ANATOMY: entry}, (entry,)))
        at += 2 + ahead.index(last)
    return out


def _numbered(items: list[Mention], tokens: Sequence[Token], lexicon: Lexicon) -> list[Mention]:
    """Attach a number to the structure that it numbers, and not to a part of all of them: "anterior ends of ribs 2-5"."""
    out: list[Mention] = []
    for item in items:
        before = out[-1] if out else item
        words = mention_words(tokens, before) if item.kind == "num" and before.kind == ANATOMY else ()
        if "of" in words and before.last == item.first - 1:
            whole = words[words.index("of") + 1 :]
            if entries := lexicon.structures((*whole, tokens[item.first].norm)):
                before.id, before.types, before.choices = entries[0].id, {ANATOMY: entries[0]}, tuple(entries)
                before.first, before.last, before.end = item.first - len(whole), item.last, item.end
                continue
        out.append(item)
    return out


def _members(first: Mention, last: Mention, tokens: Sequence[Token], lexicon: Lexicon) -> list[Entry]:
    """Return the structures from one number to another, if one of the two items has the noun."""
    begin, end = mention_words(tokens, first), mention_words(tokens, last)
    numbered = first.kind == ANATOMY and len(begin) > 1 == len(end)  # "ribs 3-6"
    if not numbered and not (last.kind == ANATOMY and len(end) > 1 == len(begin)):
        return []
    systems = (_CARDINALS, _ROMANS) if numbered else (_ORDINALS,)
    numbers = next((names for names in systems if begin[-1] in names and end[0] in names), None)
    if numbers is None:
        return []
    between = numbers[numbers.index(begin[-1]) : numbers.index(end[0]) + 1]
    return [entry for number in between for entry in lexicon.structures((*begin[:-1], number, *end[1:]))[:1]]


def _between(first: str, last: str) -> list[str]:
    """Return the levels from one to another, or an empty list if they are not levels."""
    known = first in LEVELS and last in LEVELS
    return list(LEVELS[LEVELS.index(first) : LEVELS.index(last) + 1]) if known else []


def _disc(items: list[Mention], tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Return letters and numbers of the two levels of a disc."""
    words = mention_words(tokens, items[at]) if at >= 0 and items[at].kind == ANATOMY else ()
    match = _RANGE.fullmatch(words[0]) if words else None
    return match.groups() if match else ()


def _vertebrae(items: list[Mention], tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Return letters and numbers of the first and last of several vertebrae, or nothing."""
    match = _RANGE.fullmatch(items[at].id) if items[at].kind == UNKNOWN else None
    if match is not None:
        return match.groups()
    return _disc(items, tokens, at) if _of_vertebrae(items, tokens, at) else ()


def _of_vertebrae(items: list[Mention], tokens: Sequence[Token], at: int) -> bool:
    """Whether a bare level of a disc numbers the vertebrae directly after it."""
    after = mention_words(tokens, items[at + 1])[-1:] if at + 1 < len(items) else ()
    return len(mention_words(tokens, items[at])) == 1 and any(map(_NUMBERED.fullmatch, after))


def _listed(item: Mention, names: Sequence[tuple[str, ...]], lexicon: Lexicon) -> list[Mention]:
    """Return the structures of these names, joined by "and", as replacements of an item."""
    out: list[Mention] = []
    for name in names:
        entries = lexicon.structures(name)
        if out:
            out.append(_and_before(item))
        span = (item.start, item.end, item.first, item.last)
        out.append(Mention(ANATOMY, entries[0].id, None, False, *span, {ANATOMY: entries[0]}, tuple(entries)))
    return out


def _and_before(item: Mention) -> Mention:
    return Mention("and", "", None, False, item.start, item.start, item.first, item.first)


def mention_words(tokens: Sequence[Token], item: Mention) -> tuple[str, ...]:
    """Return the words of an item as in the lexicon."""
    return tuple(token.norm.lower() for token in tokens[item.first : item.last + 1] if token.norm not in ("the", "-"))


def side_before(items: list[Mention], at: int) -> str | None:
    """Return the side before the first of coordinated modifiers ("left common femoral and popliteal veins")."""
    while at > 0 and items[at - 1].kind in _BEFORE_LIST:
        at -= 1
    word = items[at - 1] if at else None
    return word.id if word is not None and word.kind == "sideword" and word.id in ("left", "right", "both") else None
