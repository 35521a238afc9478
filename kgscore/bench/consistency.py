"""Self-contradiction: are the reports flagged that contradict themselves, and no others?

File form: JSON lines with `id`, `report` and whether it `contradicts` itself (true or false; or `consistent`, the reverse), and
`modality`, `region` or `construct` where there are any. Without either, only the share of flagged reports is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._contest import Grid, means
from kgscore.bench._text import may_list, records, spread
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.model import Contradiction
from kgscore.records import clean
from kgscore.results.statistics import Sampling

COLUMNS = ("right", "contradictions found", "consistent left alone", "flagged")
GROUPS = ("modality", "region", "construct")


def run(
    path: str | Path, *, profile: str = "default", reader: str = "default",
    sampling: Sampling | None = None, sample: int = 0, show: bool = False
) -> dict[str, Any]:
    """Return the share of reports judged rightly, of contradictory reports that were found, of consistent reports left alone, and
    of all reports that are flagged, with intervals by case, and by modality and construct.

    `sample`: only so many records, evenly spread. `show`: print each report that is judged wrongly, with the words that are
    held against each other, as a JSON line.

    Raises:
        InputError: the file cannot be read or does not follow the form, or its misses may not be shown.
    """
    if show:
        may_list(path)
    rows = spread(records(path, "report"), sample)
    gold = [_gold(path, number, row) for number, row in enumerate(rows, 1)]
    scorer = Scorer(profile, reader=reader)
    got = []
    for row, wanted in zip(rows, gold, strict=True):
        found = scorer.consistency(clean(row["report"]))
        got.append(bool(found))
        if show and wanted is not None and wanted is not bool(found):
            print(json.dumps(_miss(row, found), ensure_ascii=False))
    return {**_figures(gold, got, sampling), **dict(_grouped(rows, gold, got, sampling))}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return one table."""
    groups = {name: row for name, row in figures.items() if ": " in name}
    return [Grid("Self-contradiction: reports judged rightly", COLUMNS, {"all": figures, **groups})]


def _gold(path: str | Path, number: int, row: Mapping[str, Any]) -> bool | None:
    """Return whether a person says that a report contradicts itself, None if nobody says."""
    for field, contradictory in (("contradicts", True), ("consistent", False)):
        if field in row:
            if not isinstance(row[field], bool):
                raise InputError(f"{path}: record {number}: '{field}' must be true or false")
            return row[field] is contradictory
    return None


def _miss(row: Mapping[str, Any], found: Sequence[Contradiction]) -> dict[str, Any]:
    report = clean(row["report"])
    spans = [[report[start:end] for start, end in (one.first, one.second)] for one in found]
    return {**row, "flagged": bool(found), "held against each other": spans}


def _grouped(
    rows: Sequence[Mapping[str, Any]], gold: Sequence[bool | None], got: Sequence[bool], sampling: Sampling | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    for field in GROUPS:
        values = [str(row.get(field) or "") for row in rows]
        for value in sorted(set(values) - {""}):
            mine = [place for place, one in enumerate(values) if one == value]
            yield f"{field}: {value}", _figures([gold[at] for at in mine], [got[at] for at in mine], sampling)


def _figures(gold: Sequence[bool | None], got: Sequence[bool], sampling: Sampling | None) -> dict[str, Any]:
    """Return the shares; a case counts in a share only if it is of its kind."""
    pairs = list(zip(gold, got, strict=True))
    columns = {
        "right": [np.nan if wanted is None else wanted is found for wanted, found in pairs],
        "contradictions found": [found if wanted is True else np.nan for wanted, found in pairs],
        "consistent left alone": [not found if wanted is False else np.nan for wanted, found in pairs],
        "flagged": got,
    }
    shares = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    return {"cases": len(pairs), **means(shares, sampling, label="consistency")}
