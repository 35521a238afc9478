"""The database of a run folder (`RUN/results.duckdb`): runs append, an interrupted run resumes, nothing is half-written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from kgscore.errors import RunError
from kgscore.model import PairResult
from kgscore.ontology.index import Index
from kgscore.results.concepts import concept_rows
from kgscore.results.files import FILE, LAYOUT, as_run_error, check_layout, first_line, reading
from kgscore.results.outcome import Case, Outcome
from kgscore.results.parts import Tables, columns, tables_of
from kgscore.results.rows import result_of

_SCRIPTS = ("schema.sql", "views.sql")
_PAGE = 1000
_OF_A_CASE = (
    "findings", "entities", "entity_relations", "unlinked", "pairs", "contradictions", "unmatched", "scores", "corrections",
    "contributions",
)  # fmt: skip
# DuckDB would keep what it wrote in memory, up to most of the machine's.
_MEMORY = "512MB"


@dataclass(frozen=True, slots=True)
class RunModule:
    """A module of the user's that a run was scored with: its name, the hash of its files, and the path where it lay."""

    name: str
    hash: str
    path: str


@dataclass(frozen=True, slots=True)
class RunKey:
    """What makes two runs the same run: the input's bytes, the settings, and the signature of everything that scores.

    `modules` are those asked for beside the profile's: their hashes are in the signature, their paths are only remembered.
    """

    input: str
    input_hash: str
    profile: str
    metrics: tuple[str, ...]
    signature: Mapping[str, Any]
    modules: tuple[RunModule, ...] = ()

    @property
    def signature_text(self) -> str:
        """The signature as canonical JSON."""
        return json.dumps(dict(self.signature), sort_keys=True, ensure_ascii=False)


