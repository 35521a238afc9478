"""Pairs a second on one core, every report seen once. FILE: any set with `reference`, and `candidate` or `L1` to `L5`."""

from __future__ import annotations

import time
from typing import Any

from kgscore.engine import Scorer
from kgscore.reading import tokens
from kgscore.reading.readers import reader_of
from kgscore.reading.tokens import normal_form
from kgscore.studies.bench._ask import Ask, benchmark

ROUNDS = 3
_CANDIDATES = ("candidate", "L1", "L2", "L3", "L4", "L5")


@benchmark("reader", "metrics", metrics=("radsem",))
def run(ask: Ask) -> dict[str, Any]:
    """Return pairs/s and words a report, some pairs taken in at once as a batch does: with every sentence read anew, and as in
    use, where the reader remembers sentences.

    With other metrics than radsem alone, both are timed in turn, the least of three rounds each (time of this process, so that
    others at work count little), and what share of the speed of radsem alone is left.
    """
    start = time.perf_counter()
    scorer = Scorer(ask.profile, ask.metrics, reader=ask.reader)
    ready = time.perf_counter() - start
    pairs = [(r["reference"], r[level]) for r in ask.records() for level in _CANDIDATES if level in r]
    words = sum(len(a.split()) + len(b.split()) for a, b in pairs)
    wanted = tuple(dict.fromkeys((scorer.metrics, ("radsem",))))
    anew, remembering = (
        {names: min(found) for names, found in _rounds(wanted, ask, pairs, anew=anew).items()}
        for anew in (True, False)
    )
    own = scorer.metrics
    figures: dict[str, Any] = {
        "pairs": len(pairs),
        "words a report": round(words / 2 / len(pairs), 1),
        "pairs/s": round(len(pairs) / anew[own], 1),
        "pairs/s at 100 words a report": round(words / 200 / anew[own], 1),
        "pairs/s at 100 words a report, sentences remembered": round(words / 200 / remembering[own], 1),
        "start (s, warm cache)": round(ready, 3),
        "machine code": not tokens.__file__.endswith(".py"),
    }
    if len(wanted) > 1:
        alone = ("radsem",)
        figures["share of radsem alone"] = round(anew[alone] / anew[own], 2)
        figures["share of radsem alone, sentences remembered"] = round(remembering[alone] / remembering[own], 2)
    return figures


def _rounds(
    wanted: tuple[tuple[str, ...], ...], ask: Ask, pairs: list[tuple[str, str]], *, anew: bool
) -> dict[tuple[str, ...], list[float]]:
    """Return the times that fresh scorers take for the pairs, by their metrics; several are timed in turn."""
    found: dict[tuple[str, ...], list[float]] = {metrics: [] for metrics in wanted}
    for _ in range(ROUNDS if len(wanted) > 1 else 1):
        for metrics in wanted:
            scorer = Scorer(ask.profile, metrics, reader=ask.reader)
            if anew:
                scorer.reader = reader_of(ask.reader, scorer.index, scorer.lexicon, remembered=0)
                scorer._read = scorer.reader.read  # or the reader that remembers would go on reading
            found[metrics].append(_seconds(scorer, pairs))
    return found


def _seconds(scorer: Scorer, pairs: list[tuple[str, str]]) -> float:
    """Return the time that a scorer which has seen none of the pairs takes for them, after a first one."""
    normal_form.cache_clear()
    scorer.score(reference=pairs[0][0], candidate=pairs[0][1])
    references, candidates = zip(*pairs, strict=True)
    start = time.process_time()
    for _ in scorer.score_many(references=references, candidates=candidates):
        pass
    return time.process_time() - start
