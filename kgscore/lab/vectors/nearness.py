"""How much of what reports leave unlinked has a concept near it: in meaning, in spelling or by shared words. Near is not meant:
it says what could be proposed, not what would be right."""

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
    """Of the unlinked phrases, the shares of different ones and of their places that have a concept near: `by` meaning from a
    `cosine` on, or by spelling and words. `alone`: the share of different ones that have none the other way."""

    by: str
    cosine: float | None
    phrases: float
    places: float
    alone: float


class Nearness:
    """Counts the unlinked phrases of reports; those without a letter or of one are none."""

    def __init__(self) -> None:
        self.reports = 0
        self.count: Counter[str] = Counter()

    def add(self, report: str, reading: Reading) -> None:
        """Count what the reading of a report does not link."""
        self.reports += 1
        phrases = (" ".join(one.lower().split()) for one in unlinked_phrases(report, reading))
        self.count.update(one for one in phrases if sum(map(str.isalpha, one)) > 1)

    def reached(self, suggester: Suggester) -> Iterator[Reached]:
        """Yield for each cosine what is near in meaning, then what is near in spelling or shares words; nothing of no phrase."""
        if not self.count:
            return
        phrases = sorted(self.count)
        spelt = frozenset(one for one in phrases if suggester.suggest(one, most=1))
        cosines = dict(zip(phrases, suggester.nearness(phrases), strict=True))
        for least in COSINES:
            yield self._reached("meaning", least, frozenset(one for one in phrases if cosines[one] >= least), spelt)
        meant = frozenset(one for one in phrases if cosines[one] >= COSINES[0])
        yield self._reached("spelling", None, spelt, meant)

    def _reached(self, by: str, cosine: float | None, near: frozenset[str], other: frozenset[str]) -> Reached:
        places = sum(self.count[one] for one in near) / self.count.total()
        return Reached(by, cosine, len(near) / len(self.count), places, len(near - other) / len(self.count))
