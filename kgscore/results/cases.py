"""What a run folder holds, for pages that people read: its runs, its cases in whole pages, and what became of their findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import RunError
from kgscore.results.database import RunModule, StoredCase
from kgscore.results.files import reading
from kgscore.results.rows import Row, result_of

VERDICTS = ("contradicted", "missed", "invented", "partial", "agreed")
PAGE = 250
_TABLES = ("findings", "unlinked", "pairs", "contradictions", "unmatched", "scores", "contributions", "corrections")
_OF = "FROM findings WHERE run = $run AND concept IN (SELECT unnest($ids))"
_AT = (
    "FROM findings JOIN (SELECT DISTINCT position, report, number FROM (SELECT position, report, number, unnest(sites) AS site"
    " FROM findings WHERE run = $run) WHERE site IN (SELECT unnest($ids))) USING (position, report, number) WHERE run = $run"
)
_BOTH = "coalesce(reference, '') || chr(10) || coalesce(candidate, '')"
_LEFT_OUT = ("entities", "entity_relations")


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run of a folder. `finished` is empty where the run was interrupted; `counts` maps a status to its cases; `modules` are
    those of the user's that were named beside the profile's."""

    folder: Path
    run: int
    started: str
    finished: str
    input: str
    profile: str
    metrics: tuple[str, ...]
    signature: Mapping[str, Any]
    counts: Mapping[str, int]
    modules: tuple[RunModule, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingOutcome:
    """What became of a finding: `verdict` is one of `VERDICTS`. `severity` is that of the concept as the run knew it."""

    position: int
    report: str
    concept: str | None
    label: str
    asserts: bool
    severity: int
    verdict: str


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case in short: its scores (None where a metric has none), what became of its findings, and the further columns of the
    input."""

    position: int
    id: str
    status: str
    reason: str
    scores: Mapping[str, float | None]
    findings: Sequence[FindingOutcome]
    fields: Mapping[str, Any] = field(default_factory=dict)


def load_runs(folder: Path) -> list[RunInfo]:
    """Return the runs of a folder, in their order.

    Raises:
        RunError: the folder is no run folder, or cannot be opened.
    """
    with reading(folder) as connection:
        rows = _rows(connection, "SELECT * FROM runs ORDER BY run", ())
        counts: dict[int, dict[str, int]] = {}
        for run, status, count in connection.execute("SELECT run, status, count(*) FROM cases GROUP BY ALL").fetchall():
            counts.setdefault(run, {})[status] = count
        modules = _modules(connection)
    return [
        RunInfo(
            folder, row["run"], _time(row["started"]), _time(row["finished"]), row["input"], row["profile"],
            tuple(row["metrics"]), json.loads(row["signature"]), counts.get(row["run"], {}),
            tuple(modules.get(row["run"], ())),
        )
        for row in rows
    ]  # fmt: skip


def _modules(connection: duckdb.DuckDBPyConnection) -> dict[int, list[RunModule]]:
    found: dict[int, list[RunModule]] = {}
    with suppress(duckdb.CatalogException):  # a folder of an earlier kgscore, which did not remember them
        for run, *values in connection.execute("SELECT run, name, hash, path FROM modules").fetchall():
            found.setdefault(run, []).append(RunModule(*values))
    return found


def load_run(folder: Path, run: int | None = None) -> RunInfo:
    """Return one run of a folder (the last one if `run` is None).

    Raises:
        RunError: the folder or the run is not there, or cannot be opened.
    """
    runs = load_runs(folder)
    found = next((one for one in reversed(runs) if run in (None, one.run)), None)
    if found is None:
        known = ", ".join(str(one.run) for one in runs)
        what = f"has no run {run}; it has: {known}" if runs else "holds no run yet; make one with: kgscore score PAIRS --out"
        raise RunError(f"{folder}: {what}" + ("" if runs else f" {folder}"))
    return found


def load_cases(run: RunInfo, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, StoredCase]]:
    """Yield (position, case) of a run from position `start` up to but not including `stop`, read in pages. The readings hold
    no entities and relations, which no page shows.

    Raises:
        RunError: the folder cannot be opened.
    """
    while stop is None or start < stop:
        end = start + PAGE if stop is None else min(start + PAGE, stop)
        page = _page(run, start, end)
        if not page:
            return
        yield from page
        start = end


def _page(run: RunInfo, start: int, stop: int) -> list[tuple[int, StoredCase]]:
    where = "WHERE run = ? AND position >= ? AND position < ? ORDER BY position"
    key = [run.run, start, stop]
    with reading(run.folder) as connection:
        cases = _rows(connection, f"SELECT * FROM cases {where}", key)
        tables: dict[int, dict[str, list[Row]]] = {
            case["position"]: {name: [] for name in (*_TABLES, *_LEFT_OUT)} for case in cases
        }
        for name in _TABLES:
            for row in _rows(connection, f"SELECT * FROM {name} {where}, number", key):
                tables[row["position"]][name].append(row)
    return [
        (
            case["position"],
            StoredCase(
                result_of(case, tables[case["position"]], run.signature), case["reference"] or "", case["candidate"] or "",
                run.profile,
            ),
        )
        for case in cases
    ]  # fmt: skip


def load_lines(folder: Path, run: int) -> list[CaseLine]:
    """Return every case of a run in short, in the order of the input.

    Raises:
        RunError: the folder cannot be opened.
    """
    with reading(folder) as connection:
        cases = connection.execute(
            "SELECT position, id, status, reason, fields FROM cases WHERE run = ? ORDER BY position", [run]
        ).fetchall()
        scores: dict[int, dict[str, float | None]] = {}
        for position, metric, value in connection.execute(
            "SELECT position, metric, value FROM scores WHERE run = ? ORDER BY position, number", [run]
        ).fetchall():
            scores.setdefault(position, {})[metric] = value
        findings: dict[int, list[FindingOutcome]] = {}
        for row in connection.execute(
            "SELECT position, report, concept, label, asserted, severity, replace(outcome, 'matched', 'agreed')"
            " FROM finding_outcomes WHERE run = ? ORDER BY position, report DESC, number",
            [run],
        ).fetchall():
            findings.setdefault(row[0], []).append(FindingOutcome(*row))
    return [
        CaseLine(position, id or "", status, reason, scores.get(position, {}), findings.get(position, ()), json.loads(fields))
        for position, id, status, reason, fields in cases
    ]


def load_texts(folder: Path, run: int) -> list[str]:
    """Return both reports of every case of a run as one text each, in the order of the input.

    Raises:
        RunError: the folder cannot be opened.
    """
    with reading(folder) as connection:
        rows = connection.execute(f"SELECT {_BOTH} FROM cases WHERE run = ? ORDER BY position", [run]).fetchall()
    return [row[0] for row in rows]


def search(folder: Path, run: int, words: Sequence[str]) -> list[int]:
    """Return the positions of the cases of a run whose reports hold all these words, in capitals or not.

    Raises:
        RunError: the folder cannot be opened.
    """
    with reading(folder) as connection:
        rows = connection.execute(
            f"SELECT position FROM cases WHERE run = $run AND len(list_filter($words, lambda word: NOT contains(lower({_BOTH}),"
            " lower(word)))) = 0 ORDER BY position",
            {"run": run, "words": list(words)},
        ).fetchall()
    return [row[0] for row in rows]


@contextmanager
def held_open(folder: Path) -> Iterator[None]:
    """Hold a folder open for reading: what reads it meanwhile, in any thread, opens it at once. Nobody can write until the end.

    Raises:
        RunError: the folder cannot be opened.
    """
    with reading(folder):
        yield


def occurrences(
    folder: Path, run: int, ids: Sequence[str], limit: int, *, structures: bool = False
) -> tuple[list[tuple[str, str, int]], list[Row]]:
    """Return where findings of these concepts occur in a run, or findings at these `structures`: how many by (report, status),
    and the first `limit` of them.

    Raises:
        RunError: the folder cannot be opened.
    """
    asked = {"run": run, "ids": list(ids)}
    with reading(folder) as connection:
        counts = connection.execute(
            f"SELECT report, status, count(*) {_AT if structures else _OF} GROUP BY ALL ORDER BY report DESC, status", asked
        ).fetchall()
        places = _rows(
            connection,
            f"SELECT position, id, report, status, text, label {_AT if structures else _OF}"
            " ORDER BY position, report DESC, number LIMIT $most",
            asked | {"most": limit},
        )
    return counts, places


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, values: object) -> list[Row]:
    answer = connection.execute(sql, values)
    names = [column[0] for column in answer.description or []]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def _time(value: Any) -> str:
    return "" if value is None else str(value.isoformat(sep=" ", timespec="minutes"))
