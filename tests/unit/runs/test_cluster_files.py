"""The input of a cluster is what one process reads, on whatever path it lies; files of shards are complete or absent."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from kgscore.errors import InputError
from kgscore.io.records import PAIR_FIELDS, BadRecord, read_records
from kgscore.runs.dask import read_file, write_file
from kgscore.runs.input import folder_at, input_files, input_records
from tests.unit.runs.conftest import Write


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_records_are_those_of_one_process(write: Write, write_parquet: Write, kind: str) -> None:
    path = str((write if kind == "jsonl" else write_parquet)(40, again=6))
    whole = list(read_records(path, PAIR_FIELDS, extra=None))
    assert list(input_records(input_files(path))) == whole
    assert sum(isinstance(record, BadRecord) and "used before" in record.reason for record in whole) == 6


def test_ids_count_over_all_files_on_any_path(write: Write) -> None:
    files = fsspec.filesystem("memory")
    for name in ("b", "a"):
        files.pipe_file(f"/ids/in/{name}.jsonl", write(12, odd=False).read_bytes())
    files.pipe_file("/ids/in/note.txt", b"no pairs")
    inputs = input_files("memory://ids/in")
    assert [name for name, *_ in inputs] == ["memory://ids/in/a.jsonl", "memory://ids/in/b.jsonl"]
    assert [name for name, *_ in input_files("memory://ids/in/*.jsonl")] == [f"memory:///ids/in/{name}.jsonl" for name in "ab"]
    records = list(input_records(inputs))
    assert [isinstance(record, BadRecord) for record in records] == [False] * 12 + [True] * 12
    assert "used before, at memory://ids/in/a.jsonl:4;" in str(records[15])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("pairs.csv", "pairs.csv: --engine dask reads .jsonl, .ndjson and .parquet; write it as one of these"),
        ("none*.jsonl", "none*.jsonl: names no file; give .jsonl or .parquet files, or a folder of them"),
        ("none.jsonl", "none.jsonl: cannot be read or written (no such file or directory)"),
        ("nowhere://a.jsonl", "nowhere://a.jsonl: cannot be reached"),
    ],
)
def test_what_cannot_be_read_is_one_line(source: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        input_files(source)
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)


def test_a_file_that_changes_after_it_was_hashed_is_told(write: Write) -> None:
    source = write(12)
    inputs = input_files(str(source))
    assert len(list(input_records(inputs))) >= 12
    source.write_bytes(source.read_bytes().replace(b"effusion", b"fracture"))
    with pytest.raises(InputError, match="has changed"):
        list(input_records(inputs))


def test_a_file_is_read_by_its_owner_only_and_leaves_no_other(tmp_path: Path) -> None:
    folder = folder_at(str(tmp_path / "shards"))
    assert read_file(folder, "cases/a") is None
    for data in (b"first", b"second"):
        write_file(folder, "cases/a", data)
    assert read_file(folder, "cases/a") == b"second"
    assert [path.name for path in (tmp_path / "shards" / "cases").iterdir()] == ["a"]
    assert (tmp_path / "shards" / "cases" / "a").stat().st_mode & 0o077 == 0
