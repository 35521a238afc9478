"""Partitions hold what the whole input holds, however it is cut, and on whatever path it lies."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from kgscore.errors import InputError
from kgscore.io.records import PAIR_FIELDS, BadRecord, read_records
from kgscore.runs.partitions import partitions_of, plan_file, records_in
from kgscore.runs.storage import Folder, Input, inputs_of
from tests.unit.runs.conftest import Write


@pytest.mark.parametrize("size", [1, 4, 10, 1000])
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_partitions_are_the_input(write: Write, write_parquet: Write, tmp_path: Path, kind: str, size: int) -> None:
    path = (write if kind == "jsonl" else write_parquet)(40, again=6)
    folder = Folder.of(tmp_path / "shards")
    plan = plan_file(Input(str(path), str(path)), 0, size, folder)
    partitions = list(partitions_of([plan], folder))
    found = [list(records_in(one)) for one in partitions]
    whole = list(read_records(str(path), PAIR_FIELDS, extra=None))
    assert [record for part in found for record in part] == whole
    assert sum(isinstance(record, BadRecord) and "used before" in record.reason for record in whole) == 6
    assert [one.first for one in partitions] == [sum(map(len, found[:at])) for at in range(len(found))]
    assert [len(part) for part in found] == [one.cut.records for one in partitions]
    assert len(partitions) > 1 or size == 1000


def test_ids_count_over_all_files_on_any_path(write: Write) -> None:
    files = fsspec.filesystem("memory")
    for name in ("b", "a"):
        files.pipe_file(f"/ids/in/{name}.jsonl", write(12, odd=False).read_bytes())
    files.pipe_file("/ids/in/note.txt", b"no pairs")
    folder = Folder.of("memory://ids/shards")
    inputs = inputs_of("memory://ids/in")
    assert [one.name for one in inputs] == ["memory://ids/in/a.jsonl", "memory://ids/in/b.jsonl"]
    assert [one.url for one in inputs_of("memory://ids/in/*.jsonl")] == [f"memory:///ids/in/{name}.jsonl" for name in "ab"]
    plans = [plan_file(one, number, 5, folder) for number, one in enumerate(inputs)]
    records = [record for one in partitions_of(plans, folder) for record in records_in(one)]
    assert [isinstance(record, BadRecord) for record in records] == [False] * 12 + [True] * 12
    assert "used before, at memory://ids/in/a.jsonl:4;" in str(records[15])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("pairs.csv", "pairs.csv: --engine dask reads .jsonl, .ndjson and .parquet; write it as one of these"),
        ("none*.jsonl", "none*.jsonl: names no file; give .jsonl or .parquet files, or a folder of them"),
        ("nowhere://a.jsonl", "nowhere://a.jsonl: cannot be reached"),
    ],
)
def test_what_cannot_be_cut_is_one_line(source: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        inputs_of(source)
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)
