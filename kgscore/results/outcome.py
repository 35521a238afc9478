"""The outcome of a pair as one line: the record printed by `kgscore score` and reproduced from a run."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kgscore.io.records import BadRecord, Record
from kgscore.model import PairResult, Score

SAYS_NOTHING = "the candidate says nothing"
NOT_UNDERSTOOD = "nothing in the candidate report was understood"  # a reason may follow
_LOST = ("silent", "not_understood")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One pair's line. `scores` holds None if a metric has no score; `where` is "file:line". `reason` says why there is no
    score, or that the candidate says nothing or is not understood, and counts as all missed. `words` counts the words of
    a candidate that was read, `unlinked` those that no concept covers."""

    id: str | None
    status: str
    scores: Mapping[str, float | None]
    reason: str
    where: str = ""
    words: int = 0
    unlinked: int = 0

    def as_json(self) -> str:
        """Return the JSON line: id, status, scores (full precision, null if there is none), reason.

        >>> Outcome("a", "scored", {"radsem": 0.5}, "").as_json()
        '{"id": "a", "status": "scored", "scores": {"radsem": 0.5}, "reason": ""}'
        """
        line = {"id": self.id, "status": self.status, "scores": dict(self.scores), "reason": self.reason}
        return json.dumps(line, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One record of the input at its position, with its result."""

    position: int
    record: Record | BadRecord
    result: PairResult

    @property
    def outcome(self) -> Outcome:
        """The output line of this case."""
        scores = {name: score.value if score.status == "scored" else None for name, score in self.result.scores.items()}
        words = unlinked = 0
        if self.result.candidate is not None and isinstance(self.record, Record):
            words = count_words(self.record.fields.get("candidate", ""))
            unlinked = sum(count_words(one.text) for one in self.result.candidate.unlinked)
        return Outcome(self.record.id, self.result.status, scores, self.result.reason, self.record.where, words, unlinked)


def loss_kind(reason: str) -> str:
    """Return the kind of candidate that this reason describes: `silent` (it is blank, a refusal, or has no
    finding), `not_understood` (it is in another language, or not text at all); empty if neither.

    >>> loss_kind(SAYS_NOTHING), loss_kind(f"{NOT_UNDERSTOOD}: why"), loss_kind("")
    ('silent', 'not_understood', '')
    """
    return "silent" if reason == SAYS_NOTHING else "not_understood" if reason.startswith(NOT_UNDERSTOOD) else ""


def count_words(text: str) -> int:
    """Return the number of words in a text.

    >>> count_words("No 3-mm nodule.")
    3
    """
    return len(_WORD.findall(text))


@dataclass(slots=True)
class Means:
    """Accumulates results during scoring: the number of pairs by status, and of candidates that are silent or not
    understood (`counts`), the scores of each metric, in the order of the run, and the coverage.

    >>> found = Means()
    >>> found.see(Outcome("a", "scored", {"radsem": 0.0}, SAYS_NOTHING))
    >>> found.see(Outcome("b", "scored", {"radsem": 0.0}, NOT_UNDERSTOOD))
    >>> found.see(Outcome("c", "failed", {"radsem": None}, "no field"))
    >>> str(found)
    '3 pairs: 2 scored, 0 empty, 1 failed; 1 candidate says nothing; 1 candidate not understood'
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("scored", "empty", "failed", *_LOST), 0))
    values: dict[str, array[float]] = field(default_factory=dict)
    words: int = 0
    unlinked: int = 0

    def see(self, outcome: Outcome) -> None:
        """Add the scores of a pair; one without a score is counted but not averaged."""
        self.counts[outcome.status] += 1
        if lost := loss_kind(outcome.reason):
            self.counts[lost] += 1
        self.words += outcome.words
        self.unlinked += outcome.unlinked
        for name, value in outcome.scores.items():
            found = self.values.setdefault(name, array("d"))
            if value is not None:
                found.append(value)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(count for name, count in self.counts.items() if name not in _LOST)

    @property
    def lost(self) -> list[str]:
        """The numbers of candidates that say nothing and that are not understood, in words; empty if there are none."""
        silent, strange = (self.counts[name] for name in _LOST)
        told = [f"{silent} candidate{'s say' if silent > 1 else ' says'} nothing"] if silent else []
        return [*told, f"{strange} candidate{'s' * (strange > 1)} not understood"] if strange else told

    def __str__(self) -> str:
        """Return the counts in words; candidates that say nothing or are not understood are mentioned only if there are any."""
        scored, empty, failed, *_ = self.counts.values()
        return "; ".join((f"{self.pairs} pairs: {scored} scored, {empty} empty, {failed} failed", *self.lost))


def failure(id: str | None, reason: str, metrics: Sequence[str]) -> PairResult:
    """Return the result of a pair that could not be scored: every metric failed, without values."""
    scores = {name: Score(name, "failed", None, reason) for name in metrics}
    return PairResult(id or "", "failed", scores, reason=reason)
