"""Report variants (HeadCT-ONE table 2): a rewording against reports with errors of one kind.

File form: JSON lines with `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from kgscore.bench._text import bleu1, records
from kgscore.engine import Scorer
from kgscore.metrics import metric

ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")


def run(
    path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem", "headct_one"), show: bool = False
) -> dict[str, Any]:
    """Return by metric: the mean score of the rewording, the mean gap to each kind of error, and the share of wins (the
    rewording better than the error). A gap is positive where the rewording is better, for metrics of either direction. A
    text with a pair that has no score is left out of the gap and is no win; `cases` counts the rewordings with a score."""
    scorer = Scorer(profile, metrics)
    values: dict[str, dict[str, list[float | None]]] = {}
    for record in records(path):
        row: dict[str, dict[str, float | None]] = {}
        for version in ("rephrased", *ERRORS):
            result = scorer.score(reference=record["report"], candidate=record[version])
            for name, score in result.scores.items():
                row.setdefault(name, {})[version] = score.value
            row.setdefault("bleu-1", {})[version] = bleu1(record["report"], record[version])
        for name, found in row.items():
            for version, value in found.items():
                values.setdefault(name, {}).setdefault(version, []).append(value)
        if show:
            print(record["id"], {name: {k: v and round(v, 3) for k, v in found.items()} for name, found in row.items()})
    signs = {name: 1 if metric(name).higher_is_better else -1 for name in scorer.metrics}
    return {name: _figures(found, signs.get(name, 1)) for name, found in values.items()}


def _figures(found: dict[str, list[float | None]], sign: int) -> dict[str, Any]:
    rephrased = found["rephrased"]
    scored = [value for value in rephrased if value is not None]
    figures: dict[str, Any] = {"rephrased": _mean(scored), "cases": len(scored)}
    for name in ERRORS:
        gaps = [sign * (a - b) for a, b in zip(rephrased, found[name], strict=True) if a is not None and b is not None]
        kind = name.removesuffix("_error")
        figures[f"rephrased - {kind}"] = _mean(gaps)
        figures[f"wins over {kind}"] = round(sum(gap > 0 for gap in gaps) / len(rephrased), 3)
    return figures


def _mean(values: list[float]) -> float | None:
    return round(mean(values), 3) if values else None
