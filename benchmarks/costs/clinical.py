"""What share of a pair's time the clinical verdict takes.

FILE: of the form of `kgscore bench ssree` (a reference and five candidates a case). Processor time, each text read once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

from costs import timed
from kgscore.engine import Scorer
from kgscore.io.records import read_rows
from kgscore.lab import LEVELS
from kgscore.metrics.clinical import Clinical

PAIRS = 150


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return the seconds of 150 pairs with clinical alone, those spent in the verdict, and their share."""
    rows = [row for _, row in read_rows(str(path)) if not isinstance(row, str)]
    pairs = [(row["reference"], row[level]) for row in rows for level in LEVELS][:PAIRS]
    scorer = Scorer(profile, metrics=("clinical",))
    scorer.score(reference="Cardiomegaly.", candidate="No pneumothorax.")
    spent: list[float] = []
    judge = Clinical.judge

    def judged(self: Clinical, pair: Any) -> Any:
        seconds, verdict = timed(lambda: judge(self, pair))
        spent.append(seconds)
        return verdict

    with patch.object(Clinical, "judge", judged):
        whole, _ = timed(lambda: [scorer.score(reference=reference, candidate=candidate) for reference, candidate in pairs])
    verdict = sum(spent)
    return {"pairs": len(pairs), "seconds": round(whole, 2), "verdict": round(verdict, 2), "share": round(verdict / whole, 3)}
