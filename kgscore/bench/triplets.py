"""Rewrite triplets: does a rewording score above a reversal? A tie is wrong, and so is a pair without a score."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from kgscore.bench._text import bleu1, records
from kgscore.engine import Scorer


def run(path: str | Path, *, profile: str = "default", show: bool = False) -> dict[str, Any]:
    """Return the accuracy, overall and by modality, with BLEU-1 beside it."""
    scorer = Scorer(profile)
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for record in records(path):
        values = []
        for name in ("synonym", "antonym"):
            values.append(scorer.score(reference=record["original"], candidate=record[name]).scores["radsem"].value)
        synonym, antonym = values
        good = synonym is not None and antonym is not None and synonym > antonym
        overlap = bleu1(record["original"], record["synonym"]) > bleu1(record["original"], record["antonym"])
        for name, hit in (("radsem", good), ("bleu-1", overlap), (f"modality: {record['modality']}", good)):
            seen[name] += 1
            right[name] += hit
        if show and not good:
            print(
                record["id"],
                record["modality"],
                values,
                "\n  O",
                record["original"],
                "\n  S",
                record["synonym"],
                "\n  A",
                record["antonym"],
            )
    return {name: {"accuracy": round(right[name] / seen[name], 3), "cases": seen[name]} for name in sorted(seen)}
