"""`--engine dask`: the workers of a Dask cluster score partitions of the input to Parquet, and DuckDB loads these in order.

The folder of shards, like the input, can be on any path that fsspec supports:

    run.json, end.json           the run and its options; the number of partitions
    input/part-000012.json       the records of a partition, until it is scored
    graph/part-000012.nq.gz      the graph of its cases (--graph)
    TABLE/part-000012.parquet    its rows of each table (docs/results.md); `cases` is written last and marks it as complete
"""

from __future__ import annotations

import gzip
import json
import logging
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import KgscoreError, MissingExtraError, RunError
from kgscore.graph.building import build, is_made, lines_of
from kgscore.io.records import BadRecord, Record
from kgscore.private_files import OWNER_ONLY, temporary_folder
from kgscore.results.database import RunDatabase, outcomes_in
from kgscore.results.layout import OF_A_CASE, RunKey, RunModule, join_parts, write_parquet
from kgscore.results.outcome import Outcome, failure
from kgscore.runs.batch import BATCH, Settings, encode_results, run_key, score_part, scorer_for, settings_of
from kgscore.runs.input import DASK_EXTRA, digest_of, file_errors, folder_at, input_files, input_records

if TYPE_CHECKING:
    from distributed import Client

_LOST = "the process that scored its partition was lost three times; score the record by itself to see why"
_LOCAL: dict[str, Any] = {
    "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "security": True,
    "silence_logs": logging.CRITICAL,
}  # fmt: skip
_OPTIONS: dict[str, Any] = {  # of a local cluster: no pages, as TLS does not cover them; workers forked where Dask is loaded
    "scheduler-address": None, "distributed.scheduler.allowed-failures": 2,
    "distributed.scheduler.http.routes": [], "distributed.worker.http.routes": [],
} | ({"distributed.worker.multiprocessing-method": "forkserver"} if sys.platform == "linux" else {})  # fmt: skip
_Into = tuple[RunDatabase, int]  # a run folder's database, and the number of the run


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go: a run folder, a folder of shards at any URL, or both. With `graph`, kept shards contain the graph of
    their cases, and that of the run folder is built at the end. A partition has `size` records."""

    out: Path | None = None
    shards: str | None = None
    graph: bool = False
    size: int = 2_000


@contextmanager
def cluster_client(cluster: str, jobs: int) -> Iterator[Client]:
    """Yield a client of a cluster: `local` starts one of `jobs` processes, anything else is a scheduler's address or file. A
    local one communicates over TLS with a temporary certificate: whoever reaches a scheduler without TLS can run code here.
    Raises MissingExtraError if Dask or cryptography is not installed, RunError if no scheduler answers."""
    where = {"scheduler_file" if Path(cluster).is_file() else "address": cluster}
    with ExitStack() as stack:
        try:
            import dask
            from distributed import Client

            stack.enter_context(dask.config.set(_OPTIONS))
            client = stack.enter_context(Client(**(_LOCAL | {"n_workers": jobs} if cluster == "local" else where), timeout=15))
        except ImportError:
            raise MissingExtraError(DASK_EXTRA) from None
        except (OSError, ValueError, TypeError) as error:
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise RunError(f"{cluster}: no Dask scheduler answers ({why}); check the address") from None
        yield client


def score_on_cluster(
    source: str, settings: Settings, client: Client, target: Target, *, say: Callable[[str], None] = lambda line: None
) -> Iterator[Outcome]:
    """Score every pair of JSONL and Parquet files (a path, pattern or folder that fsspec supports) on a cluster and yield one
    line per pair in order. The same call resumes an interrupted one; `say` receives a line for each partition that failed. Raises
    InputError if the input cannot be read, ProfileError if the profile or a metric is unknown, RunError if shards or run folder
    cannot be written, a worker's version differs or the cluster was lost."""
    inputs, signature = input_files(source), dict(scorer_for(settings).signature)
    name = inputs[0][0] + (f" and {len(inputs) - 1} more" if len(inputs) > 1 else "")
    key = run_key(settings, name, digest_of([digest for _, digest, _ in inputs]))
    made = json.dumps({"key": asdict(key), "size": target.size, "graph": target.graph}, sort_keys=True).encode()
    if target.shards is None and target.out is None:
        raise RunError("nowhere to write; give --output, --shards or both")
    url = target.shards or f"{target.out}/shards"
    with ExitStack() as stack, file_errors(RunError, url):
        into = _open_run(stack, target.out, key, last=target.graph) if target.out else None
        folder = folder_at(url)
        if read_file(folder, "run.json") not in (None, made):
            if target.shards:
                raise RunError(f"{url}: holds shards of another run; choose another folder, or remove it")
            folder.rm("", recursive=True)
        write_file(folder, "run.json", made)
        work = partial(score_partition, settings, signature, folder, into[1] if into else 1, target.graph)
        names = _score_partitions(client, work, _partitions(folder, input_records(inputs), target.size), say)
        yield from _collect_lines(names, folder, url, into)
        with suppress(FileNotFoundError):
            folder.rm("input" if target.shards else "", recursive=True)
    if target.graph and target.out:
        build(target.out)


