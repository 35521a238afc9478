"""Report variants (HeadCT-ONE table 2): a rewording against reports with errors of one kind.

File form: JSON lines with `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from kgscore.bench._text import bleu1, records
from kgscore.engine import Scorer

ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")


def run(
    path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem", "headct_one"), show: bool = False
) -> dict[str, Any]:
    """Return by metric: the mean score of the rewording, the mean gap to each kind of error, and the share of wins (the
    rewording above the error). A pair without a score counts as 0 and as no win."""
    scorer = Scorer(profile, metrics)
    values: dict[str, dict[str, list[float]]] = {}
    for record in records(path):
        row: dict[str, dict[str, float]] = {}
        for version in ("rephrased", *ERRORS):
            result = scorer.score(reference=record["report"], candidate=record[version])
            for name, score in result.scores.items():
                row.setdefault(name, {})[version] = score.value or 0.0
            row.setdefault("bleu-1", {})[version] = bleu1(record["report"], record[version])
        for name, found in row.items():
            for version, value in found.items():
                values.setdefault(name, {}).setdefault(version, []).append(value)
        if show:
            print(record["id"], {name: {k: round(v, 3) for k, v in found.items()} for name, found in row.items()})
    return {name: _figures(found) for name, found in values.items()}


def _figures(found: dict[str, list[float]]) -> dict[str, Any]:
    rephrased = found["rephrased"]
    figures: dict[str, Any] = {"rephrased": round(mean(rephrased), 3), "cases": len(rephrased)}
    for name in ERRORS:
        pairs = list(zip(rephrased, found[name], strict=True))
        kind = name.removesuffix("_error")
        figures[f"rephrased - {kind}"] = round(mean(a - b for a, b in pairs), 3)
        figures[f"wins over {kind}"] = round(mean(a > b for a, b in pairs), 3)
    return figures