class RunDatabase:
    """The tables of a run folder, open for writing. Use it in a `with` statement."""

    def __init__(self, folder: Path) -> None:
        """Open the folder's database, and make both if they are not there.

        Raises:
            RunError: the folder cannot be made, written or opened, or holds another layout.
        """
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder}: cannot make the run folder ({first_line(error)}); choose another path") from None
        with as_run_error(folder):
            self._connection = duckdb.connect(str(folder / FILE), config={"memory_limit": _MEMORY})
        try:
            with as_run_error(folder):
                self._lay()
        except RunError:
            self._connection.close()
            raise

    def __enter__(self) -> RunDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; what was committed stays."""
        self._connection.close()

    def start(self, key: RunKey) -> tuple[int, int]:
        """Return the number of the run and how many records it has already: an unfinished run of the same key goes on.

        Raises:
            RunError: the database cannot be written.
        """
        with as_run_error(self._folder):
            found = self._connection.execute(
                "SELECT run FROM runs WHERE finished IS NULL AND input_hash = ? AND profile = ? AND metrics = ?"
                " AND signature = ? ORDER BY run DESC LIMIT 1",
                [key.input_hash, key.profile, list(key.metrics), key.signature_text],
            ).fetchone()
            if found:
                done = self._connection.execute("SELECT count(*) FROM cases WHERE run = ?", [found[0]]).fetchone()
                return found[0], done[0] if done else 0
            inserted = self._connection.execute(
                "INSERT INTO runs SELECT coalesce(max(run), 0) + 1, now()::TIMESTAMP, NULL, ?, ?, ?, ?, ? FROM runs"
                " RETURNING run",
                [key.input, key.input_hash, key.profile, list(key.metrics), key.signature_text],
            ).fetchone()
            if inserted is None:
                raise RunError(f"{self._folder}: cannot begin a run; choose another folder")
            for module in key.modules:
                values = [inserted[0], module.name, module.hash, module.path]
                self._connection.execute("INSERT INTO modules VALUES (?, ?, ?, ?)", values)
        return inserted[0], 0

    def describe(self, run: int, index: Index) -> None:
        """Write the concepts of the ontology as this run knows them, once.

        Raises:
            RunError: the database cannot be written.
        """
        with as_run_error(self._folder), _transaction(self._connection):
            if self._connection.execute("SELECT 1 FROM concepts WHERE run = ? LIMIT 1", [run]).fetchone():
                return
            for table, rows in concept_rows(run, index).items():
                self._insert(table, rows)

    def add(self, run: int, cases: Sequence[Case]) -> None:
        """Write a batch of cases in one transaction: all of it, or nothing.

        Raises:
            RunError: the database cannot be written.
        """
        self.load(tables_of(run, cases))

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that make a run."""
        return ("runs", *columns())

    def load(self, tables: Tables) -> None:
        """Write rows by table, as `tables_of` made them or another run folder held them: all of them or nothing.

        Raises:
            RunError: they do not fit, or the database cannot be written.
        """
        with as_run_error(self._folder), _transaction(self._connection):
            for name, rows in tables.items():
                self._insert(name, rows)

    def _insert(self, table: str, rows: pa.Table) -> None:
        self._connection.register("batch", rows)
        self._connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")
        self._connection.unregister("batch")

    def finish(self, run: int) -> None:
        """Mark the run as finished; the next one with the same key is a new run."""
        with as_run_error(self._folder):
            self._connection.execute("UPDATE runs SET finished = now()::TIMESTAMP WHERE run = ?", [run])

    def outcomes(self, run: int) -> Iterator[Outcome]:
        """Yield the lines of a run in the order of the input."""
        yield from _outcomes(self._connection, self._folder, run)

    def _lay(self) -> None:
        scripts = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _SCRIPTS]
        with _transaction(self._connection):
            tables = {row[0] for row in self._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
            if tables and "layout" not in tables:
                raise RunError(f"{self._folder}: {FILE} is not a kgscore run; choose another folder")
            if tables:
                check_layout(self._connection, self._folder)
            for script in scripts:
                self._connection.execute(script)
            if not tables:
                self._connection.execute("INSERT INTO layout VALUES (?)", [LAYOUT])


# --- reading a run folder ---


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case as the database holds it: its result, the two reports, and the profile of its run."""

    result: PairResult
    reference: str
    candidate: str
    profile: str


def latest_run(folder: Path) -> int:
    """Return the number of the last run in the folder.

    Raises:
        RunError: the folder holds no run, or cannot be opened.
    """
    with reading(folder) as connection:
        found = connection.execute("SELECT max(run) FROM runs").fetchone()
    if found is None or found[0] is None:
        raise RunError(f"{folder}: holds no run yet; make one with: kgscore score PAIRS --out {folder}")
    return int(found[0])


def load_outcomes(folder: Path, run: int | None = None) -> list[Outcome]:
    """Return the lines of a run (the last one if `run` is None), in the order of the input.

    Raises:
        RunError: the folder or the run is not there, or cannot be opened.
    """
    run = latest_run(folder) if run is None else run
    with reading(folder) as connection:
        outcomes = list(_outcomes(connection, folder, run))
    return outcomes


def load_case(folder: Path, id: str, run: int | None = None) -> StoredCase:
    """Return one case of a run (the last one if `run` is None).

    Raises:
        RunError: the folder, the run or the case is not there, or cannot be opened.
    """
    run = latest_run(folder) if run is None else run
    with reading(folder) as connection:
        cases = _dicts(connection, "SELECT * FROM cases WHERE run = ? AND id = ? ORDER BY position LIMIT 1", [run, id])
        if not cases:
            raise RunError(f"{folder}: run {run} has no pair '{id}'; list them with: kgscore explain {folder}")
        key = [run, cases[0]["position"]]
        mine = "WHERE run = ? AND position = ? ORDER BY number"
        tables = {name: _dicts(connection, f"SELECT * FROM {name} {mine}", key) for name in _OF_A_CASE}
        made = connection.execute("SELECT signature, profile FROM runs WHERE run = ?", [run]).fetchone()
    result = result_of(cases[0], tables, json.loads(made[0]) if made else {})
    return StoredCase(result, cases[0]["reference"] or "", cases[0]["candidate"] or "", made[1] if made else "default")


def load_labels(folder: Path, run: int | None = None) -> dict[str, str]:
    """Return the label of each concept as a run (the last one if `run` is None) knew it.

    Raises:
        RunError: the folder or the run is not there, or cannot be opened.
    """
    return {concept: label for concept, (label, _) in load_concepts(folder, run).items()}


def load_concepts(folder: Path, run: int | None = None) -> dict[str, tuple[str, int]]:
    """Return label and severity of each concept as a run (the last one if `run` is None) knew it.

    Raises:
        RunError: the folder or the run is not there, or cannot be opened.
    """
    run = latest_run(folder) if run is None else run
    with reading(folder) as connection:
        rows = connection.execute("SELECT concept, label, severity FROM concepts WHERE run = ?", [run]).fetchall()
    return {concept: (label, severity) for concept, label, severity in rows}


def _outcomes(connection: duckdb.DuckDBPyConnection, folder: Path, run: int) -> Iterator[Outcome]:
    start = 0
    while True:
        with as_run_error(folder):
            cases = connection.execute(
                "SELECT position, id, status, reason, place FROM cases WHERE run = ? AND position >= ? AND position < ?"
                " ORDER BY position",
                [run, start, start + _PAGE],
            ).fetchall()
            scores: dict[int, dict[str, float | None]] = {}
            for position, metric, value in connection.execute(
                "SELECT position, metric, value FROM scores WHERE run = ? AND position >= ? AND position < ?"
                " ORDER BY position, number",
                [run, start, start + _PAGE],
            ).fetchall():
                scores.setdefault(position, {})[metric] = value
        if not cases:
            return
        for position, id, status, reason, place in cases:
            yield Outcome(id, status, scores.get(position, {}), reason, place)
        start += _PAGE


def _dicts(connection: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    answer = connection.execute(sql, list(values))
    names = [column[0] for column in answer.description or []]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


