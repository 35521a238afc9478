"""From lexicon mentions to typed items: each ambiguous form gets one meaning from what stands around it."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from kgscore.linking.lexicon import Entry, Lexicon, Mention, best_of_each_type
from kgscore.reading.tokens import MEASURE, NUMBER, PUNCTUATION, WORD, Token

_PUNCT = {
    ",": "comma",
    ";": "semi",
    ":": "colon",
    "(": "open",
    ")": "close",
    "[": "open",
    "]": "close",
    "?": "ask",
    "+": "and",
    "/": "slash",
    "&": "and",
    "-": "dash",
    "–": "dash",
    "—": "dash",
    ">": "greater",
    "<": "less",
    "=": "cop",
    "(+)": "seen",
    "(-)": "negpost",
    "#": "hash",
    ".": "stop",
    "!": "stop",
}


@dataclass(slots=True)
class Item:
    """One unit of a sentence: its kind, the concept or cue value, side, and offsets in the report."""

    kind: str
    id: str
    side: str | None
    adjective: bool
    start: int
    end: int
    first: int
    last: int
    types: dict[str, Entry] = field(default_factory=dict)
    choices: tuple[Entry, ...] = ()
    used: bool = False


def items_of(tokens: Sequence[Token], mentions: Sequence[Mention], votes: Mapping[str, int] = MappingProxyType({})) -> list[Item]:
    """Return the items of a sentence, each form resolved to one meaning; `votes` says how often each region is spoken of."""
    items = [_item(tokens, mention, votes) for mention in mentions]
    for position, item in enumerate(items):
        if len(item.types) > 1:
            _resolve(items, position)
        elif item.kind == "hash" and position and items[position - 1].kind in ("A", "M", "F"):
            item.kind, item.id = "F", "fracture"
        if position and items[position - 1].kind == "meas" and tokens[item.first].norm in _DIMENSIONS:
            item.kind = "stop"
    return _free_prepositions(items, tokens)


def _free_prepositions(items: list[Item], tokens: Sequence[Token]) -> list[Item]:
    """ "On the left" is a side by itself, but in "on the left lung base" the preposition is one."""
    out: list[Item] = []
    for position, item in enumerate(items):
        if item.kind == "sideword" and item.last > item.first and tokens[item.first].norm in _SIDE_PREPOSITIONS:
            following = items[position + 1] if position + 1 < len(items) else None
            if following is not None and following.kind in ("A", "M"):
                out.append(Item("prep", "in", None, False, item.start, tokens[item.first].end, item.first, item.first))
        out.append(item)
    return out


_DIMENSIONS = frozenset(("thick", "wide", "deep", "long", "high", "large", "broad", "tall"))
_SIDE_PREPOSITIONS = frozenset(("on", "in", "of", "at"))


_NO_ENTRIES: tuple[Entry, ...] = ()
_NO_TYPES: dict[str, Entry] = {}


def _item(tokens: Sequence[Token], mention: Mention, votes: Mapping[str, int]) -> Item:
    form, first, last, said = mention
    token = tokens[first]
    start, end = token.start, tokens[last].end
    if form is None:
        if token.kind == PUNCTUATION:
            kind = _PUNCT.get(token.norm, "stop")
        else:
            kind = _UNKNOWN[token.kind]
        return Item(kind, token.norm, None, False, start, end, first, last, _NO_TYPES, _NO_ENTRIES)
    types = best_of_each_type(form.entries, votes) if form.contested else form.types
    kind = form.kind
    entry = types[kind]
    side = entry.id if kind == "sideword" else said or entry.side
    return Item(kind, entry.id, side, entry.adjective, start, end, first, last, types, form.entries)


_UNKNOWN = {WORD: "W", NUMBER: "num", MEASURE: "meas"}
_DIRECTION = frozenset(("up", "down", "lost", "abnormal", "N"))
_FLAT = frozenset(("stop", "comma", "and", "or", "cop", "prep", "W", "sideword", "M", "Q", "neg"))


def _resolve(items: list[Item], position: int) -> None:
    item = items[position]
    types = item.types
    if "Q" in types and ("F" in types or "A" in types):
        take = "Q" if _near(items, position, _DIRECTION) or _after_quality(items, position) else ("F" if "F" in types else "A")
    elif (
        "F" in types
        and types["F"].adjective
        and ("up" in types or "down" in types or "lost" in types)
        and _next_is(items, position, "Q")
    ):
        take = next(kind for kind in ("up", "down", "lost") if kind in types)
    elif "lost" in types and "F" in types and _next_is(items, position, "Q"):
        take = "lost"
    elif (
        "N" in types
        and "M" in types
        and types["N"].id in ("midline", "homogeneous", "smooth", "symmetric", "normal_position")
        and _before_noun(items, position)
        and not _follows(items, position, ("cop",))
    ):
        take = "M"
    elif (
        "seen" in types
        and "stop" in types
        and position + 1 < len(items)
        and items[position + 1].kind in ("A", "F", "sideword", "M")
    ):
        take = "stop"
    elif "hedge" in types and "M" in types:
        take = "M" if _before_noun(items, position) else "hedge"
    elif "abnormal" in types and "F" in types:
        take = "abnormal" if _next_is(items, position, "Q") else "M" if "M" in types and _next_is(items, position, "F") else "F"
    elif "sideword" in types and "hedge" in types:
        take = "sideword" if _next_is(items, position, "A") else "hedge"
    elif "negpost" in types and "neg" in types:
        take = "negpost" if any(other.kind in ("F", "A", "Q") for other in items[:position]) else "neg"
    elif "A" in types and "N" in types and _follows(items, position, ("cop", "A")):
        take = "N"
    elif "A" in types and types["A"].adjective and "M" in types and not _next_is(items, position, "FAM"):
        take = "M"
    elif (
        "M" in types
        and types["M"].id.endswith("_value")
        and "A" in types
        and not types["A"].adjective
        and _next_is(items, position, "F")
    ):
        take = "A"
    else:
        return
    entry = types[take]
    item.kind, item.id, item.adjective = take, entry.id, entry.adjective
    item.side = entry.side or item.side


def _near(items: list[Item], position: int, kinds: frozenset[str]) -> bool:
    for step in (-1, 1):
        at = position + step
        reach = 0
        while 0 <= at < len(items) and reach < 5:
            kind = items[at].kind
            if kind in kinds or kinds & items[at].types.keys():
                return True
            if kind not in _FLAT and not (kind == "A" and step == 1):
                break
            at += step
            reach += 1
    return False


def _follows(items: list[Item], position: int, kinds: tuple[str, ...]) -> bool:
    for item in reversed(items[:position]):
        if item.kind not in ("stop", "M", "prep"):
            return item.kind in kinds
    return False


def _after_quality(items: list[Item], position: int) -> bool:
    """ "Size, shape and density": what is listed after a quality is one."""
    while position and items[position - 1].kind in ("comma", "and", "or", "stop"):
        position -= 1
    return bool(position) and items[position - 1].kind == "Q"


def _before_noun(items: list[Item], position: int) -> bool:
    for item in items[position + 1 :]:
        if item.kind in ("A", "F"):
            return True
        if item.kind not in ("stop", "sideword", "M", "and", "or", "comma", "N"):
            return False
    return False


def _next_is(items: list[Item], position: int, kinds: str) -> bool:
    for item in items[position + 1 : position + 4]:
        if item.kind in kinds or (item.types.keys() & set(kinds)):
            return True
        if item.kind not in ("stop", "sideword", "M", "prep"):
            return False
    return False


_CONJ = frozenset(("and", "or", "comma", "slash"))
_IN_LIST = _CONJ | {"M", "F", "W", "A"}
_BEFORE_LIST = _CONJ | {"M", "stop", "A"}


def join_sequences(items: list[Item], concepts: Container[str], label: str | None = None) -> list[Item]:
    """Make one signal finding of a signal word and the MRI sequence beside it ("low on T1", "T2 signal is high").

    `label` is the sequence of a heading ("DWI: hyperintense"). A sequence without a signal word stays what else it may
    mean (T1 is also a vertebra).
    """
    out: list[Item] = []
    sequence = label
    for position, item in enumerate(items):
        if "seq" in item.types:
            sequence = item.types["seq"].id
        elif item.kind in ("comma", "and", "semi", "or", "but") and label is None:
            if not any("seq" in other.types for other in items[position + 1 :][:4]):
                sequence = None
        direction = item.types.get("signalword")
        if direction is None:
            out.append(item)
            continue
        found = _sequence_after(items, position) or sequence
        concept = f"{found}_{'hyper' if direction.id == 'up' else 'hypo'}intensity"
        if found is None or concept not in concepts:
            if item.kind == "signalword":
                item.kind = "W"
            out.append(item)
            continue
        item.kind, item.id, item.adjective, item.types = "F", concept, False, {}
        out.append(item)
        for other in items[max(0, position - 4) : position + 5]:
            if "seq" in other.types or (other.kind == "Q" and other.id.endswith("signal")):
                other.kind = "stop"
    for item in out:
        if item.kind == "seq":
            item.kind = "stop"
    return out


def _sequence_after(items: list[Item], position: int) -> str | None:
    for item in items[position + 1 : position + 4]:
        if "seq" in item.types:
            return item.types["seq"].id
        if item.kind not in ("prep", "stop", "Q", "W"):
            return None
    return None


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


_RANGE = re.compile(r"([ctls])(\d{1,2})-([ctls])(\d{1,2})")
_SPINE = tuple(f"{letter}{n}" for letter, last in (("c", 7), ("t", 12), ("l", 5), ("s", 5)) for n in range(1, last + 1))


def spread_levels(items: list[Item], lexicon: Lexicon) -> list[Item]:
    """Make of a range of levels ("L2-L5") its vertebrae; two neighbouring levels stay the disc between them."""
    out: list[Item] = []
    for item in items:
        match = _RANGE.fullmatch(item.id) if item.kind == "W" else None
        ends = (match[1] + match[2], match[3] + match[4]) if match else ("", "")
        if match is None or ends[0] not in _SPINE or ends[1] not in _SPINE:
            out.append(item)
            continue
        for level in _SPINE[_SPINE.index(ends[0]) : _SPINE.index(ends[1]) + 1]:
            entries = [e for e in lexicon.lookup((level, "vertebra")) or lexicon.lookup((level,)) if e.type == "A"]
            if entries:
                if out and out[-1].kind == "A" and out[-1].start == item.start:
                    out.append(Item("and", "", None, False, item.start, item.start, item.first, item.first))
                out.append(
                    Item(
                        "A",
                        entries[0].id,
                        None,
                        False,
                        item.start,
                        item.end,
                        item.first,
                        item.last,
                        {"A": entries[0]},
                        tuple(entries),
                    )
                )
    return out


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
        stem = [token.norm.lower() for token in tokens[item.first : item.last]]
        at = position + 1
        while at + 1 < len(items) and items[at].kind in _CONJ and items[at + 1].kind in ("num", "W", "stop", "M"):
            number = items[at + 1]
            entries = [e for e in lexicon.lookup([*stem, tokens[number.first].norm.lower()]) if e.type == "A"]
            if not entries:
                break
            number.kind, number.id, number.side, number.types, number.choices = (
                "A",
                entries[0].id,
                item.side,
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


_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s?(mm|millimet\w*|cm|centimet\w*)?")


def measurement(text: str) -> tuple[str, str]:
    """Return (kind, canonical text) of a measurement: lengths in mm ("2.1 × 1.8 cm" → "21 x 18 mm").

    >>> measurement("4.2 x 3.1 cm"), measurement("60-70%")
    (('length', '42 x 31 mm'), ('percent', '60-70%'))
    """
    plain = text.lower().replace("×", "x").replace("*", "x").replace("–", "-").replace("per cent", "%").replace("percent", "%")
    if (
        "mm" in plain
        or ("cm" in plain and "cm/s" not in plain)
        or "meter" in plain
        or "metre" in plain
        or re.search(r"\dx|\d x", plain)
    ):
        scale = 10.0 if "cm" in plain or "centi" in plain else 1.0
        if "mm" in plain and "cm" in plain:
            scale = 1.0
        numbers = [float(n) * scale for n, _ in _LENGTH.findall(plain)]
        joiner = "-" if re.search(r"\d\s?(?:mm|cm)?\s?(?:-|to)\s?\d", plain) else " x "
        return "length", joiner.join(f"{n:g}" for n in (round(n, 2) for n in numbers)) + " mm"
    if "%" in plain:
        return "percent", re.sub(r"\s?(?:to|-)\s?", "-", plain.replace(" %", "%"))
    if "°" in plain or "degree" in plain:
        return "angle", re.sub(r"\s?(?:to|-)\s?", "-", re.sub(r"\s?(?:°|degrees?)", "", plain)) + " degrees"
    return "value", plain
