"""What the model sees of an item: type, concept with some of its ancestors, words, and what stands around it, all as integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgscore.kept import Forgetful
from kgscore.ontology.index import Index
from kgscore.reading.items import Item
from kgscore.reading.structure.hashing import Codes, code
from kgscore.reading.structure.typed import Typed
from kgscore.reading.tokens import Token

# What an item shows by itself.
LEXICAL = ("kind", "id", "up1", "up2", "top", "words", "last", "first", "tail", "stem", "types", "side", "form", "group", "tag")
KIND, ID, WORDS, TAG, GROUP = (LEXICAL.index(name) for name in ("kind", "id", "words", "tag", "group"))
# Items that turn or colour what is said near them.
OPERATORS = frozenset("neg negpost hedge past history drop assert infer except rather ref cause with versus spoken other but".split())
CUTS = frozenset(("semi", "but"))
NOMINAL = frozenset(("F", "N", "W", "up", "down", "lost", "abnormal"))
# Never part of a statement.
SKIPPED = frozenset("comma semi colon and or cop have prep with but open close slash dash ask greater".split()) - {"greater"}


@dataclass(frozen=True, slots=True)
class Seen:
    """The columns of a sentence: `lexical` a row an item, `path` what lies between items (a running hash, so that what lies
    between two is a difference), and what counts along the sentence."""

    kinds: list[str]
    ids: list[str]
    lexical: Codes
    context: Codes
    steps: np.ndarray
    paths: Codes
    counts: np.ndarray


class Attributes:
    """Makes columns of sentences with the help of an index; what a form shows is kept."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._lexical: dict[tuple[object, ...], tuple[int, ...]] = Forgetful()
        self._fit: dict[tuple[str, str], int] = Forgetful()

    def lexical(self, item: Item, tokens: Sequence[Token]) -> tuple[int, ...]:
        """Return what an item shows by itself (`LEXICAL`)."""
        norms = tuple(token.norm for token in tokens[item.first : item.last + 1])
        key = (item.kind, item.id, item.side, item.adjective, norms)
        found = self._lexical.get(key)
        if found is None:
            found = self._lexical[key] = self._shown(item, norms)
        return found

    def _shown(self, item: Item, norms: tuple[str, ...]) -> tuple[int, ...]:
        concept = self.index.concepts.get(item.id) if item.kind not in ("meas", "num", "W") else None
        up1 = concept.parents[0] if concept and concept.parents else ""
        above = self.index.concepts.get(up1)
        up2 = above.parents[0] if above and above.parents else ""
        ancestors = self.index.ancestors.get(item.id, frozenset()) if concept else frozenset()
        top = next((name for name in _TOPS if name in ancestors), "")
        group = f"{item.kind}{'a' if item.adjective else ''}"
        if concept:
            group += "d" if concept.kind == "devices" else "p" if concept.values.get("kind") == "procedure" else ""
        last = norms[-1]
        tag = f"{group} {top or up1 if item.kind == 'M' else top}"
        if item.kind in ("W", "stop"):
            tag = f"{group} {last[-3:]}"
        elif item.kind not in _CONTENT:
            tag = f"{item.kind} {item.id}"
        words = " ".join(norms)
        if item.kind in ("meas", "num"):
            words = last = "".join("9" if letter.isdigit() else letter for letter in last)[-8:]
        texts = (
            item.kind,
            f"{item.kind} {item.id}" if item.kind not in ("meas", "num") else words,
            up1,
            up2,
            top,
            words,
            last,
            norms[0],
            last[-3:],
            last[:5],
            ",".join(sorted(item.types)),
            item.side or "",
            f"{item.adjective} {item.side is not None}",
            group,
            tag,
        )
        return tuple(code(text) for text in texts)

    def fit(self, head: str, site: str) -> int:
        """Return whether a structure is where a finding is by its nature: 1 yes, 2 no, 0 nothing is known."""
        key = (head, site)
        found = self._fit.get(key)
        if found is None:
            index = self.index
            own = (*index.hard_sites.get(head, ()), *index.soft_sites.get(head, ()))
            found = 0
            if own and site in index.within:
                found = 1 if any(index.inside(one, site) or index.inside(site, one) for one in own) else 2
            self._fit[key] = found
        return found

    def see(self, sentence: Typed) -> Seen:
        """Return the columns of a sentence."""
        items, tokens = sentence.items, sentence.tokens
        kinds = [item.kind for item in items]
        lexical = np.array([self.lexical(item, tokens) for item in items], np.uint64).reshape(-1, len(LEXICAL))
        steps, paths = _paths(kinds, lexical)
        return Seen(kinds, [item.id for item in items], lexical, _context(sentence, kinds, lexical), steps, paths, _counts(kinds))


_CONTENT = frozenset(("F", "A", "M", "N", "Q", "meas", "num", "sideword", "W", "stop", "seq"))
_TOPS = (
    "device", "procedure", "size_descriptor", "severity_descriptor", "change_descriptor", "number_descriptor", "signal_abnormality", "density_abnormality",
    "opacity", "fluid", "thickening", "fracture", "enlargement", "lesion", "mass", "collection", "hemorrhage", "disease", "vertebra", "bone", "joint", "vessel",
    "organ", "space", "region", "abnormality", "descriptor", "anatomical_structure", "finding",
)  # fmt: skip

CONTEXT = (
    "article", "caps", "zone", "bracket", "order", "clause", "lop", "lop.path", "lop2", "rop", "rop.path", "lverb", "rverb", "lhead", "lhead.path", "rhead",
    "rhead.path", "lsite", "rsite",
)  # fmt: skip
_VERBS = frozenset(("cop", "have", "seen", "negpost", "change", "tip"))
_ARTICLES = frozenset(("the", "a", "an"))
# Passed over in a path: they stand inside a phrase.
_INNER = frozenset(("M", "A", "sideword", "stop", "meas", "num", "Q", "seq"))
_SLIGHT = frozenset(("M", "stop", "sideword", "meas", "num"))
_FUNCTIONS = frozenset("comma semi colon and or cop have seen prep with but open close cause neg negpost hedge infer past change".split())


