"""Kills runs at random instants (the parent, a worker or the whole group), up to three times each, lets the same command go on,
and compares everything with a run that nobody killed. An instant after the end of a run counts for nothing.

    python benchmarks/kills.py --number 200 --seed 1
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pyoxigraph

from kgscore.graph.building import FOLDER, PART, STATE, is_made
from kgscore.resources import cache_folder
from kgscore.results.exchange import describe_tables
from kgscore.results.sql import ask

VICTIMS = ("parent", "worker", "group")
_TEXTS = (
    "Small left pleural effusion. No pneumothorax.", "No pleural effusion or pneumothorax. The heart is normal in size.",
    "Large right pneumothorax. The heart is enlarged.", "The heart is enlarged. No pleural effusion.",
)  # fmt: skip
# Small parts, so that a short run has many instants between two of them.
_COMMAND = """
import sys
from kgscore.graph import building
from kgscore.runs import batch
building.CASES, batch.BATCH, batch.CHUNK = 30, 40, 10
from kgscore.cli import main
sys.exit(main())
"""
_PATIENCE = 5.0  # seconds that a process may live on
_KILLS = 3  # of one run
_SUMS = "SELECT ?type (COUNT(*) AS ?n) { ?s a ?type } GROUP BY ?type ORDER BY ?type"


@dataclass(frozen=True)
class Kept:
    """What a run comes to: its lines, its tables without times, the classes of its graph, and the number of its runs."""

    lines: str
    tables: str
    graph: tuple[str, ...]
    runs: int


def pairs(count: int, path: Path) -> Path:
    """Write so many pairs of reports."""
    rows = ({"id": f"{n:05}", "reference": _TEXTS[n % 4], "candidate": _TEXTS[n // 4 % 4]} for n in range(count))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def started(source: Path, run: Path, output: Path) -> subprocess.Popen[bytes]:
    """Start the command in a group of its own."""
    with output.open("wb") as out, output.with_suffix(".err").open("wb") as err:
        command = [sys.executable, "-c", _COMMAND, "score", str(source), "-q", "--graph", "--jobs", "2", "-o", str(run)]
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {
            "PYTHONPYCACHEPREFIX": str(source.parent / "bytecode")
        } | kept  # to compile takes longer
        return subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True, env=environment)


def kept(run: Path, output: Path) -> Kept:
    """Return what a run has come to."""
    sha = hashlib.sha256()
    for table in describe_tables(run):
        if table.kind == "table":
            names = ", ".join(f'"{name}"' for name, _ in table.columns if name not in ("started", "finished"))
            rows = ask(run, f"SELECT {names} FROM {table.name}", limit=10_000_000).rows()
            sha.update("\n".join([table.name, *sorted(map(repr, rows))]).encode())
    store = pyoxigraph.Store.read_only(str(run / FOLDER))
    graph = tuple(str(row) for row in store.query(_SUMS))  # type: ignore[union-attr]
    (row,) = ask(run, "SELECT count(*) AS n FROM runs").rows()
    return Kept(output.read_text(encoding="utf-8"), sha.hexdigest(), graph, row["n"])


def leftovers(run: Path) -> list[str]:
    """Return the temporary files in a run folder and in the cache."""
    names = [path.name for folder in (run, cache_folder()) for path in folder.glob("*")]
    return [name for name in names if name.startswith((".", "tmp")) or name == PART]


def kill(process: subprocess.Popen[bytes], victim: str, draw: random.Random) -> str:
    """Kill the process, one of its workers where it has some, or its group; return which."""
    with suppress(ProcessLookupError, psutil.NoSuchProcess):
        children = [one for one in psutil.Process(process.pid).children() if _is_worker(one)]
        if victim == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif victim == "worker" and children:
            draw.choice(children).kill()
        else:
            process.kill()
            victim = "parent"
    return victim


def _is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "resource_tracker" not in " ".join(process.cmdline())
    return False


def orphans(group: int) -> int:
    """Return how many processes of a group go on after its leader has ended, and end them."""
    began = time.monotonic()
    while found := [one for one in psutil.process_iter() if _group(one) == group]:
        if time.monotonic() - began > _PATIENCE:
            os.killpg(group, signal.SIGKILL)
            return len(found)
        time.sleep(0.05)
    return 0


def _group(process: psutil.Process) -> int:
    with suppress(OSError, psutil.Error):
        if process.status() != psutil.STATUS_ZOMBIE:
            return os.getpgid(process.pid)
    return 0


def instants(source: Path, folder: Path, number: int, seed: int, warm: int = 1) -> Iterator[dict[str, Any]]:
    """Yield what each run came to, until so many kills were made, after so many runs that only fill the cache."""
    draw, run, output = random.Random(seed), folder / "run", folder / "out"
    seconds = 0.0
    for _ in range(warm + 1):
        shutil.rmtree(run, ignore_errors=True)
        began = time.monotonic()
        assert started(source, run, output).wait() == 0, output.with_suffix(".err").read_text()
        seconds = time.monotonic() - began
    whole = kept(run, output)
    made = 0
    while made < number:
        shutil.rmtree(run, ignore_errors=True)
        making, found = None, Counter[str]({"orphans": 0})
        for _ in range(min(_KILLS, number - made)):
            process = started(source, run, output)
            time.sleep(draw.uniform(0.1, 1.0) * seconds)
            victim = kill(process, VICTIMS[made % len(VICTIMS)], draw)
            code = process.wait()
            left = orphans(process.pid)
            if code == 0 or is_made(run):  # killed too late, it is complete
                code = 0
                break
            made += 1
            said = output.with_suffix(".err").read_text(encoding="utf-8").splitlines()
            graph = _unfinished(run)
            making = making or graph
            found.update({"kills": 1, victim: 1, "orphans": left, "lines of its message": len(said), "in its graph": bool(graph)})
        again = started(source, run, output).wait() if code else 0
        now = kept(run, output) if again == 0 else None
        yield {
            **found, "runs": 1, "went on": again == 0, "lost": now is None or now != whole,
            "scored again": now is not None and now.runs > 1, "graph remade": making not in (None, (run / FOLDER).stat().st_ino),
            "leftovers": len(leftovers(run)),
        }  # fmt: skip


def _unfinished(run: Path) -> int | None:
    """Return the inode of the graph that a run was making, or None."""
    part = run / PART / FOLDER
    return part.stat().st_ino if part.is_dir() and (run / PART / STATE).is_file() else None


def main() -> None:
    """Print what all kills came to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--number", type=int, default=200)
    options.add_argument("--pairs", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    sums: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for found in instants(pairs(given.pairs, folder / "pairs.jsonl"), folder, given.number, given.seed):
            sums.update(found)
            print(json.dumps(found), file=sys.stderr, flush=True)
    print(json.dumps(sums))


if __name__ == "__main__":
    main()
