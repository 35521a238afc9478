"""Tables as CSV, JSON or Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import IO, Any

from kgscore.escaping import SafeCsv, visible_json
from kgscore.results.rows import Rows


def write_rows(rows: Sequence[Mapping[str, Any]], format: str, output: IO[bytes]) -> None:
    """Write rows as `jsonl` (an object per line); or, with the columns of all rows, as `json` (one list of objects), `csv`
    (with a header; a missing value is empty) or `arrow` (an Arrow IPC stream, with pyarrow)."""
    if format == "jsonl":
        output.writelines(f"{json_line(row)}\n".encode() for row in rows)
        return
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells: list[list[Any]] = [[row.get(name) for name in columns] for row in rows]
    if format == "arrow":
        table = Rows.from_values(columns, cells).arrow
        import pyarrow as pa

        with pa.ipc.new_stream(output, table.schema) as writer:
            writer.write_table(table)
        return
    if format == "csv":
        write_csv([columns, *cells], output)
    else:
        listed = [_without_nan(dict(zip(columns, row, strict=True))) for row in cells]
        text = json.dumps(listed, ensure_ascii=False, allow_nan=False, default=str, indent=1)
        output.write(f"{visible_json(text)}\n".encode())


def write_csv(rows: Iterable[Iterable[Any]], output: IO[bytes]) -> None:
    """Write rows as CSV, truth values as true and false."""
    text = io.StringIO()
    writer = SafeCsv(text)
    for row in rows:
        writer.row(("false", "true")[value] if isinstance(value, bool) else value for value in row)
    output.write(text.getvalue().encode())


def json_line(row: Mapping[str, Any]) -> str:
    """Return a row as one line of JSON; non-finite numbers become null, and characters that act on a terminal are escaped."""
    try:
        return visible_json(json.dumps(row, ensure_ascii=False, allow_nan=False, default=str))
    except (ValueError, TypeError):  # JSON cannot represent non-finite numbers and some keys
        return visible_json(json.dumps(_without_nan(row), ensure_ascii=False, allow_nan=False, default=str))


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _without_nan(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value
