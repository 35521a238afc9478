"""Processes beside this one: copied only where that is safe, and given about as much to do each time."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, Thread

import pytest

from kgscore.records import BadRecord, Record
from kgscore.runs.batch import CHUNK, _chunks
from kgscore.runs.workers import may_fork

LOADED = """
from kgscore.resources import yaml_of
from kgscore.runs.workers import may_fork, workers

def loaded():
    return yaml_of.cache_info().currsize

if __name__ == "__main__":
    yaml_of("mappings", "regions.yaml")
    print(may_fork())
    with workers(2) as pool:
        print(*[pool.submit(loaded).result() for _ in range(4)])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are begun anew")
def test_copies_of_a_process_have_what_it_loaded(tmp_path) -> None:
    script = tmp_path / "loaded.py"
    script.write_text(LOADED, encoding="utf-8")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["True", "1 1 1 1"]


def test_a_process_with_other_threads_is_not_copied() -> None:
    over = Event()
    thread = Thread(target=over.wait)
    thread.start()
    try:
        assert not may_fork()
    finally:
        over.set()
        thread.join()


def record(number: int, characters: int) -> Record:
    return Record("p.jsonl:1", str(number), {"reference": "x" * characters, "candidate": ""})


def test_chunks_hold_fewer_long_reports_than_short_ones() -> None:
    short = [record(number, 10) for number in range(2 * CHUNK)]
    assert [len(chunk) for chunk in _chunks([*short, BadRecord("p.jsonl:1", None, "no JSON")])] == [CHUNK, CHUNK, 1]
    long = [record(number, 30_000) for number in range(7)]
    assert [len(chunk) for chunk in _chunks(long)] == [3, 3, 1]
    assert [one for chunk in _chunks([*long, *short]) for one in chunk] == [*long, *short]
