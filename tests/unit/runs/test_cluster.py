"""A run on a real local cluster whose workers are killed while they work: the same run folder, nothing lost, nothing twice."""

from __future__ import annotations

import gzip
import hashlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from distributed import Client
from pyoxigraph import RdfFormat, Store

from kgscore.errors import RunError
from kgscore.graph.store import open_for_reading
from kgscore.graph.vocabulary import DATA
from kgscore.io.records import PAIR_FIELDS, read_records
from kgscore.results.database import RunDatabase
from kgscore.results.exchange import describe_tables
from kgscore.results.layout import RunKey
from kgscore.results.sql import ask
from kgscore.runs.batch import Settings, score_part, score_source, scorer_for
from kgscore.runs.dask import Target, assemble, cluster_client, score_on_cluster
from kgscore.runs.input import folder_at
from tests.unit.runs.conftest import Write

SETTINGS = Settings("default", ("radsem", "headct_one"))
ONCE, ALWAYS = "part-000000", "part-000002"


@contextmanager
def killer(client: Client, kills: dict[str, int]) -> Iterator[dict[str, int]]:
    """Kill the process that works on a partition, as often as asked; give how often it was done."""
    over, done = Event(), dict.fromkeys(kills, 0)

    def watch() -> None:
        seen: set[str] = set()
        while not over.is_set():
            for worker, keys in client.processing().items():
                for name in kills:
                    if worker not in seen and done[name] < kills[name] and any(str(key).startswith(name) for key in keys):
                        seen.add(worker)
                        done[name] += 1
                        os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)
            time.sleep(0.005)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def tables(folder: Path) -> dict[str, list[Any]]:
    names = [info.name for info in describe_tables(folder) if info.kind == "table" and info.name != "runs"]
    return {name: ask(folder, f"SELECT * FROM {name}").arrow.to_pylist() for name in names}


def without(tables: dict[str, list[Any]], lost: range) -> dict[str, list[Any]]:
    return {name: [row for row in rows if row.get("position") not in lost] for name, rows in tables.items()}


def about_cases(store: Store) -> set[str]:
    return {str(quad) for quad in store if str(quad.subject).startswith(f"<{DATA}run/1/case")}


def of_shards(shards: Path) -> Store:
    store = Store()
    for path in shards.glob("graph/*.nq.gz"):
        store.load(gzip.decompress(path.read_bytes()), format=RdfFormat.N_QUADS)
    return store


def test_lost_workers_lose_nothing(write: Write, tmp_path: Path) -> None:
    source, out, shards = str(write(60, again=7)), tmp_path / "run", tmp_path / "shards"
    said: list[str] = []
    with cluster_client("local", 2) as client:
        target = Target(out, str(shards), graph=True, size=10)
        with killer(client, {ONCE: 1, ALWAYS: 3}) as killed:
            lines = list(score_on_cluster(source, SETTINGS, client, target, say=said.append))
        kept = {path: path.read_bytes() for path in shards.rglob("*.*") if path.is_file()}
        again = list(score_on_cluster(source, SETTINGS, client, Target(None, str(shards), graph=True, size=10)))
    assert killed == {ONCE: 1, ALWAYS: 3}
    here = list(score_source(source, SETTINGS, out=tmp_path / "here"))
    lost = range(20, 30)
    assert [line for at, line in enumerate(lines) if at not in lost] == [line for at, line in enumerate(here) if at not in lost]
    assert [lines[at].id for at in lost] == [here[at].id for at in lost]
    assert {lines[at].status for at in lost} == {"failed"}
    assert said == [f"{ALWAYS}: its worker was lost three times; its records are marked as failed"]
    assert again == lines
    assert kept == {path: path.read_bytes() for path in shards.rglob("*.*") if path.is_file()}
    found, wanted = tables(out), tables(tmp_path / "here")
    assert without(found, lost) == without(wanted, lost)
    # A record that was never read is no case of the graph.
    assert about_cases(of_shards(shards)) == about_cases(open_for_reading(out))


def test_a_run_begun_in_one_process_goes_on_in_a_cluster_on_any_path(write: Write, write_parquet: Write, tmp_path: Path) -> None:
    name = str(write_parquet(45, again=8))
    here = list(score_source(name, SETTINGS, out=tmp_path / "here"))
    scorer = scorer_for(SETTINGS)
    key = RunKey(name, hashlib.sha256(Path(name).read_bytes()).hexdigest(), "default", scorer.metrics, scorer.signature)
    records = list(read_records(name, PAIR_FIELDS, extra=None))[:17]
    with RunDatabase(tmp_path / "run") as database:
        run, _ = database.start(key)
        database.add_concepts(run, scorer.index)
        database.load(score_part(SETTINGS, run, (0, records)))
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        shards = "memory://run/shards"
        lines = list(score_on_cluster(name, SETTINGS, client, Target(tmp_path / "run", shards, size=10)))
    assert lines == here
    assert tables(tmp_path / "run") == tables(tmp_path / "here")
    assert about_cases(open_for_reading(tmp_path / "run")) == about_cases(open_for_reading(tmp_path / "here"))
    assert list(assemble(shards, tmp_path / "assembled")) == here
    assert tables(tmp_path / "assembled") == tables(tmp_path / "here")
    assert list(assemble(shards, tmp_path / "assembled")) == here  # again, as another run
    assert ask(tmp_path / "assembled", "SELECT DISTINCT run FROM cases ORDER BY run").rows() == [{"run": 1}, {"run": 2}]
    with pytest.raises(RunError, match="holds shards of another run"):
        list(score_on_cluster(name, SETTINGS, client, Target(shards=shards, size=20)))
    folder_at(shards).pipe_file("pairs/part-000002.parquet", b"no Parquet")
    with pytest.raises(RunError, match=r"cases/part-000002.parquet: damaged, or one of its tables"):
        list(assemble(shards, tmp_path / "other"))
    folder_at(shards).rm("end.json")
    with pytest.raises(RunError, match="partitions are missing"):
        list(assemble(shards, tmp_path / "other"))
