"""Two runs case by case: the cases that both hold, by id, with the difference of a score."""

from __future__ import annotations

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
    rows = _joined(a, b, metric)
    both = [row for row in rows if row["difference"] is not None]
    counts = {
        "cases": len(rows), "only_a": len(a.columns["ids"]) - len(rows), "only_b": len(b.columns["ids"]) - len(rows),
        "scored": len(both),
        "better": sum(sign * row["difference"] > 0 for row in both), "equal": sum(row["difference"] == 0 for row in both),
        "worse": sum(sign * row["difference"] < 0 for row in both),
    }  # fmt: skip
    means = {name: sum(row[f"{name}_score"] for row in both) / len(both) if both else None for name in ("a", "b")}
    kept = [row for row in rows if find.lower() in row["id"].lower()]
    kept.sort(key=lambda row: _rank(row, sign, order))
    return {"a": a.key, "b": b.key, "metric": metric, "counts": counts, "means": means, "found": len(kept),
            "cases": kept[offset : offset + limit]}  # fmt: skip


def _joined(a: Volume, b: Volume, metric: str) -> list[dict[str, Any]]:
    theirs: dict[str, int] = {}
    for at, id in enumerate(b.columns["ids"]):
        if id:
            theirs.setdefault(id, at)
    rows = []
    for at, id in enumerate(a.columns["ids"]):
        other = theirs.pop(id, None)
        if other is not None:
            one, two = a.columns["scores"][metric][at], b.columns["scores"][metric][other]
            difference = None if one is None or two is None else two - one
            rows.append(
                {"id": id, "a": at, "b": other, "a_score": one, "b_score": two, "difference": difference,
                 "a_lost": _lost(a, at), "b_lost": _lost(b, other)}
            )  # fmt: skip
    return rows


def _lost(volume: Volume, at: int) -> dict[str, int]:
    return {name: volume.columns["counts"][name][at] for name in ("contradicted", "missed", "invented")}


def _rank(row: dict[str, Any], sign: int, order: Order) -> tuple[bool, float, int]:
    difference = row["difference"]
    if order == "position" or difference is None:
        return order != "position", 0.0, row["a"]
    keys = {"b-worse": sign * difference, "b-better": -sign * difference, "largest": -abs(difference)}
    return False, keys[order], row["a"]
