"""Figures that several benchmarks share."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from kgscore.metrics import metric
from kgscore.model import PairResult


def records(path: str | Path) -> list[dict[str, Any]]:
    """Return the records of a JSON lines file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def rank(result: PairResult, name: str) -> float:
    """Return a score as a rank value, higher is better; a pair without a score ranks last."""
    value = result.scores[name].value
    if value is None:
        return float("-inf")
    return value if metric(name).higher_is_better else -value


def kendall_b(scores: list[float]) -> float:
    """Return Kendall's tau-b between the expected order (falling) and the scores, ties corrected."""
    concordant = discordant = tied = 0
    for i, high in enumerate(scores):
        for low in scores[i + 1 :]:
            if high > low:
                concordant += 1
            elif high < low:
                discordant += 1
            else:
                tied += 1
    total = concordant + discordant + tied
    scale = (total * (total - tied)) ** 0.5
    return (concordant - discordant) / scale if scale else 0.0


def bleu1(reference: str, candidate: str) -> float:
    """Return unigram precision with clipped counts and a brevity penalty: the word-overlap baseline."""
    ref, cand = _words(reference), _words(candidate)
    if not cand or not ref:
        return 0.0
    from math import exp

    shared = sum((Counter(ref) & Counter(cand)).values()) / len(cand)
    return shared * min(1.0, exp(1 - len(ref) / len(cand)))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
