"""The features of an item for the model: type, concept with some of its ancestors, words and context, all as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from kgscore.caches import BoundedDict
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.ontology.index import Concept, Index
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.typed import TypedSentence
from kgscore.reading.tokens import Token

Ints = NDArray[np.int64]

# Features of an item itself, and features of its context.
LEXICAL = (
    "kind", "id", "parent", "grandparent", "top", "words", "last", "tail", "ending", "stem", "beginning", "types", "form", "tag",
)  # fmt: skip
CONTEXT = ("article", "capitals", "zone", "bracket", "operator", "operator before", "next operator", "verb", "next verb")
COLUMNS = (*LEXICAL, *CONTEXT)
# Columns that identify the word itself; training masks them occasionally so that the others are learned too.
NAMING = ("id", "words", "last", "stem")
# Kinds that are counted between two items.
COUNTED = (
    "comma", "and", "or", "semi", "but", "with", "prep", FINDING, NORMAL, ANATOMY, "cop", "have", "neg", "open", "close",
    DESCRIPTOR, QUALITY, "seen", UNKNOWN, "change", "meas", "sideword", "infer", "colon",
)  # fmt: skip
# Items that are never part of a statement.
SKIPPED = frozenset(
    ("comma", "semi", "colon", "and", "or", "cop", "have", "prep", "with", "but", "open", "close", "slash", "dash", "ask")
)
# Items that change the status or reading of nearby items, and items that end their scope.
_OPERATORS = frozenset((
    "neg", "negpost", "hedge", "past", "history", "drop", "assert", "infer", "except", "rather", "ref", "cause",
    "with", "versus", "spoken", "other", "but",
))  # fmt: skip
_VERBS = frozenset(("cop", "have", "seen", "negpost", "change", "tip"))
_GOVERNING = _OPERATORS | _VERBS
_CUTS = frozenset(("semi", "but"))
_CONTENT = frozenset((FINDING, ANATOMY, DESCRIPTOR, NORMAL, QUALITY, "meas", "num", "sideword", UNKNOWN, "stop", "seq"))
_NAMELESS = frozenset(("meas", "num", UNKNOWN))
_ARTICLES = ("the", "a", "an")
# Broad classes of concepts; the first that a concept belongs to is its "top".
_TOPS = (
    "device", "procedure", "size_descriptor", "severity_descriptor", "change_descriptor", "number_descriptor",
    "signal_abnormality", "density_abnormality", "opacity", "fluid", "thickening", "fracture", "enlargement", "lesion",
    "mass", "collection", "hemorrhage", "disease", "vertebra", "bone", "joint", "vessel", "organ", "space", "region",
    "abnormality", "descriptor", "anatomical_structure", "finding",
)  # fmt: skip
# Verbs of showing, each mapped to the form most frequent in training.
_SHOWING = frozenset(("seen", "have"))
_SEEN = (
    "noted", "identified", "visualized", "visualised", "observed", "demonstrated", "detected", "found", "visible", "appreciated",
    "present", "evident", "depicted", "recognized",
)  # fmt: skip
_ALIKE = {
    **dict.fromkeys(_SEEN, "seen"),
    **dict.fromkeys(("demonstrate", "reveal", "display", "exhibit"), "show"),
    **dict.fromkeys(("demonstrates", "reveals", "displays", "exhibits"), "shows"),
    **dict.fromkeys(("demonstrating", "revealing", "displaying", "exhibiting"), "showing"),
}
# The row of counts that an item of a kind adds; the last row is that of other kinds.
_COUNTED = {kind: number for number, kind in enumerate(COUNTED)}
_COUNTS = np.eye(len(COUNTED) + 1, len(COUNTED), dtype=np.int64)
# A label occurs near the beginning.
_LABEL = 8


@lru_cache(maxsize=200_000)
def code(text: str) -> int:
    """Return the code of a text, the same on every machine."""
    return crc32(text.encode())


@dataclass(frozen=True, slots=True)
class Seen:
    """The features of a sentence: `codes` has one row per item and one column for each of `COLUMNS`, `counts` the number of
    items of each kind of `COUNTED` before each position, `ids` the concepts; `skipped` marks items that are never part of a
    statement, `sided` those with a side of their own."""

    codes: Ints
    counts: Ints
    ids: Sequence[str]
    kinds: Sequence[str]
    skipped: NDArray[np.bool_]
    sided: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)


class Columns:
    """Computes the features of sentences with an index; those of a form itself are cached."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._shown: dict[tuple[object, ...], tuple[int, ...]] = BoundedDict()
        self.fit = lru_cache(100_000)(self._fit)

    def see(self, sentence: TypedSentence) -> Seen:
        """Return the features of a sentence."""
        items = sentence.items
        kinds = [item.kind for item in items]
        norms = [_norms(item, sentence.tokens) for item in items]
        around = _around(sentence, kinds, norms)
        codes = [(*self._lexical(item, words), *row) for item, words, row in zip(items, norms, around, strict=True)]
        return Seen(
            np.array(codes, np.int64).reshape(len(items), len(COLUMNS)),
            _COUNTS[[_COUNTED.get(kind, len(COUNTED)) for kind in ("", *kinds)]].cumsum(axis=0),
            [item.id for item in items],
            kinds,
            np.array([kind in SKIPPED for kind in kinds], bool),
            np.array([item.side is not None and item.kind != "sideword" for item in items], bool),
        )

    def _fit(self, finding: str, structure: str) -> int:
        """Return whether a structure is a characteristic site of a finding: 1 yes, 2 no, 0 unknown."""
        own = (*self.index.sites_implied(finding), *self.index.default_sites(finding))
        if not own or structure not in self.index.within:
            return 0
        return 1 if any(self.index.either_inside(one, structure) for one in own) else 2

    def _lexical(self, item: Mention, norms: tuple[str, ...]) -> tuple[int, ...]:
        key = (item.kind, item.id, item.side, item.adjective, norms)
        if key not in self._shown:
            self._shown[key] = tuple(map(code, self._texts(item, norms)))
        return self._shown[key]

    def _texts(self, item: Mention, norms: tuple[str, ...]) -> tuple[str, ...]:
        """Return the features of an item itself, as texts (`LEXICAL`)."""
        concept = self.index.concepts.get("" if item.kind in _NAMELESS else item.id)
        parent = _parent(concept)
        top = next((name for name in _TOPS if concept and self.index.is_a(item.id, name)), "")
        group = f"{item.kind}{'a' if item.adjective else ''}{_group(concept)}"
        last, words, name = norms[-1], " ".join(norms), item.id
        if item.kind in ("meas", "num"):
            name = words = last = "".join("9" if letter.isdigit() else letter for letter in last)[-8:]
        tag = f"{group} {top or (parent if item.kind == DESCRIPTOR else '')}"
        if item.kind in (UNKNOWN, "stop"):
            tag = f"{group} {last[-3:]}"
        elif item.kind not in _CONTENT:
            tag = f"{item.kind} {item.id}"
        return (
            item.kind, f"{item.kind} {name}", parent, _parent(self.index.concepts.get(parent)), top, words,
            last, last[-3:], last[-4:], last[:5], last[:3],
            ",".join(sorted(item.types)), f"{item.adjective} {item.side is not None}", tag,
        )  # fmt: skip


