"""Resources for changing a report (reader, ontology, words), the tests that a re-read change must pass, and the words themselves:
lists of the data, labels and synonyms of the ontology; case and punctuation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.clinical.significance import Significances
from kgscore.linking.lexicon import Lexicon
from kgscore.matching.denials import denial_of_all
from kgscore.matching.relation import Relator
from kgscore.model import Finding, Reading
from kgscore.ontology.index import Index
from kgscore.ontology.modules import shipped_names
from kgscore.ontology.tables import Term
from kgscore.reading.tokens import normal_form, phrase_key
from kgscore.resources import yaml_of

Key = tuple[object, ...]
_SAME = ("equivalent", "part_whole")


@dataclass(frozen=True, slots=True)
class Delta:
    """The findings lost and gained in the reading of a changed report."""

    lost: tuple[Finding, ...]
    gained: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Means:
    """Reader, ontology, words and severities, shared by all changes."""

    read: Callable[[str], Reading]
    index: Index
    lexicon: Lexicon
    relator: Relator
    words: Words
    significances: Significances

    @property
    def lists(self) -> Mapping[str, Any]:
        """The lists of `mappings/perturb.yaml`."""
        return self.words.lists

    def key(self, finding: Finding) -> Key:
        """Return the content of a finding, independent of its words."""
        concept = self.index.fold(finding.concept, finding.sites) if finding.concept else finding.label.lower()
        details = frozenset((d.category, d.value) for d in finding.details)
        return (
            concept, frozenset(finding.sites), finding.side, finding.asserts, finding.certainty, details, finding.change,
            frozenset(finding.tip), frozenset(finding.alternatives),
        )  # fmt: skip

    def keys(self, findings: Iterable[Finding]) -> set[Key]:
        """Return the contents of findings."""
        return set(map(self.key, findings))

    def delta(self, before: Sequence[Finding], after: Sequence[Finding]) -> Delta:
        """Return the findings that differ between two readings."""
        return Delta(self._not_in(before, after), self._not_in(after, before))

    def _not_in(self, findings: Sequence[Finding], others: Sequence[Finding]) -> tuple[Finding, ...]:
        left, found = Counter(map(self.key, others)), []
        for finding in findings:
            key = self.key(finding)
            left[key] -= 1
            if left[key] < 0:
                found.append(finding)
        return tuple(found)

    def same(self, before: Sequence[Finding], text: str) -> bool:
        """Return whether a text has exactly these findings."""
        found = self.delta(before, self.read(text).findings)
        return not found.lost and not found.gained

    def contradict(self, one: Finding, other: Finding) -> bool:
        """Return whether two findings cannot both hold, one asserted, one negated ("the rest is normal" is taken literally)."""
        if one.asserts == other.asserts:
            return False
        yes, no = (one, denial_of_all(other)) if one.asserts else (other, denial_of_all(one))
        said = {(d.category, d.value) for d in yes.details}
        whole = (yes.concept, set(yes.sites), yes.side) == (no.concept, set(no.sites), no.side)
        if whole and yes.concept is not None and {(d.category, d.value) for d in no.details} <= said:
            return True  # the negated class includes the asserted one, even an old infarct
        return self.relator.relate(denial_of_all(one), denial_of_all(other)).relation == "contradiction"

    def turned(self, finding: Finding, by: Iterable[Finding]) -> bool:
        """Return whether some finding contradicts this one."""
        return any(self.contradict(finding, other) for other in by)

    def all_turned(self, findings: Iterable[Finding], by: Sequence[Finding]) -> bool:
        """Return whether each of some findings is contradicted."""
        return all(self.turned(finding, by) for finding in findings)

    def agrees(self, finding: Finding, others: Iterable[Finding]) -> bool:
        """Return whether some finding is equivalent, broader or narrower, with the same polarity."""
        return any(o.asserts == finding.asserts and self.relator.relate(finding, o).relation in _SAME for o in others)

    def severity(self, finding: Finding, categories: Sequence[int], other: Finding | None = None) -> int:
        """Return the clinical severity of an error about a finding (FineRadScore, appendix A), 1 to 4."""
        return self.significances.of(finding, categories=categories, other=other).tier


# A phrase with more words is not a name; the number of siblings tried.
_WORDS, _NEAR = 4, 4
_SIDES = frozenset(("left", "right", "bilateral", "both"))
_JOINED = re.compile(r"\b(?:of|in|on|at|with|by|for|from|to|over|under|within|and|or|without|is|are)\b")
_ARTICLE = re.compile(r"\b([Aa])n?(\s+)(?=([A-Za-z0-9][\w-]*))")
# Letters whose names begin with a vowel sound ("an MRI"), and word beginnings that sound so.
_SPOKEN = frozenset("AEFHILMNORSX")
_OPEN = re.compile(r"(?:[aeio]|u(?!ni|s[aeiu]|ti|re|ro|ter|tero)|hour|honest|8|11\b|18\b)", re.IGNORECASE)


def word_lists() -> Mapping[str, Any]:
    """Return the lists of `mappings/perturb.yaml`, cached; its comments explain each."""
    found: Mapping[str, Any] = yaml_of("mappings", "perturb.yaml")
    return found


class Words:
    """The words of an ontology, by concept."""

    def __init__(self, terms: Sequence[Term], index: Index) -> None:
        self.index = index
        self.lists = word_lists()
        self.terms = {term.id: term for term in terms}
        self._rows = {text.lower(): row for row in self.lists["wordings"] for text in row}
        self._confused = {phrase_key(text): row for row in self.lists["confused"] for text in row}
        self._meanings: Counter[tuple[str, ...]] = Counter()
        self._children: dict[tuple[str, str], list[str]] = {}
        for term in terms:
            self._meanings.update(set(map(phrase_key, term.texts)))
            for parent in (*term.parents, *term.parts):
                self._children.setdefault((term.kind, parent), []).append(term.id)
        spelt = {word for term in terms for form in (term.label, *(f.text for f in term.synonyms)) for word in form.split()}
        self.names = frozenset(word for word in spelt if word[:1].isupper() and word.lower() not in spelt)

    def synonyms(self, concept: str, said: str) -> list[str]:
        """Return other words for a concept that can replace `said`: from its row in the lists, or for a term of a user's own
        module any synonym, pluralised if needed."""
        row: Sequence[str] = self._rows.get(said.lower(), ())
        if not row and said.endswith("s") and (row := self._rows.get(said[:-1].lower(), ())):
            return [f"{text}s" for text in row if text.lower() != said[:-1].lower() and not text.endswith("s")]
        return [text for text in dict.fromkeys(row or self._own_names(concept, said)) if text.lower() != said.lower()]

    def _own_names(self, concept: str, said: str) -> list[str]:
        """Return the plain names of a term of a user's own module, if `said` names it in the singular."""
        term = self.terms.get(concept)
        if term is None or term.module in shipped_names() or _is_plural(said) or not self.is_name(term, said):
            return []
        return [text for text in (term.label, *(f.text for f in term.synonyms if f.side is None)) if self._is_plain(text)]

    def is_name(self, term: Term, said: str) -> bool:
        """Return whether words name a term as a noun does, not as an adjective."""
        key = phrase_key(said)
        return key == phrase_key(term.label) or key not in {phrase_key(form.text) for form in term.adjectives}

    def place(self, site: str, side: str | None) -> str:
        """Return a structure with its article and side: "the left upper lobe", "the apex of the left lung"."""
        label = self.index.label(site)
        known = self.index.concepts.get(site)
        said = f"{side} " if side and not (known and known.values.get("side")) else ""
        head, of, whole = label.partition(" of ")
        return f"the {head} of the {said}{whole.removeprefix('the ')}" if of else f"the {said}{label}"

    def siblings(self, concept: str, said: str) -> list[str]:
        """Return words that may wrongly replace `said`: commonly confused words, or else siblings whose names have the same
        ending ("medial meniscus", "lateral meniscus"), most common first (estimated by the number of wordings of a concept)."""
        key = phrase_key(said)
        if key in self._confused:
            others = (text for text in self._confused[key] if phrase_key(text) != key)
            return [f"{text.removesuffix('s')}s" for text in others] if _is_plural(said) else [*others]
        term = self.terms.get(concept)
        if term is None or not said.strip() or not self.is_name(term, said):
            return []
        *before, last = said.split()
        named = ((other, other.label.split()) for other in self._siblings_of(term) if self._is_plain(other.label))
        kin = [other for other, words in named if words[-1] == last.lower() and len(words) == len(before) + 1]
        return [other.label for other in sorted(kin, key=lambda other: (-len(other.synonyms), other.id))[:_NEAR]]

    def _siblings_of(self, term: Term) -> list[Term]:
        """Return the siblings in the same module (with a specific parent) that have sides like this one."""
        parents = [parent for parent in (*term.parents, *term.parts) if parent not in self.lists["general_classes"]]
        names = dict.fromkeys(name for parent in parents for name in self._children.get((term.kind, parent), ()))
        apart = (n for n in names if n != term.id and not self.index.is_a(n, term.id) and not self.index.is_a(term.id, n))
        near = (self.terms[name] for name in apart)
        return [other for other in near if other.module == term.module and _sides(other) == _sides(term)]

    def _is_plain(self, text: str) -> bool:
        """Return whether a wording is a plain noun phrase unique to its concept."""
        words = text.lower().split()
        short = len(words) <= _WORDS and _SIDES.isdisjoint(words) and not re.search(r"[CTLS]\d", text)
        return short and not _JOINED.search(text.lower()) and self._meanings[phrase_key(text)] <= 1

    def lower_first(self, text: str) -> str:
        """Return a text for use inside a sentence: abbreviations and names keep their capitals."""
        return lower_first(text, self.names)


