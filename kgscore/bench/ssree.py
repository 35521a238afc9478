"""SSREE (RadSEM 4.2): does the score fall as meaning is corrupted step by step, L1 to L5?

File form: JSON lines with `case`, `reference` and `L1` to `L5`, and `modality`; or, as SSREE was released, `type` (the modality)
and `area` (regions, separated by commas).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import BASELINES, Contest, Floats, Grid, means
from kgscore.bench._text import kendall_b, may_list, records, spread
from kgscore.engine import Scorer
from kgscore.metrics import metric
from kgscore.model import PairResult
from kgscore.results.statistics import Sampling

LEVELS = ("L1", "L2", "L3", "L4", "L5")
COLUMNS = ("tau_b", "all pairs", "adjacent", "perfect")
STEPS = tuple(f"{one}>{other}" for one, other in pairwise(LEVELS))
SELF = "same text"
_FEWEST = 10  # cases of a region that is given by itself


def run(
    path: str | Path, *, profile: str = "default", reader: str = "default",
    metrics: Sequence[str] = ("radsem",), baselines: Sequence[str] = BASELINES,
    settings: Mapping[str, Any] | None = None, sampling: Sampling | None = None, sample: int = 0, show: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return tau-b, concordance, adjacent accuracy and perfect chains of each contender, with intervals by case; of the first
    metric by modality and region too, with the share of texts that score best against themselves, and of L5 reports without a
    link between asserted findings. `sample`: only so many cases, evenly spread."""
    if show:
        may_list(path)
    contest = Contest(profile, metrics, baselines, settings, reader)
    rows = spread(list(records(path, "reference", *LEVELS)), sample)
    texts = (SELF, *LEVELS)
    found = contest.run((row["reference"], row["reference" if text == SELF else text]) for row in rows for text in texts)
    shape = (len(rows), len(texts))
    figures: dict[str, Any] = {"contenders": list(contest.names)}
    for name in contest.names:
        ranks, values = found.ranks(name).reshape(shape)[:, 1:], found.values[name].reshape(shape)
        figures[name] = {
            **_figures(ranks, sampling),
            "without a score": int(np.isnan(values[:, 1:]).sum()),
            "means": means({text: values[:, at] for at, text in enumerate(texts)}, sampling, label="means"),
        }
    first = found.ranks(contest.names[0]).reshape(shape)[:, 1:]
    for group, cases in _groups(rows).items():
        figures[group] = _figures(first[cases], sampling)
    figures["score(x, x) = 1"] = _selfs(contest.scorer, rows)
    worst = [found.results[at] for at in range(len(LEVELS), len(rows) * len(texts), len(texts))]
    figures["L5 without a link between asserted findings"] = f"{sum(not _asserted_links(one) for one in worst)}/{len(rows)}"
    figures["signatures"] = contest.signatures()
    if show:
        values = found.values[contest.names[0]].reshape(shape)[:, 1:].round(3).tolist()
        for row, ranks, scores in zip(rows, first.tolist(), values, strict=True):
            if any(a <= b for a, b in pairwise(ranks)):
                print(row.get("case"), row.get("modality") or row.get("type"), scores)
    return figures


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the tables of the paper: the order of the levels, and each transition."""
    rows = {name: figures[name] for name in figures["contenders"]}
    steps = Grid("Transitions: share of cases that fall", STEPS, rows)
    return [Grid("SSREE: does the score fall from L1 to L5?", COLUMNS, rows), steps]


def _groups(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Return the cases of each modality, and of each region that has some; a case of several regions is in each of them."""
    modalities: dict[str, list[int]] = {}
    regions: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        if modality := row.get("modality") or row.get("type"):
            modalities.setdefault(f"modality: {modality}", []).append(place)
        for region in {one.strip() for one in (row.get("area") or "").split(",")} - {""}:
            regions.setdefault(f"region: {region.lower()}", []).append(place)
    kept = {name: cases for name, cases in regions.items() if len(cases) >= _FEWEST}
    return {**dict(sorted(modalities.items())), **dict(sorted(kept.items()))}


def _selfs(scorer: Scorer, rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many texts score best against themselves, by the first metric, of those with a score."""
    name = scorer.metrics[0]
    info = metric(name)
    best = info.high if info.higher_is_better else info.low
    texts = [row[text] for row in rows for text in ("reference", *LEVELS)]
    own = [value for text in texts if (value := scorer.score(reference=text, candidate=text).scores[name].value) is not None]
    return f"{sum(best is not None and abs(value - best) < 1e-9 for value in own)}/{len(own)}"


def _asserted_links(result: PairResult) -> bool:
    if result.reference is None or result.candidate is None:
        return False
    return any(
        result.reference.findings[k.reference].asserts and result.candidate.findings[k.candidate].asserts for k in result.links
    )


def _figures(ranks: Floats, sampling: Sampling | None) -> dict[str, Any]:
    """Return the figures of one contender from ranks, one case a row and one level a column."""
    falls = ranks[:, :-1] > ranks[:, 1:]
    pairs = [(i, j) for i in range(len(LEVELS)) for j in range(i + 1, len(LEVELS))]
    one, other = (ranks[:, [pair[side] for pair in pairs]] for side in (0, 1))
    columns = {
        "tau_b": np.asarray([kendall_b(row) for row in ranks.tolist()]),
        "all pairs": ((one > other) + 0.5 * (one == other)).mean(axis=1),
        "adjacent": falls.mean(axis=1),
        "perfect": falls.all(axis=1).astype(np.float64),
        **{step: falls[:, at].astype(np.float64) for at, step in enumerate(STEPS)},
    }
    return {"cases": len(ranks), **means(columns, sampling, label="ssree")}


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
        for row in ("all cases", record.get("modality") or record["type"]):
            found.setdefault(row, []).append([nan if value is None else value for value in values])
    rows = ["all cases", *sorted(set(found) - {"all cases"})]
    means = [[_mean([case[at] for case in found[row]]) for at in range(1 + len(LEVELS))] for row in rows]
    return [f"{row} ({len(found[row])})" for row in rows], [SELF, *LEVELS], means


def _mean(values: list[float]) -> float:
    there = [value for value in values if not isnan(value)]
    return sum(there) / len(there) if there else nan
