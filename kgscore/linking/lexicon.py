"""The lexicon: every surface form the ontology and the cue files know, in one trie, read by longest match.

A form may name several things ("density" is a quality and, in a chest film, an opacity); a mention keeps all its
entries and the reader chooses by what stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kgscore.errors import OntologyError
from kgscore.ontology.tables import Term
from kgscore.reading.tokens import Token, phrase_key

ANATOMY, FINDING, DESCRIPTOR, QUALITY, NORMAL = "A", "F", "M", "Q", "N"
_KIND = {
    "anatomy": ANATOMY,
    "findings": FINDING,
    "devices": FINDING,
    "descriptors": DESCRIPTOR,
    "qualities": QUALITY,
    "normals": NORMAL,
}
_SIDE_WORDS = frozenset(("left", "right", "both", "each", "either"))
_LEAF = ""
_ARTICLES = frozenset(("the", "a", "an"))
_PASSED = frozenset(("the", "a", "an", "-"))


class Entry(NamedTuple):
    """One meaning of a form: its type (A, F, M, Q, N or a cue class), id or cue value, side implied, adjective or noun, region,
    and the structure that a quality or normal wording names itself ("hepatic contour")."""

    type: str
    id: str
    side: str | None
    adjective: bool
    module: str
    site: str | None = None


# Where a form has several types, the first of these wins unless the reader's rules say otherwise.
ORDER = (
    "drop",
    "assert",
    "history",
    "except",
    "change",
    "negpost",
    "hedge",
    "infer",
    "neg",
    ANATOMY,
    FINDING,
    NORMAL,
    QUALITY,
    DESCRIPTOR,
    "other",
    "up",
    "down",
    "lost",
    "abnormal",
    "sideword",
    "tip",
    "greater",
    "less",
    "cause",
    "cop",
    "have",
    "seen",
    "with",
    "but",
    "prep",
    "near",
    "and",
    "or",
    "versus",
    "ref",
    "past",
    "stop",
    "seq",
    "signalword",
)
_RANK = {kind: rank for rank, kind in enumerate(ORDER)}


class Form:
    """What a surface form may mean: its entries, the best one of each type, and the type that wins by default.

    `module` is the one region it speaks of (None where none or several); `contested` tells that entries of one type
    compete, so that the region spoken of must choose.
    """

    __slots__ = ("contested", "entries", "kind", "module", "types")

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.types = best_of_each_type(entries, {})
        self.kind = min(self.types, key=_RANK.__getitem__)
        self.contested = len(self.types) < len({(e.type, e.id) for e in entries})
        modules = {e.module for e in entries if e.type in (ANATOMY, FINDING, QUALITY) and not e.id.endswith("intensity")}
        self.module = modules.pop() if len(modules) == 1 and "core" not in modules else None


def best_of_each_type(entries: Sequence[Entry], votes: Mapping[str, int]) -> dict[str, Entry]:
    """Return one entry a type: of the region most spoken of (`votes`), nouns before adjectives."""
    types: dict[str, Entry] = {}
    for entry in entries:
        before = types.get(entry.type)
        if before is None or (votes.get(entry.module, 0), not entry.adjective) > (
            votes.get(before.module, 0),
            not before.adjective,
        ):
            types[entry.type] = entry
    return types


class Mention(NamedTuple):
    """Words of the text with the form that they are (None: words that nobody knows) and the side said inside them."""

    form: Form | None
    first: int
    last: int
    side: str | None


@dataclass(slots=True)
class Lexicon:
    """The trie. `scan` cuts a token list into mentions."""

    root: dict[str, Any]
    size: int
    words: frozenset[str]
    _near: dict[str, set[str]] | None = None
    _corrections: dict[str, str | None] = field(default_factory=dict)

    def scan(self, tokens: Sequence[Token]) -> list[Mention]:
        """Return the mentions of a sentence, left to right, longest first; articles and hyphens are passed over."""
        found: list[Mention] = []
        norms = [token[0] for token in tokens]
        count = len(norms)
        position = 0
        while position < count:
            norm = norms[position]
            if norm in _ARTICLES:
                position += 1
                continue
            form, end, side, literal = self._walk(norms, position, False)
            if literal > end:
                # A side word was taken for part of a form that then led nowhere: pass over it instead.
                other = self._walk(norms, position, True)
                if other[1] > end:
                    form, end, side, _ = other
            best_side = side
            found.append(Mention(form, position, end, best_side))
            position = end + 1
        return found

    def _walk(self, norms: Sequence[str], position: int, skip: bool) -> tuple[Form | None, int, str | None, int]:
        """Return the longest form from here: (form, its last token, the side said inside it, where a side word was read as such)."""
        node = self.root.get(norms[position])
        count = len(norms)
        end, form, side, best_side, literal = position, None, None, None, -1
        at = position
        while node is not None:
            leaf = node.get(_LEAF)
            if leaf is not None and (side is None or leaf.kind == ANATOMY):
                form, end, best_side = leaf, at, side
                if len(node) == 1:
                    break
            at += 1
            while at < count and norms[at] in _PASSED:
                at += 1
            if at >= count:
                break
            norm = norms[at]
            following = node.get(norm)
            if norm in _SIDE_WORDS:
                if following is not None and not skip:
                    literal = at
                else:
                    side = norm
                    at += 1
                    if at >= count:
                        break
                    following = node.get(norms[at])
            node = following
        return form, end, best_side, literal

    def corrected(self, word: str) -> str | None:
        """Return the one known word that a misspelt one stands for: one letter missing, doubled, changed or swapped, in a word of
        six letters or more; None where no or several words are that near."""
        if len(word) < 6 or not word.isalpha() or word in self.words:
            return None
        found = self._corrections.get(word, "")
        if found == "":
            if self._near is None:
                self._near = {}
                for known in self.words:
                    if len(known) >= 6:
                        for variant in _deletions(known):
                            self._near.setdefault(variant, set()).add(known)
            near: set[str] = set()
            for variant in _deletions(word):
                near |= {known for known in self._near.get(variant, ()) if abs(len(known) - len(word)) <= 1 and known[0] == word[0]}
            near = {known for known in near if _one_edit(word, known)}
            found = near.pop() if len(near) == 1 else None
            self._corrections[word] = found
        return found

    def lookup(self, words: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries of exactly these normal forms, or nothing."""
        node: Any = self.root
        for word in words:
            node = node.get(word)
            if node is None:
                return ()
        form = node.get(_LEAF)
        return form.entries if form else ()


