"""The content of a run folder, for display: its runs, its cases page by page, and the outcomes of their findings.

Its functions raise RunError if a folder, a run or a case does not exist or cannot be opened.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import RunError
from kgscore.results.decode import StoredCase, outcomes_of, stored_cases
from kgscore.results.files import as_run_error, fetch_rows, open_tables
from kgscore.results.layout import OF_A_CASE, REPORTS, TABLES, RunKey, RunModule
from kgscore.results.outcome import Outcome
from kgscore.results.rows import Rows
from kgscore.verdict import Aligned, Verdict

PAGE = 250
_LINES = 1000  # read at a time
_FIRST = 90
_OF = "FROM findings WHERE run = $run AND concept IN (SELECT unnest($ids))"
_AT = (
    "FROM findings JOIN (SELECT DISTINCT position, report, number FROM (SELECT position, report, number, unnest(sites) AS site"
    " FROM findings WHERE run = $run) WHERE site IN (SELECT unnest($ids))) USING (position, report, number) WHERE run = $run"
)
_LINE = (
    "SELECT position, id, status, reason, fields, regexp_replace(trim(left(coalesce(reference, ''), $most)), '\\s+', ' ', 'g')"
    " FROM cases WHERE run = $run ORDER BY position"
)
_OF_LINES = (
    "SELECT position, metric, value FROM scores WHERE run = ? ORDER BY position, number",
    "SELECT position, number FROM corrections WHERE run = ?",
    "SELECT position FROM verdicts WHERE run = ?",
    "SELECT j.position, category, coalesce(f.label, what), tier FROM judged j LEFT JOIN findings f"
    " ON (f.run, f.position) = (j.run, j.position) AND f.report = if(category = 'invented', 'candidate', 'reference')"
    " AND f.number = if(category = 'invented', candidate[1], reference[1]) WHERE j.run = ? ORDER BY j.position, j.number",
    "SELECT position, report, outcome, label, severity, NOT asserted FROM finding_outcomes WHERE run = ?"
    " ORDER BY position, report DESC, number",
)
_BOTH = "coalesce(reference, '') || chr(10) || coalesce(candidate, '')"
LOST = ("wrong", "missed", "invented")
# Tables that no page shows.
_LEFT_OUT = ("entities", "entity_relations")
_SHOWN = tuple(name for name in OF_A_CASE if name not in _LEFT_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo(RunKey):
    """One run of a folder. `finished` is empty if the run was interrupted; `counts` maps a status to its cases."""

    folder: Path
    run: int
    started: str
    finished: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Item:
    """The outcome of a finding: `kind` is a category of the clinical verdict, `tier` its significance (1 routine to 4 critical).
    `denial` marks a statement that only negates ("no effusion"); a negation that contradicts an assertion is an item about the
    asserted finding."""

    kind: str
    label: str
    tier: int
    denial: bool = False

    @property
    def grave(self) -> int:
        """The tier of an error about an abnormal finding; 0 for everything else."""
        return 0 if self.denial or self.kind not in LOST else self.tier


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case summary: its scores (None if a metric has none), the outcomes of the findings of each report, the
    first words of the reference, the number of stored corrections (None: not computed), the clinical verdict (None: not
    computed), and the further columns of the input."""

    position: int
    id: str
    status: str
    reason: str
    scores: Mapping[str, float | None]
    findings: Mapping[str, Sequence[Item]]
    fields: Mapping[str, Any] = field(default_factory=dict)
    first: str = ""
    corrections: int | None = None
    judged: Sequence[Item] | None = None


