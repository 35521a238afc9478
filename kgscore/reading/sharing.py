"""What coordinated items share: a head noun, a number, a level of the spine, an empty noun, a side."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from kgscore.linking.lexicon import Entry, Lexicon
from kgscore.reading.items import Item
from kgscore.reading.tokens import Token, phrase_key

_CONJ = frozenset(("and", "or", "comma", "slash"))
_IN_LIST = _CONJ | {"M", "F", "W", "A"}
_BEFORE_LIST = _CONJ | {"M", "stop", "A"}
_PREFIXES = (
    "intra", "extra", "supra", "infra", "inter", "retro", "peri", "pre", "post", "sub", "epi", "hyper", "hypo", "macro", "micro",
)  # fmt: skip
_RANGE = re.compile(r"([ctls])(\d{1,2})-([ctls])(\d{1,2})")
_THROUGH = frozenset(("to", "through", "thru", "down", "up"))
_SPINE = tuple(f"{letter}{n}" for letter, last in (("c", 7), ("t", 12), ("l", 5), ("s", 5)) for n in range(1, last + 1))


def share_head_noun(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Give coordinated modifiers the noun they share: "mediastinal, hilar and axillary lymph nodes".

    An item before a conjunction whose words, joined with the last words of the item after it, are a form of the
    lexicon is that form ("anterior and posterior cruciate ligaments", "fifth and sixth ribs"). A side said before the
    first holds for all ("right frontal, temporal and parietal lobes").
    """
    for position in range(len(items) - 1, 0, -1):
        item = items[position]
        if item.kind not in ("A", "F") or item.last - item.first < 1:
            continue
        words = [token.norm.lower() for token in tokens[item.first : item.last + 1] if token.norm not in ("the", "-")]
        members = [item]
        first = position
        at = position - 1
        while at >= 1 and items[at].kind in _CONJ:
            while at >= 1 and items[at].kind in _CONJ:
                at -= 1
            before = items[at]
            found, wide = _with_noun(items, at, words, item.kind, tokens, lexicon)
            if found is None:
                break
            if wide:
                items[at - 1].kind = "stop"
            before.kind, before.id, before.adjective = item.kind, found[0].id, False
            before.side = found[0].side or before.side
            before.types, before.choices = {item.kind: found[0]}, tuple(found)
            members.append(before)
            first = at
            at -= 1
        if len(members) > 1:
            side = _side_before(items, first)
            for member in members:
                member.side = member.side or side


def _with_noun(
    items: list[Item], at: int, words: list[str], kind: str, tokens: Sequence[Token], lexicon: Lexicon
) -> tuple[list[Entry] | None, bool]:
    """Return the entries of an item joined with the last of `words`, and whether the item before it was needed too."""
    before = items[at]
    if before.kind not in ("stop", "W", "A", "M", "num", "F", "N", "cause", "Q"):
        return None, False
    if before.kind == "A" and not before.adjective and before.last > before.first:
        return None, False
    own = [token.norm.lower() for token in tokens[before.first : before.last + 1]]
    joined = at and items[at - 1].kind in ("W", "A", "M", "stop") and items[at - 1].last == before.first - 1
    wider = [token.norm.lower() for token in tokens[items[at - 1].first : before.last + 1]] if joined else []
    for keep in range(1, len(words)):
        for start in (wider, own):
            entries = [e for e in lexicon.lookup([*start, *words[keep:]]) if e.type == kind] if start else []
            if entries:
                return entries, start is wider and bool(wider)
    return None, False


