"""The words for concepts: synonyms of the same part of speech and number, siblings, labels of structures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kgscore.ontology.index import Index
from kgscore.ontology.modules import shipped_names
from kgscore.ontology.tables import Term
from kgscore.perturbing.english import is_mass, is_plural, plural
from kgscore.perturbing.settings import Settings
from kgscore.reading.tokens import normal_form, phrase_key

# A noun phrase of more words is no name.
_WORDS = 4
_JOINING = frozenset(
    ("of", "in", "on", "at", "with", "by", "for", "from", "to", "over", "under", "within", "and", "or", "without", "is", "are")
)
_SIDES = frozenset(("left", "right", "bilateral", "both"))
# Classes so general that sharing them as a parent says nothing.
_ROOTS = frozenset(
    (
        "abnormality", "finding", "device", "procedure", "lesion", "organ", "acute_abnormality", "incidental_finding", "bone",
        "vessel", "artery", "vein", "support_line", "region", "anatomy", "structure",
    )
)  # fmt: skip
_NEAR = 4
# One level ("L4", "T12") or two of one region ("L4-5", "L4/L5"); how many levels a region has.
_LEVEL = re.compile(r"\b([CTL])(\d{1,2})(?:([-/–](?:\1)?)(\d{1,2}))?\b(?![-/–])")
_LAST = {"C": 7, "T": 12, "L": 5}


class Wordings:
    """The words of an ontology, by concept."""

    def __init__(self, terms: Sequence[Term], index: Index, lists: Settings) -> None:
        self.index = index
        self.lists = lists
        self.terms = {term.id: term for term in terms}
        self._rows = {phrase_key(text): row for row in lists.wordings for text in row}
        self._confused = {phrase_key(text): row for row in lists.confused for text in row}
        self._shipped = shipped_names()
        self._meanings: Counter[tuple[str, ...]] = Counter()
        for term in terms:
            keys = {phrase_key(term.label), *(phrase_key(form.text) for form in (*term.synonyms, *term.hidden, *term.adjectives))}
            self._meanings.update(keys)
        words = {word for term in terms for form in (term.label, *(f.text for f in term.synonyms)) for word in form.split()}
        self.names = frozenset(word for word in words if word[:1].isupper() and word.lower() not in words)
        self._children: dict[tuple[str, str], list[str]] = {}
        for term in terms:
            for parent in (*term.parents, *term.parts):
                self._children.setdefault((term.kind, parent), []).append(term.id)

    # ---- synonyms ------------------------------------------------------------------------------------------------
    def synonyms(self, concept: str, said: str) -> list[str]:
        """Return other words for a concept that may stand where `said` stands: the same part of speech and number."""
        term = self.terms.get(concept)
        key = phrase_key(said)
        if term is None or not key:
            return []
        if key in {phrase_key(form.text) for form in term.adjectives} and key != phrase_key(term.label):
            return []  # adjectives differ in what they may stand before
        many = is_plural(said)
        found = []
        for text in self._rows.get(key) or self._names(term, said):
            if phrase_key(text) == key or (" of " in text and many):
                continue
            found.append(plural(text) if many and not is_plural(text) else text)
        return [text for text in dict.fromkeys(found) if is_plural(text) == many and is_mass(text) == is_mass(said)]

    def _names(self, term: Term, said: str) -> list[str]:
        """Return the names of a concept without a row: the label of a finding or device; of a user's term the synonyms too."""
        if term.kind not in ("findings", "devices") or term.module == "core" or said.split()[-1].lower() in self.lists.general:
            return []
        own = [] if term.module in self._shipped else [form.text for form in term.synonyms if form.side is None]
        return [text for text in (term.label, *own) if self._usual(text)]

    def _usual(self, text: str) -> bool:
        """Whether a wording is a plain noun phrase that nothing else is called."""
        words = text.lower().split()
        plain = len(words) <= _WORDS and _JOINING.isdisjoint(words) and _SIDES.isdisjoint(words)
        return plain and self._meanings[phrase_key(text)] <= 1

    # ---- names ---------------------------------------------------------------------------------------------------
    def name(self, concept: str) -> str:
        """Return what to call a finding or device."""
        return self.index.label(concept)

    def place(self, site: str, side: str | None, *, both: bool = False) -> str:
        """Return a structure with its article and side: "the left upper lobe", "the apex of the left lung", "both kidneys"."""
        label = self.index.label(site)
        if site in self.index.concepts and self.index.concepts[site].values.get("side"):
            side, both = None, False  # there is one only: the lingula
        head, of, whole = label.partition(" of ")
        if side is None and not both:
            return f"the {head} of the {whole.removeprefix('the ')}" if of else f"the {label}"
        word = "both" if both else f"the {side}"
        if of:
            whole = whole.removeprefix("the ")
            return f"the {head} of {word} {plural(whole) if both else whole}"
        return f"{word} {plural(label) if both else label}"

    def implied(self, concept: str, sites: Iterable[str]) -> bool:
        """Return whether the sites are those that the concept has by itself, so that naming them adds nothing."""
        usual = {*self.index.sites_implied(concept), *self.index.soft_sites.get(concept, ())}
        return set(sites) <= usual

    # ---- siblings ------------------------------------------------------------------------------------------------
    def siblings(self, concept: str, said: str) -> list[str]:
        """Return words that may wrongly stand where `said` stands: what it is taken for, the next level of the spine, or else
        other concepts of the same parent whose names end alike ("medial meniscus", "lateral meniscus"), the commonest first.

        A concept with many wordings is taken for a common one.
        """
        if not said.strip():
            return []
        many = is_plural(said)
        row = self._confused.get(phrase_key(said))
        if row is not None:
            return [plural(text) if many else text for text in row if phrase_key(text) != phrase_key(said)]
        term = self.terms.get(concept)
        if _LEVEL.search(said):
            return _next_levels(said)
        if term is None or phrase_key(said) in {phrase_key(form.text) for form in term.adjectives}:
            return []
        last = normal_form(said.split()[-1])
        alike = (other for other in self._kin(term) if normal_form(other.label.split()[-1]) == last)
        kin = [other for other in alike if self._plain(other.label) and len(other.label.split()) == len(said.split())]
        chosen = sorted(kin, key=lambda other: (-len(other.synonyms), other.id))[:_NEAR]
        return [plural(other.label) if many else other.label for other in chosen]

    def _kin(self, term: Term) -> list[Term]:
        """Return the concepts of the same module and parent that have sides as this one has."""
        parents = [parent for parent in (*term.parents, *term.parts) if parent not in _ROOTS]
        names = dict.fromkeys(name for parent in parents for name in self._children.get((term.kind, parent), ()))
        near = (
            self.terms[name] for name in names
            if name != term.id and not self.index.is_a(name, term.id) and not self.index.is_a(term.id, name)
        )  # fmt: skip
        return [other for other in near if other.module == term.module and _sides(other) == _sides(term)]

    def _plain(self, text: str) -> bool:
        words = text.lower().split()
        known = len(words) <= _WORDS and _SIDES.isdisjoint(words) and self._meanings[phrase_key(text)] <= 1
        return known and re.search(r"[CTLS]\d", text) is None


def _sides(term: Term) -> tuple[object, ...]:
    """Return what a term says of sides: which one it is on, or that there are two."""
    return term.values.get("side"), bool(term.flags & {"paired", "sided"})


def _next_levels(said: str) -> list[str]:
    """Return the words with the level of the spine one or two further on: "L3-L4" for "L4-L5"."""
    found: list[str] = []
    if re.search(r"\bon\b|\bS\d", said):
        return found  # a slip between two, and the end of the spine
    for step in (-1, 1, -2, 2):
        made = _LEVEL.sub(lambda m, step=step: f"{m[1]}{int(m[2]) + step}" + (f"{m[3]}{int(m[4]) + step}" if m[4] else ""), said)  # type: ignore[misc]
        first = _LEVEL.search(made)
        inside = first is not None and all(1 <= int(n) <= _LAST[first[1].upper()] for n in (first[2], first[4]) if n)
        if inside:
            found.append(made)
    return found
