"""Several errors put into one report, each in a line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kgscore.perturbing.errors import WordErrors
from kgscore.perturbing.inventions import StatementErrors
from kgscore.perturbing.means import Means
from kgscore.perturbing.rewording import Rewording
from kgscore.perturbing.source import Draft
from kgscore.perturbing.turning import Turner


class Inserter:
    """Puts errors of known kinds into a report."""

    def __init__(self, means: Means) -> None:
        self.turner = Turner(means)
        self.rewording = Rewording(means)
        self.kinds = {**WordErrors(means).kinds, **StatementErrors(means, self.turner, self.rewording).kinds}

    def insert(self, draft: Draft, kinds: Sequence[str], wanted: int, seed: str) -> Draft:
        """Return a draft with so many errors of these kinds, or as many as it takes; kinds are drawn evenly, and each line has
        one error at most."""
        random = Random(seed)
        left = list(kinds)
        while left and len(draft.changes) < wanted:
            kind = random.choice(left)
            made = self._one(draft, kind, random)
            if made is None:
                left.remove(kind)
            else:
                draft = made
        return draft

    def _one(self, draft: Draft, kind: str, random: Random) -> Draft | None:
        taken = {*draft.texts, *(number for number, _ in draft.added)}
        free = [n for n, line in enumerate(draft.source.lines) if n not in taken and line.units]
        for number in random.sample(free, len(free)):
            made = self.kinds[kind](draft, number, random)
            if made is not None:
                return made
        return None
