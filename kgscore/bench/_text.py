"""Figures that several benchmarks share."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.metrics import metric
from kgscore.model import PairResult
from kgscore.records import PAIR_FIELDS, Record, read_records
from kgscore.results.correlation import kendall


def records(path: str | Path) -> list[dict[str, Any]]:
    """Return the records of a JSON lines file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def crossed(path: str) -> Iterator[Record]:
    """Yield the pairs of a file, then each reference with the candidate of the next one, the one after that, and so on."""
    pairs = [record for record in read_records(path, PAIR_FIELDS) if isinstance(record, Record)]
    for shift in range(len(pairs)):
        for one, other in zip(pairs, pairs[shift:] + pairs[:shift], strict=True):
            fields = {"reference": one.fields["reference"], "candidate": other.fields["candidate"]}
            yield Record(one.where, f"{one.id}+{other.id}", fields)


def rank(result: PairResult, name: str) -> float:
    """Return a score as a rank value, higher is better; a pair without a score ranks last."""
    value = result.scores[name].value
    if value is None:
        return float("-inf")
    return value if metric(name).higher_is_better else -value


def kendall_b(scores: list[float]) -> float:
    """Return Kendall's tau-b between the expected order (falling) and the scores, ties corrected."""
    places = np.unique(scores, return_inverse=True)[1].astype(float)  # a pair without a score is infinitely low
    found = float(kendall(-np.arange(len(scores), dtype=float), places)[0])
    return 0.0 if math.isnan(found) else found


def bleu1(reference: str, candidate: str) -> float:
    """Return unigram precision with clipped counts and a brevity penalty: the word-overlap baseline."""
    ref, cand = _words(reference), _words(candidate)
    if not cand or not ref:
        return 0.0
    shared = sum((Counter(ref) & Counter(cand)).values()) / len(cand)
    return shared * min(1.0, math.exp(1 - len(ref) / len(cand)))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