def _context(sentence: Typed, kinds: Sequence[str], lexical: Codes) -> Codes:
    """Return what stands around each item (`CONTEXT`)."""
    items, tokens, text = sentence.items, sentence.tokens, sentence.text
    count = len(items)
    words = [int(row[WORDS]) for row in lexical]
    tags = [int(row[TAG]) for row in lexical]
    colon = kinds.index("colon") if "colon" in kinds[:8] else -1
    depth = clause = 0
    rows: list[list[int]] = []
    left: dict[str, tuple[int, int]] = {}
    nothing = (0, 0)
    passed: list[int] = []
    lop2 = 0
    for position, item in enumerate(items):
        kind = kinds[position]
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        before = tokens[item.first - 1].norm if item.first else ""
        article = 1 + ("the", "a", "an").index(before) if before in _ARTICLES else 0
        lop, lverb, lhead, lsite = (left.get(name, nothing) for name in ("op", "verb", "head", "site"))
        rows.append(
            [
                article,
                text[item.start : item.end].isupper(),
                1 if position < colon else 2 if colon >= 0 else 0,
                min(depth, 2),
                min(position, 3) + 4 * (min(count - position, 3)),
                min(clause, 2),
                lop[0],
                _steps(passed, lop[1]) if lop[0] else 0,
                lop2,
                0,
                0,
                lverb[0],
                0,
                lhead[0],
                _steps(passed, lhead[1]) if lhead[0] else 0,
                0,
                0,
                lsite[0],
                0,
            ]
        )
        if kind in CUTS:
            clause += 1
            left.pop("op", None)
            left.pop("verb", None)
            lop2 = 0
        if kind in _FUNCTIONS:
            passed.append(words[position])
        here = (words[position], len(passed))
        if kind in OPERATORS:
            lop2 = lop[0]
            left["op"] = here
        if kind in _VERBS:
            left["verb"] = here
        if kind in NOMINAL:
            left["head"] = (tags[position], len(passed))
        if kind == "A":
            left["site"] = (tags[position], len(passed))
    rop, rverb, rhead, rsite = nothing, 0, nothing, 0
    steps: list[int] = []
    for position in range(count - 1, -1, -1):
        row, kind = rows[position], kinds[position]
        row[9], row[10], row[12], row[15], row[16], row[18] = rop[0], _steps(steps, rop[1]), rverb, rhead[0], _steps(steps, rhead[1]), rsite
        if kind in CUTS:
            rop, rverb = nothing, 0
        if kind in _FUNCTIONS:
            steps.append(words[position])
        if kind in OPERATORS or kind in _VERBS:
            rop = (words[position], len(steps))
        if kind in _VERBS:
            rverb = words[position]
        if kind in NOMINAL:
            rhead = (tags[position], len(steps))
        if kind == "A":
            rsite = tags[position]
    return np.array(rows, np.uint64).reshape(-1, len(CONTEXT))


def _steps(steps: list[int], since: int) -> int:
    found = 7
    for word in steps[since : since + 6]:
        found = (found * 31 + word) & 0xFFFFFFFF
    return found


_PRIME = 0x100000001B3
_MASK = (1 << 64) - 1
_POWERS = np.array([pow(_PRIME, exponent, 1 << 64) for exponent in range(512)], np.uint64)


def _paths(kinds: Sequence[str], lexical: Codes) -> tuple[np.ndarray, Codes]:
    """Return three running hashes of what is passed (kinds; connecting words; what is no mere modifier), each with the number of
    steps taken, so that `between` can tell what lies between two items."""
    count = len(kinds)
    running = np.zeros((3, count + 1), np.uint64)
    steps = np.zeros((3, count + 1), np.int64)
    hashes, taken = [0, 0, 0], [0, 0, 0]
    for position, kind in enumerate(kinds):
        own = int(lexical[position, KIND])
        passed = (
            own,
            int(lexical[position, WORDS]) if kind not in _INNER and kind not in NOMINAL else 0,
            own if kind not in _SLIGHT else 0,
        )
        for which, step in enumerate(passed):
            if step:
                hashes[which] = (hashes[which] * _PRIME + step) & _MASK
                taken[which] += 1
            running[which, position + 1] = hashes[which]
            steps[which, position + 1] = taken[which]
    return steps, running


def between(seen: Seen, which: int, after: np.ndarray, before: np.ndarray) -> Codes:
    """Return the hash of what lies after one position and before another, for arrays of positions."""
    steps, running = seen.steps[which], seen.paths[which]
    taken = np.minimum(steps[before] - steps[after + 1], len(_POWERS) - 1)
    found: Codes = running[before] - running[after + 1] * _POWERS[taken]
    return found


COUNTED = ("comma", "and", "or", "semi", "but", "with", "prep", "F", "N", "A", "cop", "have", "neg", "open", "close", "M", "Q", "seen", "W", "change", "meas", "sideword", "infer", "colon")  # fmt: skip
_COUNTED = {kind: number for number, kind in enumerate(COUNTED)}


def _counts(kinds: Sequence[str]) -> np.ndarray:
    """Return how often each kind of `COUNTED` stands before each position."""
    counts = np.zeros((len(kinds) + 1, len(COUNTED)), np.int64)
    for position, kind in enumerate(kinds):
        which = _COUNTED.get(kind)
        if which is not None:
            counts[position + 1, which] = 1
    return counts.cumsum(axis=0)