def load_runs(folder: Path) -> list[RunInfo]:
    """Return the runs of a folder, in order."""
    with open_tables(folder) as connection:
        runs = fetch_rows(connection, "FROM runs ORDER BY run")
        readers = dict(connection.execute("SELECT run, reader FROM readers").fetchall())
        named = fetch_rows(connection, "FROM modules")
        counts: dict[int, dict[str, int]] = defaultdict(dict)
        for run, status, cases in connection.execute("SELECT run, status, count(*) FROM cases GROUP BY ALL").fetchall():
            counts[run][status] = cases
    modules: dict[int, list[RunModule]] = defaultdict(list)
    for run, module in zip(named.column("run"), TABLES["modules"].values(named), strict=True):
        modules[run].append(module)
    columns = (runs.column(name) for name in ("run", "started", "finished"))
    return [
        RunInfo(
            key.input, key.input_hash, key.profile, key.metrics, key.signature, tuple(modules[run]), readers.get(run, "default"),
            folder=folder, run=run, started=_time(begun), finished=_time(ended), counts=counts[run],
        )
        for run, begun, ended, key in zip(*columns, TABLES["runs"].values(runs), strict=True)
    ]  # fmt: skip


def load_run(folder: Path, run: int | None = None) -> RunInfo:
    """Return one run of a folder (the last one if `run` is None)."""
    runs = load_runs(folder)
    if not runs:
        raise RunError(f"{folder}: has no run yet; create one with: kgscore score PAIRS --output {folder}")
    found = next((one for one in reversed(runs) if run in (None, one.run)), None)
    if found is None:
        raise RunError(f"{folder}: has no run {run}; it has {', '.join(str(one.run) for one in runs)}")
    return found


def load_outcomes(folder: Path, run: int | None = None) -> list[Outcome]:
    """Return the lines of a run (the last one if `run` is None), in the order of the input."""
    run = load_run(folder, run).run
    with open_tables(folder) as connection:
        return list(outcomes(connection, folder, run))


def outcomes(connection: duckdb.DuckDBPyConnection, folder: Path, run: int) -> Iterator[Outcome]:
    """Yield the lines of a run in the order of the input, read in pages."""
    for start in count(0, _LINES):
        with as_run_error(folder):
            tables = _tables(connection, run, start, start + _LINES, ("cases", "scores", "unlinked"))
        if not tables["cases"]:
            return
        yield from outcomes_of(tables)


def load_case(folder: Path, id: str, run: int | None = None) -> StoredCase:
    """Return one case of a run (the last one if `run` is None)."""
    info = load_run(folder, run)
    with open_tables(folder) as connection:
        ((at,),) = connection.execute("SELECT min(position) FROM cases WHERE run = ? AND id = ?", [info.run, id]).fetchall()
        if at is None:
            raise RunError(f"{folder}: run {info.run} has no pair '{id}'; list them with: kgscore explain {folder}")
        (case,) = stored_cases(_tables(connection, info.run, at, at + 1), info.signature)
    return case


def load_cases(run: RunInfo, start: int = 0, stop: int | None = None, only: Sequence[str] = _SHOWN) -> Iterator[StoredCase]:
    """Yield the cases of a run from position `start` up to but not including `stop`, read in pages, with the content of the
    tables `only`: by default all but entities and relations, which no page shows."""
    while stop is None or start < stop:
        end = start + PAGE if stop is None else min(start + PAGE, stop)
        with open_tables(run.folder) as connection:
            page = list(stored_cases(_tables(connection, run.run, start, end, only), run.signature))
        if not page:
            return
        yield from page
        start = end


def _tables(
    connection: duckdb.DuckDBPyConnection, run: int, start: int, stop: int, names: Sequence[str] = OF_A_CASE
) -> dict[str, Rows]:
    """Return the rows of the cases of a run from position `start` up to but not including `stop`, in order."""
    at = {"run": run, "start": start, "stop": stop}
    where = "WHERE run = $run AND position >= $start AND position < $stop ORDER BY position"
    orders = {name: ", number" if "number" in TABLES[name].front else "" for name in names}
    return {name: fetch_rows(connection, f"FROM {name} {where}{order}", at) for name, order in orders.items()}


