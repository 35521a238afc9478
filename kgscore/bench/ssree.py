"""SSREE (RadSEM 4.2): does the score fall as meaning is corrupted step by step, L1 to L5?"""

from __future__ import annotations

from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any

from kgscore.bench._text import bleu1, kendall_b, rank, records
from kgscore.engine import Scorer
from kgscore.metrics import metric
from kgscore.model import PairResult

LEVELS = ("L1", "L2", "L3", "L4", "L5")


def run(
    path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem",), show: bool = False
) -> dict[str, Any]:
    """Return tau-b, concordance, adjacent accuracy and perfect chains of each metric; of the first one by modality too, with
    the share of texts that score best against themselves, and of L5 reports without a link between asserted findings."""
    scorer = Scorer(profile, metrics)
    names = scorer.metrics
    rows: dict[str, list[list[float]]] = {}
    modalities = []
    selfs = texts = clean = 0
    for record in records(path):
        results = [scorer.score(reference=record["reference"], candidate=record[level], id=record["case"]) for level in LEVELS]
        for name in names:
            rows.setdefault(name, []).append([rank(result, name) for result in results])
        rows.setdefault("bleu-1", []).append([bleu1(record["reference"], record[level]) for level in LEVELS])
        modalities.append(record["modality"])
        clean += not _asserted_links(results[-1])
        best = metric(names[0]).high if metric(names[0]).higher_is_better else metric(names[0]).low
        for text in ("reference", *LEVELS):
            own = scorer.score(reference=record[text], candidate=record[text]).scores[names[0]].value
            texts += own is not None
            selfs += own is not None and best is not None and abs(own - best) < 1e-9
        scores = rows[names[0]][-1]
        if show and any(a <= b for a, b in pairwise(scores)):
            print(record["case"], record["modality"], [round(s, 3) for s in scores])
    figures: dict[str, Any] = {name: _figures(found) for name, found in rows.items()}
    for modality in sorted(set(modalities)):
        of_first = zip(modalities, rows[names[0]], strict=True)
        figures[f"modality: {modality}"] = _figures([row for where, row in of_first if where == modality])
    figures["score(x, x) = 1"] = f"{selfs}/{texts}"
    figures["L5 without a link between asserted findings"] = f"{clean}/{len(modalities)}"
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


def levels(
    path: str | Path, name: str, *, profile: str = "default"
) -> tuple[list[str], list[str], list[list[float]]]:
    """Return the mean score of one metric at each level of corruption, by modality and for all cases: the names of the rows, of
    the columns, and the means (NaN where no text was scored)."""
    scorer = Scorer(profile, (name,))
    found: dict[str, list[list[float]]] = {}
    for record in records(path):
        texts = [record[level] for level in ("reference", *LEVELS)]
        values = [scorer.score(reference=record["reference"], candidate=text).scores[name].value for text in texts]
        for row in ("all cases", record["modality"]):
            found.setdefault(row, []).append([nan if value is None else value for value in values])
    rows = ["all cases", *sorted(set(found) - {"all cases"})]
    means = [[_mean([case[at] for case in found[row]]) for at in range(1 + len(LEVELS))] for row in rows]
    return [f"{row} ({len(found[row])})" for row in rows], ["same text", *LEVELS], means


def _mean(values: list[float]) -> float:
    there = [value for value in values if not isnan(value)]
    return sum(there) / len(there) if there else nan
