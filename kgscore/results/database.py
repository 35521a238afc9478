"""The database of a run folder (`RUN/results.duckdb`): runs append, an interrupted run resumes, writes are atomic.

RunError is raised if a folder cannot be created, opened or written, has another layout, or rows do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb

from kgscore.errors import RunError
from kgscore.ontology.index import Index
from kgscore.private_files import OWNER_ONLY
from kgscore.results.cases import outcomes
from kgscore.results.concepts import concept_rows
from kgscore.results.decode import outcomes_of
from kgscore.results.files import FILE, LAYOUT, NO_EXTENSIONS, as_run_error, check_layout, fetch_rows, first_line, table_names
from kgscore.results.layout import TABLES, Batches, RunKey, canonical, definitions, insert
from kgscore.results.outcome import Outcome

_OURS = frozenset((FILE, "graph", "tables.duckdb", "shards"))  # any of them identifies a run folder
# By default DuckDB would buffer writes in up to most of the memory; adding rows in order needs only one thread.
_CONFIG: dict[str, Any] = {"memory_limit": "512MB", "threads": 1}


class RunDatabase:
    """The tables of a run folder, open for writing. Use it in a `with` statement; committed data is kept."""

    def __init__(self, folder: Path) -> None:
        """Open the folder's database, creating both if necessary."""
        self._folder = folder
        there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if not folder.name or (there and not there & _OURS):
            what = "contains other files and no run" if folder.name else "is not a name for a run folder"
            raise RunError(f"{folder}: {what}; name a new folder")
        try:
            with OWNER_ONLY:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder}: cannot create the run folder ({first_line(error)}); choose another path") from None
        with as_run_error(folder), OWNER_ONLY:
            self._connection = duckdb.connect(str(folder / FILE), config=_CONFIG)
        with as_run_error(folder), ExitStack() as undone:
            undone.callback(self._connection.close)
            self._create_tables()
            undone.pop_all()

    def __enter__(self) -> RunDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        with OWNER_ONLY:
            self._connection.close()

    def start(self, key: RunKey, *, last: bool = False) -> tuple[int, int]:
        """Return the number of the run and of its existing records: an unfinished run with the same key is resumed, and with
        `last` also the last run of the folder if it is finished."""
        made = [last, key.input_hash, key.profile, list(key.metrics), canonical(key.signature)]
        with as_run_error(self._folder), _transaction(self._connection) as connection:
            found = connection.execute(
                "SELECT run, (SELECT count(*) FROM cases c WHERE c.run = r.run) FROM runs r"
                " WHERE (finished IS NULL OR (? AND run = (SELECT max(run) FROM runs)))"
                " AND input_hash = ? AND profile = ? AND metrics = ? AND signature = ? ORDER BY run DESC LIMIT 1", made,
            ).fetchall()  # fmt: skip
            if found:
                return found[0][0], found[0][1]
            ((run, now),) = connection.execute("SELECT coalesce(max(run), 0) + 1, now()::TIMESTAMP FROM runs").fetchall()
            insert(connection, "runs", TABLES["runs"].batch({"run": [run], "started": [now], "finished": [None]}, [key]))
            for name, batch in _run_batches(run, {"readers": [key], "modules": key.modules}).items():
                insert(connection, name, batch)
        return run, 0

    def add_concepts(self, run: int, index: Index) -> None:
        """Write the concepts of an index to a run, unless it has them."""
        with as_run_error(self._folder):
            if self._connection.execute("FROM concepts WHERE run = ? LIMIT 1", [run]).fetchall():
                return
        self.load(_run_batches(run, concept_rows(index)))

    def load(self, tables: Batches) -> None:
        """Write rows by table, from `tables_of` or another run folder, in one transaction."""
        with as_run_error(self._folder), _transaction(self._connection) as connection:
            for name, rows in tables.items():
                insert(connection, name, rows)

    def load_parquet(self, files: Mapping[str, Path], run: int | None = None, first: int = 0) -> None:
        """Load Parquet files of tables: all of them or nothing. With `run`, their cases from the position `first` on become
        part of it."""
        chosen, where = ("*", "") if run is None else (f"* REPLACE ({run} AS run)", f"WHERE position >= {first}")
        with as_run_error(self._folder), _transaction(self._connection) as connection:
            for name, file in files.items():
                rows = f"SELECT {chosen} FROM read_parquet(?) {where}"
                connection.execute(f"INSERT INTO {name} BY NAME {rows}", [str(file)]).fetchall()

    def finish(self, run: int) -> None:
        """Mark the run as finished; the next one with the same key is a new run."""
        with as_run_error(self._folder), _transaction(self._connection) as connection:
            connection.execute("UPDATE runs SET finished = now()::TIMESTAMP WHERE run = ?", [run])

    def outcomes(self, run: int) -> Iterator[Outcome]:
        """Yield the lines of a run in input order."""
        return outcomes(self._connection, self._folder, run)

    def _create_tables(self) -> None:
        with _transaction(self._connection) as connection:
            listed = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
            there = table_names(connection)
            if there and check_layout(connection, self._folder) and "failures" in there:
                connection.execute("DROP TABLE IF EXISTS failures")  # a view now
            connection.execute(definitions())
            for name, table in TABLES.items():
                for column, kind in table.columns.items():
                    if name in there and (name, column) not in listed:
                        connection.execute(f'ALTER TABLE {name} ADD COLUMN "{column}" {kind.sql}')
            connection.execute(Path(__file__).with_name("views.sql").read_text(encoding="utf-8"))
            connection.execute("DELETE FROM layout; INSERT INTO layout VALUES (?)", [LAYOUT])


def outcomes_in(files: Mapping[str, Path], first: int, mark: str) -> list[Outcome]:
    """Return the lines of the cases from the position `first` on in what `write_parquet` wrote."""
    try:
        with duckdb.connect(config=NO_EXTENSIONS) as connection:
            for file in files.values():
                connection.execute("SELECT count(*) FROM read_parquet(?)", [str(file)]).fetchall()
            rows = "FROM read_parquet($file) WHERE position >= $first ORDER BY position"
            asked = {name: {"file": str(files[name]), "first": first} for name in ("cases", "scores", "unlinked")}
            return list(outcomes_of({name: fetch_rows(connection, rows, values) for name, values in asked.items()}))
    except duckdb.Error as error:
        raise RunError(f"{mark}: damaged, or one of its tables ({type(error).__name__}); remove it and score again") from None


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    with OWNER_ONLY:  # DuckDB creates its log on the first change
        connection.begin()
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def _run_batches(run: int, about: Mapping[str, Sequence[Any]]) -> Batches:
    """Return the rows about a run as batches of their tables, omitting empty tables."""
    return {name: TABLES[name].batch({"run": [run] * len(rows)}, rows) for name, rows in about.items() if rows}
