"""Rewrite triplets: does a rewording score above a reversal? A tie is wrong, and so is a pair without a score."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from kgscore.bench._text import bleu1, records
from kgscore.engine import Scorer
from kgscore.metrics import metric
from kgscore.model import Score


def run(
    path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem",), show: bool = False
) -> dict[str, Any]:
    """Return the accuracy of each metric, of the first one by modality too, with BLEU-1 beside them."""
    scorer = Scorer(profile, metrics)
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for record in records(path):
        results = [scorer.score(reference=record["original"], candidate=record[name]) for name in ("synonym", "antonym")]
        hits = {name: _above(*(result.scores[name] for result in results)) for name in scorer.metrics}
        good = hits[scorer.metrics[0]]
        hits["bleu-1"] = bleu1(record["original"], record["synonym"]) > bleu1(record["original"], record["antonym"])
        hits[f"modality: {record['modality']}"] = good
        for name, hit in hits.items():
            seen[name] += 1
            right[name] += hit
        if show and not good:
            values = [result.scores[scorer.metrics[0]].value for result in results]
            print(record["id"], record["modality"], values)
            for name in ("original", "synonym", "antonym"):
                print(f"  {name[0].upper()} {record[name]}")
    return {name: {"accuracy": round(right[name] / seen[name], 3), "cases": seen[name]} for name in sorted(seen)}


def _above(one: Score, other: Score) -> bool:
    """Whether both are scored and the first is better."""
    if one.value is None or other.value is None:
        return False
    return one.value > other.value if metric(one.metric).higher_is_better else one.value < other.value
