"""SSREE (RadSEM 4.2): does the score fall as meaning is corrupted step by step, L1 to L5?"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from kgscore.bench._text import bleu1, kendall_b, records
from kgscore.engine import Scorer
from kgscore.model import PairResult

LEVELS = ("L1", "L2", "L3", "L4", "L5")


def run(path: str | Path, *, profile: str = "default", show: bool = False) -> dict[str, Any]:
    """Return tau-b, concordance, adjacent accuracy and perfect chains, by modality too; the self-score and clean-L5 shares."""
    scorer = Scorer(profile)
    rows = []
    selfs = texts = clean = 0
    for record in records(path):
        scores, overlap = [], []
        for level in LEVELS:
            result = scorer.score(reference=record["reference"], candidate=record[level], id=record["case"])
            scores.append(result.scores["radsem"].value or 0.0)
            overlap.append(bleu1(record["reference"], record[level]))
            if level == "L5":
                clean += not _asserted_links(result)
        for name in ("reference", *LEVELS):
            own = scorer.score(reference=record[name], candidate=record[name]).scores["radsem"].value
            texts += own is not None
            selfs += own is not None and abs(own - 1) < 1e-9
        rows.append((record["modality"], scores, overlap))
        if show and any(a <= b for a, b in pairwise(scores)):
            print(record["case"], record["modality"], [round(s, 3) for s in scores])
    figures: dict[str, Any] = {"radsem": _figures([s for _, s, _ in rows]), "bleu-1": _figures([o for _, _, o in rows])}
    for modality in sorted({m for m, _, _ in rows}):
        figures[f"modality: {modality}"] = _figures([s for m, s, _ in rows if m == modality])
    figures["score(x, x) = 1"] = f"{selfs}/{texts}"
    figures["L5 without a link between asserted findings"] = f"{clean}/{len(rows)}"
    return figures


def _asserted_links(result: PairResult) -> bool:
    if result.reference is None or result.candidate is None:
        return False
    return any(
        result.reference.findings[k.reference].asserts and result.candidate.findings[k.candidate].asserts for k in result.links
    )


def _figures(rows: list[list[float]]) -> dict[str, Any]:
    count = len(rows)
    pairs = [(a, b) for row in rows for i, a in enumerate(row) for b in row[i + 1 :]]
    steps = {f"L{i + 1}>L{i + 2}": round(sum(row[i] > row[i + 1] for row in rows) / count, 3) for i in range(4)}
    return {
        "cases": count,
        "tau_b": round(sum(map(kendall_b, rows)) / count, 3),
        "all pairs": round(sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs), 3),
        "adjacent": round(sum(steps.values()) / 4, 3),
        "perfect": round(sum(all(a > b for a, b in pairwise(row)) for row in rows) / count, 3),
        **steps,
    }
