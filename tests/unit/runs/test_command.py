"""The cluster from the command line: wrong usage and a missing extra are one line; the lines are those of one process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kgscore.cli import main
from tests.unit.runs.conftest import Write


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["p.jsonl", "--engine", "spark"], "choose local or dask"),
        (["p.jsonl", "--engine", "dask"], "--output, --shards or both"),
        (["-", "--engine", "dask", "--output", "run"], "it needs PAIRS in files"),
        (["p.jsonl", "--cluster", "tcp://127.0.0.1:1"], "are for --engine dask"),
        (["p.jsonl", "--shards", "s"], "are for --engine dask"),
    ],
)
def test_wrong_usage_is_exit_code_2(capsys: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    assert main(["score", *args]) == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


@pytest.mark.parametrize("module", ["distributed", "fsspec"])
def test_a_missing_extra_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if module == "fsspec":
        assert main(["assemble", str(tmp_path / "shards"), "--output", str(tmp_path / "run")]) == 1
    else:
        assert main(["score", str(write(3)), "--engine", "dask", "--output", str(tmp_path / "run")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "pip install 'kgscore[dask]'" in line


def test_no_scheduler_and_no_shards_are_one_line(capsys: pytest.CaptureFixture[str], write: Write, tmp_path: Path) -> None:
    args = ["score", str(write(3)), "--engine", "dask", "--output", str(tmp_path / "run"), "--cluster", "nonsense"]
    assert main(args) == 1
    assert main(["assemble", str(tmp_path / "none"), "--output", str(tmp_path / "run")]) == 1
    scheduler, shards = capsys.readouterr().err.splitlines()
    assert "nonsense: no Dask scheduler answers" in scheduler
    assert "holds no shards" in shards
