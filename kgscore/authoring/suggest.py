"""Existing concepts that may be meant by words that no concept covers: near in spelling, or sharing their rarer words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, Entry, Lexicon
from kgscore.reading.tokens import phrase_key

_KINDS = {ANATOMY: "anatomy", FINDING: "finding", DESCRIPTOR: "descriptor", QUALITY: "quality", NORMAL: "normal"}
_NEAR = 82.0  # rapidfuzz's ratio, 0 to 100, from which two spellings count as near
_SHARED = 0.5  # share of the weight of all words of both phrases that must be common
_STEM = 5  # letters that two words must begin with to be compared
_ALIKE = 0.5  # share of two words that they begin with alike, from which they count in part as one


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A concept that words may mean: one of its wordings, `by` what it is near (`spelling`, `words`), and how near, 0 to 1."""

    concept: str
    kind: str
    form: str
    by: str
    score: float


class Suggester:
    """Suggests concepts of a lexicon for words that it does not know."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms: dict[str, tuple[Entry, ...]] = {}
        self._with: dict[str, list[str]] = {}
        self._stems: dict[str, set[str]] = {}
        for phrase, form in lexicon.phrases.items():
            entries = tuple(entry for entry in form.entries if entry.type in _KINDS) if form else ()
            if not entries:
                continue
            words = phrase.split("\0")
            text = " ".join(words)
            self._forms[text] = entries
            for word in set(words):
                self._with.setdefault(word, []).append(text)
                self._stems.setdefault(word[:_STEM], set()).add(word)
        self._texts = list(self._forms)

    def suggest(self, *texts: str, most: int = 3) -> list[Suggestion]:
        """Return the concepts that any of the texts may mean, the nearest first, each once."""
        found: dict[str, Suggestion] = {}
        for words in dict.fromkeys(phrase_key(text) for text in texts):
            for form, by, score in (*self._spelled(" ".join(words)), *self._sharing(words)):
                for entry in self._forms[form]:
                    one = Suggestion(entry.id, _KINDS[entry.type], form, by, round(score, 2))
                    if entry.id not in found or found[entry.id].score < one.score:
                        found[entry.id] = one
        return sorted(found.values(), key=lambda one: (-one.score, one.concept))[:most]

    def _spelled(self, text: str) -> Iterator[tuple[str, str, float]]:
        from rapidfuzz import fuzz, process

        if len(text) < _STEM:
            return
        for form, score, _ in process.extract(text, self._texts, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=5):
            yield form, "spelling", score / 100

    def _sharing(self, words: tuple[str, ...]) -> Iterator[tuple[str, str, float]]:
        """Yield the forms that share words, or their beginnings, with the phrase: the rarer a word, the more it weighs."""
        shared: Counter[str] = Counter()
        for word in words:
            near = {word: 1.0} | {other: _alike(word, other) for other in self._stems.get(word[:_STEM], ()) if other != word}
            best: dict[str, float] = {}
            for other, share in near.items():
                for form in self._with.get(other, ()) if share >= _ALIKE else ():
                    best[form] = max(best.get(form, 0.0), share * self._weight(other))
            shared.update(best)
        own = sum(self._weight(word) for word in words)
        for form, weight in shared.most_common(200):
            score = 2 * weight / (own + sum(self._weight(word) for word in form.split()))
            if score >= _SHARED:
                yield form, "words", min(score, 1.0)

    def _weight(self, word: str) -> float:
        return log(len(self._forms) / (1 + len(self._with.get(word, ()))))


def _alike(one: str, other: str) -> float:
    """Return the share of both words that they begin with alike."""
    shorter = min(len(one), len(other))
    return 2 * next((at for at in range(shorter) if one[at] != other[at]), shorter) / (len(one) + len(other))