def load_verdicts(run: RunInfo) -> list[tuple[Verdict, tuple[str, ...], str]]:
    """Return the clinical verdicts of a run in input order, each with the regions of its findings and the modality
    of its record; none if clinical was not computed."""
    judged = [case for case in load_cases(run, only=("cases", "verdicts", "judged")) if case.result.verdict is not None]
    placed = "SELECT position, report, number, region FROM finding_outcomes WHERE run = ?"
    known = {tuple(key): region for *key, region in (_fetch(run.folder, placed, [run.run]) if judged else ())}

    def region(position: int, one: Aligned) -> str:
        side, numbers = ("candidate", one.candidate) if one.category == "invented" else ("reference", one.reference)
        return known.get((position, side, numbers[0]), "unplaced") if numbers else "unplaced"

    return [
        (verdict, tuple(region(case.position, one) for one in verdict.findings), str(case.fields.get("modality") or ""))
        for case in judged if (verdict := case.result.verdict) is not None
    ]  # fmt: skip


def load_concepts(folder: Path, run: int | None = None) -> dict[str, tuple[str, int]]:
    """Return the label and severity of each concept as stored with a run (the last one if `run` is None)."""
    rows = _fetch(folder, "SELECT concept, label, severity FROM concepts WHERE run = ?", [load_run(folder, run).run])
    return {concept: (label, severity) for concept, label, severity in rows}


def load_lines(folder: Path, run: int) -> list[CaseLine]:
    """Return a summary of every case of a run, in input order."""
    with open_tables(folder) as connection:
        cases = connection.execute(_LINE, {"run": run, "most": _FIRST}).fetchall()
        values, corrections, told, judged, findings = (_rows_by_position(connection, run, sql) for sql in _OF_LINES)
    return [
        CaseLine(
            at, id or "", status, reason, dict(values[at]),
            {report: [Item(*row) for of, *row in findings[at] if of == report] for report in REPORTS},
            json.loads(fields), first, len(corrections[at]) if corrections else None,
            [Item(*row) for row in judged[at]] if at in told else None,
        )
        for at, id, status, reason, fields, first in cases
    ]  # fmt: skip


def _rows_by_position(connection: duckdb.DuckDBPyConnection, run: int, sql: str) -> dict[int, list[tuple[Any, ...]]]:
    """Return the rows of an answer grouped by their first cell, which is removed."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for position, *row in connection.execute(sql, [run]).fetchall():
        found[position].append(tuple(row))
    return found


def load_texts(folder: Path, run: int) -> list[str]:
    """Return both reports of every case of a run as one text each, in input order."""
    return [text for (text,) in _fetch(folder, f"SELECT {_BOTH} FROM cases WHERE run = ? ORDER BY position", [run])]


def search(folder: Path, run: int, words: Sequence[str]) -> list[int]:
    """Return the positions of the cases of a run whose reports contain all these words, ignoring case."""
    lacks = f"list_filter($words, lambda word: NOT contains(lower({_BOTH}), lower(word)))"
    asked = f"SELECT position FROM cases WHERE run = $run AND len({lacks}) = 0 ORDER BY position"
    return [position for (position,) in _fetch(folder, asked, {"run": run, "words": list(words)})]


def _fetch(folder: Path, sql: str, asked: object) -> list[tuple[Any, ...]]:
    """Return the answer of the tables of a run folder."""
    with open_tables(folder) as connection:
        return connection.execute(sql, asked).fetchall()


def occurrences(
    folder: Path, run: int, ids: Sequence[str], limit: int, *, structures: bool = False
) -> tuple[list[tuple[str, str, int]], list[dict[str, Any]]]:
    """Return where findings of these concepts occur in a run, or findings at these `structures`: the counts by (report, status),
    and the first `limit` occurrences."""
    asked, found = {"run": run, "ids": list(ids)}, _AT if structures else _OF
    with open_tables(folder) as connection:
        counted = f"SELECT report, status, count(*) {found} GROUP BY ALL ORDER BY report DESC, status"
        counts = connection.execute(counted, asked).fetchall()
        listed = f"SELECT position, id, report, status, text, label {found} ORDER BY position, report DESC, number LIMIT $most"
        places: list[dict[str, Any]] = fetch_rows(connection, listed, asked | {"most": limit}).dicts()
    return counts, places


def _time(value: Any) -> str:
    return "" if value is None else str(value.isoformat(sep=" ", timespec="minutes"))
