"""Reading of users' Parquet files: the only place where they are opened, by DuckDB, without its extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgscore.errors import InputError

_BATCH = 1024  # rows


def read_parquet(path: Path, source: str, select: Callable[[list[str]], Mapping[str, str]]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file in order. `select` receives the names of its columns and returns those to read, each with
    its key in the rows; `source` names the file in messages. Raises InputError if it is not a Parquet file."""
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        try:
            schema = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [str(path)]).fetchall()
            keys = select(_top_level(schema))
            described = "SELECT column_name FROM (DESCRIBE FROM read_parquet(?)) WHERE column_type LIKE '%TIME ZONE%'"
            # Python values of these types need another package.
            zoned = {name for (name,) in connection.execute(described, [str(path)]).fetchall()}
            quoted = {name: '"' + name.replace('"', '""') + '"' for name in keys}
            columns = ", ".join(f"CAST({one} AS VARCHAR)" if name in zoned else one for name, one in quoted.items())
            answer = connection.execute(f"SELECT {columns or 'NULL'} FROM read_parquet(?)", [str(path)])
            while rows := answer.fetchmany(_BATCH):
                yield from (dict(zip(keys.values(), row, strict=False)) for row in rows)
        except (duckdb.Error, UnicodeDecodeError) as error:
            why = f"is not a Parquet file that can be read ({type(error).__name__}); write it again"
            raise InputError(f"{source}: {why}") from None


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the names of the columns in what `parquet_schema` lists: each node before its children, the root first."""
    found: list[str] = []
    within = 0
    for name, children in schema[1:]:
        if within == 0:
            found.append(name)
        within += (children or 0) - (within > 0)
    return found
