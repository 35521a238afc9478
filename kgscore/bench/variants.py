"""Report variants (HeadCT-ONE table 2): a rewording against reports with errors of one kind.

File form: JSON lines with `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from kgscore.bench._text import bleu1, records
from kgscore.engine import Scorer
from kgscore.metrics import MetricInfo, metric

ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")


def run(
    path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem", "headct_one"), show: bool = False
) -> dict[str, Any]:
    """Return by metric: the mean score of the rewording, the mean gap to each kind of error, and the share of wins (the
    rewording better than the error). A gap is positive where the rewording is better, for metrics of either direction. A
    pair without a score counts as the worst score where that is known, else it is left out; it is never a win, and
    `without a score` counts the rewordings that have none."""
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
    return {name: _figures(found, None if name == "bleu-1" else metric(name)) for name, found in values.items()}


def _figures(found: dict[str, list[float | None]], info: MetricInfo | None) -> dict[str, Any]:
    sign = -1 if info and not info.higher_is_better else 1
    worst = 0.0 if info is None else info.low if info.higher_is_better else info.high

    def known(values: list[float | None]) -> list[float | None]:
        return [worst if value is None else value for value in values]

    rephrased = found["rephrased"]
    figures: dict[str, Any] = {
        "rephrased": _mean([value for value in known(rephrased) if value is not None]),
        "cases": len(rephrased),
        "without a score": sum(value is None for value in rephrased),
    }
    for name in ERRORS:
        pairs = list(zip(known(rephrased), known(found[name]), strict=True))
        wins = zip(rephrased, found[name], strict=True)
        kind = name.removesuffix("_error")
        figures[f"rephrased - {kind}"] = _mean([sign * (a - b) for a, b in pairs if a is not None and b is not None])
        figures[f"wins over {kind}"] = round(
            sum(a is not None and b is not None and sign * (a - b) > 0 for a, b in wins) / len(rephrased), 3
        )
    return figures


def _mean(values: list[float]) -> float | None:
    return round(mean(values), 3) if values else None
