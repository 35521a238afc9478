"""Pairs a second on one core: cold parse of both sides, every report seen once. FILE: any set with `reference` and `L1`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from kgscore.bench._text import records
from kgscore.engine import Scorer


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return pairs/s and words a report; no sentence or report is cached between reports."""
    start = time.perf_counter()
    scorer = Scorer(profile)
    ready = time.perf_counter() - start
    pairs = [(r["reference"], r[level]) for r in records(path) for level in ("L1", "L2", "L3", "L4", "L5") if level in r]
    scorer.score(reference=pairs[0][0], candidate=pairs[0][1])
    words = sum(len(a.split()) + len(b.split()) for a, b in pairs)
    start = time.perf_counter()
    for a, b in pairs:
        scorer.score(reference=a, candidate=b)
    seconds = time.perf_counter() - start
    return {
        "pairs": len(pairs),
        "words a report": round(words / 2 / len(pairs), 1),
        "pairs/s": round(len(pairs) / seconds, 1),
        "pairs/s at 100 words a report": round(words / 200 / seconds, 1),
        "start (s, warm cache)": round(ready, 3),
    }