def assemble(shards: str, out: Path) -> Iterator[Outcome]:
    """Create a run folder from the shards kept by `score_on_cluster`, and yield the lines. The same call resumes an interrupted
    one. Raises RunError if partitions are missing, another kgscore scored them, or the folder cannot be written."""
    folder = folder_at(shards)
    with ExitStack() as stack, file_errors(RunError, shards):
        made, end = read_file(folder, "run.json"), read_file(folder, "end.json")
        if made is None:
            raise RunError(f"{shards}: holds no shards; make them with: kgscore score PAIRS --engine dask --shards URL")
        if end is None:
            raise RunError(f"{shards}: partitions are missing; run kgscore score again with the same --shards")
        fields = json.loads(made)["key"]
        modules = tuple(RunModule(**one) for one in fields["modules"])
        key = RunKey(**{**fields, "metrics": tuple(fields["metrics"]), "modules": modules})
        if dict(scorer_for(settings_of(key, [one.path for one in modules])).signature) != key.signature:
            raise RunError(f"{shards}: scored by another kgscore, profile or modules; assemble it where they are the same")
        names = (f"part-{number:06}" for number in range(int(end)))
        yield from _collect_lines(names, folder, shards, _open_run(stack, out, key))


def _open_run(stack: ExitStack, out: Path, key: RunKey, *, last: bool = False) -> _Into:
    database = stack.enter_context(RunDatabase(out))
    run, _ = database.start(key, last=last and not is_made(out))
    database.add_concepts(run, scorer_for(settings_of(key, [one.path for one in key.modules])).index)
    return database, run


def _partitions(folder: Any, records: Iterator[Record | BadRecord], size: int) -> Iterator[tuple[str, int]]:
    """Write the records of each incomplete partition; yield the name of every one and the position of its first record."""
    for number in count():
        name, batch = f"part-{number:06}", list(islice(records, size))
        if not batch:
            return write_file(folder, "end.json", str(number).encode())
        if not folder.exists(f"cases/{name}.parquet"):
            packed = [[isinstance(one, Record), *(getattr(one, field) for field in one.__slots__)] for one in batch]
            write_file(folder, f"input/{name}.json", json.dumps(packed, default=str).encode())
        yield name, number * size


