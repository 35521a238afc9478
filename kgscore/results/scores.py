"""The scores of a run as columns, from which summaries, comparisons and correlations are computed.

A run that does not exist or cannot be read raises RunError, as does a column that its input lacks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import RunError, did_you_mean
from kgscore.results.cases import load_run
from kgscore.results.files import fetch_rows, open_tables
from kgscore.results.layout import TABLES
from kgscore.results.outcome import NOT_UNDERSTOOD, SAYS_NOTHING

_NUMBERED = re.compile(r"(.+)@(\d+)\Z")
_WORDS = r"len(regexp_extract_all({}, '\p{{L}}+'))"
_CASES = (
    "SELECT id, (hash(reference) % 9007199254740992)::BIGINT AS reference, fields, status = 'scored' AS scored,"
    f" reason = $silent AS silent, starts_with(reason, $strange) AS not_understood,"
    f" if(candidate_read, coalesce({_WORDS.format('candidate')}, 0), 0) AS words,"
    f" coalesce(u.words, 0)::BIGINT AS unlinked FROM cases LEFT JOIN (SELECT position, sum({_WORDS.format('text')}) AS words"
    " FROM unlinked WHERE run = $run AND report = 'candidate' GROUP BY position) u USING (position) WHERE run = $run"
    " ORDER BY position"
)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RunName:
    """A run: its folder and number. As text `FOLDER`, or `FOLDER@NUMBER` if it is not the last one."""

    folder: Path
    run: int
    name: str


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one run, one entry per case in input order.

    `values` holds a number for each case and metric, NaN if there is none; `status` scored, empty or failed. `fields` are the
    further columns of the input, `references` a hash of each reference report. `scored` tells which records have a score,
    `silent` which candidates say nothing, `not_understood` in which nothing is understood; `words` counts the words of each
    candidate that was read, `unlinked` those that no concept covers.
    """

    name: RunName
    profile: str
    signature: Mapping[str, Any]
    ids: Sequence[str | None]
    references: Sequence[int]
    fields: Sequence[Mapping[str, Any]]
    values: Mapping[str, Floats]
    status: Mapping[str, NDArray[np.str_]]
    scored: NDArray[np.bool_]
    silent: NDArray[np.bool_]
    not_understood: NDArray[np.bool_]
    words: NDArray[np.int64]
    unlinked: NDArray[np.int64]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the run."""
        return tuple(self.values)

    def column(self, name: str) -> list[str]:
        """Return a column of the input as text, "" if a record lacks it."""
        known = {key for one in self.fields for key in one}
        if name not in known:
            hint = did_you_mean(name, known) or f"columns besides id and the reports: {', '.join(sorted(known)) or 'none'}"
            raise RunError(f"{self.name.name}: the input had no column '{name}'; {hint}")
        return ["" if (value := one.get(name)) is None else str(value) for one in self.fields]


def parse_run_name(text: str) -> RunName:
    """Return the run named by `FOLDER` (its last) or `FOLDER@NUMBER`."""
    matched = None if Path(text).exists() else _NUMBERED.match(text)
    folder, number = (Path(matched[1]), int(matched[2])) if matched else (Path(text), None)
    return RunName(folder, load_run(folder, number).run, text)


def load_scores(name: RunName) -> Scores:
    """Return the scores of a run."""
    with open_tables(name.folder) as connection:
        (key,) = TABLES["runs"].values(fetch_rows(connection, "FROM runs WHERE run = $run", {"run": name.run}))
        cases = fetch_rows(connection, _CASES, {"run": name.run, "silent": SAYS_NOTHING, "strange": NOT_UNDERSTOOD})
        columns = connection.execute(
            "SELECT position, metric, status, value FROM scores WHERE run = ? ORDER BY position, number", [name.run]
        ).fetchnumpy()
    values = {metric: np.full(len(cases), np.nan) for metric in key.metrics}
    status = {metric: np.full(len(cases), "failed", dtype="U6") for metric in key.metrics}
    given = np.ma.filled(np.ma.asarray(columns["value"], dtype=np.float64), np.nan)
    for metric in key.metrics:
        mine = np.asarray(columns["metric"] == metric)
        at = np.asarray(columns["position"])[mine]
        values[metric][at] = given[mine]
        status[metric][at] = np.asarray(columns["status"])[mine].astype("U6")
        status[metric][np.isinf(values[metric])] = "failed"  # kgscore 0.2 stored infinite scores of custom metrics
        values[metric][np.isinf(values[metric])] = np.nan
    ids, references, fields = (cases.column(column) for column in ("id", "reference", "fields"))
    coverage = (np.array(cases.column(column)) for column in ("scored", "silent", "not_understood", "words", "unlinked"))
    return Scores(name, key.profile, key.signature, ids, references, list(map(json.loads, fields)), values, status, *coverage)
