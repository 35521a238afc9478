"""Suggestions of existing concepts for words that no concept covers: near in spelling, sharing their rarer words, or near in
meaning (`kgscore.linking.vectors`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from math import fsum, log

import numpy as np

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, Entry, Lexicon
from kgscore.linking.vectors import Vectors, likeness
from kgscore.reading.tokens import phrase_key

_KINDS = {ANATOMY: "anatomy", FINDING: "finding", DESCRIPTOR: "descriptor", QUALITY: "quality", NORMAL: "normal"}
_NEAR = 82.0  # minimum of rapidfuzz's ratio, 0 to 100, of two spellings that count as near
_SHARED = 0.5  # minimum share of the weight of all words of both phrases that must be common
_STEM = 5  # common initial letters of two words that are compared
_WORDINGS = 16  # nearest wordings per suggestion that are sorted before the others
_AT_ONCE = 64  # texts per batch compared with all wordings
_ALIKE = 0.5  # minimum common prefix of two words, as a share, for a partial match


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A concept that words may mean: its nearest wording, the criterion `by` which it is near (`spelling`, `words`,
    `meaning`), and the score, 0 to 1."""

    concept: str
    kind: str
    form: str
    by: str
    score: float


def wordings_of(lexicon: Lexicon) -> dict[str, tuple[Entry, ...]]:
    """Return the wordings of concepts in a lexicon, in normal forms, each with its entries."""
    found: dict[str, tuple[Entry, ...]] = {}
    for phrase, form in lexicon.phrases.items():
        entries = tuple(entry for entry in form.entries if entry.type in _KINDS) if form else ()
        if entries:
            found[phrase.replace("\0", " ")] = entries
    return found


class Suggester:
    """Suggests concepts for words by the wordings of others; `vectors` are those shipped by default.

    Raises:
        InputError: the shipped vectors cannot be read.
    """

    def __init__(self, forms: Mapping[str, tuple[Entry, ...]], vectors: Vectors | None = None) -> None:
        self._forms = forms
        self._vectors = vectors or Vectors.load()
        self._with: dict[str, list[str]] = {}
        self._stems: dict[str, set[str]] = {}
        for text in forms:
            for word in set(text.split()):
                self._with.setdefault(word, []).append(text)
                self._stems.setdefault(word[:_STEM], set()).add(word)
        self._texts = list(forms)

    @cached_property
    def _table(self) -> np.ndarray:
        return self._vectors.of([text.split() for text in self._texts])

    def nearest(self, words: str, n: int = 10) -> list[Suggestion]:
        """Return the `n` concepts whose wordings are nearest in meaning, the nearest first, each once; the words of a concept
        itself give it first. Words without a letter give none."""
        near = likeness(self._vectors.of([phrase_key(words)]), self._table)[0]
        found: dict[str, Suggestion] = {}
        for at in _nearest_first(near, _WORDINGS * n):
            if len(found) >= n or near[at] <= 0:
                break
            for one in self._of_form(self._texts[at], "meaning", float(near[at])):
                found.setdefault(one.concept, one)
        return list(found.values())[:n]

    def nearness(self, texts: Sequence[str]) -> list[float]:
        """Return for each text the nearness in meaning of the nearest wording: a cosine, up to 1."""
        found: list[float] = []
        for start in range(0, len(texts), _AT_ONCE):
            keys = [phrase_key(text) for text in texts[start : start + _AT_ONCE]]
            found += likeness(self._vectors.of(keys), self._table).max(axis=1).tolist()
        return found

    def suggest(self, *texts: str, most: int = 3) -> list[Suggestion]:
        """Return the concepts that any of the texts may mean, the nearest first, each once."""
        keys = dict.fromkeys(phrase_key(text) for text in texts)
        near = (one for words in keys for one in (*self._spelling_matches(" ".join(words)), *self._forms_sharing_words(words)))
        return self._best_by_concept(near)[:most]

    def candidates(self, text: str, most: int) -> list[Suggestion]:
        """Return the concepts that words may mean, each once: alternately the nearest in meaning, and the nearest in spelling
        or words. This finds more withheld wordings than either method."""
        found: dict[str, Suggestion] = {}
        for one in chain.from_iterable(zip_longest(self.nearest(text, most), self.suggest(text, most=most))):
            if one is not None:
                found.setdefault(one.concept, one)
        return list(found.values())[:most]

    def _of_form(self, form: str, by: str, score: float) -> list[Suggestion]:
        return [Suggestion(entry.id, _KINDS[entry.type], form, by, round(score, 2)) for entry in self._forms[form]]

    def _best_by_concept(self, near: Iterable[tuple[str, str, float]]) -> list[Suggestion]:
        """Return the concepts of wordings, each with its best score, the nearest first."""
        found: dict[str, Suggestion] = {}
        for form, by, score in near:
            for one in self._of_form(form, by, score):
                if one.concept not in found or found[one.concept].score < one.score:
                    found[one.concept] = one
        return sorted(found.values(), key=lambda one: (-one.score, one.concept))

    def _spelling_matches(self, text: str) -> Iterator[tuple[str, str, float]]:
        from rapidfuzz import fuzz, process

        if len(text) < _STEM:
            return
        for form, score, _ in process.extract(text, self._texts, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=5):
            yield form, "spelling", score / 100

    def _forms_sharing_words(self, words: tuple[str, ...]) -> Iterator[tuple[str, str, float]]:
        """Yield the forms that share words, or their beginnings, with the phrase: rarer words have more weight."""
        shared: Counter[str] = Counter()
        for word in words:
            others = (other for other in self._stems.get(word[:_STEM], ()) if other != word)
            near = {word: 1.0} | {other: _prefix_similarity(word, other) for other in others}
            best: dict[str, float] = {}
            for other, share in near.items():
                for form in self._with.get(other, ()) if share >= _ALIKE else ():
                    best[form] = max(share * self._weight(other), best.get(form, 0.0))
            shared.update(best)
        own = fsum(self._weight(word) for word in words)
        for form, weight in shared.most_common(200):
            score = 2 * weight / (own + fsum(self._weight(word) for word in form.split()))
            if score >= _SHARED:
                yield form, "words", min(score, 1.0)

    def _weight(self, word: str) -> float:
        return log(len(self._forms) / (1 + len(self._with.get(word, ()))))


def spelling_ratios(asked: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Return rapidfuzz's ratio of each asked text to each other, 0 to 100."""
    from rapidfuzz import fuzz, process

    found: np.ndarray = process.cdist(asked, texts, scorer=fuzz.ratio)
    return found


def _nearest_first(near: np.ndarray, some: int) -> Iterator[int]:
    """Yield the positions of all values, the highest first and equal ones in order; only the first ones are sorted at once."""
    least = np.partition(near, -some)[-some] if some < len(near) else -np.inf
    for part in (np.flatnonzero(near >= least), np.flatnonzero(near < least)):
        yield from part[np.argsort(-near[part], kind="stable")].tolist()


def _prefix_similarity(one: str, other: str) -> float:
    """Return the length of the common prefix as a share of both words."""
    shorter = min(len(one), len(other))
    return 2 * next((at for at in range(shorter) if one[at] != other[at]), shorter) / (len(one) + len(other))
