"""What ends a command early, and what must not: pipes, full disks, Ctrl-C, scripts without a guard, hostile files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kgscore.engine import Scorer
from kgscore.results.database import RunDatabase

Cli = Callable[..., Any]
SCRIPT = """
import kgscore
pairs = [{{"id": str(n), "reference": "No effusion.", "candidate": "No effusion."}} for n in range(3)]
{guard}print(sum(one.scores["radsem"].value for one in kgscore.score_many(pairs, jobs=2)))
"""


def run(*args: object, **given: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kgscore", *map(str, args)]
    return subprocess.run(command, text=True, capture_output="stdout" not in given, check=False, **given)


def test_a_reader_that_goes_ends_it_with_141_and_no_word(pairs: Cli) -> None:
    command = [sys.executable, "-m", "kgscore", "score", str(pairs(400, id_length=300))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (141, b"")


def test_ctrl_c_says_that_a_run_goes_on(pairs: Cli, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kgscore", "score", str(pairs(3000, id_length=300)), "-o", str(tmp_path / "run")]
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # what runs in the background may not hear it
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **heard) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        said = process.stderr.read().decode()
    assert process.returncode == 130
    assert said == "kgscore: interrupted; a run folder keeps the scored pairs: run the same command again to resume\n"


@pytest.mark.parametrize(
    ("closed", "args", "said"),
    [
        (1, ("metrics",), "kgscore: standard output: cannot be read or written (bad file descriptor)"),
        (0, ("score", "-"), "kgscore: -: cannot be read (bad file descriptor); check the path and its permissions"),
        (2, ("score", "none.jsonl"), ""),
    ],
)
def test_a_closed_standard_stream_is_one_line(closed: int, args: tuple[str, ...], said: str) -> None:
    done = run(*args, preexec_fn=lambda: os.close(closed))
    assert (done.returncode, done.stdout, done.stderr.strip()) == (1, "", said)


def test_readers_of_both_streams_may_go(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{no json\n" * 3000)
    command = [sys.executable, "-m", "kgscore", "read", str(tmp_path / "bad.jsonl")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
    assert process.returncode == 141


def test_lack_of_memory_is_one_line(kgscore: Cli, pairs: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scorer, "__init__", Mock(side_effect=MemoryError))
    other = ("--profile", "lenient-measurements")  # no scorer of an earlier test
    done = kgscore("score", pairs(2), "-q", *other, "-o", tmp_path / "run")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("kgscore: out of memory; use fewer --jobs")
    assert len(done.err.splitlines()) == 1


def test_what_a_run_writes_is_for_its_owner_only(kgscore: Cli, pairs: Cli, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        source, run = pairs(2), tmp_path / "run"
        assert kgscore("score", source, "-q", "-o", run).code == 0
        assert kgscore("tables", run, "--to", tmp_path / "tables", "-q").code == 0
        assert kgscore("sql", run, "FROM cases", "-o", tmp_path / "cases.csv", "-q").code == 0
        assert kgscore("tables", run, "--add", tmp_path / "cases.csv", "-q").code == 0
        assert kgscore("report", run, "-o", tmp_path / "report.html", "-q").code == 0
        assert kgscore("llm", "requests", source, "-o", tmp_path / "asked", "-q").code == 0
        with RunDatabase(run) as database:
            database.add_concepts(2, Scorer().index)
            assert {path.name: oct(path.stat().st_mode & 0o777) for path in run.iterdir()} == dict.fromkeys(
                ("results.duckdb", "results.duckdb.wal", "tables.duckdb", "zeros.json"), "0o600"
            )
        made = [path for path in tmp_path.rglob("*") if path != source]
        assert {path.name for path in made if path.stat().st_mode & 0o077} == set()
        assert len(made) > 10
    finally:
        os.umask(before)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_one_line(pairs: Cli) -> None:
    with open("/dev/full", "w") as full:
        done = run("score", pairs(2), "-q", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == "kgscore: standard output: cannot be read or written (no space left on device)\n"


@pytest.mark.parametrize(("guard", "code"), [("", 1), ('if __name__ == "__main__":\n    ', 0)])
def test_a_script_without_a_guard_is_told_so(tmp_path: Path, guard: str, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(guard=guard))
    done = subprocess.run([sys.executable, str(script)], text=True, capture_output=True, check=False)
    assert done.returncode == code
    assert ("under `if __name__ == '__main__':`" in done.stderr) == bool(code)
    assert done.stdout == ("" if code else "3.0\n")


def test_a_folder_of_others_is_no_run_folder(kgscore: Cli, pairs: Cli, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x")
    for folder, said in ((tmp_path / "other", "contains other files and no run"), ("", "is not a name for a run folder")):
        ran = kgscore("score", pairs(1), "--output", folder)
        assert (ran.code, ran.out) == (1, "")
        assert said in ran.err
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]


def test_yaml_that_is_nested_too_deep_is_one_line(kgscore: Cli, pairs: Cli, tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text("[" * 20_000)
    for args in (("score", pairs(1), "--profile", path), ("labels", pairs(1), "--set", path)):
        ran = kgscore(*args)
        assert ran.code == 1
        assert "internal error" not in ran.err
        assert "deep.yaml" in ran.err


def test_entities_of_entities_are_refused(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "laughs.owl"
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY l0 "ha">{laughs}]>'
    path.write_text(f'{head}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">&l11;</rdf:RDF>')
    ran = kgscore("ontology", "import-fma", path, "-o", tmp_path / "fma")
    assert ran.code == 1
    assert "laughs.owl: declares nested entities, which are not allowed" in ran.err


def test_a_proof_says_where_only_one_side_does(kgscore: Cli) -> None:
    (line,) = kgscore("relate", "Fracture of the left femur.", "Fracture.").lines
    assert line["relation"] == "part_whole"
    assert [step for step in line["proof"] if step.startswith("anatomy:") and len(step) > len("anatomy: ")]
