"""A reward for reinforcement learning: batched, picklable, the same for any number of processes.

The call matches the reward functions of TRL's trainers: completions, and the columns of the data set by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from kgscore.config import RECORD_TIMEOUT
from kgscore.errors import InputError
from kgscore.io.in_memory import texts_of
from kgscore.io.records import PAIR_FIELDS, check_row, json_value
from kgscore.metrics import metric as info_of
from kgscore.model import PairResult
from kgscore.results.outcome import loss_kind
from kgscore.runs.batch import Settings, score_chunk, scorer_for
from kgscore.runs.workers import lost_worker_error, start_pool

_CHUNK = 16
_REMEMBERED = 4096


class Reward:
    """Scores completions against reference reports; higher is better (metrics where lower is better are negated).

    Args:
        metric: the metric.
        profile: the profile.
        column: the column of the data set with the reference reports.
        empty: the reward of a completion that says nothing (blank, a refusal, no finding) or is not understood (another
            language, not text, not read within the limit); None: the score of an all-missed report. A policy must be
            penalised for silence.
        unscored: the reward of a pair whose reference cannot be scored; None, which TRL excludes from the mean, or a number.
        jobs: worker processes; they start on the first call and are reused.
        timeout: seconds after which a completion fails; None for no limit.

    Readings of recurring texts (the references of several completions) are cached. Equal pairs of one call are scored once.

    Raises:
        ProfileError: the profile or the metric is unknown.

    >>> reward = Reward()
    >>> reward(completions=["Left pleural effusion.", ""], reference=["Left pleural effusion."] * 2)
    [1.0, 0.0]
    """

    def __init__(
        self, metric: str = "radsem", profile: str = "default", *, column: str = "reference", empty: float | None = None,
        unscored: float | None = None, jobs: int = 1, reader: str = "default", timeout: float | None = RECORD_TIMEOUT,
    ) -> None:
        self.metric, self.column, self.empty, self.unscored, self.jobs = metric, column, empty, unscored, jobs
        self.__name__ = f"kgscore_{metric}"  # trainers log a reward under the name of its function
        self._sign = 1.0 if info_of(metric).higher_is_better else -1.0
        self._settings = Settings(profile, (metric,), remember=_REMEMBERED, reader=reader, timeout=timeout)
        self._pool: ProcessPoolExecutor | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}

    def __enter__(self) -> Reward:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if any; the next call starts them again."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __call__(
        self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] = (), **columns: Any
    ) -> list[float | None]:
        """Return the reward of each completion: a text, or a conversation whose last message is used; None is blank.

        Raises:
            InputError: the column of references is missing, differs in length or has several for one completion, or a
                completion is not text.
        """
        if self.column not in columns:
            raise InputError(f"no column '{self.column}' of reference reports; set it with column=")
        references = texts_of(self.column, columns[self.column])
        if len(references) != len(completions):
            raise InputError(f"{len(completions)} completions and {len(references)} references; give one reference each")
        pairs = [(json_value(reference), _words(one)) for reference, one in zip(references, completions, strict=True)]
        distinct = list(dict.fromkeys(pairs))
        known = dict(zip(distinct, self._results(distinct), strict=True))
        # A failed completion (an endless one) gets the reward of silence: else a policy would learn to be left out of the mean.
        unread = list(dict.fromkeys((pair[0], "") for pair in distinct if known[pair].status == "failed"))
        known |= dict(zip(unread, self._results(unread), strict=True)) if unread else {}
        return [self._reward(known[(pair[0], "") if known[pair].status == "failed" else pair]) for pair in pairs]

    def _results(self, pairs: Sequence[tuple[object, str]]) -> list[PairResult]:
        records = [
            check_row(f"pair {at}", {"id": str(at - 1), "reference": reference, "candidate": candidate}, (PAIR_FIELDS,), {})
            for at, (reference, candidate) in enumerate(pairs, 1)
        ]
        if self.jobs <= 1 or len(records) <= _CHUNK:
            return score_chunk(self._settings, records, slim=True)
        if self._pool is None:
            scorer_for(self._settings)  # report an unknown profile once, and fill the cache for the workers
            self._pool = start_pool(self.jobs)
        chunks = [records[at : at + _CHUNK] for at in range(0, len(records), _CHUNK)]
        try:
            waiting = [self._pool.submit(score_chunk, self._settings, chunk, True, False) for chunk in chunks]
            return [result for future in waiting for result in future.result()]
        except BrokenProcessPool:
            self.close()
            raise lost_worker_error() from None

    def _reward(self, result: PairResult) -> float | None:
        value = result.scores[self.metric].value
        if value is None:
            return self.unscored
        return self.empty if self.empty is not None and loss_kind(result.reason) else self._sign * value


def _words(completion: Any) -> str:
    """Return the text of a completion: itself, or the content of the last message of a conversation; None is blank."""
    if isinstance(completion, Sequence) and not isinstance(completion, str) and completion:
        completion = completion[-1]
    if isinstance(completion, Mapping):
        completion = completion.get("content")
    completion = "" if json_value(completion) is None else completion
    if not isinstance(completion, str):
        raise InputError(f"a completion is of type {type(completion).__name__}; give text, or messages with text as content")
    return completion