def share_prefix(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Complete a prefix that waits for the word of the next one: "intra- and extrahepatic ducts"."""
    for position, item in enumerate(items):
        prefix = tokens[item.first].norm.lower()
        if item.kind != "W" or prefix not in _PREFIXES:
            continue
        at = position + 1
        while at < len(items) and items[at].kind in ("dash", *_CONJ):
            at += 1
        if at == position + 1 or at == len(items):
            continue
        word = tokens[items[at].first].norm.lower()
        other = next((p for p in _PREFIXES if word.startswith(p) and len(word) > len(p) + 2), None)
        rest = [token.norm.lower() for token in tokens[items[at].first + 1 : items[at].last + 1]]
        entries = lexicon.lookup([prefix + word[len(other) :], *rest]) if other else ()
        if entries:
            entry = entries[0]
            item.kind, item.id, item.side, item.adjective = entry.type, entry.id, entry.side, entry.adjective
            item.types, item.choices = {entry.type: entry}, tuple(entries)


def spread_levels(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Make of a range of levels ("L2-L5") its vertebrae, and of a range of discs ("from L3-4 through L5-S1") its discs; two
    neighbouring levels stay the disc between them."""
    out: list[Item] = []
    for position, item in enumerate(items):
        match = _RANGE.fullmatch(item.id) if item.kind == "W" else None
        if match is not None:
            levels = _between(match[1] + match[2], match[3] + match[4])
            vertebrae = _listed(item, [(level, "vertebra") for level in levels], lexicon) or [item]
            for one in vertebrae:
                one.side = _side_before(out, len(out))
            out += vertebrae
            continue
        first, last = (_disc(items, tokens, at) for at in (position - 2, position))
        joint = items[position - 1] if position > 1 else item
        if first and last and joint.kind in ("prep", "dash", "W") and tokens[joint.first].norm.lower() in _THROUGH:
            levels = _between(first[2] + first[3], last[0] + last[1])
            discs = [(f"{one}-{two}",) for one, two in zip(levels, levels[1:], strict=False)]
            joint.kind = "and"
            out += _listed(item, [*discs, (item_words(tokens, item)[0],)], lexicon)
            continue
        out.append(item)
    return out


def _between(first: str, last: str) -> list[str]:
    """Return the levels from one to another, or nothing where they are none."""
    if first not in _SPINE or last not in _SPINE:
        return []
    return list(_SPINE[_SPINE.index(first) : _SPINE.index(last) + 1])


def _disc(items: list[Item], tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Return letters and numbers of the two levels of a disc."""
    words = item_words(tokens, items[at]) if at >= 0 and items[at].kind == "A" else ()
    match = _RANGE.fullmatch(words[0]) if words else None
    return match.groups() if match else ()


def _listed(item: Item, names: Sequence[tuple[str, ...]], lexicon: Lexicon) -> list[Item]:
    """Return the structures of these names, joined by "and", in the place of an item."""
    out: list[Item] = []
    for name in names:
        entries = [e for e in lexicon.lookup(name) or lexicon.lookup(name[:1]) if e.type == "A"]
        if not entries:
            continue
        if out:
            out.append(Item("and", "", None, False, item.start, item.start, item.first, item.first))
        found = {"A": entries[0]}
        out.append(Item("A", entries[0].id, None, False, item.start, item.end, item.first, item.last, found, tuple(entries)))
    return out


def share_part(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon, labels: Callable[[str], str]) -> None:
    """Give each of a list of wholes the part that is said once: "heads of the second and third metacarpals", "L1 to L3
    transverse processes", "transverse processes of L1, L2 and L3"."""
    position = 0
    while position < len(items):
        last = position
        while last + 2 < len(items) and items[last].kind == "A" and items[last + 1].kind in _CONJ and items[last + 2].kind == "A":
            last += 2
        if items[position].kind == "A":
            _with_part(items, position, last, tokens, lexicon, labels)
        position = last + 1


def _with_part(
    items: list[Item], first: int, last: int, tokens: Sequence[Token], lexicon: Lexicon, labels: Callable[[str], str]
) -> None:
    """Make of the wholes from `first` to `last` their part, which is said before them with "of", or after them."""
    before = items[first - 2] if first > 1 and items[first - 1].kind == "prep" else None
    after = last + 1
    while after < len(items) and items[after].kind in ("sideword", "stop"):
        after += 1
    part: Item | None = None
    if before is not None and before.kind == "A" and tokens[items[first - 1].first].norm == "of":
        part = before
    elif after < len(items) and items[after].kind == "A" and not items[after].adjective and last > first:
        part = items[after]
    wholes = items[first : last + 1 : 2]
    if part is None:
        return
    words = item_words(tokens, part)
    found = [_part_of(words, whole, tokens, lexicon, labels) for whole in wholes]
    if all(found):
        side = _side_before(items, first)
        for whole, entries in zip(wholes, found, strict=True):
            whole.id, whole.types, whole.choices = entries[0].id, {"A": entries[0]}, tuple(entries)
            whole.side = entries[0].side or whole.side or side
        part.kind = "stop"
        if part is before:
            items[first - 1].kind = "stop"


def _part_of(
    words: tuple[str, ...], whole: Item, tokens: Sequence[Token], lexicon: Lexicon, labels: Callable[[str], str]
) -> list[Entry]:
    """Return the part of a structure that these words name."""
    label = phrase_key(labels(whole.id))
    for name in (item_words(tokens, whole), label, label[:1]):
        for form in ((*words, "of", *name), (*name, *words)):
            entries = [e for e in lexicon.lookup(form) if e.type == "A"]
            if entries:
                return entries
    return []


def item_words(tokens: Sequence[Token], item: Item) -> tuple[str, ...]:
    """Return the words of an item as the lexicon knows them."""
    return tuple(token.norm.lower() for token in tokens[item.first : item.last + 1] if token.norm not in ("the", "-"))


def share_empty_noun(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon, empty: Container[str]) -> None:
    """Give adjectives in a list the empty noun that makes them findings: "striated, patchy and nodular shadows"."""
    for position, item in enumerate(items):
        if item.kind != "F" or item.id not in empty or item.first != item.last:
            continue
        noun = tokens[item.first].norm.lower()
        at = position - 1
        listed = False
        while at >= 0 and items[at].kind in _IN_LIST:
            before = items[at]
            if before.kind in _CONJ:
                listed = True
            else:
                own = [token.norm.lower() for token in tokens[before.first : before.last + 1]]
                entries = [e for e in lexicon.lookup([*own, noun]) if e.type == "F" and e.id not in empty]
                if entries and (listed or any(i.kind in _CONJ for i in items[max(0, at - 3) : at])):
                    before.kind, before.id, before.adjective = "F", entries[0].id, False
                    before.types, before.choices = {"F": entries[0]}, tuple(entries)
                elif not entries and before.kind != "M":
                    break
            at -= 1


def share_number(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Give a later number or word the noun of the first: "ribs 8 and 9", "pancreatic body and tail"."""
    for position, item in enumerate(items):
        if item.kind != "A" or item.last == item.first:
            continue
        stem = [token.norm.lower() for token in tokens[item.first : item.last] if token.norm != "the"]
        side = item.side or _side_before(items, position)
        at = position + 1
        while at + 1 < len(items) and items[at].kind in _CONJ and items[at + 1].kind in ("num", "W", "stop", "M", "A"):
            number = items[at + 1]
            if number.kind == "A" and tokens[number.first].norm.lower() not in _SPINE:
                break
            entries = [e for e in lexicon.lookup([*stem, tokens[number.first].norm.lower()]) if e.type == "A"]
            if not entries:
                break
            number.kind, number.id, number.side, number.types, number.choices = (
                "A",
                entries[0].id,
                side,
                {"A": entries[0]},
                tuple(entries),
            )
            at += 2


def _side_before(items: list[Item], at: int) -> str | None:
    """Return the side said before the first of coordinated modifiers ("left common femoral and popliteal veins")."""
    while at > 0 and items[at - 1].kind in _BEFORE_LIST:
        at -= 1
    word = items[at - 1] if at else None
    return word.id if word is not None and word.kind == "sideword" and word.id in ("left", "right", "both") else None
