"""The lexicon: every surface form the ontology and the cue files know, in one trie, read by longest match.

A form may name several things ("density" is a quality and, in a chest film, an opacity); a mention keeps all its
entries and the reader chooses by what stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kgscore.errors import OntologyError
from kgscore.ontology.tables import Term
from kgscore.reading.tokens import PUNCTUATION, WORD, Token, phrase_key

ANATOMY, FINDING, DESCRIPTOR, QUALITY, NORMAL = "A", "F", "M", "Q", "N"
_KIND = {
    "anatomy": ANATOMY, "findings": FINDING, "devices": FINDING, "descriptors": DESCRIPTOR,
    "qualities": QUALITY, "normals": NORMAL,
}
_SIDE_WORDS = frozenset(("left", "right", "both", "each", "either"))
_LEAF = ""


class Entry(NamedTuple):
    """One meaning of a form: its type (A, F, M, Q, N or a cue class), id or cue value, side implied, adjective or noun."""

    type: str
    id: str
    side: str | None
    adjective: bool
    module: str


class Mention(NamedTuple):
    """Words of the text with the entries that they may mean; no entries: words that nobody knows."""

    entries: tuple[Entry, ...]
    first: int
    last: int
    side: str | None


@dataclass(slots=True)
class Lexicon:
    """The trie. `scan` cuts a token list into mentions."""

    root: dict[str, Any]
    size: int
    words: frozenset[str]

    def scan(self, tokens: Sequence[Token]) -> list[Mention]:
        """Return the mentions of a sentence, left to right, longest first; articles and hyphens are passed over."""
        found: list[Mention] = []
        count = len(tokens)
        position = 0
        root = self.root
        while position < count:
            token = tokens[position]
            norm = token.norm
            if norm in ("the", "a", "an"):
                position += 1
                continue
            node = root.get(norm if token.kind != WORD else norm)
            end, entries, side, best_side = position, None, None, None
            at = position
            while node is not None:
                leaf = node.get(_LEAF)
                if leaf is not None:
                    entries, end, best_side = leaf, at, side
                at += 1
                while at < count and tokens[at].norm in ("the", "a", "an", "-"):
                    at += 1
                if at >= count:
                    break
                following = node.get(tokens[at].norm)
                if following is None and tokens[at].norm in _SIDE_WORDS and tokens[at - 1].norm in ("of", "the"):
                    side = tokens[at].norm
                    at += 1
                    if at >= count:
                        break
                    following = node.get(tokens[at].norm)
                node = following
            if entries is None:
                found.append(Mention((), position, position, None))
                position += 1
            else:
                found.append(Mention(entries, position, end, best_side))
                position = end + 1
        return found

    def lookup(self, words: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries of exactly these normal forms, or nothing."""
        node: Any = self.root
        for word in words:
            node = node.get(word)
            if node is None:
                return ()
        return node.get(_LEAF, ())


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

    qualities = {phrase_key(word) for word in ("contour", "outline", "size", "caliber", "shape", "signal", "height", "alignment", "thickness")}
    known = {phrase_key(form) for term in terms if term.kind == "anatomy" for form in _texts(term)}
    for term in terms:
        kind = _KIND[term.kind]
        names = [(term.label, None, False)]
        names += [(noun, None, False) for noun in term.nouns]
        names += [(form.text, form.side, False) for form in (*term.synonyms, *term.hidden)]
        names += [(form.text, form.side, True) for form in term.adjectives]
        side = term.values.get("side")
        for text, implied, adjective in names:
            if kind == ANATOMY and phrase_key(text)[-1:] in qualities and len(phrase_key(text)) > 1:
                continue  # "mediastinal contour" is a quality of the mediastinum, not a structure
            entry = Entry(kind, term.id, implied or side, adjective, term.module)
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
        node[_LEAF] = tuple(entries)
    words = frozenset(word for key in forms for word in key if word.isalpha())
    return Lexicon(root, len(forms), words)


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


__all__ = ["ANATOMY", "DESCRIPTOR", "FINDING", "NORMAL", "PUNCTUATION", "QUALITY", "Entry", "Lexicon", "Mention", "build_lexicon", "read_cues", "table"]