def build_lexicon(terms: Sequence[Term], cues: Path) -> Lexicon:
    """Build the lexicon from the ontology's terms and a cue file.

    Raises:
        OntologyError: a line of the cue file does not follow its format.
    """
    forms: dict[tuple[str, ...], dict[Entry, None]] = {}

    def add(form: str, entry: Entry) -> None:
        key = phrase_key(form)
        if key:
            forms.setdefault(key, {})[entry] = None

    qualities = {
        phrase_key(word)
        for word in ("contour", "outline", "size", "caliber", "shape", "signal", "height", "alignment", "thickness")
    }
    reserved = {phrase_key(form) for _, _, form in read_cues(cues)}
    known = {phrase_key(form) for term in terms if term.kind == "anatomy" for form in _texts(term)}
    nouns = {phrase_key(noun) for term in terms for noun in term.nouns}
    plain = {phrase_key(f) for t in terms if t.kind == "normals" and t.module == "core" for f in _texts(t)} | {
        ("is",),
        ("are",),
        ("in",),
        ("of",),
        ("and",),
    }
    by_id = {term.id: term for term in terms}
    structures = {phrase_key(form): term.id for term in reversed(terms) if term.kind == "anatomy" for form in _texts(term)}
    inside: dict[str, set[str]] = {}
    for term in terms:
        if term.kind == "anatomy":
            for whole in _wholes(term, by_id):
                inside.setdefault(whole, set()).add(term.id)
    for term in terms:
        kind = _KIND[term.kind]
        names: list[tuple[str, str | None, bool]] = [(term.label, None, False)]
        names += [(noun, None, False) for noun in term.nouns]
        names += [(form.text, form.side, False) for form in (*term.synonyms, *term.hidden)]
        names += [(form.text, form.side, True) for form in term.adjectives]
        side = term.values.get("side")
        own = {phrase_key(text) for text, _, _ in names} if kind in (FINDING, QUALITY) else set()
        if kind == FINDING:
            own |= {phrase_key(form) for d in term.definitions if d.genus in by_id for form in _texts(by_id[d.genus])}
        narrower = _narrower(term, by_id, inside) if kind == FINDING else set()
        for text, implied, adjective in names:
            if term.module != "core" and kind != QUALITY and phrase_key(text) in reserved:
                continue  # "TIPS" must not take the tip of a tube, nor "VS" a comparison
            if kind == NORMAL and term.module != "core" and _plain(phrase_key(text), known, nouns, plain):
                continue  # "normal pituitary size" is read from its words
            if kind == QUALITY and _composed(phrase_key(text), known, own):
                continue  # "hepatic contour" is the contour of the liver
            if kind == FINDING and _composed(phrase_key(text), narrower, own):
                continue  # "sigmoid diverticulitis" is read as diverticulitis of the sigmoid
            if kind == ANATOMY and phrase_key(text)[-1:] in qualities and len(phrase_key(text)) > 1:
                continue  # "mediastinal contour" is a quality of the mediastinum, not a structure
            bearer = _bearer(phrase_key(text), structures) if kind in (QUALITY, NORMAL) else None
            entry = Entry(kind, term.id, implied or side, adjective, term.module, bearer)
            add(text, entry)
            if kind == ANATOMY and not adjective:
                for variant in _turned(text, known):
                    if phrase_key(variant) not in known:
                        add(variant, entry)
    for kind, value, text in read_cues(cues):
        add(text, Entry(kind, value, None, False, "core"))
    root: dict[str, Any] = {}
    for key, entries in forms.items():
        node = root
        for word in key:
            node = node.setdefault(word, {})
        node[_LEAF] = Form(tuple(entries))
    words = frozenset(word for key in forms for word in key if word.isalpha())
    return Lexicon(root, len(forms), words)


