"""Statements about reports: does `entails` give each the verdict that a person gave it?

File form: JSON lines with `id`, `report`, `statement` and `verdict` (entailed, contradicted or neutral), and `kind`, `construct`
or `modality` where there are any.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import Grid, means
from kgscore.bench._text import REMEMBERED, may_list, records, spread
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.records import clean
from kgscore.results.statistics import Sampling

VERDICTS = ("entailed", "contradicted", "neutral")
COLUMNS = ("right", "turned round")
GROUPS = ("verdict", "kind", "construct", "modality")
_TURNED = {("entailed", "contradicted"), ("contradicted", "entailed")}


def run(
    path: str | Path, *, profile: str = "default", reader: str = "default",
    sampling: Sampling | None = None, sample: int = 0, show: bool = False
) -> dict[str, Any]:
    """Return the share of verdicts that are right, and of those turned round (entailed taken for contradicted or the reverse), of
    all statements, with intervals by case, and by verdict, kind and construct; how many of each verdict got which
    (`confusion`); and what always giving the commonest verdict would have right.

    `sample`: only so many records, evenly spread. `show`: print each miss as a JSON line.

    Raises:
        InputError: the file cannot be read or does not follow the form, or its misses may not be shown.
    """
    if show:
        may_list(path)
    rows = spread(statements(path), sample)
    scorer = Scorer(profile, remember=REMEMBERED, reader=reader)
    got = [scorer.entails(clean(row["report"]), clean(row["statement"])).verdict for row in rows]
    if show:
        for row, verdict in zip(rows, got, strict=True):
            if verdict != row["verdict"]:
                print(json.dumps({**row, "got": verdict}, ensure_ascii=False))
    gold = [row["verdict"] for row in rows]
    counted: Counter[tuple[str, str]] = Counter(zip(gold, got, strict=True))
    return {
        **_figures(gold, got, sampling),
        "reports": len({row["report"] for row in rows}),
        "always the commonest": round(max(Counter(gold).values()) / len(rows), 3),
        "confusion": {wanted: {found: counted[wanted, found] for found in VERDICTS} for wanted in VERDICTS},
        **dict(_grouped(rows, gold, got, sampling)),
    }


def statements(path: str | Path) -> list[dict[str, Any]]:
    """Return the records of a file of statements about reports.

    Raises:
        InputError: a record lacks a field, or its verdict is none of the three.
    """
    rows = records(path, "report", "statement", "verdict")
    for number, row in enumerate(rows, 1):
        if row["verdict"] not in VERDICTS:
            raise InputError(f"{path}: record {number}: 'verdict' is not a verdict; give one of {', '.join(VERDICTS)}")
    return rows


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the verdicts that are right, by group, and what was given in place of each."""
    groups = {name: row for name, row in figures.items() if ": " in name}
    given = {
        f"is {gold}": {"cases": sum(row.values()), **{f"read {k}": v / max(1, sum(row.values())) for k, v in row.items()}}
        for gold, row in figures["confusion"].items()
    }
    return [
        Grid("Statements about reports: verdicts right, and turned round", COLUMNS, {"all": figures, **groups}),
        Grid("Verdicts: what is read of each, as shares", [f"read {verdict}" for verdict in VERDICTS], given),
    ]


def _grouped(
    rows: Sequence[Mapping[str, Any]], gold: Sequence[str], got: Sequence[str], sampling: Sampling | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    for field in GROUPS:
        values = [str(row.get(field) or "") for row in rows]
        for value in sorted(set(values) - {""}):
            mine = [place for place, one in enumerate(values) if one == value]
            yield f"{field}: {value}", _figures([gold[at] for at in mine], [got[at] for at in mine], sampling)


def _figures(gold: Sequence[str], got: Sequence[str], sampling: Sampling | None) -> dict[str, Any]:
    pairs = list(zip(gold, got, strict=True))
    columns = {
        "right": np.asarray([wanted == found for wanted, found in pairs], dtype=np.float64),
        "turned round": np.asarray([pair in _TURNED for pair in pairs], dtype=np.float64),
    }
    return {"cases": len(pairs), **means(columns, sampling, label="statements")}
