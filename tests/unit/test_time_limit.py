"""A limit on the time that a record may take: a metric of one's own that never ends, or recurses, fails its record alone."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.integrations.reward import Reward
from kgscore.time_limit import Limit, TimeLimitError

OWN = """
class Own:
    name = "own"

    def score(self, pair):
        said = pair.candidate_text
        while "ENDLESS" in said:
            try:
                sum(range(1000))
            except Exception:  # what ends it is no error that it could pass over
                pass
        return self.deeper(0) if "DEEP" in said else [0] * (1 << 62) if "LARGE" in said else 1.0

    def deeper(self, level):
        return self.deeper(level + 1)
"""
SAID = {"good": "Cardiomegaly.", "endless": "Cardiomegaly. ENDLESS", "deep": "Cardiomegaly. DEEP", "large": "Cardiomegaly. LARGE"}
PAIRS = [{"id": name, "reference": "Cardiomegaly.", "candidate": text} for name, text in SAID.items()]
LIMIT = 1.5
REASONS = {
    "good": "",
    "endless": "not done after 1.5 s, the limit for a record; raise the limit, or shorten the texts",
    "deep": r"takes more recursion than there is \(RecursionError at own.py:\d+\); shorten the texts",
    "large": r"takes more memory than there is \(MemoryError at own.py:\d+\); shorten the texts",
}


@pytest.fixture
def own(tmp_path: Path) -> str:
    (tmp_path / "own.py").write_text(OWN)
    return f"{tmp_path / 'own.py'}:Own"


def told(found: dict[str, tuple[str, str]]) -> bool:
    status = {name: "failed" if reason else "scored" for name, reason in REASONS.items()}
    assert {name: one for name, (one, _) in found.items()} == status
    return all(re.fullmatch(REASONS[name], reason) for name, (_, reason) in found.items())


def in_thread(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def here(work: Callable[[], None]) -> None:
    work()


@pytest.mark.parametrize("run", [here, in_thread])
def test_no_text_makes_a_scorer_stall_or_raise(own: str, run: Callable[[Callable[[], None]], None]) -> None:
    scorer = Scorer(metrics=("radsem", own), timeout=LIMIT)

    def each() -> None:
        one = {name: scorer.score(reference="Cardiomegaly.", candidate=text, id=name) for name, text in SAID.items()}
        assert told({name: (result.status, result.reason) for name, result in one.items()})
        many = list(scorer.score_many(PAIRS))
        assert told({result.id: (result.status, result.reason) for result in many})
        assert all(score.value is None for result in (*one.values(), *many)[1:4] for score in result.scores.values())

    run(each)


def test_a_reward_has_the_limit(own: str) -> None:
    asked = {"completions": ["Cardiomegaly."], "reference": ["Cardiomegaly."]}
    assert Reward(timeout=1e-6, unscored=-1.0)(**asked) == [-1.0]
    assert Reward(timeout=None)(**asked) == [1.0]


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_is_positive(seconds: float) -> None:
    with pytest.raises(InputError, match="timeout"):
        Scorer(timeout=seconds)


def within(seconds: float, work: Callable[[], object]) -> None:
    with Limit(seconds) as limit:
        limit.run(work)


def test_a_timer_ends_a_regular_expression_and_is_gone_afterwards() -> None:
    begun = time.monotonic()
    with pytest.raises(TimeLimitError):
        within(0.2, lambda: re.match(r"(a+)+$", "a" * 40 + "b"))
    assert time.monotonic() - begun < 20
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_program_keeps_its_own_timer() -> None:
    rung: list[int] = []

    def ring(number: int, frame: FrameType | None) -> None:
        rung.append(number)

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(TimeLimitError):
            within(0.1, spin)
        assert signal.getsignal(signal.SIGALRM) is ring
        signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


def work(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def spin() -> None:
    while True:
        sum(range(100))


@pytest.mark.parametrize("run", [here, in_thread])
def test_what_is_done_in_time_is_never_ended_afterwards(run: Callable[[Callable[[], None]], None]) -> None:
    def race() -> None:
        ended = 0
        with Limit(0.01) as limit:
            for at in range(100):
                try:
                    limit.run(partial(work, 0.02 if at % 2 else 0.0))
                except TimeLimitError:
                    ended += 1
                work(0.012)  # a tick passes, and nothing is raised
        assert 50 <= ended < 100

    run(race)
