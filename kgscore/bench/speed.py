"""Pairs a second on one core, every report seen once. FILE: any set with `reference` and `L1`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from kgscore.bench._text import records
from kgscore.engine import Scorer
from kgscore.reading.rules import Reader
from kgscore.reading.tokens import normal_form


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return pairs/s and words a report: with every sentence read anew, and as in use, where the reader remembers sentences."""
    start = time.perf_counter()
    scorer = Scorer(profile)
    ready = time.perf_counter() - start
    pairs = [(r["reference"], r[level]) for r in records(path) for level in ("L1", "L2", "L3", "L4", "L5") if level in r]
    words = sum(len(a.split()) + len(b.split()) for a, b in pairs)
    scorer.reader = Reader(scorer.index, scorer.reader.lexicon, remembered=0)
    anew, remembering = _seconds(scorer, pairs), _seconds(Scorer(profile), pairs)
    return {
        "pairs": len(pairs),
        "words a report": round(words / 2 / len(pairs), 1),
        "pairs/s": round(len(pairs) / anew, 1),
        "pairs/s at 100 words a report": round(words / 200 / anew, 1),
        "pairs/s at 100 words a report, sentences remembered": round(words / 200 / remembering, 1),
        "start (s, warm cache)": round(ready, 3),
    }


def _seconds(scorer: Scorer, pairs: list[tuple[str, str]]) -> float:
    """Return the time that a scorer which has seen none of the pairs takes for them, after a first one."""
    normal_form.cache_clear()
    scorer.score(reference=pairs[0][0], candidate=pairs[0][1])
    start = time.perf_counter()
    for a, b in pairs:
        scorer.score(reference=a, candidate=b)
    return time.perf_counter() - start
