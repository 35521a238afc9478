"""What a run says that it read is what it read; what cannot be read ends in one line, without the memory."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from kgscore.errors import InputError
from kgscore.io.records import read_records
from kgscore.results.sql import ask
from kgscore.runs.batch import Settings, score_source
from kgscore.runs.input import Source

CSV = b"id,reference,candidate\n1,No effusion.,No effusion.\n"


@contextmanager
def piped(path: Path, data: bytes) -> Iterator[str]:
    os.mkfifo(path)
    thread = Thread(target=lambda: path.write_bytes(data))
    thread.start()
    yield str(path)
    thread.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_pipe_is_read_as_the_file_is(tmp_path: Path, pairs: Callable[..., Path], kind: str) -> None:
    data = CSV if kind == "csv" else pairs(3).read_bytes()
    (tmp_path / f"file.{kind}").write_bytes(data)
    given = list(score_source(str(tmp_path / f"file.{kind}"), Settings(), out=tmp_path / "a"))
    with piped(tmp_path / f"pipe.{kind}", data) as source:
        assert [one.scores for one in score_source(source, Settings(), out=tmp_path / "b")] == [one.scores for one in given]
    hashes = [ask(tmp_path / run, "SELECT input_hash FROM runs").rows() for run in "ab"]
    assert hashes[0] == hashes[1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_two_pipes_are_joined(tmp_path: Path) -> None:
    report = b'{"id": "a", "report": "No effusion."}\n'
    with piped(tmp_path / "one.jsonl", report) as one, piped(tmp_path / "other.jsonl", report) as other:
        (line,) = score_source(Source(one, other), Settings(), out=tmp_path / "run")
    assert line.status == "scored"
    with piped(tmp_path / "one.csv", CSV) as source:
        assert [record.id for record in read_records(source, ("reference", "candidate"))] == ["1"]


@pytest.mark.parametrize("change", ["longer", "replaced", "removed"])
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path, pairs: Callable[..., Path], change: str) -> None:
    source = pairs(3)
    lines = score_source(str(source), Settings(), out=tmp_path / "run")
    next(lines)
    if change == "longer":
        with source.open("a") as stream:
            stream.write("\n")
    elif change == "replaced":
        (tmp_path / "new").write_bytes(source.read_bytes())
        (tmp_path / "new").replace(source)
    else:
        source.unlink()
    with pytest.raises(InputError, match=r"pairs\.jsonl: changed while it was being read; run the command again"):
        list(lines)
    assert ask(tmp_path / "run", "SELECT finished FROM runs").rows() == [{"finished": None}]


def test_what_expands_without_end_is_refused(tmp_path: Path) -> None:
    line = b'{"id": "a", "report": "' + b" " * 999_975 + b'"}\n'
    for name, part in (("lines.jsonl.gz", line), ("one.json.gz", b" " * 1_000_000)):
        with gzip.open(tmp_path / name, "wb", compresslevel=1) as stream:
            for _ in range(70):
                stream.write(part)
        with pytest.raises(InputError, match="expands to over 200 times its size") as caught:
            list(read_records(str(tmp_path / name), ("report",)))
        assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_json_without_text_is_refused_and_long_lists_of_reports_are_read(tmp_path: Path) -> None:
    for name, data in (("a.json", b"[" + b"[]," * 400_000 + b"[]]"), ("b.json", b'{"id": [' + b"1," * 600_000 + b"1]}")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match=r"too large to read at once; write one object per line"):
            list(read_records(str(tmp_path / name), ("report",)))
    rows = [{"id": str(n), "report": "No effusion, no pneumothorax, no fracture. " * 6} for n in range(5_000)]
    (tmp_path / "c.json").write_text(json.dumps(rows))
    assert len(list(read_records(str(tmp_path / "c.json"), ("report",)))) == 5_000
    filled = b'{"id": "a", "report": "x", "y": [' + b"[]," * 400_000 + b"0]}\n"
    (tmp_path / "d.jsonl").write_bytes(filled + b'{"id": "b", "report": "x"}')
    bad, good = read_records(str(tmp_path / "d.jsonl"), ("report",))
    assert "cannot be parsed as JSON" in bad.reason  # type: ignore[union-attr]
    assert good.id == "b"
