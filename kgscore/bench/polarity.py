"""Polarity: does a score fall when what is said is turned into its opposite?

File form: that of `triplets` (`original`, `synonym`, `antonym`), or that of `pairs` (`a`, `b`, `relation`). In the first, a
rewording is set against the reversal of the same text; in the second, every pair that agrees against every contradiction.
Whether the *reader* sees polarity is another question: `kgscore bench bioscope`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import BASELINES, Contest, Floats, Grid, Scores, means
from kgscore.bench._text import records
from kgscore.bench.pairs import AGREE, COLUMNS, separation, statements
from kgscore.results.statistics import Sampling

_RIGHT, _DROP = "right order", "drop"


def run(
    path: str | Path, *, profile: str = "default", metrics: Sequence[str] = ("radsem",), baselines: Sequence[str] = BASELINES,
    settings: Mapping[str, Any] | None = None, sampling: Sampling | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return of each contender: `right order`, the share of comparisons in which what agrees scores above what is reversed, a tie
    counting a half (0.5 is chance), and `drop`, the mean score of what agrees less that of what is reversed, as a share of what
    a text scores against itself. Intervals are by case."""
    contest = Contest(profile, metrics, baselines, settings)
    triplets = "original" in records(path)[0]
    figures: dict[str, Any] = {"contenders": list(contest.names), "form": "triplets" if triplets else "pairs"}
    figures |= _triplets(contest, path, sampling) if triplets else _pairs(contest, path, sampling)
    return {**figures, "signatures": contest.signatures()}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return one table."""
    rows = {name: figures[name] for name in figures["contenders"]}
    return [Grid("Polarity: does what agrees score above its opposite?", (_RIGHT, _DROP), rows)]


def _triplets(contest: Contest, path: str | Path, sampling: Sampling | None) -> dict[str, Any]:
    rows = records(path, "original", "synonym", "antonym")
    found = contest.run((row["original"], row[version]) for row in rows for version in ("original", "synonym", "antonym"))
    figures = {}
    for name in contest.names:
        ranks = found.ranks(name).reshape(len(rows), 3)
        right = (ranks[:, 1] > ranks[:, 2]) + 0.5 * (ranks[:, 1] == ranks[:, 2])
        same, synonym, antonym = (found.upward(name)[at::3] for at in range(3))
        texts = {text: found.values[name][at::3] for at, text in enumerate(("same text", "synonym", "antonym"))}
        columns = {_RIGHT: right, _DROP: (synonym - antonym) / _best(found, name, same)}
        figures[name] = {
            "cases": len(rows),
            **means(columns, sampling, label="polarity"),
            "means": means(texts, sampling),
            "without a score": int((np.isnan(synonym) | np.isnan(antonym)).sum()),
        }
    return figures


def _best(found: Scores, name: str, same: Floats) -> float:
    """Return how far a text's score against itself lies above the worst score; 1 where there is no bound: a drop is then in the
    score's own units."""
    worst = found.worst(name)
    if worst is None:
        return 1.0
    whole = _mean(same) - (worst if found.infos[name].higher_is_better else -worst)
    return whole if whole > 0 else 1.0


def _mean(values: Floats) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else np.nan


def _pairs(contest: Contest, path: str | Path, sampling: Sampling | None) -> dict[str, Any]:
    rows = [row for row in statements(path) if row["relation"] in (*AGREE, "contradiction")]
    agree = np.asarray([row["relation"] in AGREE for row in rows])
    found = contest.run((row["a"], row[side]) for row in rows for side in ("a", "b"))
    figures = {}
    for name in contest.names:
        same, across = (found.upward(name)[at::2] for at in (0, 1))
        only = Scores(found.infos, {name: found.values[name][1::2]}, ())
        parted = separation(only, name, [row["relation"] for row in rows], sampling)
        drop = (_mean(across[agree]) - _mean(across[~agree])) / _best(found, name, same)
        ends = parted["intervals"].get(COLUMNS[0])
        figures[name] = {
            "cases": len(rows),
            _RIGHT: parted[COLUMNS[0]],
            _DROP: round(drop, 3) if np.isfinite(drop) else None,
            "intervals": {_RIGHT: ends} if ends else {},
            "means": parted["means"],
            "without a score": parted["without a score"],
        }
    return figures
