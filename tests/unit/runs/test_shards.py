"""What a folder of shards says of itself, and what is wrong with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kgscore.errors import RunError
from kgscore.io.records import BadRecord
from kgscore.results.layout import RunKey, RunModule
from kgscore.runs.batch import Settings, score_part
from kgscore.runs.shards import Shards, Sheet
from kgscore.runs.storage import Folder

KEY = RunKey("p.jsonl", "0", "default", ("radsem",), {"kgscore": "0"}, (RunModule("dental", "1", "/modules/dental"),))
SHEET = Sheet(KEY, 1, ("/modules/dental",), True, 10, 1)


def test_a_sheet_comes_back_and_keeps_others_out(tmp_path: Path) -> None:
    shards = Shards(Folder.of(tmp_path / "shards"))
    shards.begin(SHEET)
    shards.begin(SHEET)
    assert shards.sheet() == SHEET
    other = replace(SHEET, size=20)
    with pytest.raises(RunError, match="another run"):
        shards.begin(other)
    shards.begin(other, anew=True)
    assert shards.sheet() == other
    (tmp_path / "shards" / "run.json").write_text('{"layout": 0}')
    with pytest.raises(RunError, match="another version"):
        shards.sheet()


def test_missing_and_damaged_partitions_are_one_line(tmp_path: Path) -> None:
    shards = Shards(Folder.of(tmp_path))
    with pytest.raises(RunError, match="1 of 1 partitions are missing"):
        list(shards.made(SHEET))
    part = score_part(Settings(), 1, (0, [BadRecord("p.jsonl:1", "a", "no report")]))
    shards.write("part-000000", 0, part)
    assert [shards.whole(name).records for name in shards.made(SHEET)] == [1]
    assert shards.read("part-000000") == part
    (tmp_path / "cases" / "part-000000.parquet").write_bytes(b"no Parquet")
    with pytest.raises(RunError, match="part-000000 are damaged"):
        shards.read("part-000000")


def test_a_note_stays_only_of_a_lost_process(tmp_path: Path) -> None:
    shards = Shards(Folder.of(tmp_path))
    with pytest.raises(RunError), shards.attempt("part-000000") as before:
        shards.read(f"part-{before}")
    (tmp_path / "tries" / "part-000000.1").write_text("lost")
    with shards.attempt("part-000000") as before:
        assert before == 1
    assert [path.name for path in (tmp_path / "tries").iterdir()] == ["part-000000.1"]
