"""Tables as CSV, JSON or Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import IO, TYPE_CHECKING, Any

from kgscore.escaping import SafeCsv, visible_json

if TYPE_CHECKING:
    import pyarrow as pa


def write_rows(rows: Sequence[Mapping[str, Any]], format: str, output: IO[bytes]) -> None:
    """Write rows as `jsonl` (one object per line, unchanged); with the union of columns, as `json` (one list of objects), `csv`
    (with a header; empty if there is no value) or `arrow` (an Arrow IPC stream)."""
    if format == "jsonl":
        output.writelines(f"{json_line(row)}\n".encode() for row in rows)
        return
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells: list[list[Any]] = [[row.get(name) for name in columns] for row in rows]
    if format == "arrow":
        import pyarrow as pa

        table = arrow_table(columns, cells)
        with pa.ipc.new_stream(output, table.schema) as writer:
            writer.write_table(table)
        return
    text = io.StringIO()
    if format == "csv":
        writer = SafeCsv(text)
        for row in [columns, *cells]:
            writer.row(("false", "true")[value] if isinstance(value, bool) else value for value in row)
    else:
        listed = [_finite(dict(zip(columns, row, strict=True))) for row in cells]
        json.dump(listed, text, ensure_ascii=False, allow_nan=False, default=str, indent=1)
        text = io.StringIO(visible_json(text.getvalue()) + "\n")
    output.write(text.getvalue().encode())


def json_line(row: Mapping[str, Any]) -> str:
    """Return a row as one line of JSON; non-finite numbers become null, and characters that act on a terminal are escaped."""
    try:
        return visible_json(json.dumps(row, ensure_ascii=False, allow_nan=False, default=str))
    except (ValueError, TypeError):  # JSON cannot represent non-finite numbers and some keys
        return visible_json(json.dumps(_finite(row), ensure_ascii=False, allow_nan=False, default=str))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def arrow_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Return rows as an Arrow table; a column of mixed types becomes text."""
    import pyarrow as pa

    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pa.table({name: pa.array(_uniform_values(values)) for name, values in zip(columns, cells, strict=True)})


def _uniform_values(values: Sequence[Any]) -> Sequence[Any]:
    """Return values of one type: numbers are unchanged, anything mixed becomes text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 or kinds == {int, float}:
        return [float(v) if v is not None and kinds == {int, float} else v for v in values]
    return [None if value is None else str(value) for value in values]
