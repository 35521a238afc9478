"""Coverage of a run: records with a score, candidates that say nothing or are not understood, and words
that no concept covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgscore.results.scores import Scores

# The difference of a share from which the coverage of two systems is reported as different.
NOTICEABLE = 0.05


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts over the records of a run (or the shared ones of two). `silent` are the candidates that say nothing and
    `not_understood` those in which nothing is understood, scored or not; `words` the words of the candidates that were read,
    `unlinked` those that no concept covers. A share is None if its denominator is 0."""

    run: str
    pairs: int
    scored: int
    silent: int
    not_understood: int
    words: int
    unlinked: int

    @property
    def shares(self) -> dict[str, float | None]:
        """Each share, 0 to 1, by its description."""
        parts = {
            "records scored": (self.scored, self.pairs), "candidates that say nothing": (self.silent, self.pairs),
            "candidates not understood": (self.not_understood, self.pairs),
            "words of the candidates that no concept covers": (self.unlinked, self.words),
        }  # fmt: skip
        return {what: some / of if of else None for what, (some, of) in parts.items()}

    def __str__(self) -> str:
        """Return the coverage as text.

        >>> print(Coverage("run", 20, 18, 1, 2, 400, 10))
        18 of 20 scored (90.0 %), 1 silent candidate (5.0 %), 2 not understood (10.0 %), 2.5 % of words unlinked
        """
        scored, silent, strange, unlinked = self.shares.values()
        candidates = "candidate" if self.silent == 1 else "candidates"
        told = f", {self.not_understood:,} not understood ({_percent(strange)})" if self.not_understood else ""
        return (
            f"{self.scored:,} of {self.pairs:,} scored ({_percent(scored)}), {self.silent:,} silent {candidates}"
            f" ({_percent(silent)}){told}, {_percent(unlinked)} of words unlinked"
        )


def coverage(scores: Scores, at: Sequence[int] | None = None) -> Coverage:
    """Return the coverage of a run, or of the records at these positions."""
    mine = np.arange(len(scores.ids)) if at is None else np.asarray(at, dtype=np.int64)
    columns = scores.scored, scores.silent, scores.not_understood, scores.words, scores.unlinked
    counts = (int(column[mine].sum()) for column in columns)
    return Coverage(scores.name.name, len(mine), *counts)


def differences(one: Coverage, other: Coverage) -> list[str]:
    """Return a line for each share that differs noticeably between two systems, since a difference of means may be due to it."""
    told = []
    for what, first in one.shares.items():
        second = other.shares[what]
        if first is not None and second is not None and abs(first - second) >= NOTICEABLE - 1e-9:
            told.append(f"coverage differs: {what}: {_percent(first)} in {one.run}, {_percent(second)} in {other.run}")
    return told


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
