"""Statements about reports: does `entails` give each the verdict that a person gave it?

File form: JSON lines with `id`, `report`, `statement` and `verdict` (entailed, contradicted or neutral), and `kind`, `construct`
or `modality` where there are any.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from kgscore.records import clean
from kgscore.studies.bench._ask import Ask, benchmark, groups, must
from kgscore.studies.bench._contest import Grid, grouped, shares

VERDICTS = ("entailed", "contradicted", "neutral")
COLUMNS = ("right", "turned round")
GROUPS = ("verdict", "kind", "construct", "modality")
_TURNED = {("entailed", "contradicted"), ("contradicted", "entailed")}


@benchmark("reader", "sampling", "sample", "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return the share of verdicts that are right, and of those turned round (entailed taken for contradicted or the reverse), of
    all statements, with intervals by case, and by verdict, kind and construct; how many of each verdict got which
    (`confusion`); and what always giving the commonest verdict would have right. A miss is printed as a JSON line."""
    rows = ask.records("report", "statement", "verdict")
    must(ask.path, rows, "verdict", VERDICTS)
    scorer = ask.scorer()
    got = [scorer.entails(clean(row["report"]), clean(row["statement"])).verdict for row in rows]
    for row, verdict in zip(rows, got, strict=True) if ask.show else ():
        if verdict != row["verdict"]:
            print(json.dumps({**row, "got": verdict}, ensure_ascii=False))
    gold = [row["verdict"] for row in rows]
    counted: Counter[tuple[str, str]] = Counter(zip(gold, got, strict=True))

    def figures(mine: Iterable[int]) -> dict[str, Any]:
        pairs = [(gold[at], got[at]) for at in mine]
        columns = {"right": [one == other for one, other in pairs], "turned round": [pair in _TURNED for pair in pairs]}
        return shares(columns, ask.sampling, label="statements")

    return {
        **figures(range(len(rows))),
        "reports": len({row["report"] for row in rows}),
        "always the commonest": round(max(Counter(gold).values()) / len(rows), 3),
        "confusion": {wanted: {found: counted[wanted, found] for found in VERDICTS} for wanted in VERDICTS},
        **{name: figures(mine) for name, mine in groups(rows, GROUPS)},
    }


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the verdicts that are right, by group, and what was given in place of each."""
    given = {
        f"is {gold}": {"cases": sum(row.values()), **{f"read {k}": v / max(1, sum(row.values())) for k, v in row.items()}}
        for gold, row in figures["confusion"].items()
    }
    return [
        Grid("Statements about reports: verdicts right, and turned round", COLUMNS, grouped(figures)),
        Grid("Verdicts: what is read of each, as shares", [f"read {verdict}" for verdict in VERDICTS], given),
    ]
