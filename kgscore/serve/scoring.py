"""Scoring of pasted reports in a separate process, which is ended if a pair takes too long."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from kgscore.errors import BusyError, KgscoreError, QueryError
from kgscore.process import PersistentProcess

_START_SECONDS = 60.0


class ScoringProcess:
    """A process that scores one pair at a time. The first pair of a profile waits for its scorer to load; a request that waits
    longer than `waiting` seconds for its turn is rejected."""

    def __init__(self, waiting: float) -> None:
        self._waiting = waiting
        self._lock = threading.Lock()
        self._kept = PersistentProcess(_work)

    def score(self, profile: str, metrics: tuple[str, ...], reference: str, candidate: str, seconds: float) -> Mapping[str, Any]:
        """Return the view of a pair.

        Raises:
            KgscoreError: the profile or a metric is invalid.
            QueryError: it took more than `seconds`, or the process ended.
            BusyError: too many others wait.
        """
        if not self._lock.acquire(timeout=self._waiting):
            raise BusyError("too many pairs are being scored; try again")
        try:
            ready = self._answer((profile, metrics, reference, candidate), seconds)
        finally:
            self._lock.release()
        if isinstance(ready, KgscoreError):
            raise ready
        if not isinstance(ready, Mapping):
            raise QueryError("scoring did not begin; try again")
        return ready

    def _answer(self, pair: tuple[Any, ...], seconds: float) -> Any:
        pipe = self._kept.start()
        try:
            pipe.send(pair)
            ready = pipe.poll(_START_SECONDS) and pipe.recv()
            if ready is not True:
                return ready
            if not pipe.poll(seconds):
                raise QueryError(f"scoring took longer than {seconds:g} s; try shorter reports")
            return pipe.recv()
        except QueryError:
            self._kept.end()
            raise
        except (EOFError, OSError):
            self._kept.end()
            raise QueryError("scoring ended without an answer; try again") from None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._kept.end()


def _work(pipe: Connection) -> None:
    """Score pairs from the pipe, after signalling that the scorer is ready. Runs in the scoring process."""
    import signal

    from kgscore.runs.batch import Settings, scorer_for
    from kgscore.runs.case_index import view_of

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            profile, metrics, reference, candidate = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            scorer = scorer_for(Settings(profile, metrics))
            pipe.send(True)
            pipe.send(view_of(scorer, reference=reference, candidate=candidate))
        except KgscoreError as error:
            pipe.send(error)
