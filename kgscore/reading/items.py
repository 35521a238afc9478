"""From lexicon mentions to typed items: each ambiguous form gets one meaning from what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from kgscore.linking.lexicon import Entry, Mention, best_of_each_type
from kgscore.ontology.index import Index
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
_UNKNOWN = {WORD: "W", NUMBER: "num", MEASURE: "meas"}
# After a measurement, the direction in which it was taken.
DIMENSIONS = frozenset(("thick", "wide", "deep", "long", "high", "large", "broad", "tall"))
# Which way a quality departs from normal.
DIRECTIONS = frozenset(("up", "down", "lost", "abnormal"))
_SIDE_PREPOSITIONS = frozenset(("on", "in", "of", "at"))
# Regions of tumours whose stage is written like a vertebra.
_STAGED = ("abdomen", "breast", "head")
_DIRECTION = DIRECTIONS | {"N"}
_FLAT = frozenset(("stop", "comma", "and", "or", "cop", "prep", "W", "sideword", "M", "Q", "neg"))
_EXPECTED = frozenset(("normal", "expected", "usual", "physiologic", "physiological"))
_NO_ENTRIES: tuple[Entry, ...] = ()
_NO_TYPES: dict[str, Entry] = {}


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


def items_of(
    tokens: Sequence[Token], mentions: Sequence[Mention], index: Index, votes: Mapping[str, int] = MappingProxyType({})
) -> list[Item]:
    """Return the items of a sentence, each form resolved to one meaning; `votes` says how often each region is spoken of."""
    items = [_item(tokens, mention, votes) for mention in mentions]
    for position, item in enumerate(items):
        if len(item.types) > 1:
            _resolve(items, position, index)
        elif item.kind == "hash" and position and items[position - 1].kind in ("A", "M", "F", "neg"):
            item.kind, item.id = "F", index.role("broken")
        elif item.kind == "W" and _is_n(items, position, tokens):
            item.kind, item.id = "N", index.role("plain_normal")  # "Kidneys N."
        if item.kind == "other" and position and items[position - 1].kind in ("A", "Q") and _next_is(items, position, "N"):
            item.kind = "cop" if tokens[item.first].norm == "remaining" else "other"  # "the cord signal remaining normal"
        if item.kind == "neg" and tokens[item.first].norm == "nor" and _neither(items[:position], tokens):
            item.kind, item.types = "or", {}  # "neither renal nor ureteric stones"
        if item.kind == "N" and _of_the(tokens, item.first) and _next_is(items, position, "AQ"):
            item.kind = "stop"
    return _free_prepositions(items, tokens, index)


def _is_n(items: list[Item], position: int, tokens: Sequence[Token]) -> bool:
    """Whether a lone N after a structure, or by itself, stands for normal."""
    before = items[position - 1].kind if position else "A"
    after = items[position + 1].kind if position + 1 < len(items) else "stop"
    return tokens[items[position].first].norm == "n" and before == "A" and after in ("stop", "comma", "semi")


def _neither(items: list[Item], tokens: Sequence[Token]) -> bool:
    """Whether "neither" opened the list that goes on here."""
    for item in reversed(items):
        if item.kind in ("cop", "have", "seen", "semi"):
            return False
        if item.kind == "neg" and tokens[item.first].norm == "neither":
            return True
    return False


def _of_the(tokens: Sequence[Token], at: int) -> bool:
    """ "Straightening of the normal lordosis": what is normal there is what was lost."""
    return at > 1 and tokens[at - 1].norm == "the" and tokens[at - 2].norm == "of" and tokens[at].norm in _EXPECTED


def _free_prepositions(items: list[Item], tokens: Sequence[Token], index: Index) -> list[Item]:
    """ "On the left" is a side by itself, but in "on the left lung base" the preposition is one."""
    out: list[Item] = []
    for position, item in enumerate(items):
        toward = _toward(item, index)
        if toward and tokens[item.first].norm == "to" and _next_is(items, position, "A"):
            # "To the left pedicle": no direction, but a place.
            out.append(Item("prep", "in", None, False, item.start, tokens[item.first].end, item.first, item.first))
            item.kind, item.id, item.types = "sideword", toward, {}
        if item.kind == "stop" and tokens[item.first].norm == "or" and item.last > item.first and _next_is(items, position, "AF"):
            # "The mediastinum or both hila", unlike "pneumonia, oedema, or both".
            end = tokens[item.first].end
            out.append(Item("or", "", None, False, item.start, end, item.first, item.first))
            item = Item("sideword", "both", "both", False, tokens[item.last].start, item.end, item.last, item.last)
        if item.kind == "sideword" and item.last > item.first and tokens[item.first].norm in _SIDE_PREPOSITIONS:
            following = items[position + 1] if position + 1 < len(items) else None
            if following is not None and following.kind in ("A", "M"):
                out.append(Item("prep", "in", None, False, item.start, tokens[item.first].end, item.first, item.first))
        out.append(item)
    return out


def _toward(item: Item, index: Index) -> str:
    """Return the side that a descriptor of a direction points to, or ""."""
    if item.kind != "M":
        return ""
    return next((side for side in ("left", "right") if item.id in index.flagged(f"to_the_{side}")), "")


def _item(tokens: Sequence[Token], mention: Mention, votes: Mapping[str, int]) -> Item:
    """Return a mention as an item of the type that wins by default."""
    form, first, last, said = mention
    token = tokens[first]
    start, end = token.start, tokens[last].end
    if form is None:
        kind = _PUNCT.get(token.norm, "stop") if token.kind == PUNCTUATION else _UNKNOWN[token.kind]
        return Item(kind, token.norm, None, False, start, end, first, last, _NO_TYPES, _NO_ENTRIES)
    types = best_of_each_type(form.entries, votes) if form.contested else form.types
    kind = form.kind
    entry = types[kind]
    side = entry.id if kind == "sideword" else said or entry.side
    return Item(kind, entry.id, side, entry.adjective, start, end, first, last, types, form.entries)


def _resolve(items: list[Item], position: int, index: Index) -> None:
    """Choose between the types of an ambiguous form by its neighbours; where no rule applies the default type stays."""
    item = items[position]
    for kinds, choose in _CHOICES:
        if kinds <= item.types.keys() and (take := choose(items, position, index)) is not None:
            entry = item.types[take]
            item.kind, item.id, item.adjective = take, entry.id, entry.adjective
            item.side = entry.side or item.side
            return


def _aside(items: list[Item], position: int, index: Index) -> str | None:
    return "stop" if _in_apposition(items, position) else None


def _quality(items: list[Item], position: int, index: Index) -> str | None:
    types = items[position].types
    if not types.keys() & {"F", "A"}:
        return None
    if _near(items, position, _DIRECTION) or _after_quality(items, position):
        return "Q"
    return "F" if "F" in types else "A"


def _direction(items: list[Item], position: int, index: Index) -> str | None:
    types = items[position].types
    able = ("up", "down", "lost") if types["F"].adjective else ("lost",)
    return next((kind for kind in able if kind in types), None) if _next_is(items, position, "Q") else None


def _describing_normal(items: list[Item], position: int, index: Index) -> str | None:
    described = items[position].types["N"].id in index.flagged("describing") and _before_noun(items, position)
    return "M" if described and not _only_sites_after(items, position) and not _follows(items, position, ("cop",)) else None


def _seen_or_passed(items: list[Item], position: int, index: Index) -> str | None:
    return "stop" if position + 1 < len(items) and items[position + 1].kind in ("A", "F", "sideword", "M") else None


def _stage_or_vertebra(items: list[Item], position: int, index: Index) -> str | None:
    item = items[position]
    if not item.types["M"].id.startswith("tnm_"):
        return None
    return "M" if any(entry.module in _STAGED for other in items if other is not item for entry in other.choices) else "A"


def _seen_or_having(items: list[Item], position: int, index: Index) -> str | None:
    """ "Effusion present", and "the lobe presents a nodule"."""
    return "have" if _next_is(items, position, "FAM") else "seen"


def _hedge_or_degree(items: list[Item], position: int, index: Index) -> str | None:
    return "M" if _before_noun(items, position) else "hedge"


def _abnormal(items: list[Item], position: int, index: Index) -> str | None:
    if _next_is(items, position, "Q"):
        return "abnormal"
    return "M" if "M" in items[position].types and _next_is(items, position, "F") else "F"


def _side_or_movement(items: list[Item], position: int, index: Index) -> str | None:
    if items[position].id == "both" or not _next_is(items, position, "AF"):
        return None
    return "M" if items[position + 1].id in index.flagged("moving") else "sideword"


def _either(items: list[Item], position: int, index: Index) -> str | None:
    """ "Either moiety", and "either gas or fat"."""
    later = any(other.kind == "or" for other in items[position + 1 :])
    return "hedge" if later and not _next_is(items, position, "A") else "sideword"


def _none(items: list[Item], position: int, index: Index) -> str | None:
    """ "Nodes are seen, none enlarged"."""
    said = any(other.kind in ("F", "A", "Q") for other in items[:position])
    follows = position + 1 < len(items) and items[position + 1].kind == "F" and items[position + 1].adjective
    return "negpost" if said and not follows else "neg"


def _expanded(items: list[Item], position: int, index: Index) -> str | None:
    """ "The lungs are expanded", and "the ducts are expanded"."""
    if items[position].types["N"].module != "chest":
        return None
    return "N" if any("A" in other.types and other.types["A"].module == "chest" for other in items) else "F"


def _normal_or_structure(items: list[Item], position: int, index: Index) -> str | None:
    return "N" if _follows(items, position, ("cop", "A", "N")) else None


def _noun_of_adjective(items: list[Item], position: int, index: Index) -> str | None:
    """ "A thin left subdural"."""
    types = items[position].types
    return "F" if types["A"].adjective and not types["F"].adjective and _ends_phrase(items, position) else None


def _structure_or_modifier(items: list[Item], position: int, index: Index) -> str | None:
    types = items[position].types
    if types["A"].adjective:
        return None if _next_is(items, position, "FAM") else "M"
    return "A" if types["M"].id.endswith("_value") and _next_is(items, position, "F") else None


# What a form may be, and the rule that chooses: the first that does is followed.
_CHOICES: tuple[tuple[frozenset[str], Callable[[list[Item], int, Index], str | None]], ...] = (
    (frozenset(("stop", "F")), _aside),
    (frozenset(("Q",)), _quality),
    (frozenset(("F",)), _direction),
    (frozenset(("N", "M")), _describing_normal),
    (frozenset(("seen", "stop")), _seen_or_passed),
    (frozenset(("A", "M")), _stage_or_vertebra),
    (frozenset(("seen", "have")), _seen_or_having),
    (frozenset(("hedge", "M")), _hedge_or_degree),
    (frozenset(("abnormal", "F")), _abnormal),
    (frozenset(("sideword", "M")), _side_or_movement),
    (frozenset(("sideword", "hedge")), _either),
    (frozenset(("negpost", "neg")), _none),
    (frozenset(("N", "F")), _expanded),
    (frozenset(("A", "N")), _normal_or_structure),
    (frozenset(("A", "F")), _noun_of_adjective),
    (frozenset(("A", "M")), _structure_or_modifier),
)


def _in_apposition(items: list[Item], position: int) -> bool:
    """Whether a form stands by itself after the comma of a finding ("azygos lobe, a normal variant")."""
    after = items[position + 1].kind if position + 1 < len(items) else "stop"
    before = items[position - 1].kind if position else ""
    return before in ("comma", "open") and after in ("stop", "close", "comma") and any(i.kind == "F" for i in items[:position])


def _only_sites_after(items: list[Item], position: int) -> bool:
    """Whether a line says nothing but a normal word and structures ("smooth bladder wall")."""
    return not position and all(item.kind in ("A", "sideword", "stop", "and", "comma") for item in items[1:])


def _near(items: list[Item], position: int, kinds: frozenset[str]) -> bool:
    """Whether an item of these kinds stands beside, words of no weight passed over."""
    for step in (-1, 1):
        at = position + step
        reach = 0
        while 0 <= at < len(items) and reach < 5:
            kind = items[at].kind
            if kind in kinds or not kinds.isdisjoint(items[at].types):
                return True
            if kind not in _FLAT and not (kind == "A" and step == 1):
                break
            at += step
            reach += 1
    return False


def _follows(items: list[Item], position: int, kinds: tuple[str, ...]) -> bool:
    """Whether what stands before, descriptors and prepositions passed over, is of these kinds."""
    for item in reversed(items[:position]):
        if item.kind not in ("stop", "M", "prep"):
            return item.kind in kinds
    return False


def _after_quality(items: list[Item], position: int) -> bool:
    """ "Size, shape and density": what is listed after a quality is one."""
    while position and items[position - 1].kind in ("comma", "and", "or", "stop"):
        position -= 1
    if not position or items[position - 1].kind != "Q":
        return False
    return position < 2 or items[position - 2].kind != "neg"  # "without flow or enhancement"


def _before_noun(items: list[Item], position: int) -> bool:
    """Whether the item belongs to a noun phrase that goes on to a structure or finding."""
    for item in items[position + 1 :]:
        if item.kind in ("A", "F"):
            return True
        if item.kind not in ("stop", "sideword", "M", "and", "or", "comma", "N"):
            return False
    return False


def _ends_phrase(items: list[Item], position: int) -> bool:
    """Whether a verb, a preposition or the end of the sentence follows, and a noun phrase ends here."""
    after = items[position + 1].kind if position + 1 < len(items) else "stop"
    return after in ("stop", "prep", "cop", "seen", "change", "hedge", "negpost", "semi", "close")


def _next_is(items: list[Item], position: int, kinds: str) -> bool:
    """Whether one of the next three items is, or may be, of one of these kinds."""
    for item in items[position + 1 : position + 4]:
        if item.kind in kinds or (item.types.keys() & set(kinds)):
            return True
        if item.kind not in ("stop", "sideword", "M", "prep"):
            return False
    return False
