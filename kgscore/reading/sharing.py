"""What coordinated items share: a head noun, a number, a level of the spine, an empty noun, a side."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from kgscore.linking.lexicon import Entry, Lexicon
from kgscore.reading.items import Item
from kgscore.reading.spread import LEVELS, item_words, side_before
from kgscore.reading.tokens import Token, phrase_key

CONJUNCTIONS = frozenset(("and", "or", "comma", "slash"))
_IN_LIST = CONJUNCTIONS | {"M", "F", "W", "A"}
PREFIXES = (
    "intra", "extra", "supra", "infra", "inter", "retro", "peri", "pre", "post", "sub", "epi", "hyper", "hypo", "macro", "micro",
)  # fmt: skip
# Nouns that name a structure by the word before the first of a list ("renal artery and vein").
_NOUNS = frozenset(("artery", "vein", "duct", "ligament", "tendon", "nerve", "head", "neck", "base", "shaft", "canal"))
_TO = frozenset(("to", "through", "-", "thru"))
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip
_CARDINALS = tuple(str(number) for number in range(1, 13))
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
NUMBERS = frozenset((*_ORDINALS, *_CARDINALS, *_ROMANS))


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
        members, whole = [item], list[Item]()
        first = position
        at = position - 1
        while at >= 1 and _joins(items, at):
            joints: set[str] = set()
            while at >= 1 and _joins(items, at):
                if items[at].kind == "M" and joints and _with_noun(items, at, words, item.kind, tokens, lexicon)[0]:
                    break  # "the anterior cruciate and the medial and lateral collateral ligaments"
                joints.add(items[at].kind)
                at -= 1
            before = items[at]
            if before.kind == "A" and not before.adjective and any(item.id == "both" for item in items[at + 1 : first]):
                break  # "the right ureter and both renal pelves"
            if joints == {"comma"} and len(members) == 1 and before.kind == "A" and not before.adjective:
                break  # "right breast, upper outer quadrant": a place within the place before
            found, wide = _with_noun(items, at, words, item.kind, tokens, lexicon)
            if found is None and before.kind == item.kind and before.last > before.first and not before.adjective:
                whole.append(before)  # "frontal, anterior ethmoid and maxillary sinuses"
                at -= 1
                continue
            if found is None:
                break
            members, whole = members + whole, []
            if wide:
                items[at - 1].kind = "stop"
            before.kind, before.id, before.adjective = item.kind, found[0].id, False
            before.side = found[0].side or before.side
            before.types, before.choices = {item.kind: found[0]}, tuple(found)
            members.append(before)
            first = at
            at -= 2 if wide else 1
        if len(members) > 1:
            side = side_before(items, first) or (item.side if "of" in words else None)  # "medial wall and floor of the left one"
            for member in members:
                at = items.index(member)
                # "Moderate right hilar and mild mediastinal adenopathy": a finding with a degree of its own has its own side.
                graded = items[at - 1].kind == "M" and member.kind == "F" and at > first
                if not graded and (member is members[-1] or items[at - 1].kind != "sideword"):
                    member.side = member.side or side


def _joins(items: list[Item], at: int) -> bool:
    """Whether an item joins coordinated modifiers: a conjunction, or the side or degree after one ("right upper and left lower
    lobe", "mild cerebellar and moderate cerebral atrophy")."""
    return items[at].kind in CONJUNCTIONS or (items[at].kind in ("sideword", "M") and items[at - 1].kind in CONJUNCTIONS)


def _with_noun(
    items: list[Item], at: int, words: list[str], kind: str, tokens: Sequence[Token], lexicon: Lexicon
) -> tuple[list[Entry] | None, bool]:
    """Return the entries of an item joined with the last of `words`, and whether the item before it was needed too."""
    before = items[at]
    if before.kind not in ("stop", "W", "A", "M", "num", "F", "N", "cause", "Q"):
        return None, False
    if before.kind == "A" and not before.adjective and before.last > before.first:
        # "The anterior horn and body of the lateral meniscus"; other names are whole.
        whole = words[words.index("of") :] if "of" in words and kind == "A" else []
        named = [token.norm.lower() for token in tokens[before.first : before.last + 1]]
        entries = [e for e in lexicon.lookup([*named, *whole]) if e.type == kind] if whole else []
        return entries or None, False
    own = [token.norm.lower() for token in tokens[before.first : before.last + 1]]
    joined = at and items[at - 1].kind in ("W", "A", "M", "stop") and items[at - 1].last == before.first - 1
    wider = [token.norm.lower() for token in tokens[items[at - 1].first : before.last + 1]] if joined else []
    for keep in range(1, len(words)):
        for start in (wider, own):
            entries = [e for e in lexicon.lookup([*start, *words[keep:]]) if e.type == kind] if start else []
            if entries:
                return entries, start is wider and bool(wider)
    return None, False


def join_ranges(items: list[Item], tokens: Sequence[Token]) -> None:
    """Make a list of a stretch of vessels: "thrombus from the common femoral through the popliteal vein"."""
    for position, item in enumerate(items):
        if item.kind != "prep" or tokens[item.last].norm not in _TO or position + 1 == len(items):
            continue
        after = next((i for i in items[position + 1 :] if i.kind not in ("sideword", "stop")), item)
        vessel = after.kind == "A" and any(entry.module == "vascular" for entry in after.choices)
        if vessel and any(token.norm == "from" for token in tokens[max(0, item.first - 6) : item.first]):
            item.kind = "and"


def share_first_word(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Give later findings of a list the word that stands before the first: "pleural thickening or plaques"."""
    for position, item in enumerate(items):
        if item.kind != "F" or item.last == item.first or item.adjective:
            continue
        first = tokens[item.first].norm.lower()
        at = position + 1
        while at + 1 < len(items) and items[at].kind in CONJUNCTIONS:
            while at + 1 < len(items) and items[at].kind in CONJUNCTIONS:
                at += 1
            other = items[at]
            if other.kind != "F" or other.first != other.last or other.adjective:
                break
            entries = [e for e in lexicon.lookup((first, tokens[other.first].norm.lower())) if e.type == "F" and not e.adjective]
            if not entries:
                break
            other.id, other.types, other.choices = entries[0].id, {"F": entries[0]}, tuple(entries)
            at += 1


def share_prefix(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Complete a prefix that waits for the word of the next one: "intra- and extrahepatic ducts"."""
    for position, item in enumerate(items):
        prefix = tokens[item.first].norm.lower()
        if item.kind != "W" or prefix not in PREFIXES:
            continue
        at = position + 1
        while at < len(items) and (items[at].kind == "dash" or items[at].kind in CONJUNCTIONS):
            at += 1
        if at == position + 1 or at == len(items):
            continue
        word = tokens[items[at].first].norm.lower()
        other = next((p for p in PREFIXES if word.startswith(p) and len(word) > len(p) + 2), None)
        rest = [token.norm.lower() for token in tokens[items[at].first + 1 : items[at].last + 1]]
        entries = lexicon.lookup([prefix + word[len(other) :], *rest]) if other else ()
        if entries:
            entry = entries[0]
            item.kind, item.id, item.side, item.adjective = entry.type, entry.id, entry.side, entry.adjective
            item.types, item.choices = {entry.type: entry}, tuple(entries)


def share_part(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon, labels: Callable[[str], str]) -> None:
    """Give each of a list of wholes the part that is said once: "heads of the second and third metacarpals", "L1 to L3
    transverse processes", "transverse processes of L1, L2 and L3"."""
    position = 0
    while position < len(items):
        last = position
        while last + 2 < len(items) and items[last].kind == items[last + 2].kind == "A" and items[last + 1].kind in CONJUNCTIONS:
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
        side = side_before(items, first)
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


def spread_ranges(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Make of a range of numbered structures all its members: "ribs 3-6", "fourth through seventh ribs"."""
    out: list[Item] = []
    at = 0
    items = _numbered(items, tokens, lexicon)
    while at < len(items):
        first = items[at]
        end = at + 1
        while end < len(items) and end <= at + 2 and tokens[items[end].first].norm in _TO:
            end += 1
        members = _members(first, items[end], tokens, lexicon) if end < len(items) and end <= at + 2 else []
        if not members:
            out.append(first)
            at += 1
            continue
        last = items[end]
        for entry in members:
            if entry is not members[0]:
                out.append(Item("and", "", None, False, first.start, first.start, first.first, first.first))
            side = entry.side or first.side or last.side or side_before(items, at)
            span = (first.start, last.end, first.first, last.last)
            out.append(Item("A", entry.id, side, False, *span, {"A": entry}, (entry,)))
        at = end + 1
    return out


def _numbered(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Give a number to the structure that it numbers, and not to a part of all of them: "anterior ends of ribs 2-5"."""
    out: list[Item] = []
    for item in items:
        before = out[-1] if out else item
        words = item_words(tokens, before) if item.kind == "num" and before.kind == "A" else ()
        if "of" in words and before.last == item.first - 1:
            whole = words[words.index("of") + 1 :]
            entries = [e for e in lexicon.lookup((*whole, tokens[item.first].norm)) if e.type == "A"]
            if entries:
                before.id, before.types, before.choices = entries[0].id, {"A": entries[0]}, tuple(entries)
                before.first, before.last, before.end = item.first - len(whole), item.last, item.end
                continue
        out.append(item)
    return out


def _members(first: Item, last: Item, tokens: Sequence[Token], lexicon: Lexicon) -> list[Entry]:
    """Return the structures from one number to another, where one of the two items has the noun."""
    begin, end = _words(first, tokens), _words(last, tokens)
    numbers: tuple[str, ...]
    if last.kind == "A" and len(end) > 1 and len(begin) == 1 and {begin[0], end[0]} <= set(_ORDINALS):
        numbers, before, after = _ORDINALS, [], end[1:]
    elif first.kind == "A" and len(begin) > 1 and len(end) == 1:
        named = next((names for names in (_CARDINALS, _ROMANS) if {begin[-1], end[0]} <= set(names)), None)
        if named is None:
            return []
        numbers, before, after = named, begin[:-1], []
    else:
        return []
    one, other = numbers.index(begin[-1]), numbers.index(end[0])
    found = [lexicon.lookup([*before, number, *after]) for number in numbers[one : other + 1]]
    sites = [next((entry for entry in entries if entry.type == "A"), None) for entries in found]
    return [site for site in sites if site is not None] if len(sites) > 1 and all(sites) else []


def _words(item: Item, tokens: Sequence[Token]) -> list[str]:
    """Return the normal forms of an item's words."""
    return [token.norm.lower() for token in tokens[item.first : item.last + 1] if token.norm not in ("the", "-")]


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
            if before.kind in CONJUNCTIONS:
                listed = True
            else:
                own = [token.norm.lower() for token in tokens[before.first : before.last + 1]]
                entries = [e for e in lexicon.lookup([*own, noun]) if e.type == "F" and e.id not in empty]
                if entries and (listed or any(i.kind in CONJUNCTIONS for i in items[max(0, at - 3) : at])):
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
        side = item.side or side_before(items, position)
        at = position + 1
        while at + 1 < len(items) and items[at].kind in CONJUNCTIONS and items[at + 1].kind in ("num", "W", "stop", "M", "A"):
            number = items[at + 1]
            word = tokens[number.first].norm.lower()
            if number.kind == "A" and word not in LEVELS and (word not in _NOUNS or number.last > number.first):
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
