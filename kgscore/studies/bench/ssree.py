"""SSREE (RadSEM 4.2): does the score fall as meaning is corrupted step by step, L1 to L5?

File form: JSON lines with `case`, `reference` and `L1` to `L5`, and `modality`; or, as SSREE was released, `type` (the modality)
and `area` (regions, separated by commas).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.engine import Scorer
from kgscore.metrics import metric
from kgscore.model import PairResult
from kgscore.results.correlation import kendall
from kgscore.results.statistics import Sampling
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark
from kgscore.studies.bench._contest import BASELINES, Contest, Floats, Grid, means, rows_of, shares

LEVELS = ("L1", "L2", "L3", "L4", "L5")
COLUMNS = ("tau_b", "all pairs", "adjacent", "perfect")
STEPS = tuple(f"{one}>{other}" for one, other in pairwise(LEVELS))
SELF = "same text"
_TEXTS = ("reference", *LEVELS)
_FEWEST = 10  # cases of a region that is given by itself


@benchmark(*CONTEST, "sample", "show", metrics=("radsem",), baselines=BASELINES)
def run(ask: Ask) -> dict[str, Any]:
    """Return tau-b, concordance, adjacent accuracy and perfect chains of each contender, with intervals by case; of the first
    metric by modality and region too, with the share of texts that score best against themselves, and of L5 reports without a
    link between asserted findings."""
    contest = Contest(ask)
    rows = ask.records(*_TEXTS)
    found = contest.table([(row["reference"], row[text]) for text in _TEXTS] for row in rows)

    def each(name: str) -> dict[str, Any]:
        values = found.values[name]
        return {
            **_figures(found.ranks(name)[:, 1:], ask.sampling),
            "without a score": int(np.isnan(values[:, 1:]).sum()),
            "means": means(dict(zip((SELF, *LEVELS), values.T, strict=True)), ask.sampling, label="means"),
        }

    first = found.ranks(contest.names[0])[:, 1:]
    worst = found.results[len(LEVELS) :: len(_TEXTS)]
    if ask.show:
        for row, ranks, scores in zip(rows, first.tolist(), found.values[contest.names[0]][:, 1:].round(3).tolist(), strict=True):
            if any(a <= b for a, b in pairwise(ranks)):
                print(row.get("case"), row.get("modality") or row.get("type"), scores)
    return contest.figures(each) | {
        **{group: _figures(first[cases], ask.sampling) for group, cases in _groups(rows).items()},
        "score(x, x) = 1": _selfs(contest.scorer, rows),
        "L5 without a link between asserted findings": f"{sum(not _asserted_links(one) for one in worst)}/{len(rows)}",
    }


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the tables of the paper: the order of the levels, and each transition."""
    steps = Grid("Transitions: share of cases that fall", STEPS, rows_of(figures))
    return [Grid("SSREE: does the score fall from L1 to L5?", COLUMNS, rows_of(figures)), steps]


def _groups(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Return the cases of each modality, and of each region that has some; a case of several regions is in each of them."""
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        regions = {f"region: {one.strip().lower()}" for one in (row.get("area") or "").split(",") if one.strip()}
        for name in {f"modality: {row.get('modality') or row.get('type') or ''}", *regions} - {"modality: "}:
            found.setdefault(name, []).append(place)
    return {name: cases for name, cases in sorted(found.items()) if name.startswith("modality") or len(cases) >= _FEWEST}


def _selfs(scorer: Scorer, rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many texts score best against themselves, by the first metric, of those with a score."""
    name = scorer.metrics[0]
    best = metric(name).high if metric(name).higher_is_better else metric(name).low
    texts = [row[text] for row in rows for text in _TEXTS]
    own = [value for text in texts if (value := scorer.score(reference=text, candidate=text).scores[name].value) is not None]
    return f"{sum(best is not None and abs(value - best) < 1e-9 for value in own)}/{len(own)}"


def _asserted_links(result: PairResult) -> bool:
    one, other = result.reference, result.candidate
    return one is not None and other is not None and any(
        one.findings[link.reference].asserts and other.findings[link.candidate].asserts for link in result.links
    )


def _tau(ranks: Floats) -> float:
    """Return Kendall's τ_b between the order expected (falling) and the ranks; 0 where all are alike."""
    found = float(kendall(-np.arange(len(ranks), dtype=float), ranks)[0])
    return 0.0 if isnan(found) else found


def _figures(ranks: Floats, sampling: Sampling) -> dict[str, Any]:
    """Return the figures of one contender from ranks, one case a row and one level a column."""
    falls = ranks[:, :-1] > ranks[:, 1:]
    one, other = (ranks[:, list(side)] for side in zip(*combinations(range(len(LEVELS)), 2), strict=True))
    columns = {
        "tau_b": [_tau(row) for row in ranks],
        "all pairs": ((one > other) + 0.5 * (one == other)).mean(axis=1),
        "adjacent": falls.mean(axis=1),
        "perfect": falls.all(axis=1),
        **dict(zip(STEPS, falls.T, strict=True)),
    }
    return shares(columns, sampling, label="ssree")


def levels(path: Path, name: str, *, profile: str = "default") -> tuple[list[str], list[str], list[list[float]]]:
    """Return the mean score of one metric at each level of corruption, by modality and for all cases: the names of the rows, of
    the columns, and the means (NaN where no text was scored)."""
    ask = Ask(path, profile, metrics=(name,))
    rows = ask.records(*_TEXTS)
    values = Contest(ask).table([(row["reference"], row[text]) for text in _TEXTS] for row in rows).values[name]
    groups = {"all cases": list(range(len(rows)))}
    for at, row in sorted(enumerate(rows), key=lambda one: str(one[1].get("modality") or one[1]["type"])):
        groups.setdefault(row.get("modality") or row["type"], []).append(at)
    found = [[float(np.nanmean(column)) if np.isfinite(column).any() else np.nan for column in values[mine].T]
             for mine in groups.values()]  # fmt: skip
    return [f"{row} ({len(mine)})" for row, mine in groups.items()], [SELF, *LEVELS], found
