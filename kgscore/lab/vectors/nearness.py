"""How much unlinked text of reports has a similar concept: in meaning, in spelling or by shared words. Similar is not correct:
the figures show what could be proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kgscore.authoring.coverage import unlinked_phrases
from kgscore.linking.suggest import Suggester
from kgscore.model import Reading

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
