"""From lexicon matches to typed items: each ambiguous form is disambiguated by its context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from types import MappingProxyType

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN, Entry, LexiconMatch, best_of_each_type
from kgscore.ontology.index import Index
from kgscore.reading.context_tests import kind_after, next_is
from kgscore.reading.disambiguation import disambiguate
from kgscore.reading.tokens import MEASURE, NUMBER, PUNCTUATION, WORD, Token

_PUNCT = {
    ",": "comma", ";": "semi", ":": "colon", "：": "colon", "(": "open", ")": "close", "[": "open", "]": "close", "?": "ask",
    "+": "and", "/": "slash", "&": "and", "-": "dash", "–": "dash", "—": "dash", ">": "greater", "<": "less", "=": "cop",
    "(+)": "seen", "(-)": "negpost", "#": "hash", ".": "stop", "!": "stop",
}  # fmt: skip
_UNKNOWN = {WORD: UNKNOWN, NUMBER: "num", MEASURE: "meas"}
# Directions of a dimension, after a measurement.
DIMENSIONS = frozenset(("thick", "wide", "deep", "long", "high", "large", "broad", "tall"))
_SIDE_PREPOSITIONS = frozenset(("on", "in", "of", "at"))
_EXPECTED = frozenset(("normal", "expected", "usual", "physiologic", "physiological"))
# Kinds of items that coordinate two signals.
_JOINTS = frozenset(("and", "or", "slash", "comma"))
# Nouns for evidence of a finding, and kinds of items in a list of findings.
_EVIDENCE = frozenset(("feature", "sign", "evidence", "finding", "suggestion", "indication"))
_IN_LIST = frozenset((FINDING, DESCRIPTOR, ANATOMY, "sideword", "comma", "or", "and", "stop", "prep", "slash"))
# Kinds of items in a reference to images, and words that name images.
_IN_REFERENCE = frozenset(("num", "stop", "comma", "and", "dash", "slash", "seq"))
_IMAGES = frozenset(("image", "img", "slice"))
# The value of words for places and providers of care.
_CARE = "care"
# The kinds of signs directly before a finding, and the kinds of items allowed before the sign and after the finding.
_SIGNS = {"-": "neg", "–": "neg", "+": "seen"}
_BEFORE_SIGN = frozenset(("comma", "semi", "colon", "open", NORMAL))
_AFTER_SIGNED = frozenset(("comma", "semi", "close", "stop", "or", "slash"))


@dataclass(slots=True)
class Mention:
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

    @property
    def is_noun(self) -> bool:
        """True for the noun of a finding."""
        return self.kind == FINDING and not self.adjective

    @property
    def is_adjective(self) -> bool:
        """True for an adjective that names a finding."""
        return self.kind == FINDING and self.adjective


def mentions_of(
    tokens: Sequence[Token], mentions: Sequence[LexiconMatch], index: Index, votes: Mapping[str, int] = MappingProxyType({})
) -> list[Mention]:
    """Return the items of a sentence, each form resolved to one meaning; `votes` counts the mentions of each region."""
    items = [_item(tokens, mention, votes) for mention in mentions]
    for position, item in enumerate(items):
        if len(item.types) > 1:
            disambiguate(items, position, index)
        else:
            _resolve_sign(items, position, tokens, index)
        for change in _CHANGES.get(item.kind, ()):
            change(items, position, tokens)
    return _signals_listed(_free_prepositions(_without_images(items, tokens), tokens, index), index)


def _resolve_sign(items: list[Mention], position: int, tokens: Sequence[Token], index: Index) -> None:
    """Resolve an abbreviation or a sign of a statement to what it states."""
    item, word = items[position], tokens[items[position].first].norm
    if item.kind == UNKNOWN and _is_n(items, position, tokens):
        item.kind, item.id = NORMAL, index.role("plain_normal")  # "Kidneys N."
    elif item.kind in ("dash", "num") and _is_nil(items, position):
        item.kind, item.id = "negpost", "(-)"  # "effusion: 0", "rupture -"
    elif word == "free" and item.first == item.last and _is_free(items, position):
        item.kind, item.id, item.types = "negpost", "free", {}  # "the ureter is stone-free"
    elif word in _SIGNS and _is_sign(items, position):
        item.kind, item.id = _SIGNS[word], ""  # "-pneumothorax, +effusion"


def _without_images(items: list[Mention], tokens: Sequence[Token]) -> list[Mention]:
    """Return the items without parenthesized references to images ("(series 3, image 63)")."""
    out: list[Mention] = []
    for item in items:
        out.append(item)
        opens = next((at for at in range(len(out) - 1, -1, -1) if out[at].kind == "open"), -1) if item.kind == "close" else -1
        inside = out[opens + 1 : -1] if opens >= 0 else []
        named = any(tokens[at].norm in _IMAGES for one in inside for at in range(one.first, one.last + 1))
        if named and any(one.kind == "num" for one in inside) and _IN_REFERENCE.issuperset(one.kind for one in inside):
            del out[opens:]
    return out


def _deny_evidence(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Read a noun for evidence in a list of denied findings as a negation ("no mass, signs of infection, or fracture")."""
    item, before = items[position], items[:position]
    if tokens[item.first].norm not in _EVIDENCE or not before or before[-1].kind not in ("comma", "or", "and"):
        return
    if next((other.kind for other in reversed(before) if other.kind not in _IN_LIST), "") == "neg":
        item.kind, item.id, item.types = "neg", "", {}