def _is_plural(said: str) -> bool:
    last = said.split()[-1].lower()
    return last.endswith("s") and normal_form(last) != last


def _sides(term: Term) -> tuple[object, ...]:
    """Return the sidedness of a term: the side it is on, or that there are two."""
    return term.values.get("side"), bool(term.flags & {"paired", "sided"})


def article(word: str) -> str:
    """Return the indefinite article before a word.

    >>> article("effusion"), article("small"), article("MRI"), article("8"), article("unilateral")
    ('an', 'a', 'an', 'an', 'a')
    """
    if len(word) > 1 and word[:2].isupper():
        return "an" if word[0] in _SPOKEN and word not in word_lists()["spoken_as_words"] else "a"
    return "an" if _OPEN.match(word) else "a"


def upper_first(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str, names: Collection[str] = ()) -> str:
    """Return a text for use inside a sentence: abbreviations and names keep their capitals.

    >>> lower_first("Small effusion"), lower_first("NG tube"), lower_first("T2 hyperintensity"), lower_first("L4-L5 disc")
    ('small effusion', 'NG tube', 'T2 hyperintensity', 'L4-L5 disc')
    """
    word = re.match(r"[\w'’-]*", text)
    first = word[0] if word else ""
    if any(letter.isupper() or letter.isdigit() for letter in first[1:]) or first in word_lists()["names"] or first in names:
        return text
    return text[:1].lower() + text[1:]


def match_case(new: str, old: str) -> str:
    """Return new words with the capitalisation of the old ones."""
    return upper_first(new) if old[:1].isupper() and not old[:2].isupper() else lower_first(new)


def tidy(text: str) -> str:
    """Return a text with single blanks, no blank before punctuation, and articles that agree with the next word."""
    text = re.sub(r"\s+([,.;:])", r"\1", re.sub(r"[ \t]{2,}", " ", text)).strip()
    text = re.sub(r",\s*([.;])", r"\1", text)
    return _ARTICLE.sub(lambda m: (upper_first(article(m[3])) if m[1] == "A" else article(m[3])) + m[2], text)


def sentence(text: str) -> str:
    """Return a text as a sentence: a capital, a full stop, tidy."""
    said = tidy(text).rstrip(" ,;:")
    return upper_first(said) + ("" if said.endswith((".", "!", "?")) else ".")
