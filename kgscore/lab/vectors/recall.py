"""How often a concept is found by a withheld wording (by vectors, an encoder, letter groups, spelling), and how much text without
a link has a similar concept. Similar is not correct: those figures show what could be proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log
from typing import Any

import numpy as np

from kgscore.authoring.coverage import unlinked_phrases
from kgscore.lab.vectors.wordings import Wordings
from kgscore.linking.suggest import Suggester, spelling_ratios
from kgscore.linking.vectors import Vectors, letter_groups, likeness
from kgscore.model import Reading

Scores = Callable[[Sequence[str]], np.ndarray]
_AT_ONCE = 256
_DEEP = 50  # nearest wordings considered for the first concepts
_ROWS = 1 << 20  # of letter groups: so many that collisions are rare


@dataclass(frozen=True, slots=True)
class Recall:
    """For a number of wordings, the shares whose concept is found first, among the first five and eight."""

    wordings: int
    first: float
    five: float
    eight: float


def recall_of(given: Wordings, asked: Sequence[str], scores: Scores) -> Recall:
    """Return how often a method finds a concept of some wordings; `scores` gives the similarity of each to each kept one."""
    texts = list(given.kept)
    ranks = []
    for start in range(0, len(asked), _AT_ONCE):
        part = asked[start : start + _AT_ONCE]
        for text, row in zip(part, scores(part), strict=True):
            best = np.argpartition(-row, _DEEP)[:_DEEP]
            best = best[np.lexsort((best, -row[best]))]
            ranks.append(_rank(given.withheld[text], [given.kept[texts[at]] for at in best]))
    shares = [sum(rank < most for rank in ranks) / max(1, len(ranks)) for most in (1, 5, 8)]
    return Recall(len(ranks), *shares)


def _rank(wanted: frozenset[str], found: Sequence[frozenset[str]]) -> int:
    """Return how many other concepts come before the wanted one; of those that share a wording, all count as before."""
    before: set[str] = set()
    for concepts in found:
        if concepts & wanted:
            return len(before)
        before |= concepts
    return _DEEP


def by_vectors(texts: Sequence[str], vectors: Vectors) -> Scores:
    """Return the cosines of trained vectors."""
    table = vectors.of([text.split() for text in texts])
    return lambda asked: likeness(vectors.of([text.split() for text in asked]), table)


def by_encoder(texts: Sequence[str], vectors: Callable[[Sequence[str]], Mapping[str, Any]]) -> Scores:
    """Return the cosines of an encoder's vectors of whole wordings."""
    known = vectors(texts)
    table = np.stack([known[text] for text in texts])

    def scores(asked: Sequence[str]) -> np.ndarray:
        own = vectors(asked)
        found: np.ndarray = np.stack([own[text] for text in asked]) @ table.T
        return found

    return scores


def by_spelling(texts: Sequence[str]) -> Scores:
    """Return rapidfuzz's ratio."""
    return lambda asked: spelling_ratios(asked, texts)


def by_letters(texts: Sequence[str]) -> Scores:
    """Return the cosines of groups of three to five letters, weighted by rarity (TF-IDF)."""
    counts = [_letter_groups(text) for text in texts]
    seen = Counter(group for one in counts for group in one)
    rarity = {group: log(len(texts) / number) for group, number in seen.items()}
    entries = [(row, *weighted) for row, one in enumerate(counts) for weighted in _weights(one, rarity).items()]
    rows, groups, weights = zip(*entries, strict=True)
    order = np.argsort(np.array(groups), kind="stable")
    at, held = np.array(rows)[order], np.array(weights)[order]
    cuts = np.append(np.flatnonzero(np.diff(np.array(groups)[order], prepend=-1)), len(order))
    places = dict(zip(sorted(seen), pairwise(cuts.tolist()), strict=True))

    def scores(asked: Sequence[str]) -> np.ndarray:
        out = np.zeros((len(asked), len(texts)), np.float32)
        for line, text in zip(out, asked, strict=True):
            for group, weight in _weights(_letter_groups(text), rarity).items():
                first, last = places[group]
                line[at[first:last]] += (weight * held[first:last]).astype(np.float32)
        return out

    return scores


def _letter_groups(text: str) -> Counter[int]:
    return Counter(group for word in text.split() for group in letter_groups(word, _ROWS))


def _weights(counts: Mapping[int, int], rarity: Mapping[int, float]) -> dict[int, float]:
    """Return the weights of the known groups of a wording, normalised to length 1."""
    weights = {group: (1 + log(number)) * rarity[group] for group, number in counts.items() if group in rarity}
    length = fsum(weight * weight for weight in weights.values()) ** 0.5
    return {group: weight / length for group, weight in weights.items()} if length else {}


COSINES = (0.6, 0.7, 0.75, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Reached:
    """For unlinked phrases, the shares of distinct ones and of occurrences with a similar concept: `by` meaning from a
    `cosine` up, or by spelling and words. `alone`: the share of distinct ones found only this way."""

    by: str
    cosine: float | None
    phrases: float
    places: float
    alone: float


class Nearness:
    """Counts the unlinked phrases of reports, except those with fewer than two letters."""

    def __init__(self) -> None:
        self.reports = 0
        self.count: Counter[str] = Counter()

    def add(self, report: str, reading: Reading) -> None:
        """Count the unlinked phrases of a reading."""
        self.reports += 1
        phrases = (" ".join(one.lower().split()) for one in unlinked_phrases(report, reading))
        self.count.update(one for one in phrases if sum(map(str.isalpha, one)) > 1)

    def similar_shares(self, suggester: Suggester) -> Iterator[Reached]:
        """Yield for each cosine the concepts near in meaning, then those near in spelling or words; nothing without phrases."""
        if not self.count:
            return
        phrases = sorted(self.count)
        spelt = frozenset(one for one in phrases if suggester.suggest(one, most=1))
        cosines = dict(zip(phrases, suggester.nearness(phrases), strict=True))
        for least in COSINES:
            yield self._share("meaning", least, frozenset(one for one in phrases if cosines[one] >= least), spelt)
        meant = frozenset(one for one in phrases if cosines[one] >= COSINES[0])
        yield self._share("spelling", None, spelt, meant)

    def _share(self, by: str, cosine: float | None, near: frozenset[str], other: frozenset[str]) -> Reached:
        places = sum(self.count[one] for one in near) / self.count.total()
        return Reached(by, cosine, len(near) / len(self.count), places, len(near - other) / len(self.count))
