"""Self-contradiction: are the reports flagged that contradict themselves, and no others?

File form: JSON lines with `id`, `report` and whether it `contradicts` itself (true or false; or `consistent`, the reverse), and
`modality`, `region` or `construct` where there are any. Without either, only the share of flagged reports is given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.records import clean
from kgscore.studies.bench._ask import Ask, benchmark, groups, must
from kgscore.studies.bench._contest import Grid, grouped, shares

COLUMNS = ("right", "contradictions found", "consistent left alone", "flagged")
GROUPS = ("modality", "region", "construct")


@benchmark("reader", "sampling", "sample", "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return the share of reports judged rightly, of contradictory reports that were found, of consistent reports left alone, and
    of all reports that are flagged, with intervals by case, and by modality and construct. What is judged wrongly is printed with
    the words that are held against each other, as a JSON line."""
    rows = ask.records("report")
    for field in ("contradicts", "consistent"):
        must(ask.path, [{field: False, **row} for row in rows], field, bool)
    scorer = ask.scorer()
    gold = [row.get("contradicts", not row["consistent"] if "consistent" in row else None) for row in rows]
    got: list[bool] = []
    for row, wanted in zip(rows, gold, strict=True):
        report = clean(row["report"])
        found = scorer.consistency(report)
        got.append(bool(found))
        if ask.show and wanted is not None and wanted is not bool(found):
            against = [[report[start:end] for start, end in (one.first, one.second)] for one in found]
            print(json.dumps({**row, "flagged": bool(found), "held against each other": against}, ensure_ascii=False))

    def figures(mine: Sequence[int]) -> dict[str, Any]:
        """Return the shares; a case counts in a share only if it is of its kind."""
        pairs = [(gold[at], got[at]) for at in mine]
        columns: dict[str, list[float]] = {
            "right": [np.nan if wanted is None else wanted is found for wanted, found in pairs],
            "contradictions found": [found if wanted is True else np.nan for wanted, found in pairs],
            "consistent left alone": [not found if wanted is False else np.nan for wanted, found in pairs],
            "flagged": [found for _, found in pairs],
        }
        return shares(columns, ask.sampling, label="consistency")

    return {**figures(range(len(rows))), **{name: figures(mine) for name, mine in groups(rows, GROUPS)}}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return one table."""
    return [Grid("Self-contradiction: reports judged rightly", COLUMNS, grouped(figures))]
