"""What share of a pair's time the clinical verdict takes.

FILE: of the form of `kgscore bench ssree` (a reference and five candidates a case). Processor time, each text read once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kgscore.engine import Scorer
from kgscore.io.records import read_rows
from kgscore.metrics.clinical import Clinical

PAIRS = 150
LEVELS = ("L1", "L2", "L3", "L4", "L5")


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return the seconds of 150 pairs with clinical alone, those spent in the verdict, and their share."""
    rows = [row for _, row in read_rows(str(path)) if not isinstance(row, str)]
    pairs = [(row["reference"], row[level]) for row in rows for level in LEVELS][:PAIRS]
    scorer = Scorer(profile, metrics=("clinical",))
    scorer.score(reference="Cardiomegaly.", candidate="No pneumothorax.")
    with _timed() as spent:
        begin = time.process_time()
        for reference, candidate in pairs:
            scorer.score(reference=reference, candidate=candidate)
        whole = time.process_time() - begin
    verdict = sum(spent)
    return {"pairs": len(pairs), "seconds": round(whole, 2), "verdict": round(verdict, 2), "share": round(verdict / whole, 3)}


@contextmanager
def _timed() -> Iterator[list[float]]:
    """Give the list to which every verdict adds its processor time."""
    spent: list[float] = []
    judge = Clinical.judge

    def timed(self: Clinical, pair: Any) -> Any:
        begin = time.process_time()
        try:
            return judge(self, pair)
        finally:
            spent.append(time.process_time() - begin)

    Clinical.judge = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Clinical.judge = judge  # type: ignore[method-assign]
