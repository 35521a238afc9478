"""Some cases of a run as the tables that hold them, in Arrow and in Parquet, and as the lines that people see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

import duckdb
import pyarrow as pa
import pyarrow.parquet

from kgscore.results.outcome import Case, Outcome
from kgscore.results.rows import rows_of

Tables = Mapping[str, pa.Table]
_DETAIL = pa.struct([("category", pa.string()), ("value", pa.string()), ("text", pa.string())])
_TYPES: Mapping[str, pa.DataType] = {
    "INTEGER": pa.int32(), "VARCHAR": pa.string(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_(), "JSON": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()), "INTEGER[]": pa.list_(pa.int32()),
    "MAP(VARCHAR, DOUBLE)": pa.map_(pa.string(), pa.float64()),
    "STRUCT(category VARCHAR, value VARCHAR, text VARCHAR)[]": pa.list_(_DETAIL),
}


@contextmanager
def in_memory(tables: Tables) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection to a database that holds these rows and lies in memory."""
    with duckdb.connect() as connection:
        connection.execute(Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))
        for name, rows in tables.items():
            connection.register("rows", rows)
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM rows")
            connection.unregister("rows")
        yield connection


@cache
def columns() -> Mapping[str, pa.Schema]:
    """Return the columns of every table of a run but `runs` itself, as `schema.sql` lays them out."""
    found: dict[str, list[tuple[str, pa.DataType]]] = {}
    with duckdb.connect() as connection:
        connection.execute(Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))
        rows = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() USING (table_name)"
            " ORDER BY column_index"
        ).fetchall()
    for table, name, kind in rows:
        if table not in ("runs", "layout"):
            found.setdefault(table, []).append((name, _TYPES[kind.replace('"', "")]))
    return {table: pa.schema(fields) for table, fields in found.items()}


def tables_of(run: int, cases: Iterable[Case]) -> dict[str, pa.Table]:
    """Return the rows of some cases, by table; a table without a row is not there."""
    return {name: pa.Table.from_pylist(rows, schema=columns()[name]) for name, rows in rows_of(run, cases).items()}


def one_after_another(parts: Sequence[Tables]) -> dict[str, pa.Table]:
    """Return the tables of several parts as one, in their order."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: pa.concat_tables([part[name] for part in parts if name in part]) for name in names}


def from_position(tables: Tables, first: int) -> dict[str, pa.Table]:
    """Return the rows of the cases from a position on."""
    return {name: table.filter(pa.compute.field("position") >= first) for name, table in tables.items()}


def outcomes_of(tables: Tables) -> Iterator[Outcome]:
    """Yield the lines of the cases in these tables, which are in the order of the input."""
    scores: dict[int, dict[str, float | None]] = {}
    if "scores" in tables:
        for row in tables["scores"].select(["position", "metric", "status", "value"]).to_pylist():
            scores.setdefault(row["position"], {})[row["metric"]] = row["value"] if row["status"] == "scored" else None
    for row in tables["cases"].select(["position", "id", "status", "reason", "place"]).to_pylist():
        yield Outcome(row["id"], row["status"], scores.get(row["position"], {}), row["reason"], row["place"])


def write_parquet(table: pa.Table, stream: IO[bytes]) -> None:
    """Write a table as Parquet (zstd): equal rows in equal batches, equal bytes."""
    pyarrow.parquet.write_table(table.combine_chunks(), stream, compression="zstd")


def read_parquet(stream: IO[bytes]) -> pa.Table:
    """Return the table in a Parquet file.

    Raises:
        ValueError: it is none.
    """
    return pyarrow.parquet.read_table(stream)