def _score_partitions(
    client: Client, work: Callable[..., None], parts: Iterator[tuple[str, int]], say: Callable[[str], None]
) -> Iterator[str]:
    """Yield the names of the partitions in order, each when it is complete. One is submitted for each thread of the workers, so
    that only the partition in work counts as the cause if a worker is lost."""
    from distributed import CancelledError, KilledWorker, as_completed

    ended, running, complete = as_completed(), dict[Any, tuple[str, int]](), set[Any]()
    try:
        while True:
            free = max(1, sum(client.nthreads().values())) - len(running) + len(complete)
            for part in islice(parts, max(0, free)):
                future = client.submit(work, *part, key=f"{part[0]}-{uuid.uuid4().hex}", retries=2, pure=False)
                running[future] = part
                ended.add(future)
            while complete and (first := next(iter(running))) in complete:
                complete.remove(first)
                yield running.pop(first)[0]
            if not running:
                return
            future = next(ended)
            part, error = running[future], future.exception()
            if isinstance(error, KilledWorker):
                say(f"{part[0]}: its worker was lost three times; its records are marked as failed")
                work(*part, lost=True)
            elif isinstance(error, (KgscoreError, OSError)):
                raise error
            elif error is not None:  # its message may quote a report
                why = f"{part[0]}: failed on the cluster ({type(error).__name__})"
                raise RunError(f"{why}; scheduler and workers need the same kgscore and Dask as here (their logs say more)")
            complete.add(future)
    except CancelledError:
        raise RunError("the cluster was lost; run the same command again to go on") from None


def _collect_lines(names: Iterable[str], folder: Any, url: str, into: _Into | None) -> Iterator[Outcome]:
    """Yield the lines of the partitions, each after its rows are in the run folder if there is one."""
    done = 0
    for outcome in into[0].outcomes(into[1]) if into else ():
        yield outcome
        done += 1
    for name in names:
        with temporary_folder() as place:
            files = {table: place / f"{table}.parquet" for table in OF_A_CASE}
            for table, file in files.items():
                file.write_bytes(read_file(folder, f"{table}/{name}.parquet") or b"")
            lines = outcomes_in(files, done, f"{url}/cases/{name}.parquet")
            if into and lines:
                into[0].load_parquet(files, into[1], done)
        yield from lines
        done += len(lines)
    if into:
        into[0].finish(into[1])


def score_partition(
    settings: Settings, signature: dict[str, Any], folder: Any, run: int, graph: bool, name: str, first: int, lost: bool = False
) -> None:
    """Score a partition in a worker and write its shards; all records of a `lost` one fail. Raises RunError if the signature of
    this worker differs from that of the run."""
    if folder.exists(f"cases/{name}.parquet"):
        return
    scorer = scorer_for(settings)
    if other := sorted(one for one in {*scorer.signature, *signature} if scorer.signature.get(one) != signature.get(one)):
        raise RunError(f"a worker scores with another {', '.join(other)}; install the same kgscore, profile, modules")
    packed = json.loads(folder.cat_file(f"input/{name}.json"))
    records: list[Record | BadRecord] = [(Record if good else BadRecord)(*values) for good, *values in packed]
    if lost:
        failed = [failure(one.id, getattr(one, "reason", _LOST), scorer.metrics) for one in records]
        tables = encode_results(run, first, records, failed)
    else:
        starts = range(0, len(records), BATCH)
        tables = join_parts([score_part(settings, run, (first + at, records[at : at + BATCH])) for at in starts])
    if graph:
        text = "".join(lines_of(tables, run, first, first + len(records)))
        write_file(folder, f"graph/{name}.nq.gz", gzip.compress(text.encode(), 1, mtime=0))
    with temporary_folder() as place:
        write_parquet(tables, place)
        for table in sorted(OF_A_CASE, key="cases".__eq__):
            write_file(folder, f"{table}/{name}.parquet", (place / f"{table}.parquet").read_bytes())
    folder.rm(f"input/{name}.json")


def write_file(folder: Any, name: str, data: bytes) -> None:
    """Write a file atomically. Raises OSError."""
    with OWNER_ONLY:
        folder.makedirs(name.rpartition("/")[0] or ".", exist_ok=True)
        folder.pipe_file(scratch := f"{name}.{uuid.uuid4().hex}.tmp", data)
        folder.mv(scratch, name)


def read_file(folder: Any, name: str) -> bytes | None:
    """Return the bytes of a file, None if it is absent. Raises OSError if it cannot be read."""
    with suppress(FileNotFoundError):
        return bytes(folder.cat_file(name))
    return None
