"""The lexicon: every surface form of the ontology and the cue files in one table, read by longest match.

A form may be ambiguous ("density" is a quality and, in a chest film, an opacity); a mention keeps all its entries and the
reader chooses by context.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgscore.linking.spelling import Speller
from kgscore.reading.tokens import Token

# Types of entries; cue words have the names of their classes in `mappings/reading/cues.txt` instead.
ANATOMY, FINDING, DESCRIPTOR, QUALITY, NORMAL, UNKNOWN = "A", "F", "M", "Q", "N", "W"
_SIDE_WORDS = {"left": "left", "right": "right", "both": "both", "each": "both", "either": "both", "bilateral": "both"}
# Separator of the words of a phrase: does not occur in tokens.
_GAP = "\0"
_ARTICLES = frozenset(("the", "a", "an"))
# The cue classes of words that make a wording a statement, and of those followed only by a noun phrase.
_STATING = frozenset(("cop", "have", "neg", "negpost"))
_BEFORE_NOUNS = frozenset(("prep", "near"))
_NAMING = frozenset((ANATOMY, FINDING, NORMAL, QUALITY, DESCRIPTOR))
_PASSED = frozenset(("the", "a", "an", "-"))


class Entry(NamedTuple):
    """One meaning of a form: its type (A, F, M, Q, N or a cue class), id or cue value, implied side, adjective or noun,
    region, the structure named by a quality or normal wording itself ("hepatic contour"), how the form differs from the
    concept (`narrow`, `broad`, a `sign` of it, or empty if it is exact), and whether its words mean the same one by one."""

    type: str
    id: str
    side: str | None
    adjective: bool
    module: str
    site: str | None = None
    scope: str = ""
    composed: bool = False


# The precedence of types: if a form has several, the first of these wins unless the reader's rules say otherwise.
ORDER = (
    "drop", "assert", "history", "except", "where", "spoken", "change", "negpost", "hedge", "infer", "neg", "rather", ANATOMY,
    FINDING, NORMAL, QUALITY, DESCRIPTOR, "other", "up", "down", "lost", "abnormal", "sideword", "tip", "greater", "less",
    "cause", "cop", "have", "seen", "with", "but", "prep", "near", "and", "or", "versus", "ref", "past", "stop", "seq",
    "signalword",
)  # fmt: skip
# Roman and lettered numerals, and the tokens between those of a list or range.
_NUMERAL = re.compile(r"[ivx]+[ab]?|\d[ab]")
_BETWEEN_NUMERALS = frozenset((",", "and", "or", "/", "&", "+", "to", "through", "-", "–"))
_RANK = {kind: rank for rank, kind in enumerate(ORDER)}


class Form:
    """The meanings of a surface form: its entries, the best one of each type, and the default type.

    `module` is its only region (None if none or several); `contested` is True if entries of one type compete, so that the
    region mentioned must decide; `loose`, if its words mean the same one by one, or it is not exact.
    """

    __slots__ = ("contested", "entries", "kind", "loose", "module", "types")

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.types = best_of_each_type(entries, {})
        self.kind = min(self.types, key=_RANK.__getitem__)
        best = self.types[self.kind]
        self.loose = best.composed or bool(best.scope)
        self.contested = len(self.types) < len({(e.type, e.id) for e in entries})
        modules = {e.module for e in entries if e.type in (ANATOMY, FINDING, QUALITY) and not e.id.endswith("intensity")}
        self.module = modules.pop() if len(modules) == 1 and "core" not in modules else None

    def spans_side(self, of: bool) -> bool:
        """Whether a side may stand inside the form, `of` after a preposition ("a cyst of the left kidney")."""
        return self.kind == ANATOMY or (self.kind == FINDING and not (of and self.loose))


def best_of_each_type(entries: Sequence[Entry], votes: Mapping[str, int]) -> dict[str, Entry]:
    """Return one entry per type: of the region with the most `votes`, nouns before adjectives."""
    types: dict[str, Entry] = {}
    for entry in entries:
        before, rank = types.get(entry.type), (votes.get(entry.module, 0), not entry.adjective)
        if before is None or rank > (votes.get(before.module, 0), not before.adjective):
            types[entry.type] = entry
    return types


def _describes(form: Form | None) -> bool:
    """Whether a form may be an adjective of a finding."""
    return form is not None and (DESCRIPTOR in form.types or (FINDING in form.types and form.types[FINDING].adjective))


def _is_noun(form: Form | None) -> bool:
    """Whether a form is a finding by itself, not an adjective."""
    return form is not None and form.kind == FINDING and not form.types[FINDING].adjective


def _is_finding(form: Form | None) -> bool:
    """Return whether a form is a finding."""
    return form is not None and form.kind == FINDING


class LexiconMatch(NamedTuple):
    """Words of the text with their form (None for unknown words) and the side named inside them."""

    form: Form | None
    first: int
    last: int
    side: str | None


_new = tuple.__new__


@dataclass(slots=True)
class Lexicon:
    """The forms by their words. `phrases` also holds the prefixes of forms (None unless a form themselves), so that `scan`
    knows when to stop; `size` is the number of forms, and `words` are those that occur in them."""

    phrases: dict[str, Form | None]
    size: int
    words: frozenset[str]
    _speller: Speller | None = None

    @classmethod
    def of(cls, forms: Mapping[tuple[str, ...], Iterable[Entry]]) -> Lexicon:
        """Return the lexicon of forms, each given by its words with its meanings."""
        phrases: dict[str, Form | None] = {}
        for words, entries in forms.items():
            for end in range(1, len(words)):
                phrases.setdefault(_GAP.join(words[:end]), None)
            phrases[_GAP.join(words)] = Form(tuple(entries))
        return cls(phrases, len(forms), frozenset(word for words in forms for word in words if word.isalpha()))

    def scan(self, tokens: Sequence[Token]) -> list[LexiconMatch]:
        """Return the mentions of a sentence, left to right, longest first; articles and hyphens are skipped."""
        found: list[LexiconMatch] = []
        norms = [token[0] for token in tokens]
        count = len(norms)
        position = 0
        while position < count:
            norm = norms[position]
            if norm in _ARTICLES:
                position += 1
                continue
            form, end, side = self._longest(norms, position)
            if end == position and _NUMERAL.fullmatch(norm):
                form = self._numeral_form(norms, found, norm) or form
            found.append(_new(LexiconMatch, (form, position, end, side)))
            position = end + 1
        return found

    def _longest(self, norms: Sequence[str], position: int) -> tuple[Form | None, int, str | None]:
        """Return the longest form at a position that its context allows, its last token, and the side named inside it."""
        form, end, side, literal = self._walk(norms, position, False)
        if literal > end:
            # A side word was matched as part of a form that led nowhere: skip it instead.
            other = self._walk(norms, position, True)
            if other[1] > end:
                form, end, side, _ = other
        if end > position and form is not None and form.kind in _NAMING:
            stated = self._next_verb(norms, position, end)
            if stated <= end and self._is_after_preposition(norms, position):
                # "A stone within the gallbladder is not seen", which states nothing about the gallbladder
                form, end, side, _ = self._walk(norms, position, False, stated)
        if form is None or not self._begins_another(norms, position, end, form):
            return form, end, side
        return self.phrases[norms[position]], position, None

    def _begins_another(self, norms: Sequence[str], first: int, last: int, form: Form) -> bool:
        """Whether the first word of a form is one of its own: "no flow reversal" is not "no flow", nor "no increase in density"
        no change, "no residual change after covid" denies that change, "small kidney stone" is no small kidney, and "sclerotic
        and lytic lesions" are both lesions."""
        if norms[first] in ("no", "without") and last > first and form.kind in (FINDING, DESCRIPTOR, "change", "neg", "stop"):
            longer, end, *_ = self._walk(norms, first + 1, False)
            wanted = longer is not None and longer.kind != "change" if form.kind in (FINDING, "change") else _is_finding(longer)
            if end > last and wanted:
                return True
        several = form.kind == FINDING and last > first
        return several and (self._describes_next(norms, first, last) or self._shares_head(norms, first, last))

    def _next_verb(self, norms: Sequence[str], first: int, last: int) -> int:
        """Return the position of the first word after another that is only a verb or a negation, or the one after the last."""
        forms = ((at, self.phrases.get(norms[at])) for at in range(first + 1, last + 1))
        return next((at for at, form in forms if form is not None and form.types.keys() <= _STATING), last + 1)

    def _is_after_preposition(self, norms: Sequence[str], position: int) -> bool:
        """Whether a word is in a noun phrase after a preposition; descriptors and a side before it are skipped."""
        at = position - 1
        while at >= 0 and norms[at] not in _ARTICLES:
            if norms[at] not in _SIDE_WORDS and self._kind(norms[at]) not in (DESCRIPTOR, "sideword"):
                break
            at -= 1
        at -= at >= 0 and norms[at] in _ARTICLES
        return at >= 0 and self._kind(norms[at]) in _BEFORE_NOUNS

    def _describes_next(self, norms: Sequence[str], first: int, last: int) -> bool:
        """Whether the words of a finding are a descriptor and a structure that modify the finding directly after them."""
        opening = self.phrases.get(norms[first])
        if not _describes(opening) or last + 1 >= len(norms):
            return False
        words = [norm for norm in norms[first + 1 : last + 1] if norm not in _SIDE_WORDS and norm not in _PASSED]
        return self._kind(*words) == ANATOMY and _is_noun(self._walk(norms, last + 1, False)[0])

    def _kind(self, *words: str) -> str | None:
        """Return the type of the form of some words, None if they are none."""
        form = self.phrases.get(_GAP.join(words))
        return None if form is None else form.kind

    def _shares_head(self, norms: Sequence[str], first: int, last: int) -> bool:
        """Whether the words of a finding are an adjective and a noun shared with another adjective, with which it is no form."""
        if first < 2 or norms[first - 1] not in ("and", "or"):
            return False
        noun = norms[first + 1 : last + 1]
        if not _is_noun(self.phrases.get(_GAP.join(noun))) or self._kind(norms[first - 2], *noun) == FINDING:
            return False
        return all(_describes(self.phrases.get(norm)) for norm in (norms[first - 2], norms[first]))

    def _numeral_form(self, norms: Sequence[str], found: Sequence[LexiconMatch], numeral: str) -> Form | None:
        """Return the form of a numeral with the noun of its list ("levels II, III and IV"), or None."""
        for form, first, last, _ in reversed(found):
            if form is not None and form.kind == ANATOMY and last > first and _NUMERAL.fullmatch(norms[last]):
                words = [norm for norm in norms[first:last] if norm not in _ARTICLES]
                named = self.phrases.get(_GAP.join((*words, numeral)))
                return named if named is not None and named.kind == ANATOMY else None
            if norms[first] not in _BETWEEN_NUMERALS and not _NUMERAL.fullmatch(norms[first]):
                break
        return None

    def _walk(
        self, norms: Sequence[str], position: int, skip: bool, count: int = sys.maxsize
    ) -> tuple[Form | None, int, str | None, int]:
        """Return the longest form at a position: the form, its last token, the side named inside it, and the position of a
        side word that was matched as a word of the form (-1: none). With `skip`, side words are always skipped; only the first
        `count` words are considered."""
        phrases = self.phrases
        count = min(count, len(norms))
        end, form, side, best_side, literal, of = position, None, None, None, -1, False
        at = position
        phrase = norms[position]
        while phrase in phrases:
            leaf = phrases[phrase]
            if leaf is not None and (side is None or leaf.spans_side(of)):
                form, end, best_side = leaf, at, side
            at += 1
            while at < count and norms[at] in _PASSED:
                at += 1
            if at < count and norms[at] in _SIDE_WORDS:
                if phrase + _GAP + norms[at] in phrases and not skip:
                    literal = at
                else:
                    side = _SIDE_WORDS[norms[at]]
                    opening, _, last = phrase.rpartition(_GAP)  # "a cyst of the left kidney" is a finding with a place
                    of = phrases.get(opening) is not None and self._kind(last) in _BEFORE_NOUNS
                    at += 1
            if at >= count:
                break
            phrase += _GAP + norms[at]
        return form, end, best_side, literal

    def corrected(self, word: str) -> str | None:
        """Return the only known word that a misspelt one can be (`Speller.corrected`), or None."""
        if self._speller is None:
            self._speller = Speller(self.words)
        return self._speller.corrected(word)

    def lookup(self, words: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries of exactly these normal forms, or an empty tuple."""
        form = self.phrases.get(_GAP.join(words))
        return form.entries if form else ()

    def structures(self, words: Iterable[str]) -> list[Entry]:
        """Return the structures that exactly these normal forms name."""
        return [entry for entry in self.lookup(words) if entry.type == ANATOMY]