def _pass_over_care(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Neutralize the name of a place or provider of care before its last word ("the fracture clinic")."""
    before = reversed(items[:position] if items[position].id == _CARE else [])
    named = list(takewhile(lambda item: item.kind in (FINDING, DESCRIPTOR, ANATOMY, "history"), before))
    for item in named if any(item.kind == FINDING for item in named) else ():
        item.kind, item.id, item.side, item.types, item.choices = "stop", "", None, {}, ()


def _signals_listed(items: list[Mention], index: Index) -> list[Mention]:
    """Resolve a direction on a sequence that shares the noun of the next signal to a signal ("low T1 and high T2 signal")."""
    if not any("seq" in item.types for item in items):
        return items
    out: list[Mention] = []
    for position, item in enumerate(items):
        way = _direction(out[-1], index) if out and "seq" in item.types else ""
        signal = f"{item.types['seq'].id}_{way}intensity" if way else ""
        named = items[position + 2].id if position + 2 < len(items) and items[position + 1].kind in _JOINTS else ""
        if signal in index.concepts and named in index.concepts and named.endswith("intensity"):
            first = out.pop()
            item = Mention(FINDING, signal, None, False, first.start, item.end, first.first, item.last)
        out.append(item)
    return out


def _direction(item: Mention, index: Index) -> str:
    """Return "hyper" or "hypo" if an item describes a signal as high or low, else ""."""
    if "up" in item.types or item.id == index.role("raised"):
        return "hyper"
    return "hypo" if "down" in item.types or item.id == index.role("lowered") else ""


def _is_n(items: list[Mention], position: int, tokens: Sequence[Token]) -> bool:
    """Whether a lone N after a structure, or by itself, means normal."""
    before = items[position - 1].kind if position else ANATOMY
    return tokens[items[position].first].norm == "n" and before in (ANATOMY, QUALITY, "colon") and _ends(items, position)


def _is_free(items: list[Mention], position: int) -> bool:
    """Whether "free" directly follows a noun of a finding ("stone-free") and no noun follows it."""
    return position > 0 and items[position - 1].is_noun and not next_is(items, position, "AF")


def _is_nil(items: list[Mention], position: int) -> bool:
    """Whether a dash or a zero after a finding or its label means that it is absent."""
    label = position - (position > 0 and items[position - 1].kind == "colon")
    told = label < position or items[position].kind == "dash"
    return told and items[position].id in "0-–—" and label > 0 and items[label - 1].kind == FINDING and _ends(items, position)


def _is_sign(items: list[Mention], position: int) -> bool:
    """Whether a plus or a minus asserts or denies the finding directly after it, which has no verb."""
    item, before = items[position], items[position - 1] if position else None
    at = position + 1
    while at < len(items) and items[at].kind in (DESCRIPTOR, "sideword", ANATOMY) and items[at].start <= items[at - 1].end + 1:
        at += 1
    named = at < len(items) and items[at].kind == FINDING and items[position + 1].start == item.end
    if not named or items[at].adjective or (at + 1 < len(items) and items[at + 1].kind not in _AFTER_SIGNED):
        return False
    return before is None or before.kind in _BEFORE_SIGN


def _frees_next(items: list[Mention], position: int, tokens: Sequence[Token]) -> bool:
    """Whether "-free" after a finding describes the noun after it."""
    item, before = items[position], items[position - 1]
    if tokens[item.first].norm != "free" or not next_is(items, position, ANATOMY + UNKNOWN):
        return False
    return before.kind == FINDING and tokens[item.first].start == before.end + 1 and item.first == before.last + 1


def _ends(items: list[Mention], position: int) -> bool:
    return kind_after(items, position) in ("", "stop", "comma", "semi")


def _drop_abbreviation(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Drop a finding alone in parentheses directly after its own name ("no deep vein thrombosis (DVT)")."""
    item, around = items[position], [item.kind for item in items[max(0, position - 1) : position + 2]]
    if position > 1 and around == ["open", FINDING, "close"] and items[position - 2].id == item.id:
        item.kind, item.id, item.types, item.choices = "stop", "", {}, ()


def _drop_likened(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Read a form that is only used in a comparison as unknown ("lip-like osteophytes")."""
    item, after = items[position], tokens[items[position].last + 1 : items[position].last + 2]
    if after and after[0].norm == "like":
        item.kind, item.types, item.choices, item.side = UNKNOWN, {}, (), None


def _join_neither(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Read "nor" as the joint of a list that "neither" opened ("neither renal nor ureteric stones")."""
    before = reversed(items[:position] if tokens[items[position].first].norm == "nor" else [])
    clause = takewhile(lambda item: item.kind not in ("cop", "have", "seen", "semi"), before)
    if any(item.kind == "neg" and tokens[item.first].norm == "neither" for item in clause):
        items[position].kind, items[position].types = "or", {}


def _drop_lost(items: list[Mention], position: int, tokens: Sequence[Token]) -> None:
    """Drop a "normal" that describes what was lost ("Straightening of the normal lordosis")."""
    at = items[position].first
    if at > 1 and [token.norm for token in tokens[at - 2 : at]] == ["of", "the"] and tokens[at].norm in _EXPECTED:
        items[position].kind = "stop"


# How items of a kind may change by their context.
_CHANGES: Mapping[str, tuple[Callable[[list[Mention], int, Sequence[Token]], None], ...]] = {
    "neg": (_join_neither,),
    "infer": (_deny_evidence,),
    "hedge": (_deny_evidence,),
    "drop": (_deny_evidence,),
    "stop": (_pass_over_care,),
    ANATOMY: (_drop_likened,),
    FINDING: (_drop_likened, _drop_abbreviation),
    NORMAL: (_drop_lost,),
}


def _free_prepositions(items: list[Mention], tokens: Sequence[Token], index: Index) -> list[Mention]:
    """Separate the preposition from a side that a noun follows: "on the left lung base", not "on the left"."""
    out: list[Mention] = []
    for position, item in enumerate(items):
        if _frees_next(items, position, tokens):  # "stone-free kidneys": stone absent in them
            out.append(Mention("negpost", "free", None, False, item.start, item.end - 1, item.first, item.last))
            item = Mention("prep", "in", None, False, item.end - 1, item.end, item.first, item.last)
        word = tokens[item.first]
        opening = (None, False, item.start, word.end, item.first, item.first)
        toward = _toward(item, index)
        if toward and word.norm == "to" and next_is(items, position, ANATOMY):  # "to the left pedicle": a site, no direction
            out.append(Mention("prep", "in", *opening))
            item.kind, item.id, item.types = "sideword", toward, {}
        elif item.kind == "stop" and word.norm == "or" and next_is(items, position, "AF"):
            out.append(Mention("or", "", *opening))  # "the mediastinum or both hila", unlike "pneumonia, oedema, or both"
            item = Mention("sideword", "both", "both", False, tokens[item.last].start, item.end, item.last, item.last)
        sided = item.kind == "sideword" and item.last > item.first and word.norm in _SIDE_PREPOSITIONS
        if sided and kind_after(items, position) in (ANATOMY, DESCRIPTOR):
            out.append(Mention("prep", "in", *opening))
        out.append(item)
    return out


def _toward(item: Mention, index: Index) -> str:
    """Return the side that a descriptor of a direction points to, or ""."""
    if item.kind != DESCRIPTOR:
        return ""
    return "left" if item.id in index.flagged("to_the_left") else "right" if item.id in index.flagged("to_the_right") else ""


def _item(tokens: Sequence[Token], mention: LexiconMatch, votes: Mapping[str, int]) -> Mention:
    """Return a mention as an item of the type that takes precedence by default."""
    form, first, last, said = mention
    token, span = tokens[first], (tokens[first].start, tokens[last].end, first, last)
    if form is None:
        kind = _PUNCT.get(token.norm, "stop") if token.kind == PUNCTUATION else _UNKNOWN[token.kind]
        return Mention(kind, token.norm, None, False, *span)
    types = best_of_each_type(form.entries, votes) if form.contested else form.types
    entry = types[form.kind]
    side = entry.id if form.kind == "sideword" else said or entry.side
    return Mention(form.kind, entry.id, side, entry.adjective, *span, types, form.entries)