def _bearer(key: tuple[str, ...], structures: Mapping[tuple[str, ...], str]) -> str | None:
    """Return the structure named in a wording, the longest."""
    spans = [
        (b - a, -a) for a in range(len(key)) for b in range(a + 1, len(key) + 1) if key[a:b] in structures and key != key[a:b]
    ]
    if not spans:
        return None
    length, start = max(spans)
    return structures[key[-start : -start + length]]


def _plain(key: tuple[str, ...], places: set[tuple[str, ...]], nouns: set[tuple[str, ...]], words: set[tuple[str, ...]]) -> bool:
    """Whether a normal wording is only structures, qualities and core normal words in a row, a structure or quality among them."""
    reach: dict[int, bool] = {0: False}
    for end in range(1, len(key) + 1):
        for start in range(end):
            piece = key[start:end]
            named = piece in places or piece in nouns
            if start in reach and (named or piece in words):
                reach[end] = reach.get(end, False) or reach[start] or named
    return len(key) > 1 and reach.get(len(key), False)


def _wholes(term: Term, by_id: Mapping[str, Term]) -> set[str]:
    found: set[str] = set()
    stack = [*term.parents, *term.parts]
    while stack:
        name = stack.pop()
        if name not in found and name in by_id:
            found.add(name)
            stack += [*by_id[name].parents, *by_id[name].parts]
    return found


def _narrower(term: Term, by_id: Mapping[str, Term], inside: Mapping[str, set[str]]) -> set[tuple[str, ...]]:
    """Return the forms of the structures that lie inside the finding's own site."""
    sites = [placement.structure for placement in term.sites] or [d.site for d in term.definitions[:1]]
    return {phrase_key(form) for site in sites for name in inside.get(site, ()) for form in _texts(by_id[name])}


def _composed(key: tuple[str, ...], places: set[tuple[str, ...]], own: set[tuple[str, ...]]) -> bool:
    """Whether a form of a finding is only another form of it with a structure before it, or after "of" or "in"."""
    for cut in range(1, len(key)):
        if (key[:cut] in places and key[cut:] in own) or (
            key[cut] in ("of", "in") and key[:cut] in own and key[cut + 1 :] in places
        ):
            return True
    return False


def _deletions(word: str) -> set[str]:
    return {word} | {word[:i] + word[i + 1 :] for i in range(len(word))}


def _one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter put in, left out or changed, or two neighbours swapped."""
    if len(one) == len(other):
        differ = [i for i in range(len(one)) if one[i] != other[i]]
        if len(differ) == 1:
            return True
        return len(differ) == 2 and differ[1] == differ[0] + 1 and one[differ[0]] == other[differ[1]] and one[differ[1]] == other[differ[0]]
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def table(path: Path) -> list[list[str]]:
    """Return the rows of a three-column data file of the reader (`|` between cells, `#` starts a comment).

    Raises:
        OntologyError: a line has not three cells.
    """
    rows: list[list[str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3:
            raise OntologyError(f"{path.name}:{number}: a line has three cells, 'a | b | c'")
        rows.append(cells)
    return rows


def read_cues(path: Path) -> list[tuple[str, str, str]]:
    """Return (class, value, form) for every form of a cue file."""
    return [(kind, value, form.strip()) for kind, value, forms in table(path) for form in forms.split(";") if form.strip()]


def _texts(term: Term) -> list[str]:
    return [term.label, *(f.text for f in (*term.synonyms, *term.hidden, *term.adjectives))]


def _turned(text: str, known: set[tuple[str, ...]]) -> list[str]:
    """Return "wall of gallbladder" for "gallbladder wall" and the other way round."""
    match = re.fullmatch(r"(.+?) of (.+)", text)
    if match:
        return [f"{match[2]} {match[1]}"]
    head, _, last = text.rpartition(" ")
    return [f"{last} of {head}"] if head and phrase_key(head) in known and last.islower() else []


__all__ = [
    "ANATOMY",
    "DESCRIPTOR",
    "FINDING",
    "NORMAL",
    "QUALITY",
    "Entry",
    "Form",
    "Lexicon",
    "Mention",
    "best_of_each_type",
    "build_lexicon",
    "table",
]
