"""Two runs case by case: the cases that both hold, by id, with the difference of a score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any, Literal

from kgscore.errors import QueryError
from kgscore.serve.shelf import Volume

Order = Literal["b-worse", "b-better", "largest", "position"]


def compared(a: Volume, b: Volume, metric: str, order: Order, offset: int, limit: int, find: str = "") -> dict[str, Any]:
    """Return the cases of both runs, `limit` of them from `offset` on, with b's score minus a's (None where one has none).

    `counts` says how many cases both hold, how many have both scores, and in how many of these b is better, equal or worse,
    by the metric's direction. Nothing is said of chance: `kgscore compare` tests it.

    Raises:
        QueryError: a run does not have the metric.
    """
    for volume in (a, b):
        if metric not in volume.columns["scores"]:
            known = ", ".join(volume.columns["scores"]) or "none"
            raise QueryError(f"run '{volume.key}' has no metric '{metric}'; it has: {known}")
    figures = next((one for one in a.overview.metrics if one.name == metric), None)
    sign = -1 if figures is not None and not figures.higher_is_better else 1
    rows = _ordered(a, b, metric, order, sign)
    both = [row for row in rows if row.difference is not None]
    differences = [sign * row.difference for row in both if row.difference is not None]
    counts = {
        "cases": len(rows), "only_a": len(a.columns["ids"]) - len(rows), "only_b": len(b.columns["ids"]) - len(rows),
        "scored": len(both), "better": sum(one > 0 for one in differences), "equal": differences.count(0),
        "worse": sum(one < 0 for one in differences),
    }  # fmt: skip
    ones, others = ([value for row in both if (value := row.scores[n]) is not None] for n in (0, 1))
    kept = [row for row in rows if find.lower() in row.id.lower()] if find else rows
    return {
        "a": a.key, "b": b.key, "metric": metric, "counts": counts, "found": len(kept),
        "means": {"a": fmean(ones) if ones else None, "b": fmean(others) if others else None},
        "cases": [_told(row, a, b) for row in kept[offset : offset + limit]],
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Both:
    """A case of both runs: its places and scores in them."""

    id: str
    places: tuple[int, int]
    scores: tuple[float | None, float | None]
    difference: float | None


@lru_cache(maxsize=32)
def _ordered(a: Volume, b: Volume, metric: str, order: Order, sign: int) -> list[_Both]:
    return sorted(_joined(a, b, metric), key=lambda row: _rank(row, sign, order))


def _joined(a: Volume, b: Volume, metric: str) -> list[_Both]:
    theirs: dict[str, int] = {}
    for at, id in enumerate(b.columns["ids"]):
        if id:
            theirs.setdefault(id, at)
    left, right = a.columns["scores"][metric], b.columns["scores"][metric]
    found = ((id, at, theirs.pop(id, None)) for at, id in enumerate(a.columns["ids"]))
    return [_both(id, (at, other), (left[at], right[other])) for id, at, other in found if other is not None]


def _both(id: str, places: tuple[int, int], scores: tuple[float | None, float | None]) -> _Both:
    one, other = scores
    return _Both(id, places, scores, None if one is None or other is None else other - one)


def _told(row: _Both, a: Volume, b: Volume) -> dict[str, Any]:
    return {
        "id": row.id, "a": row.places[0], "b": row.places[1], "a_score": row.scores[0], "b_score": row.scores[1],
        "difference": row.difference, "a_lost": _lost(a, row.places[0]), "b_lost": _lost(b, row.places[1]),
    }  # fmt: skip


def _lost(volume: Volume, at: int) -> dict[str, int]:
    return {name: volume.columns["counts"][name][at] for name in ("contradicted", "missed", "invented")}


def _rank(row: _Both, sign: int, order: Order) -> tuple[bool, float, int]:
    difference = row.difference
    if order == "position" or difference is None:
        return order != "position", 0.0, row.places[0]
    keys = {"b-worse": sign * difference, "b-better": -sign * difference, "largest": -abs(difference)}
    return False, keys[order], row.places[0]
