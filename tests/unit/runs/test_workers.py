"""Processes beside this one: copied only where that is safe, and given about as much to do each time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from kgscore.io.records import BadRecord, Record
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


ORPHANS = """
import os, sys, time
from kgscore.process import PersistentProcess
from kgscore.runs.workers import workers

def work(pipe):
    pipe.send(os.getpid())
    time.sleep(1000)

if __name__ == "__main__":
    kept = PersistentProcess(work)
    with workers(2) as pool:
        found = {pool.submit(os.getpid).result() for _ in range(20)} | {kept.start().recv()}
        pool.submit(time.sleep, 1000)
        print(*found, flush=True)
        os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS, encoding="utf-8")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    found = {int(one) for one in ran.stdout.split()}
    assert len(found) >= 2, ran.stderr
    until = time.monotonic() + 10
    while (alive := [one for one in found if is_alive(one)]) and time.monotonic() < until:
        time.sleep(0.05)
    for one in alive:
        os.kill(one, signal.SIGKILL)
    assert alive == []


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")  # who has ended and is not yet taken note of is no process any more
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def record(number: int, characters: int) -> Record:
    return Record("p.jsonl:1", str(number), {"reference": "x" * characters, "candidate": ""})


def test_chunks_hold_fewer_long_reports_than_short_ones() -> None:
    short = [record(number, 10) for number in range(2 * CHUNK)]
    assert [len(chunk) for chunk in _chunks([*short, BadRecord("p.jsonl:1", None, "no JSON")])] == [CHUNK, CHUNK, 1]
    long = [record(number, 30_000) for number in range(7)]
    assert [len(chunk) for chunk in _chunks(long)] == [3, 3, 1]
    assert [one for chunk in _chunks([*long, *short]) for one in chunk] == [*long, *short]