def _parent(concept: Concept | None) -> str:
    return concept.parents[0] if concept and concept.parents else ""


def _group(concept: Concept | None) -> str:
    """Return "d" for a device, "p" for a procedure, "" for others."""
    if concept is None:
        return ""
    return "d" if concept.kind == "devices" else "p" if concept.values.get("kind") == "procedure" else ""


def _norms(item: Mention, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words of an item; verbs of showing are mapped to one per form ("is observed" is as "is seen")."""
    norms = tuple([norm for norm, *_ in tokens[item.first : item.last + 1]])
    return (*norms[:-1], _ALIKE.get(norms[-1], norms[-1])) if item.kind in _SHOWING else norms


def _around(sentence: TypedSentence, kinds: Sequence[str], norms: Sequence[tuple[str, ...]]) -> list[tuple[int, ...]]:
    """Return the context features of each item (`CONTEXT`)."""
    items, tokens = sentence.items, sentence.tokens
    words = [code(" ".join(own)) if kind in _GOVERNING else 0 for kind, own in zip(kinds, norms, strict=True)]
    colon = kinds.index("colon") if "colon" in kinds[:_LABEL] else -1
    before, after = _in_clause(kinds, words), _in_clause(kinds[::-1], words[::-1])[::-1]
    rows: list[tuple[int, ...]] = []
    depth = 0
    for position, item in enumerate(items):
        depth = max(0, depth + (kinds[position] == "open") - (kinds[position] == "close"))
        word = tokens[item.first - 1].norm if item.first else ""
        article = 1 + _ARTICLES.index(word) if word in _ARTICLES else 0
        zone = 1 if position < colon else 2 if colon >= 0 else 0
        (operator, earlier, verb), (following, _, next_verb) = before[position], after[position]
        capitals = int(sentence.text[item.start : item.end].isupper())
        rows.append((article, capitals, zone, min(depth, 2), operator, earlier, following, verb, next_verb))
    return rows


def _in_clause(kinds: Sequence[str], words: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the last operator before each item in its clause, the one before that, and the last verb."""
    found = []
    operator = earlier = verb = 0
    for kind, word in zip(kinds, words, strict=True):
        found.append((operator, earlier, verb))
        if kind in _CUTS:
            operator = earlier = verb = 0
        if kind in _OPERATORS:
            operator, earlier = word, operator
        if kind in _VERBS:
            verb = word
    return found
