"""Polarity: does a score fall when what is said is turned into its opposite?

File form: that of `triplets` (`original`, `synonym`, `antonym`), or that of `pairs` (`a`, `b`, `relation`). In the first, a
rewording is set against the reversal of the same text; in the second, every pair that agrees against every contradiction.
Whether the *reader* sees polarity is another question: `kgscore bench bioscope`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kgscore.studies.bench._ask import CONTEST, Ask, benchmark
from kgscore.studies.bench._contest import BASELINES, Contest, Floats, Grid, Scores, means, rows_of, shares
from kgscore.studies.bench.pairs import AGREE, COLUMNS, separation, statements

_RIGHT, _DROP = "right order", "drop"
_FORM = ("original", "synonym", "antonym")


@benchmark(*CONTEST, metrics=("radsem",), baselines=BASELINES)
def run(ask: Ask) -> dict[str, Any]:
    """Return of each contender: `right order`, the share of comparisons in which what agrees scores above what is reversed, a tie
    counting a half (0.5 is chance), and `drop`, the mean score of what agrees less that of what is reversed, as a share of what
    a text scores against itself. Intervals are by case."""
    triplets = _FORM[0] in ask.records()[0]
    return {"form": "triplets" if triplets else "pairs", **(_triplets(ask) if triplets else _pairs(ask))}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return one table."""
    return [Grid("Polarity: does what agrees score above its opposite?", (_RIGHT, _DROP), rows_of(figures))]


def _triplets(ask: Ask) -> dict[str, Any]:
    contest = Contest(ask)
    found = contest.table([(row[_FORM[0]], row[version]) for version in _FORM] for row in ask.records(*_FORM))

    def each(name: str) -> dict[str, Any]:
        _, mine, reverse = found.ranks(name).T
        same, synonym, antonym = found.upward(name).T
        drop = (synonym - antonym) / _best(found, name, same)
        texts = dict(zip(("same text", "synonym", "antonym"), found.values[name].T, strict=True))
        return {
            **shares({_RIGHT: (mine > reverse) + 0.5 * (mine == reverse), _DROP: drop}, ask.sampling, label="polarity"),
            "means": means(texts, ask.sampling),
            "without a score": int((np.isnan(synonym) | np.isnan(antonym)).sum()),
        }

    return contest.figures(each)


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


def _pairs(ask: Ask) -> dict[str, Any]:
    contest = Contest(ask)
    rows = [row for row in statements(ask) if row["relation"] in (*AGREE, "contradiction")]
    agree = np.asarray([row["relation"] in AGREE for row in rows])
    found = contest.table([(row["a"], row[side]) for side in ("a", "b")] for row in rows)

    def each(name: str) -> dict[str, Any]:
        same, across = found.upward(name).T
        only = replace(found, values={name: found.values[name][:, 1]})
        parted = separation(only, name, [row["relation"] for row in rows], ask.sampling)
        drop = (_mean(across[agree]) - _mean(across[~agree])) / _best(found, name, same)
        ends = parted["intervals"].get(COLUMNS[0])
        return {
            "cases": len(rows),
            _RIGHT: parted[COLUMNS[0]],
            _DROP: round(drop, 3) if np.isfinite(drop) else None,
            "intervals": {_RIGHT: ends} if ends else {},
            **{same: parted[same] for same in ("means", "without a score")},
        }

    return contest.figures(each)
